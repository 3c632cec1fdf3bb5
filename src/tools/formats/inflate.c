// Inflate (RFC 1951): a bit reader, canonical Huffman codes with a 9-bit first-level table, and output that never
// grows beyond what the caller made room for.
#include "formats/inflate.h"

#include "base/error.h"

#include <string.h>

enum {
    FAST_BITS = 9, // codes up to this length are found in one look-up; most are
    MAX_BITS = 15, // longest code that deflate has
    MAX_LITERALS = 288,
    MAX_DISTANCES = 30,
};

/// Bits come from the low end of `bits`; past the end of the data they read as zero; taking them sets `ended`.
typedef struct bit_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    uint64_t bits;
    int have;
    bool ended; // more was taken than there was
} bit_reader;

static void refill(bit_reader *in)
{
    while (in->have <= 56 && in->at < in->size) {
        in->bits |= (uint64_t)in->data[in->at++] << in->have;
        in->have += 8;
    }
}

static void drop(bit_reader *in, int count)
{
    if (count > in->have) {
        in->ended = true;
        count = in->have;
    }
    in->bits >>= count;
    in->have -= count;
}

/// The next 0 to 16 bits.
static unsigned take(bit_reader *in, int count)
{
    refill(in);
    unsigned value = (unsigned)(in->bits & (((uint64_t)1 << count) - 1));
    drop(in, count);
    return value;
}

// ---------------------------------------------------------------------------------------------
// Huffman codes

typedef struct code_book {
    uint16_t fast[1 << FAST_BITS];  // symbol * 16 + length, 0 when the code is longer or there is none
    uint16_t counts[MAX_BITS + 1];  // codes of each length
    uint16_t symbols[MAX_LITERALS]; // in order of their codes
} code_book;

static unsigned reverse(unsigned code, int length)
{
    unsigned out = 0;
    for (int i = 0; i < length; i++) {
        out |= (code >> i & 1) << (length - 1 - i);
    }
    return out;
}

/// Makes the book from the length of each symbol's code (0: not used). False when the lengths name more codes than
/// there are, or fewer, except that a single code may stand alone (RFC 1951, 3.2.7).
static bool build(code_book *book, const uint8_t *lengths, int count)
{
    memset(book, 0, sizeof *book);
    for (int i = 0; i < count; i++) {
        book->counts[lengths[i]]++;
    }
    int used = count - book->counts[0];
    book->counts[0] = 0;
    int left = 1;
    unsigned codes[MAX_BITS + 1] = { 0 }; // next code of each length
    uint16_t places[MAX_BITS + 1] = { 0 };
    for (int bits = 1; bits <= MAX_BITS; bits++) {
        left = left * 2 - book->counts[bits];
        if (left < 0) {
            return false;
        }
        codes[bits] = (codes[bits - 1] + book->counts[bits - 1]) << 1;
        places[bits] = (uint16_t)(places[bits - 1] + book->counts[bits - 1]);
    }
    if (left > 0 && !(used == 0 || (used == 1 && book->counts[1] == 1))) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        int length = lengths[i];
        if (length == 0) {
            continue;
        }
        book->symbols[places[length]++] = (uint16_t)i;
        unsigned code = codes[length]++;
        for (unsigned at = reverse(code, length); length <= FAST_BITS && at < 1 << FAST_BITS; at += 1u << length) {
            book->fast[at] = (uint16_t)(i * 16 + length);
        }
    }
    return true;
}

/// The next symbol, or -1 when the bits are no code.
static int decode(bit_reader *in, const code_book *book)
{
    refill(in);
    unsigned entry = book->fast[in->bits & ((1 << FAST_BITS) - 1)];
    if (entry) {
        drop(in, entry & 15);
        return (int)(entry >> 4);
    }
    int code = 0, first = 0, index = 0;
    uint64_t bits = in->bits;
    for (int length = 1; length <= MAX_BITS; length++) {
        code |= (int)(bits & 1);
        bits >>= 1;
        int count = book->counts[length];
        if (code - first < count) {
            drop(in, length);
            return book->symbols[index + code - first];
        }
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return -1;
}

// ---------------------------------------------------------------------------------------------
// Blocks

typedef struct inflater {
    bit_reader in;
    uint8_t *out;
    size_t out_size;
    size_t at;
    am_error *err;
} inflater;

static am_result fail(inflater *z, am_result code, const char *what)
{
    if (z->in.ended) {
        code = AM_ERR_TRUNCATED;
        what = "compressed data ends early; the file is cut off";
    }
    return ami_fail_at(z->err, code, NULL, (int64_t)z->in.at, "%s", what);
}

static am_result copy_stored(inflater *z)
{
    drop(&z->in, z->in.have % 8);
    unsigned length = take(&z->in, 16);
    unsigned check = take(&z->in, 16);
    if (z->in.ended || (length ^ check) != 0xFFFF) {
        return fail(z, AM_ERR_FORMAT, "a stored block whose length and its check differ");
    }
    if (length > z->out_size - z->at) {
        return fail(z, AM_ERR_FORMAT, "compressed data gives more bytes than the file says");
    }
    for (unsigned i = 0; i < length && !z->in.ended; i++) {
        z->out[z->at++] = (uint8_t)take(&z->in, 8);
    }
    return z->in.ended ? fail(z, AM_ERR_TRUNCATED, "") : AM_OK;
}

/// A match: `symbol` says its length, the next code how far back it lies.
static am_result copy_match(inflater *z, int symbol, const code_book *distances)
{
    static const uint16_t length_base[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                              31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint8_t length_extra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    static const uint16_t far_base[30] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    static const uint8_t far_extra[30] = { 0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13 };
    int kind = symbol - 257;
    if (kind >= 29) {
        return fail(z, AM_ERR_FORMAT, "compressed data with a length that deflate does not have");
    }
    size_t length = length_base[kind] + take(&z->in, length_extra[kind]);
    int far = decode(&z->in, distances);
    if (far < 0 || far >= MAX_DISTANCES) {
        return fail(z, AM_ERR_FORMAT, "compressed data with a distance that deflate does not have");
    }
    size_t distance = far_base[far] + take(&z->in, far_extra[far]);
    if (z->in.ended || distance > z->at) {
        return fail(z, AM_ERR_FORMAT, "compressed data refers to bytes before its beginning");
    }
    if (length > z->out_size - z->at) {
        return fail(z, AM_ERR_FORMAT, "compressed data gives more bytes than the file says");
    }
    for (size_t i = 0; i < length; i++, z->at++) {
        z->out[z->at] = z->out[z->at - distance]; // byte by byte: a match may overlap itself
    }
    return AM_OK;
}

static am_result copy_block(inflater *z, const code_book *literals, const code_book *distances)
{
    for (;;) {
        int symbol = decode(&z->in, literals);
        if (symbol < 0 || z->in.ended) {
            return fail(z, AM_ERR_FORMAT, "compressed data with bits that are no code");
        }
        if (symbol == 256) {
            return AM_OK;
        }
        if (symbol > 256) {
            am_result result = copy_match(z, symbol, distances);
            if (result != AM_OK) {
                return result;
            }
        } else if (z->at == z->out_size) {
            return fail(z, AM_ERR_FORMAT, "compressed data gives more bytes than the file says");
        } else {
            z->out[z->at++] = (uint8_t)symbol;
        }
    }
}

static void fixed_books(code_book *literals, code_book *distances)
{
    uint8_t lengths[MAX_LITERALS];
    for (int i = 0; i < MAX_LITERALS; i++) {
        lengths[i] = (uint8_t)(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    }
    build(literals, lengths, MAX_LITERALS);
    memset(lengths, 5, 32); // 30 and 31 never occur, but complete the code
    build(distances, lengths, 32);
}

/// Reads the run-length coded code lengths of a dynamic block.
static am_result read_lengths(inflater *z, uint8_t *lengths, int total, const code_book *coder)
{
    int count = 0;
    while (count < total) {
        int symbol = decode(&z->in, coder);
        if (symbol < 0 || z->in.ended) {
            return fail(z, AM_ERR_FORMAT, "compressed data with bits that are no code");
        }
        if (symbol < 16) {
            lengths[count++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && count == 0) {
            return fail(z, AM_ERR_FORMAT, "compressed data repeats a code length before the first one");
        }
        uint8_t value = symbol == 16 ? lengths[count - 1] : 0;
        unsigned repeat = symbol == 16   ? 3 + take(&z->in, 2)
                          : symbol == 17 ? 3 + take(&z->in, 3)
                                         : 11 + take(&z->in, 7);
        if (repeat > (unsigned)(total - count)) {
            return fail(z, AM_ERR_FORMAT, "compressed data names more codes than it counts");
        }
        memset(lengths + count, value, repeat);
        count += (int)repeat;
    }
    return AM_OK;
}

static am_result dynamic_books(inflater *z, code_book *literals, code_book *distances)
{
    static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    int literal_count = (int)take(&z->in, 5) + 257;
    int distance_count = (int)take(&z->in, 5) + 1;
    int coder_count = (int)take(&z->in, 4) + 4;
    uint8_t lengths[MAX_LITERALS + 32] = { 0 };
    if (literal_count > 286 || distance_count > MAX_DISTANCES) {
        return fail(z, AM_ERR_FORMAT, "compressed data names more codes than deflate has");
    }
    for (int i = 0; i < coder_count; i++) {
        lengths[order[i]] = (uint8_t)take(&z->in, 3);
    }
    if (z->in.ended || !build(literals, lengths, 19)) {
        return fail(z, AM_ERR_FORMAT, "compressed data with code lengths that fit no code");
    }
    memset(lengths, 0, 19);
    am_result result = read_lengths(z, lengths, literal_count + distance_count, literals);
    if (result != AM_OK) {
        return result;
    }
    if (lengths[256] == 0 || !build(literals, lengths, literal_count) ||
        !build(distances, lengths + literal_count, distance_count)) {
        return fail(z, AM_ERR_FORMAT, "compressed data with code lengths that fit no code");
    }
    return AM_OK;
}

am_result ami_inflate(uint8_t *out, size_t out_size, const uint8_t *data, size_t size, am_error *err)
{
    inflater z = { .in = { .data = data, .size = size }, .out = out, .out_size = out_size, .err = err };
    bool last = false;
    while (!last) {
        last = take(&z.in, 1);
        unsigned kind = take(&z.in, 2);
        am_result result = AM_OK;
        code_book literals = { 0 }, distances = { 0 };
        if (z.in.ended || kind == 3) {
            return fail(&z, AM_ERR_FORMAT, "compressed data with a block of no known kind");
        }
        if (kind == 0) {
            result = copy_stored(&z);
        } else {
            if (kind == 1) {
                fixed_books(&literals, &distances);
            } else {
                result = dynamic_books(&z, &literals, &distances);
            }
            result = result == AM_OK ? copy_block(&z, &literals, &distances) : result;
        }
        if (result != AM_OK) {
            return result;
        }
    }
    return z.at == out_size ? AM_OK : fail(&z, AM_ERR_FORMAT, "compressed data gives fewer bytes than the file says");
}

// ---------------------------------------------------------------------------------------------
// CRC-32

uint32_t ami_crc32(const uint8_t *data, size_t size)
{
    // Four bits at a time: 16 constants instead of a table of 256 that would have to be made or kept.
    static const uint32_t table[16] = { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C };
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
