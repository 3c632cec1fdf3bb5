// Weights between a graph's plain rows and a file's panels.
#include "net/format.h"
#include "net/pack.h"
#include "net/build.h"

#include <math.h>
#include <string.h>

uint16_t ami_half_from(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    bits &= 0x7FFFFFFFu;
    if (bits < 0x38800000u) {
        // Below 2^-14: a multiple of 2^-24. Adding 0.5 rounds to such multiples, to even on a tie.
        float size;
        memcpy(&size, &bits, sizeof size);
        size += 0.5f;
        memcpy(&bits, &size, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3F000000u));
    }
    uint32_t odd = bits >> 13 & 1u;
    return (uint16_t)(sign | ((bits - 0x38000000u + 0xFFFu + odd) >> 13));
}

float ami_half_to(uint16_t h)
{
    uint32_t bits = (uint32_t)(h & 0x7FFFu) << 13;
    float x;
    memcpy(&x, &bits, sizeof x);
    x *= 5.192296858534828e33f; // 2^112
    return h & 0x8000u ? -x : x;
}

static size_t panels_of(const am_net_tensor *t) { return ((size_t)t->rows + AMI_PANEL - 1) / AMI_PANEL; }

/// Place of weight (row, column) among the numbers of a matrix of 32 or 16 bits.
static size_t place(const am_net_tensor *t, size_t row, size_t column)
{
    return (row / AMI_PANEL * (size_t)t->columns + column) * AMI_PANEL + row % AMI_PANEL;
}

/// The same for 8 bits, whose columns go in pairs.
static size_t place8(const am_net_tensor *t, size_t row, size_t column)
{
    size_t pairs = ((size_t)t->columns + 1) / 2;
    return ((row / AMI_PANEL * pairs + column / 2) * AMI_PANEL + row % AMI_PANEL) * 2 + column % 2;
}

static size_t bytes8(const am_net_tensor *t) { return panels_of(t) * (((size_t)t->columns + 1) / 2) * AMI_PANEL * 2; }

uint64_t ami_net_stored_size(const am_net_tensor *t, am_net_weights weights)
{
    size_t numbers = panels_of(t) * AMI_PANEL * (size_t)t->columns;
    if (!(t->flags & AM_NET_MATRIX)) {
        return ((uint64_t)ami_net_tensor_count(t) + 15) / 16 * 16 * sizeof(float);
    }
    switch (weights) {
    case AM_NET_FP16:
        return numbers * sizeof(uint16_t);
    case AM_NET_INT8:
        return bytes8(t) + panels_of(t) * AMI_PANEL * sizeof(float);
    default:
        return numbers * sizeof(float);
    }
}

/// One row in 8 bits with its scale: the largest weight becomes 127.
static void pack_row8(uint8_t *body, const am_net_tensor *t, const float *w, size_t row)
{
    float largest = 0.0f;
    for (size_t c = 0; c < (size_t)t->columns; c++) {
        float size = fabsf(w[c]);
        largest = size > largest ? size : largest;
    }
    float scale = largest / 127.0f;
    for (size_t c = 0; c < (size_t)t->columns; c++) {
        float q = scale > 0.0f ? w[c] / scale : 0.0f;
        q = q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q; // a scale below 1e-38 has few digits
        body[place8(t, row, c)] = (uint8_t)(int8_t)(q < 0.0f ? q - 0.5f : q + 0.5f);
    }
    memcpy(body + bytes8(t) + row * sizeof scale, &scale, sizeof scale);
}

void ami_net_pack(void *out, const am_net_tensor *t, const float *data, am_net_weights weights)
{
    float *f32 = out;
    uint16_t *f16 = out;
    size_t columns = (size_t)t->columns;
    if (!(t->flags & AM_NET_MATRIX)) {
        for (size_t i = 0; i < ami_net_tensor_count(t); i++) {
            f32[i] = data[i] + 0.0f; // no -0: see kernel/layers.h
        }
        return;
    }
    for (size_t r = 0; r < (size_t)t->rows; r++) {
        const float *row = data + r * columns;
        if (weights == AM_NET_INT8) {
            pack_row8(out, t, row, r);
            continue;
        }
        for (size_t c = 0; c < columns; c++) {
            if (weights == AM_NET_FP16) {
                f16[place(t, r, c)] = ami_half_from(row[c]);
            } else {
                f32[place(t, r, c)] = row[c];
            }
        }
    }
}

void ami_net_unpack(float *out, const am_net_tensor *t, const void *body, am_net_weights weights)
{
    const float *f32 = body;
    const uint16_t *f16 = body;
    const int8_t *i8 = body;
    size_t columns = (size_t)t->columns;
    if (!(t->flags & AM_NET_MATRIX)) {
        memcpy(out, body, ami_net_tensor_count(t) * sizeof(float));
        return;
    }
    for (size_t r = 0; r < (size_t)t->rows; r++) {
        float scale = 1.0f;
        if (weights == AM_NET_INT8) {
            memcpy(&scale, i8 + bytes8(t) + r * sizeof scale, sizeof scale);
        }
        for (size_t c = 0; c < columns; c++) {
            float w = weights == AM_NET_INT8   ? (float)i8[place8(t, r, c)] * scale
                      : weights == AM_NET_FP16 ? ami_half_to(f16[place(t, r, c)])
                                               : f32[place(t, r, c)];
            out[r * columns + c] = w;
        }
    }
}

ami_matrix ami_net_matrix(const am_model *model, const am_model_part *part, const am_net_tensor *t, const float *bias)
{
    const uint8_t *at = model->own->body + t->offset;
    ami_matrix m = { .bias = bias, .n_in = (size_t)t->columns, .panels = panels_of(t) };
    switch (part->weights) {
    case AM_NET_FP16:
        m.w16 = (const uint16_t *)(const void *)at;
        break;
    case AM_NET_INT8:
        m.w8 = (const int8_t *)(const void *)at;
        m.scale = (const float *)(const void *)(at + bytes8(t));
        break;
    default:
        m.w32 = (const float *)(const void *)at;
    }
    return m;
}
