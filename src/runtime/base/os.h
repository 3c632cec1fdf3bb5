/// What files, folders and memory need from the operating system. <amble/tools/os.h> has the rest. Paths are UTF-8.
#ifndef AMI_BASE_OS_H
#define AMI_BASE_OS_H

#include <amble/tools/os.h>

/// Memory aligned to `align`, a power of two; `size` is a multiple of it. NULL when there is none.
void *ami_os_alloc(size_t size, size_t align);
void ami_os_free(void *block);

/// fopen and remove for paths in UTF-8; errno says why they failed.
FILE *ami_os_open(const char *path, const char *mode);
int ami_os_remove(const char *path);
/// A new file to write; errno is EEXIST when something has that name.
FILE *ami_os_create(const char *path);
/// Renames a file, over the one that has that name. 0, or an errno.
int ami_os_replace(const char *from, const char *to);
/// A file to write that has no name yet, in the folder of `path`; it vanishes with the program. NULL where the system
/// cannot do this.
FILE *ami_os_unnamed(const char *path);
/// Gives the file of ami_os_unnamed a name that is free. 0, or an errno.
int ami_os_name(FILE *stream, const char *path);

/// What an open file is. False: errno says why.
bool ami_os_stream_look(am_path_info *out, FILE *stream);
/// The whole file in memory, to read; it outlives the stream. NULL when it cannot be mapped.
const void *ami_os_map(FILE *stream, size_t size);
void ami_os_unmap(const void *data, size_t size);

/// Makes a new, empty folder for temporary files; `out` is its path, "" when that fails.
bool ami_folder_make_temporary(char *out, size_t size, const char *name);
/// Removes a folder and the files in it; folders inside it stay, and then it stays, too. "" is allowed: nothing
/// happens.
void ami_folder_remove(const char *path);

/// The path from the root of something that exists, without links where the system resolves them.
bool ami_os_whole_path(char *out, size_t size, const char *path);
/// Calls visit for every name in a folder, in the system's order, until it gives false. False when the folder cannot
/// be opened or visit gave false.
bool ami_os_list(const char *folder, bool (*visit)(void *user, const char *name), void *user);

#endif
