/// Every kind of layer once, in the order of am_net_kind: LAYER(KIND, name). The tables of kinds follow this list:
/// - net/layer.c: ami_net_layer_NAME, its shape and evaluation (net/layer_*.c)
/// - train/layers_body.h: layer_NAME, its training (train/layer_*_body.h)
/// - formats/onnx_write.c: ami_onnx_put_NAME, its nodes (formats/onnx_*.c)
#ifndef AMI_NET_LAYER_LIST_H
#define AMI_NET_LAYER_LIST_H

#define AMI_NET_LAYERS(LAYER)                                                                                        \
    LAYER(LINEAR, linear)                                                                                            \
    LAYER(RELU, relu)                                                                                                \
    LAYER(ELU, elu)                                                                                                  \
    LAYER(GELU, gelu)                                                                                                \
    LAYER(TANH, tanh)                                                                                                \
    LAYER(SIGMOID, sigmoid)                                                                                          \
    LAYER(LAYER_NORM, norm)                                                                                          \
    LAYER(CONCAT, concat)                                                                                            \
    LAYER(ADD, add)                                                                                                  \
    LAYER(NORMALISE, normalise)                                                                                      \
    LAYER(RESTORE, restore)                                                                                          \
    LAYER(GRU, gru)                                                                                                  \
    LAYER(ATTENTION, attention)                                                                                      \
    LAYER(ONE_HOT, one_hot)                                                                                          \
    LAYER(COUNT, count)                                                                                              \
    LAYER(FRACTION, fraction)                                                                                        \
    LAYER(WAVES, waves)                                                                                              \
    LAYER(SLICE, slice)                                                                                              \
    LAYER(CHOOSE, choose)                                                                                            \
    LAYER(CONSTANT, constant)

#endif
