#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CSHA256.h"
#include "walk.h"

static uint8_t *bytes;
static size_t size, count, starts[200000], sizes[200000];
static uint8_t digests[200000 * 32];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static uint64_t walk(size_t i) {
    const uint8_t *key;
    size_t key_size;
    return find_key(bytes + starts[i], sizes[i], &key, &key_size) ? (uint64_t)(key - bytes - starts[i]) : 0;
}
static uint64_t first(void) { return (uint64_t)digests[0] | (uint64_t)digests[1] << 8; }
static uint64_t walk_sha_ni(size_t i) {
    const uint8_t *key;
    size_t key_size;
    if (!find_key(bytes + starts[i], sizes[i], &key, &key_size)) return 0;
    sallyport_sha256(SALLYPORT_SHA256_EXTENSIONS, key, key_size, digests);
    return first();
}
static uint64_t walk_openssl(size_t i) {
    const uint8_t *key;
    size_t key_size;
    if (!find_key(bytes + starts[i], sizes[i], &key, &key_size)) return 0;
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, key, key_size);
    SHA256_Final(digests, &context);
    return first();
}
static uint64_t d2i(size_t i) {
    const unsigned char *at = bytes + starts[i];
    X509 *certificate = d2i_X509(0, &at, (long)sizes[i]);
    if (!certificate) return 0;
    unsigned char *key = 0;
    int key_size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    SHA256(key, (size_t)key_size, digests);
    OPENSSL_free(key);
    X509_free(certificate);
    return first();
}

/* Lines of a measurement_file, each the fastest of some rounds. */
static void measure(const char *who, const char *operation, int lines, int rounds, uint64_t (*work)(size_t)) {
    uint64_t sum = 0;
    for (int line = 0; line < lines; line++) {
        double best = 1e18;
        for (int round = 0; round < rounds; round++) {
            double start = now();
            for (size_t i = 0; i < count; i++) sum += work(i);
            double time = (now() - start) / (double)count;
            if (time < best) best = time;
        }
        printf("time\t%s\t%s\t%.2f\n", who, operation, best);
    }
    if (sum == 0) exit(2);
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : 0;
    if (!file) return 2;
    bytes = malloc(64 << 20);
    size = fread(bytes, 1, 64 << 20, file);
    for (size_t at = 0; at < size && count < 200000; count++) {
        sizes[count] = bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16;
        starts[count] = at + 4;
        at += 4 + sizes[count];
    }
    printf("about\tC\t%s\n", OpenSSL_version(OPENSSL_VERSION));
    measure("C walk", "walk to the key", 25, 20, walk);
    measure("C walk, SHA-NI", "certificate to pin", 25, 8, walk_sha_ni);
    measure("C walk, OpenSSL's SHA-256", "certificate to pin", 25, 8, walk_openssl);
    measure("OpenSSL, d2i_X509", "certificate to pin", 5, 1, d2i);
}
