// Keeps databases between runs. Next to X.amdb is X.stamp, which says what it was made from, in three numbers: a hash
// of all inputs by name, size and time, one by their bytes, and the hash of the database. Equal sizes and times are
// enough, so that a second start reads no clip; when they differ, the bytes decide.
#include "build/build_internal.h"

#include <amble/tools/os.h>
#include <amble/tools/synth.h>

#include "build/builder_version.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { path_size = 1100 };

typedef struct stamp {
    uint64_t quick;   ///< of texts and the clips' names, sizes and times
    uint64_t content; ///< of texts and the clips' names and bytes; 0 before it is computed
    uint64_t db_hash;
} stamp;

static uint64_t hash_file(const char *path, uint64_t hash)
{
    am_file file = { 0 };
    am_error err = { 0 };
    if (am_file_open(&file, path, &err) != AM_OK) {
        return am_hash64("none", 4, hash);
    }
    hash = am_hash64(file.data, file.size, hash);
    am_file_close(&file);
    return hash;
}

/// A file that the config names, relative to it; NULL counts as none.
static uint64_t hash_beside(const ami_building *b, const char *name, uint64_t hash)
{
    char path[path_size];
    bool found = name && am_path_beside(path, sizeof path, b->def->config_path, name);
    return found ? hash_file(path, hash) : am_hash64("none", 4, hash);
}

/// The builder, the config and the files that it names, without the clips.
static uint64_t hash_texts(const ami_building *b)
{
    const am_json *features = am_json_get(am_json_root(b->config.doc), "features");
    uint64_t hash = am_hash64(AMI_BUILDER_VERSION, strlen(AMI_BUILDER_VERSION), 1);
    hash = am_hash64(b->config_text, b->config_size, hash);
    hash = hash_beside(b, features && features->type == AM_JSON_STRING ? features->string : NULL, hash);
    hash = hash_beside(b, b->def->clips_dir ? NULL : b->config.tags, hash);
    for (int i = 0; i < b->config.side_count; i++) {
        hash = hash_beside(b, b->config.sides[i].path, hash);
    }
    return hash;
}

/// The config names no clips: am_synth_write_all, which is part of the builder, makes the motion.
static bool is_procedural(const ami_building *b)
{
    return !b->def->clips_dir && b->config.sets.count == 0 && b->config.folders.count == 0;
}

static uint64_t hash_clips(const ami_building *b, uint64_t hash, bool bytes)
{
    for (int i = 0; i < b->import.count; i++) {
        const am_import_clip *clip = &b->import.clips[i];
        hash = am_hash64(clip->name, strlen(clip->name) + 1, hash);
        if (bytes) {
            hash = hash_file(clip->path, hash);
            continue;
        }
        am_path_info info;
        am_path_look(&info, clip->path);
        const int64_t facts[2] = { info.size, info.changed_ns };
        hash = am_hash64(facts, sizeof facts, hash);
    }
    return hash;
}

static bool stamp_path(char *out, size_t size, const char *file)
{
    const char *dot = strrchr(file, '.');
    int stem = dot && !strchr(dot, '/') ? (int)(dot - file) : (int)strlen(file);
    return snprintf(out, size, "%.*s.stamp", stem, file) < (int)size;
}

static bool read_stamp(stamp *out, const char *file)
{
    char path[path_size];
    char text[64] = "";
    am_file read = { 0 };
    am_error err = { 0 };
    if (!stamp_path(path, sizeof path, file) || am_file_open(&read, path, &err) != AM_OK) {
        return false;
    }
    memcpy(text, read.data, read.size < sizeof text - 1 ? read.size : sizeof text - 1);
    am_file_close(&read);
    unsigned long long numbers[3];
    bool good = sscanf(text, "%16llx %16llx %16llx", &numbers[0], &numbers[1], &numbers[2]) == 3;
    *out = good ? (stamp){ numbers[0], numbers[1], numbers[2] } : (stamp){ 0 };
    return good;
}

static am_result write_stamp(const stamp *s, const char *file, am_error *err)
{
    char path[path_size];
    char text[64];
    int size = snprintf(text, sizeof text, "%016llx %016llx %016llx\n", (unsigned long long)s->quick,
                        (unsigned long long)s->content, (unsigned long long)s->db_hash);
    if (!stamp_path(path, sizeof path, file)) {
        return ami_fail(err, AM_ERR_LIMIT, "the path '%.200s' is too long", file);
    }
    return am_file_write(path, text, (size_t)size, err);
}

/// Reads the config and lists the clips. After a failure *out is NULL.
static am_result list_inputs(ami_building **out, const am_build_def *def, am_error *err)
{
    am_result result = ami_build_begin(out, def, err);
    if (result == AM_OK && !is_procedural(*out)) {
        result = ami_build_list(*out);
    }
    if (result != AM_OK) {
        ami_build_end(*out);
        *out = NULL;
    }
    return result;
}

bool am_build_has_clips(const am_build_def *def)
{
    am_error err = { 0 };
    ami_building *b = NULL;
    bool has = list_inputs(&b, def, &err) == AM_OK;
    ami_build_end(b);
    return has;
}

bool am_build_is_fresh(const am_build_def *def, const char *file)
{
    am_error err = { 0 };
    ami_building *b = NULL;
    am_db *db = NULL;
    stamp kept;
    bool fresh = read_stamp(&kept, file) && am_db_open(&db, file, def->alloc, &err) == AM_OK &&
                 db->hash == kept.db_hash && list_inputs(&b, def, &err) == AM_OK &&
                 hash_clips(b, hash_texts(b), false) == kept.quick;
    am_db_close(db);
    ami_build_end(b);
    return fresh;
}

/// The kept database when its stamp fits; false leaves *out NULL.
static bool open_kept(am_db **out, const ami_building *b, stamp *now, const char *file)
{
    stamp kept;
    am_error err = { 0 };
    uint64_t texts = hash_texts(b);
    bool is = read_stamp(&kept, file);
    now->quick = hash_clips(b, texts, false);
    bool quick = is && kept.quick == now->quick;
    now->content = quick ? kept.content : hash_clips(b, texts, true);
    if (!is || now->content != kept.content || am_db_open(out, file, b->def->alloc, &err) != AM_OK) {
        return false;
    }
    if ((*out)->hash != kept.db_hash) { // another process has written one of the two files in between
        am_db_close(*out);
        *out = NULL;
        return false;
    }
    now->db_hash = kept.db_hash;
    if (!quick) {
        write_stamp(now, file, &err); // files were copied or touched; if this fails, the bytes are read again
    }
    return true;
}

static am_result make_clips(char *folder, size_t size, const char *file, am_error *err)
{
    if (!stamp_path(folder, size, file)) {
        return ami_fail(err, AM_ERR_LIMIT, "the path '%.200s' is too long", file);
    }
    folder[strlen(folder) - strlen(".stamp")] = '\0';
    if (!am_folder_make(folder)) {
        return ami_fail(err, AM_ERR_WRITE, "the folder '%s' for procedural clips cannot be created", folder);
    }
    return am_synth_write_all(folder, err);
}

am_result am_build_open(am_db **out, const am_build_def *def, const char *file, am_error *err)
{
    *out = NULL;
    ami_building *b = NULL;
    am_result result = list_inputs(&b, def, err);
    if (result != AM_OK) {
        return result;
    }
    stamp now = { 0 };
    bool kept = open_kept(out, b, &now, file);
    bool procedural = is_procedural(b);
    ami_build_end(b);
    if (kept) {
        return AM_OK;
    }
    am_build_def used = *def;
    char folder[path_size];
    if (procedural) {
        result = make_clips(folder, sizeof folder, file, err);
        used.clips_dir = folder;
    }
    result = result == AM_OK ? am_build(out, NULL, &used, err) : result;
    result = result == AM_OK ? am_db_write(*out, file, err) : result;
    if (result == AM_OK) {
        now.db_hash = (*out)->hash;
        result = write_stamp(&now, file, err);
    }
    if (result != AM_OK) {
        am_db_close(*out);
        *out = NULL;
    }
    return result;
}
