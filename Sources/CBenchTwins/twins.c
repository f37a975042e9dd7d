#include "CBenchTwins.h"
