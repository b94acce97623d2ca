// Statements and marks that come from macros.
#define LOOP(i, n) for (int i = 0; i < n; i++)
#define ADD(a, b) a += b
#define BODY(a) s += a;
#define MARK _Pragma("rf cascade level(warp)")
#define OPEN {
__global__ void made(float *x, int n)
{
    float s = 0;
    LOOP(k, n)
        s += x[k];
    ADD(s, x[0]);
#pragma rf cascade
    for (int i = 0; i < n; i++) {
        BODY(x[i])
    }
#pragma rf cascade
    for (int i = 0; i < n; i++) OPEN s += x[i]; }
    MARK
    for (int i = 0; i < n; i++)
        s += x[i];
    _Pragma("rf cascade strict") for (int i = 0; i < n; i++) s += x[i];
    x[0] = s;
}
