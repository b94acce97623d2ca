// éé
__global__ void f(int *x, int n)
{
	/* € */ int s = 0;
#pragma rf cascade \
       level(warp)
	for (int i = 0; i < n; i++)
		s += x[i]; /* € */
#pragma rf cascade lvel(warp) /* € */
	*x = s;
}