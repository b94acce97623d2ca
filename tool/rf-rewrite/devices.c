/* Devices in YAML. What a device leaves out it takes from the table's row for
 * the same architecture:
 *
 *     sm_90:
 *       name: H100 PCIe
 *       sms: 114
 *       dram: 2.0e12
 *       dsm: [0, 2.7e12, 2.2e12, 1.8e12, 1.4e12]
 */
#include "devices.h"

#include "yaml_text.h"

#include <string.h>

typedef struct {
    rf_devices *out;
    rf_device *device;
} filling;

static int take_number(rf_yaml *y, const rf_figure *f, unsigned i,
                       const yaml_node_t *node, rf_device *d)
{
    const char *text = rf_yaml_scalar_of(node);
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end)
        return rf_yaml_complain(y, node->start_mark,
                                "a number is expected here");
    if (rf_figure_set(d, f, i, value))
        return 0;
    return rf_yaml_complain(
        y, node->start_mark,
        rf_arena_printf(y->arena, "'%s' must be a %snumber more than 0 (%s)",
                        f->name, f->kind == RF_FIGURE_REAL ? "" : "whole ",
                        f->help));
}

static int take_list(rf_yaml *y, const rf_figure *f, const yaml_node_t *node,
                     rf_device *d)
{
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top - node->data.sequence.items.start !=
            (ptrdiff_t)f->n)
        return rf_yaml_complain(
            y, node->start_mark,
            rf_arena_printf(y->arena,
                            "a list of %u numbers is expected here (%s)", f->n,
                            f->help));
    for (unsigned i = 0; i < f->n; i++) {
        int id = node->data.sequence.items.start[i];
        if (take_number(y, f, i, rf_yaml_node(y, id), d))
            return -1;
    }
    return 0;
}

static int take_figure(rf_yaml *y, const yaml_node_t *name,
                       const yaml_node_t *value, void *user)
{
    rf_device *d = ((filling *)user)->device;
    const char *word = rf_yaml_scalar_of(name);
    if (!strcmp(word, "name")) {
        const char *text = rf_yaml_scalar_of(value);
        d->name = text ? rf_arena_strdup(y->arena, text) : d->name;
        return text ? 0
                    : rf_yaml_complain(y, value->start_mark,
                                       "a text is expected here");
    }
    for (size_t i = 0; i < rf_figure_count; i++) {
        const rf_figure *f = &rf_figures[i];
        if (!strcmp(f->name, word))
            return f->n > 1 ? take_list(y, f, value, d)
                            : take_number(y, f, 0, value, d);
    }
    return rf_yaml_unknown(y, name, "figure", &rf_figures[0].name,
                           sizeof *rf_figures, rf_figure_count);
}

static int take_device(rf_yaml *y, const yaml_node_t *name,
                       const yaml_node_t *value, void *user)
{
    filling *f = user;
    const char *arch = rf_yaml_scalar_of(name);
    if (strncmp(arch, "sm_", 3) || rf_device_number(arch) < 1)
        return rf_yaml_complain(y, name->start_mark,
                                "a device is named as sm_90 is");
    rf_device d = *rf_device_find(arch);
    d.arch = rf_arena_strdup(y->arena, arch);
    f->device = &d;
    if (rf_yaml_pairs(y, value, take_figure, f))
        return -1;
    int most = d.max_cluster;
    if (most > 16 || (most & (most - 1)))
        return rf_yaml_complain(y, name->start_mark,
                                "'max_cluster' must be 1, 2, 4, 8 or 16");
    RF_PUSH(f->out->list, d);
    return 0;
}

int rf_devices_read(rf_arena *arena, const char *path, const rf_devices **out,
                    const char **why)
{
    rf_devices *devices = RF_NEW(arena, rf_devices);
    filling f = { .out = devices };
    rf_yaml y = { .arena = arena, .path = path, .why = why };
    RF_ADOPT(arena, devices->list);
    *out = devices;
    return rf_yaml_read_file(&y, take_device, &f);
}

const rf_device *rf_devices_find(const rf_devices *own, const char *arch)
{
    const rf_device *known = rf_device_find(arch);
    long want = arch ? rf_device_number(arch) : rf_device_number(known->arch);
    for (size_t i = 0; own && i < own->list.len; i++)
        if (rf_device_number(own->list.data[i].arch) == want)
            return &own->list.data[i];
    return known;
}
