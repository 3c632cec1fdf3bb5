/// An expression while it is compiled: its text, its tokens, and the program so far.
#ifndef AMI_OPERATORS_EXPR_READER_H
#define AMI_OPERATORS_EXPR_READER_H

#include "operators/expr_program.h"

#define AMI_EXPR_VALUES 64 ///< numbers and names in a program

typedef struct ami_expr_reader {
    const char *text;
    size_t at;
    const ami_expr_scope *scope;
    am_error *err;
    int nesting;
    int depth, most_depth; ///< of the stack at run time
    int op_count, value_count;
    bool draws;
    ami_expr_op ops[AMI_EXPR_OPS];
    ami_expr_value values[AMI_EXPR_VALUES];
} ami_expr_reader;

typedef struct ami_expr_word {
    const char *text;
    size_t at, size;
} ami_expr_word;

static inline bool ami_expr_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool ami_expr_is_digit(char c) { return c >= '0' && c <= '9'; }

/// Fails at a character of the text.
am_result ami_expr_fail(const ami_expr_reader *p, size_t at, am_result code, const char *format, ...) AM_PRINTF(4, 5);
/// "nothing is called 'psition' here; did you mean 'position'?"
am_result ami_expr_fail_unknown(const ami_expr_reader *p, const ami_expr_word *w, const char *what,
                                const char *const *names, int count);

/// The next character that is no space; 0 at the end.
char ami_expr_peek(ami_expr_reader *p);
/// The next word, of size 0 when there is none.
ami_expr_word ami_expr_peek_word(ami_expr_reader *p);
bool ami_expr_is_word(const ami_expr_word *w, const char *text);
bool ami_expr_take_word(ami_expr_reader *p, const char *text);
bool ami_expr_take_mark(ami_expr_reader *p, char mark);
/// 'text' or "text".
am_result ami_expr_take_quoted(ami_expr_reader *p, ami_expr_word *out, bool *found);

/// Adds an operation that takes `pops` values and gives one.
am_result ami_expr_emit(ami_expr_reader *p, ami_expr_op op, int pops);
am_result ami_expr_emit_code(ami_expr_reader *p, ami_expr_op_code code, int pops);
am_result ami_expr_emit_value(ami_expr_reader *p, ami_expr_value value);

/// A whole expression, up to what cannot belong to it.
am_result ami_expr_parse(ami_expr_reader *p, ami_expr_type *type);
/// What begins with a word: a variable, a function, true, if, ...
am_result ami_expr_parse_word(ami_expr_reader *p, ami_expr_type *type);
/// A name in quotes that stands alone: one of the scope's free ones, or of any list.
am_result ami_expr_parse_free(ami_expr_reader *p, const ami_expr_word *w);

#endif
