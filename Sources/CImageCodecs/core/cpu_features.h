// Instruction sets beyond those that the compiler may assume.
//
// The answer comes from a word that the compiler's run-time library fills before main: reading it
// costs nothing beside a row, and there is no state of our own. Variants are never chosen by ifunc:
// it crashes under ThreadSanitizer.

#ifndef IMGC_CPU_FEATURES_H
#define IMGC_CPU_FEATURES_H

// Tests define both as 0 to get the plain versions.
#if defined(IMGC_CPU_HAS_AVX2)
#elif defined(__x86_64__) || defined(__i386__)
#define IMGC_CPU_HAS_AVX2 __builtin_cpu_supports("avx2")
#define IMGC_CPU_HAS_BMI2 __builtin_cpu_supports("bmi2")
#else
#define IMGC_CPU_HAS_AVX2 0
#define IMGC_CPU_HAS_BMI2 0
#endif

#endif
