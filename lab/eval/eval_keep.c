// Writes a copy of the model whose provenance has "quality": rows of the tables as objects. `amble info` prints them.
#include "eval.h"

#include "net/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Tables about the quality of a model; of those with one row per course, only the means.
static const struct {
    const char *name;
    bool means_only;
} kept[] = { { "decompressor", false }, { "stepper", false },   { "projector", false },    { "play", true },
             { "figure 9", true },      { "endurance", false }, { "auto-encoder", false }, { "raw", false },
             { "behaviours", false },   { "beyond", false },    { "standing", false } };

static const char *text_of(const am_json *value)
{
    return value && value->type == AM_JSON_STRING ? value->string : "";
}

static void put_row(am_json_writer *w, const am_json *columns, const am_json *row)
{
    am_json_begin_object(w, NULL);
    const am_json *column = columns->first;
    for (const am_json *cell = row->first; cell && column; cell = cell->next, column = column->next) {
        if (cell->type == AM_JSON_NUMBER) {
            am_json_number(w, text_of(column), cell->number);
        } else if (cell->type == AM_JSON_STRING) {
            am_json_string(w, text_of(column), cell->string);
        }
    }
    am_json_end_object(w);
}

static void put_table(am_json_writer *w, const am_json *table, bool means_only)
{
    const am_json *columns = am_json_get(table, "columns"), *rows = am_json_get(table, "rows");
    am_json_begin_array(w, text_of(am_json_get(table, "name")));
    for (const am_json *row = rows ? rows->first : NULL; row && columns; row = row->next) {
        const char *first = text_of(row->first);
        if (strncmp(first, "paper", 5) != 0 && (!means_only || strcmp(first, "all") == 0)) {
            put_row(w, columns, row);
        }
    }
    am_json_end_array(w);
}

/// The object under "quality", without its key.
static void put_quality(am_json_writer *w, const eval *e, const am_db *db, const am_json *tables)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)db->hash);
    am_json_begin_object(w, NULL);
    am_json_string(w, "database", db->name);
    am_json_string(w, "database_hash", hash);
    am_json_bool(w, "quick", e->quick);
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        for (const am_json *t = tables ? tables->first : NULL; t; t = t->next) {
            if (strcmp(text_of(am_json_get(t, "name")), kept[k].name) == 0) {
                put_table(w, t, kept[k].means_only);
            }
        }
    }
    am_json_end_object(w);
}

/// The provenance as it was, an earlier quality left out, with this one: ours is always the last key.
static char *join(const char *provenance, const char *quality)
{
    static const char key[] = "\"quality\":";
    const char *earlier = strstr(provenance, key), *brace = strrchr(provenance, '}');
    size_t before = earlier ? (size_t)(earlier - provenance) : brace ? (size_t)(brace - provenance) : 0;
    while (before > 0 && strchr(", \n", provenance[before - 1])) {
        before--;
    }
    const size_t size = before + strlen(quality) + sizeof key + 8;
    char *out = malloc(size);
    if (out) {
        const bool empty = before <= 1;
        snprintf(out, size, "%.*s%s%s%s}", empty ? 0 : (int)before, provenance, empty ? "{" : ",", key, quality);
    }
    return out;
}

static am_result write_note(const eval *e, const am_model *model, const char *quality, am_error *err)
{
    am_model *noted = NULL;
    char *provenance = join(model->provenance, quality);
    am_result result = AM_ERR_MEMORY;
    if (provenance) {
        result = ami_model_note(&noted, model, provenance, NULL, err);
    } else {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the provenance");
    }
    result = result == AM_OK ? am_model_write(noted, e->keep, err) : result;
    am_model_close(noted);
    free(provenance);
    return result;
}

am_result eval_keep(const eval *e, const am_model *model, const am_db *db, am_error *err)
{
    am_json_writer *all = NULL, *quality = NULL;
    am_json_doc *doc = NULL;
    am_result result = am_json_writer_create(&all, 0, NULL, err);
    result = result == AM_OK ? am_json_writer_create(&quality, 0, NULL, err) : result;
    if (result == AM_OK) {
        size_t size = 0;
        ami_tables_json(all, e->tables);
        const char *text = am_json_text(all, &size);
        result = am_json_parse(&doc, text ? text : "", size, "tables", NULL, err);
    }
    if (result == AM_OK) {
        put_quality(quality, e, db, am_json_get(am_json_root(doc), "tables"));
        const char *text = am_json_text(quality, NULL);
        result = write_note(e, model, text ? text : "{}", err);
    }
    am_json_free(doc);
    am_json_writer_destroy(all);
    am_json_writer_destroy(quality);
    return result;
}
