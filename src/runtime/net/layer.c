// The table of layer kinds.
#include "net/layer.h"
#include "net/build.h"

#define LAYER(KIND, name) [AM_NET_##KIND] = &ami_net_layer_##name,
static const ami_net_layer *const layers[] = { AMI_NET_LAYERS(LAYER) };
_Static_assert(sizeof layers / sizeof layers[0] == AM_NET_KIND_COUNT, "net/build.h lacks a kind");

const ami_net_layer *ami_net_layer_of(int kind)
{
    return kind >= 0 && kind < AM_NET_KIND_COUNT ? layers[kind] : NULL;
}

const char *am_net_kind_name(int kind)
{
    const ami_net_layer *layer = ami_net_layer_of(kind);
    return layer ? layer->name : "?";
}

const char *ami_net_tensor_name(int kind, int which)
{
    const ami_net_layer *layer = ami_net_layer_of(kind);
    return layer && which >= 0 && which < AM_NET_MOST_TENSORS ? layer->tensors[which].name : NULL;
}
