// What the verbs share: option parsing, messages, progress with Ctrl-C.
#include "cli.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The one thing a signal handler may touch: set by Ctrl-C, read by the progress hook.
static atomic_bool interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (interrupted) {
        _Exit(130); // the second Ctrl-C does not wait
    }
    interrupted = true;
}

int cli_fail_in(am_error *err, const char *file)
{
    if (!err->file[0]) {
        snprintf(err->file, sizeof err->file, "%s", file);
    }
    return cli_fail(err);
}

int cli_fail(const am_error *err)
{
    char text[1024];
    am_error_format(err, text, sizeof text);
    cli_progress_end();
    fprintf(stderr, "amble: %s\n", text);
    return CLI_FAILED;
}

static void set_error(am_error *err, am_result code, const char *file, const char *format, va_list args)
{
    *err = (am_error){ .code = code, .offset = -1 };
    vsnprintf(err->text, sizeof err->text, format, args);
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
}

am_result cli_error(am_error *err, am_result code, const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(err, code, file, format, args);
    va_end(args);
    return code;
}

int cli_stop(const char *file, const char *format, ...)
{
    am_error err;
    va_list args;
    va_start(args, format);
    set_error(&err, AM_ERR_DEF, file, format, args);
    va_end(args);
    return cli_fail(&err);
}

int cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("amble: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return CLI_USAGE;
}

cli_hint cli_nearest(const char *word, const char *const *names, int count)
{
    cli_hint hint = { "" };
    const char *near = am_nearest_name(word, names, count);
    if (near) {
        snprintf(hint.text, sizeof hint.text, "; did you mean '%.70s'?", near);
    }
    return hint;
}

int cli_find_word(const char *const *words, int count, const char *word)
{
    int i = 0;
    while (i < count && strcmp(words[i], word) != 0) {
        i++;
    }
    return i < count ? i : -1;
}

// ---------------------------------------------------------------------------------------------
// Options

static void print_words(FILE *out, const cli_call *call)
{
    for (int i = 0; i < call->word_count; i++) {
        const cli_word *word = &call->words[i];
        if (word->summary) {
            fprintf(out, "  %-10s %s\n", word->name, word->summary);
        } else {
            fprintf(out, "%s%s", i ? " " : "  ", word->name);
        }
    }
    fputs(call->word_count > 0 && !call->words[0].summary ? "\n" : "", out);
}

static void print_help(const cli_call *call, const cli_verb *verb, const cli_option *options, int option_count)
{
    printf("usage: amble %s %s [options]\n\n%s\n\n", verb->name, verb->arguments, verb->summary);
    if (call->word_count > 0) {
        printf("%.*s is one of:\n", (int)strcspn(verb->arguments, " "), verb->arguments);
        print_words(stdout, call);
        printf("\n");
    }
    printf("options:\n");
    for (int i = 0; i < option_count; i++) {
        char left[64];
        const char *name = options[i].name, *comma = strchr(name, ',');
        snprintf(left, sizeof left, "%.*s%s%s %s", comma ? (int)(comma - name) : 0, name, comma ? ", " : "",
                 comma ? comma + 1 : name, options[i].value ? options[i].value : "");
        printf("  %-28s %s\n", left, options[i].help);
    }
    printf("  %-28s %s\n", "--json", "print one JSON object");
    printf("  %-28s %s\n", "--threads N", "use N threads (default: all cores)");
    printf("  %-28s %s\n", "--help", "show this help");
}

/// True when `word` is one of the comma-separated spellings in `names`.
static bool option_matches(const char *names, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = names; *at;) {
        size_t size = strcspn(at, ",");
        if (size == length && memcmp(at, word, size) == 0) {
            return true;
        }
        at += size + (at[size] == ',');
    }
    return false;
}

static int store_value(const cli_option *option, const char *word, const char *value)
{
    char *end = NULL;
    if (option->text) {
        *option->text = value;
    } else if (option->integer) {
        long number = strtol(value, &end, 10);
        if (*value == '\0' || *end || number < -1000000000 || number > 1000000000) {
            return cli_usage("%s needs a whole number, not '%s'", word, value);
        }
        *option->integer = (int)number;
    } else if (option->number) {
        double number = strtod(value, &end);
        if (*value == '\0' || *end) {
            return cli_usage("%s needs a number, not '%s'", word, value);
        }
        *option->number = number;
    }
    return CLI_DONE;
}

static int unknown_option(const cli_verb *verb, const cli_option *options, int option_count, const char *word)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < option_count && count < 60; i++) {
        const char *comma = strchr(options[i].name, ',');
        names[count++] = comma ? comma + 1 : options[i].name; // the long form
    }
    names[count++] = "--json";
    names[count++] = "--threads";
    names[count++] = "--help";
    return cli_usage("%s: unknown option '%s'%s; see amble %s --help", verb->name, word,
                     cli_nearest(word, names, count).text, verb->name);
}

/// The option that a word names: one of the verb's, or one that all verbs have.
static const cli_option *find_option(const cli_option *options, int option_count, const cli_option *shared,
                                     int shared_count, const char *word)
{
    for (int i = 0; i < option_count + shared_count; i++) {
        const cli_option *option = i < option_count ? &options[i] : &shared[i - option_count];
        if (option_matches(option->name, word)) {
            return option;
        }
    }
    return NULL;
}

/// CLI_DONE when all words were understood.
static int read_words(cli_call *call, const cli_verb *verb, const cli_option *options, int option_count, int argc,
                      char **argv)
{
    const cli_option shared[] = {
        { .name = "--json", .flag = &call->common.json },
        { .name = "--threads", .value = "N", .integer = &call->common.threads },
    };
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            argv[call->operands++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_operands = true;
            continue;
        }
        const cli_option *found = find_option(options, option_count, shared, CLI_COUNT(shared), word);
        if (!found) {
            return unknown_option(verb, options, option_count, word);
        }
        if (found->flag) {
            *found->flag = true;
            continue;
        }
        if (i + 1 >= argc) {
            return cli_usage("%s needs a value (%s)", word, found->value);
        }
        int status = store_value(found, word, argv[++i]);
        if (status != CLI_DONE) {
            return status;
        }
    }
    return call->common.threads < 0 ? cli_usage("--threads must be 0 (all cores) or more") : CLI_DONE;
}

/// Shows help before complaining about the other words.
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

bool cli_begin(cli_call *call, const cli_verb *verb, const cli_option *options, int option_count, int argc,
               char **argv)
{
    *call = (cli_call){ .words = call->words, .word_count = call->word_count };
    if (asks_for_help(argc, argv)) {
        print_help(call, verb, options, option_count);
        return false;
    }
    call->status = read_words(call, verb, options, option_count, argc, argv);
    return call->status == CLI_DONE;
}

int cli_choose(const cli_call *call, const cli_verb *verb, char **argv)
{
    const char *names[64] = { NULL };
    const int count = call->word_count < CLI_COUNT(names) ? call->word_count : CLI_COUNT(names);
    for (int i = 0; i < count; i++) {
        names[i] = call->words[i].name;
    }
    const char *word = call->operands == 1 ? argv[0] : NULL;
    const int found = word ? cli_find_word(names, count, word) : -1;
    if (found < 0 && word) {
        const char *near = am_nearest_name(word, names, count);
        cli_usage("%s: '%s' is not one of these%s%s%s:", verb->name, word, near ? " (did you mean '" : "",
                  near ? near : "", near ? "'?)" : "");
    } else if (found < 0) {
        cli_usage("%s needs one of these:", verb->name);
    }
    if (found < 0) {
        print_words(stderr, call);
    }
    return found;
}

int cli_check_outputs(const char *const *paths, int count)
{
    am_error err = { 0 };
    for (int i = 0; i < count; i++) {
        if (paths[i] && am_file_check_output(paths[i], &err) != AM_OK) {
            return cli_fail(&err);
        }
    }
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------------
// Progress

typedef struct progress_state {
    char stage[64];
    double begun;
    double shown;
    bool line_open;
    bool hooked;
} progress_state;

// Progress belongs to the process, like stderr.
static progress_state progress;

static void show_bar(const char *stage, int64_t done, int64_t total, double now)
{
    enum { width = 30 };
    char bar[width + 1];
    double share = total > 0 ? (double)done / (double)total : 0.0;
    for (int i = 0; i < width; i++) {
        bar[i] = (double)i < share * width ? '#' : '.';
    }
    bar[width] = '\0';
    double rate = now > progress.begun ? (double)done / (now - progress.begun) : 0.0;
    double left = rate > 0.0 ? (double)(total - done) / rate : 0.0;
    fprintf(stderr, "\r%-12s [%s] %lld/%lld  %.0f/s  %.0f s left \033[K", stage, bar, (long long)done,
            (long long)total, rate, left);
    progress.line_open = true;
}

/// `quiet`: only listens for Ctrl-C.
static bool report_progress(void *quiet, const char *stage, int64_t done, int64_t total)
{
    if (quiet) {
        return !interrupted;
    }
    double now = 1e-6 * cli_now_us(NULL);
    bool terminal = am_stderr_is_terminal();
    if (strcmp(stage, progress.stage) != 0) {
        cli_progress_end();
        snprintf(progress.stage, sizeof progress.stage, "%s", stage);
        progress.begun = now;
        progress.shown = now - 10.0;
    }
    double pause = terminal ? 0.1 : 5.0;
    if (done >= total || now - progress.shown >= pause) {
        progress.shown = now;
        if (terminal) {
            show_bar(stage, done, total, now);
        } else {
            fprintf(stderr, "%s: %lld of %lld\n", stage, (long long)done, (long long)total);
        }
    }
    return !interrupted;
}

am_progress cli_progress(void)
{
    if (!progress.hooked) {
        am_interrupt_catch(on_interrupt);
        progress.hooked = true;
    }
    am_progress hook = { NULL, report_progress };
    return hook;
}

bool cli_interrupted(void) { return interrupted; }

am_progress cli_quiet_progress(void)
{
    am_progress hook = { &progress, report_progress };
    return hook;
}

void cli_progress_end(void)
{
    if (progress.line_open) {
        fputc('\n', stderr);
        progress.line_open = false;
    }
}

const am_tasks *cli_tasks(const cli_common *common, am_pool **pool)
{
    am_error err = { 0 };
    if (am_pool_create(pool, common->threads, NULL, &err) != AM_OK) {
        return NULL; // slower, but correct
    }
    return am_pool_tasks(*pool);
}

const char *cli_slash(const char *folder)
{
    size_t length = strlen(folder);
    return length > 0 && folder[length - 1] == '/' ? "" : "/";
}

// ---------------------------------------------------------------------------------------------
// Results

am_json_writer *cli_json_begin(int indent)
{
    am_json_writer *writer = NULL;
    am_error err = { 0 };
    am_json_writer_create(&writer, indent, NULL, &err); // without memory cli_print_json says so
    am_json_begin_object(writer, NULL);
    return writer;
}

int cli_print_json(const am_json_writer *writer)
{
    size_t size = 0;
    const char *text = am_json_text(writer, &size);
    if (!text) {
        return cli_stop(NULL, "out of memory for the JSON result");
    }
    if (fwrite(text, 1, size, stdout) != size || fputc('\n', stdout) == EOF || fflush(stdout) != 0) {
        return cli_stop(NULL, "cannot write the JSON result to stdout");
    }
    return CLI_DONE;
}

int cli_json_end(am_json_writer *writer)
{
    am_json_end_object(writer);
    int status = cli_print_json(writer);
    am_json_writer_destroy(writer);
    return status;
}

am_result cli_write(const char *path, am_bytes *bytes, am_result made, am_error *err)
{
    am_result result = made == AM_OK ? am_file_write(path, bytes->data, bytes->size, err) : made;
    am_bytes_free(bytes);
    return result;
}

const am_motion_format *cli_motion_format(const char *path)
{
    const am_motion_format *format = am_motion_format_find(path);
    if (!format) {
        cli_usage("cannot tell what to write from '%s'; end it in .bvh, .glb, .npz or .csv", path);
    }
    return format;
}

// ---------------------------------------------------------------------------------------------
// Clocks and kinds of files

double cli_now_us(void *unused)
{
    (void)unused;
    return am_clock_us();
}

double cli_cpu_us(void *unused)
{
    (void)unused;
    return am_clock_thread_us();
}

bool cli_ends_with(const char *text, const char *end)
{
    size_t a = strlen(text);
    size_t b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

bool cli_is_kind(const char *path, const char *name, const char *ending)
{
    unsigned char head[5] = { 0 };
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) {
        fclose(file);
    }
    return (got == sizeof head && head[0] == 0x89 && memcmp(head + 1, name, 4) == 0) || cli_ends_with(path, ending);
}

int cli_finish(int status)
{
    bool lost = ferror(stdout) != 0; // also what was buffered: a full disk shows only here
    if ((fflush(stdout) != 0 || lost) && status == CLI_DONE) {
        fputs("amble: cannot write the result to stdout; is the disk full?\n", stderr);
        status = CLI_FAILED;
    }
    return status;
}
