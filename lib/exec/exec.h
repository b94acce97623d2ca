/* Execution: a functional model of a CUDA device that interprets PTX.
 *
 * A machine is one device: its memory, the modules loaded into it, its options
 * and what its checks and counters found. A module is one PTX text; a kernel is
 * one of its entries. A launch runs a grid to its end before it returns:
 *
 *     rf_machine *m = rf_machine_new(&options);
 *     rf_module *mod = rf_module_load(m, ptx, &error);
 *     rf_kernel *k = rf_module_kernel(mod, "scale");
 *     uint64_t x = rf_machine_alloc(m, 4096);
 *     void *args[] = { &x };
 *     rf_machine_launch(m, &(rf_launch){ .kernel = k, .grid = { 1, 1, 1 },
 *                                        .block = { 256, 1, 1 },
 *                                        .args = args });
 *
 * Device addresses are host addresses inside a region that the machine
 * reserves, so what a kernel wrote can be read at once. The model is for
 * results, races and traffic; it knows nothing of time. */
#ifndef RF_EXEC_EXEC_H
#define RF_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct rf_machine rf_machine;
typedef struct rf_module rf_module;
typedef struct rf_kernel rf_kernel;

typedef struct {
    uint32_t x, y, z;
} rf_dim3;

/* Results of a launch; the values are those of cudaError_t. */
typedef enum {
    RF_OK = 0,
    RF_INVALID_VALUE = 1,
    RF_OUT_OF_MEMORY = 2,
    RF_INVALID_CONFIGURATION = 9,
    RF_INVALID_FUNCTION = 98,
    RF_ILLEGAL_ADDRESS = 700,
    RF_LAUNCH_TIMEOUT = 702,
    RF_ASSERT = 710,
    RF_ILLEGAL_INSTRUCTION = 715,
    RF_MISALIGNED = 716,
    RF_LAUNCH_FAILURE = 719,
    RF_TOO_LARGE = 720,
    RF_NOT_SUPPORTED = 801,
    RF_INVALID_CLUSTER = 912
} rf_status;

/* What can be checked: identifier, name in messages, one line of help. */
#define RF_CHECKS(X)                                                           \
    X(BOUNDS, "rf-run-bounds", "an access outside every buffer")               \
    X(FREED, "rf-run-freed", "an access to memory that was freed")             \
    X(MISALIGNED, "rf-run-misaligned", "an address that is not aligned")       \
    X(UNINIT, "rf-run-uninit", "a read of memory that nothing has written")    \
    X(RACE, "rf-run-race", "two unordered accesses, one of them a write")      \
    X(BARRIER, "rf-run-barrier", "a barrier that not all threads reach")       \
    X(WARP, "rf-run-warp", "a warp operation that names absent lanes")         \
    X(DEADLOCK, "rf-run-deadlock", "no thread can go on")                      \
    X(EXITED, "rf-run-exited", "shared memory of a block that has exited")     \
    X(STARTED, "rf-run-started", "shared memory of a block not yet started")   \
    X(EXIT_ORDER, "rf-run-exit-order", "an exit that may precede an access")   \
    X(ASYNC, "rf-run-async", "a copy that nobody waited for")                  \
    X(MBARRIER, "rf-run-mbarrier", "a misused mbarrier")                       \
    X(ASSERT, "rf-run-assert", "a failed assertion or a trap")                 \
    X(UNKNOWN, "rf-run-unknown", "an instruction the model does not know")     \
    X(FAULT, "rf-run-fault", "any other error of the program")

typedef enum {
#define X(id, spelling, help) RF_CHECK_##id,
    RF_CHECKS(X)
#undef X
        RF_CHECK_COUNT
} rf_check;

typedef enum {
    RF_SCHED_ROUND,
    RF_SCHED_RUN,
    RF_SCHED_REVERSE,
    RF_SCHED_RANDOM
} rf_schedule;

/* How results are rounded where a program asks for the nearest: as it asks;
 * always up; always down; up or down as a hash of the exact value says; and
 * the other way round. Running a program in all of them shows how far rounding
 * moves its results. */
typedef enum {
    RF_ROUNDING_NEAREST,
    RF_ROUNDING_UP,
    RF_ROUNDING_DOWN,
    RF_ROUNDING_SCATTERED,
    RF_ROUNDING_OPPOSITE,
    RF_ROUNDING_COUNT
} rf_rounding;

typedef struct {
    uint32_t disabled; /* bit c set: check c is off */
    uint32_t threads;  /* host threads; 0: one a core */
    rf_schedule schedule;
    uint64_t seed;    /* of RF_SCHED_RANDOM */
    uint32_t quantum; /* warp instructions a turn; 0: the default */
    uint32_t latency; /* turns before an asynchronous copy lands */
    bool report;      /* count traffic (runs on one host thread) */
    uint32_t room;    /* blocks of the largest cluster; 0: no clusters */
    rf_rounding rounding;
    uint8_t poison;     /* fill of fresh memory */
    uint64_t spin;      /* instructions without progress: a livelock */
    uint32_t max_lines; /* messages per check and source line */
    FILE *messages;     /* where checks print; NULL: stderr */
} rf_exec_options;

/* The options of a plain run: every check on. */
rf_exec_options rf_exec_defaults(void);
/* Set what "text" gives: "name=value,..." with the names threads, quantum,
 * latency, max-lines, seed, spin, poison, schedule (round, run, reverse,
 * random), rounding (nearest, up, down, scattered, opposite), no-check (a
 * check or "all"). Unknown names are ignored. */
void rf_exec_options_parse(rf_exec_options *options, const char *text);
const char *rf_rounding_spelling(rf_rounding rounding);

/* Make a device. The caller owns it. */
rf_machine *rf_machine_new(const rf_exec_options *options);
void rf_machine_free(rf_machine *machine);

/* Parse "ptx" and load it. NULL and "*error" (the caller frees it) when the
 * text cannot be read. The machine owns the module. */
rf_module *rf_module_load(rf_machine *machine, const char *ptx, char **error);
/* The same of several texts that use each other's functions and variables. */
rf_module *rf_module_link(rf_machine *machine, const char *const *ptx, size_t n,
                          char **error);
/* The kernel of that name, or NULL. The module owns it. */
rf_kernel *rf_module_kernel(rf_module *module, const char *name);
/* The n-th kernel, or NULL. */
rf_kernel *rf_module_kernel_at(rf_module *module, size_t n);
/* The address and size of a module variable, 0 if there is none. */
uint64_t rf_module_symbol(rf_module *module, const char *name, size_t *size);

typedef struct {
    const char *name;
    uint32_t n_params, param_bytes, static_shared, local_bytes;
    uint32_t max_threads; /* .maxntid, 0: none */
    rf_dim3 cluster;      /* .reqnctapercluster, x 0: none */
} rf_kernel_info;

rf_kernel_info rf_kernel_get_info(const rf_kernel *kernel);
uint32_t rf_kernel_param_offset(const rf_kernel *kernel, uint32_t n);
uint32_t rf_kernel_param_size(const rf_kernel *kernel, uint32_t n);

/* Reserve "size" bytes of device memory, 0 when it is exhausted. The bytes
 * hold options.poison and count as never written. */
uint64_t rf_machine_alloc(rf_machine *machine, size_t size);
/* Release a buffer; false if "address" is not the start of one. */
bool rf_machine_release(rf_machine *machine, uint64_t address);
/* The buffer that holds "address": its start and size; false if none. */
bool rf_machine_buffer(const rf_machine *machine, uint64_t address,
                       uint64_t *start, size_t *size);
/* Say that the host wrote "size" bytes at "address". */
void rf_machine_wrote(rf_machine *machine, uint64_t address, size_t size);
/* Say that the host copied "size" device bytes to another device place. */
void rf_machine_copied(rf_machine *machine, uint64_t to, uint64_t from,
                       size_t size);
/* Give the buffer at "address" a name for messages and reports. */
void rf_machine_name(rf_machine *machine, uint64_t address, const char *name);

/* A live buffer, as rf_machine_buffers lists them in order of allocation. */
typedef struct {
    uint64_t address;
    size_t size;
    uint32_t serial;     /* the n-th allocation of this machine */
    const char *name;    /* NULL if none was given */
    const char *element; /* "f32", ...: what kernels store; "b8" if unknown */
} rf_buffer;

/* Fill "out" (may be NULL) with at most "max" live buffers of the program;
 * return how many there are. Module variables are not among them. */
size_t rf_machine_buffers(const rf_machine *machine, rf_buffer *out,
                          size_t max);

typedef struct {
    const rf_kernel *kernel;
    rf_dim3 grid, block;
    rf_dim3 cluster; /* x 0: the kernel's own, else 1 */
    uint32_t dynamic_shared;
    bool cooperative;
    void *const *args; /* one pointer a parameter */
} rf_launch;

/* Run a grid to its end. A fault is reported and returned as a status. */
rf_status rf_machine_launch(rf_machine *machine, const rf_launch *launch);

/* How many reports check "c" has made; every check for RF_CHECK_COUNT. */
size_t rf_machine_reports(const rf_machine *machine, rf_check c);
const char *rf_check_spelling(rf_check c);
const char *rf_check_help(rf_check c);

/* Append a record to a log of payloads: "kind" (copy, exit), the kernel that
 * ran last, the buffer and its element type, "size" bytes from "address" and
 * which of them were ever written. */
void rf_machine_log(const rf_machine *machine, FILE *out, const char *kind,
                    const char *kernel, uint64_t address, size_t size,
                    const void *bytes);

/* Print a line "count check function" for every place where a check fired. */
void rf_machine_print_checks(const rf_machine *machine, FILE *out);

/* Print traffic and instruction counts since the machine was made. */
void rf_machine_print_report(const rf_machine *machine, FILE *out, bool json);

#endif
