// Schemas from JSON. A key that a kind does not use is unknown there, so that a misplaced "times" is reported.
#include "data/feature_kinds.h"

#include "base/error.h"
#include <amble/tools/schema.h>

#include <stdio.h>
#include <string.h>

// Times beyond a minute are a mistake in the unit (frames, milliseconds).
#define MAX_TIME_S 60.0f

static const char *const normalise_names[] = { "channel", "dimension", "none" };
static const char *const axes_names[] = { "xz", "xyz" };
static const char *const direction_names[] = { "facing", "velocity" };
static const char *const height_names[] = { "absolute", "relative" };

/// keys(<= 12) that a channel of this kind may have; returns how many.
static int channel_keys(const char **keys, unsigned uses)
{
    int count = 0;
    keys[count++] = "kind";
    keys[count++] = "name";
    keys[count++] = "weight";
    keys[count++] = "normalise";
    if (uses & AMI_USES_JOINT) {
        keys[count++] = "joint";
    }
    if (uses & (AMI_USES_TIMES | AMI_USES_FUTURE)) {
        keys[count++] = "times";
    }
    if (uses & AMI_USES_AXES) {
        keys[count++] = "axes";
    }
    if (uses & AMI_USES_DIRECTION) {
        keys[count++] = "direction";
    }
    if (uses & AMI_USES_HEIGHT) {
        keys[count++] = "height";
    }
    if (uses & AMI_USES_TAGS) {
        keys[count++] = "tags";
    }
    if (uses & AMI_USES_CUSTOM) {
        keys[count++] = "dims";
        keys[count++] = "mirror";
    }
    return count;
}

static am_result read_times(am_channel *channel, unsigned uses, const am_json_doc *doc, const am_json *object,
                            am_error *err)
{
    int count = 0;
    bool needed = (uses & AMI_USES_FUTURE) != 0;
    am_result result = am_json_read_floats(doc, object, "times", needed, channel->times, AM_MAX_TIMES, &count, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *value = am_json_get(object, "times");
    if (value && count == 0) {
        return am_json_fail(doc, value, AM_ERR_EMPTY, err, "'times' is empty; give seconds, e.g. [0.333, 0.667, 1]");
    }
    for (int i = 0; i < count; i++) {
        if (!(channel->times[i] >= -MAX_TIME_S && channel->times[i] <= MAX_TIME_S)) {
            return am_json_fail(doc, value, AM_ERR_RANGE, err,
                                "a time of %g; times are seconds from now, at most %g away",
                                (double)channel->times[i], (double)MAX_TIME_S);
        }
    }
    channel->time_count = value ? count : 1;
    return AM_OK;
}

static am_result read_joint(am_channel *channel, const am_json_doc *doc, const am_json *object, am_error *err)
{
    const char *names[AM_ROLE_COUNT];
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        names[r] = am_role_name((am_role)r);
    }
    int role = 0;
    am_result result = am_json_read_choice(doc, object, "joint", true, &role, names, AM_ROLE_COUNT, err);
    channel->role = role;
    return result;
}

/// Index of `name` among the schema's tags, added when new; -1 when there is no room.
static int tag_index(am_schema *schema, const char *name)
{
    for (int t = 0; t < schema->tag_count; t++) {
        if (strcmp(schema->tag_names[t], name) == 0) {
            return t;
        }
    }
    if (schema->tag_count == AM_MAX_TAGS) {
        return -1;
    }
    snprintf(schema->tag_names[schema->tag_count], AM_NAME_SIZE, "%s", name);
    return schema->tag_count++;
}

static am_result read_tags(am_schema *schema, am_channel *channel, const am_json_doc *doc, const am_json *object,
                           am_error *err)
{
    const am_json *list = am_json_get(object, "tags");
    if (!list || list->type != AM_JSON_ARRAY || list->count < 1 || list->count > AM_MAX_TIMES) {
        return am_json_fail(doc, list ? list : object, list ? AM_ERR_TYPE : AM_ERR_KEY, err,
                            "a tag channel needs 'tags', a list of 1 to %d names", AM_MAX_TIMES);
    }
    for (const am_json *item = list->first; item; item = item->next) {
        if (item->type != AM_JSON_STRING || item->string[0] == '\0' || strlen(item->string) >= AM_NAME_SIZE) {
            return am_json_fail(doc, item, AM_ERR_TYPE, err, "a tag is a word of 1 to %d bytes", AM_NAME_SIZE - 1);
        }
        int tag = tag_index(schema, item->string);
        if (tag < 0) {
            return am_json_fail(doc, item, AM_ERR_LIMIT, err, "more than %d tags", AM_MAX_TAGS);
        }
        channel->tags[channel->tag_count++] = (uint8_t)tag;
    }
    return AM_OK;
}

static am_result read_custom(am_channel *channel, const am_json_doc *doc, const am_json *object, am_error *err)
{
    int dims = 0;
    am_result result = am_json_read_int(doc, object, "dims", true, &dims, 1, AM_MAX_CUSTOM, err);
    if (result != AM_OK) {
        return result;
    }
    channel->dims = dims;
    float mirror[AM_MAX_CUSTOM];
    int count = 0;
    result = am_json_read_floats(doc, object, "mirror", false, mirror, AM_MAX_CUSTOM, &count, err);
    if (result != AM_OK || count == 0) {
        return result;
    }
    const am_json *value = am_json_get(object, "mirror");
    if (count != dims) {
        return am_json_fail(doc, value, AM_ERR_RANGE, err, "'mirror' has %d numbers for %d dims", count, dims);
    }
    for (int i = 0; i < count; i++) {
        float size = am_abs(mirror[i]);
        if (!(size >= 1.0f && size <= (float)dims) || floorf(size) != size) {
            return am_json_fail(doc, value, AM_ERR_RANGE, err,
                                "'mirror' names for each dim its source dim, 1 to %d, negative to change the sign",
                                dims);
        }
        channel->mirror[i] = (int8_t)mirror[i];
    }
    return AM_OK;
}

static am_result read_choice(int32_t *out, const am_json_doc *doc, const am_json *object, const char *key,
                             const char *const *names, int count, am_error *err)
{
    int choice = *out;
    am_result result = am_json_read_choice(doc, object, key, false, &choice, names, count, err);
    *out = choice;
    return result;
}

static am_result read_details(am_schema *schema, am_channel *channel, unsigned uses, const am_json_doc *doc,
                              const am_json *object, am_error *err)
{
    am_result result = AM_OK;
    if (result == AM_OK && (uses & AMI_USES_JOINT)) {
        result = read_joint(channel, doc, object, err);
    }
    if (result == AM_OK && (uses & (AMI_USES_TIMES | AMI_USES_FUTURE))) {
        result = read_times(channel, uses, doc, object, err);
    }
    if (result == AM_OK && (uses & AMI_USES_AXES)) {
        int32_t axes = 0;
        result = read_choice(&axes, doc, object, "axes", axes_names, 2, err);
        channel->axes = axes + 2;
    }
    if (result == AM_OK && (uses & AMI_USES_DIRECTION)) {
        result = read_choice(&channel->direction, doc, object, "direction", direction_names, 2, err);
    }
    if (result == AM_OK && (uses & AMI_USES_HEIGHT)) {
        result = read_choice(&channel->height, doc, object, "height", height_names, 2, err);
    }
    if (result == AM_OK && (uses & AMI_USES_TAGS)) {
        result = read_tags(schema, channel, doc, object, err);
    }
    if (result == AM_OK && (uses & AMI_USES_CUSTOM)) {
        result = read_custom(channel, doc, object, err);
    }
    return result;
}

/// "left_foot_position" for a joint's channel, else the kind.
static void default_name(am_channel *channel)
{
    const char *kind = am_feature_name((am_feature)channel->kind);
    if (channel->role >= 0) {
        snprintf(channel->name, sizeof channel->name, "%s_%s", am_role_name((am_role)channel->role), kind);
    } else {
        snprintf(channel->name, sizeof channel->name, "%s", kind);
    }
}

static am_result read_name(const am_schema *schema, am_channel *channel, const am_json_doc *doc,
                           const am_json *object, am_error *err)
{
    const char *name = NULL;
    am_result result = am_json_read_string(doc, object, "name", false, &name, err);
    if (result != AM_OK) {
        return result;
    }
    default_name(channel);
    if (name) {
        if (name[0] == '\0' || strlen(name) >= sizeof channel->name) {
            return am_json_fail(doc, am_json_get(object, "name"), AM_ERR_RANGE, err,
                                "a channel's name has 1 to %d bytes", AM_NAME_SIZE - 1);
        }
        snprintf(channel->name, sizeof channel->name, "%s", name);
    }
    if (am_schema_find(schema, channel->name) >= 0) {
        return am_json_fail(doc, object, AM_ERR_KEY, err, "two channels are called '%s'; give one a \"name\"",
                            channel->name);
    }
    return AM_OK;
}

static am_result read_channel(am_schema *schema, int32_t normalise, const am_json_doc *doc, const am_json *object,
                              am_error *err)
{
    am_channel channel = { .role = -1, .weight = 1.0f, .normalise = normalise };
    if (object->type != AM_JSON_OBJECT) {
        return am_json_fail(doc, object, AM_ERR_TYPE, err, "a channel is an object, e.g. {\"kind\": \"position\"}");
    }
    int kind = 0;
    am_result result =
        am_json_read_choice(doc, object, "kind", true, &kind, ami_feature_names(), AM_FEATURE_COUNT, err);
    if (result != AM_OK) {
        return result;
    }
    channel.kind = kind;
    unsigned uses = ami_feature_of(kind)->uses;
    const char *keys[16];
    int key_count = channel_keys(keys, uses);
    result = am_json_only(doc, object, keys, key_count, err);
    if (result == AM_OK) {
        result = am_json_read_float(doc, object, "weight", false, &channel.weight, 0.0f, 1e6f, err);
    }
    if (result == AM_OK) {
        result = read_choice(&channel.normalise, doc, object, "normalise", normalise_names, 3, err);
    }
    if (result == AM_OK) {
        result = read_details(schema, &channel, uses, doc, object, err);
    }
    if (result == AM_OK) {
        result = read_name(schema, &channel, doc, object, err);
    }
    if (result == AM_OK) {
        schema->channels[schema->channel_count++] = channel;
    }
    return result;
}

am_result am_schema_parse(am_schema *out, const am_json_doc *doc, const am_json *object, am_error *err)
{
    static const char *const keys[] = { "normalise", "pca", "channels" };
    memset(out, 0, sizeof *out);
    am_result result = am_json_only(doc, object, keys, 3, err);
    if (result != AM_OK) {
        return result;
    }
    int32_t normalise = AM_NORMALISE_CHANNEL;
    result = read_choice(&normalise, doc, object, "normalise", normalise_names, 3, err);
    if (result == AM_OK) {
        result = am_json_read_int(doc, object, "pca", false, &out->pca_count, 0, AM_MAX_FEATURES, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const am_json *list = am_json_get(object, "channels");
    if (!list || list->type != AM_JSON_ARRAY || list->count < 1 || list->count > AM_MAX_CHANNELS) {
        return am_json_fail(doc, list ? list : object, list ? AM_ERR_TYPE : AM_ERR_KEY, err,
                            "a schema needs 'channels', a list of 1 to %d", AM_MAX_CHANNELS);
    }
    for (const am_json *item = list->first; item; item = item->next) {
        result = read_channel(out, normalise, doc, item, err);
        if (result != AM_OK) {
            return result;
        }
    }
    am_error place = { 0 };
    result = ami_schema_place(out, &place);
    if (result != AM_OK) {
        return am_json_fail(doc, list, result, err, "%s", place.text);
    }
    if (out->pca_count > out->raw_count) {
        return am_json_fail(doc, am_json_get(object, "pca"), AM_ERR_RANGE, err,
                            "'pca' asks for %d dimensions, but there are only %d", out->pca_count, out->raw_count);
    }
    return AM_OK;
}

int am_schema_find(const am_schema *schema, const char *name)
{
    for (int c = 0; c < schema->channel_count; c++) {
        if (strcmp(schema->channels[c].name, name) == 0) {
            return c;
        }
    }
    return -1;
}

bool ami_channel_is_target(const am_channel *channel)
{
    return !(ami_feature_of(channel->kind)->uses & AMI_USES_BODY);
}

void am_schema_dim_name(const am_schema *schema, int dim, char *out, size_t size)
{
    snprintf(out, size, "?");
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        if (dim >= channel->first && dim < channel->first + channel->dims) {
            char label[64];
            ami_feature_of(channel->kind)->label(label, sizeof label, channel, dim - channel->first);
            if (channel->kind == AM_FEATURE_TAG) {
                snprintf(label, sizeof label, ".%s", schema->tag_names[channel->tags[dim - channel->first]]);
            }
            snprintf(out, size, "%s%s", channel->name, label);
            return;
        }
    }
}
