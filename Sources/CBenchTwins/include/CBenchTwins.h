// The plain use of each C library, to measure against.
