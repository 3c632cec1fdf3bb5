/// A stage of a recipe, and the interface of a kind of stage. A new kind is one file kind_NAME.c, a declaration here
/// and a line in kinds.c.
#ifndef AMI_TRAIN_STAGE_H
#define AMI_TRAIN_STAGE_H

#include <amble/tools/database.h>
#include <amble/tools/json.h>
#include <amble/train.h>

#include "base/memory.h"
#include "train/training.h"

enum { AMI_MOST_STAGES = 16, AMI_STAGE_GRAPHS = 4, AMI_MOST_TERMS = 16 };

/// An attachment of the model that a stage makes.
typedef struct ami_stage_blob {
    char name[AM_NET_NAME_SIZE];
    am_bytes bytes;
} ami_stage_blob;

struct ami_kind;

/// One stage while it is trained.
typedef struct ami_stage {
    const am_json_doc *doc;
    const am_json *json;
    const am_train_def *def;
    const char *folder; ///< of the recipe, for paths inside it
    am_alloc alloc;
    const struct ami_kind *kind;
    void *state;
    const char *name;              ///< of the stage in messages
    am_net_graph *const *finished; ///< [finished_count] what earlier stages made
    int finished_count;
    int threads; ///< that it may use, 0: all; create leaves here how many of them train
    // What the kind's create leaves here:
    am_net_graph *graphs[AMI_STAGE_GRAPHS]; ///< owned by the run from then on
    int graph_count;
    ami_stage_blob blobs[AM_NET_MOST_ATTACHMENTS]; ///< owned by the run when the stage is done
    int blob_count;
    int64_t iteration; ///< of a kind that learns without a trainer: how many it has made
    int slots;
    bool input_grads;
    unsigned fixed_inputs;         ///< bit g: no gradients of graph g's inputs all the same
    unsigned hidden;               ///< bit g: graph g serves later stages and is no part of the model
    int columns_each;              ///< columns of one sample of the batch; default 1
    int scratch;                   ///< floats per column that its pass needs
    const char *const *term_names; ///< [term_count] what its loss is the sum of
    int term_count;
    double *terms; ///< [block][term_count] of the last iteration: the run's, its pass writes them
    uint64_t data_hash, database_hash;
    char database[1024]; ///< path of the database that it learns from, "" for none
    // From the keys that all kinds share:
    uint64_t seed;
    int batch;
    int iterations, checkpoint_every, preview_every;
    ami_optimiser optimiser;
    am_net_weights weights;
    const char *from; ///< model whose parts it begins with, or NULL
    bool beside;      ///< trained at the same time as the stage before
} ami_stage;

/// What a kind does. Random numbers come from ami_rng_fork of the stage's seed by ami_block_item.
typedef struct ami_kind {
    const char *name;
    const char *const *keys; ///< [key_count] of its own
    int key_count;
    /// Reads its keys, loads its data, builds its graphs (finished, weights as they begin).
    am_result (*create)(ami_stage *stage, am_error *err);
    ami_train_pass pass; ///< with stage->state; NULL for a kind that learns without a trainer, which has these:
    /// One iteration, counted in stage->iteration, or a part of the preparations for the first, in about a tenth of a
    /// second. Sets stage->iterations when it has come to its end.
    am_result (*iterate)(ami_stage *stage, double *loss, am_error *err);
    /// What its next iteration depends on, for a checkpoint, and the way back.
    am_result (*save)(const ami_stage *stage, am_bytes *out, am_error *err);
    am_result (*load)(ami_stage *stage, const void *data, size_t size, am_error *err);
    /// Takes the weights of the model under "from"; NULL: every graph takes those of the part of its name.
    am_result (*begin)(ami_stage *stage, const am_model *model, am_error *err);
    /// What it leaves beside the networks once it is trained, or NULL.
    am_result (*finish)(ami_stage *stage, am_error *err);
    void (*destroy)(ami_stage *stage);
    bool may_rest; ///< of use without any iteration
} ami_kind;

extern const ami_kind ami_kind_regression, ami_kind_autoencoder, ami_kind_direction, ami_kind_decompressor,
    ami_kind_stepper, ami_kind_projector, ami_kind_value, ami_kind_pose_encoder, ami_kind_flow, ami_kind_distil,
    ami_kind_segments, ami_kind_control_prior, ami_kind_control_map;
/// All kinds, in the order of their names in messages.
extern const ami_kind *const ami_kinds[];
extern const int ami_kind_count;

/// Reads the keys that all kinds share, after refusing unknown ones.
am_result ami_stage_read(ami_stage *stage, am_error *err);
/// folder/path unless path is absolute; AM_ERR_LIMIT when it does not fit.
am_result ami_stage_path(const ami_stage *stage, const char *path, char *out, size_t size, am_error *err);
/// Opens the database under "database", or the one that the def gives in its place; stage->database is its path.
am_result ami_stage_database(ami_stage *stage, am_db **out, am_error *err);
/// Gives its graphs the weights of the parts of those names in the model under "from", where there is one.
am_result ami_stage_begin_from(ami_stage *stage, am_error *err);
/// A graph takes the weights of the model's part of its name, which must have the same layers.
am_result ami_stage_take_part(const am_model *model, am_net_graph *graph, const am_alloc *alloc, am_error *err);
/// Weights of the losses: the object under "loss_weights" may name some of them.
am_result ami_stage_weights(const ami_stage *stage, const char *const *names, int count, const float *usual,
                            float *out, am_error *err);
/// The array named by the string under `key` (or `usual` when the key is missing) of the file under "data"; refuses
/// numbers that are not finite, naming row and column.
am_result ami_stage_array(ami_stage *stage, const char *key, const char *usual, am_train_array *out, am_error *err);
/// Layers of the list under `key` (each "linear 512", "relu", "elu", "gelu", "tanh", "sigmoid", "layer norm", "skip",
/// "residual") from value x on. `skip` appends x; `residual` adds the value after the previous residual (or at the
/// start of the list). Gives the last value.
am_result ami_stage_layers(const ami_stage *stage, const char *key, am_net_graph *graph, int x, int *out,
                           am_error *err);
/// Mean and deviation of each column; a constant column has deviation 1.
void ami_column_scales(float *mean, float *deviation, const am_train_array *data);
/// Sets the tensors of a normalise (1 / deviation) or restore (deviation) operation that made `value`.
void ami_set_scales(am_net_graph *graph, int value, const float *mean, const float *deviation);

#endif
