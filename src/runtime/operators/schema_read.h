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

// What readers share (schema_tools.c)

/// Fails at `at` with "PATH OF THE NODE: ...".
am_result ami_control_fail(const ami_control_reader *r, int node, const am_json *at, am_result code,
                           const char *format, ...) AM_PRINTF(5, 6);
/// Puts the node's path in front of the message that a typed reader of JSON has made when it failed.
am_result ami_control_placed(const ami_control_reader *r, int node, am_result result);
/// Reports a failure and goes on, where all mistakes are wanted; else gives it back.
am_result ami_control_tolerate(ami_control_reader *r, am_result result);
/// Fails at a member's key (AM_ERR_KEY).
am_result ami_control_fail_key(const ami_control_reader *r, int node, const am_json *member, const char *text);
/// What stands there, for "got ...": written to text(size).
const char *ami_control_got(char *text, size_t size, const am_json *at);
/// Room for the parts of a node, one after another.
am_result ami_control_add_parts(ami_control_reader *r, int node, int count, const am_json *at);
/// A copy that lives as long as the schema.
am_result ami_control_keep_text(ami_control_reader *r, const char **out, const char *text);
am_result ami_control_read_int(ami_control_reader *r, int node, const am_json *object, const char *key, bool required,
                               int *out, int lo, int hi);
am_result ami_control_read_activation(ami_control_reader *r, int node, const am_json *object);

// Readers of operators without parts (schema_typed.c): `parameters` is what the word's key holds, NULL for a bare
// word; `object` is the whole.
typedef am_result ami_control_reading(ami_control_reader *r, int node, const am_json *parameters,
                                      const am_json *object);
ami_control_reading ami_control_read_plain, ami_control_read_spatial, ami_control_read_number, ami_control_read_index,
    ami_control_read_choices, ami_control_read_height_map, ami_control_read_transform, ami_control_read_prop,
    ami_control_read_character;

/// Reads the operator at `at` into nodes[node], its parts behind all others, and measures it. `parent` is the word
/// that expects it.
am_result ami_control_read_operator(ami_control_reader *r, int node, const am_json *at, const char *parent);
/// The sizes of a node whose parts have theirs.
am_result ami_control_measure(const ami_control_reader *r, int node, const am_json *at);

#endif
