// An asset: a database and networks opened together, and everything that is made from them once.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "method/field_source.h"
#include "method/flow.h"
#include "net/net.h"
#include "method/sources.h"

#include <stdatomic.h>
#include <string.h>

enum { most_models = 2 * AM_MAX_ASSET_FILES, most_values = most_models * AM_NET_MOST_ATTACHMENTS };

struct am_asset {
    am_alloc alloc;
    const am_db *db;
    am_db *own_db;
    const am_model *models[most_models];
    am_model *own_models[AM_MAX_ASSET_FILES];
    int model_count, own_model_count;
    am_index *index;
    ami_field *field;
    ami_field_value *values[most_values];
    int value_count;
    am_net *direction;
    am_source *made[AM_METHOD_COUNT];                        ///< own sources
    const am_source *sources[AM_METHOD_COUNT];               ///< [family]
    ami_prepared *prepared[AM_METHOD_COUNT];                 ///< [family]
    am_search_work *slots[AM_METHOD_COUNT][AMI_ASSET_SLOTS]; ///< [family] for batches of actors
    bool slotted;                                            ///< some family has slots
    atomic_flag *slots_taken;                                ///< in `taken`, so that a const asset can lend its slots
    atomic_flag taken;
    uint64_t key;
};

void am_asset_def_init(am_asset_def *def) { *def = (am_asset_def){ .cookie = AM_COOKIE }; }

am_method ami_method_family(am_method method) { return method == AM_METHOD_LONG_HORIZON ? AM_METHOD_MATCH : method; }

// ---------------------------------------------------------------------------------------------
// Opening

static am_result open_file(am_asset *a, const am_asset_file *file, am_error *err)
{
    am_file mapped = { 0 };
    const void *data = file->data;
    size_t size = file->size;
    am_result result = data ? AM_OK : am_file_open(&mapped, file->name, err);
    data = data ? data : mapped.data;
    size = file->data ? size : mapped.size;
    bool network = result == AM_OK && size > 5 && memcmp((const char *)data + 1, "AMNT", 4) == 0;
    am_file_close(&mapped); // the right reader maps it again
    if (result == AM_OK && network && a->own_model_count < AM_MAX_ASSET_FILES) {
        am_model **out = &a->own_models[a->own_model_count];
        result = file->data ? am_model_from_memory(out, file->data, file->size, file->name, &a->alloc, err)
                            : am_model_open(out, file->name, &a->alloc, err);
        a->own_model_count += result == AM_OK;
    } else if (result == AM_OK && a->db) {
        result = ami_fail(err, AM_ERR_LIMIT, "%s is a second database; an asset takes only one", file->name);
    } else if (result == AM_OK) {
        result = file->data ? am_db_from_memory(&a->own_db, file->data, file->size, file->name, &a->alloc, err)
                            : am_db_open(&a->own_db, file->name, &a->alloc, err);
        a->db = a->own_db;
    }
    return result;
}

static am_result open_files(am_asset *a, const am_asset_def *def, am_error *err)
{
    am_result result = AM_OK;
    a->db = def->db;
    for (int i = 0; i < def->file_count && result == AM_OK; i++) {
        result = open_file(a, &def->files[i], err);
    }
    for (int i = 0; i < a->own_model_count; i++) {
        a->models[a->model_count++] = a->own_models[i];
    }
    for (int i = 0; i < def->model_count; i++) {
        a->models[a->model_count++] = def->models[i];
    }
    return result;
}

static const am_model *model_with(const am_asset *a, const char *part)
{
    for (int i = 0; i < a->model_count; i++) {
        if (am_model_find(a->models[i], part) >= 0) {
            return a->models[i];
        }
    }
    return NULL;
}

/// The first model with value functions, or NULL.
static const am_model *model_with_values(const am_asset *a)
{
    for (int i = 0; i < a->model_count; i++) {
        for (int t = 0; ami_field_task_name(t); t++) {
            if (ami_field_value_has(a->models[i], ami_field_task_name(t))) {
                return a->models[i];
            }
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Methods

static am_result make_match(am_asset *a, am_error *err)
{
    ami_index_def index = ami_index_def_default();
    index.db = a->db;
    index.alloc = &a->alloc;
    am_result result = ami_index_create(&a->index, &index, err);
    ami_match_def def = ami_match_def_default();
    def.alloc = &a->alloc;
    def.db = a->db;
    def.index = a->index;
    def.decompressor = a->db->z ? model_with(a, "decompressor") : NULL;
    return result == AM_OK ? ami_match_create(&a->made[AM_METHOD_MATCH], &def, err) : result;
}

/// Working memory for batches of a source.
static am_result make_slots(am_asset *a, am_method method, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < AMI_ASSET_SLOTS && result == AM_OK; i++) {
        result = am_source_work_create(&a->slots[method][i], a->made[method], AMI_ASSET_BATCH, &a->alloc, err);
    }
    a->slotted |= result == AM_OK;
    return result;
}

static am_result make_learned(am_asset *a, am_error *err)
{
    ami_learned_def def = ami_learned_def_default();
    def.alloc = &a->alloc;
    def.model = model_with(a, "projector");
    am_result result = ami_learned_create(&a->made[AM_METHOD_LEARNED], &def, err);
    return result == AM_OK ? make_slots(a, AM_METHOD_LEARNED, err) : result;
}

/// Flow or segments.
static am_result make_latent(am_asset *a, am_method method, const char *part,
                             am_result (*create)(am_source **, const ami_latent_def *, am_error *), am_error *err)
{
    ami_latent_def def = ami_latent_def_default();
    def.alloc = &a->alloc;
    def.model = model_with(a, part);
    am_result result = create(&a->made[method], &def, err);
    return result == AM_OK ? make_slots(a, method, err) : result;
}

static am_result make_flow(am_asset *a, am_error *err)
{
    return make_latent(a, AM_METHOD_FLOW, "flow", ami_flow_create, err);
}

static am_result make_segments(am_asset *a, am_error *err)
{
    return make_latent(a, AM_METHOD_SEGMENTS, "segments", ami_segments_create, err);
}

/// Value functions of all models, at every anchor spacing.
static am_result open_values(am_asset *a, am_error *err)
{
    am_result result = AM_OK;
    for (int m = 0; m < a->model_count; m++) {
        ami_field_value_head head;
        for (int i = 0; i < a->models[m]->attachment_count && result == AM_OK; i++) {
            if (ami_field_value_peek(&head, a->models[m], i)) {
                ami_field_value_def def = ami_field_value_def_default();
                def.alloc = &a->alloc;
                def.model = a->models[m];
                def.field = a->field;
                def.task = head.task;
                def.every = head.every;
                result = ami_field_value_create(&a->values[a->value_count], &def, err);
                a->value_count += result == AM_OK;
            }
        }
    }
    return result;
}

static am_result make_field(am_asset *a, am_error *err)
{
    const am_model *model = model_with_values(a);
    ami_field_def def = ami_field_def_default();
    def.alloc = &a->alloc;
    def.db = a->db;
    if (model) {
        ami_field_value_field(&def, model); // values are valid only for the field that they were trained on
    }
    am_result result = ami_field_create(&a->field, &def, err);
    result = result == AM_OK ? open_values(a, err) : result;
    ami_field_source_def flow = ami_field_source_def_default();
    flow.alloc = &a->alloc;
    flow.field = a->field;
    flow.policy = AM_FIELD_GREEDY; // settings say which
    flow.values = (const ami_field_value *const *)a->values;
    flow.value_count = a->value_count;
    return result == AM_OK ? ami_field_source_create(&a->made[AM_METHOD_FIELD], &flow, err) : result;
}

/// The methods that files and models offer.
static uint32_t offered(const am_asset *a)
{
    uint32_t methods = 0;
    bool poses = a->db && (a->db->has_poses || (a->db->z && model_with(a, "decompressor")));
    methods |= poses ? 1u << AM_METHOD_MATCH : 0;
    methods |= model_with(a, "projector") ? 1u << AM_METHOD_LEARNED : 0;
    methods |= model_with(a, "flow") ? 1u << AM_METHOD_FLOW : 0;
    methods |= model_with(a, "segments") ? 1u << AM_METHOD_SEGMENTS : 0;
    methods |= a->db && a->db->has_poses && model_with_values(a) ? 1u << AM_METHOD_FIELD : 0;
    return methods;
}

static am_result make_method(am_asset *a, am_method method, am_error *err)
{
    static am_result (*const makers[AM_METHOD_OWN])(am_asset *, am_error *) = {
        [AM_METHOD_MATCH] = make_match, [AM_METHOD_LONG_HORIZON] = make_match, [AM_METHOD_LEARNED] = make_learned,
        [AM_METHOD_FIELD] = make_field, [AM_METHOD_FLOW] = make_flow,          [AM_METHOD_SEGMENTS] = make_segments
    };
    int count;
    const am_method_row *row = &am_methods(&count)[method];
    if (row->database && !a->db) {
        return ami_fail(err, AM_ERR_SUPPORT, "the controller '%s' needs a database; name an .amdb", row->name);
    }
    if (row->part && !model_with(a, row->part)) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the controller '%s' needs a model with the part '%s'; name one with \"model\": "
                        "[\"FILE.amnet\"] (amble train makes it)",
                        row->name, row->part);
    }
    return a->made[ami_method_family(method)] ? AM_OK : makers[method](a, err);
}

static am_result make_sources(am_asset *a, const am_asset_def *def, am_error *err)
{
    uint32_t methods = def->methods ? def->methods : def->source ? 0 : offered(a);
    am_result result = AM_OK;
    for (int m = 0; m < AM_METHOD_OWN && result == AM_OK; m++) {
        result = (methods >> m & 1) != 0 ? make_method(a, (am_method)m, err) : AM_OK;
    }
    const am_skeleton *skeleton = NULL;
    for (int m = 0; m < AM_METHOD_COUNT && result == AM_OK; m++) {
        const am_source *source = m == AM_METHOD_OWN ? def->source : a->made[m];
        if (source && skeleton && !am_skeleton_same_shape(source->skeleton, skeleton)) {
            return ami_fail(err, AM_ERR_SKELETON, "the networks and the database have different skeletons");
        }
        skeleton = source && !skeleton ? source->skeleton : skeleton;
        a->sources[m] = source;
    }
    return result == AM_OK && !skeleton
               ? ami_fail(err, AM_ERR_SUPPORT, "nothing to play: give a database, or the networks of a character")
               : result;
}

static am_result prepare_methods(am_asset *a, am_error *err)
{
    static const char *const usual[AM_ACTIVITY_COUNT] = { NULL };
    am_result result = AM_OK;
    for (int m = 0; m < AM_METHOD_COUNT && result == AM_OK; m++) {
        if (a->sources[m]) {
            result = ami_prepared_create(&a->prepared[m], a->sources[m], usual, &a->alloc, err);
        }
    }
    return result;
}

/// What snapshots depend on besides the settings.
static uint64_t key_of(const am_asset *a)
{
    uint64_t key = 1;
    for (int m = 0; m < AM_METHOD_COUNT; m++) {
        if (a->sources[m]) {
            const char *name = a->sources[m]->interface->name;
            const uint64_t words[] = { a->sources[m]->key, a->sources[m]->db ? a->sources[m]->db->hash : 0 };
            key = am_hash64(words, sizeof words, am_hash64(name, strlen(name), key));
        }
    }
    for (int i = 0; a->field && i < a->model_count; i++) { // their values choose the field's actions
        key = am_hash64(&a->models[i]->hash, sizeof a->models[i]->hash, key);
    }
    uint64_t direction = a->direction ? a->direction->model->hash : 0;
    return am_hash64(&direction, sizeof direction, key);
}

am_result am_asset_create(am_asset **out, const am_asset_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || def->file_count < 0 || def->file_count > AM_MAX_ASSET_FILES ||
        def->model_count < 0 || def->model_count > AM_MAX_ASSET_FILES) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the asset def with am_asset_def_init() and give it at most %d files",
                        AM_MAX_ASSET_FILES);
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_asset *a = ami_alloc_zero(&alloc, sizeof *a);
    if (!a) {
        return ami_fail_memory(err, sizeof *a);
    }
    a->alloc = alloc;
    a->slots_taken = &a->taken;
    atomic_flag_clear(a->slots_taken);
    am_result result = open_files(a, def, err);
    result = result == AM_OK ? make_sources(a, def, err) : result;
    const am_model *model = model_with(a, "direction");
    if (result == AM_OK && model) {
        result = ami_direction_net_open(&a->direction, model, &a->alloc, err);
    }
    result = result == AM_OK ? prepare_methods(a, err) : result;
    if (result != AM_OK) {
        am_asset_close(a);
        return result;
    }
    a->key = key_of(a);
    *out = a;
    return AM_OK;
}

am_result am_asset_open(am_asset **out, const am_asset_file *files, int count, const am_alloc *alloc, am_error *err)
{
    am_asset_def def;
    am_asset_def_init(&def);
    def.alloc = alloc;
    def.files = files;
    def.file_count = count;
    return am_asset_create(out, &def, err);
}

void am_asset_close(am_asset *a)
{
    if (!a) {
        return;
    }
    am_alloc alloc = a->alloc;
    for (int m = 0; m < AM_METHOD_COUNT; m++) {
        for (int i = 0; i < AMI_ASSET_SLOTS; i++) {
            ami_search_work_destroy(a->slots[m][i]);
        }
        ami_prepared_destroy(a->prepared[m]);
        ami_source_destroy(a->made[m]);
    }
    for (int i = 0; i < a->value_count; i++) {
        ami_field_value_destroy(a->values[i]);
    }
    ami_field_destroy(a->field);
    am_net_destroy(a->direction);
    ami_index_destroy(a->index);
    for (int i = 0; i < a->own_model_count; i++) {
        am_model_close(a->own_models[i]);
    }
    am_db_close(a->own_db);
    ami_release(&alloc, a, sizeof *a);
}

// ---------------------------------------------------------------------------------------------
// Asking

const ami_prepared *ami_asset_prepared(const am_asset *a, am_method method)
{
    return (int)method >= 0 && method < AM_METHOD_COUNT ? a->prepared[ami_method_family(method)] : NULL;
}

const am_source *ami_asset_source(const am_asset *a, am_method method)
{
    const ami_prepared *prepared = ami_asset_prepared(a, method);
    return prepared ? prepared->source : NULL;
}

const am_net *ami_asset_direction(const am_asset *a) { return a->direction; }
uint64_t ami_asset_key(const am_asset *a) { return a->key; }

bool ami_asset_borrow(const am_asset *a) { return a->slotted && !atomic_flag_test_and_set(a->slots_taken); }

am_search_work *const *ami_asset_slots(const am_asset *a, const am_source *source)
{
    for (int m = 0; m < AM_METHOD_OWN; m++) {
        if (source == a->made[m] && a->slots[m][0]) {
            return a->slots[m];
        }
    }
    return NULL;
}

void ami_asset_return(const am_asset *a) { atomic_flag_clear(a->slots_taken); }

uint32_t am_asset_methods(const am_asset *a)
{
    uint32_t methods = 0;
    for (int m = 0; m < AM_METHOD_COUNT; m++) {
        methods |= ami_asset_prepared(a, (am_method)m) ? 1u << m : 0;
    }
    return methods;
}

/// Any source: they share their skeleton.
static const am_source *any_source(const am_asset *a)
{
    int m = 0;
    while (!a->sources[m]) {
        m++;
    }
    return a->sources[m];
}

const am_skeleton *am_asset_skeleton(const am_asset *a) { return any_source(a)->skeleton; }
const am_roles *am_asset_roles(const am_asset *a) { return any_source(a)->roles; }

int am_asset_joint(const am_asset *a, const char *name)
{
    int joint = am_skeleton_find(am_asset_skeleton(a), name);
    int role = am_role_find(name);
    return joint >= 0 || role < 0 ? joint : am_asset_roles(a)->joint[role];
}

const am_db *am_asset_db(const am_asset *a, am_method method)
{
    const ami_prepared *prepared = ami_asset_prepared(a, method);
    return prepared ? prepared->source->db : NULL;
}

const am_control_schema *am_asset_control_schema(const am_asset *a, am_method method)
{
    return ami_latent_schema(ami_asset_source(a, method));
}

int am_asset_value(const am_asset *a, int task, int every)
{
    const am_source *field = a->sources[AM_METHOD_FIELD];
    const ami_field_value *value = NULL;
    if (field && ami_field_task_name(task)) {
        value = ami_field_source_value(field, task, every);
    }
    return value ? value->head.every : 0;
}

void am_asset_get_info(const am_asset *a, am_asset_info *out)
{
    *out = (am_asset_info){ .index_bytes = a->index ? ami_index_bytes(a->index) : 0,
                            .field_bytes = a->field ? a->field->bytes : 0,
                            .field_states = a->field ? a->field->state_count : 0,
                            .field_neighbours = a->field ? a->field->k : 0,
                            .has_direction = a->direction != NULL };
}
