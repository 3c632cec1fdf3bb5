// Runtime controls: fills a value from what the player asks for and where the character is.
#include "operators/fill.h"

#include "base/error.h"
#include "base/memory.h"

struct ami_runtime_controls {
    am_alloc alloc;
    ami_fill *fill;
};

static const ami_control_world *world_of(void *context) { return context; }

static void call_root(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_vector(out, world_of(context)->root.translation);
}

static void call_root_facing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_vector(out, am_quat_rotate(world_of(context)->root.rotation, am_v3(0.0f, 0.0f, 1.0f)));
}

/// The desired trajectory at a time: its ends go on forever. False when there is none.
static bool trajectory_at(const ami_control_world *world, float time, am_query_point *out)
{
    int count = world->trajectory_count;
    const am_query_point *points = world->trajectory;
    if (count < 1) {
        return false;
    }
    int next = 0;
    while (next < count && points[next].time < time) {
        next++;
    }
    const am_query_point *a = &points[next > 0 ? next - 1 : 0], *b = &points[next < count ? next : count - 1];
    float span = b->time - a->time;
    float t = span > 0.0f ? am_clamp((time - a->time) / span, 0.0f, 1.0f) : 0.0f;
    out->position = am_v3_lerp(a->position, b->position, t);
    out->direction = am_v3_normalize_or(am_v3_lerp(a->direction, b->direction, t), a->direction);
    out->velocity = am_v3_lerp(a->velocity, b->velocity, t);
    return true;
}

static void call_trajectory_position(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_query_point at = { 0 };
    out->missing = !trajectory_at(world_of(context), a[0].number[0], &at);
    ami_expr_set_vector(out, am_v3_ground(at.position)); // y of a trajectory is the hips' height
}

static void call_trajectory_facing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_query_point at = { 0 };
    out->missing = !trajectory_at(world_of(context), a[0].number[0], &at);
    ami_expr_set_vector(out, at.direction);
}

static void call_trajectory_velocity(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    am_query_point at = { 0 };
    out->missing = !trajectory_at(world_of(context), a[0].number[0], &at);
    ami_expr_set_vector(out, at.velocity);
}

static void call_velocity(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_vector(out, world_of(context)->velocity);
}

static void call_facing(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    am_vec3 facing = am_v3_normalize_or(am_v3_ground(world_of(context)->facing), am_v3_zero());
    out->missing = am_v3_length2(facing) == 0.0f; // along the velocity
    ami_expr_set_vector(out, facing);
}

static void call_point(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    out->missing = !world_of(context)->has_point;
    ami_expr_set_vector(out, world_of(context)->point);
}

static void call_has_point(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_bool(out, world_of(context)->has_point);
}

static const char *const actions[] = { "jump", "creep", "dance", "run" };

static void call_pressed(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)count;
    const ami_control_world *world = world_of(context);
    const bool pressed[] = { world->jump, world->creep, world->dance, world->run };
    ami_expr_set_bool(out, pressed[(int)a[0].number[0]]);
}

static void call_time(void *context, ami_expr_value *out, const ami_expr_value *a, int count)
{
    (void)a;
    (void)count;
    ami_expr_set_number(out, world_of(context)->time_s);
}

#define B AMI_EXPR_BOOL
#define N AMI_EXPR_NUMBER
#define V AMI_EXPR_VECTOR

static const ami_expr_function functions[] = {
    { "root", V, 0, 0, { N }, "where the character stands", call_root, NULL, false },
    { "root_facing", V, 0, 0, { N }, "where it faces", call_root_facing, NULL, false },
    { "trajectory_position",
      V,
      1,
      1,
      { N },
      "the desired place in some seconds",
      call_trajectory_position,
      NULL,
      false },
    { "trajectory_facing",
      V,
      1,
      1,
      { N },
      "the desired facing in some seconds",
      call_trajectory_facing,
      NULL,
      false },
    { "trajectory_velocity",
      V,
      1,
      1,
      { N },
      "the desired velocity in some seconds",
      call_trajectory_velocity,
      NULL,
      false },
    { "velocity", V, 0, 0, { N }, "the desired velocity", call_velocity, NULL, false },
    { "facing",
      V,
      0,
      0,
      { N },
      "the desired facing; missing when it goes with the movement",
      call_facing,
      NULL,
      false },
    { "point", V, 0, 0, { N }, "the place to go to; missing when there is none", call_point, NULL, false },
    { "has_point", B, 0, 0, { N }, "whether there is a place to go to", call_has_point, NULL, false },
    { "pressed",
      B,
      1,
      1,
      { AMI_EXPR_NAME },
      "pressed(action): jump, creep, dance or run",
      call_pressed,
      "action",
      false },
    { "time", N, 0, 0, { N }, "seconds since the character was made", call_time, NULL, false },
};

#undef B
#undef N
#undef V

const ami_expr_function *ami_runtime_controls_functions(int *count)
{
    *count = (int)(sizeof functions / sizeof *functions);
    return functions;
}

static am_result read_fill(ami_fill **out, const am_control_schema *schema, const am_json_doc *doc,
                           const am_alloc *alloc, am_error *err)
{
    static const ami_expr_names lists[] = { { "action", actions, 4 } };
    ami_fill_host host = { .variables = "let" };
    host.scope.functions = ami_runtime_controls_functions(&host.scope.function_count);
    host.scope.lists = lists;
    host.scope.list_count = 1;
    const am_json *section = NULL;
    am_result result = ami_control_section(doc, am_json_root(doc), "runtime", &section, err);
    return result == AM_OK ? ami_fill_read(out, schema, doc, section, &host, alloc, err) : result;
}

am_result ami_runtime_controls_read(ami_runtime_controls **out, const am_control_schema *schema, const char *text,
                                    size_t size, const char *file, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_runtime_controls *controls = ami_alloc_zero(&own, sizeof *controls);
    if (!controls) {
        return ami_fail_memory(err, sizeof *controls);
    }
    controls->alloc = own;
    am_json_doc *doc = NULL;
    am_result result = am_json_parse(&doc, text, size, file, &own, err);
    result = result == AM_OK ? read_fill(&controls->fill, schema, doc, &own, err) : result;
    am_json_free(doc);
    if (result != AM_OK) {
        ami_runtime_controls_destroy(controls);
        return result;
    }
    *out = controls;
    return AM_OK;
}

void ami_runtime_controls_destroy(ami_runtime_controls *controls)
{
    if (controls) {
        am_alloc alloc = controls->alloc;
        ami_fill_destroy(controls->fill);
        ami_release(&alloc, controls, sizeof *controls);
    }
}

void ami_runtime_controls_fill(const ami_runtime_controls *controls, float *value, const ami_control_world *world)
{
    ami_control_world copy = *world; // functions take a context that they may change
    ami_fill_run run = { .context = &copy };
    ami_fill_run_rules(controls->fill, value, &run);
}

am_result ami_control_section(const am_json_doc *doc, const am_json *root, const char *key, const am_json **out,
                              am_error *err)
{
    static const char *const sections[] = { "training", "runtime", "matching" };
    *out = NULL;
    am_result result = am_json_only(doc, root, sections, 3, err);
    if (result != AM_OK) {
        return result;
    }
    *out = am_json_get(root, key);
    return *out ? AM_OK
                : am_json_fail(doc, root, AM_ERR_KEY, err,
                               "this file has no \"%s\"; add that section, or name another file", key);
}
