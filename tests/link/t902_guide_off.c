/* Without call sites what a replay says about them changes nothing. */
#include "t901_guide.c"
