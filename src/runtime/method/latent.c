// Flow and segment characters: opening a model, its start states, and its destruction. The step is in latent_step.c,
// controls are in latent_control.c.
#include "method/latent.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/filter.h"
#include "method/flow.h"
#include "method/learned.h"

#include <string.h>

ami_latent_def ami_latent_def_default(void)
{
    ami_latent_def def = { .mode = AM_NET_EXACT, .cookie = AM_COOKIE };
    return def;
}

// ---------------------------------------------------------------------------------------------
// Parts

/// What one part must look like.
typedef struct part_form {
    const char *name;
    const char *inputs[ami_latent_inputs];
    bool needed[ami_latent_inputs];
    int widths[ami_latent_inputs];
    const char *output;
    int out_width;
} part_form;

static am_result check_part(const ami_latent_net *p, const part_form *form, am_error *err)
{
    int known = 0;
    for (int i = 0; i < ami_latent_inputs && form->inputs[i]; i++) {
        if (p->in[i] < 0 && form->needed[i]) {
            return ami_fail(err, AM_ERR_FORMAT, "part '%s' has no input '%s'", form->name, form->inputs[i]);
        }
        int width = p->in[i] >= 0 ? am_net_input_size(p->net, p->in[i]) : form->widths[i];
        if (width != form->widths[i]) {
            return ami_fail(err, AM_ERR_FORMAT, "part '%s' reads %d numbers of '%s', but there are %d", form->name,
                            width, form->inputs[i], form->widths[i]);
        }
        known += p->in[i] >= 0;
    }
    if (known != ami_net_input_count(p->net) || p->out < 0 || ami_net_output_count(p->net) != 1 ||
        am_net_state_size(p->net) != 0) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "part '%s' must have '%s' as its only output, no unknown input and no state", form->name,
                        form->output);
    }
    if (am_net_output_size(p->net, p->out) != form->out_width) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' gives %d numbers instead of %d", form->name,
                        am_net_output_size(p->net, p->out), form->out_width);
    }
    return AM_OK;
}

static am_result open_part(ami_latent_net *out, const ami_latent_def *def, const part_form *form,
                           const am_alloc *alloc, am_error *err)
{
    am_net_def net;
    am_net_def_init(&net);
    net.alloc = alloc;
    net.model = def->model;
    net.part = am_model_find(def->model, form->name);
    net.mode = def->mode;
    net.kernels = def->kernels;
    if (net.part < 0) {
        return ami_fail(err, AM_ERR_FORMAT, "the network has no part '%s'; train it with a recipe that makes it",
                        form->name);
    }
    am_result result = am_net_create(&out->net, &net, err);
    if (result != AM_OK) {
        return result;
    }
    for (int i = 0; i < ami_latent_inputs; i++) {
        out->in[i] = form->inputs[i] ? am_net_input_find(out->net, form->inputs[i]) : -1;
    }
    out->out = am_net_output_find(out->net, form->output);
    return check_part(out, form, err);
}

static am_result open_parts(ami_latent *l, const ami_latent_def *def, const ami_latent_kind *kind, am_error *err)
{
    const ami_flow_head *h = &l->data.head;
    const am_alloc *alloc = &l->base.alloc;
    part_form encoder = { "pose_encoder", { "pose" }, { true }, { l->y }, "latent", l->z };
    part_form decoder = { "pose_decoder", { "latent" }, { true }, { l->z }, "pose", l->y };
    part_form control = { "control_encoder", { "vector" }, { true }, { h->vector_count }, "encoding", l->c };
    part_form main = { .name = kind->part, .output = kind->output, .out_width = l->z * h->frames };
    const int widths[ami_latent_inputs] = { l->z, l->z, l->c, 1, 1 };
    for (int i = 0; i < ami_latent_inputs; i++) {
        bool asks = kind->inputs[i] && strcmp(kind->inputs[i], "control") == 0;
        main.inputs[i] = kind->inputs[i];
        main.needed[i] = kind->needed[i] && (!asks || l->c > 0);
        main.widths[i] = asks ? l->c : widths[i];
    }
    am_result result = open_part(&l->nets[ami_latent_encoder], def, &encoder, alloc, err);
    result = result == AM_OK ? open_part(&l->nets[ami_latent_decoder], def, &decoder, alloc, err) : result;
    if (result == AM_OK && l->c > 0) {
        result = open_part(&l->nets[ami_latent_control], def, &control, alloc, err);
    }
    return result == AM_OK ? open_part(&l->nets[ami_latent_main], def, &main, alloc, err) : result;
}

// ---------------------------------------------------------------------------------------------
// Start states

static am_result open_character(ami_latent *l, am_error *err)
{
    size_t size = 0;
    const void *image = am_model_attached(l->model, AM_LEARNED_CHARACTER, &size);
    if (!image) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the network has no attachment '%s'; train all stages of a character in one recipe",
                        AM_LEARNED_CHARACTER);
    }
    am_result result = am_db_from_memory(&l->character, image, size, AM_LEARNED_CHARACTER, &l->base.alloc, err);
    result = result == AM_OK ? am_db_verify(l->character, err) : result; // a few frames
    if (result == AM_OK && (!l->character->has_poses || l->character->frame_count != l->data.head.start_count)) {
        return ami_fail(
            err, AM_ERR_FORMAT, "the character has %d start states with poses; the attachment '%s' has %d",
            l->character->has_poses ? l->character->frame_count : 0, AMI_FLOW_LATENTS, l->data.head.start_count);
    }
    return result;
}

/// Where the parts of a state begin.
static void lay_out(ami_latent *l)
{
    int at = 0;
    int *const offsets[] = { &l->at_before, &l->at_last,    &l->at_next,    &l->at_noise,    &l->at_y[0],
                             &l->at_y[1],   &l->at_turn[0], &l->at_turn[1], &l->at_encoding, &l->at_segment };
    const int sizes[] = { l->z, l->z,          l->z,          l->z, l->y,
                          l->y, 4 * l->joints, 4 * l->joints, l->c, l->segments ? l->z * l->data.head.frames : 0 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *offsets[i] = at;
        at += sizes[i];
    }
    l->state_floats = (at + (int)(sizeof(ami_latent_head) / sizeof(float)) + 3) / 4 * 4;
}

/// The pose vectors of the start states.
static am_result make_starts(ami_latent *l, am_error *err)
{
    const ami_latent_net *d = &l->nets[ami_latent_decoder];
    const size_t width = (size_t)l->y;
    const size_t count = (size_t)l->data.head.start_count;
    am_net_work *work = NULL;
    l->starts = ami_alloc_array(&l->base.alloc, count * width, sizeof(float));
    if (!l->starts) {
        return ami_fail_memory(err, count * width * sizeof(float));
    }
    am_result result = am_net_work_create(&work, d->net, 1, &l->base.alloc, err);
    for (size_t i = 0; i < count && result == AM_OK; i++) {
        am_net_put(work, d->in[0], 0, l->data.starts + i * (size_t)l->z);
        am_net_run(d->net, work, 1);
        const float *y = ami_net_output(work, d->out, 0, 0);
        memcpy(l->starts + i * width, y, width * sizeof(float));
        if (!ami_all_finite(y, l->y)) {
            result = ami_fail(err, AM_ERR_NUMBER, "start state '%s' has no finite pose; train the networks again",
                              l->character->ranges[i].name);
        }
    }
    am_net_work_destroy(work);
    return result;
}

static void find_standing(ami_latent *l)
{
    const am_db *db = l->character;
    for (int t = 0; t < db->tag_count; t++) {
        for (int i = db->frame_count - 1; strcmp(db->tag_names[t], ami_auto_tag_name(AM_TAG_IDLE)) == 0 && i >= 0;
             i--) {
            l->standing = (db->tags[i] >> t & 1) != 0 ? i : l->standing;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Making one

static am_result open_all(ami_latent *l, const ami_latent_def *def, const ami_latent_kind *kind, am_error *err)
{
    am_result result = ami_flow_latents_read(&l->data, def->model, err);
    if (result == AM_OK && (kind->segments ? l->data.head.frames < 2 : l->data.head.frames != 1)) {
        return ami_fail(err, AM_ERR_FORMAT, "the model answers with %d latents; the controller '%s' needs %s",
                        l->data.head.frames, kind->interface->name, kind->segments ? "segments" : "one");
    }
    result = result == AM_OK ? ami_learned_facts(&l->facts, def->model, err) : result;
    result = result == AM_OK ? open_character(l, err) : result;
    if (result != AM_OK) {
        return result;
    }
    l->layout = ami_pose_layout_of(l->character->joint_count, l->character->moving_count);
    l->joints = l->character->joint_count;
    l->z = l->data.head.latent_count;
    l->y = l->layout.count + l->data.head.extras;
    l->c = l->data.head.control_count;
    lay_out(l);
    result = open_parts(l, def, kind, err);
    result = result == AM_OK ? ami_latent_open_controls(l, err) : result;
    result = result == AM_OK ? make_starts(l, err) : result;
    if (result == AM_OK) {
        find_standing(l);
    }
    return result;
}

am_result ami_latent_create(am_source **out, const ami_latent_def *def, const ami_latent_kind *kind, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->model) {
        return ami_fail(err, AM_ERR_DEF, "initialise the def with ami_latent_def_default() and give it a model");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_latent *l = ami_alloc_zero(&alloc, sizeof *l);
    if (!l) {
        return ami_fail_memory(err, sizeof *l);
    }
    l->base = (am_source){ .interface = kind->interface, .alloc = alloc };
    l->model = def->model;
    l->solve = kind->solve;
    l->segments = kind->segments;
    am_result result = open_all(l, def, kind, err);
    if (result != AM_OK) {
        ami_latent_destroy(&l->base);
        return result;
    }
    l->base.skeleton = l->character->skeleton;
    l->base.roles = &l->character->roles;
    l->base.db = l->character;
    l->base.facts = &l->facts;
    l->base.key = am_hash64(kind->part, strlen(kind->part), def->model->hash);
    *out = &l->base;
    return AM_OK;
}

void ami_latent_destroy(am_source *source)
{
    ami_latent *l = (ami_latent *)(void *)source;
    am_alloc alloc = source->alloc;
    size_t starts = (size_t)l->data.head.start_count * (size_t)l->y;
    for (int n = 0; n < ami_latent_nets; n++) {
        am_net_destroy(l->nets[n].net);
    }
    ami_release(&alloc, l->starts, starts * sizeof(float));
    ami_latent_close_controls(l);
    am_db_close(l->character);
    ami_release(&alloc, l, sizeof *l);
}

/// The other working memory of a step.
typedef struct latent_room {
    am_alloc alloc;
    size_t size;
    float *value;
} latent_room;

static void release_room(void *room)
{
    latent_room *r = room;
    am_alloc alloc = r->alloc;
    ami_release(&alloc, r, r->size);
}

am_result ami_latent_make_work(const am_source *source, am_search_work *work, int most, const am_alloc *allocator,
                               am_error *err)
{
    const ami_latent *l = ami_latent_of(source);
    am_alloc alloc = ami_alloc_or_default(allocator);
    am_net_work **nets = ami_search_work_nets(work);
    most = most < ami_latent_crowd ? most : ami_latent_crowd;
    bool guided = (l->data.head.flags & AMI_FLOW_GUIDED) != 0 && l->c > 0;
    am_result result = AM_OK;
    for (int n = 0; n < ami_latent_nets && result == AM_OK; n++) {
        // Guidance evaluates each sample with and without its control.
        int batch = n == ami_latent_main && guided ? 2 * most : most;
        result = l->nets[n].net ? am_net_work_create(&nets[n], l->nets[n].net, batch, &alloc, err) : AM_OK;
    }
    size_t values = l->schema ? (size_t)l->schema->value_count : 0;
    size_t size = sizeof(latent_room) + values * sizeof(float);
    latent_room *room = result == AM_OK ? ami_alloc_zero(&alloc, size) : NULL;
    if (result == AM_OK && !room) {
        return ami_fail_memory(err, size);
    }
    if (room) {
        *room = (latent_room){ alloc, size, (float *)(void *)(room + 1) };
        *ami_search_work_room(work) = (ami_work_room){ room, release_room };
    }
    return result;
}

float *ami_latent_value(am_search_work *work)
{
    latent_room *room = ami_search_work_room(work)->room;
    return room->value;
}

bool ami_is_latent(const am_source *source) { return source && source->interface->step == ami_latent_step; }

const am_control_schema *ami_latent_schema(const am_source *source)
{
    return ami_is_latent(source) ? ami_latent_of(source)->schema : NULL;
}
