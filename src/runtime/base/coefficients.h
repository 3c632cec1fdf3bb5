// Coefficients of the float sine, cosine, exponential and hyperbolic tangent, shared by the scalar functions
// (src/runtime/math) and their vector versions (src/runtime/kernel), which must give the same bits: both evaluate
// them in the same order, without fused multiply-add. Minimax fits of our own (Remez exchange, each coefficient
// rounded to float and the rest fitted again); the largest relative error of the fit alone stands beside each.
#ifndef AMI_BASE_COEFFICIENTS_H
#define AMI_BASE_COEFFICIENTS_H

// Adding and taking away 1.5 * 2^23 rounds a float below 2^22 to the nearest integer, which is then also in the low
// bits of the sum.
#define AMI_ROUND 12582912.0f

// Cody-Waite: pi/2 in four parts. The first three have 12 bits, so that their product with a quadrant number
// up to 2^12 is exact: hence the limit, beyond which the reduction is done with integers.
#define AMI_TWO_OVER_PI 0.636619772f
#define AMI_HALF_PI_1 1.5703125f
#define AMI_HALF_PI_2 0.000483751297f
#define AMI_HALF_PI_3 7.54953362e-08f
#define AMI_HALF_PI_4 2.56334407e-12f
#define AMI_SINCOS_LIMIT 6433.0f

// sin r = r + r z (S0 + z (S1 + z S2)), z = r^2, |r| <= pi/4: 4.0e-9
#define AMI_SIN_0 (-0.166666552f)
#define AMI_SIN_1 0.00833218917f
#define AMI_SIN_2 (-0.000195182845f)

// cos r = 1 - z/2 + z^2 (C0 + z (C1 + z C2)): 1.2e-10
#define AMI_COS_0 0.0416666456f
#define AMI_COS_1 (-0.00138873095f)
#define AMI_COS_2 2.44323273e-05f

// exp x = 2^k exp r; ln 2 in two parts, the first with 15 bits: k has 8, so that their product is exact.
#define AMI_LOG2_E 1.44269504f
#define AMI_LN2_1 0.693145752f
#define AMI_LN2_2 1.42860677e-06f
#define AMI_EXP_MAX 88.7228394f    // from here on infinity
#define AMI_EXP_MIN (-103.972084f) // below: zero

// exp r = 1 + r + r^2 (E0 + r (E1 + r (E2 + r (E3 + r E4)))), |r| <= ln 2 / 2: 3.2e-9
#define AMI_EXP_0 0.49999994f
#define AMI_EXP_1 0.166665167f
#define AMI_EXP_2 0.0416681021f
#define AMI_EXP_3 0.00836919248f
#define AMI_EXP_4 0.0013838812f

// tanh x = x + x z (T0 + ...), z = x^2, |x| < 0.625: 7.9e-9; beyond 1 - 2 / (exp 2x + 1)
#define AMI_TANH_SMALL 0.625f
#define AMI_TANH_ONE 9.1f // from here on 1 in float
#define AMI_TANH_0 (-0.333332807f)
#define AMI_TANH_1 0.133314058f
#define AMI_TANH_2 (-0.0537365153f)
#define AMI_TANH_3 0.0206283052f
#define AMI_TANH_4 (-0.0056930338f)

// erfc(a / sqrt 2) = exp(-a (G0 + a (G1 + ... a G8))), 0 <= a <= 9: the tail of the Gaussian in GELU, whose error
// a / 2 |fit - tail| stays below 3.2e-9; evaluated in float, below 2.8e-8
#define AMI_GELU_0 0.797886431f
#define AMI_GELU_1 0.31829235f
#define AMI_GELU_2 0.0363973454f
#define AMI_GELU_3 (-0.00489162514f)
#define AMI_GELU_4 7.11778775e-05f
#define AMI_GELU_5 0.000152726861f
#define AMI_GELU_6 (-3.80729471e-05f)
#define AMI_GELU_7 4.31396984e-06f
#define AMI_GELU_8 (-1.97663397e-07f)

#endif
