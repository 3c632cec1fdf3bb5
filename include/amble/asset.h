/// An asset: a database and networks that belong together, opened once, with everything that is made from them and
/// never changes (index, filters, facts, motion field, value functions). Actors on any thread share it.
#ifndef AMBLE_ASSET_H
#define AMBLE_ASSET_H

#include <amble/control.h>
#include <amble/net.h>
#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_ASSET_FILES 32

/// A file of an asset: an .amdb or an .amnet.
typedef struct am_asset_file {
    const char *name; ///< its path, or only a name for errors where `data` is given
    const void *data; ///< its bytes, aligned to 64, which must outlive the asset; NULL: map the file
    size_t size;
} am_asset_file;

/// Immutable; any number of threads may use it.
typedef struct am_asset am_asset;

/// How an asset is made. Begin with am_asset_def_init().
typedef struct am_asset_def {
    const am_alloc *alloc;
    const am_asset_file *files; ///< [file_count]; at most one database
    int file_count;
    const am_db *db;               ///< borrowed: an open database instead of a file
    const am_model *const *models; ///< [model_count] borrowed: open models; those of the files come first
    int model_count;
    const am_source *source; ///< borrowed: a method of the caller's own, AM_METHOD_OWN; NULL: none
    uint32_t methods;        ///< 1u << am_method for each to prepare. 0: `source` alone where there is one, else all
                             ///< that files and models offer: match and long-horizon with a database, learned, flow
    ///< and segments with their networks, field with value functions. A field that is named here
    ///< needs none
    uint32_t cookie;
} am_asset_def;
AM_API void am_asset_def_init(am_asset_def *def);
/// Refuses what does not fit together: networks of another skeleton (AM_ERR_SKELETON), value functions of another
/// database, methods without the files that they need (AM_ERR_SUPPORT).
AM_API am_result am_asset_create(am_asset **out, const am_asset_def *def, am_error *err);
/// The short way: every method that the files offer.
AM_API am_result am_asset_open(am_asset **out, const am_asset_file *files, int count, const am_alloc *alloc,
                               am_error *err);
/// Call it after the last actor is destroyed. NULL is allowed.
AM_API void am_asset_close(am_asset *asset);

/// 1u << am_method for each method that its actors can use.
AM_API uint32_t am_asset_methods(const am_asset *asset);
/// The skeleton of its poses, and which joint has which role. The asset owns them.
AM_API const am_skeleton *am_asset_skeleton(const am_asset *asset);
AM_API const am_roles *am_asset_roles(const am_asset *asset);
/// The joint with this name or role ("left_foot"); -1: none.
AM_API int am_asset_joint(const am_asset *asset, const char *name_or_role);
/// The database behind a method; for AM_METHOD_LEARNED the small one of its start states. NULL: none.
AM_API const am_db *am_asset_db(const am_asset *asset, am_method method);
/// What can be asked of the characters of a method (flow, segments) by am_intent.control: make values of this schema.
/// NULL for other methods and where nothing can be asked.
AM_API const am_control_schema *am_asset_control_schema(const am_asset *asset, am_method method);
/// Ticks between the anchors of the value function that a field uses for a task (task and every as in am_settings); 0
/// when there is none.
AM_API int am_asset_value(const am_asset *asset, int task, int every);

/// What an asset made from its files.
typedef struct am_asset_info {
    size_t index_bytes;   ///< of the search index, beside the database; 0 without matching
    size_t field_bytes;   ///< of the motion field, beside the database; 0 without one
    int field_states;     ///< states of the motion field; 0 without one
    int field_neighbours; ///< neighbours of a state: the actions to choose among; 0 without a field
    bool has_direction;   ///< it has a network for paths with AM_PATH_FACING_NET
} am_asset_info;
AM_API void am_asset_get_info(const am_asset *asset, am_asset_info *out);

#ifdef __cplusplus
}
#endif
#endif
