// Stage "segments": the Projector Network of Operators 4.3. Controls are drawn with noise, each is answered by the
// frame that the matching function likes best, and the network learns to give the latents of the frames behind it
// from the encoded control. Gives the parts "segments" and "control_encoder".
//
// A second round adds the rows of an array "asked" (control vectors as they were in play) to the drawn ones: as they
// are, or "resampled" draws of them with the same noise.
#include "train/flow.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "base/rng.h"
#include "control/matching.h"
#include "net/build.h"

enum { lanes = 8, fan = 8, most_row = 1024 }; // offers of a block, blocks of a group

typedef struct segments {
    ami_flow_data data;
    ami_stage *stage;
    ami_matching *matching;
    am_train_array played;         ///< "asked" of the recipe; no rows without
    int frames;                    ///< of a segment
    int samples, drawn, resampled; ///< all; those of them that were drawn; of those of play, 0: each row once
    float *asked;                  ///< [samples][vector]
    int *asked_frame, *answer;     ///< [samples] frames; asked_frame -1 for played ones
    int offers, room;              ///< what may answer, and room for it
    int *offer_frame;              ///< [offers]
    float *offered;                ///< [offers][vector]
    int row;                       ///< numbers that distances are taken of: weighted vector, then pose
    float *rows;                   ///< [block][row][lanes]
    float *boxes;                  ///< [block][2][row], then [group][2][row]: least and most of the rows inside
    int *offer_at;                 ///< [frames of the database] the offer at or after a frame
    float *weights;                ///< [frames * latent]
    int vector, encoding, in, out; ///< values
    am_rng rng;
} segments;

static const char *const keys[] = { AMI_FLOW_DATA_KEYS, "hidden",     "units", "frames",   "samples",
                                    "offer_every",      "loss_power", "asked", "resampled" };

// ---------------------------------------------------------------------------------------------
// Matching

/// row(a->row): what squared distances are taken of when the matching function is a plain sum of squares.
static void make_row(const segments *a, float *row, const float *vector, int frame)
{
    const float *weights = ami_matching_weights(a->matching);
    for (int i = 0; i < a->data.vector; i++) {
        row[i] = weights ? sqrtf(weights[i]) * vector[i] : 0.0f;
    }
    if (a->row > a->data.vector && frame >= 0) {
        ami_matching_pose_row(a->matching, row + a->data.vector, a->data.codes.db, frame);
    }
}

static int block_count(const segments *a) { return (a->offers + lanes - 1) / lanes; }
static int group_count(const segments *a) { return (block_count(a) + fan - 1) / fan; }
static float *box_of(const segments *a, int box) { return a->boxes + (ptrdiff_t)box * 2 * a->row; }

/// Least and most of what lies in each block, and in each group of blocks. Neighbours in time are alike, so that
/// boxes of a few frames are small.
static void make_boxes(segments *a)
{
    const int blocks = block_count(a);
    for (int g = 0; g < group_count(a); g++) {
        float *all = box_of(a, blocks + g);
        for (int b = g * fan; b < (g + 1) * fan && b < blocks; b++) {
            float *box = box_of(a, b);
            for (int i = 0; i < a->row; i++) {
                const float *x = a->rows + ((ptrdiff_t)b * a->row + i) * lanes;
                float least = x[0], most = x[0];
                for (int l = 1; l < lanes && b * lanes + l < a->offers; l++) {
                    least = x[l] < least ? x[l] : least;
                    most = x[l] > most ? x[l] : most;
                }
                box[i] = least;
                box[a->row + i] = most;
                all[i] = b == g * fan || least < all[i] ? least : all[i];
                all[a->row + i] = b == g * fan || most > all[a->row + i] ? most : all[a->row + i];
            }
        }
    }
}

/// Whether nothing in a box can be nearer than `least`.
static bool is_beyond(const segments *a, int box, const float *row, float least)
{
    const float *low = box_of(a, box), *high = low + a->row;
    float sum = 0.0f;
    for (int i = 0; i < a->row && !(sum > least); i++) {
        const float d = row[i] < low[i] ? low[i] - row[i] : row[i] > high[i] ? row[i] - high[i] : 0.0f;
        sum += d * d;
    }
    return sum > least * 1.0001f; // rounding must not lose the nearest one
}

static void look_in_block(const segments *a, int b, const float *row, int *best, float *least)
{
    const float *block = a->rows + (ptrdiff_t)b * a->row * lanes;
    float sum[lanes] = { 0 };
    for (int i = 0; i < a->row; i++) {
        for (int l = 0; l < lanes; l++) {
            const float d = row[i] - block[i * lanes + l];
            sum[l] += d * d;
        }
    }
    for (int l = 0; l < lanes; l++) {
        if (sum[l] < *least || (sum[l] == *least && b * lanes + l < *best)) {
            *least = sum[l];
            *best = b * lanes + l;
        }
    }
}

/// The offer nearest to a row; of several the first. `frame`: where it was drawn, which is near; -1: not known.
static int nearest(const segments *a, const float *row, int frame)
{
    const int blocks = block_count(a), offer = frame >= 0 ? a->offer_at[frame] : 0;
    int best = a->offers;
    float least = INFINITY;
    look_in_block(a, (offer < a->offers ? offer : a->offers - 1) / lanes, row, &best, &least);
    for (int g = 0; g < group_count(a); g++) {
        if (is_beyond(a, blocks + g, row, least)) {
            continue;
        }
        for (int b = g * fan; b < (g + 1) * fan && b < blocks; b++) {
            if (!is_beyond(a, b, row, least)) {
                look_in_block(a, b, row, &best, &least);
            }
        }
    }
    return best;
}

/// The same by the matching function itself, among some offers: schemas with choices and sets have no plain squares.
static int cheapest(const segments *a, const float *asked, int frame, int sample)
{
    enum { tried = 4096 };
    float row[most_row] = { 0 }, least = INFINITY;
    am_rng rng = ami_rng_fork(&a->rng, (uint64_t)sample);
    int best = 0;
    make_row(a, row, asked, frame);
    for (int i = 0; i < tried && i < a->offers; i++) {
        const int offer = a->offers <= tried ? i : (int)am_rng_below(&rng, (uint32_t)a->offers);
        const float *block = a->rows + (ptrdiff_t)(offer / lanes) * a->row * lanes + offer % lanes;
        float cost = ami_matching_cost(a->matching, asked, a->offered + (ptrdiff_t)offer * a->data.vector);
        for (int k = a->data.vector; k < a->row; k++) {
            const float d = row[k] - block[k * lanes];
            cost += d * d;
        }
        best = cost < least ? offer : best;
        least = cost < least ? cost : least;
    }
    return best;
}

static am_result make_offers(segments *a, const ami_stage *s, int every, am_error *err)
{
    const ami_codes *c = &a->data.codes;
    const size_t vector = (size_t)a->data.vector, most = (size_t)c->first_count / (size_t)every + lanes;
    a->room = (int)most;
    a->offer_frame = ami_pages_array(&s->alloc, most, sizeof *a->offer_frame);
    a->offered = ami_pages_array(&s->alloc, most * vector, sizeof *a->offered);
    a->rows = ami_pages_array(&s->alloc, most * (size_t)a->row, sizeof *a->rows);
    a->boxes = ami_pages_array(&s->alloc, most * (size_t)a->row, sizeof *a->boxes);
    a->offer_at = ami_pages_array(&s->alloc, (size_t)c->db->frame_count, sizeof *a->offer_at);
    if (!a->offer_frame || !a->offered || !a->rows || !a->boxes || !a->offer_at) {
        return ami_fail_memory(err, most * vector * sizeof *a->offered);
    }
    for (int i = 0; i < c->first_count; i += every) {
        float row[most_row] = { 0.0f };
        am_rng rng = ami_rng_fork(&a->rng, (uint64_t)i);
        float *to = a->offered + (size_t)a->offers * vector;
        if (!ami_flow_controls_at(a->data.controls, to, c->first[i], &rng)) {
            continue;
        }
        make_row(a, row, to, c->first[i]);
        for (int k = 0; k < a->row; k++) {
            a->rows[((ptrdiff_t)(a->offers / lanes) * a->row + k) * lanes + a->offers % lanes] = row[k];
        }
        a->offer_frame[a->offers++] = c->first[i];
    }
    for (int k = a->offers; k % lanes != 0; k++) { // the last block is full of what nobody wants
        for (int i = 0; i < a->row; i++) {
            a->rows[((ptrdiff_t)(k / lanes) * a->row + i) * lanes + k % lanes] = 1e18f;
        }
    }
    make_boxes(a);
    for (int f = 0, offer = 0; f < c->db->frame_count; f++) {
        a->offer_at[f] = offer;
        offer += offer < a->offers && a->offer_frame[offer] == f;
    }
    return a->offers > 0 ? AM_OK
                         : ami_fail(err, AM_ERR_EMPTY, "no frame that may be learned from has these controls");
}

static am_result match(segments *a, const ami_stage *s, am_error *err)
{
    const size_t vector = (size_t)a->data.vector;
    const int played = a->played.rows > 0 && a->resampled > 0 ? a->resampled : (int)a->played.rows;
    a->samples = a->drawn + played;
    a->asked = ami_pages_array(&s->alloc, (size_t)a->samples * vector, sizeof *a->asked);
    a->asked_frame = ami_pages_array(&s->alloc, (size_t)a->samples, sizeof *a->asked_frame);
    a->answer = ami_pages_array(&s->alloc, (size_t)a->samples, sizeof *a->answer);
    if (!a->asked || !a->asked_frame || !a->answer) {
        return ami_fail_memory(err, (size_t)a->samples * vector * sizeof *a->asked);
    }
    const bool plain = ami_matching_weights(a->matching) != NULL;
    for (int i = 0; i < a->samples; i++) {
        float *asked = a->asked + (size_t)i * vector, row[most_row] = { 0 };
        int frame = -1;
        if (i < a->drawn) {
            am_rng rng = ami_rng_fork(&a->rng, 0x100000000u + (uint64_t)i);
            if (!ami_flow_controls_draw(a->data.controls, asked, &frame, &rng)) {
                return ami_fail(err, AM_ERR_EMPTY, "the training controls give no more values");
            }
        } else {
            am_rng rng = ami_rng_fork(&a->rng, 0x300000000u + (uint64_t)i);
            const uint32_t row_count = (uint32_t)a->played.rows;
            const size_t k = a->resampled > 0 ? am_rng_below(&rng, row_count) : (size_t)(i - a->drawn);
            memcpy(asked, a->played.data + k * vector, vector * sizeof *asked);
            if (a->resampled > 0) {
                ami_flow_controls_shake(a->data.controls, asked, &rng);
            }
        }
        make_row(a, row, asked, frame);
        a->asked_frame[i] = frame;
        a->answer[i] = a->offer_frame[plain ? nearest(a, row, frame) : cheapest(a, asked, frame, i)];
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

static am_result read_keys(ami_stage *s, segments *a, int *hidden, int *units, int *every, float *power,
                           am_error *err)
{
    *hidden = 3;
    *units = 512;
    *every = 2;
    *power = 0.5f;
    a->frames = 8;
    a->drawn = 50000;
    const struct {
        const char *key;
        int *to, lo, hi;
    } all[] = { { "hidden", hidden, 1, 64 },
                { "units", units, 1, AM_NET_MOST_WIDTH },
                { "frames", &a->frames, 1, AMI_FLOW_MOST_FRAMES },
                { "samples", &a->drawn, 1, 100000000 },
                { "resampled", &a->resampled, 0, 100000000 },
                { "offer_every", every, 1, 1000 } };
    am_result result = am_json_read_float(s->doc, s->json, "loss_power", false, power, 0.0f, 4.0f, err);
    for (size_t i = 0; i < sizeof all / sizeof all[0] && result == AM_OK; i++) {
        result = am_json_read_int(s->doc, s->json, all[i].key, false, all[i].to, all[i].lo, all[i].hi, err);
    }
    return result;
}

/// Array of control vectors from play.
static am_result read_played(ami_stage *s, segments *a, am_error *err)
{
    if (!am_json_get(s->json, "data")) {
        return AM_OK;
    }
    am_result result = ami_stage_array(s, "asked", "asked", &a->played, err);
    if (result == AM_OK && a->played.columns != a->data.vector) {
        result = am_json_fail(s->doc, am_json_get(s->json, "data"), AM_ERR_FORMAT, err,
                              "the array has rows of %lld numbers, control vectors have %d",
                              (long long)a->played.columns, a->data.vector);
    }
    if (result == AM_OK && ami_matching_pose_count(a->matching) > 0) {
        result = am_json_fail(s->doc, am_json_get(s->json, "data"), AM_ERR_KEY, err,
                              "the matching function compares poses, which recorded controls do not have; give the "
                              "schema the pose instead");
    }
    return result;
}

static am_result build(ami_stage *s, segments *a, int hidden, int units, am_error *err)
{
    const int latent = a->data.codes.width;
    am_result result = ami_flow_controls_graph(&s->graphs[0], a->data.controls, s->seed, &s->alloc, err);
    s->graph_count = s->graphs[0] != NULL;
    if (result == AM_OK) {
        result = ami_net_graph_create(&s->graphs[1], "segments", &s->alloc, err);
    }
    if (result != AM_OK) {
        return result;
    }
    s->graph_count = 2;
    am_net_graph *g = s->graphs[1];
    a->in = ami_net_graph_input(g, "control", a->data.encoding);
    int x = a->in;
    for (int i = 0; i < hidden; i++) {
        x = ami_net_graph_activation(g, ami_net_graph_linear(g, x, units), AM_NET_GELU);
    }
    a->out = ami_net_graph_restore(g, ami_net_graph_linear(g, x, a->frames * latent));
    ami_net_graph_output(g, "latents", a->out);
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, s->seed + 1);
        for (int i = 0; i < a->frames * latent; i++) {
            ami_net_graph_tensor(g, a->out, 1)[i] = a->data.codes.deviation[i % latent];
        }
        a->vector = ami_net_graph_input_at(s->graphs[0], 0);
        a->encoding = ami_net_graph_output_at(s->graphs[0], 0);
    }
    return result;
}

static am_result create(ami_stage *s, am_error *err)
{
    segments *a = ami_alloc_zero(&s->alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    s->state = a;
    a->stage = s;
    int hidden, units, every;
    float power;
    am_result result = read_keys(s, a, &hidden, &units, &every, &power, err);
    result = result == AM_OK ? ami_flow_data_open(&a->data, s, a->frames, err) : result;
    if (result == AM_OK && !a->data.controls) {
        result = am_json_fail(s->doc, s->json, AM_ERR_KEY, err, "segments need a 'schema' and 'controls'");
    }
    if (result == AM_OK) {
        result = ami_flow_controls_matching(&a->matching, a->data.controls, err);
    }
    if (result != AM_OK) {
        return result;
    }
    a->rng = ami_rng_make(s->seed ^ 0x7365676du);
    a->row = a->data.vector + ami_matching_pose_count(a->matching);
    if (a->row > most_row) {
        return am_json_fail(s->doc, s->json, AM_ERR_LIMIT, err, "segments match at most %d numbers, not %d",
                            (int)most_row, a->row);
    }
    result = read_played(s, a, err);
    result = result == AM_OK ? make_offers(a, s, every, err) : result;
    result = result == AM_OK ? match(a, s, err) : result;
    const int latent = a->data.codes.width;
    a->weights = ami_alloc_array(&s->alloc, (size_t)a->frames * (size_t)latent, sizeof *a->weights);
    if (result == AM_OK && !a->weights) {
        result = ami_fail_memory(err, (size_t)a->frames * (size_t)latent * sizeof *a->weights);
    }
    if (result != AM_OK) {
        return result;
    }
    for (int f = 0; f < a->frames; f++) {
        ami_flow_weights(a->weights + (ptrdiff_t)f * latent, &a->data.codes, power);
    }
    s->input_grads = true;
    s->fixed_inputs = 1u;
    s->scratch = a->frames * latent + 64;
    result = build(s, a, hidden, units, err);
    return result == AM_OK ? ami_flow_attach(s, &a->data, 0, a->frames, err) : result;
}

static double pass(void *user, ami_train_block *block)
{
    const segments *a = user;
    const int n = ami_block_columns(block), latent = a->data.codes.width, width = a->frames * latent;
    const size_t encoded = (size_t)a->data.encoding * (size_t)n * sizeof(float);
    float *vector = ami_block_value(block, 0, a->vector, 0);
    float *target = ami_block_scratch(block, (size_t)width * (size_t)n);
    for (int c = 0; c < ami_block_used(block); c++) {
        am_rng rng = ami_rng_fork(&a->rng, 0x200000000u + ami_block_item(block, c));
        const int sample = (int)am_rng_below(&rng, (uint32_t)a->samples);
        const float *asked = a->asked + (ptrdiff_t)sample * a->data.vector;
        const float *z = a->data.codes.z + (ptrdiff_t)(a->answer[sample] + 1) * latent; // frame after frame
        for (ptrdiff_t i = 0; i < a->data.vector; i++) {
            vector[i * n + c] = asked[i];
        }
        for (ptrdiff_t i = 0; i < width; i++) {
            target[i * n + c] = z[i];
        }
    }
    ami_block_forward(block, 0, 0);
    memcpy(ami_block_value(block, 1, a->in, 0), ami_block_value(block, 0, a->encoding, 0), encoded);
    ami_block_forward(block, 1, 0);
    const ami_loss loss = { AMI_LOSS_L2, a->weights, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, 1, a->out, 0),
                                        ami_block_value(block, 1, a->out, 0), target, width);
    ami_block_backward(block, 1, 0);
    float *back = ami_block_grad(block, 0, a->encoding, 0);
    if (back) { // an encoder may have nothing to learn
        memcpy(back, ami_block_grad(block, 1, a->in, 0), encoded);
        ami_block_backward(block, 0, 0);
    }
    return value;
}

static void destroy(ami_stage *s)
{
    segments *a = s->state;
    if (!a) {
        return;
    }
    const size_t vector = (size_t)a->data.vector, samples = (size_t)a->samples;
    const size_t most = (size_t)a->room;
    ami_pages_release(&s->alloc, a->offer_frame, most, sizeof *a->offer_frame);
    ami_pages_release(&s->alloc, a->offered, most * vector, sizeof *a->offered);
    ami_pages_release(&s->alloc, a->rows, most * (size_t)a->row, sizeof *a->rows);
    ami_pages_release(&s->alloc, a->boxes, most * (size_t)a->row, sizeof *a->boxes);
    ami_pages_release(&s->alloc, a->offer_at, a->offer_at ? (size_t)a->data.codes.db->frame_count : 0,
                      sizeof *a->offer_at);
    ami_pages_release(&s->alloc, a->asked, samples * vector, sizeof *a->asked);
    ami_pages_release(&s->alloc, a->asked_frame, samples, sizeof *a->asked_frame);
    ami_pages_release(&s->alloc, a->answer, samples, sizeof *a->answer);
    ami_release(&s->alloc, a->weights, (size_t)a->frames * (size_t)a->data.codes.width * sizeof *a->weights);
    ami_matching_destroy(a->matching);
    ami_flow_data_close(&a->data, &s->alloc);
    ami_release(&s->alloc, a, sizeof *a);
}

const ami_kind ami_kind_segments = {
    .name = "segments",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .pass = pass,
    .destroy = destroy,
};
