// Fuzzes the JSON reader: walks every value, writes it out again, and reads that back.
#include <amble/tools/json.h>

#include <stdlib.h>
#include <string.h>

static void copy_value(am_json_writer *writer, const am_json *value)
{
    switch (value->type) {
    case AM_JSON_NULL:
        am_json_null(writer, value->key);
        break;
    case AM_JSON_BOOL:
        am_json_bool(writer, value->key, value->boolean);
        break;
    case AM_JSON_NUMBER:
        am_json_number(writer, value->key, value->number);
        break;
    case AM_JSON_STRING:
        am_json_string(writer, value->key, value->string);
        break;
    case AM_JSON_ARRAY:
    case AM_JSON_OBJECT: {
        bool object = value->type == AM_JSON_OBJECT;
        object ? am_json_begin_object(writer, value->key) : am_json_begin_array(writer, value->key);
        int count = 0;
        for (const am_json *item = value->first; item; item = item->next, count++) {
            copy_value(writer, item);
        }
        if (count != value->count) {
            abort();
        }
        object ? am_json_end_object(writer) : am_json_end_array(writer);
        break;
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    am_error err = { 0 };
    am_json_doc *doc = NULL;
    if (am_json_parse(&doc, (const char *)data, size, "fuzz", NULL, &err) != AM_OK) {
        if (doc || err.code == AM_OK || err.line < 1 || err.column < 1 || strlen(err.text) == 0) {
            abort();
        }
        return 0;
    }
    am_json_writer *writer = NULL;
    if (am_json_writer_create(&writer, (int)(size % 3), NULL, &err) != AM_OK) {
        abort();
    }
    copy_value(writer, am_json_root(doc));
    size_t length = 0;
    const char *text = am_json_text(writer, &length);
    am_json_doc *again = NULL;
    if (!text || am_json_parse(&again, text, length, NULL, NULL, &err) != AM_OK) {
        abort(); // what the writer writes, the reader reads
    }
    am_json_free(again);
    am_json_writer_destroy(writer);
    am_json_free(doc);
    return 0;
}
