/// A reader of JSON with comments (// and /* */) and trailing commas, and a writer. Errors name line, column and, for
/// a misspelt key, the nearest known one. The code is in src/runtime/base.
#ifndef AMBLE_TOOLS_JSON_H
#define AMBLE_TOOLS_JSON_H

#include <amble/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_json_type {
    AM_JSON_NULL,
    AM_JSON_BOOL,
    AM_JSON_NUMBER,
    AM_JSON_STRING,
    AM_JSON_ARRAY,
    AM_JSON_OBJECT
} am_json_type;

/// One value of a parsed document; lives as long as the document.
typedef struct am_json {
    am_json_type type;
    int line, column;         ///< where it begins, 1-based
    const char *key;          ///< in an object: its key, else NULL
    int key_line, key_column; ///< where the key begins; 0 when there is none
    bool boolean;
    double number;
    const char *string;          ///< terminated UTF-8
    int count;                   ///< items of an array or object
    const struct am_json *first; ///< first item
    const struct am_json *next;  ///< next item of the same parent
} am_json;

typedef struct am_json_doc am_json_doc;

/// Parses `size` bytes of UTF-8. `file` is the name for errors (copied; NULL means none). Depth is limited to 64
/// (AM_ERR_LIMIT); a key given twice is AM_ERR_KEY, a number beyond a double AM_ERR_NUMBER, all else AM_ERR_SYNTAX.
/// Columns count characters, not bytes.
AM_API am_result am_json_parse(am_json_doc **out, const char *text, size_t size, const char *file,
                               const am_alloc *alloc, am_error *err);
AM_API am_result am_json_parse_file(am_json_doc **out, const char *path, const am_alloc *alloc, am_error *err);
AM_API void am_json_free(am_json_doc *doc);
AM_API const am_json *am_json_root(const am_json_doc *doc);

/// The member called `key`, or NULL.
AM_API const am_json *am_json_get(const am_json *object, const char *key);
/// Refuses members that are not among keys[count], naming the nearest known one (AM_ERR_KEY), and values
/// that are not objects (AM_ERR_TYPE).
AM_API am_result am_json_only(const am_json_doc *doc, const am_json *object, const char *const *keys, int count,
                              am_error *err);

// Readers of members. A missing key leaves *out as it is (so set the default first) unless `required`;
// a wrong type or a value outside [lo, hi] is an error that names key, line and column.
AM_API am_result am_json_read_bool(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                   bool *out, am_error *err);
AM_API am_result am_json_read_int(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                  int *out, int lo, int hi, am_error *err);
AM_API am_result am_json_read_float(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                    float *out, float lo, float hi, am_error *err);
AM_API am_result am_json_read_string(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                     const char **out, am_error *err);
/// A string that must be one of names[count]; gives its index. The error names the nearest.
AM_API am_result am_json_read_choice(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                     int *out, const char *const *names, int count, am_error *err);
/// An array of at most `capacity` numbers.
AM_API am_result am_json_read_floats(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                                     float *out, int capacity, int *count, am_error *err);
/// Fails at `value` with the caller's message; fills in file, line and column.
AM_API am_result am_json_fail(const am_json_doc *doc, const am_json *value, am_result code, am_error *err,
                              const char *format, ...) AM_PRINTF(5, 6);

/// The one of names[count] nearest to `word` by edit distance, or NULL when none is near.
AM_API const char *am_nearest_name(const char *word, const char *const *names, int count);

/// Writes JSON text. After a failed allocation, its own included (NULL), it stays failed and am_json_text returns
/// NULL: a caller need not look before the end. It adds commas, quotes and (with indent > 0) line breaks. Whole
/// numbers below 2^53 print exactly; of the others, a value that is a float prints as the shortest text that reads
/// back as that float, else as that double. A number that is not finite prints as null; bytes of a string that are
/// not UTF-8 as U+FFFD.
typedef struct am_json_writer am_json_writer;
AM_API am_result am_json_writer_create(am_json_writer **out, int indent, const am_alloc *alloc, am_error *err);
AM_API void am_json_writer_destroy(am_json_writer *writer);
AM_API void am_json_begin_object(am_json_writer *writer, const char *key); ///< key NULL inside arrays and at the top
AM_API void am_json_end_object(am_json_writer *writer);
AM_API void am_json_begin_array(am_json_writer *writer, const char *key);
AM_API void am_json_end_array(am_json_writer *writer);
AM_API void am_json_string(am_json_writer *writer, const char *key, const char *value);
/// 64 bits as hexadecimal text, since JSON numbers do not hold them; "" for 0, which means unknown.
AM_API void am_json_hash(am_json_writer *writer, const char *key, uint64_t hash);
AM_API void am_json_number(am_json_writer *writer, const char *key, double value);
AM_API void am_json_integer(am_json_writer *writer, const char *key, int64_t value);
AM_API void am_json_bool(am_json_writer *writer, const char *key, bool value);
AM_API void am_json_null(am_json_writer *writer, const char *key);
/// The text so far (terminated), or NULL after a failed allocation.
AM_API const char *am_json_text(const am_json_writer *writer, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
