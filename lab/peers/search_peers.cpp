// The peers of `amble bench search`: FLANN, nanoflann, ANN and FAISS, those that were installed at build time. One
// line on stdin is one command, one line on stdout its answer:
//   load FILE               frames and questions (see read_all); answers the names of the peers
//   run NAME SET K MIB OUT  asks peer NAME all questions of a set one by one; writes to OUT the microseconds of each
//                           question (double) and the frames found (int32); answers the mean microseconds. Before
//                           each question so many MiB are read, which pushes all else out of the caches.
// All on one thread, without approximation.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#ifdef HAS_FLANN
#include <flann/flann.hpp>
#endif
#ifdef HAS_NANOFLANN
#include <nanoflann.hpp>
#endif
#ifdef HAS_ANN
#include <ANN/ANN.h>
#endif
#ifdef HAS_FAISS
#include <faiss/IndexFlat.h>
#include <omp.h>
#endif

namespace
{

struct Data {
    int dims = 0, frames = 0, questions = 0, sets = 0;
    std::vector<float> x, asked; // [frame][dims], [set][question][dims]

    // nanoflann looks at its points through these.
    size_t kdtree_get_point_count() const { return (size_t)frames; }
    float kdtree_get_pt(size_t frame, size_t dim) const { return x[frame * (size_t)dims + dim]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

struct Peer {
    virtual ~Peer() = default;
    // found(k): frames, nearest first.
    virtual void search(const float *question, int k, int32_t *found) = 0;
};

#ifdef HAS_FLANN
struct Flann : Peer {
    flann::Index<flann::L2<float>> index;
    flann::SearchParams params{ flann::FLANN_CHECKS_UNLIMITED, 0.0f, true };
    int dims;
    std::vector<float> distances = std::vector<float>(64);
    std::vector<size_t> frames = std::vector<size_t>(64);
    explicit Flann(Data &data)
        : index(flann::Matrix<float>(data.x.data(), (size_t)data.frames, (size_t)data.dims),
                flann::KDTreeSingleIndexParams()),
          dims(data.dims)
    {
        params.cores = 1;
        index.buildIndex();
    }
    void search(const float *question, int k, int32_t *found) override
    {
        flann::Matrix<float> query(const_cast<float *>(question), 1, (size_t)dims);
        flann::Matrix<size_t> to(frames.data(), 1, (size_t)k);
        flann::Matrix<float> costs(distances.data(), 1, (size_t)k);
        index.knnSearch(query, to, costs, (size_t)k, params);
        for (int i = 0; i < k; i++) {
            found[i] = (int32_t)frames[(size_t)i];
        }
    }
};
#endif

#ifdef HAS_NANOFLANN
struct Nanoflann : Peer {
    using Metric = nanoflann::L2_Adaptor<float, Data>;
    nanoflann::KDTreeSingleIndexAdaptor<Metric, Data, -1, uint32_t> index;
    std::vector<uint32_t> frames = std::vector<uint32_t>(64);
    std::vector<float> distances = std::vector<float>(64);
    explicit Nanoflann(Data &data) : index(data.dims, data, nanoflann::KDTreeSingleIndexAdaptorParams(10))
    {
        index.buildIndex();
    }
    void search(const float *question, int k, int32_t *found) override
    {
        index.knnSearch(question, (size_t)k, frames.data(), distances.data());
        for (int i = 0; i < k; i++) {
            found[i] = (int32_t)frames[(size_t)i];
        }
    }
};
#endif

#ifdef HAS_ANN
struct Ann : Peer {
    int dims;
    std::vector<double> points, query;
    std::vector<double *> rows;
    std::vector<ANNidx> frames = std::vector<ANNidx>(64);
    std::vector<ANNdist> distances = std::vector<ANNdist>(64);
    std::unique_ptr<ANNkd_tree> tree;
    explicit Ann(Data &data) : dims(data.dims), points(data.x.begin(), data.x.end()), query((size_t)data.dims)
    {
        for (int i = 0; i < data.frames; i++) {
            rows.push_back(points.data() + (size_t)i * (size_t)dims);
        }
        tree.reset(new ANNkd_tree(rows.data(), data.frames, dims, 8));
    }
    void search(const float *question, int k, int32_t *found) override
    {
        query.assign(question, question + dims);
        tree->annkSearch(query.data(), k, frames.data(), distances.data(), 0.0);
        for (int i = 0; i < k; i++) {
            found[i] = frames[(size_t)i];
        }
    }
};
#endif

#ifdef HAS_FAISS
struct Faiss : Peer {
    faiss::IndexFlatL2 index;
    std::vector<faiss::Index::idx_t> frames = std::vector<faiss::Index::idx_t>(64);
    std::vector<float> distances = std::vector<float>(64);
    explicit Faiss(Data &data) : index(data.dims)
    {
        omp_set_num_threads(1);
        index.add(data.frames, data.x.data());
    }
    void search(const float *question, int k, int32_t *found) override
    {
        index.search(1, question, k, distances.data(), frames.data());
        for (int i = 0; i < k; i++) {
            found[i] = (int32_t)frames[(size_t)i];
        }
    }
};
#endif

std::unique_ptr<Peer> make_peer(const std::string &name, Data &data)
{
#ifdef HAS_FLANN
    if (name == "flann") {
        return std::unique_ptr<Peer>(new Flann(data));
    }
#endif
#ifdef HAS_NANOFLANN
    if (name == "nanoflann") {
        return std::unique_ptr<Peer>(new Nanoflann(data));
    }
#endif
#ifdef HAS_ANN
    if (name == "ann") {
        return std::unique_ptr<Peer>(new Ann(data));
    }
#endif
#ifdef HAS_FAISS
    if (name == "faiss") {
        return std::unique_ptr<Peer>(new Faiss(data));
    }
#endif
    return nullptr;
}

const char *const names[] = { "flann", "nanoflann", "ann", "faiss" };

struct State {
    Data data;
    std::unique_ptr<Peer> peers[4];
    std::vector<char> wash;
    volatile char washed = 0;
};

double clock_us(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

// Four int32 (dims, frames, questions of a set, sets), the frames, the questions. What follows is for others.
bool read_all(Data &data, const char *path)
{
    FILE *file = std::fopen(path, "rb");
    int32_t head[4];
    bool ok = file && std::fread(head, sizeof head, 1, file) == 1;
    if (ok) {
        data.dims = head[0], data.frames = head[1], data.questions = head[2], data.sets = head[3];
        data.x.resize((size_t)data.frames * (size_t)data.dims);
        data.asked.resize((size_t)data.questions * (size_t)data.sets * (size_t)data.dims);
        ok = std::fread(data.x.data(), sizeof(float), data.x.size(), file) == data.x.size() &&
             std::fread(data.asked.data(), sizeof(float), data.asked.size(), file) == data.asked.size();
    }
    if (file) {
        std::fclose(file);
    }
    return ok;
}

// The processor's own time for the whole set; with cold caches the sum of the questions, without the washing.
double ask_all(State &state, Peer &peer, int set, int k, int wash_mib, std::vector<double> &us,
               std::vector<int32_t> &found)
{
    const Data &data = state.data;
    const clockid_t clock = wash_mib > 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    state.wash.resize((size_t)wash_mib << 20, 1);
    double sum = 0.0, begun = clock_us(CLOCK_THREAD_CPUTIME_ID);
    for (int q = 0; q < data.questions; q++) {
        char washed = 0;
        for (size_t i = 0; i < state.wash.size(); i += 64) {
            washed = (char)(washed ^ state.wash[i]);
        }
        state.washed = washed;
        double start = clock_us(clock);
        peer.search(data.asked.data() + (size_t)(set * data.questions + q) * (size_t)data.dims, k,
                    found.data() + (size_t)q * (size_t)k);
        us[(size_t)q] = clock_us(clock) - start;
        sum += us[(size_t)q];
    }
    return (wash_mib > 0 ? sum : clock_us(CLOCK_THREAD_CPUTIME_ID) - begun) / data.questions;
}

std::string run(State &state, const char *line)
{
    char name[32], path[4096];
    int set, k, wash_mib;
    if (std::sscanf(line, "run %31s %d %d %d %4095[^\n]", name, &set, &k, &wash_mib, path) != 5 || set < 0 ||
        set >= state.data.sets || k < 1 || k > 64 || k > state.data.frames || wash_mib < 0) {
        return "error: bad question";
    }
    for (int i = 0; i < 4; i++) {
        if (std::strcmp(names[i], name) != 0) {
            continue;
        }
        if (!state.peers[i]) {
            state.peers[i] = make_peer(name, state.data);
        }
        if (!state.peers[i]) {
            break;
        }
        std::vector<double> us((size_t)state.data.questions);
        std::vector<int32_t> found((size_t)state.data.questions * (size_t)k);
        double mean = ask_all(state, *state.peers[i], set, k, wash_mib, us, found);
        FILE *file = std::fopen(path, "wb");
        bool ok = file && std::fwrite(us.data(), sizeof(double), us.size(), file) == us.size() &&
                  std::fwrite(found.data(), sizeof(int32_t), found.size(), file) == found.size();
        ok = file && std::fclose(file) == 0 && ok;
        return ok ? std::to_string(mean) : "error: cannot write";
    }
    return "error: no such peer";
}

std::string load(State &state, const char *path)
{
    for (auto &peer : state.peers) {
        peer.reset();
    }
    if (!read_all(state.data, path)) {
        return "error: cannot read the frames";
    }
    std::string here = "peers";
#ifdef HAS_FLANN
    here += " flann";
#endif
#ifdef HAS_NANOFLANN
    here += " nanoflann";
#endif
#ifdef HAS_ANN
    here += " ann";
#endif
#ifdef HAS_FAISS
    here += " faiss";
#endif
    return here;
}

} // namespace

int main()
{
    State state;
    char line[8192];
    while (std::fgets(line, sizeof line, stdin)) {
        line[std::strcspn(line, "\n")] = '\0';
        std::string answer = std::strncmp(line, "load ", 5) == 0 ? load(state, line + 5) : run(state, line);
        std::printf("%s\n", answer.c_str());
        std::fflush(stdout);
    }
    return 0;
}
