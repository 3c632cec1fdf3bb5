/// Queries over the tags of frames: `and or not ( )`.
#ifndef AMI_DATA_TAGS_H
#define AMI_DATA_TAGS_H

#include <amble/db.h>

const char *ami_auto_tag_name(am_auto_tag tag);

#define AMI_TAG_OPS 128 ///< words and operators of one query

/// A parsed tag query, as a small program in postfix order. Plain data.
typedef struct ami_tag_query {
    int op_count;
    uint8_t ops[AMI_TAG_OPS]; ///< below 64: push that tag; 64 and, 65 or, 66 not, 67 push true
} ami_tag_query;

/// Parses "walk and not (turn or jump)". `not` binds tightest, then `and`, then `or`. An empty text accepts every
/// frame. An unknown tag is AM_ERR_KEY and names the nearest; the error's column says where.
am_result ami_tag_query_parse(ami_tag_query *out, const char *text, const char *const *names, int count,
                              am_error *err);
bool ami_tag_query_accepts(const ami_tag_query *query, uint64_t tags);

#endif
