// Fuzzes tag files and tag queries: the bytes are read as a sheet, and their first line as a query.
#include <amble/tools/tags.h>

#include "data/tags.h"

#include <stdlib.h>
#include <string.h>

static void try_query(const uint8_t *data, size_t size, const am_tag_sheet *sheet)
{
    static const char *const names[] = { "walk", "run", "turn" };
    const char *own[AM_MAX_TAGS];
    for (int t = 0; t < sheet->name_count; t++) {
        own[t] = sheet->names[t];
    }
    char *text = malloc(size + 1);
    if (!text) {
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    ami_tag_query query;
    am_error err = { 0 };
    if (ami_tag_query_parse(&query, text, names, 3, &err) == AM_OK) {
        for (uint64_t tags = 0; tags < 8; tags++) {
            ami_tag_query_accepts(&query, tags);
        }
    }
    ami_tag_query_parse(&query, text, own, sheet->name_count, &err);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    am_tag_sheet sheet;
    am_error err = { 0 };
    am_result result = am_tag_sheet_read(&sheet, (const char *)data, size, "fuzz.csv", NULL, &err);
    if (result == AM_OK) {
        for (int r = 0; r < sheet.row_count; r++) {
            const am_tag_row *row = &sheet.rows[r];
            if (row->tag < 0 || row->tag >= sheet.name_count || row->first < 0 || !row->clip[0]) {
                abort();
            }
        }
    } else if (err.code != result || !err.text[0]) {
        abort();
    }
    try_query(data, size, &sheet);
    am_tag_sheet_free(&sheet);
    return 0;
}
