/// What the files that read a schema share.
#ifndef AMI_OPERATORS_SCHEMA_READ_H
#define AMI_OPERATORS_SCHEMA_READ_H

#include "base/memory.h"
#include "operators/control.h"

/// The memory of a schema, which lies in it too.
struct am_control_schema_own {
    ami_arena arena;
};

/// A schema while it is read.
typedef struct ami_control_reader {
    const am_json_doc *doc;
    am_control_schema *schema; ///< its nodes have room for AMI_CONTROL_MOST_NODES
    ami_arena *arena;
    am_error *err;
    ami_control_report report; ///< NULL: the first mistake ends the reading
    void *user;
    int mistakes;
} ami_control_reader;

/// Reports a failure and goes on, where all mistakes are wanted; else gives it back.
am_result ami_control_tolerate(ami_control_reader *r, am_result result);

/// Fails at `at` with "PATH OF THE NODE: ...".
am_result ami_control_fail(const ami_control_reader *r, int node, const am_json *at, am_result code,
                           const char *format, ...) AM_PRINTF(5, 6);
/// Puts the node's path in front of the message that a typed reader of JSON has made when it failed.
am_result ami_control_placed(const ami_control_reader *r, int node, am_result result);
/// Reads the operator at `at` into nodes[node], its parts behind all others, and measures it. `parent` is the word
/// that expects it.
am_result ami_control_read_operator(ami_control_reader *r, int node, const am_json *at, const char *parent);
/// The sizes of a node whose parts have theirs.
am_result ami_control_measure(const ami_control_reader *r, int node, const am_json *at);

#endif
