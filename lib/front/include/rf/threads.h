/* What threads do together: barriers (the plain one is built in), votes,
 * shuffles, atomics, pipelines. */
#pragma once
#pragma GCC system_header

int __syncthreads_count(int);
int __syncthreads_or(int);
int __syncthreads_and(int);
void __syncwarp(unsigned int mask = 0xffffffffu);
void __threadfence();
void __threadfence_block();
void __threadfence_system();

unsigned int __activemask();
unsigned int __ballot_sync(unsigned int, int);
int __any_sync(unsigned int, int);
int __all_sync(unsigned int, int);
template <class T> unsigned int __match_any_sync(unsigned int, T);
template <class T> unsigned int __match_all_sync(unsigned int, T, int *);

template <class T>
T __shfl_sync(unsigned int, T, int lane, int width = 32);
template <class T>
T __shfl_xor_sync(unsigned int, T, int mask, int width = 32);
template <class T>
T __shfl_down_sync(unsigned int, T, unsigned int delta, int width = 32);
template <class T>
T __shfl_up_sync(unsigned int, T, unsigned int delta, int width = 32);

#define RF_REDUCE(T)                                                           \
    T __reduce_add_sync(unsigned int, T);                                      \
    T __reduce_min_sync(unsigned int, T);                                      \
    T __reduce_max_sync(unsigned int, T);
RF_REDUCE(int)
RF_REDUCE(unsigned int)
#undef RF_REDUCE
unsigned int __reduce_and_sync(unsigned int, unsigned int);
unsigned int __reduce_or_sync(unsigned int, unsigned int);
unsigned int __reduce_xor_sync(unsigned int, unsigned int);

#define RF_ATOMIC(name)                                                        \
    template <class T, class U> T name(T *, U);                                \
    template <class T, class U> T name##_block(T *, U);                        \
    template <class T, class U> T name##_system(T *, U);
RF_ATOMIC(atomicAdd)
RF_ATOMIC(atomicSub)
RF_ATOMIC(atomicMax)
RF_ATOMIC(atomicMin)
RF_ATOMIC(atomicExch)
RF_ATOMIC(atomicAnd)
RF_ATOMIC(atomicOr)
RF_ATOMIC(atomicXor)
RF_ATOMIC(atomicInc)
RF_ATOMIC(atomicDec)
#undef RF_ATOMIC
template <class T, class U, class V> T atomicCAS(T *, U, V);
template <class T, class U, class V> T atomicCAS_block(T *, U, V);
template <class T, class U, class V> T atomicCAS_system(T *, U, V);

long long clock64();
unsigned long long __globaltimer();
void __nanosleep(unsigned int);
void __trap();
void __brkpt();
void __prof_trigger(int);
void __assume(bool);

void __pipeline_memcpy_async(void *, const void *, size_t, size_t zfill = 0);
void __pipeline_commit();
void __pipeline_wait_prior(size_t);
