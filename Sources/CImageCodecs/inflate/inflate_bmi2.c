// The fast loop (inflate_loop.h), compiled for BMI2. It is a tenth faster than without BMI2,
// because a shift by a variable count is one instruction that does not modify flags.

#if defined(__x86_64__)
#define TARGET __attribute__((target("bmi2")))
#include "inflate/inflate_loop.h"

TARGET void imgc_inflate_loop_bmi2(imgc_inflater *z) { decode_fast(z); }
#endif
