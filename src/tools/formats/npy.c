// The header of .npy arrays (NEP 1): magic, version, length, and a dict literal with 'descr', 'fortran_order',
// 'shape'.
#include "formats/npy.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/number.h"

#include <string.h>

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

/// A cursor over the header's text.
typedef struct scanner {
    const char *at, *end;
} scanner;

static bool accept(scanner *in, char c)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\n')) {
        in->at++;
    }
    if (in->at < in->end && *in->at == c) {
        in->at++;
        return true;
    }
    return false;
}

static bool accept_word(scanner *in, const char *word)
{
    size_t size = strlen(word);
    accept(in, ' '); // skips blanks
    if ((size_t)(in->end - in->at) >= size && memcmp(in->at, word, size) == 0) {
        in->at += size;
        return true;
    }
    return false;
}

/// A quoted text without escapes, cut to size.
static bool take_text(scanner *in, char *out, size_t size)
{
    char quote = accept(in, '\'') ? '\'' : accept(in, '"') ? '"' : '\0';
    size_t length = 0;
    while (quote && in->at < in->end && *in->at != quote && length + 1 < size) {
        out[length++] = *in->at++;
    }
    out[length] = '\0';
    return quote && accept(in, quote);
}

static bool take_shape(scanner *in, ami_npy *out)
{
    if (!accept(in, '(')) {
        return false;
    }
    while (!accept(in, ')')) {
        size_t value = 0;
        int digits = 0;
        for (; in->at < in->end && *in->at >= '0' && *in->at <= '9' && digits < 12; digits++) {
            value = value * 10 + (size_t)(*in->at++ - '0');
        }
        if (digits == 0 || out->dims == AMI_NPY_MAX_DIMS) {
            return false;
        }
        out->shape[out->dims++] = value;
        accept(in, ','); // also skips the blank before the next one
        accept(in, ' ');
    }
    return true;
}

/// What the dict says, as it is read.
typedef struct header {
    char descr[16];
    bool fortran, has_descr, has_order, has_shape;
} header;

static bool take_member(scanner *in, header *head, ami_npy *out)
{
    char key[16];
    if (!take_text(in, key, sizeof key) || !accept(in, ':')) {
        return false;
    }
    if (strcmp(key, "descr") == 0) {
        head->has_descr = take_text(in, head->descr, sizeof head->descr);
        return head->has_descr;
    }
    if (strcmp(key, "fortran_order") == 0) {
        head->fortran = accept_word(in, "True");
        head->has_order = head->fortran || accept_word(in, "False");
        return head->has_order;
    }
    if (strcmp(key, "shape") == 0 && !head->has_shape) {
        head->has_shape = take_shape(in, out);
        return head->has_shape;
    }
    return false;
}

static am_result set_type(ami_npy *out, const char *descr, const char *name, am_error *err)
{
    static const struct {
        const char *descr;
        char kind;
        size_t size;
    } types[] = { { "<f4", 'f', 4 }, { "<f8", 'f', 8 }, { "<i2", 'i', 2 }, { "<i4", 'i', 4 },
                  { "<i8", 'i', 8 }, { "|i1", 'i', 1 }, { "|u1", 'u', 1 }, { "|b1", 'b', 1 } };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].descr, descr) == 0) {
            out->kind = types[i].kind;
            out->item_size = types[i].size;
            return AM_OK;
        }
    }
    if (descr[0] == '<' && descr[1] == 'U') {
        const char *at = descr + 2;
        size_t width = 0;
        while (*at >= '0' && *at <= '9' && width < 100000) {
            width = width * 10 + (size_t)(*at++ - '0');
        }
        if (*at == '\0' && at > descr + 2) {
            out->kind = 'U';
            out->item_size = width * 4;
            return AM_OK;
        }
    }
    return ami_fail(err, AM_ERR_SUPPORT, "array '%s' has type '%s'; save it as float32, int32 or text", name, descr);
}

/// Where the dict lies, and where the data begins.
static am_result find_header(scanner *text, size_t *begin, const uint8_t *data, size_t size, const char *name,
                             am_error *err)
{
    ami_reader in = ami_reader_make(data, size);
    const uint8_t *start = ami_read_bytes(&in, sizeof magic);
    if (!start || memcmp(start, magic, sizeof magic) != 0) {
        return ami_fail(err, AM_ERR_FORMAT, "array '%s' does not begin like an .npy array", name);
    }
    int version = ami_read_u8(&in);
    ami_read_u8(&in); // minor
    if (version < 1 || version > 3) {
        return ami_fail(err, AM_ERR_VERSION, "array '%s' has .npy version %d; 1 to 3 are read", name, version);
    }
    size_t length = version == 1 ? ami_read_u16(&in) : ami_read_u32(&in);
    const uint8_t *dict = ami_read_bytes(&in, length);
    if (!dict) {
        return ami_fail(err, AM_ERR_TRUNCATED, "array '%s' ends within its header", name);
    }
    text->at = (const char *)dict;
    text->end = text->at + length;
    *begin = in.at;
    return AM_OK;
}

static am_result count_items(ami_npy *out, size_t size, const char *name, am_error *err)
{
    out->count = 1;
    for (int d = 0; d < out->dims; d++) {
        if (out->shape[d] != 0 && out->count > SIZE_MAX / out->shape[d]) {
            return ami_fail(err, AM_ERR_LIMIT, "array '%s' is larger than this machine can address", name);
        }
        out->count *= out->shape[d];
    }
    if (out->item_size > 0 && out->count > size / out->item_size) {
        return ami_fail(err, AM_ERR_TRUNCATED, "array '%s' has %zu bytes; its shape needs %zu items of %zu", name,
                        size, out->count, out->item_size);
    }
    return AM_OK;
}

am_result ami_npy_parse(ami_npy *out, const uint8_t *data, size_t size, const char *name, am_error *err)
{
    memset(out, 0, sizeof *out);
    scanner text = { 0 };
    size_t begin = 0;
    am_result result = find_header(&text, &begin, data, size, name, err);
    if (result != AM_OK) {
        return result;
    }
    header head = { 0 };
    bool ok = accept(&text, '{');
    while (ok && !accept(&text, '}')) {
        ok = take_member(&text, &head, out);
        accept(&text, ',');
    }
    if (!ok || !head.has_descr || !head.has_order || !head.has_shape) {
        return ami_fail(err, AM_ERR_SYNTAX, "the header of array '%s' is not what NumPy writes", name);
    }
    if (head.fortran && out->dims > 1) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "array '%s' is in Fortran order; convert it with numpy.ascontiguousarray before saving",
                        name);
    }
    result = set_type(out, head.descr, name, err);
    out->data = data + begin;
    return result == AM_OK ? count_items(out, size - begin, name, err) : result;
}

double ami_npy_number(const ami_npy *array, size_t i)
{
    const uint8_t *at = array->data + i * array->item_size;
    uint64_t bits = 0;
    for (size_t b = 0; b < array->item_size; b++) {
        bits |= (uint64_t)at[b] << (8 * b);
    }
    if (array->kind == 'f') {
        double wide;
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &low, sizeof narrow);
        return array->item_size == 4 ? (double)narrow : wide;
    }
    if (array->kind == 'i') {
        switch (array->item_size) {
        case 1:
            return (double)(int8_t)bits;
        case 2:
            return (double)(int16_t)bits;
        case 4:
            return (double)(int32_t)bits;
        default:
            return (double)(int64_t)bits;
        }
    }
    return (double)bits;
}

uint32_t ami_npy_char(const ami_npy *array, size_t i, size_t k)
{
    if (k >= array->item_size / 4) {
        return 0;
    }
    const uint8_t *at = array->data + i * array->item_size + k * 4;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool ami_npy_begin(am_bytes *out, const char *descr, const size_t *shape, int dims)
{
    size_t begin = out->size;
    bool ok = ami_put(out, magic, sizeof magic) && ami_put_u8(out, 1) && ami_put_u8(out, 0) && ami_put_u16(out, 0) &&
              ami_put_text(out, "{'descr': '") && ami_put_text(out, descr) &&
              ami_put_text(out, "', 'fortran_order': False, 'shape': (");
    for (int d = 0; d < dims && ok; d++) {
        ok = ami_put_integer(out, (int64_t)shape[d]) && ami_put_text(out, d + 1 < dims ? ", " : dims == 1 ? "," : "");
    }
    ok = ok && ami_put_text(out, "), }");
    // NumPy pads the header with blanks and a newline to a multiple of 64.
    while (ok && (out->size - begin) % 64 != 63) {
        ok = ami_put_u8(out, ' ');
    }
    ok = ok && ami_put_u8(out, '\n');
    if (ok) {
        size_t length = out->size - begin - 10;
        out->data[begin + 8] = (uint8_t)length;
        out->data[begin + 9] = (uint8_t)(length >> 8);
    }
    return ok;
}
