/// Compiled rules, shared by their reader and their run.
#ifndef AMI_OPERATORS_FILL_RULES_H
#define AMI_OPERATORS_FILL_RULES_H

#include "base/memory.h"
#include "operators/fill.h"

typedef enum ami_fill_kind {
    AMI_FILL_NOTHING, ///< a part without numbers
    AMI_FILL_VALUE,
    AMI_FILL_SET,
    AMI_FILL_ITEMS,
    AMI_FILL_CHOOSE,
    AMI_FILL_FLAGS, ///< its parts are values at their flags
    AMI_FILL_CELLS
} ami_fill_kind;

/// A number that holders of a part get when it is there: an optional is given, an `or` is at a branch, a set has so
/// many items at least.
typedef struct ami_fill_mark {
    int place;
    float number;
    bool optional, least;
} ami_fill_mark;

/// A body. Places are those of item 0.
typedef struct ami_fill_rule {
    ami_fill_kind kind;
    int node;  ///< what the path names, without optionals and encodes
    int place; ///< of that node's numbers in the value
    const ami_fill_mark *marks;
    int mark_count;
    ami_expr *when;
    int first_local, local_count;
    ami_expr **locals; ///< [local_count]: of the body's variables
    ami_expr *expr;    ///< value, count of items, cell
    const char *text;  ///< of expr
    float noise[3];
    bool noisy;
    int step;                     ///< items: numbers from one to the next
    int slot;                     ///< items and cells: local of `i`, or of `row`, which `column` follows
    int choice;                   ///< choose: its number
    int part;                     ///< in a choose: the branch of the `or`
    struct ami_fill_rule **parts; ///< [part_count]: bodies of parts, items, branches or flags
    int part_count;
} ami_fill_rule;

struct ami_fill {
    am_alloc alloc;
    ami_arena arena;
    const am_control_schema *schema;
    bool strict;
    const ami_fill_rule *root;
    ami_fill_choice *choices; ///< [choice_count]
    int choice_count;
    struct ami_fill_expr *exprs; ///< all expressions, to free them
};

/// The kind of value that a typed part takes.
ami_expr_type ami_fill_type(ami_operator kind);

#endif
