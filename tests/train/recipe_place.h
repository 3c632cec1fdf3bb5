/// Recipes over a small synthetic database, run in a folder of their own.
#ifndef AMBLE_TESTS_TRAIN_RECIPE_PLACE_H
#define AMBLE_TESTS_TRAIN_RECIPE_PLACE_H

#include "support/check.h"
#include "support/synth_db.h"

#include <amble/train.h>
#include "support/lmm_schema.h"

typedef struct place {
    char dir[500], recipe[600], output[600];
} place;

static inline place make_place(const char *name)
{
    place p;
    snprintf(p.dir, sizeof p.dir, "%s", test_temp_dir(name));
    snprintf(p.recipe, sizeof p.recipe, "%s/recipe.json", p.dir);
    snprintf(p.output, sizeof p.output, "%s/out.amnet", p.dir);
    return p;
}

/// Stops a run after a number of reports, and keeps what the last one said.
typedef struct watcher {
    int stop_after, reports;
    char terms[256];
} watcher;

static inline bool report(void *user, const am_train_progress *p)
{
    watcher *w = user;
    w->reports++;
    snprintf(w->terms, sizeof w->terms, "%s", p->terms);
    return w->stop_after == 0 || w->reports < w->stop_after;
}

static inline am_result run_as(const place *p, const char *text, int threads, bool resume, watcher *w,
                               am_train_summary *s, am_error *err)
{
    check_ok(am_file_write(p->recipe, text, strlen(text), err), err);
    am_train_def def;
    am_train_def_init(&def);
    def.recipe = p->recipe;
    def.output = p->output;
    def.threads = threads;
    def.resume = resume;
    def.report = w ? report : NULL;
    def.report_user = w;
    return am_train_run(s, &def, err);
}

/// A database of some synthetic clips, or of a few frames of one, as db.amdb in the place's folder.
static inline void put_database(const place *p, int frames)
{
    char path[600];
    am_error err = { 0 };
    am_db *db = NULL;
    if (frames == 0) {
        db = synth_db_make_few(&err);
    } else {
        synth_db_clip whole = { 0 };
        am_synth_def def = am_synth_all_item(0, 1);
        am_clip *clip = NULL;
        assert_true(synth_db_read(&whole, &def, &err));
        check_ok(am_clip_trim(&clip, whole.synth.clip, 100, 99 + frames, NULL, &err), &err);
        const am_schema schema = lmm_schema();
        const am_db_clip item = { .clip = clip,
                                  .root_positions = whole.positions + 100,
                                  .root_rotations = whole.rotations + 100,
                                  .contacts = whole.contacts + 100,
                                  .tags = whole.tags + 100 };
        static const char *const tags[] = { "idle", "walk", "run", "creep", "jump", "turn" };
        am_db_def made = am_db_def_default();
        made.clips = &item;
        made.clip_count = 1;
        made.roles = whole.synth.roles;
        made.schema = &schema;
        made.tag_names = tags;
        made.tag_count = 6;
        check_ok(am_db_create(&db, &made, &err), &err);
        am_clip_destroy(clip);
        synth_db_clip_free(&whole);
    }
    assert_non_null(db);
    snprintf(path, sizeof path, "%s/db.amdb", p->dir);
    check_ok(am_db_write(db, path, &err), &err);
    am_db_close(db);
}

#endif
