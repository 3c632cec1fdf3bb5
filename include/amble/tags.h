/// Tags: up to 64 named bits on every frame, read from rows `clip, tag, first frame, last frame` or found
/// automatically (idle, walk, run, creep, jump, turn), and queried with `and or not ( )`.
#ifndef AMBLE_TAGS_H
#define AMBLE_TAGS_H

#include <amble/features.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The automatic tags. They are always the first of a database's tags, in this order.
typedef enum am_auto_tag {
    AM_TAG_IDLE,  ///< the root moves slower than 0.25 m/s and turns slower than 30 degrees a second
    AM_TAG_WALK,  ///< 0.25 to 2.0 m/s
    AM_TAG_RUN,   ///< faster
    AM_TAG_CREEP, ///< hips lower than 0.98 of thigh + shin above the toes' floor (upright: 1.05 and more)
    AM_TAG_JUMP,  ///< both toes above 4 cm for 0.2 s (a running step: 0.15 s), with 0.2 s around it
    AM_TAG_TURN,  ///< the root turns faster than 60 degrees a second
    AM_AUTO_TAG_COUNT
} am_auto_tag;
AM_API const char *am_auto_tag_name(am_auto_tag tag);

#define AM_TAG_OPS 128 ///< words and operators of one query

/// A parsed tag query, as a small program in postfix order. Plain data.
typedef struct am_tag_query {
    int op_count;
    uint8_t ops[AM_TAG_OPS]; ///< below 64: push that tag; 64 and, 65 or, 66 not, 67 push true
} am_tag_query;

/// Parses "walk and not (turn or jump)". `not` binds tightest, then `and`, then `or`. An empty text accepts every
/// frame. An unknown tag is AM_ERR_KEY and names the nearest; the error's column says where.
AM_API am_result am_tag_query_parse(am_tag_query *out, const char *text, const char *const *names, int count,
                                    am_error *err);
AM_API bool am_tag_query_accepts(const am_tag_query *query, uint64_t tags);

#ifdef __cplusplus
}
#endif
#endif
