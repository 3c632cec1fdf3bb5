/// Motion fields (Fields section 3): motion as a flow through the space of poses and velocities.
///
/// A motion state is m = (x, v): a pose and the displacement to the pose one tick (1/30 s) later. A field holds every
/// state of a database with the displacement y that followed it, finds the k states most similar to any state (eq.
/// 1-2), and gives the next state when its neighbours are followed with given weights (eq. 4-6).
///
/// Numbers of a pose x, `pose_count` floats: the translations of the database's moving joints (three each; the first
/// is the hips, relative to the ground root), then the rotations of all joints as four arrays x, y, z, w of `lanes`
/// floats. Joint j is lane[j] of them; joints that count in the metric come first. Numbers of a velocity v,
/// `velocity_count` floats: the step of the ground root (x and z in m and the turn about y in rad, in the root's own
/// frame), the displacements of the moving joints, and the displacement quaternions q with p' = q p, w >= 0, laid out
/// like rotations. Lanes that no joint has hold the identity. World position and yaw are the caller's.
///
/// The root of eq. 1 is the pelvis, as in the paper: its displacement and turn are those of the hips in the world,
/// seen in the frame of the ground root. beta_i is the mean length of the bones that joint i turns (to its children
/// and end sites), in metres; joints without one do not count. Rotations are blended as normalised weighted sums of
/// displacement quaternions: Park et al. (2002) about the identity to the third order, without trigonometry.
#ifndef AMI_METHOD_MOTION_FIELD_H
#define AMI_METHOD_MOTION_FIELD_H

#include <amble/db.h>

#define AMI_FIELD_MAX_K 64 ///< neighbours of a state

/// How a field is made. Start from ami_field_def_default().
typedef struct ami_field_def {
    const am_alloc *alloc; ///< NULL means malloc/free
    const am_tasks *tasks; ///< NULL means serial
    const am_db *db;       ///< borrowed; must outlive the field; with poses
    float fps;             ///< ticks a second desired (default 30): every round(db fps / fps)-th frame is a state
    int k;                 ///< neighbours, 1 to AMI_FIELD_MAX_K (default 15); fewer where there are fewer states
    float delta;           ///< share of the drift correction in 1/30 s, [0, 1) (default 0.1)
    am_vec3 axis;          ///< the vector that rotations are compared by, unit (default (1, 1, 1) / sqrt 3: along no
                           ///< bone of an ordinary rig, so that twists are seen)
    float root_weight;     ///< beta_root of eq. 1, >= 0 (default 0.5)
    float turn_weight;     ///< beta_0 (default 0.5)
    float thin;            ///< states of a range that are nearer than this to the last one that was taken are left
                           ///< out (default 0: none). A standing character fills all k neighbours with one pose, and
                           ///< no action leads away; 0.05 leaves walking as it is, at 30 ticks a second
    const char *kernels;   ///< name of an instruction set for tests; NULL means the best
    uint32_t cookie;
} ami_field_def;
ami_field_def ami_field_def_default(void);

/// A field. Read it, do not write it.
typedef struct ami_field {
    const am_db *db;
    int state_count;
    int k;
    int joint_count;
    int lanes;          ///< floats of each of the four arrays of rotations, a multiple of 8
    int bones;          ///< number of joints that count in the metric: the first lanes
    int pose_count;     ///< floats of a pose
    int velocity_count; ///< floats of a velocity
    int dims, stride;   ///< of a row of the embedding; the padding is zero
    float fps;          ///< ticks a second
    float delta;        ///< share of the drift correction in one tick
    am_vec3 axis;
    float root_scale, turn_scale; ///< square roots of the weights
    const int16_t *lane;          ///< [joint]
    const float *bone_scale;      ///< [lanes] square roots of beta_i, 0 for lanes that do not count
    const int32_t *frames;        ///< [state] of the database
    const int32_t *ranges;        ///< [state] of the database
    const int32_t *next;          ///< [state] the state one tick later in the same range, or -1
    const int32_t *onward;        ///< [state] itself; of a range's last state the one most like it that goes on
    const uint8_t *contacts;      ///< [state] AM_CONTACT_* bits
    const float *rows;            ///< [state][stride] the embedding: squared distances of rows are d^2 of eq. 1
    const float *x;               ///< [state][pose_count]
    const float *v, *y;           ///< [state][velocity_count]
    uint64_t hash;                ///< of the database and the parameters of the def
    size_t bytes;                 ///< that it holds besides the database
    struct ami_field_own *own;
} ami_field;

am_result ami_field_create(ami_field **out, const ami_field_def *def, am_error *err);
void ami_field_destroy(ami_field *field);

static inline const float *ami_field_row(const ami_field *field, int state)
{
    return field->rows + (size_t)state * (size_t)field->stride;
}
static inline const float *ami_field_x(const ami_field *field, int state)
{
    return field->x + (size_t)state * (size_t)field->pose_count;
}
static inline const float *ami_field_v(const ami_field *field, int state)
{
    return field->v + (size_t)state * (size_t)field->velocity_count;
}
static inline const float *ami_field_y(const ami_field *field, int state)
{
    return field->y + (size_t)state * (size_t)field->velocity_count;
}

// ---------------------------------------------------------------------------------------------
// States

/// local(joint_count): local transforms of a pose, joint 0 relative to the ground root.
void ami_field_pose_get(const ami_field *field, am_transform *local, const float *x);
/// The other way; translations of joints that do not move are dropped.
void ami_field_pose_put(const ami_field *field, float *x, const am_transform *local);

/// How the ground root moves in one tick, in its own frame before it.
typedef struct ami_field_step {
    float x, z; ///< m
    float turn; ///< rad about y
} ami_field_step;
/// The step as a transform: root * ami_field_step_transform(step) is the root after it.
am_transform ami_field_step_transform(ami_field_step step);

/// v = the displacement from pose `from` to pose `to` while the ground root makes `step` (eq. 3's x' - x).
void ami_field_difference(const ami_field *field, float *v, const float *from, const float *to, ami_field_step step);
/// out = x displaced by v; out may be x.
void ami_field_displace(const ami_field *field, float *out, const float *x, const float *v);
/// out = (1 - t) a + t b of poses (out may be a or b), the shorter way.
void ami_field_pose_mix(const ami_field *field, float *out, const float *a, const float *b, float t);
/// The same of velocities.
void ami_field_velocity_mix(const ami_field *field, float *out, const float *a, const float *b, float t);
/// out = a and then the share t of b, of velocities; out may be a.
void ami_field_velocity_add(const ami_field *field, float *out, const float *a, const float *b, float t);
/// row(stride): where a state lies in the space of eq. 1.
void ami_field_embed(const ami_field *field, float *row, const float *x, const float *v);
/// The step that is part of a velocity.
static inline ami_field_step ami_field_velocity_step(const float *v)
{
    ami_field_step step = { v[0], v[1], v[2] };
    return step;
}

// ---------------------------------------------------------------------------------------------
// Neighbours

/// The k states nearest to a state, nearest first; ties go to the lower state.
typedef struct ami_field_neighbours {
    int count;                      ///< k of the field; 0 when the query is not finite
    int32_t state[AMI_FIELD_MAX_K]; ///< ascending by distance, then state
    float d2[AMI_FIELD_MAX_K];      ///< squared distances, summed in the one shape of the library's kernels
    float weight[AMI_FIELD_MAX_K];  ///< similarity weights (eq. 2), sum 1; a distance of 0 takes all
} ami_field_neighbours;

/// The working memory of searches, one for each thread.
typedef struct ami_field_work ami_field_work;
am_result ami_field_work_create(ami_field_work **out, const ami_field *field, const am_alloc *alloc, am_error *err);
void ami_field_work_destroy(ami_field_work *work);

/// out(count): the neighbours of rows(count, stride). Exact. Queries that lie close together (the 16 of a controlled
/// frame) cost little more than one. hint(hint_count): states that are probably near, such as those that follow the
/// neighbours of the last frame; they never change the answer. May be NULL.
void ami_field_search(const ami_field *field, ami_field_neighbours *out, const float *rows, int count,
                      const int32_t *hint, int hint_count, ami_field_work *work);
/// The same answer from a linear scan over all states.
void ami_field_search_reference(const ami_field *field, ami_field_neighbours *out, const float *rows, int count);
/// w(count) = similarity weights of squared distances (eq. 2). Distances of 0 share all of the weight.
void ami_field_weights(float *w, const float *d2, int count);

// ---------------------------------------------------------------------------------------------
// Synthesis

/// a(count): action `i` of similarity weights w (eq. 8): weight i set to 1, then all divided by their sum. i = -1 is
/// the passive action, w itself.
void ami_field_action(float *a, const float *w, int count, int i);
/// Eq. 4-6: next_x, next_v = the state one tick after pose x when its neighbours are followed with weights a (sum 1);
/// returns how the ground root moves. next_x may be x.
ami_field_step ami_field_integrate(const ami_field *field, float *next_x, float *next_v, const float *x,
                                   const ami_field_neighbours *near, const float *a);
/// Replaces the neighbours of the state at row(stride) by those that the passive field follows, so that it never
/// comes to rest where the data do not. `followed` is the result of the previous tick's call, -1 at first: the state
/// that it keeps to, plus state_count for each tick for which it does so even if another state is nearer.
/// - A neighbour that is the last of its range gives its place to the state that goes on from there: the most similar
///   of another range (of its own where there is no other) with half a second or more before its own end. The paper
///   does not mention ends. Actions get away from them; the passive field would stay forever, its pose held at the
///   end by the drift correction while its root glides on.
/// - The successor of `followed` is put first, as the target of the drift correction (eq. 5-6), unless it is 1.5
///   times as far as the nearest: among many poses of a standing character the nearest may stay the same forever.
int ami_field_go_on(const ami_field *field, ami_field_neighbours *near, const float *row, int followed);
/// Another state to follow, so that the passive field visits all of the data: a state of another range that is not
/// far from row(stride), drawn among the nearest of each range, to be kept for a second as its action (eq. 8).
/// `followed` itself where nothing is near. Linear scan over all states; too slow for every tick.
int ami_field_wander(const ami_field *field, const float *row, int followed, am_rng *rng);
/// All of a state's actions at once, in the bits of ami_field_integrate and ami_field_embed: for each i below
/// near->count the result of action i. Any of next_x(k, pose_count), next_v(k, velocity_count), rows(k, stride) and
/// steps(k) may be NULL.
void ami_field_try_all(const ami_field *field, float *next_x, float *next_v, float *rows, ami_field_step *steps,
                       const float *x, const ami_field_neighbours *near, ami_field_work *work);
/// AM_CONTACT_* bits by the weighted vote of the neighbours (eq. 7).
uint8_t ami_field_contacts(const ami_field *field, const ami_field_neighbours *near);

#endif
