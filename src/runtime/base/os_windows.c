// The operating system through the Windows API. Paths are UTF-8 and are passed to the wide-character calls, so that
// they work with any code page.
#include "base/os.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>
// After windows.h, which it needs.
#include <shellapi.h>

enum { longest_path = 4096, longest_line = 32767 };

void *ami_os_alloc(size_t size, size_t align) { return _aligned_malloc(size, align); }
void ami_os_free(void *block) { _aligned_free(block); }

// ---------------------------------------------------------------------------------------------
// Text

/// On failure the result is empty, which every call refuses.
static const wchar_t *widen(wchar_t out[longest_path], const char *text)
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, longest_path) == 0) {
        out[0] = L'\0';
    }
    return out;
}

/// UTF-8 with '/'; false when there is no room.
static bool narrow(char *out, size_t size, const wchar_t *text)
{
    const bool fits = WideCharToMultiByte(CP_UTF8, 0, text, -1, out, (int)size, NULL, NULL) > 0;
    if (!fits && size > 0) {
        out[0] = '\0';
    }
    am_path_tidy(out);
    return fits;
}

// ---------------------------------------------------------------------------------------------
// Files

/// Sets errno as POSIX would, for messages: Windows only says "denied" or "not found".
static void explain(const char *path)
{
    char above[longest_path];
    const char *slash = strrchr(path, '/');
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) : 0, path);
    if (strlen(path) >= MAX_PATH) {
        errno = ENAMETOOLONG;
    } else if (am_path_look(NULL, path) == AM_PATH_FOLDER) {
        errno = EISDIR;
    } else if (am_path_look(NULL, above) == AM_PATH_FILE) {
        errno = ENOTDIR;
    }
}

FILE *ami_os_open(const char *path, const char *mode)
{
    wchar_t wide[longest_path], wide_mode[16] = { 0 };
    for (int i = 0; i < 15 && mode[i]; i++) {
        wide_mode[i] = (wchar_t)mode[i];
    }
    FILE *stream = _wfopen(widen(wide, path), wide_mode);
    if (!stream) {
        explain(path);
    }
    return stream;
}

int ami_os_remove(const char *path)
{
    wchar_t wide[longest_path];
    return _wremove(widen(wide, path));
}

FILE *ami_os_create(const char *path)
{
    wchar_t wide[longest_path];
    const int fd = _wopen(widen(wide, path), _O_WRONLY | _O_BINARY | _O_CREAT | _O_EXCL, _S_IREAD | _S_IWRITE);
    if (fd < 0 && errno != EEXIST) {
        explain(path);
    }
    FILE *stream = fd >= 0 ? _fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !stream) {
        _close(fd);
    }
    return stream;
}

int ami_os_replace(const char *from, const char *to)
{
    wchar_t wide_from[longest_path], wide_to[longest_path];
    if (MoveFileExW(widen(wide_from, from), widen(wide_to, to), MOVEFILE_REPLACE_EXISTING)) {
        return 0;
    }
    errno = GetLastError() == ERROR_DISK_FULL ? ENOSPC : EACCES; // usually another program has the old file open
    explain(to);
    return errno;
}

FILE *ami_os_unnamed(const char *path)
{
    (void)path;
    return NULL;
}

int ami_os_name(FILE *stream, const char *path)
{
    (void)stream;
    (void)path;
    return EEXIST;
}

static void describe(am_path_info *out, HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &info)) {
        out->kind = AM_PATH_OTHER;
        return;
    }
    const bool folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const uint64_t ticks = (uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 | info.ftLastWriteTime.dwLowDateTime;
    out->kind = folder ? AM_PATH_FOLDER : AM_PATH_FILE;
    out->size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    out->changed_ns = ((int64_t)ticks - 116444736000000000) * 100; // ticks of 100 ns since 1601
    out->identity[0] = info.dwVolumeSerialNumber;
    out->identity[1] = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
}

static HANDLE handle_of(FILE *stream) { return (HANDLE)_get_osfhandle(_fileno(stream)); }

bool ami_os_stream_look(am_path_info *out, FILE *stream)
{
    *out = (am_path_info){ .kind = AM_PATH_NONE };
    describe(out, handle_of(stream));
    return true;
}

const void *ami_os_map(FILE *stream, size_t size)
{
    HANDLE mapping = CreateFileMappingW(handle_of(stream), NULL, PAGE_READONLY, 0, 0, NULL);
    const void *data = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size) : NULL;
    if (mapping) {
        CloseHandle(mapping); // the view outlives it
    }
    return data;
}

void ami_os_unmap(const void *data, size_t size)
{
    (void)size;
    UnmapViewOfFile(data);
}

// ---------------------------------------------------------------------------------------------
// Paths and folders

am_path_kind am_path_look(am_path_info *out, const char *path)
{
    wchar_t wide[longest_path];
    am_path_info found = { .kind = AM_PATH_NONE };
    HANDLE handle =
        CreateFileW(widen(wide, path), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL); // the flag lets folders open
    if (handle != INVALID_HANDLE_VALUE) {
        describe(&found, handle);
        CloseHandle(handle);
    }
    if (out) {
        *out = found;
    }
    return found.kind;
}

bool am_path_is_absolute(const char *path)
{
    return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}

void am_path_tidy(char *path)
{
    for (; *path; path++) {
        *path = *path == '\\' ? '/' : *path;
    }
}

bool ami_os_whole_path(char *out, size_t size, const char *path)
{
    wchar_t wide[longest_path], whole[longest_path];
    const DWORD used = GetFullPathNameW(widen(wide, path), longest_path, whole, NULL);
    const bool found =
        used > 0 && used < longest_path && narrow(out, size, whole) && am_path_look(NULL, path) != AM_PATH_NONE;
    if (found) {
        am_path_tidy(out);
    }
    return found;
}

bool ami_os_list(const char *folder, bool (*visit)(void *user, const char *name), void *user)
{
    char pattern[longest_path], name[longest_path];
    wchar_t wide[longest_path];
    WIN32_FIND_DATAW entry;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    HANDLE find = FindFirstFileW(widen(wide, pattern), &entry);
    if (find == INVALID_HANDLE_VALUE) {
        return false;
    }
    bool go_on;
    do {
        go_on = !narrow(name, sizeof name, entry.cFileName) || visit(user, name);
    } while (go_on && FindNextFileW(find, &entry));
    FindClose(find);
    return go_on;
}

bool am_folder_make(const char *path)
{
    wchar_t wide[longest_path];
    return CreateDirectoryW(widen(wide, path), NULL) || am_path_look(NULL, path) == AM_PATH_FOLDER;
}

bool ami_folder_make_temporary(char *out, size_t size, const char *name)
{
    wchar_t wide[longest_path];
    char folder[longest_path];
    bool found = GetTempPathW(longest_path, wide) > 0 && narrow(folder, sizeof folder, wide);
    for (int i = 0; i < 1000 && found; i++) {
        const int used = snprintf(out, size, "%s%s-%lu-%d", folder, name, GetCurrentProcessId(), i);
        found = used > 0 && (size_t)used < size;
        if (found && CreateDirectoryW(widen(wide, out), NULL)) {
            return true;
        }
    }
    out[0] = '\0';
    return false;
}

void ami_folder_remove(const char *path)
{
    am_folder_names names;
    wchar_t wide[longest_path];
    if (!path[0] || !am_folder_list(&names, path)) { // "" would be the root of the disk
        return;
    }
    for (int i = 0; i < names.count; i++) {
        char file[longest_path];
        snprintf(file, sizeof file, "%s/%s", path, names.items[i]);
        DeleteFileW(widen(wide, file));
    }
    am_folder_names_free(&names);
    RemoveDirectoryW(widen(wide, path));
}

bool am_folder_is_writable(const char *path)
{
    wchar_t wide[longest_path];
    return _waccess(widen(wide, path), 2) == 0;
}

bool am_folder_cache(char *out, size_t size)
{
    const wchar_t *folder = _wgetenv(L"LOCALAPPDATA");
    return folder && narrow(out, size, folder);
}

// ---------------------------------------------------------------------------------------------
// This process

double am_clock_us(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return 1e6 * (double)now.QuadPart / (double)rate.QuadPart;
}

double am_clock_thread_us(void)
{
    FILETIME begun, ended, kernel, user;
    GetThreadTimes(GetCurrentThread(), &begun, &ended, &kernel, &user);
    const uint64_t ticks = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                           ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);
    return 0.1 * (double)ticks;
}

void am_sleep_us(double us) { Sleep((DWORD)(us * 1e-3) + 1); }

int am_processor_count(void)
{
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : (int)count;
}

bool am_stderr_is_terminal(void)
{
    // Progress is drawn with escapes, which a console understands when it is asked to.
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    return GetConsoleMode(console, &mode) && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void am_interrupt_catch(void (*handler)(int signal_number))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
    signal(SIGBREAK, handler);
}

// ---------------------------------------------------------------------------------------------
// Other programs

bool am_program_path(char *out, size_t size)
{
    wchar_t wide[longest_path];
    const DWORD length = GetModuleFileNameW(NULL, wide, longest_path);
    return length > 0 && length < longest_path && narrow(out, size, wide);
}

/// One word of a command line, as the C library of the other program reads it back: backslashes count only before a
/// quote. Gives the end, or NULL when there is no room.
static char *put_word(char *at, const char *end, const char *word)
{
    int slashes = 0;
    if (end - at < (ptrdiff_t)(2 * strlen(word) + 4)) {
        return NULL;
    }
    *at++ = '"';
    for (; *word; word++) {
        for (int i = 0; *word == '"' && i <= slashes; i++) {
            *at++ = '\\';
        }
        slashes = *word == '\\' ? slashes + 1 : 0;
        *at++ = *word;
    }
    while (slashes-- > 0) {
        *at++ = '\\';
    }
    *at++ = '"';
    *at++ = ' ';
    return at;
}

void am_program_become(const char *const *words)
{
    char *line = malloc(longest_line);
    wchar_t *wide = malloc(longest_line * sizeof *wide);
    char *at = line;
    for (int i = 0; at && wide && words[i]; i++) {
        at = put_word(at, line + longest_line, words[i]);
    }
    STARTUPINFOW start = { .cb = sizeof start };
    PROCESS_INFORMATION process;
    if (at && wide) {
        at[-1] = '\0';
        MultiByteToWideChar(CP_UTF8, 0, line, -1, wide, longest_line);
        if (CreateProcessW(NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) {
            DWORD status = 1;
            fflush(NULL);
            SetConsoleCtrlHandler(NULL, TRUE); // Ctrl-C is the other program's
            WaitForSingleObject(process.hProcess, INFINITE);
            GetExitCodeProcess(process.hProcess, &status);
            ExitProcess(status);
        }
    }
    free(wide);
    free(line);
}

void am_browser_open(const char *address)
{
    wchar_t wide[longest_path];
    ShellExecuteW(NULL, L"open", widen(wide, address), NULL, NULL, SW_SHOWNORMAL);
}
