/// Finds configs, networks, the page and caches from the location of this program, so that a clone and an installed
/// tree both work wherever they are moved. For all verbs.
#ifndef AMBLE_CLI_PLACES_H
#define AMBLE_CLI_PLACES_H

#include "cli.h"

/// What ships beside the command.
typedef enum cli_place { CLI_CONFIGS, CLI_MODELS, CLI_WEB, CLI_WASM } cli_place;

/// The folder of it: in the source tree that holds the build, in PREFIX/share/amble of an installed command, else in
/// the working folder's tree.
void cli_place_folder(char *out, size_t size, cli_place place);
/// The path of a file in it. The working folder's own configs/ and models/ come first. False when it is in neither.
bool cli_place_file(char *out, size_t size, cli_place place, const char *name);

/// A path below the source tree; false for an installed command, which has none.
bool cli_source_path(char *out, size_t size, const char *below);

/// The folder for what can be made again ("databases", "studio"), which need not exist yet: below build/ of the
/// working folder or the source tree; for an installed command below the user's cache, as ~/.cache/amble.
void cli_cache_folder(char *out, size_t size, const char *name);

/// Makes a folder and those above it; true when it is there afterwards.
bool cli_make_folder(const char *path);
bool cli_is_file(const char *path);
bool cli_is_folder(const char *path);

#endif
