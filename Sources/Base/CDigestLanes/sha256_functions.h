// The functions of FIPS 180-4 4.1.2, for words and vectors of words alike; the file that includes this defines
// ROTATE_RIGHT.

#define BIG_SIGMA_0(x) (ROTATE_RIGHT(x, 2) ^ ROTATE_RIGHT(x, 13) ^ ROTATE_RIGHT(x, 22))
#define BIG_SIGMA_1(x) (ROTATE_RIGHT(x, 6) ^ ROTATE_RIGHT(x, 11) ^ ROTATE_RIGHT(x, 25))
#define SMALL_SIGMA_0(x) (ROTATE_RIGHT(x, 7) ^ ROTATE_RIGHT(x, 18) ^ (x) >> 3)
#define SMALL_SIGMA_1(x) (ROTATE_RIGHT(x, 17) ^ ROTATE_RIGHT(x, 19) ^ (x) >> 10)
// A selection and a majority, each with one operation less than in the standard.
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
