// Copies of a size that the compiler knows: a load or a store where the address may be any. The
// checked memcpy of _FORTIFY_SOURCE is the same then, but keeps loops from being vectorised.

#ifndef IMGC_COPY_H
#define IMGC_COPY_H

#define imgc_copy(dst, src, size) __builtin_memcpy(dst, src, size)

#endif
