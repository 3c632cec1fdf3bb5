// Fills a value by compiled rules.
#include "operators/fill_rules.h"

#include "base/assert.h"

#include <string.h>

typedef struct filler {
    const ami_fill *fill;
    float *value;
    ami_fill_run *run;
    bool absent; ///< an optional was found missing: its flag is -1 until the end
    ami_expr_value locals[AMI_EXPR_LOCALS];
} filler;

static bool run_rule(filler *f, const ami_fill_rule *rule, int shift);

/// Remembers the first thing that was missing.
static bool missing(filler *f, int node, const char *text)
{
    if (f->run->missing_node < 0) {
        f->run->missing_node = node;
        f->run->missing_text = text;
    }
    return false;
}

static ami_expr_value evaluate(filler *f, const ami_expr *expr)
{
    ami_expr_value value;
    ami_expr_run(expr, &value, f->run->context, f->locals);
    return value;
}

// ---------------------------------------------------------------------------------------------
// Numbers of typed parts

static am_vec3 noise_of(const ami_fill_rule *rule, am_rng *rng)
{
    // As the noise on poses (Operators 4.2): a deviation between 0 and the most, then a normal draw for each axis.
    float deviation = am_rng_float(rng);
    am_vec3 noise;
    noise.x = rule->noise[0] * deviation * am_rng_normal(rng);
    noise.y = rule->noise[1] * deviation * am_rng_normal(rng);
    noise.z = rule->noise[2] * deviation * am_rng_normal(rng);
    return noise;
}

static void put_vector(float *out, am_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/// Place of a name among those of the part; -1 when it is none of them.
static int find_name(const ami_control_node *node, const char *name)
{
    for (int i = 0; i < node->name_count; i++) {
        if (strcmp(node->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void put_rotation(float *out, const ami_expr_value *value, am_vec3 noise)
{
    am_quat q = am_quat_normalize(am_quat_mul(am_quat_from_scaled_axis(noise), ami_expr_rotation(value)));
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

/// False when the value is none that the part can have.
static bool put_value(filler *f, const ami_fill_rule *rule, float *out, const ami_expr_value *value)
{
    const ami_control_node *node = &f->fill->schema->nodes[rule->node];
    am_vec3 noise = rule->noisy && f->run->rng ? noise_of(rule, f->run->rng) : am_v3_zero();
    am_vec3 v = am_v3_add(ami_expr_vector(value), noise);
    switch (node->kind) {
    case AMI_OP_NUMBER:
        out[0] = value->number[0] + noise.x;
        return true;
    case AMI_OP_INDEX:
        out[0] = (float)ami_control_index(value->number[0], node->most + 1);
        return true;
    case AMI_OP_LOCATION:
    case AMI_OP_VELOCITY:
        put_vector(out, v);
        return true;
    case AMI_OP_DIRECTION:
        put_vector(out, rule->noisy ? am_v3_normalize_or(v, ami_expr_vector(value)) : v);
        return true;
    case AMI_OP_SCALE:
        put_vector(out, v);
        return v.x > 0.0f && v.y > 0.0f && v.z > 0.0f; // its logarithm is taken (eq. 5)
    case AMI_OP_ROTATION:
        put_rotation(out, value, noise);
        return true;
    case AMI_OP_ONE_OF:
        out[0] = (float)find_name(node, value->name);
        return out[0] >= 0.0f;
    default: // AMI_OP_BOOL and the flags of AMI_OP_SOME_OF
        out[0] = value->number[0];
        return true;
    }
}

static bool run_value(filler *f, const ami_fill_rule *rule, int shift)
{
    f->run->node = rule->node;
    ami_expr_value value = evaluate(f, rule->expr);
    f->run->node = -1;
    float *out = f->value + rule->place + shift;
    return (!value.missing && put_value(f, rule, out, &value)) || missing(f, rule->node, rule->text);
}

// ---------------------------------------------------------------------------------------------
// Parts

static bool run_set(filler *f, const ami_fill_rule *rule, int shift)
{
    for (int i = 0; i < rule->part_count; i++) {
        if (!run_rule(f, rule->parts[i], shift)) {
            return false;
        }
    }
    return true;
}

static ami_expr_value whole(int i) { return (ami_expr_value){ .type = AMI_EXPR_NUMBER, .number = { (float)i } }; }

static bool run_items(filler *f, const ami_fill_rule *rule, int shift)
{
    const ami_control_node *node = &f->fill->schema->nodes[rule->node];
    int count = node->count;
    if (node->kind == AMI_OP_SET) {
        ami_expr_value wanted = evaluate(f, rule->expr);
        if (wanted.missing) {
            return missing(f, rule->node, rule->text);
        }
        count = ami_control_index(wanted.number[0], node->most + 1);
    }
    int done = 0;
    for (; done < count; done++) {
        f->locals[rule->slot] = whole(done);
        if (!run_rule(f, rule->parts[0], shift + done * rule->step)) {
            break;
        }
    }
    if (node->kind == AMI_OP_SET) {
        f->value[rule->place + shift] = (float)done;
        return done == count || !f->fill->strict; // a way ends where its next point is missing
    }
    return done == count;
}

static bool run_cells(filler *f, const ami_fill_rule *rule, int shift)
{
    const ami_control_node *node = &f->fill->schema->nodes[rule->node];
    for (int row = 0; row < node->rows; row++) {
        for (int column = 0; column < node->columns; column++) {
            f->locals[rule->slot] = whole(row);
            f->locals[rule->slot + 1] = whole(column);
            ami_expr_value value = evaluate(f, rule->expr);
            if (value.missing) {
                return missing(f, rule->node, rule->text);
            }
            f->value[rule->place + shift + row * node->columns + column] = value.number[0];
        }
    }
    return true;
}

static bool is_wanted(filler *f, const ami_fill_rule *rule)
{
    ami_expr_value when = { .number = { 1.0f } };
    if (rule->when) {
        when = evaluate(f, rule->when);
    }
    return ami_expr_is_true(&when);
}

static bool run_choose(filler *f, const ami_fill_rule *rule, int shift)
{
    int branch = -1;
    if (f->fill->strict) {
        branch = f->run->choose(f->run->context, rule->choice);
    } else {
        for (int i = 0; i < rule->part_count && branch < 0; i++) {
            branch = is_wanted(f, rule->parts[i]) ? i : -1;
        }
    }
    if (branch < 0) {
        return missing(f, rule->node, "choose");
    }
    AM_ASSERT(branch < rule->part_count);
    f->value[rule->place + shift] = (float)rule->parts[branch]->part;
    return run_rule(f, rule->parts[branch], shift);
}

static bool run_kind(filler *f, const ami_fill_rule *rule, int shift)
{
    switch (rule->kind) {
    case AMI_FILL_VALUE:
        return run_value(f, rule, shift);
    case AMI_FILL_SET:
    case AMI_FILL_FLAGS:
        return run_set(f, rule, shift);
    case AMI_FILL_ITEMS:
        return run_items(f, rule, shift);
    case AMI_FILL_CHOOSE:
        return run_choose(f, rule, shift);
    case AMI_FILL_CELLS:
        return run_cells(f, rule, shift);
    default: // AMI_FILL_NOTHING
        return true;
    }
}

// ---------------------------------------------------------------------------------------------
// Holders

static void set_marks(filler *f, const ami_fill_rule *rule, int shift)
{
    for (int i = 0; i < rule->mark_count; i++) {
        const ami_fill_mark *mark = &rule->marks[i];
        float *number = f->value + mark->place + shift;
        bool keep = (mark->optional && *number < 0.0f) || (mark->least && *number > mark->number);
        *number = keep ? *number : mark->number;
    }
}

/// The nearest optional that the path of a missing part goes through becomes absent for good. False when there is
/// none: then the part above is missing.
static bool absorb(filler *f, const ami_fill_rule *rule, int shift)
{
    for (int i = 0; i < rule->mark_count && !f->fill->strict; i++) {
        if (rule->marks[i].optional) {
            f->value[rule->marks[i].place + shift] = -1.0f;
            f->absent = true;
            return true;
        }
    }
    return false;
}

static bool run_rule(filler *f, const ami_fill_rule *rule, int shift)
{
    for (int i = 0; i < rule->local_count; i++) {
        f->locals[rule->first_local + i] = evaluate(f, rule->locals[i]);
    }
    bool chosen = rule->part >= 0 && !f->fill->strict; // by its "when"
    if (!chosen && !is_wanted(f, rule)) {
        return true;
    }
    if (!run_kind(f, rule, shift)) {
        return absorb(f, rule, shift);
    }
    set_marks(f, rule, shift);
    return true;
}

/// Flags of -1 become 0.
static void settle(filler *f, const ami_fill_rule *rule, int shift)
{
    for (int i = 0; i < rule->mark_count; i++) {
        float *number = f->value + rule->marks[i].place + shift;
        *number = *number < 0.0f ? 0.0f : *number;
    }
    const ami_control_node *node = &f->fill->schema->nodes[rule->node];
    int times = rule->kind != AMI_FILL_ITEMS ? 1 : node->kind == AMI_OP_SET ? node->most : node->count;
    for (int item = 0; item < times; item++) {
        for (int i = 0; i < rule->part_count; i++) {
            settle(f, rule->parts[i], shift + item * rule->step);
        }
    }
}

bool ami_fill_run_rules(const ami_fill *fill, float *value, ami_fill_run *run)
{
    filler f = { .fill = fill, .value = value, .run = run };
    memset(value, 0, (size_t)fill->schema->value_count * sizeof *value);
    run->node = run->missing_node = -1;
    run->missing_text = NULL;
    bool good = run_rule(&f, fill->root, 0);
    if (f.absent) {
        settle(&f, fill->root, 0);
    }
    return good;
}

const ami_fill_choice *ami_fill_choices(const ami_fill *fill, int *count)
{
    *count = fill->choice_count;
    return fill->choices;
}
