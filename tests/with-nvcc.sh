#!/bin/sh
# Run the command, or where there is no nvcc leave the test out.
command -v "${NVCC:-nvcc}" >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || {
    echo "skipped: there is no nvcc (set NVCC or PATH)"
    exit 77
}
exec "$@"
