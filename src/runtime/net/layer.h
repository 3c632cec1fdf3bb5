/// One row for each kind of layer: its name, what it reads and owns, its shape, and its evaluation. Everything that
/// walks over a graph asks the row; only the file of a layer knows its kind.
#ifndef AMI_NET_LAYER_H
#define AMI_NET_LAYER_H

#include "net/graph.h"
#include "net/build.h"

struct ami_net_pass;
struct ami_net_step;

#define AMI_NET_MOST_MATRICES (AM_NET_MOST_TENSORS / 2)

/// A tensor that a kind owns.
typedef struct ami_net_own {
    const char *name; ///< "weight"; NULL behind the last
    int bound_by;     ///< the tensor whose columns n bound a random start: uniform within 1 / sqrt n
    bool ones;        ///< begins with ones instead of zeros
} ami_net_own;

/// W x + b of one input: numbers of the tensors W and b, and of the input.
typedef struct ami_net_product {
    int weight, bias, in; ///< in is -1 where the product is of something made from the input
} ami_net_product;

/// One operation on one row, in double.
typedef struct ami_net_eval {
    const am_net_graph *graph;
    const am_net_op *op;
    double *const *values;
    int sample, row;
    double *y;       ///< (n) the row it makes
    const double *x; ///< (m) of in[0], as in `run`
    int n, m;
    const float *tensor[AM_NET_MOST_TENSORS]; ///< NULL behind the last
} ami_net_eval;

typedef struct ami_net_layer {
    const char *name; ///< in messages and listings, and its word in recipes
    ami_net_own tensors[AM_NET_MOST_TENSORS];
    ami_net_product products[AMI_NET_MOST_MATRICES]; ///< all matrices are here, and all biases
    int product_count;
    int least_in, most_in; ///< how many values it reads
    unsigned whole_in;     ///< bit i: in[i] is an index or a count, through which no gradient flows
    bool activation;       ///< ami_net_graph_activation builds it
    bool in_place;         ///< may write over in[0]
    bool plain_start;      ///< training begins with its ones and zeros, not with random numbers

    /// Recipes: "NAME" adds it to value x, "NAME WIDTH" where `sized`. NULL: recipes have no word for it.
    int (*build)(am_net_graph *graph, am_net_kind kind, int x, int width);
    bool sized;
    /// As ami_net_infer, for inputs of the right number. `out` begins with the rows and the width of in[0].
    const char *(*shape)(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width);
    /// How many whole numbers an input of `whole_in` can be: 0 .. choices - 1.
    int (*choices)(const am_net_op *op, const am_net_value *values);
    /// The definition in double, one row.
    void (*eval)(const ami_net_eval *e);
    /// The fast one (net/run.h): y is row `item` of all rows that it makes; x is the same row of in[0], or the
    /// sample's first where in[0] has more or fewer, or NULL without inputs. Where `in_place`, y may be x. Or all
    /// rows in one call.
    void (*run)(const struct ami_net_pass *r, float *y, const float *x, size_t item);
    void (*run_all)(const struct ami_net_pass *r);
    /// Floats that `run` wants in r->work->scratch; NULL for none.
    size_t (*scratch)(const struct ami_net_step *step, const am_net_value *values);
    /// How many vectors `run` hands to a product at once; NULL: at most the rows of in[0].
    size_t (*items)(const am_net_op *op);
} ami_net_layer;

#define AMI_LAYER(KIND, name) extern const ami_net_layer ami_net_layer_##name;
AMI_NET_LAYERS(AMI_LAYER)
#undef AMI_LAYER

/// The row of a kind; NULL for numbers that are none.
const ami_net_layer *ami_net_layer_of(int kind);

// For builders and shapes

/// Appends an operation that reads in(in_count); `width` is the output's where the kind leaves it free. Returns the
/// value, or -1.
int ami_graph_add(am_net_graph *graph, am_net_op op, const int *in, int in_count, int width);
/// The same for an operation without settings that reads one value.
int ami_graph_add_plain(am_net_graph *graph, am_net_kind kind, int x, int width);
/// Remembers why building stopped. Returns -1.
int ami_graph_fault(am_net_graph *graph, am_result code, const char *format, ...) AM_PRINTF(3, 4);
/// The operation owns one more tensor.
void ami_net_add_tensor(ami_net_shape *shape, int32_t rows, int32_t columns, uint32_t flags);
/// The shape of in[0], without tensors.
const char *ami_net_shape_same(ami_net_shape *out, const am_net_op *op, const am_net_value *values, int width);

// For evaluations in double

double *ami_eval_row(const ami_net_eval *e, int value, int row);
/// Row `row` of W(.., m) x(m) + b.
double ami_eval_product(const float *w, const float *b, const double *x, int row, int m);
double ami_eval_exp(double x);
double ami_eval_tanh(double x);
double ami_eval_erf(double x);
double ami_eval_sigmoid(double x);

#endif
