/// What the parts of amble eval fields share.
#ifndef AMBLE_CLI_EVAL_FIELDS_H
#define AMBLE_CLI_EVAL_FIELDS_H

#include "eval.h"
#include "agility.h"
#include "motion_graph.h"
#include "trials.h"

#include "method/field_value.h"

enum { fields_kinds = 4 }; ///< value functions of a task: of every state, of every 10th, 20th and 30th
enum { fields_k = 25 };    ///< neighbours, as in the recipe: bent copies are many at each moment of a step

typedef struct fields {
    eval *e;
    const char *config;
    bool real; ///< motion capture, which the bounds were made for
    am_db *db;
    ami_field *field;
    lab_motion_graph *graph;
    am_model *model;  ///< with value functions; NULL: the graph alone is measured
    am_model *full;   ///< the same of the direction in 32 bits; NULL: not measured
    am_model *plain;  ///< without steering; NULL: not measured
    am_model *bent;   ///< of all states, with as much steering as the graph's bends; NULL: not measured
    char folder[512]; ///< of the files that were made on the way; "" without any
    double trained_s; ///< s that training the value functions took; 0 when they existed
} fields;

/// Ticks between the anchors of value function i.
int fields_every(int i);
/// The fewest ticks between anchors that are measured.
int fields_finest(const fields *f);
/// Whether the value function of a task with `every` ticks between its anchors is measured: quick evaluations take
/// only the smallest of the direction.
bool fields_measures(const fields *f, const char *task, int every);
/// eval_fields_values.c: opens the model, or trains the value functions that are needed.
am_result fields_open_values(fields *f, am_error *err);
/// Value functions to train by the shipped recipe, and how they differ from it.
typedef struct fields_values {
    const char *name;   ///< of their files
    bool full;          ///< in 32 bits
    bool finest;        ///< with the least ticks between anchors alone
    bool lines;         ///< of the line too, else of the direction alone
    double steer_deg_s; ///< below 0: the recipe's
} fields_values;
/// eval_fields_values.c: makes them; *out stays as it is where this build has no training.
am_result fields_train(fields *f, am_model **out, const fields_values *what, am_error *err);
/// eval_fields_values.c: removes the files made on the way.
void fields_close_values(fields *f);

/// A source of a motion field with its value function.
typedef struct fields_source {
    ami_field_value *value; ///< NULL for the graph
    am_source *source;
    size_t bytes; ///< of its value function
} fields_source;
/// The graph (every 0) or the field with the value function of a task.
am_result fields_source_make(fields_source *out, const fields *f, const char *task, int every, am_error *err);
void fields_source_free(fields_source *s);

/// eval_fields_flow.c: ten minutes of each.
am_result fields_endurance(const fields *f, am_error *err);
/// eval_fields_flow.c: how far states of the data are from the nearest of another time; mean and largest.
am_result fields_apart(const ami_field *field, double *mean, double *most, am_error *err);
/// eval_fields_rate.c: what a frame costs.
am_result fields_rates(const fields *f, am_error *err);
/// eval_fields_graph.c: the graph with other settings.
am_result fields_settings(const fields *f, am_error *err);
/// eval_fields_pushes.c: pushes on the data sets made for them.
am_result fields_pushes(const fields *f, am_error *err);
/// Trials of one controller for the table `push_steps`.
typedef struct fields_steps {
    const char *set, *controller;
    lab_push_trial *trials; ///< [count]
    int count;
    bool stepped; ///< answered by steps, else by the blend alone
} fields_steps;
/// eval_fields_steps.c: the table.
am_result fields_steps_add(const fields *f, const fields_steps *rows, int count, am_error *err);

#endif
