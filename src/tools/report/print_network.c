// Networks as lines of text: their parts with layers, their value functions, and what was measured on them.
#include <amble/math.h>
#include <amble/tools/describe.h>
#include <amble/tools/network.h>

#include <string.h>

static void print_part(FILE *out, const am_model *model, int p)
{
    const am_model_part *part = &model->parts[p];
    fprintf(out, "  part '%s': %llu parameters, %s, %.1f kB\n", part->name, (unsigned long long)part->parameters,
            am_net_weights_name((am_net_weights)part->weights), (double)part->bytes / 1e3);
    if (part->weights != AM_NET_FP32) {
        fprintf(out, "    output error against fp32 on %d inputs: RMS %.2g, largest %.2g of the output's RMS\n",
                part->error_samples, (double)part->error_rms, (double)part->error_max);
    }
    am_net_graph *graph = NULL;
    am_error err = { 0 };
    if (am_model_graph(model, p, &graph, NULL, &err) != AM_OK) {
        return;
    }
    for (int v = 0; v < graph->value_count; v++) {
        const am_net_value *value = &graph->values[v];
        if (value->name[0]) {
            const char *role = value->role == AM_NET_INPUT   ? "input"
                               : value->role == AM_NET_STATE ? "state"
                                                             : "output";
            fprintf(out, "    %s %s: ", role, value->name);
            value->rows > 1 ? fprintf(out, "%d x %d\n", value->rows, value->width)
                            : fprintf(out, "%d\n", value->width);
        }
    }
    for (int i = 0; i < graph->op_count; i++) {
        const am_net_op *op = &graph->ops[i];
        fprintf(out, "    %3d %-12s -> %d\n", i, am_net_kind_name(op->kind), graph->values[op->out].width);
    }
    am_net_graph_destroy(graph);
}

static void print_value(FILE *out, const am_model_attachment *attachment, const am_model_value *head)
{
    fprintf(out, "  part 'value' of task %s: %d anchors of %d states (every %d), grid", head->task, head->anchors,
            head->states, head->every);
    for (int a = 0; a < head->axes; a++) {
        fprintf(out, "%s%d", a ? " x " : " ", head->samples[a]);
    }
    fprintf(out, ", %s, %.1f kB\n", am_net_weights_name(head->weights), (double)attachment->size / 1e3);
    fprintf(out,
            "    gamma %g, weight %g, steering %.0f degrees/s at %g a radian, k %d; within %.2g of the fixed point "
            "after %d sweeps\n",
            (double)head->gamma, (double)head->weight, (double)(head->steer_rad_s / AM_DEG), (double)head->steer_cost,
            head->k, (double)head->bound, head->iterations);
}

/// One row of what was measured: its texts, then its numbers by name.
static void print_row(FILE *out, const am_json *row)
{
    for (const am_json *cell = row->first; cell; cell = cell->next) {
        if (cell->type == AM_JSON_STRING) {
            fprintf(out, " %s", cell->string);
        } else if (cell->type == AM_JSON_NUMBER) {
            fprintf(out, "%s %s %.4g", cell == row->first ? "" : ",", cell->key, cell->number);
        }
    }
    fprintf(out, "\n");
}

/// What `amble eval learned --keep` measured, where it did.
static void print_quality(FILE *out, const am_model *model)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    if (am_json_parse(&doc, model->provenance, strlen(model->provenance), "provenance", NULL, &err) != AM_OK) {
        return;
    }
    const am_json *quality = am_json_get(am_json_root(doc), "quality");
    const am_json *database = quality ? am_json_get(quality, "database") : NULL;
    if (quality) {
        fprintf(out, "  measured on '%s':\n",
                database && database->type == AM_JSON_STRING ? database->string : "an unknown database");
    }
    for (const am_json *table = quality ? quality->first : NULL; table; table = table->next) {
        for (const am_json *row = table->type == AM_JSON_ARRAY ? table->first : NULL; row; row = row->next) {
            fprintf(out, "    %s:", table->key);
            print_row(out, row);
        }
    }
    am_json_free(doc);
}

void am_model_print(FILE *out, const am_model *model)
{
    am_model_value head;
    for (int p = 0; p < model->part_count; p++) {
        print_part(out, model, p);
    }
    for (int i = 0; i < model->attachment_count; i++) {
        if (am_model_get_value(model, i, &head)) {
            print_value(out, &model->attachments[i], &head);
        }
    }
    if (model->database_hash) {
        fprintf(out, "  belongs to database %016llx\n", (unsigned long long)model->database_hash);
    }
    if (model->recipe[0]) {
        fprintf(out, "  recipe: %s\n", model->recipe);
    }
    if (model->provenance[0]) {
        fprintf(out, "  provenance: %s\n", model->provenance);
        print_quality(out, model);
    }
}
