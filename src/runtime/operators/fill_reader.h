/// What the files that read rules share.
#ifndef AMI_OPERATORS_FILL_READER_H
#define AMI_OPERATORS_FILL_READER_H

#include "operators/fill_rules.h"

#define AMI_FILL_PATH 256    ///< bytes of a path
#define AMI_FILL_CLAIMS 2048 ///< parts that a file may set

/// An expression that is to be freed with the rules.
typedef struct ami_fill_expr {
    ami_expr *expr;
    struct ami_fill_expr *next;
} ami_fill_expr;

/// A part that a rule sets; the same node at another place is another item.
typedef struct ami_fill_claimed {
    int node, place;
} ami_fill_claimed;

/// Rules while they are read.
typedef struct ami_fill_reader {
    ami_fill *fill;
    const am_control_schema *schema;
    const am_json_doc *doc;
    const ami_fill_host *host;
    am_error *err;
    const char *locals[AMI_EXPR_LOCALS];
    ami_expr_type local_types[AMI_EXPR_LOCALS];
    int local_count;
    ami_expr_names names;     ///< of every `one of` of the schema
    ami_fill_claimed *claims; ///< [AMI_FILL_CLAIMS]
    int claim_count;
    int choice, branch; ///< that hold what is read
    bool sure;
} ami_fill_reader;

static inline const ami_control_node *ami_fill_node(const ami_fill_reader *r, int node)
{
    return &r->schema->nodes[node];
}
/// Room in the rules' arena, or NULL.
void *ami_fill_get(const ami_fill_reader *r, size_t count, size_t size);
/// Fails at `at` with "PATH OF THE NODE: ...".
am_result ami_fill_fail(const ami_fill_reader *r, const am_json *at, am_result code, int node, const char *format,
                        ...) AM_PRINTF(5, 6);

/// Compiles the expression at `json` for a part of `node`; `free` are the names that may stand alone in it, or NULL.
/// *text is its copy in the arena.
am_result ami_fill_compile_as(ami_fill_reader *r, ami_expr **out, const char **text, const am_json *json, int node,
                              ami_expr_type type, const ami_expr_names *free);
/// A variable from here on.
am_result ami_fill_push(ami_fill_reader *r, const char *name, ami_expr_type type, const am_json *at, int node);
/// The variables of a body.
am_result ami_fill_variables(ami_fill_reader *r, ami_fill_rule *rule, const am_json *variables);

/// A rule sets this part. Refuses the second one.
am_result ami_fill_claim(ami_fill_reader *r, const am_json *at, int node, int place);
/// Every part of a node that is always there must be set.
am_result ami_fill_check_covered(const ami_fill_reader *r, const am_json *at, int node);

#endif
