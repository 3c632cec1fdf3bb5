// Training controls: reads them, and draws values for frames.
#include "control/training.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "control/exclude.h"
#include "control/frames.h"
#include "operators/fill.h"
#include "operators/pose_parts.h"

#include <stdio.h>
#include <string.h>

enum { most_cases = 256, most_tries = 1000, check_tries = 2000 };

/// A branch of a "choose".
typedef struct branch {
    float share;
    ami_frames frames;
} branch;

/// One branch for each choice that is made in every value: what the shares are shares of.
typedef struct drawn_case {
    float share;       ///< of all; the shares of all cases add up to 1
    ami_frames frames; ///< never all
    int *list;         ///< [count] the same, ascending
    int count;
    int16_t branches[AMI_FILL_CHOICES]; ///< -1: not decided by the case
} drawn_case;

struct ami_training_controls {
    am_alloc alloc;
    const am_control_schema *schema;
    const am_db *db;
    ami_motion *motion;
    ami_fill *fill;
    branch *branches[AMI_FILL_CHOICES]; ///< [choice][AMI_FILL_BRANCHES]
    ami_frames frames;
    drawn_case *cases;
    int case_count;
    int *list; ///< [list_count]: frames of any case
    int list_count;
    ami_part_tags *parts;      ///< [node]
    ami_pose_part *pose_parts; ///< [pose_part_count]
    int pose_part_count;
    ami_arena arena; ///< of parts
};

/// A draw: the context of the fill's functions, which see the moment that it begins with.
typedef struct drawing {
    ami_moment moment;
    const ami_training_controls *controls;
    const int16_t *branches;
    am_rng *rng;
} drawing;

// ---------------------------------------------------------------------------------------------
// Branches

typedef struct reading {
    ami_training_controls *controls;
    const am_json_doc *doc;
} reading;

static am_result read_branch(void *user, int choice, int number, const am_json *body, am_error *err)
{
    const reading *r = user;
    ami_training_controls *c = r->controls;
    if (!c->branches[choice]) {
        c->branches[choice] = ami_alloc_array(&c->alloc, AMI_FILL_BRANCHES, sizeof *c->branches[choice]);
        if (!c->branches[choice]) {
            return ami_fail_memory(err, AMI_FILL_BRANCHES * sizeof *c->branches[choice]);
        }
    }
    branch *b = &c->branches[choice][number];
    b->share = 1.0f;
    if (body->type != AM_JSON_OBJECT) {
        return AM_OK;
    }
    am_result result = am_json_read_float(r->doc, body, "share", false, &b->share, 1e-6f, 1e6f, err);
    bool filtered = am_json_get(body, "frames") || am_json_get(body, "where");
    return result == AM_OK && filtered ? ami_frames_read(c->motion, &b->frames, r->doc, body, err) : result;
}

static float share_of(const ami_training_controls *c, int choice, int number)
{
    return c->branches[choice][number].share;
}

/// Among those branches whose frames hold this one, as their shares say; -1 when there are none.
static int draw_branch(const ami_training_controls *c, int choice, int frame, am_rng *rng)
{
    int count;
    const ami_fill_choice *info = &ami_fill_choices(c->fill, &count)[choice];
    float sum = 0.0f;
    for (int i = 0; i < info->branch_count; i++) {
        sum += ami_frames_have(&c->branches[choice][i].frames, frame) ? share_of(c, choice, i) : 0.0f;
    }
    float at = am_rng_float(rng) * sum;
    int found = -1;
    for (int i = 0; i < info->branch_count && at >= 0.0f; i++) {
        if (ami_frames_have(&c->branches[choice][i].frames, frame)) {
            found = i;
            at -= share_of(c, choice, i);
        }
    }
    return found;
}

static int choose(void *context, int choice)
{
    const drawing *d = context;
    int decided = d->branches[choice];
    return decided >= 0 ? decided : draw_branch(d->controls, choice, d->moment.frame, d->rng);
}

// ---------------------------------------------------------------------------------------------
// Cases

/// The first choice of a branch (or of the whole) that is always made; -1 when there is none.
static int sure_choice(const ami_training_controls *c, int parent, int parent_branch)
{
    int count;
    const ami_fill_choice *choices = ami_fill_choices(c->fill, &count);
    for (int i = 0; i < count; i++) {
        if (choices[i].sure && choices[i].parent == parent && choices[i].parent_branch == parent_branch) {
            return i;
        }
    }
    return -1;
}

static am_result list_frames(const ami_training_controls *c, int **list, int *count, const ami_frames *set,
                             am_error *err)
{
    *count = ami_frames_count(c->motion, set);
    *list = ami_alloc_array(&c->alloc, (size_t)*count, sizeof **list);
    if (!*list) {
        return ami_fail_memory(err, (size_t)*count * sizeof **list);
    }
    int at = 0;
    for (int f = 0; f < c->db->frame_count; f++) {
        if (ami_frames_have(set, f)) {
            (*list)[at++] = f;
        }
    }
    return AM_OK;
}

/// "branch 'walk', 'fast'" of a case, "" when it decides nothing.
static void name_case(const ami_training_controls *c, const drawn_case *one, char *out, size_t size)
{
    int count;
    const ami_fill_choice *choices = ami_fill_choices(c->fill, &count);
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count && used + 50 < size; i++) {
        if (one->branches[i] >= 0) {
            used += (size_t)snprintf(out + used, size - used, "%s'%.31s'", used ? ", " : " of branch ",
                                     choices[i].names[one->branches[i]]);
        }
    }
}

static am_result add_case(ami_training_controls *c, const drawn_case *one, const am_json_doc *doc, const am_json *at,
                          am_error *err)
{
    if (c->case_count == most_cases) {
        return am_json_fail(doc, at, AM_ERR_LIMIT, err, "more than %d combinations of branches", most_cases);
    }
    drawn_case *kept = &c->cases[c->case_count++];
    *kept = *one;
    kept->list = NULL;
    am_result result = ami_frames_make(c->motion, &kept->frames, err);
    if (result != AM_OK) {
        return result;
    }
    memcpy(kept->frames.words, one->frames.words, ami_frames_words(c->motion) * sizeof *kept->frames.words);
    result = list_frames(c, &kept->list, &kept->count, &kept->frames, err);
    if (result == AM_OK && kept->count == 0) {
        char name[200];
        name_case(c, kept, name, sizeof name);
        return am_json_fail(doc, at, AM_ERR_EMPTY, err, "no frame of database '%s' is left%s", c->db->name, name);
    }
    return result;
}

/// `one` has a set of its own, which is narrowed for each branch in turn.
static am_result add_cases(ami_training_controls *c, drawn_case *one, int parent, int parent_branch,
                           const am_json_doc *doc, const am_json *at, am_error *err)
{
    int choice = sure_choice(c, parent, parent_branch);
    if (choice < 0) {
        return add_case(c, one, doc, at, err);
    }
    int count;
    const ami_fill_choice *info = &ami_fill_choices(c->fill, &count)[choice];
    float sum = 0.0f;
    for (int i = 0; i < info->branch_count; i++) {
        sum += share_of(c, choice, i);
    }
    drawn_case narrowed = *one;
    am_result result = ami_frames_make(c->motion, &narrowed.frames, err);
    for (int i = 0; i < info->branch_count && result == AM_OK; i++) {
        const ami_frames *frames = &c->branches[choice][i].frames;
        for (size_t w = 0; w < ami_frames_words(c->motion); w++) {
            narrowed.frames.words[w] = one->frames.words[w] & (frames->words ? frames->words[w] : ~(uint64_t)0);
        }
        narrowed.share = one->share * share_of(c, choice, i) / sum;
        narrowed.branches[choice] = (int16_t)i;
        result = add_cases(c, &narrowed, choice, i, doc, at, err);
    }
    ami_frames_free(c->motion, &narrowed.frames);
    return result;
}

static am_result make_cases(ami_training_controls *c, const am_json_doc *doc, const am_json *at, am_error *err)
{
    c->cases = ami_alloc_array(&c->alloc, most_cases, sizeof *c->cases);
    if (!c->cases) {
        return ami_fail_memory(err, most_cases * sizeof *c->cases);
    }
    drawn_case whole = { .share = 1.0f, .frames = c->frames };
    memset(whole.branches, -1, sizeof whole.branches);
    am_result result = add_cases(c, &whole, -1, -1, doc, at, err);
    ami_frames any = { 0 };
    result = result == AM_OK ? ami_frames_make(c->motion, &any, err) : result;
    if (result == AM_OK) {
        for (int i = 0; i < c->case_count; i++) {
            for (size_t w = 0; w < ami_frames_words(c->motion); w++) {
                any.words[w] |= c->cases[i].frames.words[w];
            }
        }
        result = list_frames(c, &c->list, &c->list_count, &any, err);
    }
    ami_frames_free(c->motion, &any);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Draws

/// What the body of a character that is in this pose would fill.
static void fill_pose(const ami_training_controls *c, float *value, const ami_moment *at)
{
    ami_moment moment = *at; // what the pose looks at is no time that the controls asked about
    float now = ami_moment_now(at);
    am_transform root = ami_db_root(c->db, at->frame), joint;
    for (int i = 0; i < c->pose_part_count; i++) {
        const ami_pose_part *part = &c->pose_parts[i];
        am_vec3 v = am_quat_rotate(root.rotation, am_v3(0.0f, 0.0f, 1.0f));
        if (part->kind == AMI_OP_VELOCITY) {
            ami_moment_velocity(&moment, part->joint, now, &v);
        } else if (part->kind == AMI_OP_LOCATION) {
            ami_moment_joint(&moment, part->joint, now, &joint);
            v = part->world ? joint.translation : am_v3_sub(joint.translation, root.translation);
        }
        v = part->world ? v : am_quat_unrotate(root.rotation, v);
        memcpy(value + part->value, &v, 3 * sizeof(float));
    }
}

static bool draw_case(const ami_training_controls *c, float *value, int frame, const drawn_case *one, am_rng *rng,
                      ami_training_draw *seen)
{
    drawing d = { .controls = c, .branches = one->branches, .rng = rng };
    ami_fill_run run = { .context = &d, .choose = choose, .rng = rng };
    bool good = ami_moment_at(&d.moment, c->motion, frame, rng);
    d.moment.parts = c->parts;
    d.moment.part = &run.node;
    good = good && ami_fill_run_rules(c->fill, value, &run);
    if (good) {
        fill_pose(c, value, &d.moment);
    }
    if (seen) {
        *seen = (ami_training_draw){ .now = ami_moment_now(&d.moment),
                                     .earliest = d.moment.earliest,
                                     .latest = d.moment.latest,
                                     .missing_node = good ? -1 : run.missing_node,
                                     .missing_text = run.missing_text };
    }
    return good;
}

/// Of the cases that this frame belongs to, each as likely as it is that it brought the frame.
static const drawn_case *case_of(const ami_training_controls *c, int frame, am_rng *rng)
{
    if (c->case_count == 1) {
        return ami_frames_have(&c->cases[0].frames, frame) ? &c->cases[0] : NULL;
    }
    float sum = 0.0f;
    for (int i = 0; i < c->case_count; i++) {
        sum += ami_frames_have(&c->cases[i].frames, frame) ? c->cases[i].share / (float)c->cases[i].count : 0.0f;
    }
    float at = am_rng_float(rng) * sum;
    const drawn_case *found = NULL;
    for (int i = 0; i < c->case_count && at >= 0.0f; i++) {
        if (ami_frames_have(&c->cases[i].frames, frame)) {
            found = &c->cases[i];
            at -= found->share / (float)found->count;
        }
    }
    return found;
}

bool ami_training_controls_watch(const ami_training_controls *c, float *value, int frame, am_rng *rng,
                                 ami_training_draw *out)
{
    const drawn_case *one = frame >= 0 && frame < c->db->frame_count ? case_of(c, frame, rng) : NULL;
    return one && draw_case(c, value, frame, one, rng, out);
}

bool ami_training_controls_draw(const ami_training_controls *c, float *value, int frame, am_rng *rng)
{
    return ami_training_controls_watch(c, value, frame, rng, NULL);
}

/// Up to `tries` frames of a case.
static bool sample_case(const ami_training_controls *c, float *value, int *frame, const drawn_case *one, int tries,
                        am_rng *rng, ami_training_draw *seen)
{
    for (int i = 0; i < tries; i++) {
        *frame = one->list[am_rng_below(rng, (uint32_t)one->count)];
        if (draw_case(c, value, *frame, one, rng, seen)) {
            return true;
        }
    }
    return false;
}

bool ami_training_controls_watch_sample(const ami_training_controls *c, float *value, int *frame, am_rng *rng,
                                        ami_training_draw *out)
{
    int at = 0;
    if (c->case_count > 1) {
        float left = am_rng_float(rng) - c->cases[0].share;
        while (left >= 0.0f && at + 1 < c->case_count) {
            left -= c->cases[++at].share;
        }
    }
    return sample_case(c, value, frame, &c->cases[at], most_tries, rng, out);
}

bool ami_training_controls_sample(const ami_training_controls *c, float *value, int *frame, am_rng *rng)
{
    return ami_training_controls_watch_sample(c, value, frame, rng, NULL);
}

const int *ami_training_controls_frames(const ami_training_controls *c, int *count)
{
    *count = c->list_count;
    return c->list;
}

/// Every case must have some frame that gives a value.
static am_result check_cases(const ami_training_controls *c, const am_json_doc *doc, const am_json *at, am_error *err)
{
    float *value = ami_alloc_array(&c->alloc, (size_t)c->schema->value_count, sizeof *value);
    if (!value) {
        return ami_fail_memory(err, (size_t)c->schema->value_count * sizeof *value);
    }
    am_result result = AM_OK;
    am_rng rng;
    am_rng_init(&rng, 1);
    for (int i = 0; i < c->case_count && result == AM_OK; i++) {
        ami_training_draw seen = { 0 };
        int frame;
        if (!sample_case(c, value, &frame, &c->cases[i], check_tries, &rng, &seen)) {
            char name[200], path[200];
            name_case(c, &c->cases[i], name, sizeof name);
            ami_control_path(c->schema, seen.missing_node, path, sizeof path);
            result = am_json_fail(doc, at, AM_ERR_EMPTY, err,
                                  "none of %d frames%s gives a value; last, '%.100s' of %s was missing", check_tries,
                                  name, seen.missing_text ? seen.missing_text : "", path[0] ? path : "the schema");
        }
    }
    ami_release(&c->alloc, value, (size_t)c->schema->value_count * sizeof *value);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Reading

/// Which tags the names of each `one of` are.
static am_result make_parts(ami_training_controls *c, am_error *err)
{
    const am_control_schema *schema = c->schema;
    c->parts = ami_arena_get(&c->arena, (size_t)schema->node_count * sizeof *c->parts);
    for (int n = 0; n < schema->node_count && c->parts; n++) {
        const ami_control_node *node = &schema->nodes[n];
        if (node->kind != AMI_OP_ONE_OF) {
            continue;
        }
        int8_t *tags = ami_arena_get(&c->arena, (size_t)node->name_count);
        if (!tags) {
            return ami_fail_memory(err, (size_t)node->name_count);
        }
        for (int i = 0; i < node->name_count; i++) {
            tags[i] = -1;
            for (int t = 0; t < c->db->tag_count; t++) {
                tags[i] = strcmp(node->names[i], c->db->tag_names[t]) == 0 ? (int8_t)t : tags[i];
            }
        }
        c->parts[n] = (ami_part_tags){ node->names, tags, node->name_count };
    }
    return c->parts ? AM_OK : ami_fail_memory(err, (size_t)schema->node_count * sizeof *c->parts);
}

static am_result make_pose_parts(ami_training_controls *c, am_error *err)
{
    int count = ami_control_pose_parts(c->schema, c->db->skeleton, &c->db->roles, NULL);
    c->pose_part_count = count;
    c->pose_parts = ami_arena_get(&c->arena, (size_t)count * sizeof *c->pose_parts);
    if (!c->pose_parts) {
        return ami_fail_memory(err, (size_t)count * sizeof *c->pose_parts);
    }
    ami_control_pose_parts(c->schema, c->db->skeleton, &c->db->roles, c->pose_parts);
    return AM_OK;
}

static am_result make_motion(ami_training_controls *c, const am_json_doc *doc, const am_json *section, am_error *err)
{
    const am_json *list = am_json_get(section, "exclude");
    bool *excluded = ami_alloc_array(&c->alloc, (size_t)c->db->frame_count, sizeof *excluded);
    am_result result = excluded ? AM_OK : ami_fail_memory(err, (size_t)c->db->frame_count);
    if (result == AM_OK && list) {
        result = ami_exclude_read(excluded, doc, list, c->db, err);
    }
    if (result == AM_OK) {
        result = ami_motion_create(&c->motion, c->db, excluded, &c->alloc, err);
    }
    ami_release(&c->alloc, excluded, (size_t)c->db->frame_count * sizeof *excluded);
    return result;
}

static am_result read_section(ami_training_controls *c, const am_json_doc *doc, const am_json *section, am_error *err)
{
    static const char *const keys[] = { "frames", "where", "exclude" }, *const branch_keys[] = { "frames", "where",
                                                                                                 "share" };
    ami_expr_names lists[ami_moment_list_count];
    reading r = { c, doc };
    ami_fill_host host = { .variables = "draw",
                           .strict = true,
                           .keys = keys,
                           .key_count = 3,
                           .branch_keys = branch_keys,
                           .branch_key_count = 3,
                           .branch = read_branch,
                           .user = &r };
    am_result result = make_motion(c, doc, section, err);
    result = result == AM_OK ? make_parts(c, err) : result;
    result = result == AM_OK ? make_pose_parts(c, err) : result;
    if (result != AM_OK) {
        return result;
    }
    ami_moment_lists(lists, c->motion);
    host.scope.lists = lists;
    host.scope.list_count = ami_moment_list_count;
    host.scope.functions = ami_moment_functions(&host.scope.function_count);
    result = ami_fill_read(&c->fill, c->schema, doc, section, &host, &c->alloc, err);
    result = result == AM_OK ? ami_frames_read(c->motion, &c->frames, doc, section, err) : result;
    result = result == AM_OK ? make_cases(c, doc, section, err) : result;
    return result == AM_OK ? check_cases(c, doc, section, err) : result;
}

am_result ami_training_controls_read(ami_training_controls **out, const am_control_schema *schema,
                                     const am_json_doc *doc, const am_json *json, const am_db *db,
                                     const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_training_controls *c = ami_alloc_zero(&own, sizeof *c);
    if (!c) {
        return ami_fail_memory(err, sizeof *c);
    }
    *c = (ami_training_controls){ .alloc = own, .schema = schema, .db = db, .arena = ami_arena_make(&own) };
    const am_json *section = NULL;
    am_result result = ami_control_section(doc, json, "training", &section, err);
    result = result == AM_OK ? read_section(c, doc, section, err) : result;
    if (result != AM_OK) {
        ami_training_controls_destroy(c);
        return result;
    }
    *out = c;
    return AM_OK;
}

void ami_training_controls_destroy(ami_training_controls *c)
{
    if (!c) {
        return;
    }
    am_alloc alloc = c->alloc;
    for (int i = 0; i < c->case_count; i++) {
        ami_frames_free(c->motion, &c->cases[i].frames);
        ami_release(&alloc, c->cases[i].list, (size_t)c->cases[i].count * sizeof *c->cases[i].list);
    }
    for (int i = 0; i < AMI_FILL_CHOICES; i++) {
        for (int b = 0; c->branches[i] && b < AMI_FILL_BRANCHES; b++) {
            ami_frames_free(c->motion, &c->branches[i][b].frames);
        }
        ami_release(&alloc, c->branches[i], AMI_FILL_BRANCHES * sizeof *c->branches[i]);
    }
    ami_release(&alloc, c->cases, most_cases * sizeof *c->cases);
    ami_release(&alloc, c->list, (size_t)c->list_count * sizeof *c->list);
    ami_frames_free(c->motion, &c->frames);
    ami_fill_destroy(c->fill);
    ami_motion_destroy(c->motion);
    ami_arena_free(&c->arena);
    ami_release(&alloc, c, sizeof *c);
}
