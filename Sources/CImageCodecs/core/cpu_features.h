// Detection of instruction sets beyond the compiler's baseline.
//
// The compiler's runtime library stores the features in a variable before main. Reading this
// variable takes a negligible time compared with processing a row. Variants are not selected by
// ifunc, which crashes under ThreadSanitizer.

#ifndef IMGC_CPU_FEATURES_H
#define IMGC_CPU_FEATURES_H

// Tests define IMGC_CPU_HAS_AVX2 and IMGC_CPU_HAS_BMI2 as 0 to select the scalar versions.
#if defined(IMGC_CPU_HAS_AVX2)
#elif defined(__x86_64__) || defined(__i386__)
#define IMGC_CPU_HAS_AVX2 __builtin_cpu_supports("avx2")
#define IMGC_CPU_HAS_BMI2 __builtin_cpu_supports("bmi2")
#else
#define IMGC_CPU_HAS_AVX2 0
#define IMGC_CPU_HAS_BMI2 0
#endif

#endif
