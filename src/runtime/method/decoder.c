// The Decompressor for sources: features and latents in, a pose vector out.
#include "method/decoder.h"

#include "base/error.h"
#include "data/index.h"
#include "method/learned.h"
#include "data/database.h"
#include "method/sources.h"

#include <string.h>

// While standing, a root slower than this does not move; from twice this speed on it moves unchanged.
#define SETTLE_MPS 0.12f
#define SETTLE_RADPS 0.2f

int ami_part_net_width(const ami_part_net *net, int input) { return am_net_input_size(net->net, net->in[input]); }

static am_result check_widths(const ami_part_net *p, const ami_nets_def *def, const char *part, const char *output,
                              int width, am_error *err)
{
    bool latent = p->in[1] >= 0;
    if (p->in[0] < 0 || p->out < 0 || ami_net_input_count(p->net) != (latent ? 2 : 1) ||
        ami_net_output_count(p->net) != 1 || am_net_state_size(p->net) != 0) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "part '%s' is not a network of learned motion matching: it must read x (and z) and give '%s'",
                        part, output);
    }
    if (ami_part_net_width(p, 0) != def->count) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "part '%s' reads %d features, but there are %d; train it for this database", part,
                        ami_part_net_width(p, 0), def->count);
    }
    if (latent && def->latent > 0 && ami_part_net_width(p, 1) != def->latent) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' reads %d latents, but there are %d", part,
                        ami_part_net_width(p, 1), def->latent);
    }
    if (width > 0 && am_net_output_size(p->net, p->out) != width) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' gives %d numbers instead of %d", part,
                        am_net_output_size(p->net, p->out), width);
    }
    return AM_OK;
}

am_result ami_part_net_open(ami_part_net *out, const ami_nets_def *def, const char *part, const char *output,
                            int width, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_net_def net;
    am_net_def_init(&net);
    net.alloc = def->alloc;
    net.model = def->model;
    net.part = am_model_find(def->model, part);
    net.mode = def->mode;
    net.kernels = def->kernels;
    if (net.part < 0) {
        return ami_fail(err, AM_ERR_FORMAT, "the network has no part '%s'; train it with a recipe that makes it",
                        part);
    }
    am_result result = am_net_create(&out->net, &net, err);
    if (result != AM_OK) {
        return result;
    }
    out->in[0] = am_net_input_find(out->net, "x");
    out->in[1] = am_net_input_find(out->net, "z");
    out->out = am_net_output_find(out->net, output);
    result = check_widths(out, def, part, output, width, err);
    if (result != AM_OK) {
        am_net_destroy(out->net);
        out->net = NULL;
    }
    return result;
}

void ami_part_net_put(const ami_part_net *net, am_net_work *work, int sample, const float *x, const float *z)
{
    am_net_put(work, net->in[0], sample, x);
    if (net->in[1] >= 0) {
        am_net_put(work, net->in[1], sample, z);
    }
}

void ami_side_from(am_source_pose *side, const ami_pose_layout *layout, const float *y, const am_db *db)
{
    ami_pose pose = { .local = side->local, .velocity = side->velocity };
    ami_pose_read(&pose, layout, y, db->skeleton, db->moving);
    side->root_linear = pose.root.linear;
    side->root_angular = pose.root.angular;
}

uint8_t ami_contacts_from(const ami_pose_layout *layout, const float *y)
{
    const float *c = y + layout->contacts;
    return (uint8_t)((c[0] > 0.5f ? AM_CONTACT_LEFT : 0) | (c[1] > 0.5f ? AM_CONTACT_RIGHT : 0));
}

static am_vec3 fade(am_vec3 velocity, float least)
{
    return am_v3_scale(velocity, am_clamp(am_v3_length(velocity) / least - 1.0f, 0.0f, 1.0f));
}

void ami_settle(const am_source_input *input, am_vec3 *linear, am_vec3 *angular)
{
    if (input->stand) {
        *linear = fade(*linear, SETTLE_MPS);
        *angular = fade(*angular, SETTLE_RADPS);
    }
}

// ---------------------------------------------------------------------------------------------
// The Decompressor over a database

/// The start states that a packed model carries know its skeleton.
static am_result check_skeleton(const am_db *db, const am_model *model, const am_alloc *alloc, am_error *err)
{
    size_t size = 0;
    const void *image = am_model_attached(model, AM_LEARNED_CHARACTER, &size);
    if (!image) {
        return AM_OK;
    }
    am_db *character = NULL;
    am_result result = am_db_from_memory(&character, image, size, AM_LEARNED_CHARACTER, alloc, err);
    if (result == AM_OK) {
        const am_skeleton *a = character->skeleton;
        const am_skeleton *b = db->skeleton;
        size_t bytes = a->joint_count == b->joint_count ? (size_t)(a->joint_count - 1) * sizeof(am_vec3) : 0;
        if (!am_skeleton_same_shape(a, b) || memcmp(a->offsets + 1, b->offsets + 1, bytes) != 0) {
            result =
                ami_fail(err, AM_ERR_SKELETON, "the network was trained on a skeleton other than the database's");
        }
    }
    am_db_close(character);
    return result;
}

am_result ami_decoder_open(ami_decoder *out, const am_db *db, const am_model *model, const am_alloc *alloc,
                           am_error *err)
{
    memset(out, 0, sizeof *out);
    out->db = db;
    out->layout = ami_pose_layout_of(db->joint_count, db->moving_count);
    if (!db->z) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the database has no latents for the network's Decompressor; use the copy that its training "
                        "wrote (latent_database)");
    }
    if (model->latent_key && db->latent_key && model->latent_key != db->latent_key) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the latents of the database (key %016llx) come from another training than the Decompressor "
                        "(key %016llx); use the copy that its own training wrote",
                        (unsigned long long)db->latent_key, (unsigned long long)model->latent_key);
    }
    am_result result = check_skeleton(db, model, alloc, err);
    ami_nets_def def = { .model = model, .alloc = alloc, .count = db->features.count, .latent = db->latent_count };
    if (result == AM_OK) {
        result = ami_part_net_open(&out->net, &def, "decompressor", "pose", out->layout.count, err);
    }
    size_t size = 0;
    if (result == AM_OK && am_model_attached(model, AMI_LEARNED_FACTS, &size)) {
        result = ami_learned_facts(&out->facts, model, err);
    }
    if (result == AM_OK && out->net.in[1] < 0) {
        result = ami_fail(err, AM_ERR_FORMAT, "the Decompressor reads no latents");
    }
    if (result != AM_OK) {
        am_net_destroy(out->net.net);
        out->net.net = NULL;
    }
    return result;
}

/// out(count): a row, or the difference to the next one.
static void mix_rows(float *out, const float *a, const float *b, int count, float fraction)
{
    for (int d = 0; d < count; d++) {
        out[d] = am_lerp(a[d], b[d], fraction);
    }
}

const float *ami_decode(const ami_decoder *decoder, am_search_work *work, int frame, float fraction)
{
    const am_db *db = decoder->db;
    am_net_work *room = ami_search_work_nets(work)[ami_net_decompressor];
    int next = fraction > 0.0f ? ami_db_clamp(db, frame, 1) : frame;
    float *x = ami_net_input(room, decoder->net.in[0], 0, 0);
    float *z = ami_net_input(room, decoder->net.in[1], 0, 0);
    mix_rows(x, am_db_x(db, frame), am_db_x(db, next), db->features.count, fraction);
    mix_rows(z, ami_db_z(db, frame), ami_db_z(db, next), db->latent_count, fraction);
    am_net_run(decoder->net.net, room, 1);
    const float *y = ami_part_net_get(&decoder->net, room, 0);
    return ami_all_finite(y, decoder->layout.count) ? y : NULL;
}
