/// The base of every part of Amble: results and errors, allocation, hashing, random streams, tasks and progress.
/// Nothing here knows about motion.
///
/// Conventions of the whole library: SI units (metres, seconds, radians), y up, right-handed, +z forward, +x the
/// character's left, quaternions as x y z w. There are no global variables.
///
/// A def (am_x_def) says how something is made. Begin it with its init function, change what you need, pass it to the
/// create function. What a def borrows must outlive the thing made from it; everything else is copied. Wherever a
/// function takes an `alloc`, NULL means malloc and free; wherever it takes an `err`, NULL means that the error is
/// not reported.
#ifndef AMBLE_BASE_H
#define AMBLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(AMI_BUILD)
#define AM_API __declspec(dllexport)
#elif defined(_WIN32)
#define AM_API
#elif defined(__GNUC__)
#define AM_API __attribute__((visibility("default")))
#else
#define AM_API
#endif

#if defined(__MINGW32__) // without this it means the formats of Microsoft's library
#define AM_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#elif defined(__GNUC__)
#define AM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define AM_PRINTF(fmt, args)
#endif

/// Written into every def by its init function; a create function refuses a def without it.
#define AM_COOKIE 0x414D424Cu

/// Why a call failed. Each item has one meaning, so that a test can assert which error was raised.
typedef enum am_result {
    AM_OK = 0,
    AM_ERR_MEMORY,    ///< the allocator returned no memory
    AM_ERR_LIMIT,     ///< a stated limit (bytes, counts, depth) would be exceeded
    AM_ERR_DEF,       ///< a def was not begun with its init function, or holds a value out of range
    AM_ERR_OPEN,      ///< a file cannot be opened
    AM_ERR_READ,      ///< a file opened but cannot be read
    AM_ERR_WRITE,     ///< a file cannot be written or renamed into place
    AM_ERR_TRUNCATED, ///< the bytes end too early for the format
    AM_ERR_FORMAT,    ///< the bytes are not what the format allows
    AM_ERR_VERSION,   ///< a newer version than this build reads
    AM_ERR_CHECKSUM,  ///< a body does not match its checksum
    AM_ERR_SYNTAX,    ///< JSON or text that cannot be parsed
    AM_ERR_KEY,       ///< an unknown, missing or repeated key
    AM_ERR_TYPE,      ///< a value of the wrong type
    AM_ERR_RANGE,     ///< a value outside its allowed range
    AM_ERR_NUMBER,    ///< a number that is not finite
    AM_ERR_SKELETON,  ///< a hierarchy that is not a tree, or two skeletons that do not fit together
    AM_ERR_ROLE,      ///< a joint that is needed (hips, a foot, ...) was not found
    AM_ERR_EMPTY,     ///< nothing to work on: no frames, no clips, no joints
    AM_ERR_SUPPORT,   ///< well-formed, but a feature of the format that Amble does not read
    AM_ERR_CHILD,     ///< a helper process could not run, crashed or took too long
    AM_ERR_CANCELLED, ///< the progress hook asked to stop
    AM_ERR_COUNT
} am_result;

/// The name of a result in lower-case words, for example "truncated". Never NULL.
AM_API const char *am_result_name(am_result code);

/// What went wrong, where, and what to do. Owned by the caller, who begins with { 0 }; written only on failure.
typedef struct am_error {
    am_result code;
    int64_t line;   ///< 1-based, 0 when it does not apply
    int64_t column; ///< 1-based, 0 when it does not apply
    int64_t offset; ///< byte offset, -1 when it does not apply
    char file[256]; ///< empty when there is none
    char text[512]; ///< what is wrong; what to do
} am_error;

/// Writes "FILE:LINE:COLUMN: text" (or "FILE: at byte N: text") to out(size), cut to fit and always terminated.
AM_API void am_error_format(const am_error *err, char *out, size_t size);

// ---------------------------------------------------------------------------------------------
// Allocation

/// Where memory comes from. `alloc` returns NULL when there is none; `align` is a power of two, at most 64. `release`
/// receives the size that was requested. Both must be thread-safe where tasks run on several threads.
typedef struct am_alloc {
    void *user;
    void *(*alloc)(void *user, size_t size, size_t align);
    void (*release)(void *user, void *block, size_t size);
} am_alloc;

// ---------------------------------------------------------------------------------------------
// Hash and random streams

/// The 64-bit hash (XXH64) of data(size). The same on every machine.
AM_API uint64_t am_hash64(const void *data, size_t size, uint64_t seed);

/// A random stream: small, copyable, the same numbers on every machine.
typedef struct am_rng {
    uint64_t state[2];
} am_rng;

/// Begins the stream of a seed. Equal seeds give equal numbers.
AM_API void am_rng_init(am_rng *out, uint64_t seed);
/// 64 uniform bits.
AM_API uint64_t am_rng_u64(am_rng *rng);
/// Uniform in [0, 1), with 24 bits.
AM_API float am_rng_float(am_rng *rng);
/// Uniform in [lo, hi).
AM_API float am_rng_range(am_rng *rng, float lo, float hi);
/// Uniform in [0, n), n > 0, without bias.
AM_API uint32_t am_rng_below(am_rng *rng, uint32_t n);
/// Standard normal: mean 0, deviation 1.
AM_API float am_rng_normal(am_rng *rng);

// ---------------------------------------------------------------------------------------------
// Tasks and progress

/// One item of a parallel job.
typedef void (*am_task_fn)(void *context, int item);

/// How parallel work is run: on am_pool, or on a game's own job system. `run` calls fn(context, i) once for each i in
/// [0, count), in any order and from any thread, and returns when all calls have returned. No result of the library
/// depends on the order. Where tasks are optional, NULL means one item after another on the calling thread.
typedef struct am_tasks {
    void *user;
    void (*run)(void *user, int count, am_task_fn fn, void *context);
    int threads; ///< items that may run at once; a job makes working memory for each
} am_tasks;

/// A pool of threads.
typedef struct am_pool am_pool;
/// `threads` counts the calling one; 0 means one for each core. On a platform without threads the pool runs serially.
AM_API am_result am_pool_create(am_pool **out, int threads, const am_alloc *alloc, am_error *err);
/// Call it when no job runs. NULL is allowed.
AM_API void am_pool_destroy(am_pool *pool);
/// The pool as tasks for any number of jobs; the pool owns it.
AM_API const am_tasks *am_pool_tasks(const am_pool *pool);

/// Called with the progress of a long job, from any of its threads but one at a time. Return false to cancel the job:
/// it cleans up and returns AM_ERR_CANCELLED.
typedef struct am_progress {
    void *user;
    bool (*report)(void *user, const char *phase, int64_t done, int64_t total);
} am_progress;

/// The library's version, "major.minor.patch".
AM_API const char *am_version(void);

#ifdef __cplusplus
}
#endif
#endif
