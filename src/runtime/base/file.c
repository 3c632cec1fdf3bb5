// Files: existing ones are mapped (or read, where that is not possible), new ones appear under their name only when
// complete. No allocator is passed in: handles come from malloc.
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include <amble/tools/files.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint8_t nothing[1] = { 0 }; // an empty file's data, so that data is never NULL

// What the user can do about an errno. strerror is not thread-safe and does not say what to do.
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
    am_alloc alloc = ami_alloc_or_default(NULL);
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

static am_result open_stream(am_file *out, FILE *stream, const char *path, am_error *err)
{
    am_path_info info;
    if (!ami_os_stream_look(&info, stream)) {
        return fail_file(err, AM_ERR_READ, path, "cannot read", errno);
    }
    if (info.kind == AM_PATH_FOLDER) {
        return fail_file(err, AM_ERR_OPEN, path, "cannot open", EISDIR);
    }
    if (info.size < 0 || (uint64_t)info.size > SIZE_MAX / 2) {
        ami_fail(err, AM_ERR_LIMIT, "the file is too large for this machine's memory; split it");
        ami_error_file(err, path);
        return AM_ERR_LIMIT;
    }
    size_t size = info.kind == AM_PATH_FILE ? (size_t)info.size : 0;
    const void *data = size > 0 ? ami_os_map(stream, size) : NULL;
    if (data) {
        *out = (am_file){ data, size, true };
        return AM_OK;
    }
    return read_stream(out, stream, size > 0 ? size : 4096, path, err);
}

am_result am_file_open(am_file *out, const char *path, am_error *err)
{
    memset(out, 0, sizeof *out);
    FILE *stream = ami_os_open(path, "rb");
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
    if (file->mapped) {
        ami_os_unmap(file->data, file->size);
    } else if (file->data && file->data != nothing) {
        am_alloc alloc = ami_alloc_or_default(NULL);
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

// Opens a file that did not exist before, beside the target so that the rename stays on one disk. Numbers are tried
// in turn, as a killed run may have left its own behind and other runs may be writing the same target.
static int open_partial(am_outfile *file)
{
    size_t room = strlen(file->path) + 16;
    for (int i = 0; i < 1000; i++) {
        snprintf(file->partial, room, "%s.part%d", file->path, i);
        file->stream = ami_os_create(file->partial);
        if (file->stream) {
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
    }
    return EEXIST;
}

// Gives complete bytes a name beside the target, from which they are renamed: a name cannot be taken over at once.
static int name_partial(am_outfile *file)
{
    int reason = EEXIST;
    for (int i = 0; i < 1000 && reason == EEXIST; i++) {
        snprintf(file->partial, strlen(file->path) + 16, "%s.part%d", file->path, i);
        reason = ami_os_name(file->stream, file->partial);
    }
    file->unnamed = reason != 0;
    return reason;
}

static void free_outfile(am_outfile *file)
{
    am_alloc alloc = ami_alloc_or_default(NULL);
    ami_release(&alloc, file, file->size);
}

am_result am_outfile_begin(am_outfile **out, const char *path, am_error *err)
{
    *out = NULL;
    const am_path_kind kind = am_path_look(NULL, path);
    if (kind == AM_PATH_FOLDER) {
        return fail_file(err, AM_ERR_WRITE, path, "cannot write", EISDIR);
    }
    am_alloc alloc = ami_alloc_or_default(NULL);
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
    if (kind == AM_PATH_OTHER) { // a device or a pipe (-o /dev/stdout) must not be replaced by a rename
        file->partial = file->path;
        file->stream = ami_os_open(path, "wb");
        reason = file->stream ? 0 : errno;
    } else {
        // Where the system can, the bytes have no name at all until they are complete: whatever ends the program
        // then, a second Ctrl-C or worse, leaves nothing behind.
        file->stream = ami_os_unnamed(path);
        file->unnamed = file->stream != NULL;
        reason = file->unnamed ? 0 : open_partial(file);
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
    if (!reason && renamed) {
        reason = ami_os_replace(file->partial, file->path);
    }
    am_result result = reason ? fail_file(err, AM_ERR_WRITE, file->path, "cannot write", reason) : AM_OK;
    if (reason && renamed) {
        ami_os_remove(file->partial);
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
        ami_os_remove(file->partial);
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

am_result am_file_check_output(const char *path, am_error *err)
{
    const am_path_kind kind = am_path_look(NULL, path);
    if (kind == AM_PATH_OTHER) {
        return AM_OK; // a device or a pipe
    }
    char folder[4096];
    const char *slash = strrchr(path, '/');
    const int size = slash && slash > path ? (int)(slash - path) : 1; // "/" of "/x"
    snprintf(folder, sizeof folder, "%.*s", size, slash ? path : ".");
    if (kind == AM_PATH_FOLDER) {
        ami_fail(err, AM_ERR_WRITE, "is a folder; give the name of a file");
    } else if (am_path_look(NULL, folder) != AM_PATH_FOLDER) {
        ami_fail(err, AM_ERR_WRITE, "the folder %.200s does not exist; create it, or choose another place", folder);
    } else if (!am_folder_is_writable(folder)) {
        ami_fail(err, AM_ERR_WRITE, "the folder %.200s is not writable; choose another place", folder);
    } else {
        return AM_OK;
    }
    ami_error_file(err, path);
    return AM_ERR_WRITE;
}
