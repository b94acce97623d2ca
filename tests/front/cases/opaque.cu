// What is not modelled is named, never left out.
__global__ void unread(float *x, int n)
{
    float s = 0;
    switch (n) {
    case 0:
        s = 1;
        break;
    default:
        s = 2;
    }
    asm volatile("bar.sync 0;");
    goto end;
    for (int j : { 1, 2 })
        s += j;
    if (int k = n; k > 3)
        s = k;
    auto f = [&](int z) { return z + s; };
    using acc_t = float;
    static_assert(sizeof(acc_t) == 4, "");
    x[0] = s;
end:
    x[1] = s;
}
