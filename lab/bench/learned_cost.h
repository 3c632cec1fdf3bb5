/// The cost of a frame of a learned character, for the bench and the evaluation.
#ifndef AMBLE_CLI_LEARNED_COST_H
#define AMBLE_CLI_LEARNED_COST_H

#include "cli.h"
#include <amble/source.h>
#include <amble/tools/network.h>

#include "data/search.h"

enum { learned_project_every = 10 }; ///< frames, as the paper's N

/// One state of a learned source with all that a step needs. Zeros are allowed at the end.
typedef struct learned_walker {
    am_source *source;
    am_search_work *work;
    void *state;
    am_transform *poses;
    am_velocity *velocities;
    am_source_output out;
} learned_walker;
am_result learned_walker_begin(learned_walker *w, const am_model *model, am_error *err);
void learned_walker_end(learned_walker *w);
/// Ten frames, the first of which projects; the mean of one, in microseconds of this thread.
double learned_ten_frames(learned_walker *w, int round);
uint64_t learned_walker_hash(const learned_walker *w);

/// The same character with one kind of weights.
am_result learned_convert(am_model **out, const am_model *model, am_net_weights weights, am_error *err);

#endif
