/// A path drawn on the page, and the track that was walked for it: kept so that it can be measured as `amble run
/// --metrics` does.
#ifndef AMBLE_STUDIO_DRAWN_H
#define AMBLE_STUDIO_DRAWN_H

#include <amble/tools/tools.h>

/// Zeroed: nothing drawn.
typedef struct web_drawn {
    am_vec3 *line; ///< [count] the drawing where it is followed, with the approach before it
    int count;
    float duration_s; ///< of the drawing as it is played
    bool loop;
    am_vec3 *places; ///< [room] of the hips, one a step
    int place_count, room;
} web_drawn;

/// Room for the way of `seconds` at 60 steps per second; later steps are not measured. Gives false without memory.
bool web_drawn_create(web_drawn *drawn, int seconds);
void web_drawn_free(web_drawn *drawn);
/// For a character that replaces another one on the same path.
void web_drawn_swap(web_drawn *a, web_drawn *b);
/// A path has just started. False without memory: the path is then not measured.
bool web_drawn_begin(web_drawn *drawn, const am_path_def *def, const am_actor *character);
/// Forgets the drawing.
void web_drawn_clear(web_drawn *drawn);
/// After each step; allocates nothing.
void web_drawn_add(web_drawn *drawn, const am_actor *character);
am_path_metrics web_drawn_measure(const web_drawn *drawn, const am_actor *character, float dt);

#endif
