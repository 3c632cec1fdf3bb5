/// Rules that fill a value of a schema from expressions: the "set" of training controls and of runtime controls
/// (docs/operators.md).
///
/// A *body* says what a part is. It is an object with one of
/// - "value": an expression of the part's type, with "noise" in training; a body that has nothing else may be the
///   expression itself;
/// - "set": bodies of parts by path, relative to this part;
/// - "item", with "count" for a set: the body of each item of a set or a fixed array, with the variable `i`;
/// - "choose": bodies of branches of an `or`, by name;
/// - "flags": truth values by name, of a `some of`;
/// - "cell": an expression with the variables `row` and `column`, of a height map;
/// and may have "when", where the part is optional or a set, and variables of its own ("draw" or "let").
#ifndef AMI_OPERATORS_FILL_H
#define AMI_OPERATORS_FILL_H

#include "operators/control.h"

#define AMI_FILL_CHOICES 64  ///< "choose" in one file
#define AMI_FILL_BRANCHES 64 ///< of one "choose"

/// What a file of rules may use, and what its host adds.
typedef struct ami_fill_host {
    ami_expr_scope scope;  ///< functions and lists of names
    const char *variables; ///< key of a body's variables: "draw" or "let"
    /// True: what is missing refuses the whole value, noise is allowed, and the host chooses branches. False: an
    /// optional part that is missing is absent, and the first branch whose "when" is true is chosen.
    bool strict;
    const char *const *keys;        ///< [key_count] keys of its own at the top
    const char *const *branch_keys; ///< [branch_key_count] and in branches
    int key_count, branch_key_count;
    /// Called for every branch of a choice in the order written; NULL: the host does not care.
    am_result (*branch)(void *user, int choice, int branch, const am_json *body, am_error *err);
    void *user;
} ami_fill_host;

/// One "choose".
typedef struct ami_fill_choice {
    int node;         ///< the `or`
    int branch_count; ///< that are written
    int parent;       ///< the choice whose branch holds this one, -1: none
    int parent_branch;
    bool sure; ///< neither a "when" nor an item stands above it within that branch: it is made in every value
    const char *names[AMI_FILL_BRANCHES];
} ami_fill_choice;

/// Rules, compiled. Immutable: any number of threads may run them.
typedef struct ami_fill ami_fill;
/// Compiles the body of the whole schema. Schema and lists of names must outlive it. Errors name the place in the
/// file and the path of the part. Refuses parts that no rule sets and parts that two rules set (AM_ERR_KEY).
am_result ami_fill_read(ami_fill **out, const am_control_schema *schema, const am_json_doc *doc, const am_json *body,
                        const ami_fill_host *host, const am_alloc *alloc, am_error *err);
void ami_fill_destroy(ami_fill *fill);
const ami_fill_choice *ami_fill_choices(const ami_fill *fill, int *count);

/// One run.
typedef struct ami_fill_run {
    void *context; ///< of the host's functions
    /// strict: the branch that is taken, as it was written, or -1 for none.
    int (*choose)(void *context, int choice);
    am_rng *rng; ///< strict: of noise
    int node;    ///< written by the run: the part that is being set, -1 for none
    /// Set where the run failed: the first part that was missing, for messages. Its expression is `missing_text`.
    int missing_node;
    const char *missing_text;
} ami_fill_run;
/// value(value_count). False when something is missing: of a strict one the value is then no use. Allocates nothing.
bool ami_fill_run_rules(const ami_fill *fill, float *value, ami_fill_run *run);

#endif
