/// Samples of training controls, shared by what draws them and what shows them.
#ifndef AMI_CONTROL_SAMPLES_H
#define AMI_CONTROL_SAMPLES_H

#include <amble/tools/controls.h>

#include "base/memory.h"
#include "control/training.h"

enum { ami_shown_most = 3 }; ///< numbers of a part that are shown

/// A part of the schema over all measured samples. Numbers are in the character's frame.
typedef struct ami_part_stats {
    int64_t there; ///< how often it was there; each item of a set counts
    double sum[ami_shown_most], square[ami_shown_most];
    float least[ami_shown_most], most[ami_shown_most];
    int64_t *names; ///< [name_count] of a one of or some of, [count] of an or's branches; else NULL
} ami_part_stats;

struct am_control_samples {
    am_alloc alloc;
    ami_arena arena; ///< holds all below
    const am_control_schema *schema;
    const am_db *db;
    const char *file;
    uint64_t seed;
    int frame_count; ///< that may be drawn
    float accepted;  ///< share of frames that give a value when they are drawn
    int measured;
    ami_part_stats *parts; ///< [node]
    am_control_sample *list;
    float *values; ///< [count][value_count], in the world
    int count;
};

/// A part of one value.
typedef struct ami_shown_part {
    int node;
    const ami_control_node *n;
    int item;                    ///< of a set that holds it, or -1
    const float *value;          ///< its own numbers in the value
    float shown[ami_shown_most]; ///< in the character's frame: angles in degrees, all else as it is given
    int shown_count;
} ami_shown_part;
typedef void (*ami_visit_part)(void *user, const ami_shown_part *part);
/// Visits what is there in a value, for a character at `root`: typed parts, choices and sets, each before what it
/// holds.
void ami_visit_parts(const am_control_schema *schema, const float *value, const am_transform *root,
                     ami_visit_part visit, void *user);
/// The part's path with the number of its item.
void ami_shown_path(const am_control_schema *schema, int node, int item, char *out, size_t size);
/// How many numbers of a part are shown.
int ami_shown_count(const ami_control_node *n);

#endif
