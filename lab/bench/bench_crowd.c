// amble bench crowd: many characters over one database on one thread, each steered by its own random stick. It times
// the whole step of every character: prediction, a search every ten frames, transitions, feet. The clock is the
// thread's processor time.
#include "actor/actor.h"
#include "base/budget.h"
#include "base/rng.h"
#include "bench.h"

#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { stagger = 10, most_frames = 3600 };

static const float dt = 1.0f / 60.0f;

typedef struct stick {
    am_rng rng;
    am_intent_state state;
    am_gamepad pad;
    float left_s; ///< s until the stick moves again
} stick;

typedef struct crowd {
    ami_budget budget;
    am_alloc alloc;
    am_db *db;
    am_asset *asset;
    am_settings settings;
    am_search_work *work;
    am_intent_def intent;
    int count;
    am_actor **characters; ///< [count]
    stick *sticks;         ///< [count]
} crowd;

static void move_stick(stick *s)
{
    s->left_s -= dt;
    if (s->left_s > 0.0f) {
        return;
    }
    s->left_s = am_rng_range(&s->rng, 0.5f, 3.0f);
    float angle = am_rng_range(&s->rng, -3.14159265f, 3.14159265f);
    // One move in six releases the stick, so that some of the crowd stand.
    float length = am_rng_below(&s->rng, 6) == 0 ? 0.0f : am_rng_range(&s->rng, 0.5f, 1.0f);
    s->pad.left[0] = length * am_sin(angle);
    s->pad.left[1] = length * am_cos(angle);
    s->pad.buttons = am_rng_below(&s->rng, 4) == 0 ? AM_KEY_SHIFT : 0;
}

static void step_one(crowd *c, int i)
{
    stick *s = &c->sticks[i];
    move_stick(s);
    am_intent intent = ami_intent_from_gamepad(&s->state, &c->intent, &s->pad, dt);
    am_actor_step(c->characters[i], &intent, dt);
}

/// Shared work memory of all steps, and the speeds of their sticks.
static am_result open_work(crowd *c, int count, am_error *err)
{
    const am_source *source = ami_asset_source(c->asset, c->settings.method);
    c->intent = ami_intent_def_for(source);
    return am_source_work_create(&c->work, source, count, &c->alloc, err);
}

static am_result open_ground(crowd *c, const char *config, am_error *err)
{
    c->budget = ami_budget_make(NULL);
    c->alloc = ami_budget_alloc(&c->budget);
    am_progress progress = cli_progress();
    am_result result = cli_database_open(&c->db, config, NULL, &progress, err);
    cli_progress_end();
    am_asset_def def;
    am_asset_def_init(&def);
    def.alloc = &c->alloc;
    def.db = c->db;
    def.methods = 1u << AM_METHOD_MATCH;
    result = result == AM_OK ? am_asset_create(&c->asset, &def, err) : result;
    am_settings_init(&c->settings, AM_METHOD_MATCH);
    return result == AM_OK ? open_work(c, 1, err) : result;
}

static void close_characters(crowd *c)
{
    for (int i = c->count - 1; i >= 0; i--) {
        am_actor_destroy(c->characters[i]);
    }
    free(c->characters);
    free(c->sticks);
    c->characters = NULL;
    c->sticks = NULL;
    c->count = 0;
}

static void close_ground(crowd *c)
{
    ami_search_work_destroy(c->work);
    am_asset_close(c->asset);
    am_db_close(c->db);
}

static am_result open_characters(crowd *c, int count, am_error *err)
{
    c->characters = calloc((size_t)count, sizeof *c->characters);
    c->sticks = calloc((size_t)count, sizeof *c->sticks);
    if (!c->characters || !c->sticks) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d characters", count);
        return AM_ERR_MEMORY;
    }
    am_result result = AM_OK;
    am_rng rng = ami_rng_make(1);
    for (int i = 0; result == AM_OK && i < count; i++) {
        am_actor_def def;
        am_actor_def_init(&def, c->asset);
        def.alloc = &c->alloc;
        def.settings = c->settings;
        def.work = c->work;
        int row = i / 32;
        def.position = am_v3((float)(i % 32), 0.0f, (float)row);
        def.seed = (uint64_t)i + 1;
        result = am_actor_create(&c->characters[i], &def, err);
        c->count += result == AM_OK;
        c->sticks[i].rng = ami_rng_fork(&rng, (uint64_t)i);
        am_intent_state_init(&c->sticks[i].state, &c->intent);
    }
    return result;
}

static int run_crowd(bench *b, crowd *c, const char *subject, const char *set, int count, int frames)
{
    am_error err = { 0 };
    if (open_characters(c, count, &err) != AM_OK) {
        close_characters(c);
        return cli_fail(&err);
    }
    size_t allocations = c->budget.total_count;
    // Characters made at once would all search in the same frame: each begins a little later than the one before.
    for (int i = 0; i < count; i++) {
        for (int f = 0; f < 60 + i % stagger; f++) {
            step_one(c, i);
        }
    }
    static double us[most_frames];
    double sum = 0.0;
    for (int f = 0; f < frames; f++) {
        double begun = bench_cpu_us();
        for (int i = 0; i < count; i++) {
            step_one(c, i);
        }
        us[f] = (bench_cpu_us() - begun) / count;
        sum += us[f];
    }
    uint64_t checksum = 0, searches = 0, steps = 0, fell_back = 0;
    for (int i = 0; i < count; i++) {
        am_actor_view view = ami_view_of(c->characters[i]);
        checksum = checksum * 0x9E3779B97F4A7C15u + am_actor_hash(c->characters[i]);
        searches += view.searches;
        steps += view.steps;
        fell_back += view.fallback_frames;
    }
    allocations = c->budget.total_count - allocations;
    bench_row(b, subject, "amble", count, set, us, frames, checksum);
    bench_note(
        b, "%s: %d characters: mean %.2f us per step, %.0f fit in 1/60 s on one core; %zu allocations in %d frames",
        subject, count, sum / frames, 1e6 / 60.0 / (sum / frames), allocations, frames);
    bench_note(b, "%s: %d characters: %.1f searches per second each, %llu fallback frames", subject, count,
               (double)searches / ((double)steps * (double)dt), (unsigned long long)fell_back);
    close_characters(c);
    if (allocations > 0) {
        cli_error(&err, AM_ERR_DEF, NULL, "bench crowd: stepping allocated %zu times; it must not", allocations);
        return cli_fail(&err);
    }
    return CLI_DONE;
}

/// Characters of a motion field, as many as the page offers.
static int run_field_crowd(bench *b, int count, int frames)
{
    bench_field_ground ground = { 0 };
    crowd c = { .budget = ami_budget_make(NULL) };
    c.alloc = ami_budget_alloc(&c.budget);
    am_error err = { 0 };
    const char *set = NULL;
    am_result result = bench_field_ground_open(&ground, &set, &c.settings, &err);
    c.asset = ground.asset;
    result = result == AM_OK ? open_work(&c, count, &err) : result;
    int status = result == AM_OK ? run_crowd(b, &c, "field crowd step", set, count, frames) : cli_fail(&err);
    ami_search_work_destroy(c.work);
    bench_field_ground_close(&ground);
    return status;
}

int bench_crowd(bench *b)
{
    const char *config = bench_config(b);
    if (!config) {
        config = cli_database_has_data("locomotion") ? "locomotion" : "synth";
        if (strcmp(config, "synth") == 0) {
            bench_note(b, "the shared motion capture was not found (AMBLE_DATA, build/data): procedural motion");
        }
    }
    int one_size = bench_size(b);
    int frames = bench_rounds(b, bench_full(b) ? 1200 : 300, most_frames);
    crowd c = { 0 };
    am_error err = { 0 };
    int status = CLI_DONE;
    if (open_ground(&c, config, &err) != AM_OK) {
        status = cli_fail(&err);
    }
    for (int i = 0; status == CLI_DONE && i < (one_size ? 1 : 2); i++) {
        status = run_crowd(b, &c, "crowd step", config, one_size ? one_size : i == 0 ? 100 : 1000, frames);
    }
    if (status == CLI_DONE) {
        status = bench_crowd_paths(b, c.db, config, one_size ? one_size : 300, frames);
    }
    if (status == CLI_DONE) {
        status = bench_crowd_learned(b, c.db, config, one_size ? one_size : 100, frames);
    }
    if (status == CLI_DONE) {
        status = bench_crowd_flow(b, c.db, one_size ? one_size : 100, frames);
    }
    if (status == CLI_DONE) {
        status = run_field_crowd(b, one_size ? one_size : 50, frames);
    }
    if (status == CLI_DONE) {
        bench_note(b, "%d frames in the database; one thread, its processor time; p99 of frames", c.db->frame_count);
    }
    close_ground(&c);
    return status;
}
