/* Constants by name. */
#pragma once

#define CUDART_INF_F            __int_as_float(0x7f800000U)
#define CUDART_NAN_F            __int_as_float(0x7fffffffU)
#define CUDART_MIN_DENORM_F     __int_as_float(0x00000001U)
#define CUDART_MAX_NORMAL_F     __int_as_float(0x7f7fffffU)
#define CUDART_NEG_ZERO_F       __int_as_float(0x80000000U)
#define CUDART_ZERO_F           0.0F
#define CUDART_ONE_F            1.0F
#define CUDART_SQRT_HALF_F      0.707106781F
#define CUDART_SQRT_TWO_F       1.414213562F
#define CUDART_L2E_F            1.442695041F
#define CUDART_LN2_F            0.693147181F
#define CUDART_PI_F             3.141592654F
#define CUDART_PIO2_F           1.570796327F
#define CUDART_2_OVER_PI_F      0.636619772F
#define CUDART_SQRT_2OVERPI_F   0.797884561F

#define CUDART_INF              __longlong_as_double(0x7ff0000000000000ULL)
#define CUDART_NAN              __longlong_as_double(0xfff8000000000000ULL)
#define CUDART_ZERO             0.0
#define CUDART_ONE              1.0
#define CUDART_SQRT_TWO         1.4142135623730951e+0
#define CUDART_L2E              1.4426950408889634e+0
#define CUDART_LN2              6.9314718055994529e-1
#define CUDART_PI               3.1415926535897931e+0
