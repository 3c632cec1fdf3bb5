// Tag queries: `and or not ( )` over tag names, compiled to postfix by recursive descent.
#include <amble/tools/json.h>

#include "base/error.h"
#include "data/tags.h"

#include <string.h>

static const char *const auto_tags[AM_AUTO_TAG_COUNT] = { "idle", "walk", "run", "creep", "jump", "turn", "windup" };

const char *ami_auto_tag_name(am_auto_tag tag)
{
    return (int)tag >= 0 && tag < AM_AUTO_TAG_COUNT ? auto_tags[tag] : "none";
}

enum { OP_AND = 64, OP_OR = 65, OP_NOT = 66, OP_TRUE = 67 };

// The deepest nesting; it bounds the recursion and the evaluation stack.
#define MAX_DEPTH 32

typedef struct parser {
    const char *text;
    size_t at;
    const char *const *names;
    int count;
    int depth;
    ami_tag_query *out;
    am_error *err;
} parser;

static void skip_space(parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' || p->text[p->at] == '\r') {
        p->at++;
    }
}

/// Length of the next word, 0 when there is none.
static size_t word_size(parser *p)
{
    skip_space(p);
    return strcspn(p->text + p->at, " \t\r\n()");
}

static bool take_word(parser *p, const char *word)
{
    size_t size = word_size(p);
    if (size != strlen(word) || memcmp(p->text + p->at, word, size) != 0) {
        return false;
    }
    p->at += size;
    return true;
}

static bool take_mark(parser *p, char mark)
{
    skip_space(p);
    if (p->text[p->at] != mark) {
        return false;
    }
    p->at++;
    return true;
}

static am_result fail(const parser *p, am_result code, const char *what)
{
    return ami_fail_line(p->err, code, NULL, 0, (int64_t)p->at + 1, "tag query '%.200s': %s at character %d", p->text,
                         what, (int)p->at + 1);
}

static am_result emit(parser *p, int op)
{
    if (p->out->op_count == AMI_TAG_OPS) {
        return fail(p, AM_ERR_LIMIT, "too long");
    }
    p->out->ops[p->out->op_count++] = (uint8_t)op;
    return AM_OK;
}

static am_result parse_or(parser *p);

static am_result unknown_tag(const parser *p, size_t size)
{
    char word[64];
    size = size < sizeof word ? size : sizeof word - 1;
    memcpy(word, p->text + p->at, size);
    word[size] = '\0';
    const char *near = am_nearest_name(word, p->names, p->count);
    return ami_fail_line(p->err, AM_ERR_KEY, NULL, 0, (int64_t)p->at + 1,
                         "no tag is called '%s'%s%s%s; amble info lists a database's tags", word,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static am_result parse_word(parser *p)
{
    size_t size = word_size(p);
    if (size == 0) {
        return fail(p, AM_ERR_SYNTAX, p->text[p->at] ? "a tag is missing" : "it ends where a tag is expected");
    }
    for (int t = 0; t < p->count; t++) {
        if (strlen(p->names[t]) == size && memcmp(p->names[t], p->text + p->at, size) == 0) {
            p->at += size;
            return emit(p, t);
        }
    }
    bool operator_word =
        (size == 3 && memcmp(p->text + p->at, "and", 3) == 0) || (size == 2 && memcmp(p->text + p->at, "or", 2) == 0);
    return operator_word ? fail(p, AM_ERR_SYNTAX, "a tag is missing") : unknown_tag(p, size);
}

static am_result parse_not(parser *p)
{
    if (++p->depth > MAX_DEPTH) {
        return fail(p, AM_ERR_LIMIT, "nested too deeply");
    }
    am_result result;
    if (take_word(p, "not")) {
        result = parse_not(p);
        result = result == AM_OK ? emit(p, OP_NOT) : result;
    } else if (take_mark(p, '(')) {
        result = parse_or(p);
        if (result == AM_OK && !take_mark(p, ')')) {
            result = fail(p, AM_ERR_SYNTAX, "a ')' is missing");
        }
    } else {
        result = parse_word(p);
    }
    p->depth--;
    return result;
}

static am_result parse_and(parser *p)
{
    am_result result = parse_not(p);
    while (result == AM_OK && take_word(p, "and")) {
        result = parse_not(p);
        result = result == AM_OK ? emit(p, OP_AND) : result;
    }
    return result;
}

static am_result parse_or(parser *p)
{
    am_result result = parse_and(p);
    while (result == AM_OK && take_word(p, "or")) {
        result = parse_and(p);
        result = result == AM_OK ? emit(p, OP_OR) : result;
    }
    return result;
}

am_result ami_tag_query_parse(ami_tag_query *out, const char *text, const char *const *names, int count,
                              am_error *err)
{
    memset(out, 0, sizeof *out);
    parser p = { text, 0, names, count < AM_MAX_TAGS ? count : AM_MAX_TAGS, 0, out, err };
    skip_space(&p);
    am_result result = text[p.at] ? parse_or(&p) : emit(&p, OP_TRUE);
    skip_space(&p);
    if (result == AM_OK && text[p.at]) {
        result = fail(&p, AM_ERR_SYNTAX, "'and' or 'or' is missing");
    }
    if (result != AM_OK) {
        memset(out, 0, sizeof *out);
    }
    return result;
}

bool ami_tag_query_accepts(const ami_tag_query *query, uint64_t tags)
{
    bool stack[AMI_TAG_OPS + 1] = { false };
    int top = 0; // a parsed query never takes more than it pushed
    for (int i = 0; i < query->op_count; i++) {
        int op = query->ops[i];
        if (op == OP_NOT) {
            stack[top] = !stack[top];
        } else if (op == OP_AND || op == OP_OR) {
            bool b = stack[top--];
            stack[top] = op == OP_AND ? stack[top] && b : stack[top] || b;
        } else {
            stack[++top] = op == OP_TRUE || ((tags >> op) & 1u);
        }
    }
    return query->op_count == 0 || stack[top];
}
