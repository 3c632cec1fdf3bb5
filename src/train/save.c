// Saves a trainer's state as bytes for a checkpoint, and restores it.
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

static const char magic[8] = { 'A', 'M', 'T', 'R', 'A', 'I', 'N', '1' };

/// What makes two graphs the same for a checkpoint: operations, shapes, names.
static uint64_t shape_hash(const am_net_graph *g)
{
    uint64_t hash = am_hash64(g->values, (size_t)g->value_count * sizeof *g->values, 0);
    hash = am_hash64(g->ops, (size_t)g->op_count * sizeof *g->ops, hash);
    return am_hash64(g->tensors, (size_t)g->tensor_count * sizeof *g->tensors, hash);
}

/// A state with a NaN is useless: it must not replace an earlier one.
static am_result check_finite(const am_net_graph *g, am_error *err)
{
    for (size_t i = 0; i < g->weight_count; i++) {
        if (!isfinite(g->weights[i])) {
            return ami_fail(err, AM_ERR_NUMBER,
                            "weights of '%s' are no longer finite; lower the rate or clip the gradient", g->name);
        }
    }
    return AM_OK;
}

static bool put_part(am_bytes *out, const ami_trained_part *part)
{
    const size_t bytes = part->graph->weight_count * sizeof(float);
    return ami_put_u64(out, shape_hash(part->graph)) && ami_put_u64(out, part->graph->weight_count) &&
           ami_put(out, part->graph->weights, bytes) && ami_put(out, part->mean, bytes) &&
           ami_put(out, part->square, bytes) && (!part->average || ami_put(out, part->average, bytes));
}

am_result ami_trainer_save(const ami_trainer *t, am_bytes *out, am_error *err)
{
    *out = ami_bytes_make(&t->alloc);
    for (int g = 0; g < t->def.graph_count; g++) {
        const am_result result = check_finite(t->parts[g].graph, err);
        if (result != AM_OK) {
            return result;
        }
    }
    bool ok = ami_put(out, magic, sizeof magic) && ami_put_u64(out, (uint64_t)t->iteration) &&
              ami_put_u64(out, (uint64_t)t->def.graph_count);
    for (int g = 0; g < t->def.graph_count && ok; g++) {
        ok = put_part(out, &t->parts[g]);
    }
    ok = ok && ami_put_u64(out, am_hash64(out->data, out->size, 0));
    if (!ok) {
        const size_t size = out->size;
        am_bytes_free(out);
        return ami_fail_memory(err, size);
    }
    return AM_OK;
}

am_result ami_trainer_load(ami_trainer *t, const void *data, size_t size, am_error *err)
{
    ami_reader in = ami_reader_make(data, size);
    const uint8_t *found = ami_read_bytes(&in, sizeof magic);
    const uint64_t iteration = ami_read_u64(&in), graphs = ami_read_u64(&in);
    if (!found || memcmp(found, magic, sizeof magic) != 0) {
        return ami_fail_at(err, AM_ERR_FORMAT, NULL, 0, "this is not the saved state of a trainer");
    }
    if (graphs != (uint64_t)t->def.graph_count) {
        return ami_fail_at(err, AM_ERR_FORMAT, NULL, 16, "the state has %llu networks instead of %d",
                           (unsigned long long)graphs, t->def.graph_count);
    }
    const uint8_t *parts[AMI_MOST_GRAPHS];
    for (int g = 0; g < t->def.graph_count; g++) {
        const am_net_graph *graph = t->parts[g].graph;
        const int64_t at = (int64_t)in.at;
        const uint64_t hash = ami_read_u64(&in), count = ami_read_u64(&in);
        if (!in.failed && (hash != shape_hash(graph) || count != graph->weight_count)) {
            return ami_fail_at(err, AM_ERR_FORMAT, NULL, at, "the state belongs to a network other than '%s'",
                               graph->name);
        }
        parts[g] = ami_read_bytes(&in, (t->parts[g].average ? 4 : 3) * graph->weight_count * sizeof(float));
    }
    const size_t covered = in.at;
    const uint64_t sum = ami_read_u64(&in);
    if (in.failed) {
        return ami_fail_at(err, AM_ERR_TRUNCATED, NULL, (int64_t)size, "the state of the trainer ends too early");
    }
    if (sum != am_hash64(data, covered, 0)) {
        return ami_fail_at(err, AM_ERR_CHECKSUM, NULL, (int64_t)covered, "the state of the trainer is damaged");
    }
    for (int g = 0; g < t->def.graph_count; g++) {
        const size_t bytes = t->parts[g].graph->weight_count * sizeof(float);
        memcpy(t->parts[g].graph->weights, parts[g], bytes);
        memcpy(t->parts[g].mean, parts[g] + bytes, bytes);
        memcpy(t->parts[g].square, parts[g] + 2 * bytes, bytes);
        if (t->parts[g].average) {
            memcpy(t->parts[g].average, parts[g] + 3 * bytes, bytes);
        }
    }
    t->iteration = (int64_t)iteration;
    return AM_OK;
}
