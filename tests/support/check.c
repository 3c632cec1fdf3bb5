// Comparisons, folders and command lines for tests.
#include "support/check.h"

#include "base/memory.h"

#include <math.h>

void ami_check_near(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s is %.9g, wanted %.9g within %.3g\n", what, a, b, tolerance);
        _fail(file, line);
    }
}

void ami_check_ok(am_result result, const am_error *err, const char *file, int line)
{
    if (result != AM_OK) {
        char text[1024] = "";
        if (err) {
            am_error_format(err, text, sizeof text);
        }
        print_error("refused (%s): %s\n", am_result_name(result), text);
        _fail(file, line);
    }
}

void ami_check_refused(am_result result, am_result code, const char *file, int line)
{
    if (result != code) {
        print_error("gave '%s', wanted '%s'\n", am_result_name(result), am_result_name(code));
        _fail(file, line);
    }
}

const char *test_data_dir(const char *set)
{
    static char path[1024];                 // one at a time is enough for a test program
    const char *env = getenv("AMBLE_DATA"); // the only place when it is set: a folder that is not there means no data
    snprintf(path, sizeof path, "%s/%s", env ? env : AMBLE_SOURCE_DIR "/build/data", set);
    if (am_path_look(NULL, path) == AM_PATH_FOLDER) {
        return path;
    }
    printf("SKIPPED: the real data set '%s' is not here (build/data/%s)\n", set, set);
    return NULL;
}

bool test_find_set(void *user, const char *set, char *out, size_t size)
{
    (void)user;
    const char *folder = test_data_dir(set);
    snprintf(out, size, "%s", folder ? folder : "");
    return folder != NULL;
}

bool test_quick(void) { return getenv("AMBLE_QUICK") != NULL; }

const char *test_temp_dir(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/test-files/%s", AMBLE_BINARY_DIR, name);
    char line[2200];
#if defined(_WIN32)
    snprintf(line, sizeof line, "rmdir /s /q \"%s\" 2>nul & mkdir \"%s\"", path, path);
    for (char *at = line; *at; at++) { // a shell that takes '/' for an option
        *at = *at == '/' && at[1] != 's' && at[1] != 'q' ? '\\' : *at;
    }
#else
    snprintf(line, sizeof line, "rm -rf '%s' && mkdir -p '%s'", path, path);
#endif
    if (system(line) != 0) {
        fail_msg("cannot make %s", path);
    }
    return path;
}

#if defined(_WIN32)
#define QUOTE 1
const char *test_command(void) { return AMBLE_BINARY_DIR "/amble.exe"; }
#else
#define QUOTE 0
const char *test_command(void) { return AMBLE_BINARY_DIR "/amble"; }
#endif

int test_shell(char *out, size_t size, const char *format, ...)
{
    char line[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(line + QUOTE, sizeof line - 2 * QUOTE, format, args);
    va_end(args);
#if defined(_WIN32)
    line[0] = '"'; // the shell takes off the first and the last
    snprintf(line + strlen(line), 2, "\"");
#endif
    FILE *pipe = popen(line, "r");
    if (!pipe) {
        return -1;
    }
    size_t used = 0;
    char scrap[4096];
    for (;;) {
        bool keep = out && used + 1 < size;
        size_t got = keep ? fread(out + used, 1, size - 1 - used, pipe) : fread(scrap, 1, sizeof scrap, pipe);
        if (got == 0) {
            break;
        }
        used += keep ? got : 0;
    }
    if (out && size) {
        out[used] = '\0';
    }
    int status = pclose(pipe);
#if defined(_WIN32)
    return status;
#else
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
#endif
}

void *test_aligned(size_t size)
{
    const am_alloc alloc = ami_alloc_or_default(NULL);
    void *block = alloc.alloc(alloc.user, size, 64);
    assert_non_null(block);
    return block;
}

void test_aligned_free(void *block)
{
    const am_alloc alloc = ami_alloc_or_default(NULL);
    alloc.release(alloc.user, block, 0);
}

char *test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = malloc((size_t)length + 1);
    if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) {
        fail_msg("cannot read %s", path);
    }
    fclose(file);
    text[length] = '\0';
    if (size) {
        *size = (size_t)length;
    }
    return text;
}
