// The JSON reader: UTF-8 is checked once up front, then a recursive descent builds linked values in an arena. Line
// and column are counted by a mark that moves along with the values, so that parsing touches most bytes once.
#include "base/json.h"

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"

#include <limits.h>

enum {
    depth_limit = 64,
    few_keys = 16, // up to this many, repeated keys are found by comparing all of them
};

typedef struct parser {
    am_json_doc *doc;
    am_error *err;
    const char *begin;
    const char *at;
    const char *end;
    const char *mark; // line and column are those of this place
    int line, column;
    int depth;
} parser;

static am_result parse_value(parser *p, am_json *value);

// ---------------------------------------------------------------------------------------------
// Places and errors

static void move_mark(parser *p, const char *to)
{
    if (to < p->mark) { // only errors look back
        p->mark = p->begin;
        p->line = 1;
        p->column = 1;
    }
    for (; p->mark < to; p->mark++) {
        if (*p->mark == '\n') {
            p->line++;
            p->column = 1;
        } else if ((*p->mark & 0xC0) != 0x80) { // continuation bytes belong to the character before
            p->column++;
        }
    }
}

static am_result fail(parser *p, const char *where, am_result code, const char *format, ...) AM_PRINTF(4, 5);
static am_result fail(parser *p, const char *where, am_result code, const char *format, ...)
{
    move_mark(p, where);
    va_list args;
    va_start(args, format);
    ami_fail_v(p->err, code, format, args);
    va_end(args);
    if (p->err) {
        p->err->line = p->line;
        p->err->column = p->column;
    }
    ami_error_file(p->err, p->doc->file);
    return code;
}

static am_result fail_memory(parser *p, size_t size)
{
    ami_fail_memory(p->err, size);
    ami_error_file(p->err, p->doc->file);
    return AM_ERR_MEMORY;
}

// "X should follow here, not ...", with the text that is there instead.
static am_result fail_expected(parser *p, const char *what)
{
    if (p->at >= p->end) {
        return fail(p, p->end, AM_ERR_SYNTAX, "the text ends where %s should follow; was the file cut short?", what);
    }
    unsigned char c = (unsigned char)*p->at;
    if (c < 0x20 || c == 0x7F) {
        return fail(p, p->at, AM_ERR_SYNTAX, "%s should follow here, not the control character 0x%02X", what, c);
    }
    int length = ami_utf8_length(p->at, p->end);
    return fail(p, p->at, AM_ERR_SYNTAX, "%s should follow here, not '%.*s'", what, length, p->at);
}

// ---------------------------------------------------------------------------------------------
// Blanks and comments

static am_result skip_comment(parser *p)
{
    const char *start = p->at;
    const char *kind = start + 1;
    if (kind < p->end && *kind == '/') {
        while (p->at < p->end && *p->at != '\n') {
            p->at++;
        }
        return AM_OK;
    }
    if (kind == p->end || *kind != '*') {
        return fail(p, start, AM_ERR_SYNTAX, "a comment begins with // or /*, not with a single /");
    }
    for (p->at += 2; p->end - p->at >= 2; p->at++) {
        if (p->at[0] == '*' && p->at[1] == '/') {
            p->at += 2;
            return AM_OK;
        }
    }
    return fail(p, start, AM_ERR_SYNTAX, "this comment never ends; close it with */");
}

static am_result skip_blanks(parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            p->at++;
        } else if (c == '/') {
            am_result result = skip_comment(p);
            if (result != AM_OK) {
                return result;
            }
        } else {
            break;
        }
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Strings

static bool read_hex4(parser *p, uint32_t *out)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        if (p->at == p->end) {
            return false;
        }
        char c = *p->at++;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit > 15) {
            return false;
        }
        code = code << 4 | digit;
    }
    *out = code;
    return true;
}

// After "\u": one code point, from two escapes when the first is half of a pair.
static am_result read_unicode(parser *p, const char *escape, uint32_t *out)
{
    uint32_t code;
    if (!read_hex4(p, &code)) {
        return fail(p, escape, AM_ERR_SYNTAX, "\\u needs four hexadecimal digits");
    }
    if (code == 0) {
        return fail(p, escape, AM_ERR_SYNTAX, "\\u0000 is not allowed in a string; leave it out");
    }
    if (code >= 0xD800 && code < 0xE000) {
        uint32_t low = 0;
        bool pair = code < 0xDC00 && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u';
        p->at += pair ? 2 : 0;
        if (!pair || !read_hex4(p, &low) || low < 0xDC00 || low > 0xDFFF) {
            return fail(p, escape, AM_ERR_SYNTAX, "\\u%04X is half of a surrogate pair; the other half is missing",
                        (unsigned)code);
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *out = code;
    return AM_OK;
}

static am_result read_escape(parser *p, char **out)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *escape = p->at++;
    if (p->at == p->end) {
        return fail_expected(p, "the rest of the string");
    }
    char c = *p->at++;
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple) {
        *(*out)++ = to[simple - from];
        return AM_OK;
    }
    if (c != 'u') {
        return fail(p, escape, AM_ERR_SYNTAX,
                    "write a backslash as \\\\; otherwise only \" / b f n r t u may follow it");
    }
    uint32_t code = 0;
    am_result result = read_unicode(p, escape, &code);
    if (result == AM_OK) {
        *out += ami_utf8_encode(*out, code);
    }
    return result;
}

// Length of the raw text up to the closing quote, or up to the end when there is none.
static size_t raw_length(const parser *p)
{
    const char *q = p->at;
    while (q < p->end && *q != '"') {
        q += *q == '\\' && p->end - q >= 2 ? 2 : 1;
    }
    return (size_t)(q - p->at);
}

static am_result parse_string(parser *p, const char **out)
{
    const char *quote = p->at++;
    size_t room = raw_length(p) + 1; // no escape decodes to more bytes than it has itself
    char *text = ami_arena_get(&p->doc->arena, room);
    if (!text) {
        return fail_memory(p, room);
    }
    *out = text;
    while (p->at < p->end && *p->at != '"') {
        unsigned char c = (unsigned char)*p->at;
        if (c == '\\') {
            am_result result = read_escape(p, &text);
            if (result != AM_OK) {
                return result;
            }
        } else if (c == '\n' || c == '\r') {
            return fail(p, quote, AM_ERR_SYNTAX, "this string does not end on its line; close it with a quote");
        } else if (c < 0x20) {
            return fail(p, p->at, AM_ERR_SYNTAX, "control character 0x%02X in a string; write it as \\u%04X", c, c);
        } else {
            *text++ = *p->at++;
        }
    }
    if (p->at == p->end) {
        return fail(p, quote, AM_ERR_SYNTAX, "this string never ends; close it with a quote");
    }
    p->at++;
    return AM_OK; // the arena's memory is zeroed, so the text is terminated
}

// ---------------------------------------------------------------------------------------------
// Numbers and words

static const char *skip_digits(const char *q, const char *end)
{
    while (q < end && *q >= '0' && *q <= '9') {
        q++;
    }
    return q;
}

// Where the number at p->at ends by JSON's grammar, which is narrower than the number reader's; NULL when it is not a
// number.
static const char *number_end(const parser *p)
{
    const char *q = p->at;
    q += q < p->end && *q == '-';
    const char *whole = q;
    q = skip_digits(q, p->end);
    if (q == whole || (*whole == '0' && q - whole > 1)) {
        return NULL;
    }
    if (q < p->end && *q == '.') {
        const char *decimals = ++q;
        q = skip_digits(q, p->end);
        if (q == decimals) {
            return NULL;
        }
    }
    if (q < p->end && (*q == 'e' || *q == 'E')) {
        q++;
        q += q < p->end && (*q == '-' || *q == '+');
        const char *exponent = q;
        q = skip_digits(q, p->end);
        if (q == exponent) {
            return NULL;
        }
    }
    return q;
}

static am_result parse_number(parser *p, am_json *value)
{
    const char *start = p->at;
    const char *end = number_end(p);
    if (!end) {
        return fail(p, start, AM_ERR_SYNTAX,
                    "this is not a number; write it like -12.5 or 1e-3, without a leading zero or +");
    }
    value->type = AM_JSON_NUMBER;
    if (!ami_parse_number(&p->at, end, &value->number)) {
        return fail(p, start, AM_ERR_NUMBER, "%.*s is too large for a number",
                    (int)(end - start < 40 ? end - start : 40), start);
    }
    return AM_OK;
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static am_result parse_word(parser *p, am_json *value)
{
    const char *start = p->at;
    const char *q = start;
    while (q < p->end && is_word_character(*q)) {
        q++;
    }
    size_t length = (size_t)(q - start);
    p->at = q;
    if (length == 4 && memcmp(start, "null", 4) == 0) {
        value->type = AM_JSON_NULL;
        return AM_OK;
    }
    value->type = AM_JSON_BOOL;
    if (length == 4 && memcmp(start, "true", 4) == 0) {
        value->boolean = true;
        return AM_OK;
    }
    if (length == 5 && memcmp(start, "false", 5) == 0) {
        return AM_OK;
    }
    p->at = start;
    if (length == 0) {
        return fail_expected(p, "a value");
    }
    return fail(p, start, AM_ERR_SYNTAX, "'%.*s' is not a value; quote it if it is text (or true, false, null)",
                (int)(length < 40 ? length : 40), start);
}

// ---------------------------------------------------------------------------------------------
// Arrays and objects

static am_result fail_repeated(parser *p, const am_json *member)
{
    am_result result =
        fail(p, p->begin, AM_ERR_KEY, "\"%s\" appears twice in this object; remove one of the two", member->key);
    if (p->err) {
        p->err->line = member->key_line;
        p->err->column = member->key_column;
    }
    return result;
}

typedef struct slot {
    const am_json *member;
} slot;

// Finds repeated keys of a large object with a hash table, so that the time does not grow with the square of its
// size.
static am_result check_many_keys(parser *p, const am_json *object)
{
    const am_alloc *alloc = &p->doc->arena.alloc;
    size_t slots = 1;
    while (slots < 2 * (size_t)object->count) {
        slots *= 2;
    }
    slot *table = ami_alloc_array(alloc, slots, sizeof(slot));
    if (!table) {
        return fail_memory(p, slots * sizeof(slot));
    }
    am_result result = AM_OK;
    for (const am_json *m = object->first; m && result == AM_OK; m = m->next) {
        size_t at = (size_t)am_hash64(m->key, strlen(m->key), 0) & (slots - 1);
        while (table[at].member && strcmp(table[at].member->key, m->key) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (table[at].member) {
            result = fail_repeated(p, m);
        }
        table[at].member = m;
    }
    ami_release(alloc, table, slots * sizeof(slot));
    return result;
}

static am_result parse_key(parser *p, const am_json *object, am_json *member)
{
    if (p->at == p->end || *p->at != '"') {
        return fail_expected(p, "a key in quotes or }");
    }
    move_mark(p, p->at);
    member->key_line = p->line;
    member->key_column = p->column;
    am_result result = parse_string(p, &member->key);
    if (result != AM_OK) {
        return result;
    }
    if (object->count < few_keys && am_json_get(object, member->key)) {
        return fail_repeated(p, member);
    }
    result = skip_blanks(p);
    if (result != AM_OK) {
        return result;
    }
    if (p->at == p->end || *p->at != ':') {
        return fail_expected(p, "a colon");
    }
    p->at++;
    return skip_blanks(p);
}

// The items of an array or object up to its closing bracket; p->at is after the opening one.
static am_result parse_items(parser *p, am_json *parent, char close)
{
    const am_json **link = &parent->first;
    for (;;) {
        am_result result = skip_blanks(p);
        if (result != AM_OK) {
            return result;
        }
        if (p->at < p->end && *p->at == close) {
            p->at++;
            return AM_OK;
        }
        am_json *item = ami_arena_get(&p->doc->arena, sizeof *item);
        if (!item) {
            return fail_memory(p, sizeof *item);
        }
        if (parent->type == AM_JSON_OBJECT) {
            result = parse_key(p, parent, item);
        }
        result = result == AM_OK ? parse_value(p, item) : result;
        result = result == AM_OK ? skip_blanks(p) : result;
        if (result != AM_OK) {
            return result;
        }
        *link = item;
        link = &item->next;
        parent->count++;
        if (p->at < p->end && *p->at == ',') {
            p->at++;
        } else if (p->at == p->end || *p->at != close) {
            return fail_expected(p, close == ']' ? "a comma or ]" : "a comma or }");
        }
    }
}

static am_result parse_container(parser *p, am_json *value, am_json_type type)
{
    if (p->depth == depth_limit) {
        return fail(p, p->at, AM_ERR_LIMIT, "nested deeper than %d; make it flatter", depth_limit);
    }
    p->depth++;
    p->at++;
    value->type = type;
    am_result result = parse_items(p, value, type == AM_JSON_OBJECT ? '}' : ']');
    p->depth--;
    if (result == AM_OK && type == AM_JSON_OBJECT && value->count > few_keys) {
        result = check_many_keys(p, value);
    }
    return result;
}

static am_result parse_value(parser *p, am_json *value)
{
    if (p->at == p->end) {
        return fail_expected(p, "a value");
    }
    move_mark(p, p->at);
    value->line = p->line;
    value->column = p->column;
    char c = *p->at;
    switch (c) {
    case '{':
        return parse_container(p, value, AM_JSON_OBJECT);
    case '[':
        return parse_container(p, value, AM_JSON_ARRAY);
    case '"':
        value->type = AM_JSON_STRING;
        return parse_string(p, &value->string);
    default:
        break;
    }
    bool number = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
    return number ? parse_number(p, value) : parse_word(p, value);
}

static am_result parse_document(parser *p)
{
    if (p->end - p->at > INT_MAX) {
        return fail(p, p->begin, AM_ERR_LIMIT, "longer than 2 GB; split it");
    }
    const char *bad = ami_utf8_check(p->at, p->end);
    if (bad != p->end) {
        return fail(p, bad, AM_ERR_SYNTAX, "byte 0x%02X is not UTF-8; save the file as UTF-8", (unsigned char)*bad);
    }
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) { // byte order mark
        p->at += 3;
        p->begin = p->mark = p->at;
    }
    am_json *root = ami_arena_get(&p->doc->arena, sizeof *root);
    if (!root) {
        return fail_memory(p, sizeof *root);
    }
    p->doc->root = root;
    am_result result = skip_blanks(p);
    result = result == AM_OK ? parse_value(p, root) : result;
    result = result == AM_OK ? skip_blanks(p) : result;
    if (result == AM_OK && p->at != p->end) {
        return fail(p, p->at, AM_ERR_SYNTAX, "the document ends before this; remove the rest");
    }
    return result;
}

am_result am_json_parse(am_json_doc **out, const char *text, size_t size, const char *file, const am_alloc *alloc,
                        am_error *err)
{
    *out = NULL;
    ami_arena arena = ami_arena_make(alloc);
    am_json_doc *doc = ami_arena_get(&arena, sizeof *doc);
    if (!doc) {
        ami_fail_memory(err, sizeof *doc);
        ami_error_file(err, file);
        return AM_ERR_MEMORY;
    }
    doc->arena = arena;
    doc->file = file ? ami_arena_text(&doc->arena, file, strlen(file)) : NULL;
    parser p = {
        .doc = doc, .err = err, .begin = text, .at = text, .end = text + size, .mark = text, .line = 1, .column = 1
    };
    am_result result = file && !doc->file ? fail_memory(&p, strlen(file)) : parse_document(&p);
    if (result != AM_OK) {
        am_json_free(doc);
        return result;
    }
    *out = doc;
    return AM_OK;
}

am_result am_json_parse_file(am_json_doc **out, const char *path, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_file file;
    am_result result = am_file_open(&file, path, err);
    if (result != AM_OK) {
        return result;
    }
    result = am_json_parse(out, (const char *)file.data, file.size, path, alloc, err);
    am_file_close(&file);
    return result;
}

void am_json_free(am_json_doc *doc)
{
    if (doc) {
        ami_arena arena = doc->arena; // the struct itself lies in it
        ami_arena_free(&arena);
    }
}

const am_json *am_json_root(const am_json_doc *doc) { return doc->root; }
