// amble bench crowd, the part with paths: characters that each follow a round path of their own by long-horizon
// matching, a call every 1/6 s, on one thread. Two things are timed: the whole step of every character, and the
// single calls (all searches of one tree), against those of basic matching over the same index.
#include "actor/actor.h"
#include "base/budget.h"
#include "base/rng.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { stagger = 10, most_frames = 1200, most_calls = 1 << 16, path_samples = 240, most_walkers = 4096 };

static const float dt = 1.0f / 60.0f;

typedef struct walkers {
    ami_budget budget;
    am_alloc alloc;
    am_asset *asset;
    am_search_work *work;
    int k, l;
    am_actor **characters; ///< [count]
    int count;
    double *calls; ///< [most_calls] microseconds each
    int call_count;
    double searches;
} walkers;

/// A closed path for each character: two to four metres wide, dented three times, walked or run.
static int draw_round(am_path_sample *samples, am_rng *rng, am_vec3 at)
{
    float radius = am_rng_range(rng, 2.0f, 4.0f);
    float dent = am_rng_range(rng, 0.1f, 0.3f);
    float speed = am_rng_range(rng, 1.0f, 2.6f);
    float t = 0.0f;
    for (int i = 0; i < path_samples; i++) {
        float a = 2.0f * AM_PI * (float)i / (float)path_samples;
        float r = radius * (1.0f + dent * am_sin(3.0f * a));
        samples[i] = (am_path_sample){ t, at.x + r * am_cos(a) - radius, at.z + r * am_sin(a) };
        t += 2.0f * AM_PI * radius / (float)path_samples / speed;
    }
    return path_samples;
}

static am_result open_source(walkers *w, const am_db *db, int k, int l, am_error *err)
{
    w->budget = ami_budget_make(NULL);
    w->alloc = ami_budget_alloc(&w->budget);
    w->k = k;
    w->l = l;
    am_asset_def def;
    am_asset_def_init(&def);
    def.alloc = &w->alloc;
    def.db = db;
    def.methods = 1u << AM_METHOD_LONG_HORIZON;
    am_result result = am_asset_create(&w->asset, &def, err);
    return result == AM_OK ? am_source_work_create(&w->work, ami_asset_source(w->asset, AM_METHOD_LONG_HORIZON), 1,
                                                   &w->alloc, err)
                           : result;
}

static am_result open_walkers(walkers *w, const am_clock *clock, int count, float fps, am_error *err)
{
    w->characters = calloc((size_t)count, sizeof *w->characters);
    w->calls = calloc(most_calls, sizeof *w->calls);
    am_result result = AM_OK;
    if (!w->characters || !w->calls) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d characters", count);
        result = AM_ERR_MEMORY;
    }
    am_rng rng = ami_rng_make(3);
    for (int i = 0; result == AM_OK && i < count; i++) {
        am_rng own = ami_rng_fork(&rng, (uint64_t)i);
        am_path_sample samples[path_samples];
        int row = i / 20;
        am_vec3 at = am_v3(8.0f * (float)(i % 20), 0.0f, 8.0f * (float)row);
        am_path_def path;
        am_path_def_init(&path);
        path.samples = samples;
        path.count = draw_round(samples, &own, at);
        path.loop = true;
        am_actor_def def;
        am_actor_def_init(&def, w->asset);
        def.alloc = &w->alloc;
        def.settings.method = AM_METHOD_LONG_HORIZON;
        def.settings.k = w->k;
        def.settings.l = w->l;
        def.work = w->work;
        def.clock = clock;
        def.position = at;
        def.seed = (uint64_t)i + 1;
        def.path_points = am_path_room(&path, 2.0f, fps);
        result = am_actor_create(&w->characters[i], &def, err);
        w->count += result == AM_OK;
        result = result == AM_OK ? am_actor_follow(w->characters[i], &path, err) : result;
    }
    return result;
}

static void close_walkers(walkers *w)
{
    for (int i = w->count - 1; i >= 0; i--) {
        am_actor_destroy(w->characters[i]);
    }
    free(w->characters);
    free(w->calls);
    ami_search_work_destroy(w->work);
    am_asset_close(w->asset);
}

static void step_one(walkers *w, int i, bool timed)
{
    am_intent none = { 0 };
    am_actor_step(w->characters[i], &none, dt);
    const am_source_output *out = ami_view_of(w->characters[i]).output;
    if (timed && out->searched && w->call_count < most_calls) {
        w->calls[w->call_count++] = (double)out->search_us;
        w->searches += out->searches;
    }
}

static am_result walk(bench *b, walkers *w, const char *set, int frames, const char *subject, am_error *err)
{
    size_t allocations = w->budget.total_count;
    for (int i = 0; i < w->count; i++) {
        for (int f = 0; f < 60 + i % stagger; f++) {
            step_one(w, i, false);
        }
    }
    static double us[most_frames];
    double sum = 0.0;
    uint64_t checksum = 0;
    for (int f = 0; f < frames; f++) {
        double begun = bench_cpu_us();
        for (int i = 0; i < w->count; i++) {
            step_one(w, i, true);
        }
        us[f] = (bench_cpu_us() - begun) / w->count;
        sum += us[f];
    }
    for (int i = 0; i < w->count; i++) {
        checksum = checksum * 0x9E3779B97F4A7C15u + am_actor_hash(w->characters[i]);
    }
    char name[64];
    snprintf(name, sizeof name, "path step %s", subject);
    bench_row(b, name, "amble", w->count, set, us, frames, checksum);
    double calls = 0.0;
    for (int i = 0; i < w->call_count; i++) {
        calls += w->calls[i];
    }
    double mean = w->call_count > 0 ? calls / w->call_count : 0.0;
    bench_note(
        b, "%d on paths, %s: mean %.2f us per step, %.0f fit in 1/60 s on one core; a call %.2f us, %.1f searches",
        w->count, subject, sum / frames, 1e6 / 60.0 / (sum / frames), mean,
        w->call_count > 0 ? w->searches / w->call_count : 0.0);
    snprintf(name, sizeof name, "path call %s", subject);
    bench_row(b, name, "amble", w->count, set, w->calls, w->call_count, checksum);
    allocations = w->budget.total_count - allocations;
    if (allocations > 0) {
        cli_error(err, AM_ERR_DEF, NULL, "bench crowd: following paths allocated %zu times; it must not allocate",
                  allocations);
        return AM_ERR_DEF;
    }
    return AM_OK;
}

int bench_crowd_paths(bench *b, const am_db *db, const char *set, int count, int frames)
{
    static const struct {
        const char *name;
        int k, l;
    } trees[] = { { "k=1 l=1", 1, 1 }, { "k=3 l=3", 3, 3 }, { "k=10 l=3", 10, 3 } };
    am_clock clock = { NULL, cli_cpu_us };
    am_error err = { 0 };
    am_result result = AM_OK;
    count = count < most_walkers ? count : most_walkers;
    frames = frames < most_frames ? frames : most_frames;
    for (int i = 0; result == AM_OK && i < (int)CLI_COUNT(trees); i++) {
        walkers w = { 0 };
        result = open_source(&w, db, trees[i].k, trees[i].l, &err);
        result = result == AM_OK ? open_walkers(&w, &clock, count, db->fps, &err) : result;
        result = result == AM_OK ? walk(b, &w, set, i == 2 ? (frames + 3) / 4 : frames, trees[i].name, &err) : result;
        close_walkers(&w);
    }
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}
