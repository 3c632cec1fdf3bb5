/// Helper programs: one that runs to its end while its output is collected, and one that answers questions.
#ifndef AMI_BASE_CHILD_H
#define AMI_BASE_CHILD_H

#include <amble/base.h>
#include <amble/tools/files.h>

/// How a helper ended.
typedef struct ami_child {
    am_bytes output;   ///< what it wrote to stdout; freed by the caller
    char message[400]; ///< the beginning of what it wrote to stderr, terminated
    int exit_code;     ///< -1 when a signal ended it
    int signal;        ///< 0 when it ended by itself
    bool timed_out;
} ami_child;

/// Runs argv[0] (a path; at most 15 words, NULL after the last) and waits, at most `seconds`; stdin is empty.
/// AM_ERR_CHILD when it cannot be started or has to be stopped (too long, or more than `max_output` bytes); a crash
/// or a failing exit is AM_OK, for the caller to judge. AM_ERR_SUPPORT on Windows and in WebAssembly.
am_result ami_child_run(ami_child *out, const char *const *argv, double seconds, size_t max_output,
                        const am_alloc *alloc, am_error *err);

/// Called by a helper first: no more than `memory` bytes, and no core file when it crashes.
void ami_child_limit(size_t memory);

/// A program that answers questions line by line.
typedef struct ami_dialogue ami_dialogue;
/// words[0] is a path, or a name to look for; NULL ends the words. Returns NULL when the program cannot be started,
/// and always on Windows and in WebAssembly.
ami_dialogue *ami_dialogue_start(const char *const *words);
/// Sends a line and reads one. False when the program has ended.
bool ami_dialogue_ask(ami_dialogue *dialogue, char *answer, size_t size, const char *question);
/// Closes the program's input and waits for its end. NULL is allowed.
void ami_dialogue_end(ami_dialogue *dialogue);

#endif
