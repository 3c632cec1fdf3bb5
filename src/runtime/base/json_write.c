// The JSON writer: text grows in one buffer, terminated after every call. With an indent, objects and arrays of
// containers break lines while arrays of plain values stay on one ([1, 2, 3] reads better than three lines).
#include "base/assert.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#include <amble/tools/json.h>

#include <stdio.h>

enum { depth_limit = 64 };

// An open array or object.
typedef struct level {
    bool object;
    bool any;    // it has an item already
    bool broken; // its items stand on lines of their own
} level;

struct am_json_writer {
    am_alloc alloc;
    am_bytes text;
    int indent;
    int depth;
    bool failed;
    level levels[depth_limit];
};

am_result am_json_writer_create(am_json_writer **out, int indent, const am_alloc *alloc, am_error *err)
{
    am_alloc from = ami_alloc_or_default(alloc);
    am_json_writer *writer = *out = ami_alloc_zero(&from, sizeof *writer);
    if (!writer) {
        return ami_fail_memory(err, sizeof *writer);
    }
    writer->alloc = from;
    writer->text = ami_bytes_make(&from);
    writer->indent = indent;
    return AM_OK;
}

void am_json_writer_destroy(am_json_writer *writer)
{
    if (writer) {
        am_bytes_free(&writer->text);
        am_alloc alloc = writer->alloc;
        ami_release(&alloc, writer, sizeof *writer);
    }
}

static void put(am_json_writer *writer, const char *text, size_t size)
{
    writer->failed = writer->failed || !ami_put(&writer->text, text, size);
}

static void put_text(am_json_writer *writer, const char *text) { put(writer, text, strlen(text)); }

// Ends every public call: the terminator is there but not counted.
static void terminate(am_json_writer *writer)
{
    put(writer, "", 1);
    writer->text.size -= !writer->failed;
}

static void break_line(am_json_writer *writer)
{
    put_text(writer, "\n");
    for (int i = 0; i < writer->depth * writer->indent; i++) {
        put_text(writer, " ");
    }
}

static void put_escape(am_json_writer *writer, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *simple = c ? strchr(from, c) : NULL;
    char text[8] = { '\\' };
    if (simple) {
        text[1] = to[simple - from];
    } else {
        static const char hex[] = "0123456789abcdef";
        text[1] = 'u';
        text[2] = text[3] = '0';
        text[4] = hex[c >> 4];
        text[5] = hex[c & 15];
    }
    put_text(writer, text);
}

static void put_quoted(am_json_writer *writer, const char *text)
{
    const char *end = text + strlen(text);
    put_text(writer, "\"");
    while (text < end) {
        unsigned char c = (unsigned char)*text;
        int length = ami_utf8_length(text, end);
        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F) {
            put_escape(writer, c);
        } else if (length == 0) {
            put_text(writer, "\xEF\xBF\xBD"); // U+FFFD, the replacement character
        } else {
            put(writer, text, (size_t)length);
        }
        text += length ? length : 1;
    }
    put_text(writer, "\"");
}

// Without memory, for the writer itself too, levels are no longer followed.
static bool is_failed(const am_json_writer *writer) { return !writer || writer->failed; }

// What comes before an item: comma, line break, key. False when nothing may follow.
static bool begin_item(am_json_writer *writer, const char *key, bool container)
{
    if (is_failed(writer)) {
        return false;
    }
    if (writer->depth > 0) {
        level *in = &writer->levels[writer->depth - 1];
        AM_ASSERT(in->object == (key != NULL));
        in->broken = in->broken || (writer->indent > 0 && (in->object || container));
        if (in->any) {
            put_text(writer, ",");
        }
        if (in->broken) {
            break_line(writer);
        } else if (in->any && writer->indent > 0) {
            put_text(writer, " ");
        }
        in->any = true;
    } else {
        AM_ASSERT(key == NULL && writer->text.size == 0);
    }
    if (key) {
        put_quoted(writer, key);
        put_text(writer, writer->indent > 0 ? ": " : ":");
    }
    return true;
}

static void open_level(am_json_writer *writer, const char *key, bool object)
{
    if (!is_failed(writer) && writer->depth == depth_limit) {
        writer->failed = true;
    }
    if (!begin_item(writer, key, true)) {
        return;
    }
    level fresh = { .object = object };
    writer->levels[writer->depth++] = fresh;
    put_text(writer, object ? "{" : "[");
    terminate(writer);
}

static void close_level(am_json_writer *writer, bool object)
{
    if (is_failed(writer)) {
        return;
    }
    AM_ASSERT(writer->depth > 0 && writer->levels[writer->depth - 1].object == object);
    if (writer->depth == 0) {
        writer->failed = true;
        return;
    }
    writer->depth--;
    if (writer->levels[writer->depth].broken) {
        break_line(writer);
    }
    put_text(writer, object ? "}" : "]");
    terminate(writer);
}

void am_json_begin_object(am_json_writer *writer, const char *key) { open_level(writer, key, true); }
void am_json_end_object(am_json_writer *writer) { close_level(writer, true); }
void am_json_begin_array(am_json_writer *writer, const char *key) { open_level(writer, key, false); }
void am_json_end_array(am_json_writer *writer) { close_level(writer, false); }

void am_json_string(am_json_writer *writer, const char *key, const char *value)
{
    if (!begin_item(writer, key, false)) {
        return;
    }
    if (value) {
        put_quoted(writer, value);
    } else {
        put_text(writer, "null");
    }
    terminate(writer);
}

void am_json_number(am_json_writer *writer, const char *key, double value)
{
    if (!begin_item(writer, key, false)) {
        return;
    }
    bool finite = value - value == 0.0;
    bool whole =
        finite && value > -9007199254740992.0 && value < 9007199254740992.0 && value == (double)(int64_t)value;
    if (!finite) {
        put_text(writer, "null");
    } else if (whole || (double)(float)value != value) {
        writer->failed = writer->failed || !ami_put_double(&writer->text, value);
    } else {
        writer->failed = writer->failed || !ami_put_float(&writer->text, (float)value);
    }
    terminate(writer);
}

void am_json_integer(am_json_writer *writer, const char *key, int64_t value)
{
    if (!begin_item(writer, key, false)) {
        return;
    }
    writer->failed = writer->failed || !ami_put_integer(&writer->text, value);
    terminate(writer);
}

void am_json_bool(am_json_writer *writer, const char *key, bool value)
{
    if (!begin_item(writer, key, false)) {
        return;
    }
    put_text(writer, value ? "true" : "false");
    terminate(writer);
}

void am_json_null(am_json_writer *writer, const char *key)
{
    if (!begin_item(writer, key, false)) {
        return;
    }
    put_text(writer, "null");
    terminate(writer);
}

const char *am_json_text(const am_json_writer *writer, size_t *size)
{
    if (is_failed(writer) || !writer->text.data) {
        return NULL;
    }
    if (size) {
        *size = writer->text.size;
    }
    return (const char *)writer->text.data;
}

void am_json_hash(am_json_writer *writer, const char *key, uint64_t hash)
{
    char text[24] = "";
    if (hash) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    }
    am_json_string(writer, key, text);
}
