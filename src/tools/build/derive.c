// Measures the derived sections of a database (facts, filters, joint ranges, roughness, index) with the code that a
// character runs on a file without them: both give the same bits.
#include "build/derive.h"

#include "actor/actor.h"
#include "data/fast.h"
#include "method/match.h"

#include <string.h>

typedef struct rough_job {
    const am_db *db;
    float *out;
} rough_job;

static void rough_item(void *context, int item)
{
    const rough_job *job = context;
    ami_roughness_range(job->db, job->out, &job->db->ranges[item]);
}

static void put_filter(ami_filters_head *head, const am_index *index, int slot, const am_filter *filter)
{
    if (filter) {
        uint64_t *bits = (uint64_t *)(void *)(head + 1);
        size_t node_words = ami_node_words(index->fast->leaf_count);
        head->count[slot] = filter->count;
        memcpy(bits + (size_t)slot * index->words, filter->frames, index->words * sizeof *bits);
        memcpy(bits + AMI_SLOT_COUNT * index->words + (size_t)slot * node_words, filter->nodes,
               node_words * sizeof *bits);
    }
}

static void put_filters(ami_filters_head *head, const ami_prepared *prepared)
{
    const am_index *index = prepared->source->index;
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        put_filter(head, index, AMI_SLOT_BEGIN + a, prepared->filters[a]);
    }
    put_filter(head, index, AMI_SLOT_STAY_MOVE, prepared->stays[AM_ACTIVITY_MOVE]);
    put_filter(head, index, AMI_SLOT_STAY_CREEP, prepared->stays[AM_ACTIVITY_CREEP]);
    put_filter(head, index, AMI_SLOT_PATH, prepared->path_filter);
    put_filter(head, index, AMI_SLOT_PATH_STAY, prepared->path_stay);
}

/// Facts, filters and joint ranges, as an actor with the usual tags finds them.
static am_result ask_kit(const ami_derive_target *target, const am_source *source, const am_alloc *alloc,
                         am_error *err)
{
    static const char *const usual_tags[AM_ACTIVITY_COUNT] = { NULL };
    ami_prepared *prepared = NULL;
    am_result result = ami_prepared_create(&prepared, source, usual_tags, alloc, err);
    if (result == AM_OK) {
        *target->facts = ami_prepared_facts(prepared);
        target->facts->standing_frame = ami_find_standing(source->db, source->index);
        put_filters(target->filters, prepared);
        memcpy(target->joint_ranges, prepared->ranges, (size_t)source->db->joint_count * sizeof *prepared->ranges);
    }
    ami_prepared_destroy(prepared);
    return result;
}

am_result ami_derive(const ami_derive_target *target, const am_db *db, const am_tasks *tasks, const am_alloc *alloc,
                     am_error *err)
{
    rough_job job = { db, target->roughness };
    tasks->run(tasks->user, db->range_count, rough_item, &job);
    ami_index_def index_def = ami_index_def_default();
    index_def.db = db;
    index_def.alloc = alloc;
    am_index *index = NULL;
    am_source *source = NULL;
    am_result result = ami_index_create(&index, &index_def, err);
    if (result == AM_OK) {
        ami_fast_write(index->fast, target->index, target->index_rows);
        ami_match_def def = ami_match_def_default();
        def.alloc = alloc;
        def.db = db;
        def.index = index;
        result = ami_match_create(&source, &def, err);
    }
    result = result == AM_OK ? ask_kit(target, source, alloc, err) : result;
    ami_source_destroy(source);
    ami_index_destroy(index);
    return result;
}
