/* Time libclang's own parse of a file, as a yardstick for the tool:
 *
 *     bench_parse FILE [flags]
 *
 * prints the processor's seconds of one plain parse and the peak memory in
 * kilobytes. */
#include <clang-c/Index.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    CXTranslationUnit unit = NULL;
    if (argc < 2)
        return 2;
    double start = now();
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, argv[1], (const char *const *)argv + 2, argc - 2, NULL, 0,
        CXTranslationUnit_KeepGoing, &unit);
    double spent = now() - start;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6f %ld\n", spent, usage.ru_maxrss);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return code != CXError_Success;
}
