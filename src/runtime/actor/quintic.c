// The quintic of the Responsive paper, eq. 14-20: from x0 >= 0 with a velocity that does not lead away from 0 to rest
// at 0, without overshoot. Eq. 19 should have max (errata): a negative curvature at the start would overshoot.
#include "actor/post.h"

ami_quintic ami_quintic_make(float x0, float v0, float t1)
{
    ami_quintic q = { x0 > 0.0f ? x0 : 0.0f, am_min(v0, 0.0f), 0.0f, 0.0f, 0.0f, 0.0f, t1 };
    if (!(q.x0 > 0.0f) || !(t1 > 0.0f)) {
        q.x0 = 0.0f;
        q.v0 = 0.0f;
        q.t1 = 0.0f;
        return q;
    }
    if (q.v0 < 0.0f) {
        q.t1 = am_min(t1, -5.0f * q.x0 / q.v0); // eq. 20
    }
    float t = q.t1;
    q.c2 = am_max(-(10.0f * q.x0 + 4.0f * t * q.v0) / (t * t), 0.0f);             // 18, 19
    q.c3 = -(3.0f * q.c2 * t * t + 6.0f * q.v0 * t + 10.0f * q.x0) / (t * t * t); // 17
    q.c4 = (3.0f * q.c2 * t * t + 8.0f * q.v0 * t + 15.0f * q.x0) / (t * t * t * t);
    q.c5 = -(q.c2 * t * t + 3.0f * q.v0 * t + 6.0f * q.x0) / (t * t * t * t * t);
    return q;
}

float ami_quintic_at(const ami_quintic *q, float t, float *velocity)
{
    bool over = !(t < q->t1);
    if (velocity) {
        *velocity =
            over ? 0.0f : (((5.0f * q->c5 * t + 4.0f * q->c4) * t + 3.0f * q->c3) * t + 2.0f * q->c2) * t + q->v0;
    }
    // Rounding near t1 may leave the band by an ulp of x0; the property is kept exactly.
    return over ? 0.0f
                : am_clamp(((((q->c5 * t + q->c4) * t + q->c3) * t + q->c2) * t + q->v0) * t + q->x0, 0.0f, q->x0);
}
