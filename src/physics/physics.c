// Creates a body that can be pushed, from rigid parts in Open Dynamics Engine.
#include "physics/body.h"

#include "base/error.h"
#include "base/memory.h"
#include "physics/parts.h"

void am_physics_def_init(am_physics_def *def)
{
    *def = (am_physics_def){ .tone = 1.0f, .substeps = 2, .cookie = AM_COOKIE };
}

static am_result check_def(const am_physics_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->skeleton || !def->roles) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the physics def with am_physics_def_init() and give it a skeleton and roles");
    }
    if (!(def->mass_kg >= 0.0f && def->mass_kg <= 1e6f) || !(def->tone >= 0.0f && def->tone <= 1e3f) ||
        def->substeps < 1 || def->substeps > 16) {
        return ami_fail(err, AM_ERR_DEF, "physics def: mass, tone or substeps out of range");
    }
    return AM_OK;
}

static void make_body(am_physics *p, ami_body_part *part)
{
    dMass mass;
    dMassSetCapsuleTotal(&mass, (dReal)part->mass, 3, (dReal)part->radius, (dReal)part->length); // along z
    am_quat turn = am_quat_between(am_v3(0.0f, 0.0f, 1.0f), part->axis);
    dQuaternion q = { (dReal)turn.w, (dReal)turn.x, (dReal)turn.y, (dReal)turn.z };
    dMatrix3 matrix;
    dRfromQ(matrix, q);
    dMassRotate(&mass, matrix);
    part->body = dBodyCreate(p->world);
    dBodySetMass(part->body, &mass);
    if (part->parent < 0) {
        return;
    }
    part->ball = dJointCreateBall(p->world, 0);
    part->motor = dJointCreateAMotor(p->world, 0);
    dJointSetAMotorMode(part->motor, dAMotorUser);
    dJointSetAMotorNumAxes(part->motor, 3);
    for (int axis = 0; axis < 3; axis++) {
        dJointSetAMotorAxis(part->motor, axis, 0, axis == 0, axis == 1, axis == 2);
        dJointSetAMotorParam(part->motor, dParamFMax + axis * dParamGroup, part->spring > 0 ? dInfinity : 0);
    }
}

am_result am_physics_create(am_physics **out, const am_physics_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t joints = (size_t)def->skeleton->joint_count;
    size_t size = sizeof(am_physics) + joints * (sizeof(am_transform) + sizeof(int16_t));
    am_physics *p = ami_alloc_zero(&alloc, size);
    if (!p) {
        return ami_fail_memory(err, size);
    }
    p->alloc = alloc;
    p->block_size = size;
    p->skeleton = def->skeleton;
    p->substeps = def->substeps;
    p->pose = (am_transform *)(void *)(p + 1);
    p->part_of = (int16_t *)(void *)(p->pose + joints);
    p->solver = (am_push_solver){ p, def->skeleton, ami_body_solve };
    result = ami_body_plan(p, def, err);
    if (result != AM_OK) {
        am_physics_destroy(p);
        return result;
    }
    // Counted by the engine; closing it would take it from other bodies of the process.
    dInitODE2(0);
    p->world = dWorldCreate();
#if !defined(__EMSCRIPTEN__)
    // The engine's own default is shared by all worlds: two of them could not step at the same time.
    p->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(p->world, dThreadingImplementationGetFunctions(p->threading), p->threading);
#endif
    for (int i = 0; i < p->part_count; i++) {
        make_body(p, &p->parts[i]);
    }
    *out = p;
    return AM_OK;
}

void am_physics_destroy(am_physics *physics)
{
    if (physics) {
        if (physics->world) {
            dWorldDestroy(physics->world); // bodies and joints with it
        }
#if !defined(__EMSCRIPTEN__)
        if (physics->threading) {
            dThreadingFreeImplementation(physics->threading);
        }
#endif
        am_alloc alloc = physics->alloc;
        ami_release(&alloc, physics, physics->block_size);
    }
}

const am_push_solver *am_physics_solver(const am_physics *physics) { return &physics->solver; }

static am_result engine_create(void *user, const am_push_solver **out, const am_skeleton *skeleton,
                               const am_roles *roles, const am_alloc *alloc, am_error *err)
{
    (void)user;
    am_physics *physics = NULL;
    am_physics_def def;
    am_physics_def_init(&def);
    def.alloc = alloc;
    def.skeleton = skeleton;
    def.roles = roles;
    am_result result = am_physics_create(&physics, &def, err);
    *out = physics ? &physics->solver : NULL;
    return result;
}

static void engine_destroy(void *user, const am_push_solver *solver)
{
    (void)user;
    am_physics_destroy(solver ? solver->user : NULL);
}

const am_push_engine *am_physics_engine(void)
{
    static const am_push_engine engine = { NULL, engine_create, engine_destroy };
    return &engine;
}

int ami_physics_part_count(const am_physics *physics) { return physics->part_count; }

ami_physics_part ami_physics_get_part(const am_physics *physics, int part)
{
    const ami_body_part *p = &physics->parts[part];
    ami_physics_part view = { p->joint, p->parent, p->mass, p->length, p->radius };
    return view;
}
