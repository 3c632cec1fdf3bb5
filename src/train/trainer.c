// One iteration of training by a team of threads.
//
// Each thread takes its blocks from the inputs through all layers to the loss and back; then the team meets, and each
// thread computes the gradients of its rows of every matrix and, where nothing has to see the whole gradient first
// (clipping, other processes), steps them at once while they are in its cache: two meetings an iteration.
#include "train/trainer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pages.h"

enum { most_columns = 128, strip_rows = 32, tall_rows = 128, fused_columns = 256 };
enum { average_every = 8 }; // iterations: the average of weights hardly changes by taking every eighth

ami_trainer_def ami_trainer_def_default(void)
{
    return (ami_trainer_def){
        .batch = 32, .slots = 1, .scratch = 2048, .optimiser = ami_optimiser_default(), .cookie = AM_COOKIE
    };
}

// ---------------------------------------------------------------------------------------------
// Creation

static am_result check(const ami_trainer_def *def, am_error *err)
{
    if (def->cookie != AM_COOKIE || !def->graphs || def->graph_count < 1 || def->graph_count > AMI_MOST_GRAPHS ||
        def->batch < 1 || def->batch > AM_NET_MOST_BATCH || def->slots < 1 || def->slots > 4096 || def->scratch < 0) {
        return ami_fail(err, AM_ERR_DEF, "a trainer needs 1 to %d graphs, a batch of 1 to %d and 1 to 4096 slots",
                        (int)AMI_MOST_GRAPHS, AM_NET_MOST_BATCH);
    }
    const ami_optimiser *o = &def->optimiser;
    if (!(o->rate >= 0.0f) || !(o->beta1 >= 0.0f && o->beta1 < 1.0f) || !(o->beta2 >= 0.0f && o->beta2 < 1.0f) ||
        !(o->eps > 0.0f) || !(o->clip >= 0.0f) || !(o->decay >= 0.0f) || !(o->average >= 0.0f && o->average < 1.0f)) {
        return ami_fail(err, AM_ERR_DEF, "the optimiser's rate, betas, eps, clip, decay or average is out of range");
    }
    if (def->group && def->batch < def->group->size) {
        return ami_fail(err, AM_ERR_DEF, "a batch of %d cannot be shared evenly by %d processes", def->batch,
                        def->group->size);
    }
    for (int g = 0; g < def->graph_count; g++) {
        if (!def->graphs[g] || !def->graphs[g]->weights) {
            return ami_fail(err, AM_ERR_DEF, "graph %d is not finished", g);
        }
    }
    return AM_OK;
}

/// Cuts this process's samples into blocks: enough for all threads, none too wide for the caches.
static void cut(ami_trainer *t, int samples)
{
    const int share = (samples + t->threads - 1) / t->threads;
    int columns = (share + AMI_COLUMNS - 1) / AMI_COLUMNS * AMI_COLUMNS;
    t->columns = columns < most_columns ? columns : most_columns;
    t->block_count = (samples + t->columns - 1) / t->columns;
}

static am_result create_parts(ami_trainer *t, am_error *err)
{
    // Bringing weights into bands takes as long as using them a few times.
    enum { slots_worth_it = 4 };
    t->banded = t->columns == t->ops->lanes && t->def.slots >= slots_worth_it;
    am_result result = AM_OK;
    for (int g = 0; g < t->def.graph_count && result == AM_OK; g++) {
        ami_trained_part *part = &t->parts[g];
        part->graph = t->def.graphs[g];
        const ami_plan_def plan = { .graph = part->graph,
                                    .columns = t->columns,
                                    .blocks = t->block_count,
                                    .slots = t->def.slots,
                                    .input_grads = t->def.input_grads && !(t->def.fixed_inputs >> g & 1u),
                                    .banded = t->banded,
                                    .alloc = &t->alloc };
        result = ami_plan_create_f32(&part->plan, &plan, t->ops, part->graph->weights, err);
        part->mean = ami_pages_array(&t->alloc, part->graph->weight_count, sizeof(float));
        part->square = ami_pages_array(&t->alloc, part->graph->weight_count, sizeof(float));
        part->grad = ami_pages_array(&t->alloc, part->graph->weight_count, sizeof(float));
        if (result == AM_OK && (!part->mean || !part->square || !part->grad)) {
            result = ami_fail_memory(err, part->graph->weight_count * sizeof(float));
        }
        if (result == AM_OK && t->def.optimiser.average > 0.0f) {
            part->average = ami_pages_array(&t->alloc, part->graph->weight_count, sizeof(float));
            result = part->average ? AM_OK : ami_fail_memory(err, part->graph->weight_count * sizeof(float));
        }
        if (part->average) {
            memcpy(part->average, part->graph->weights, part->graph->weight_count * sizeof(float));
        }
        for (int k = 0; k < part->graph->tensor_count; k++) {
            const size_t columns = (size_t)part->graph->tensors[k].columns;
            t->strip = columns * strip_rows > t->strip ? columns * strip_rows : t->strip;
        }
    }
    return result;
}

/// As many threads as asked for; by default no more than have something to do: a meeting costs some microseconds.
static int threads_for(const ami_trainer_def *def)
{
    const double least = 8e6; // products for each thread: about 0.1 ms
    double work = 0.0;
    for (int g = 0; g < def->graph_count; g++) {
        work += 3.0 * (double)def->graphs[g]->parameter_count * def->batch * def->slots;
    }
    work /= def->group ? def->group->size : 1;
    int threads = def->threads > 0 ? def->threads : ami_team_most();
    if (def->threads <= 0 && (double)threads * least > work) {
        threads = work > least ? (int)(work / least) : 1;
    }
    return threads < AMI_MOST_THREADS ? threads : AMI_MOST_THREADS;
}

am_result ami_trainer_create(ami_trainer **out, const ami_trainer_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check(def, err);
    if (result != AM_OK) {
        return result;
    }
    const ami_ops_f32 *ops = ami_train_ops(def->isa);
    if (!ops) {
        return ami_fail(err, AM_ERR_SUPPORT, "this machine or build has no '%s' arithmetic", def->isa);
    }
    const am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_trainer *t = ami_alloc_zero(&alloc, sizeof *t);
    if (!t) {
        return ami_fail_memory(err, sizeof *t);
    }
    t->alloc = alloc;
    t->def = *def;
    t->ops = ops;
    t->group = def->group ? *def->group : (am_train_group){ .size = 1 };
    result = ami_team_create(&t->team, threads_for(def), &alloc, err);
    if (result != AM_OK) {
        ami_trainer_destroy(t);
        return result;
    }
    t->threads = ami_team_size(t->team);
    const int first = (int)((int64_t)def->batch * t->group.rank / t->group.size);
    const int samples = (int)((int64_t)def->batch * (t->group.rank + 1) / t->group.size) - first;
    cut(t, samples);
    result = create_parts(t, err);
    t->strip += 64;
    t->memory_size = (size_t)t->columns * ((size_t)def->scratch + 64);
    t->blocks = ami_alloc_array(&alloc, (size_t)t->block_count, sizeof *t->blocks);
    t->scratch = ami_pages_array(&alloc, (size_t)t->threads * (t->strip + t->memory_size), sizeof(float));
    if (result == AM_OK && (!t->blocks || !t->scratch)) {
        result = ami_fail_memory(err, t->strip * sizeof(float));
    }
    for (int b = 0; t->blocks && b < t->block_count && result == AM_OK; b++) {
        const int from = b * t->columns;
        t->blocks[b] = (ami_train_block){ .trainer = t, .index = b, .first = first + from };
        t->blocks[b].used = samples - from < t->columns ? samples - from : t->columns;
    }
    if (result != AM_OK) {
        ami_trainer_destroy(t);
        return result;
    }
    *out = t;
    return AM_OK;
}

void ami_trainer_destroy(ami_trainer *t)
{
    if (!t) {
        return;
    }
    const am_alloc alloc = t->alloc;
    for (int g = 0; g < t->def.graph_count; g++) {
        const ami_trained_part *part = &t->parts[g];
        const size_t count = part->graph ? part->graph->weight_count : 0;
        ami_plan_destroy_f32(part->plan);
        ami_pages_release(&alloc, part->mean, count, sizeof(float));
        ami_pages_release(&alloc, part->square, count, sizeof(float));
        ami_pages_release(&alloc, part->grad, count, sizeof(float));
        ami_pages_release(&alloc, part->average, count, sizeof(float));
    }
    ami_team_destroy(t->team);
    ami_release(&alloc, t->blocks, (size_t)t->block_count * sizeof *t->blocks);
    ami_pages_release(&alloc, t->scratch, (size_t)t->threads * (t->strip + t->memory_size), sizeof(float));
    ami_release(&alloc, t, sizeof *t);
}

int64_t ami_trainer_iteration(const ami_trainer *trainer) { return trainer->iteration; }

// ---------------------------------------------------------------------------------------------
// One iteration

typedef struct iteration {
    ami_trainer *t;
    ami_train_pass pass;
    void *user;
    double loss;
    atomic_int next_block;
    atomic_int next_strip[AMI_MOST_THREADS]; ///< of each thread's share of the weights
    double squares[AMI_MOST_THREADS];        ///< of each thread's gradients
    bool keep;                               ///< the gradient is wanted, not the step
    atomic_bool endless;                     ///< the gradient is not finite
} iteration;

/// The rows of a job that are a thread's: whole tiles, so that no cache line of a matrix is shared.
static void share_of(const ami_job *job, int thread, int threads, int *first, int *rows)
{
    enum { grain = 8 };
    const int64_t tiles = (job->rows + grain - 1) / grain;
    int from = (int)(tiles * thread / threads) * grain, to = (int)(tiles * (thread + 1) / threads) * grain;
    to = to < job->rows ? to : job->rows;
    from = from < to ? from : to;
    *first = from;
    *rows = to - from;
}

static size_t offset_of(const ami_trained_part *part, int tensor) { return part->graph->tensors[tensor].offset; }

static void step_range(const ami_trained_part *part, const ami_ops_f32 *ops, size_t at, const float *g, size_t count,
                       const ami_step_scale *s)
{
    ops->step(part->graph->weights + at, part->mean + at, part->square + at, g, count, s);
}

/// Gradient and step of some rows, by way of the thread's own scratch where they fit, else of the part's array.
static void fused(ami_trainer *t, const ami_trained_part *part, int j, int r, int rows, int thread,
                  const ami_step_scale *s)
{
    const ami_job *job = &part->plan->jobs[j];
    const size_t at = offset_of(part, job->tensor) + (size_t)r * (size_t)job->columns;
    const size_t at_2 = job->tensor_2 >= 0 ? offset_of(part, job->tensor_2) + (size_t)r : 0;
    float *own = t->scratch + (size_t)thread * (t->strip + t->memory_size);
    float *g = rows <= strip_rows ? own : part->grad + at,
          *g_2 = rows <= strip_rows ? own + strip_rows : part->grad + at_2;
    ami_plan_gradient_f32(part->plan, j, r, rows, g, g_2);
    step_range(part, t->ops, at, g, (size_t)rows * (size_t)job->columns, s);
    if (job->tensor_2 >= 0) {
        step_range(part, t->ops, at_2, g_2, (size_t)rows, s);
    }
}

/// Gradient of a thread's rows into the part's own array.
static void gradient(const ami_trained_part *part, int j, int thread, int threads)
{
    const ami_job *job = &part->plan->jobs[j];
    int first, rows;
    share_of(job, thread, threads, &first, &rows);
    if (rows > 0) {
        ami_plan_gradient_f32(part->plan, j, first, rows,
                              part->grad + offset_of(part, job->tensor) + (size_t)first * (size_t)job->columns,
                              job->tensor_2 >= 0 ? part->grad + offset_of(part, job->tensor_2) + first : NULL);
    }
}

/// Begins to sum a job's gradient over all processes, once the whole team has finished it.
static void begin_sum(const ami_trainer *t, const ami_trained_part *part, int j)
{
    const ami_job *job = &part->plan->jobs[j];
    t->group.begin_sum(t->group.user, part->grad + offset_of(part, job->tensor),
                       (size_t)job->rows * (size_t)job->columns);
    if (job->tensor_2 >= 0) {
        t->group.begin_sum(t->group.user, part->grad + offset_of(part, job->tensor_2), (size_t)job->rows);
    }
}

static void all_gradients(iteration *it, int thread, int threads)
{
    ami_trainer *t = it->t;
    for (int g = t->def.graph_count - 1; g >= 0; g--) {
        const ami_trained_part *part = &t->parts[g];
        for (int j = 0; j < part->plan->job_count; j++) {
            gradient(part, j, thread, threads);
            if (t->group.size > 1) {
                ami_team_wait(it->t->team);
                if (thread == 0) {
                    begin_sum(t, part, j);
                }
            }
        }
    }
    if (t->group.size > 1) {
        if (thread == 0) {
            t->group.end_sums(t->group.user);
        }
        ami_team_wait(it->t->team);
    }
}

static double squares_of(const iteration *it, int thread, int threads)
{
    const ami_trainer *t = it->t;
    double sum = 0.0;
    for (int g = 0; g < t->def.graph_count; g++) {
        const ami_trained_part *part = &t->parts[g];
        for (int j = 0; j < part->plan->job_count; j++) {
            const ami_job *job = &part->plan->jobs[j];
            int first, rows;
            share_of(job, thread, threads, &first, &rows);
            sum +=
                t->ops->sum_squares(part->grad + offset_of(part, job->tensor) + (size_t)first * (size_t)job->columns,
                                    (size_t)rows * (size_t)job->columns);
            if (job->tensor_2 >= 0) {
                sum += t->ops->sum_squares(part->grad + offset_of(part, job->tensor_2) + first, (size_t)rows);
            }
        }
    }
    return sum;
}

/// The step of a thread's rows from the part's own array.
static void step_job(const ami_trainer *t, const ami_trained_part *part, int j, int thread, int threads,
                     const ami_step_scale *s)
{
    const ami_job *job = &part->plan->jobs[j];
    int first, rows;
    share_of(job, thread, threads, &first, &rows);
    const size_t at = offset_of(part, job->tensor) + (size_t)first * (size_t)job->columns;
    step_range(part, t->ops, at, part->grad + at, (size_t)rows * (size_t)job->columns, s);
    if (job->tensor_2 >= 0) {
        const size_t at_2 = offset_of(part, job->tensor_2) + (size_t)first;
        step_range(part, t->ops, at_2, part->grad + at_2, (size_t)rows, s);
    }
}

static void step_all(iteration *it, int thread, int threads, const ami_step_scale *s)
{
    for (int g = 0; g < it->t->def.graph_count; g++) {
        for (int j = 0; j < it->t->parts[g].plan->job_count; j++) {
            step_job(it->t, &it->t->parts[g], j, thread, threads, s);
        }
    }
}

/// Gradient first, then whatever needs all of it, then the step.
static void in_two_passes(iteration *it, int thread, int threads)
{
    const ami_optimiser *o = &it->t->def.optimiser;
    all_gradients(it, thread, threads);
    if (it->keep) {
        return;
    }
    double scale = 1.0;
    if (o->clip > 0.0f) {
        it->squares[thread] = squares_of(it, thread, threads);
        ami_team_wait(it->t->team);
        double length = 0.0;
        for (int i = 0; i < threads; i++) {
            length += it->squares[i];
        }
        length = sqrt(length);
        if (!isfinite(length)) { // every thread sees the same; an infinite gradient has no direction
            it->endless = true;
            return;
        }
        scale = length > (double)o->clip ? (double)o->clip / length : 1.0;
    }
    const ami_step_scale s = ami_step_scale_at(o, it->t->iteration, scale);
    step_all(it, thread, threads, &s);
}

static int take(atomic_int *next) { return atomic_fetch_add_explicit(next, 1, memory_order_relaxed); }

/// The loss of all blocks, of all processes: the same for every thread.
static double sum_losses(iteration *it, int thread)
{
    const ami_trainer *t = it->t;
    double loss = 0.0;
    for (int b = 0; b < t->block_count; b++) {
        loss += t->blocks[b].loss;
    }
    if (t->group.size > 1) {
        if (thread == 0) {
            it->loss = t->group.sum(t->group.user, loss);
        }
        ami_team_wait(t->team);
        return it->loss;
    }
    if (thread == 0) {
        it->loss = loss;
    }
    return loss;
}

static double run_passes(iteration *it, int thread)
{
    ami_trainer *t = it->t;
    float *memory = t->scratch + (size_t)thread * (t->strip + t->memory_size) + t->strip;
    if (t->banded) {
        for (int g = 0; g < t->def.graph_count; g++) {
            ami_plan_band_f32(t->parts[g].plan, thread, t->threads);
        }
        ami_team_wait(t->team);
    }
    // First come, first served: a processor that is slowed down by other work takes fewer blocks. Results do not
    // depend on which thread does the work.
    for (int b = take(&it->next_block); b < t->block_count; b = take(&it->next_block)) {
        t->blocks[b].memory = memory;
        t->blocks[b].taken = 0;
        t->blocks[b].loss = it->pass(it->user, &t->blocks[b]);
    }
    ami_team_wait(t->team);
    return sum_losses(it, thread);
}

/// Gradients and steps of the weights, strip by strip: low strips for batches so small that all samples stay in the
/// cache while the strips pass by. A thread that has finished its share helps the next one: the result of a strip
/// does not depend on which thread takes it, and a processor may be busy with other work.
static void step_strips(iteration *it, int thread, int threads)
{
    ami_trainer *t = it->t;
    const ami_step_scale s = ami_step_scale_at(&t->def.optimiser, t->iteration, 1.0);
    const int height = t->def.slots * t->block_count * t->columns <= fused_columns ? strip_rows : tall_rows;
    for (int i = 0; i < threads; i++) {
        const int owner = (thread + i) % threads;
        int mine = take(&it->next_strip[owner]), strip = 0;
        for (int g = t->def.graph_count - 1; g >= 0; g--) {
            for (int j = 0; j < t->parts[g].plan->job_count; j++) {
                int first, rows;
                share_of(&t->parts[g].plan->jobs[j], owner, threads, &first, &rows);
                for (int r = 0; r < rows; r += height, strip++) {
                    if (strip == mine) {
                        fused(t, &t->parts[g], j, first + r, rows - r < height ? rows - r : height, thread, &s);
                        mine = take(&it->next_strip[owner]);
                    }
                }
            }
        }
    }
}

static void work(void *context, int thread, int threads)
{
    iteration *it = context;
    ami_trainer *t = it->t;
    if (!isfinite(run_passes(it, thread))) { // every thread and process sees the same sum
        return;
    }
    if (t->group.size > 1 || t->def.optimiser.clip > 0.0f || it->keep) {
        in_two_passes(it, thread, threads);
        return;
    }
    step_strips(it, thread, threads);
}

static am_result iterate(iteration *it, double *loss, am_error *err)
{
    ami_team_run(it->t->team, work, it);
    *loss = it->loss;
    if (!isfinite(it->loss)) {
        return ami_fail(err, AM_ERR_NUMBER,
                        "the loss is no longer finite at iteration %lld; lower the rate, clip the gradient, or look "
                        "for extreme values in the data",
                        (long long)it->t->iteration);
    }
    if (it->endless) {
        return ami_fail(err, AM_ERR_NUMBER, "the gradient is no longer finite at iteration %lld; lower the rate",
                        (long long)it->t->iteration);
    }
    return AM_OK;
}

/// The average follows the weights: at once in the beginning, when it knows little.
static void follow(const ami_trainer *t)
{
    const int64_t times = t->iteration / average_every;
    const double taken = (double)times;
    const double all = pow((double)t->def.optimiser.average, average_every), early = (1.0 + taken) / (10.0 + taken);
    const float keep = (float)(all < early ? all : early);
    for (int g = 0; g < t->def.graph_count; g++) {
        const ami_trained_part *part = &t->parts[g];
        for (size_t i = 0; i < part->graph->weight_count; i++) {
            part->average[i] += (1.0f - keep) * (part->graph->weights[i] - part->average[i]);
        }
    }
}

void ami_trainer_swap_average(ami_trainer *t)
{
    for (int g = 0; g < t->def.graph_count && t->def.optimiser.average > 0.0f; g++) {
        const ami_trained_part *part = &t->parts[g];
        for (size_t i = 0; i < part->graph->weight_count; i++) {
            const float weight = part->graph->weights[i];
            part->graph->weights[i] = part->average[i];
            part->average[i] = weight;
        }
    }
}

am_result ami_trainer_step(ami_trainer *t, ami_train_pass pass, void *user, double *loss, am_error *err)
{
    iteration it = { .t = t, .pass = pass, .user = user };
    const am_result result = iterate(&it, loss, err);
    t->iteration += result == AM_OK;
    if (result == AM_OK && t->def.optimiser.average > 0.0f && t->iteration % average_every == 0) {
        follow(t);
    }
    return result;
}

am_result ami_trainer_gradient(ami_trainer *t, ami_train_pass pass, void *user, double *loss, float *const *gradients,
                               am_error *err)
{
    iteration it = { .t = t, .pass = pass, .user = user, .keep = true };
    const am_result result = iterate(&it, loss, err);
    for (int g = 0; g < t->def.graph_count && result == AM_OK; g++) {
        memcpy(gradients[g], t->parts[g].grad, t->parts[g].graph->weight_count * sizeof(float));
    }
    return result;
}
