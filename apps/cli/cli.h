/// What the verbs of the command share: options, messages, progress, writing results.
#ifndef AMBLE_CLI_H
#define AMBLE_CLI_H

#include <amble/tools/tools.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/// One option of a verb. Exactly one of the targets is set.
typedef struct cli_option {
    const char *name;  ///< "--report"; a short form may stand before it: "-o,--output"
    const char *value; ///< name of its value in the help ("FILE"), NULL for a switch
    const char *help;
    bool *flag;
    const char **text;
    int *integer;
    double *number;
} cli_option;

/// What the operand of a verb may be, where it is one of a few words.
typedef struct cli_word {
    const char *name;
    const char *summary; ///< NULL: the name says it
} cli_word;

/// One verb, as main's table lists it.
typedef struct cli_verb {
    const char *name;
    const char *arguments; ///< "FILE..." for the usage line
    const char *summary;
    int (*run)(const struct cli_verb *verb, int argc, char **argv);
} cli_verb;

/// What every verb understands besides its own options: --help, --json, --threads N.
typedef struct cli_common {
    bool json;
    int threads; ///< 0 means all
} cli_common;

/// A call of a verb, as the user wrote it.
typedef struct cli_call {
    const cli_word *words; ///< [word_count] one of which the operand must be: set before cli_begin; NULL: any operand
    int word_count;
    cli_common common;
    int operands; ///< now at the front of argv
    int status;   ///< what the verb returns when it ends early
} cli_call;

#define CLI_COUNT(options) ((int)(sizeof(options) / sizeof((options)[0])))

/// Splits argv (without program and verb) into options, whose targets it fills, and operands, which it moves to the
/// front. False when the verb ends here with call->status: --help was shown, or the arguments are wrong.
bool cli_begin(cli_call *call, const cli_verb *verb, const cli_option *options, int option_count, int argc,
               char **argv);

/// Which of call->words the only operand is; below 0 after a message that lists them.
int cli_choose(const cli_call *call, const cli_verb *verb, char **argv);

/// Checks before hours of work that files can be written: their folders exist and are writable. NULL among the paths
/// means none. CLI_DONE, or CLI_FAILED after naming the one that cannot be written.
int cli_check_outputs(const char *const *paths, int count);

/// Prints "amble: FILE:LINE: what is wrong; what to do" and returns CLI_FAILED.
int cli_fail(const am_error *err);
/// The same, of this file where the error names none.
int cli_fail_in(am_error *err, const char *file);
/// An error of the command's own: no line, no byte, `file` or NULL. Returns `code`.
am_result cli_error(am_error *err, am_result code, const char *file, const char *format, ...) AM_PRINTF(4, 5);
/// Prints such an error and returns CLI_FAILED.
int cli_stop(const char *file, const char *format, ...) AM_PRINTF(2, 3);
/// Prints "amble: ..." and returns CLI_USAGE.
int cli_usage(const char *format, ...) AM_PRINTF(1, 2);

/// "; did you mean 'walk'?" for a word that is none of the names, or "" where none is near.
typedef struct cli_hint {
    char text[96];
} cli_hint;
cli_hint cli_nearest(const char *word, const char *const *names, int count);
/// Which of the words it is; -1 for none.
int cli_find_word(const char *const *words, int count, const char *word);

/// Progress on stderr: a bar with rate and time left on a terminal, plain lines otherwise. After Ctrl-C the
/// report returns false, so that the job cleans up.
am_progress cli_progress(void);
/// True after Ctrl-C, once cli_progress has been called: for a verb without stages to report.
bool cli_interrupted(void);
/// Progress that prints nothing but listens for Ctrl-C: for work on several threads.
am_progress cli_quiet_progress(void);
/// Ends a progress line.
void cli_progress_end(void);

/// Microseconds of a steady clock, and those that this thread has computed: the clock for a busy machine. In the form
/// of am_clock; the argument is not used.
double cli_now_us(void *unused);
double cli_cpu_us(void *unused);

bool cli_ends_with(const char *text, const char *end);
/// Whether a file is of a kind by its first bytes ("\x89" and `name`, such as "AMDB"), or by its extension.
bool cli_is_kind(const char *path, const char *name, const char *ending);

/// The thread pool for --threads, as a task hook; am_pool_destroy frees it.
const am_tasks *cli_tasks(const cli_common *common, am_pool **pool);

/// What belongs between a folder's name and a file's: nothing when the folder was given as `clips/`.
const char *cli_slash(const char *folder);
/// What main returns: the status of the verb, or CLI_FAILED when its result could not be written to stdout.
int cli_finish(int status);

/// Begins the object that --json prints. Where there is no memory for it, printing it fails.
am_json_writer *cli_json_begin(int indent);
/// Ends the object, prints it and frees the writer.
int cli_json_end(am_json_writer *writer);
/// Prints the writer's text and a newline on stdout. CLI_DONE, or CLI_FAILED when it could not.
int cli_print_json(const am_json_writer *writer);
/// Writes bytes that were made with this result to a file, and frees them.
am_result cli_write(const char *path, am_bytes *bytes, am_result made, am_error *err);
/// The format of a motion file to write, by its extension; NULL after saying that it is none of them.
const am_motion_format *cli_motion_format(const char *path);

// Verbs, one file each.
int verb_import(const cli_verb *verb, int argc, char **argv);
int verb_build(const cli_verb *verb, int argc, char **argv);
int verb_info(const cli_verb *verb, int argc, char **argv);
int verb_run(const cli_verb *verb, int argc, char **argv);
int verb_strip(const cli_verb *verb, int argc, char **argv);
int verb_export(const cli_verb *verb, int argc, char **argv);
int verb_synth(const cli_verb *verb, int argc, char **argv);
int verb_lab(const cli_verb *verb, int argc, char **argv);
int verb_train(const cli_verb *verb, int argc, char **argv);
int verb_studio(const cli_verb *verb, int argc, char **argv);

#endif
