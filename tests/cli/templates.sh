#!/bin/sh
# A fused template says to every file that makes it which types it is for.
. "$1"
RF=$2
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cat >variance.cu <<'END'
template <class T>
__global__ void variance(const T *__restrict__ x, T *__restrict__ y, int n)
{
    x += threadIdx.x * n;
#pragma rf cascade
    {
        T sum = 0, squares = 0;
        for (int i = 0; i < n; i++)
            sum += x[i];
        T mean = sum / T(n);
        for (int i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        y[threadIdx.x] = squares;
    }
}
END
cat >softmax.cu <<'END'
template <class T>
__global__ void softmax(const float *__restrict__ x, T *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
#pragma rf cascade
    {
        float most = -INFINITY, sum = 0;
        for (int i = 0; i < n; i++)
            most = fmaxf(most, x[i]);
        for (int i = 0; i < n; i++) {
            y[i] = expf(x[i] - most);
            sum += (float)y[i];
        }
        for (int i = 0; i < n; i++)
            y[i] = (float)y[i] / sum;
    }
}
END
run 0 variance.cu softmax.cu
has variance.cu RF_REFERENCE
has softmax.cu RF_REFERENCE

# compiles CODE FILE ARGUMENT FLAGS...: an explicit instance in another file.
compiles() {
    want=$1 name=$2 argument=$3
    shift 3
    of=T
    [ "$name" = softmax ] && of=float
    printf '#include <cuda_fp16.h>\n#include "%s.cu"\n%s\n' "$name" \
        "template __global__ void $name<$argument>(const ${of} *, $argument *, int);" |
        sed "s/const T/const $argument/" >other.cu
    nvcc -Werror all-warnings -diag-suppress 20199 "$@" -ptx other.cu \
        -o other.ptx >out 2>&1
    got=$?
    [ "$((got != 0))" -eq "$want" ] ||
        fail "$name<$argument> $*: exit code $got: $(cat out)"
}

compiles 0 variance double -std=c++14 -arch=sm_80
compiles 0 variance __half -std=c++17 -arch=sm_90
compiles 0 variance int -std=c++17 -arch=sm_90 -DRF_REFERENCE
compiles 1 variance int -std=c++14 -arch=sm_80
has out "T is no floating-point type: use -DRF_REFERENCE"
compiles 0 softmax double -std=c++17 -arch=sm_90
compiles 1 softmax __half -std=c++17 -arch=sm_90
has out "T rounds values of float: use -DRF_REFERENCE"
finish
