// amble import: the doctor looks at motion files and says what they are and what is wrong; --fix writes clean clips.
#include "import.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

static bool add_entry(import_job *j, const char *path)
{
    if (j->count == j->room) {
        int room = j->room ? j->room * 2 : 64;
        import_entry *more = realloc(j->entries, (size_t)room * sizeof *more);
        if (!more) {
            return false;
        }
        j->entries = more;
        j->room = room;
    }
    import_entry *e = &j->entries[j->count];
    memset(e, 0, sizeof *e);
    e->path = copy_text(path);
    am_path_look(&e->file, path);
    j->count += e->path ? 1 : 0;
    return e->path != NULL;
}

// ---------------------------------------------------------------------------------------------
// Files and folders

static bool is_motion_file(const char *name)
{
    static const char *const known[] = { ".bvh", ".glb", ".gltf", ".fbx", ".dae", ".npz" };
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < 6; i++) {
        const char *a = dot;
        const char *b = known[i];
        while (*a && (*a | 32) == *b) {
            a++;
            b++;
        }
        if (!*a && !*b) {
            return true;
        }
    }
    return false;
}

static bool add_path(import_job *j, const char *path, int depth);

static bool add_folder(import_job *j, const char *path, int depth)
{
    am_folder_names names;
    am_folder_list(&names, path);
    bool ok = true;
    for (int i = 0; i < names.count && ok; i++) {
        char full[4096];
        int size = snprintf(full, sizeof full, "%s%s%s", path, cli_slash(path), names.items[i]);
        bool folder = size > 0 && (size_t)size < sizeof full && cli_is_folder(full);
        if (folder || is_motion_file(names.items[i])) {
            ok = add_path(j, full, depth + 1);
        }
    }
    am_folder_names_free(&names);
    return ok;
}

/// A file as it is; a folder with everything below it. Links that run in a circle end at depth 32.
static bool add_path(import_job *j, const char *path, int depth)
{
    if (cli_is_folder(path)) {
        return depth > 32 || add_folder(j, path, depth);
    }
    return add_entry(j, path);
}

// ---------------------------------------------------------------------------------------------
// Reading and examining, one file an item

static void examine_file(void *context, int item)
{
    import_job *j = context;
    import_entry *e = &j->entries[item];
    am_read_def read = am_read_def_default();
    read.file = e->path;
    am_clips clips;
    if (am_motion_read_file(&clips, e->path, &read, &e->error) != AM_OK) {
        return;
    }
    if (clips.count == 0) {
        e->error = cli_error(AM_ERR_EMPTY, e->path, "the file holds no motion");
    } else {
        e->clip_count = clips.count;
        e->motion = clips.items[e->clip < clips.count ? e->clip : 0];
        clips.items[e->clip < clips.count ? e->clip : 0] = NULL; // taken over
        if (am_doctor_examine(&e->diagnosis, e->motion, &j->doctor, &e->error) != AM_OK) {
            snprintf(e->error.file, sizeof e->error.file, "%s", e->path);
        }
    }
    am_clips_free(&clips);
}

/// Files with several clips get an entry for each, in their place.
static bool spread_clips(import_job *j)
{
    for (int i = 0; i < j->count; i++) {
        int extra = j->entries[i].clip == 0 ? j->entries[i].clip_count - 1 : 0;
        for (int k = 1; k <= extra; k++) {
            if (!add_entry(j, j->entries[i].path)) {
                return false;
            }
            import_entry added = j->entries[j->count - 1];
            memmove(&j->entries[i + k + 1], &j->entries[i + k], (size_t)(j->count - 1 - i - k) * sizeof added);
            added.clip = k;
            j->entries[i + k] = added;
            examine_file(j, i + k);
        }
    }
    return true;
}

typedef struct block {
    import_job *j;
    am_task_fn fn;
    int first;
} block;

static void run_item(void *context, int item)
{
    const block *b = context;
    b->fn(b->j, b->first + item);
}

/// All entries, in blocks so that progress can be told, and Ctrl-C heard, between them. False after Ctrl-C; *done
/// entries had their turn.
static bool run_blocks(import_job *j, int *done, const am_tasks *tasks, am_task_fn fn, const char *stage)
{
    int size = 16 * (tasks->threads > 0 ? tasks->threads : 1);
    int total = j->count;
    bool went_on = true;
    for (*done = 0; went_on && *done < total;) {
        block b = { j, fn, *done };
        int count = total - *done < size ? total - *done : size;
        tasks->run(tasks->user, count, run_item, &b);
        *done += count;
        went_on = j->progress.report(j->progress.user, stage, *done, total);
    }
    cli_progress_end();
    return went_on;
}

static am_result compare_all(import_job *j, am_error *err)
{
    am_diagnosis *diagnoses = calloc((size_t)j->count + 1, sizeof *diagnoses);
    const am_clip **clips = calloc((size_t)j->count + 1, sizeof(const am_clip *));
    int count = 0;
    am_result result = diagnoses && clips ? AM_OK : AM_ERR_MEMORY;
    for (int i = 0; result == AM_OK && i < j->count; i++) {
        if (j->entries[i].error.code == AM_OK) {
            diagnoses[count] = j->entries[i].diagnosis;
            clips[count++] = j->entries[i].motion;
        }
    }
    if (result == AM_OK) {
        result = am_doctor_compare(diagnoses, clips, count, err);
    }
    count = 0;
    for (int i = 0; diagnoses && clips && i < j->count; i++) {
        if (j->entries[i].error.code == AM_OK) {
            j->entries[i].diagnosis = diagnoses[count++]; // findings may have moved
        }
    }
    free(diagnoses);
    free(clips);
    return result;
}

// ---------------------------------------------------------------------------------------------
// --fix

typedef struct written {
    char path[2048];
} written;

/// Whether `path` is one of the files to be cleaned: nobody's only copy is overwritten.
static bool is_input(const import_job *j, const char *path)
{
    am_path_info info;
    bool found = false;
    if (am_path_look(&info, path) == AM_PATH_FILE) {
        for (int i = 0; i < j->count && !found; i++) {
            found = memcmp(j->entries[i].file.identity, info.identity, sizeof info.identity) == 0;
        }
    }
    return found;
}

/// All clean pieces of one file, or none of them.
static am_result write_pieces(const import_job *j, const am_clips *pieces, am_error *err)
{
    am_write_def write = am_write_def_default();
    written *done = calloc((size_t)pieces->count, sizeof *done);
    am_result result = done ? AM_OK : AM_ERR_MEMORY;
    int count = 0;
    for (int i = 0; result == AM_OK && i < pieces->count; i++) {
        am_bytes bytes = { 0 };
        snprintf(done[i].path, sizeof done[i].path, "%s/%s.bvh", j->out_dir, pieces->items[i]->name);
        if (is_input(j, done[i].path)) {
            *err =
                cli_error(AM_ERR_WRITE, done[i].path, "is one of the files to clean; choose another folder for -o");
            result = err->code;
            break;
        }
        result = am_bvh_write(&bytes, pieces->items[i], &write, err);
        if (result == AM_OK) {
            result = am_file_write(done[i].path, bytes.data, bytes.size, err);
            am_bytes_free(&bytes);
        }
        count += result == AM_OK ? 1 : 0;
    }
    for (int i = 0; result != AM_OK && i < count; i++) {
        remove(done[i].path);
    }
    free(done);
    return result;
}

static void fix_file(void *context, int item)
{
    import_job *j = context;
    import_entry *e = &j->entries[item];
    if (e->error.code != AM_OK) {
        return;
    }
    am_clean_def clean = am_clean_def_default();
    am_clips pieces;
    am_roles roles;
    am_result result = am_doctor_clean(&pieces, &roles, NULL, 0, e->motion, &e->diagnosis, &clean, &e->error);
    if (result == AM_ERR_EMPTY) {
        memset(&e->error, 0, sizeof e->error);
        e->nothing = true; // bad throughout: the findings say why
        return;
    }
    if (result == AM_OK) {
        result = write_pieces(j, &pieces, &e->error);
        am_clips_free(&pieces);
    }
    if (result == AM_ERR_MEMORY && e->error.code == AM_OK) {
        e->error = cli_error(AM_ERR_MEMORY, NULL, "out of memory");
    }
    if (result != AM_OK && !e->error.file[0]) {
        snprintf(e->error.file, sizeof e->error.file, "%s", e->path);
    }
}

/// The clip's name as part of a path: no folders, nothing hidden, nothing a terminal obeys. Names inside a file are
/// anyone's text; "../x" must not leave the folder.
static void safe_name(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s", name[0] ? name : "clip");
    out[0] = out[0] == '.' ? '_' : out[0];
    for (char *at = out; *at; at++) {
        unsigned char c = (unsigned char)*at;
        *at = c < 32 || c == 127 || c == '/' || c == '\\' ? '_' : *at;
    }
}

static am_result rename_clip(import_entry *e, const char *name, am_error *err)
{
    const am_clip *clip = e->motion;
    am_clip_def def = am_clip_def_like(clip);
    def.frame_count = clip->frame_count;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    def.name = name;
    am_clip *renamed = NULL;
    am_result result = am_clip_create(&renamed, &def, err);
    if (result == AM_OK) {
        am_clip_destroy(e->motion);
        e->motion = renamed;
    }
    return result;
}

/// Whether `other` may be the name of a piece of `e`: NAME-a, when there is something to cut.
static bool may_be_piece(const import_entry *e, const char *other)
{
    size_t size = strlen(e->motion->name);
    bool fits = strncmp(other, e->motion->name, size) == 0 && other[size] == '-' && other[size + 1] >= 'a' &&
                other[size + 1] <= 'z' && other[size + 2] == '\0';
    for (int i = 0; fits && i < e->diagnosis.fault_count; i++) {
        if (e->diagnosis.faults[i].serious) {
            return true;
        }
    }
    return false;
}

static bool names_meet(const import_entry *a, const import_entry *b)
{
    return strcmp(a->motion->name, b->motion->name) == 0 || may_be_piece(a, b->motion->name) ||
           may_be_piece(b, a->motion->name);
}

/// Two inputs of one name would overwrite each other: the later ones get a number.
static am_result name_apart(import_job *j, am_error *err)
{
    for (int i = 0; i < j->count; i++) {
        import_entry *e = &j->entries[i];
        if (e->error.code != AM_OK) {
            continue;
        }
        char base[200], name[220]; // with the piece and ".bvh" within the 255 bytes of most file systems
        safe_name(base, sizeof base, e->motion->name);
        am_result result = strcmp(base, e->motion->name) == 0 ? AM_OK : rename_clip(e, base, err);
        for (int k = 0, number = 1; result == AM_OK && k < i; k++) {
            if (j->entries[k].error.code == AM_OK && names_meet(e, &j->entries[k])) {
                snprintf(name, sizeof name, "%s-%d", base, ++number);
                result = rename_clip(e, name, err);
                k = -1; // the new name must be new too
            }
        }
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

static int report_errors(const import_job *j)
{
    int status = CLI_DONE;
    for (int i = 0; i < j->count; i++) {
        if (j->entries[i].error.code != AM_OK) {
            status = cli_fail(&j->entries[i].error);
        }
    }
    return status;
}

static void free_job(import_job *j)
{
    for (int i = 0; i < j->count; i++) {
        if (j->entries[i].motion) {
            am_clip_destroy(j->entries[i].motion);
        }
        if (j->entries[i].diagnosis.alloc.release) {
            am_diagnosis_free(&j->entries[i].diagnosis);
        }
        free(j->entries[i].path);
    }
    free(j->entries);
}

// ---------------------------------------------------------------------------------------------
// The verb

static int run_job(import_job *j, const cli_common *common)
{
    am_pool *pool = NULL;
    am_tasks tasks = cli_tasks(common, &pool);
    am_error err = { 0 };
    int examined = 0, fixed = 0;
    bool went_on = run_blocks(j, &examined, &tasks, examine_file, "examining") && spread_clips(j);
    am_result result = went_on ? compare_all(j, &err) : AM_OK;
    if (went_on && result == AM_OK && j->out_dir) {
        result = name_apart(j, &err);
        went_on = result != AM_OK || run_blocks(j, &fixed, &tasks, fix_file, "writing");
    }
    am_pool_destroy(pool);
    if (!went_on && fixed > 0) {
        fprintf(stderr, "amble: stopped after %d of %d clips; each file written is whole\n", fixed, j->count);
        return CLI_FAILED;
    }
    if (!went_on) {
        fputs("amble: stopped; nothing was written\n", stderr);
        return CLI_FAILED;
    }
    if (result != AM_OK) {
        return cli_fail(&err);
    }
    int status = report_errors(j);
    if (!common->json) {
        import_print_text(j);
        return status;
    }
    int printed = import_print_json(j);
    return printed != CLI_DONE ? printed : status;
}

static bool is_axis(const char *text)
{
    return !text || (strlen(text) == 2 && (text[0] == '+' || text[0] == '-') && text[1] >= 'x' && text[1] <= 'z');
}

int verb_import(const cli_verb *verb, int argc, char **argv)
{
    bool fix = false;
    double unit = 0.0;
    double fps = 0.0;
    import_job j = { .doctor = am_doctor_def_default(), .progress = cli_progress() };
    const cli_option options[] = {
        { .name = "--fix", .help = "write clean clips: metres, y up, +z forward, hips first", .flag = &fix },
        { .name = "--output,-o", .value = "DIR", .help = "folder for --fix", .text = &j.out_dir },
        { .name = "--unit", .value = "M", .help = "metres in one unit of the files", .number = &unit },
        { .name = "--fps", .value = "N", .help = "true frames a second", .number = &fps },
        { .name = "--up", .value = "AXIS", .help = "the files' up axis: +y, +z, ...", .text = &j.doctor.up },
        { .name = "--facing", .value = "AXIS", .help = "the way the rest pose faces", .text = &j.doctor.facing },
    };
    cli_call call;
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands == 0) {
        return cli_usage("import wants files or folders; see amble import --help");
    }
    if (fix != (j.out_dir != NULL)) {
        return cli_usage("import: --fix and -o DIR go together");
    }
    if (!is_axis(j.doctor.up) || !is_axis(j.doctor.facing)) {
        return cli_usage("import: an axis is one of +x -x +y -y +z -z");
    }
    if (!(unit >= 0.0) || !(fps >= 0.0)) { // also no NaN
        return cli_usage("import: --unit and --fps want numbers above 0");
    }
    if (unit > 0.0) {
        j.doctor.unit_m = (float)unit;
    }
    j.doctor.fps = (float)fps;
    if (j.out_dir && !am_folder_make(j.out_dir)) {
        return cli_usage("import: %s is no folder and none can be made there", j.out_dir);
    }
    bool added = true;
    for (int i = 0; added && i < call.operands; i++) {
        added = add_path(&j, argv[i], 0);
    }
    if (!added) {
        fputs("amble: out of memory\n", stderr);
        free_job(&j);
        return CLI_FAILED;
    }
    if (j.count == 0) {
        fputs("amble: no motion files (.bvh .glb .gltf .fbx .dae .npz) there\n", stderr);
        free_job(&j);
        return CLI_FAILED;
    }
    int status = run_job(&j, &call.common);
    free_job(&j);
    return status;
}
