/// The two-level box search of Learned Motion Matching, appendix B, against which the fast index is
/// timed and its answers are checked.
#ifndef LAB_BOXES_H
#define LAB_BOXES_H

#include "data/search.h"

typedef struct lab_boxes lab_boxes;

/// Boxes over the frames of an index, which is borrowed: it says which frames are offered, and what they cost.
am_result lab_boxes_create(lab_boxes **out, const am_index *index, const am_alloc *alloc, am_error *err);
void lab_boxes_destroy(lab_boxes *boxes);
/// As ami_index_search.
int lab_boxes_search(const lab_boxes *boxes, am_hit *out, const ami_search *search);

#endif
