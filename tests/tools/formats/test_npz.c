// NPZ written and read back, exchanged with NumPy both ways, and refused where it is damaged or does not fit.
#include "support/check.h"
#include "support/motion.h"
#include "support/refuse.h"

#include "base/bytes.h"
#include "formats/npy.h"
#include "formats/zip.h"

static am_bytes write_npz(const am_clip *const *clips, int count, const uint8_t *contacts)
{
    am_write_def def = am_write_def_default();
    def.contacts = contacts;
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_npz_write(&bytes, clips, count, &def, &err), &err);
    return bytes;
}

static am_clips read_npz(const void *data, size_t size)
{
    am_read_def def = am_read_def_default();
    def.file = "a/motion.npz";
    am_clips clips;
    am_error err = { 0 };
    check_ok(am_npz_read(&clips, data, size, &def, &err), &err);
    return clips;
}

static void clips_come_back_bit_for_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        am_clip *clips[2] = { test_random_clip(seed, 1 + (int)seed * 4, 7, 60.0f),
                              test_random_clip(seed, 1 + (int)seed * 4, (int)seed % 4, 60.0f) };
        am_bytes bytes = write_npz((const am_clip *const *)clips, 2, NULL);
        am_clips back = read_npz(bytes.data, bytes.size);
        assert_int_equal(back.count, 2);
        for (int i = 0; i < 2; i++) {
            assert_true(am_clip_hash(clips[i]) == am_clip_hash(back.items[i]));
            am_clip_destroy(clips[i]);
        }
        am_clips_free(&back);
        am_bytes_free(&bytes);
    }
}

static void names_of_any_script_come_back(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(3, 4, 2, 30.0f);
    const char hip[] = "H\xC3\xBC"
                       "fte"; // in two pieces: f would go on with the escape
    const char *const names[4] = { hip, "\xE8\x85\xB0", "\xF0\x9F\xA6\xB5", "x" };
    am_clip_def def = am_clip_def_like(clip);
    def.names = names;
    def.frame_count = 2;
    def.name = "\xE6\xAD\xA9";
    am_clip *named = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&named, &def, &err), &err);
    am_bytes bytes = write_npz((const am_clip *const *)&named, 1, NULL);
    am_clips back = read_npz(bytes.data, bytes.size);
    for (int j = 0; j < 4; j++) {
        assert_string_equal(back.items[0]->skeleton->names[j], names[j]);
    }
    assert_string_equal(back.items[0]->name, "\xE6\xAD\xA9");
    am_clips_free(&back);
    am_bytes_free(&bytes);
    am_clip_destroy(named);
    am_clip_destroy(clip);
}

// ---------------------------------------------------------------------------------------------
// NumPy

static bool have_numpy(void)
{
    if (test_shell(NULL, 0, "/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0) {
        return true;
    }
    printf("SKIPPED: /usr/bin/python3 has no numpy (install python3-numpy)\n");
    return false;
}

static void numpy_loads_what_amble_writes(void **state)
{
    (void)state;
    if (!have_numpy()) {
        skip();
    }
    char path[1200];
    snprintf(path, sizeof path, "%s/out.npz", test_temp_dir("npz_out"));
    am_clip *clips[2] = { test_random_clip(4, 6, 5, 60.0f), test_random_clip(4, 6, 3, 60.0f) };
    const uint8_t contacts[8] = { 0, 1, 2, 3, 3, 2, 1, 0 };
    am_bytes bytes = write_npz((const am_clip *const *)clips, 2, contacts);
    am_error err = { 0 };
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_quat q = clips[1]->rotations[2 * 6 + 3];
    am_vec3 p = clips[1]->translations[1];
    char out[400];
    int status =
        test_shell(out, sizeof out,
                   "/usr/bin/python3 -c \"\n"
                   "import numpy as np\n"
                   "d = np.load('%s')\n"
                   "assert d['positions'].shape == (8, 6, 3) and d['positions'].dtype == np.float32\n"
                   "assert d['rotations'].shape == (8, 6, 4)\n"
                   "assert list(d['names']) == ['joint%%d' %% i for i in range(6)]\n"
                   "assert d['parents'][0] == -1 and d['parents'].dtype == np.int32\n"
                   "assert list(d['range_starts']) == [0, 5] and list(d['range_stops']) == [5, 8]\n"
                   "assert d['contacts'].tolist() == [[0,0],[1,0],[0,1],[1,1],[1,1],[0,1],[1,0],[0,0]]\n"
                   "assert d['fps'] == 60 and d['fps'].shape == ()\n"
                   "q = d['rotations'][7, 3]; p = d['positions'][6, 0]\n"
                   "assert np.array_equal(q, np.float32([%.9g, %.9g, %.9g, %.9g])), q\n"
                   "assert np.array_equal(p, np.float32([%.9g, %.9g, %.9g])), p\n"
                   "print('fine')\n"
                   "\" 2>&1",
                   path, (double)q.w, (double)q.x, (double)q.y, (double)q.z, (double)p.x, (double)p.y, (double)p.z);
    if (status != 0) {
        fail_msg("%s", out);
    }
    am_bytes_free(&bytes);
    am_clip_destroy(clips[0]);
    am_clip_destroy(clips[1]);
}

static void amble_loads_what_numpy_writes(void **state)
{
    (void)state;
    if (!have_numpy()) {
        skip();
    }
    char folder[1000];
    snprintf(folder, sizeof folder, "%s", test_temp_dir("npz_in"));
    char out[400];
    int status = test_shell(
        out, sizeof out,
        "cd '%s' && /usr/bin/python3 -c \"\n"
        "import numpy as np\n"
        "f, j = 400, 5\n"
        "t = np.arange(f)[:, None] / 50\n"
        "r = np.zeros((f, j, 4)); a = 0.3 * np.sin(t + np.arange(j)); r[..., 0] = np.cos(a); r[..., 2] = np.sin(a)\n"
        "p = np.zeros((f, j, 3)); p[:, 1:, 1] = 0.5; p[:, 0, 2] = t[:, 0]; p[200:, 4, 0] = 0.25\n"
        "full = dict(rotations=r, positions=p, parents=np.array([-1, 0, 1, 2, 1]), fps=50.0,\n"
        "    names=np.array(['hips', 'chest', 'neck', 'head', 'arm']), range_starts=np.array([0, 200]), "
        "range_stops=np.array([200, 400]))\n"
        "np.savez('plain.npz', **full)\n"
        "np.savez_compressed('packed.npz', **full)\n"
        "np.savez_compressed('small.npz', rotations=r.astype('f4'), parents=full['parents'].astype('i2'), "
        "offsets=p[0])\n"
        "np.savez('fortran.npz', **dict(full, rotations=np.asfortranarray(r)))\n"
        "np.savez('complex.npz', **dict(full, rotations=r.astype('c8')))\n"
        "\" 2>&1",
        folder);
    if (status != 0) {
        fail_msg("%s", out);
    }
    const char *const files[2] = { "plain", "packed" };
    for (int i = 0; i < 2; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s.npz", folder, files[i]);
        size_t size = 0;
        char *data = test_read_file(path, &size);
        am_clips clips = read_npz(data, size);
        assert_int_equal(clips.count, 2);
        assert_int_equal(clips.items[0]->frame_count, 200);
        assert_int_equal(clips.items[0]->moving_count, 1); // the arm moves in the second range only, by its offset
        assert_int_equal(clips.items[1]->moving_count, 2);
        assert_true(clips.items[0]->fps == 50.0f);
        assert_string_equal(clips.items[1]->skeleton->names[3], "head");
        check_near(clips.items[1]->translations[1 * 2].z, 201.0 / 50.0, 1e-5);
        check_near(clips.items[0]->rotations[10 * 5 + 2].y, sin(0.3 * sin(10.0 / 50.0 + 2.0)), 1e-6);
        am_clips_free(&clips);
        free(data);
    }
    const struct {
        const char *file;
        am_result code;
    } others[] = { { "small", AM_OK }, { "fortran", AM_ERR_SUPPORT }, { "complex", AM_ERR_SUPPORT } };
    for (int i = 0; i < 3; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s.npz", folder, others[i].file);
        am_read_def def = am_read_def_default();
        am_clips clips;
        am_error err = { 0 };
        check_refused(am_motion_read_file(&clips, path, &def, &err), others[i].code);
        if (i == 0) {
            assert_true(clips.items[0]->fps == 60.0f);
            assert_string_equal(clips.items[0]->skeleton->names[4], "joint_4");
            assert_string_equal(clips.items[0]->name, "small");
        }
        am_clips_free(&clips);
    }
}

// ---------------------------------------------------------------------------------------------
// Archives by hand

/// A two-joint, three-frame archive whose arrays tests replace or leave out.
typedef struct made {
    ami_zip_writer zip;
    const char *without; // name of an array to leave out
    const char *instead; // name of one to replace by `other`
    am_bytes other;
    am_bytes array;
} made;

static void add(made *m, const char *name)
{
    if (!m->without || strcmp(m->without, name) != 0) {
        bool replace = m->instead && strcmp(m->instead, name) == 0;
        ami_zip_add(&m->zip, name, replace ? &m->other : &m->array);
    }
    m->array.size = 0;
}

static void put_array(am_bytes *out, const char *descr, const size_t *shape, int dims, const void *data, size_t size)
{
    assert_true(ami_npy_begin(out, descr, shape, dims) && ami_put(out, data, size));
}

static am_bytes finish(made *m)
{
    const float rotations[24] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0 };
    const float positions[18] = { 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1 };
    const int32_t parents[2] = { -1, 0 };
    const float offsets[6] = { 0, 1, 0, 0, 0, 1 };
    const uint8_t names[2 * 2 * 4] = { 'a', 0, 0, 0, 0, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0 };
    const int32_t starts[2] = { 0, 1 }, stops[2] = { 1, 3 };
    const float fps = 24.0f;
    put_array(&m->array, "<f4", (size_t[]){ 3, 2, 4 }, 3, rotations, sizeof rotations);
    add(m, "rotations.npy");
    put_array(&m->array, "<f4", (size_t[]){ 3, 2, 3 }, 3, positions, sizeof positions);
    add(m, "positions.npy");
    put_array(&m->array, "<i4", (size_t[]){ 2 }, 1, parents, sizeof parents);
    add(m, "parents.npy");
    put_array(&m->array, "<f4", (size_t[]){ 2, 3 }, 2, offsets, sizeof offsets);
    add(m, "offsets.npy");
    put_array(&m->array, "<U2", (size_t[]){ 2 }, 1, names, sizeof names);
    add(m, "names.npy");
    put_array(&m->array, "<i4", (size_t[]){ 2 }, 1, starts, sizeof starts);
    add(m, "range_starts.npy");
    put_array(&m->array, "<i4", (size_t[]){ 2 }, 1, stops, sizeof stops);
    add(m, "range_stops.npy");
    put_array(&m->array, "<f4", NULL, 0, &fps, sizeof fps);
    add(m, "fps.npy");
    assert_true(ami_zip_end(&m->zip));
    am_bytes_free(&m->array);
    am_bytes_free(&m->other);
    return m->zip.out;
}

static made begin(void)
{
    made m = { 0 };
    m.zip.out = ami_bytes_make(NULL);
    m.array = ami_bytes_make(NULL);
    m.other = ami_bytes_make(NULL);
    return m;
}

static void an_archive_made_by_hand_is_read(void **state)
{
    (void)state;
    made m = begin();
    am_bytes bytes = finish(&m);
    am_clips clips = read_npz(bytes.data, bytes.size);
    assert_int_equal(clips.count, 2);
    assert_int_equal(clips.items[1]->frame_count, 2);
    assert_string_equal(clips.items[0]->skeleton->names[1], "a_2"); // names are made to differ
    assert_string_equal(clips.items[0]->name, "motion");
    assert_true(clips.items[0]->fps == 24.0f);
    check_near(clips.items[1]->rotations[3].y, 1.0f, 0.0f); // brought to unit length
    check_near(clips.items[1]->translations[1].y, 3.0f, 0.0f);
    am_clips_free(&clips);
    am_bytes_free(&bytes);
}

static am_result read_code(am_bytes *bytes, am_error *err)
{
    am_read_def def = am_read_def_default();
    def.file = "hand.npz";
    am_clips clips;
    am_result result = am_npz_read(&clips, bytes->data, bytes->size, &def, err);
    am_clips_free(&clips);
    am_bytes_free(bytes);
    return refuse_checked(result, err);
}

static void arrays_that_may_be_missing_may_be_missing(void **state)
{
    (void)state;
    const struct {
        const char *array;
        am_result code;
    } cases[] = { { "rotations.npy", AM_ERR_KEY },   { "positions.npy", AM_OK }, { "parents.npy", AM_ERR_KEY },
                  { "offsets.npy", AM_OK },          { "names.npy", AM_OK },     { "range_starts.npy", AM_OK },
                  { "range_stops.npy", AM_ERR_KEY }, { "fps.npy", AM_OK } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = begin();
        m.without = cases[i].array;
        am_bytes bytes = finish(&m);
        am_error err = { 0 };
        check_refused(read_code(&bytes, &err), cases[i].code);
    }
}

static void arrays_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const float f[24] = { NAN, 1, 0, 0, 0, 0, 1, 0 };
    const int32_t n[4] = { 0, 5, -7, 2 };
    const float zero[24] = { 0 };
    const struct {
        const char *array, *descr;
        size_t shape[3];
        int dims;
        const void *data;
        size_t size;
        am_result code;
    } cases[] = {
        { "rotations.npy", "<f4", { 3, 2, 3 }, 3, f, 72, AM_ERR_RANGE },
        { "rotations.npy", "<f4", { 3, 8 }, 2, f, 96, AM_ERR_RANGE },
        { "rotations.npy", "<f4", { 3, 2, 4 }, 3, f, 96, AM_ERR_NUMBER },
        { "rotations.npy", "<f4", { 3, 2, 4 }, 3, f, 60, AM_ERR_TRUNCATED },
        { "rotations.npy", "<f4", { 3, 0, 4 }, 3, f, 0, AM_ERR_LIMIT },
        { "rotations.npy", ">f4", { 3, 2, 4 }, 3, f, 96, AM_ERR_SUPPORT },
        { "rotations.npy", "<U1", { 3, 2, 4 }, 3, zero, 96, AM_ERR_TYPE },
        { "positions.npy", "<f4", { 2, 2, 3 }, 3, f, 48, AM_ERR_RANGE },
        { "positions.npy", "<f4", { 3, 2, 3 }, 3, f, 72, AM_ERR_NUMBER },
        { "parents.npy", "<i4", { 2 }, 1, n, 8, AM_ERR_RANGE },
        { "parents.npy", "<i4", { 3 }, 1, n, 12, AM_ERR_RANGE },
        { "offsets.npy", "<f4", { 2, 3 }, 2, f, 24, AM_ERR_NUMBER },
        { "names.npy", "<i4", { 2 }, 1, n, 8, AM_ERR_TYPE },
        { "range_starts.npy", "<i4", { 2 }, 1, n, 8, AM_ERR_RANGE },
        { "range_stops.npy", "<i4", { 2 }, 1, n, 8, AM_ERR_RANGE },
        { "range_stops.npy", "<i4", { 3 }, 1, n, 12, AM_ERR_RANGE },
        { "fps.npy", "<f4", { 0 }, 0, f, 4, AM_ERR_RANGE },
        { "fps.npy", "<i4", { 1 }, 1, n, 4, AM_ERR_RANGE },
        { "fps.npy", "<f4", { 2 }, 1, f, 8, AM_ERR_RANGE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = begin();
        m.instead = cases[i].array;
        put_array(&m.other, cases[i].descr, cases[i].shape, cases[i].dims, cases[i].data, cases[i].size);
        am_bytes bytes = finish(&m);
        am_error err = { 0 };
        am_result result = read_code(&bytes, &err);
        if (result != cases[i].code) {
            fail_msg("case %zu (%s): %s (%s)", i, cases[i].array, am_result_name(result), err.text);
        }
    }
}

static void ranges_that_ask_for_too_much_are_refused(void **state)
{
    (void)state;
    int32_t starts[20], stops[20];
    for (int i = 0; i < 20; i++) {
        starts[i] = 0;
        stops[i] = 3;
    }
    made m = begin();
    m.without = "range_starts.npy";
    m.instead = "range_stops.npy";
    put_array(&m.other, "<i4", (size_t[]){ 20 }, 1, stops, sizeof stops);
    put_array(&m.array, "<i4", (size_t[]){ 20 }, 1, starts, sizeof starts);
    ami_zip_add(&m.zip, "range_starts.npy", &m.array);
    m.array.size = 0;
    m.without = NULL;
    am_bytes bytes = finish(&m); // the first range_starts counts
    am_error err = { 0 };
    check_refused(read_code(&bytes, &err), AM_ERR_LIMIT);
}

/// Reads a .npy whose header is `text`, of the given version.
static am_result parse_header(const char *text, int version, ami_npy *out, am_error *err)
{
    am_bytes bytes = ami_bytes_make(NULL);
    size_t size = strlen(text);
    bool ok = ami_put(&bytes, "\x93NUMPY", 6) && ami_put_u8(&bytes, (uint8_t)version) && ami_put_u8(&bytes, 0) &&
              (version == 1 ? ami_put_u16(&bytes, (uint16_t)size) : ami_put_u32(&bytes, (uint32_t)size)) &&
              ami_put(&bytes, text, size) && ami_put_zeros(&bytes, 64);
    assert_true(ok);
    am_result result = ami_npy_parse(out, bytes.data, bytes.size, "x", err);
    am_bytes_free(&bytes);
    return result;
}

static void headers_of_all_versions_are_read(void **state)
{
    (void)state;
    ami_npy array;
    am_error err = { 0 };
    check_ok(parse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 1, &array, &err), &err);
    assert_int_equal(array.count, 6);
    check_ok(parse_header("{\"shape\": (4,), \"descr\": \"|b1\", \"fortran_order\": True}   \n", 2, &array, &err),
             &err);
    assert_int_equal(array.count, 4);
    check_ok(parse_header("{'descr':'<i8','fortran_order':False,'shape':()}", 3, &array, &err), &err);
    assert_int_equal(array.count, 1);
    const struct {
        const char *text;
        int version;
        am_result code;
    } bad[] = { { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 9, AM_ERR_VERSION },
                { "{'descr': '<f4', 'fortran_order': False}", 1, AM_ERR_SYNTAX },
                { "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 1, AM_ERR_SYNTAX },
                { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, x)}", 1, AM_ERR_SYNTAX },
                { "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1)}", 1, AM_ERR_SYNTAX },
                { "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 1, AM_ERR_SYNTAX },
                { "{'descr': '<f4', 'fortran_order': False, 'colour': 3}", 1, AM_ERR_SYNTAX },
                { "{'descr: '<f4'", 1, AM_ERR_SYNTAX },
                { "", 1, AM_ERR_SYNTAX },
                { "{'descr': '<U', 'fortran_order': False, 'shape': ()}", 1, AM_ERR_SUPPORT },
                { "{'descr': '<U7x', 'fortran_order': False, 'shape': ()}", 1, AM_ERR_SUPPORT },
                { "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 1, AM_ERR_SUPPORT },
                { "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999, 999999999999)}", 1,
                  AM_ERR_LIMIT },
                { "{'descr': '<f4', 'fortran_order': False, 'shape': (17,)}", 1, AM_ERR_TRUNCATED } };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_refused(parse_header(bad[i].text, bad[i].version, &array, &err), bad[i].code);
    }
    check_refused(ami_npy_parse(&array, (const uint8_t *)"NUMPY", 5, "x", &err), AM_ERR_FORMAT);
    check_refused(ami_npy_parse(&array, (const uint8_t *)"\x93NUMPY\1\0\xff\xff", 10, "x", &err), AM_ERR_TRUNCATED);
}

static void numbers_of_all_types_are_read(void **state)
{
    (void)state;
    const uint8_t raw[8] = { 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    const struct {
        char kind;
        size_t size;
        double value;
    } types[] = { { 'i', 1, -2 }, { 'i', 2, -2 }, { 'i', 4, -2 }, { 'i', 8, -2 }, { 'u', 1, 254 }, { 'b', 1, 254 } };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        ami_npy array = { .kind = types[i].kind, .item_size = types[i].size, .data = raw };
        check_near(ami_npy_number(&array, 0), types[i].value, 0.0);
    }
}

static void zips_with_other_things_inside_are_refused(void **state)
{
    (void)state;
    made m = begin();
    am_bytes good = finish(&m);
    const size_t end = good.size - 22; // the end record; the directory begins where it says
    size_t directory = (size_t)good.data[end + 16] | (size_t)good.data[end + 17] << 8;
    const struct {
        size_t at;
        uint8_t value;
        am_result code;
    } cases[] = {
        { end, 'X', AM_ERR_TRUNCATED },            // no end record
        { end + 11, 40, AM_ERR_FORMAT },           // more entries than there is room for
        { directory, 'X', AM_ERR_FORMAT },         // no entry there
        { directory + 8, 1, AM_ERR_SUPPORT },      // encrypted
        { directory + 10, 12, AM_ERR_SUPPORT },    // bzip2
        { directory + 10, 8, AM_ERR_FORMAT },      // deflated, it says
        { directory + 16, 0x55, AM_ERR_CHECKSUM }, // crc
        { directory + 43, 0x55, AM_ERR_FORMAT },   // local header elsewhere
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_bytes copy = ami_bytes_make(NULL);
        assert_true(ami_put(&copy, good.data, good.size));
        copy.data[cases[i].at] = cases[i].value;
        am_error err = { 0 };
        am_result result = read_code(&copy, &err);
        if (result != cases[i].code) {
            fail_msg("case %zu: %s (%s)", i, am_result_name(result), err.text);
        }
    }
    for (int field = 0; field < 3; field++) { // sizes and places of 4 GB: zip64
        static const size_t fields[3] = { 20, 24, 42 };
        am_bytes copy = ami_bytes_make(NULL);
        assert_true(ami_put(&copy, good.data, good.size));
        memset(copy.data + directory + fields[field], 0xFF, 4);
        am_error err = { 0 };
        check_refused(read_code(&copy, &err), AM_ERR_SUPPORT);
    }
    am_bytes_free(&good);
}

// ---------------------------------------------------------------------------------------------
// Refusals

static am_result read_for_refusal(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_read_def def = am_read_def_default();
    def.alloc = alloc;
    am_clips clips;
    am_error err = { 0 };
    am_result result = am_npz_read(&clips, data, size, &def, &err);
    am_clips_free(&clips);
    return refuse_checked(result, &err);
}

static void damaged_files_are_refused_without_a_trace(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(6, 3, 4, 60.0f);
    am_bytes bytes = write_npz((const am_clip *const *)&clip, 1, NULL);
    refuse_counts counts = refuse_loop(read_for_refusal, NULL, bytes.data, bytes.size, NULL);
    assert_true(counts.refused_truncations > 500);
    assert_true(counts.refused_flips > 500);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void the_writer_survives_every_failed_allocation(void **state)
{
    (void)state;
    test_failing_writer(am_npz_write);
}

static void the_writer_refuses_what_does_not_go_together(void **state)
{
    (void)state;
    am_clip *clips[2] = { test_random_clip(1, 5, 4, 60.0f), test_random_clip(1, 5, 4, 30.0f) };
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    check_refused(am_npz_write(&bytes, (const am_clip *const *)clips, 2, &def, &err), AM_ERR_RANGE);
    check_refused(am_npz_write(&bytes, (const am_clip *const *)clips, 0, &def, &err), AM_ERR_EMPTY);
    def.cookie = 0;
    check_refused(am_npz_write(&bytes, (const am_clip *const *)clips, 1, &def, &err), AM_ERR_DEF);
    am_read_def read = am_read_def_default();
    read.max_frames = 3;
    def = am_write_def_default();
    check_ok(am_npz_write(&bytes, (const am_clip *const *)clips, 1, &def, &err), &err);
    am_clips back;
    check_refused(am_npz_read(&back, bytes.data, bytes.size, &read, &err), AM_ERR_LIMIT);
    read.cookie = 0;
    check_refused(am_npz_read(&back, bytes.data, bytes.size, &read, &err), AM_ERR_DEF);
    am_bytes_free(&bytes);
    am_clip_destroy(clips[0]);
    am_clip_destroy(clips[1]);
}

TEST_SUITE(npz)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_come_back_bit_for_bit),
        cmocka_unit_test(names_of_any_script_come_back),
        cmocka_unit_test(numpy_loads_what_amble_writes),
        cmocka_unit_test(amble_loads_what_numpy_writes),
        cmocka_unit_test(an_archive_made_by_hand_is_read),
        cmocka_unit_test(arrays_that_may_be_missing_may_be_missing),
        cmocka_unit_test(arrays_that_do_not_fit_are_refused),
        cmocka_unit_test(ranges_that_ask_for_too_much_are_refused),
        cmocka_unit_test(headers_of_all_versions_are_read),
        cmocka_unit_test(numbers_of_all_types_are_read),
        cmocka_unit_test(zips_with_other_things_inside_are_refused),
        cmocka_unit_test(damaged_files_are_refused_without_a_trace),
        cmocka_unit_test(the_writer_survives_every_failed_allocation),
        cmocka_unit_test(the_writer_refuses_what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
