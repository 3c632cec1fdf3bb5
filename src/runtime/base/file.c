// Files: whole ones mapped (or read, where the platform or the kind of file cannot map), and new ones that appear
// under their name only when complete. No allocator is passed in: handles come from malloc.
#ifdef __linux__
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): O_TMPFILE
#include <fcntl.h>
#include <unistd.h>
#endif

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#define AMI_HAS_MMAP 1
#endif

static const uint8_t nothing[1] = { 0 }; // an empty file's data, so that data is never NULL

// What a person can do about an errno. strerror is neither thread-safe nor says what to do.
static const char *advice(int code)
{
    switch (code) {
    case ENOENT:
        return "no such file or folder; check the name";
    case ENOTDIR:
        return "a part of the path is a file, not a folder; check the name";
    case EACCES:
    case EPERM:
        return "permission denied; check its owner and permissions";
    case EISDIR:
        return "it is a folder; give the name of a file";
    case ENOSPC:
        return "the disk is full; free some space";
    case EROFS:
        return "the disk is read-only; choose another place";
    case EMFILE:
    case ENFILE:
        return "too many files are open; close some and try again";
    case ENAMETOOLONG:
        return "the name is too long; choose a shorter one";
    default:
        return NULL;
    }
}

static am_result fail_file(am_error *err, am_result code, const char *path, const char *what, int reason)
{
    const char *text = advice(reason);
    if (text) {
        ami_fail(err, code, "%s: %s", what, text);
    } else {
        ami_fail(err, code, "%s (system error %d); check the disk and try again", what, reason);
    }
    ami_error_file(err, path);
    return code;
}

// ---------------------------------------------------------------------------------------------
// Reading

// For pipes, devices and platforms without mapping: the size is only known at the end.
static am_result read_stream(am_file *out, FILE *stream, size_t expected, const char *path, am_error *err)
{
    am_alloc alloc = am_alloc_default();
    size_t capacity = expected + 1; // one more, so that a file of the expected size ends in the first round
    uint8_t *data = NULL;
    size_t size = 0;
    for (;;) {
        uint8_t *more = alloc.alloc(alloc.user, capacity, 64);
        if (!more) {
            ami_release(&alloc, data, 0);
            ami_fail_memory(err, capacity);
            ami_error_file(err, path);
            return AM_ERR_MEMORY;
        }
        if (size) {
            memcpy(more, data, size);
        }
        ami_release(&alloc, data, 0);
        data = more;
        size += fread(data + size, 1, capacity - size, stream);
        if (size < capacity) {
            break;
        }
        capacity *= 2;
    }
    if (ferror(stream)) {
        int reason = errno;
        ami_release(&alloc, data, 0);
        return fail_file(err, AM_ERR_READ, path, "cannot read", reason);
    }
    if (size == 0) {
        ami_release(&alloc, data, 0);
        data = NULL;
    }
    out->data = data ? data : nothing;
    out->size = size;
    return AM_OK;
}

static bool map_stream(am_file *out, FILE *stream, size_t size)
{
#if AMI_HAS_MMAP
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(stream), 0);
    if (data != MAP_FAILED) {
        out->data = data;
        out->size = size;
        out->mapped = true;
        return true;
    }
#endif
    (void)out;
    (void)stream;
    (void)size;
    return false;
}

static am_result open_stream(am_file *out, FILE *stream, const char *path, am_error *err)
{
    struct stat info;
    if (fstat(fileno(stream), &info) != 0) {
        return fail_file(err, AM_ERR_READ, path, "cannot read", errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return fail_file(err, AM_ERR_OPEN, path, "cannot open", EISDIR);
    }
    if (info.st_size < 0 || (uintmax_t)info.st_size > SIZE_MAX / 2) {
        ami_fail(err, AM_ERR_LIMIT, "the file is too large for this machine's memory; split it");
        ami_error_file(err, path);
        return AM_ERR_LIMIT;
    }
    size_t size = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    if (size > 0 && map_stream(out, stream, size)) {
        return AM_OK;
    }
    return read_stream(out, stream, size > 0 ? size : 4096, path, err);
}

am_result am_file_open(am_file *out, const char *path, am_error *err)
{
    memset(out, 0, sizeof *out);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return fail_file(err, AM_ERR_OPEN, path, "cannot open", errno);
    }
    am_result result = open_stream(out, stream, path, err);
    fclose(stream); // a mapping outlives its descriptor
    return result;
}

void am_file_close(am_file *file)
{
    if (!file) {
        return;
    }
#if AMI_HAS_MMAP
    if (file->mapped) {
        munmap((void *)file->data, file->size);
    }
#endif
    if (!file->mapped && file->data && file->data != nothing) {
        am_alloc alloc = am_alloc_default();
        ami_release(&alloc, (void *)file->data, file->size);
    }
    memset(file, 0, sizeof *file);
}

// ---------------------------------------------------------------------------------------------
// Writing

struct am_outfile {
    FILE *stream;
    size_t size;   // of this block
    char *path;    // both names live behind the struct
    char *partial; // where the bytes go until commit; the same as path when written straight through
    bool unnamed;  // the bytes have no name yet
    int reason;    // errno of the first failed put, or 0
};

// Devices and pipes (-o /dev/stdout) must not be replaced by a rename: they are written straight through.
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Opens a file that did not exist before, beside the target so that the rename stays on one disk. Numbers are tried
// in turn, as a killed run may have left its own behind and other runs may be writing the same target.
static int open_partial(am_outfile *file)
{
    size_t room = strlen(file->path) + 16;
    for (int i = 0; i < 1000; i++) {
        snprintf(file->partial, room, "%s.part%d", file->path, i);
        file->stream = fopen(file->partial, "wbx");
        if (file->stream) {
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
    }
    return EEXIST;
}

// Where the system can, the bytes have no name at all until they are complete: whatever ends the program then, a
// second Ctrl-C or worse, leaves nothing behind. False: open_partial must do.
static bool open_unnamed(am_outfile *file)
{
#ifdef O_TMPFILE
    const char *slash = strrchr(file->path, '/');
    size_t size = slash ? (size_t)(slash - file->path) + 1 : 0;
    memcpy(file->partial, slash ? file->path : ".", size ? size : 1);
    file->partial[size ? size : 1] = '\0';
    int fd = access("/proc/self/fd", X_OK) == 0 ? open(file->partial, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !file->stream) {
        close(fd);
    }
    file->unnamed = file->stream != NULL;
#endif
    return file->unnamed;
}

// Gives complete bytes a name beside the target, from which they are renamed: a name cannot be taken over at once.
static int name_partial(am_outfile *file)
{
#ifdef O_TMPFILE
    char from[64];
    if (fflush(file->stream) != 0) {
        return errno;
    }
    snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(file->stream));
    for (int i = 0; i < 1000; i++) {
        snprintf(file->partial, strlen(file->path) + 16, "%s.part%d", file->path, i);
        if (linkat(AT_FDCWD, from, AT_FDCWD, file->partial, AT_SYMLINK_FOLLOW) == 0) {
            file->unnamed = false;
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
    }
#endif
    (void)file;
    return EEXIST;
}

static void free_outfile(am_outfile *file)
{
    am_alloc alloc = am_alloc_default();
    ami_release(&alloc, file, file->size);
}

am_result am_outfile_begin(am_outfile **out, const char *path, am_error *err)
{
    *out = NULL;
    if (is_folder(path)) {
        return fail_file(err, AM_ERR_WRITE, path, "cannot write", EISDIR);
    }
    am_alloc alloc = am_alloc_default();
    size_t length = strlen(path);
    size_t size = sizeof(am_outfile) + 2 * length + 32;
    am_outfile *file = ami_alloc_zero(&alloc, size);
    if (!file) {
        return ami_fail_memory(err, size);
    }
    file->size = size;
    file->path = (char *)(file + 1);
    memcpy(file->path, path, length);
    file->partial = file->path + length + 1;
    int reason = 0;
    if (is_special(path)) {
        file->partial = file->path;
        file->stream = fopen(path, "wb");
        reason = file->stream ? 0 : errno;
    } else if (!open_unnamed(file)) {
        reason = open_partial(file);
    }
    if (reason) {
        free_outfile(file);
        return fail_file(err, AM_ERR_WRITE, path, "cannot write", reason);
    }
    *out = file;
    return AM_OK;
}

am_result am_outfile_put(am_outfile *file, const void *data, size_t size, am_error *err)
{
    if (size > 0 && fwrite(data, 1, size, file->stream) != size) {
        file->reason = errno;
        return fail_file(err, AM_ERR_WRITE, file->path, "cannot write", file->reason);
    }
    return AM_OK;
}

am_result am_outfile_commit(am_outfile *file, am_error *err)
{
    // An earlier failed put also fails the commit, so that a caller may check only here. Data is not synced to the
    // disk: a crash of the machine may lose the new file, but a crash of the program never leaves half of it.
    int reason = file->reason;
    if (!reason && file->unnamed) {
        reason = name_partial(file);
    }
    if (fclose(file->stream) != 0 && !reason) {
        reason = errno;
    }
    bool renamed = file->partial != file->path && !file->unnamed;
    if (!reason && renamed && rename(file->partial, file->path) != 0) {
        reason = errno;
    }
    am_result result = reason ? fail_file(err, AM_ERR_WRITE, file->path, "cannot write", reason) : AM_OK;
    if (reason && renamed) {
        remove(file->partial);
    }
    free_outfile(file);
    return result;
}

void am_outfile_abort(am_outfile *file)
{
    if (!file) {
        return;
    }
    fclose(file->stream);
    if (file->partial != file->path && !file->unnamed) {
        remove(file->partial);
    }
    free_outfile(file);
}

am_result am_file_write(const char *path, const void *data, size_t size, am_error *err)
{
    am_outfile *file;
    am_result result = am_outfile_begin(&file, path, err);
    if (!file) {
        return result;
    }
    result = am_outfile_put(file, data, size, err);
    if (result != AM_OK) {
        am_outfile_abort(file);
        return result;
    }
    return am_outfile_commit(file, err);
}
