/// What programs around the library need from the operating system: paths, folders, clocks, Ctrl-C, other programs.
/// The code is in src/runtime/base, the only folder that knows which system this is. Paths are UTF-8 with '/' as the
/// separator, on Windows too.
#ifndef AMBLE_TOOLS_OS_H
#define AMBLE_TOOLS_OS_H

#include <amble/base.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Paths and folders

typedef enum am_path_kind {
    AM_PATH_NONE,   ///< nothing is there, or it is not accessible
    AM_PATH_FILE,   ///< a plain file
    AM_PATH_FOLDER, ///< a folder
    AM_PATH_OTHER,  ///< a device or a pipe
} am_path_kind;

typedef struct am_path_info {
    am_path_kind kind;
    int64_t size;         ///< bytes
    int64_t changed_ns;   ///< when it was last written, nanoseconds since 1970
    uint64_t identity[2]; ///< equal for two paths to the same file; {0, 0} where the system has none
} am_path_info;

/// What a path leads to; links are followed. `out` may be NULL.
AM_API am_path_kind am_path_look(am_path_info *out, const char *path);
/// Whether a path does not depend on the working folder.
AM_API bool am_path_is_absolute(const char *path);
/// Gives a path that a user typed the library's separators: '\' becomes '/' on Windows.
AM_API void am_path_tidy(char *path);
/// The path that `name`, written inside `file`, leads to: paths inside a file are relative to that file. False when
/// it is too long.
AM_API bool am_path_beside(char *out, size_t size, const char *file, const char *name);
/// The reverse: `path`, which must exist, as it is written inside `file`, which need not exist. Returns false, and
/// `path` unchanged, when there is no such spelling.
AM_API bool am_path_relative(char *out, size_t size, const char *file, const char *path);

/// The names in a folder, sorted, without those that begin with a dot.
typedef struct am_folder_names {
    char **items;
    int count;
} am_folder_names;

/// False when the folder cannot be listed or there is no memory; `out` is empty then.
AM_API bool am_folder_list(am_folder_names *out, const char *folder);
AM_API void am_folder_names_free(am_folder_names *names);
/// Makes one folder. True when a folder is there afterwards.
AM_API bool am_folder_make(const char *path);
/// Makes a folder and those above it.
AM_API bool am_folder_make_all(const char *path);
/// Whether this user may create files in a folder.
AM_API bool am_folder_is_writable(const char *path);
/// The user's folder for files that programs can make again.
AM_API bool am_folder_cache(char *out, size_t size);

// ---------------------------------------------------------------------------------------------
// This process

/// Microseconds of a clock that never goes back.
AM_API double am_clock_us(void);
/// Microseconds of processor time of the calling thread.
AM_API double am_clock_thread_us(void);
AM_API void am_sleep_us(double us);
/// Processors that threads can run on, at least 1.
AM_API int am_processor_count(void);
/// Whether stderr is a terminal.
AM_API bool am_stderr_is_terminal(void);
/// Calls `handler` on Ctrl-C and when the system asks the program to end. The handler may only touch atomic variables
/// and call _Exit. On Windows it runs on a thread of its own, and a second Ctrl-C ends the program without calling
/// it.
AM_API void am_interrupt_catch(void (*handler)(int signal_number));

/// A lock between the threads of a program. A thread must not take it twice.
typedef struct am_lock am_lock;
AM_API am_result am_lock_create(am_lock **out, am_error *err);
AM_API void am_lock_destroy(am_lock *lock);
AM_API void am_lock_take(am_lock *lock);
AM_API void am_lock_give(am_lock *lock);

// ---------------------------------------------------------------------------------------------
// Other programs

/// The path of the running program.
AM_API bool am_program_path(char *out, size_t size);
/// The path of a program in the folder of the running one; false when there is no such file. `name` may contain '/'.
AM_API bool am_program_beside(char *out, size_t size, const char *name);
/// Runs a program in place of this one and ends with its status. words[0] is its path; NULL ends the words. Returns
/// only when the program cannot be started.
AM_API void am_program_become(const char *const *words);
/// Opens an address in the user's browser; without a desktop nothing happens.
AM_API void am_browser_open(const char *address);

#ifdef __cplusplus
}
#endif
#endif
