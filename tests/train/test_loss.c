// Gradients of the losses in double against differences; test_trainer.c has the same in float, through a block.
#include "support/check.h"

#include <amble/train.h>
#include <math.h>

#define real double
#define LOSS(name) exact_##name
#include "train/loss_body.h"

enum { rows = 3, columns = 8, used = 5, all = rows * columns };

typedef struct loss_case {
    ami_loss_kind kind;
    bool units;
} loss_case;

static double loss_at(const loss_case *l, double *dy, const double *y)
{
    static const float weights[rows] = { 0.5f, 1.0f, 2.5f };
    static const double targets[all] = { 0.3, -0.2, 0.1 };
    const ami_loss loss = { l->kind, weights, 1.7 };
    if (l->units) {
        return exact_huber(0.1, dy, y, targets, weights, rows, columns, used);
    }
    return exact_values(&loss, 0.1, dy, y, targets, rows, columns, used);
}

static void gradients_match_differences_in_double(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        { AMI_LOSS_L2, false }, { AMI_LOSS_L1, false }, { AMI_LOSS_HUBER, false }, { AMI_LOSS_HUBER, true }
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double y[all], dy[all] = { 0 }, other[all] = { 0 };
        for (int i = 0; i < all; i++) {
            y[i] = 1.6 * sin(1.0 + 2.3 * i);
        }
        assert_true(loss_at(&cases[k], dy, y) > 0.0);
        for (int i = 0; i < all; i++) {
            const double kept = y[i], h = 1e-6;
            y[i] = kept + h;
            const double up = loss_at(&cases[k], other, y);
            y[i] = kept - h;
            const double down = loss_at(&cases[k], other, y);
            y[i] = kept;
            check_near(dy[i], (up - down) / (2.0 * h), 1e-6 * fabs(dy[i]) + 1e-8);
            assert_true(i % columns < used || dy[i] == 0.0);
        }
    }
}

TEST_SUITE(loss)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(gradients_match_differences_in_double) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
