// Learned motion matching: opening a model, its start states, and the source interface. The step itself is in
// learned_step.c.
#include "method/learned.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/index.h"
#include "data/database.h"
#include "data/features.h"
#include "method/sources.h"

#include <string.h>

ami_learned_def ami_learned_def_default(void)
{
    ami_learned_def def = { .search_every_s = 1.0f / 6.0f, .far = -1.0f, .mode = AM_NET_EXACT, .cookie = AM_COOKIE };
    return def;
}

// ---------------------------------------------------------------------------------------------
// States

static size_t learned_state_size(const am_source *source)
{
    return (size_t)ami_learned_of(source)->state_floats * sizeof(float);
}

void ami_learned_begin(const ami_learned *l, void *state, int start)
{
    memcpy(ami_learned_x(state), am_db_x(l->character, start), (size_t)l->count * sizeof(float));
    memcpy(ami_learned_z(l, state), ami_db_z(l->character, start), (size_t)l->latent * sizeof(float));
    memcpy(ami_learned_y(l, state), l->starts + (size_t)start * (size_t)l->layout.count,
           (size_t)l->layout.count * sizeof(float));
}

static void learned_reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    const ami_learned *l = ami_learned_of(source);
    memset(state, 0, learned_state_size(source));
    ami_learned_begin(l, state, frame >= 0 && frame < l->character->frame_count ? frame : l->standing);
    ((ami_learned_head *)state)->since_s = settings ? settings->search_every_s : l->search_every_s;
}

static const float *pose_vector(const ami_learned *l, const void *state)
{
    const float *x = (const float *)((const ami_learned_head *)state + 1);
    return x + 2 * l->count + l->latent;
}

static void learned_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    (void)work;
    const ami_learned *l = ami_learned_of(source);
    const float *y = pose_vector(l, state);
    ami_pose pose = { .local = out->local };
    ami_pose_read(&pose, &l->layout, y, l->character->skeleton, l->character->moving);
    out->contacts = ami_contacts_from(&l->layout, y);
    out->frame = -1;
    out->fraction = 0.0f;
}

static uint64_t learned_tags(const am_source *source, const void *state)
{
    const ami_learned *l = ami_learned_of(source);
    const am_features *features = &l->character->features;
    float stored[AM_MAX_FEATURES + 8] = { 0 };
    float raw[AM_MAX_FEATURES];
    uint64_t tags = 0;
    memcpy(stored, (const ami_learned_head *)state + 1, (size_t)l->count * sizeof(float));
    ami_features_denormalise(features, raw, stored);
    for (int c = 0; c < features->schema->channel_count; c++) {
        const am_channel *channel = &features->schema->channels[c];
        for (int t = 0; channel->kind == AM_FEATURE_TAG && t < channel->tag_count; t++) {
            tags |= raw[channel->first + t] > 0.5f ? (uint64_t)1 << channel->tags[t] : 0;
        }
    }
    return tags;
}

static void learned_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                         am_search_work *work)
{
    ami_learned_step(source, &state, &out, &input, 1, work);
}

static am_result learned_make_work(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                                   am_error *err)
{
    const ami_learned *l = ami_learned_of(source);
    am_net_work **nets = ami_search_work_nets(work);
    am_result result = AM_OK;
    for (int n = 0; n < ami_net_count && result == AM_OK; n++) {
        result = am_net_work_create(&nets[n], l->nets[n].net, most, alloc, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Making one

static void learned_destroy(am_source *source)
{
    ami_learned *l = (ami_learned *)(void *)source;
    am_alloc alloc = source->alloc;
    size_t starts = l->character ? (size_t)l->character->frame_count * (size_t)l->layout.count : 0;
    for (int n = 0; n < ami_net_count; n++) {
        am_net_destroy(l->nets[n].net);
    }
    ami_release(&alloc, l->starts, starts * sizeof(float));
    am_db_close(l->character);
    ami_release(&alloc, l, sizeof *l);
}

static const am_source_interface interface = {
    .name = "learned",
    .state_size = learned_state_size,
    .reset = learned_reset,
    .pose = learned_pose,
    .step = learned_step,
    .destroy = learned_destroy,
    .make_work = learned_make_work,
    .step_batch = ami_learned_step,
    .tags = learned_tags,
};

am_result ami_learned_facts(am_facts *out, const am_model *model, am_error *err)
{
    size_t size = 0;
    const void *facts = am_model_attached(model, AMI_LEARNED_FACTS, &size);
    if (!facts || size != sizeof *out) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the network has no attachment '%s' of a character; train all three stages in one recipe",
                        AMI_LEARNED_FACTS);
    }
    memcpy(out, facts, sizeof *out);
    if (out->version != AMI_FACTS_VERSION) {
        return ami_fail(err, AM_ERR_VERSION, "the facts about the character have version %u; this build reads %u",
                        out->version, AMI_FACTS_VERSION);
    }
    if (!ami_all_finite(&out->hip_m, (int)(out->old_floor_m - &out->hip_m))) {
        return ami_fail(err, AM_ERR_NUMBER, "the facts about the character are not finite; train it again");
    }
    return AM_OK;
}

static am_result open_character(ami_learned *l, const am_model *model, am_error *err)
{
    size_t size = 0;
    const void *image = am_model_attached(model, AM_LEARNED_CHARACTER, &size);
    if (!image) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the network has no attachment '%s'; train all three stages in one recipe",
                        AM_LEARNED_CHARACTER);
    }
    am_result result = am_db_from_memory(&l->character, image, size, AM_LEARNED_CHARACTER, &l->base.alloc, err);
    if (result == AM_OK) {
        result = am_db_verify(l->character, err); // a few frames
    }
    if (result == AM_OK && (!l->character->has_poses || l->character->latent_count < 1)) {
        return ami_fail(err, AM_ERR_FORMAT, "the start states of the character have no latents or no poses");
    }
    return result;
}

static am_result open_nets(ami_learned *l, const ami_learned_def *def, am_error *err)
{
    ami_nets_def nets = { .model = def->model,
                          .mode = def->mode,
                          .kernels = def->kernels,
                          .alloc = &l->base.alloc,
                          .count = l->count,
                          .latent = l->latent };
    int both = l->count + l->latent;
    am_result result =
        ami_part_net_open(&l->nets[ami_net_decompressor], &nets, "decompressor", "pose", l->layout.count, err);
    if (result == AM_OK) {
        result = ami_part_net_open(&l->nets[ami_net_stepper], &nets, "stepper", "rate", both, err);
    }
    if (result == AM_OK) {
        result = ami_part_net_open(&l->nets[ami_net_projector], &nets, "projector", "xz", both, err);
    }
    if (result == AM_OK && (l->nets[ami_net_decompressor].in[1] < 0 || l->nets[ami_net_stepper].in[1] < 0 ||
                            l->nets[ami_net_projector].in[1] >= 0)) {
        return ami_fail(err, AM_ERR_FORMAT, "the networks do not have the inputs of learned motion matching");
    }
    return result;
}

/// The pose vectors of the start states.
static am_result make_starts(ami_learned *l, am_error *err)
{
    const ami_part_net *d = &l->nets[ami_net_decompressor];
    size_t width = (size_t)l->layout.count;
    am_net_work *work = NULL;
    l->starts = ami_alloc_array(&l->base.alloc, (size_t)l->character->frame_count * width, sizeof(float));
    if (!l->starts) {
        return ami_fail_memory(err, (size_t)l->character->frame_count * width * sizeof(float));
    }
    am_result result = am_net_work_create(&work, d->net, 1, &l->base.alloc, err);
    for (int i = 0; i < l->character->frame_count && result == AM_OK; i++) {
        ami_part_net_put(d, work, 0, am_db_x(l->character, i), ami_db_z(l->character, i));
        am_net_run(d->net, work, 1);
        const float *y = ami_part_net_get(d, work, 0);
        memcpy(l->starts + (size_t)i * width, y, width * sizeof(float));
        if (!ami_all_finite(y, (int)width)) {
            result = ami_fail(err, AM_ERR_NUMBER, "start state '%s' has no finite pose; train the networks again",
                              l->character->ranges[i].name);
        }
    }
    am_net_work_destroy(work);
    return result;
}

static int find_tag(const am_db *db, const char *name)
{
    for (int t = 0; t < db->tag_count; t++) {
        if (strcmp(db->tag_names[t], name) == 0) {
            return t;
        }
    }
    return -1;
}

static void find_tags(ami_learned *l)
{
    static const am_auto_tag gaits[3] = { AM_TAG_IDLE, AM_TAG_WALK, AM_TAG_RUN };
    const am_schema *schema = l->character->features.schema;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        for (int t = 0; channel->kind == AM_FEATURE_TAG && t < channel->tag_count; t++) {
            l->heard |= (uint64_t)1 << channel->tags[t];
        }
    }
    for (int g = 0; g < 3; g++) {
        l->tags[g] = find_tag(l->character, ami_auto_tag_name(gaits[g]));
    }
    for (int i = l->character->frame_count - 1; i >= 0; i--) {
        bool idle = l->tags[0] >= 0 && (l->character->tags[i] >> l->tags[0] & 1) != 0;
        l->standing = idle ? i : l->standing;
    }
}

static am_result open_all(ami_learned *l, const ami_learned_def *def, am_error *err)
{
    am_result result = ami_learned_facts(&l->facts, def->model, err);
    result = result == AM_OK ? open_character(l, def->model, err) : result;
    if (result != AM_OK) {
        return result;
    }
    l->count = l->character->features.count;
    l->latent = l->character->latent_count;
    l->layout = ami_pose_layout_of(l->character->joint_count, l->character->moving_count);
    int floats = (int)(sizeof(ami_learned_head) / sizeof(float)) + 2 * l->count + l->latent + l->layout.count;
    l->state_floats = (floats + 3) / 4 * 4;
    result = open_nets(l, def, err);
    result = result == AM_OK ? make_starts(l, err) : result;
    if (result == AM_OK) {
        find_tags(l);
    }
    return result;
}

am_result ami_learned_create(am_source **out, const ami_learned_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->model || !(def->search_every_s > 0.0f) ||
        !(def->search_every_s < 1e3f) || !(def->far * 0.0f == 0.0f)) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the learned def with ami_learned_def_default(); it needs a model and search_every_s above 0");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_learned *l = ami_alloc_zero(&alloc, sizeof *l);
    if (!l) {
        return ami_fail_memory(err, sizeof *l);
    }
    l->base = (am_source){ .interface = &interface, .alloc = alloc };
    am_result result = open_all(l, def, err);
    if (result != AM_OK) {
        learned_destroy(&l->base);
        return result;
    }
    l->base.skeleton = l->character->skeleton;
    l->base.roles = &l->character->roles;
    l->base.db = l->character;
    l->base.facts = &l->facts;
    l->search_every_s = def->search_every_s;
    l->far = def->far < 0.0f ? l->facts.far : def->far;
    const float numbers[2] = { l->search_every_s, l->far };
    l->base.key = am_hash64(numbers, sizeof numbers, def->model->hash);
    *out = &l->base;
    return AM_OK;
}
