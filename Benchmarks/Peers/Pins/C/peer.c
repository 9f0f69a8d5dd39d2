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

static void measure(const char *name, int rounds, uint64_t (*work)(size_t)) {
    double best = 1e18;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        for (size_t i = 0; i < count; i++) sum += work(i);
        double time = (now() - start) / (double)count;
        if (time < best) best = time;
    }
    printf("%s\t%.2f\t%llu\n", name, best, (unsigned long long)sum / (unsigned)rounds);
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
    measure("C walk", 500, walk);
    measure("C walk + SHA-NI", 200, walk_sha_ni);
    measure("C walk + OpenSSL SHA256_Init/Update/Final", 200, walk_openssl);
    measure("OpenSSL d2i_X509 + i2d_X509_PUBKEY + SHA256", 5, d2i);
}
