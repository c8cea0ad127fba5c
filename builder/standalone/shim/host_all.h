// All that programs include, to be read once and kept (a precompiled header).
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include "cuda_runtime.h"
