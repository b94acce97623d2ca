#pragma once
#include "rf_cuda.h"
