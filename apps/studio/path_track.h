/// A path drawn on the page, and the track that was walked for it: kept so that it can be measured as `amble run
/// --metrics` does.
#ifndef AMBLE_STUDIO_PATH_TRACK_H
#define AMBLE_STUDIO_PATH_TRACK_H

#include <amble/tools/tools.h>

/// Zeroed: nothing drawn.
typedef struct web_path_track {
    am_vec3 *line; ///< [count] the drawing where it is followed, with the approach before it
    int count;
    float duration_s; ///< of the drawing as it is played
    bool loop;
    am_vec3 *places; ///< [room] of the hips, one a step
    int place_count, room;
} web_path_track;

/// Room for the way of `seconds` at 60 steps per second; later steps are not measured. Gives false without memory.
bool web_path_track_create(web_path_track *drawn, int seconds);
void web_path_track_free(web_path_track *drawn);
/// For a character that replaces another one on the same path.
void web_path_track_swap(web_path_track *a, web_path_track *b);
/// A path has just started. False without memory: the path is then not measured.
bool web_path_track_begin(web_path_track *drawn, const am_path_def *def, const am_actor *character);
/// Forgets the drawing.
void web_path_track_clear(web_path_track *drawn);
/// After each step; allocates nothing.
void web_path_track_add(web_path_track *drawn, const am_actor *character);
am_path_metrics web_path_track_measure(const web_path_track *drawn, const am_actor *character, float dt);

#endif
