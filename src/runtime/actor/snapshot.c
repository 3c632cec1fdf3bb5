// What an actor shows, and its state as bytes: a header that says what it belongs to, settings with weights and tags,
// the body's last movement, then the flat block.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "method/sources.h"

#include <string.h>

#define SNAPSHOT_MAGIC 0x53434D41u // "AMCS"
#define SNAPSHOT_VERSION 5u

typedef struct header {
    uint32_t magic, version;
    uint64_t key;  ///< of the asset and the def
    uint64_t hash; ///< of the settings and all that follows the header
    uint32_t factor_count;
    uint32_t tag_bytes; ///< texts, each ended by a zero; the first byte of each says whether it is there
    uint64_t flat_size;
    am_settings settings;
} header;

const float *ami_actor_weights(const am_actor *c, bool high)
{
    const ami_weights *weights = c->weighs ? &c->weights : &c->prepared->weights;
    bool weighed = !high && ami_path_active(c) && ami_path_has(c->path.head, ami_path_weigh);
    return weighed && weights->path ? weights->path : ami_weights_get(weights, high);
}

void am_actor_get_pose(const am_actor *c, am_actor_pose *out)
{
    *out = (am_actor_pose){
        .root = c->state->root,
        .local = c->local,
        .local_raw = c->local_raw,
        .world = c->world,
        .world_raw = c->world_raw,
        .contacts = (uint8_t)c->state->contacts,
        .locked = (uint8_t)c->state->locked,
    };
}

static am_transform between(am_transform a, am_transform b, float t)
{
    am_transform out = { am_quat_nlerp(a.rotation, am_quat_nearest(b.rotation, a.rotation), t),
                         am_v3_lerp(a.translation, b.translation, t) };
    return out;
}

void am_actor_sample(const am_actor *c, float t, am_transform *root, am_transform *local)
{
    *root = between(c->recent->previous_root, c->state->root, t);
    for (int j = 0; j < c->joint_count; j++) {
        local[j] = between(c->previous[j], c->local[j], t);
    }
}

void am_actor_get_view(const am_actor *c, am_actor_view *out)
{
    const ami_state *s = c->state;
    bool high = s->activity == AM_ACTIVITY_CREEP || s->activity == AM_ACTIVITY_JUMP;
    *out = (am_actor_view){
        .intent = { .velocity = s->target_velocity,
                    .facing = s->target_facing,
                    .jump = (s->target_buttons & ami_button_jump) != 0,
                    .creep = (s->target_buttons & ami_button_creep) != 0,
                    .dance = (s->target_buttons & ami_button_dance) != 0 },
        .activity = (am_activity)s->activity,
        .activities = c->prepared->activities,
        .simulation = { am_quat_from_heading(s->heading), am_v3(s->position.x, s->height, s->position.z) },
        .simulation_velocity = s->velocity,
        .trajectory = c->trajectory,
        .trajectory_count = s->trajectory_count,
        .output = &c->output,
        .weights = ami_actor_weights(c, high),
        .fallback_frames = s->fallbacks,
        .transitions = s->transitions,
        .searches = s->searches,
        .steps = s->steps,
    };
}

/// The state of a field at a frame: its frames ascend.
static int state_of(const ami_field *field, int frame)
{
    int lo = 0;
    int hi = field->state_count - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        bool after = field->frames[middle] > frame;
        lo = after ? lo : middle;
        hi = after ? middle - 1 : hi;
    }
    return lo;
}

int am_actor_get_neighbours(const am_actor *c, am_actor_neighbour *out)
{
    const ami_field *field = ami_field_source_field(c->prepared->source);
    float d2[AM_MAX_CANDIDATES];
    float weight[AM_MAX_CANDIDATES];
    int count = field ? c->output.candidate_count : 0;
    for (int i = 0; i < count; i++) {
        d2[i] = c->output.candidates[i].cost;
    }
    ami_field_weights(weight, d2, count);
    for (int i = 0; i < count; i++) {
        const float *y = ami_field_y(field, state_of(field, c->output.candidates[i].frame));
        ami_field_step step = ami_field_velocity_step(y);
        out[i] = (am_actor_neighbour){ weight[i], step.x, step.z, step.turn };
    }
    return count;
}

const am_asset *am_actor_asset(const am_actor *c) { return c->asset; }

void am_actor_get_facts(const am_actor *c, am_actor_facts *out) { *out = c->prepared->facts; }

uint64_t am_actor_hash(const am_actor *c)
{
    // An actor that was never pushed hashes like one that cannot be pushed, so that the page, which offers pushes,
    // has the hashes of a run without them. The same for one that was never held in a stand, or never met an object.
    bool pushed = ami_push_of(c).total > 0;
    bool stood = c->stand->since_s > 0.0f;
    size_t size = pushed ? c->pushed_size : stood ? c->stood_size : c->plain_size;
    uint64_t hash = am_hash64(c->flat, size, 0);
    return c->objects->met ? am_hash64(c->objects, sizeof *c->objects, hash) : hash;
}

// ---------------------------------------------------------------------------------------------
// Bytes

static size_t tag_bytes(const am_actor *c)
{
    size_t size = 0;
    bool any = false;
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        size += 1 + (c->tags[a] ? strlen(c->tags[a]) + 1 : 0);
        any |= c->tags[a] != NULL;
    }
    return any ? size : 0;
}

static void put_tags(uint8_t *out, const am_actor *c)
{
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        *out++ = c->tags[a] != NULL;
        if (c->tags[a]) {
            size_t size = strlen(c->tags[a]) + 1;
            memcpy(out, c->tags[a], size);
            out += size;
        }
    }
}

/// tags(AM_ACTIVITY_COUNT) point into the bytes; false when they are not texts.
static bool get_tags(const char **tags, const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    for (int a = 0; a < AM_ACTIVITY_COUNT && size > 0; a++) {
        if (at >= size) {
            return false;
        }
        bool there = bytes[at++] != 0;
        const void *end = there ? memchr(bytes + at, 0, size - at) : NULL;
        if (there && !end) {
            return false;
        }
        tags[a] = there ? (const char *)bytes + at : NULL;
        at += there ? (size_t)((const uint8_t *)end - (bytes + at)) + 1 : 0;
    }
    return at == size;
}

size_t am_actor_snapshot(const am_actor *c, void *out, size_t room)
{
    header head = { .magic = SNAPSHOT_MAGIC,
                    .version = SNAPSHOT_VERSION,
                    .key = c->key,
                    .factor_count = c->factored ? AM_MAX_CHANNELS : 0,
                    .tag_bytes = (uint32_t)tag_bytes(c),
                    .flat_size = c->flat_size,
                    .settings = c->settings };
    size_t factors = head.factor_count * sizeof(float);
    size_t size = sizeof head + factors + head.tag_bytes + c->recent_size + c->flat_size;
    if (!out || room < size) {
        return size;
    }
    uint8_t *body = (uint8_t *)out + sizeof head;
    uint8_t *at = body;
    memcpy(at, c->factors, factors);
    at += factors;
    if (head.tag_bytes > 0) {
        put_tags(at, c);
        at += head.tag_bytes;
    }
    memcpy(at, c->recent_block, c->recent_size);
    memcpy(at + c->recent_size, c->flat, c->flat_size);
    head.hash = am_hash64(body, size - sizeof head, am_hash64(&head.settings, sizeof head.settings, 0));
    memcpy(out, &head, sizeof head);
    return size;
}

static am_result check_header(const am_actor *c, header *head, const void *bytes, size_t size, am_error *err)
{
    if (!bytes || size < sizeof *head) {
        return ami_fail(err, AM_ERR_FORMAT, "a snapshot has at least %zu bytes, not %zu", sizeof *head, size);
    }
    memcpy(head, bytes, sizeof *head);
    if (head->magic != SNAPSHOT_MAGIC || head->version != SNAPSHOT_VERSION || head->key != c->key ||
        (head->factor_count != 0 && head->factor_count != AM_MAX_CHANNELS) || head->flat_size > c->flat_room ||
        size != sizeof *head + head->factor_count * sizeof(float) + head->tag_bytes + c->recent_size +
                    (size_t)head->flat_size) {
        return ami_fail(err, AM_ERR_FORMAT, "the snapshot belongs to an actor of another asset or another def");
    }
    uint64_t seed = am_hash64(&head->settings, sizeof head->settings, 0);
    if (am_hash64((const uint8_t *)bytes + sizeof *head, size - sizeof *head, seed) != head->hash) {
        return ami_fail(err, AM_ERR_CHECKSUM, "the snapshot is damaged: its checksum does not match");
    }
    return AM_OK;
}

am_result am_actor_restore(am_actor *c, const void *bytes, size_t size, am_error *err)
{
    header head = { 0 };
    const char *tags[AM_ACTIVITY_COUNT] = { NULL };
    am_result result = check_header(c, &head, bytes, size, err);
    if (result != AM_OK) {
        return result;
    }
    const uint8_t *factors = (const uint8_t *)bytes + sizeof head;
    const uint8_t *texts = factors + head.factor_count * sizeof(float);
    const ami_prepared *prepared = ami_asset_prepared(c->asset, head.settings.method);
    if (!get_tags(tags, texts, head.tag_bytes) || !prepared || ami_actor_flat_size(c, prepared) != head.flat_size) {
        return ami_fail(err, AM_ERR_FORMAT, "the snapshot belongs to an actor of another asset or another def");
    }
    ami_change change;
    bool factored = c->factored;
    c->factored = head.factor_count > 0; // the change is checked with the weights of the snapshot
    result = ami_change_make(&change, c, &head.settings, tags, err);
    if (result != AM_OK) {
        c->factored = factored;
        return result;
    }
    for (int i = 0; i < AM_MAX_CHANNELS; i++) {
        c->factors[i] = 1.0f;
    }
    memcpy(c->factors, factors, head.factor_count * sizeof(float));
    ami_change_take(&change, c);
    memcpy(c->recent_block, texts + head.tag_bytes, c->recent_size);
    memcpy(c->flat, texts + head.tag_bytes + c->recent_size, c->flat_size);
    // Data outside the state do not describe a step that was not taken here.
    am_source_output *out = &c->output;
    out->transition = out->searched = out->fell_back = false;
    out->ended = c->state->ended != 0;
    out->candidate_count = 0;
    out->frame = c->state->frame;
    out->contacts = (uint8_t)c->state->contacts;
    return AM_OK;
}
