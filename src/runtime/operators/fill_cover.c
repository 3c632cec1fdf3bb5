// Which parts of a schema rules set: each once, and all that are always there.
#include "operators/fill_reader.h"
#include "operators/pose_parts.h"

#include <string.h>

am_result ami_fill_claim(ami_fill_reader *r, const am_json *at, int node, int place)
{
    for (int i = 0; i < r->claim_count; i++) {
        if (r->claims[i].node == node && r->claims[i].place == place) {
            return ami_fill_fail(r, at, AM_ERR_KEY, node, "it is set twice; take one of them out");
        }
    }
    if (r->claim_count == AMI_FILL_CLAIMS) {
        return ami_fill_fail(r, at, AM_ERR_LIMIT, node, "more than %d parts are set", AMI_FILL_CLAIMS);
    }
    r->claims[r->claim_count++] = (ami_fill_claimed){ node, place };
    return AM_OK;
}

static bool is_claimed(const ami_fill_reader *r, int node)
{
    for (int i = 0; i < r->claim_count; i++) {
        if (r->claims[i].node == node) {
            return true;
        }
    }
    return false;
}

static bool is_touched(const ami_fill_reader *r, int node)
{
    const ami_control_node *n = ami_fill_node(r, node);
    bool touched = is_claimed(r, node);
    for (int i = 0; i < n->count && !touched; i++) {
        touched = is_touched(r, n->first + i);
    }
    return touched;
}

/// An `or` that is no optional, without "choose": one of its branches must be set.
static am_result check_branches(const ami_fill_reader *r, const am_json *at, int node)
{
    const ami_control_node *n = ami_fill_node(r, node);
    int found = -1;
    for (int i = 0; i < n->count; i++) {
        if (!is_touched(r, n->first + i)) {
            continue;
        }
        if (found >= 0) {
            return ami_fill_fail(r, at, AM_ERR_KEY, node, "both '%s' and '%s' are set; write \"choose\" to say when",
                                 ami_fill_node(r, n->first + found)->name, ami_fill_node(r, n->first + i)->name);
        }
        found = i;
    }
    return found >= 0
               ? ami_fill_check_covered(r, at, n->first + found)
               : ami_fill_fail(r, at, AM_ERR_KEY, node, "no branch of this \"%s\" is set; add \"choose\"", n->word);
}

am_result ami_fill_check_covered(const ami_fill_reader *r, const am_json *at, int node)
{
    const ami_control_node *n = ami_fill_node(r, node);
    if (is_claimed(r, node) || n->kind == AMI_OP_NULL || node == ami_control_pose(r->schema)) {
        return AM_OK;
    }
    if (ami_control_is_typed(n->kind)) {
        return ami_fill_fail(r, at, AM_ERR_KEY, node, "nothing sets this %s; add it", n->word);
    }
    if (n->optional || n->kind == AMI_OP_SET) { // without a rule it is never there
        int inside = n->optional ? n->first + 1 : n->first;
        return is_touched(r, inside) ? ami_fill_check_covered(r, at, inside) : AM_OK;
    }
    if (n->kind == AMI_OP_OR) {
        return check_branches(r, at, node);
    }
    am_result result = AM_OK;
    for (int i = 0; i < n->count && result == AM_OK; i++) {
        result = ami_fill_check_covered(r, at, n->first + i);
    }
    return result;
}
