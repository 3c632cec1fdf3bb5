// The operating system through POSIX: Linux, other Unix systems, and WebAssembly (which has files only under node).
#if defined(__linux__)
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): O_TMPFILE
#else
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#endif
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#endif

void *ami_os_alloc(size_t size, size_t align) { return aligned_alloc(align, size); }
void ami_os_free(void *block) { free(block); }

// ---------------------------------------------------------------------------------------------
// Files

FILE *ami_os_open(const char *path, const char *mode) { return fopen(path, mode); }
int ami_os_remove(const char *path) { return remove(path); }
FILE *ami_os_create(const char *path) { return fopen(path, "wbx"); }
int ami_os_replace(const char *from, const char *to) { return rename(from, to) == 0 ? 0 : errno; }

FILE *ami_os_unnamed(const char *path)
{
    FILE *stream = NULL;
#ifdef O_TMPFILE
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    const size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= sizeof folder) {
        return NULL;
    }
    if (slash) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    int fd = access("/proc/self/fd", X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !stream) {
        close(fd);
    }
#endif
    (void)path;
    return stream;
}

int ami_os_name(FILE *stream, const char *path)
{
    char from[64];
    if (fflush(stream) != 0) {
        return errno;
    }
    snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(stream));
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static void describe(am_path_info *out, const struct stat *info)
{
    out->kind = S_ISREG(info->st_mode) ? AM_PATH_FILE : S_ISDIR(info->st_mode) ? AM_PATH_FOLDER : AM_PATH_OTHER;
    out->size = (int64_t)info->st_size;
#if defined(__APPLE__)
    const struct timespec *changed = &info->st_mtimespec;
#else
    const struct timespec *changed = &info->st_mtim;
#endif
    out->changed_ns = (int64_t)changed->tv_sec * 1000000000 + changed->tv_nsec;
    out->identity[0] = (uint64_t)info->st_dev;
    out->identity[1] = (uint64_t)info->st_ino;
}

bool ami_os_stream_look(am_path_info *out, FILE *stream)
{
    struct stat info;
    *out = (am_path_info){ .kind = AM_PATH_NONE };
    if (fstat(fileno(stream), &info) != 0) {
        return false;
    }
    describe(out, &info);
    return true;
}

const void *ami_os_map(FILE *stream, size_t size)
{
#if defined(__EMSCRIPTEN__)
    (void)stream;
    (void)size;
    return NULL;
#else
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(stream), 0);
    return data != MAP_FAILED ? data : NULL;
#endif
}

void ami_os_unmap(const void *data, size_t size)
{
#if defined(__EMSCRIPTEN__)
    (void)data;
    (void)size;
#else
    munmap((void *)data, size);
#endif
}

// ---------------------------------------------------------------------------------------------
// Paths and folders

am_path_kind am_path_look(am_path_info *out, const char *path)
{
    struct stat info;
    am_path_info found = { .kind = AM_PATH_NONE };
    if (stat(path, &info) == 0) {
        describe(&found, &info);
    }
    if (out) {
        *out = found;
    }
    return found.kind;
}

bool am_path_is_absolute(const char *path) { return path[0] == '/'; }
void am_path_tidy(char *path) { (void)path; }

bool ami_os_whole_path(char *out, size_t size, const char *path)
{
    char *found = realpath(path, NULL);
    const bool fits = found && strlen(found) < size;
    if (fits) {
        memcpy(out, found, strlen(found) + 1);
    }
    free(found);
    return fits;
}

bool ami_os_list(const char *folder, bool (*visit)(void *user, const char *name), void *user)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        return false;
    }
    bool go_on = true;
    for (struct dirent *entry = readdir(dir); entry && go_on; entry = readdir(dir)) {
        go_on = visit(user, entry->d_name);
    }
    closedir(dir);
    return go_on;
}

bool am_folder_make(const char *path) { return mkdir(path, 0777) == 0 || am_path_look(NULL, path) == AM_PATH_FOLDER; }

bool ami_folder_make_temporary(char *out, size_t size, const char *name)
{
    const char *folder = getenv("TMPDIR");
    const int used = snprintf(out, size, "%s/%s-......", folder ? folder : "/tmp", name);
    if (used < 0 || (size_t)used >= size) {
        out[0] = '\0';
        return false;
    }
    memset(out + used - 6, 'X', 6); // what mkdtemp replaces
    if (!mkdtemp(out)) {
        out[0] = '\0';
    }
    return out[0] != '\0';
}

void ami_folder_remove(const char *path)
{
    am_folder_names names;
    am_folder_list(&names, path);
    for (int i = 0; i < names.count; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, names.items[i]);
        unlink(file);
    }
    am_folder_names_free(&names);
    rmdir(path);
}

bool am_folder_is_writable(const char *path) { return access(path, W_OK | X_OK) == 0; }

bool am_folder_cache(char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (cache && cache[0] == '/') {
        return snprintf(out, size, "%s", cache) < (int)size;
    }
    return home && home[0] == '/' && snprintf(out, size, "%s/.cache", home) < (int)size;
}

// ---------------------------------------------------------------------------------------------
// This process

static double clock_us(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

double am_clock_us(void) { return clock_us(CLOCK_MONOTONIC); }
double am_clock_thread_us(void) { return clock_us(CLOCK_THREAD_CPUTIME_ID); }

void am_sleep_us(double us)
{
    const double seconds = us * 1e-6;
    const struct timespec nap = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    nanosleep(&nap, NULL);
}

int am_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

bool am_stderr_is_terminal(void) { return isatty(2) != 0; }

void am_interrupt_catch(void (*handler)(int signal_number))
{
    struct sigaction action = { .sa_handler = handler };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool am_program_path(char *out, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    return length > 0 && (size_t)length < size - 1;
}

// ---------------------------------------------------------------------------------------------
// Other programs; those that answer are in child_posix.c

void am_program_become(const char *const *words)
{
    execv(words[0], (char *const *)words); // whose type is older than const
}

void am_browser_open(const char *address)
{
    pid_t child = fork();
    if (child == 0) {
        // A second fork, so that the program need not wait for the browser.
        if (fork() == 0) {
            if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) {
                _exit(127);
            }
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
            _exit(127);
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}
