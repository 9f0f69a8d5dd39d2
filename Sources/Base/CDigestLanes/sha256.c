#include "sha256.h"

#include <string.h>

#include "CDigestLanes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Words are swapped on their way in and out, which is right for little-endian machines only."
#endif

// FIPS 180-4 5.3.3: the first 32 bits of the fractions of the square roots of the first eight primes.
static const uint32_t initial[SHA256_WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/// The last one or two blocks of a message, behind space for one block that may be copied with them.
struct ending {
    uint8_t room[SHA256_BLOCK];
    uint8_t blocks[2 * SHA256_BLOCK];
};

/// Writes the padded end of a message (FIPS 180-4 5.1.1): the bytes after the whole blocks, the end bit, zeros, and the
/// length in bits. Returns the number of blocks.
///
/// `is_read_later` is true if the blocks are not read at once. Each caller passes a constant.
static inline size_t write_ending(
    struct ending *ending, const uint8_t *message, size_t length, int is_read_later
) {
    const size_t left = length % SHA256_BLOCK;
    const size_t blocks = left < SHA256_BLOCK - 8 ? 1 : 2;
    memset(ending->blocks, 0, sizeof ending->blocks);
    if (is_read_later && length >= SHA256_BLOCK) {
        // Copying the last 64 bytes takes a few instructions; surplus bytes go to the space in front. Not for blocks
        // that are read at once, because a load across the stores waits for them.
        memcpy(ending->room + left, message + length - SHA256_BLOCK, SHA256_BLOCK);
    } else if (left > 0) {
        memcpy(ending->blocks, message + length - left, left);
    }
    ending->blocks[left] = 0x80;
    const uint64_t bits = __builtin_bswap64((uint64_t)length * 8);
    memcpy(ending->blocks + blocks * SHA256_BLOCK - 8, &bits, 8);
    return blocks;
}

static void write_digest(uint8_t digest[SALLYPORT_SHA256_BYTES], const uint32_t state[SHA256_WORDS]) {
    uint32_t words[SHA256_WORDS];
    for (int word = 0; word < SHA256_WORDS; word++) words[word] = __builtin_bswap32(state[word]);
    memcpy(digest, words, sizeof words);
}

/// The digest of one message. The caller erases `ending` and `state` if the message is secret.
static inline void digest_one(
    const struct sha256_kernel *kernel, const uint8_t *message, size_t length, struct ending *ending,
    uint32_t state[SHA256_WORDS], uint8_t digest[SALLYPORT_SHA256_BYTES]
) {
    memcpy(state, initial, sizeof initial);
    if (length >= SHA256_BLOCK) kernel->compress_one(state, message, length / SHA256_BLOCK);
    const size_t blocks = write_ending(ending, message, length, 0);
    kernel->compress_one(state, ending->blocks, blocks);
    write_digest(digest, state);
}

void sallyport_sha256(
    enum sallyport_sha256_kernel kernel, const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]
) {
    const struct sha256_kernel *chosen = sha256_kernel_for(kernel);
    if (!chosen->compress_one) chosen = sha256_kernel_for(sallyport_sha256_best_for_one());
    struct ending ending;
    uint32_t state[SHA256_WORDS];
    digest_one(chosen, message, length, &ending, state, digest);
}

void sallyport_sha256_of_secret(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]) {
    struct ending ending;
    uint32_t state[SHA256_WORDS];
    digest_one(sha256_kernel_for(sallyport_sha256_best_for_one()), message, length, &ending, state, digest);
    sallyport_digest_erase(&ending, sizeof ending);
    sallyport_digest_erase(state, sizeof state);
}

/// A message in progress: first its whole blocks in place, then its padded end.
struct lane {
    size_t message;
    size_t ending_blocks;
    int in_ending;
    struct ending ending;
};

/// All lanes of a kernel, and the arguments of the kernel in its own form.
struct lanes {
    uint32_t state[SHA256_MOST_LANES][SHA256_WORDS];
    const uint8_t *next[SHA256_MOST_LANES];
    size_t blocks[SHA256_MOST_LANES];
    struct lane lane[SHA256_MOST_LANES];
};

static void start(struct lanes *lanes, size_t index, const uint8_t *message, size_t length, size_t number) {
    struct lane *const lane = &lanes->lane[index];
    memcpy(lanes->state[index], initial, sizeof initial);
    lane->message = number;
    lane->ending_blocks = write_ending(&lane->ending, message, length, 1);
    lane->in_ending = length < SHA256_BLOCK;
    lanes->next[index] = lane->in_ending ? lane->ending.blocks : message;
    lanes->blocks[index] = lane->in_ending ? lane->ending_blocks : length / SHA256_BLOCK;
}

/// Advances by `blocks`, changes to the padded end if it is next, and returns whether the message is finished.
static int advance(struct lanes *lanes, size_t index, size_t blocks) {
    lanes->blocks[index] -= blocks;
    lanes->next[index] += blocks * SHA256_BLOCK;
    if (lanes->blocks[index] > 0) return 0;
    struct lane *const lane = &lanes->lane[index];
    if (lane->in_ending) return 1;
    lane->in_ending = 1;
    lanes->next[index] = lane->ending.blocks;
    lanes->blocks[index] = lane->ending_blocks;
    return 0;
}

/// Finishes the messages in progress when no further messages can fill the other lanes.
static void finish_alone(struct lanes *lanes, size_t width, uint8_t *digests) {
    const struct sha256_kernel *const one = sha256_kernel_for(sallyport_sha256_best_for_one());
    for (size_t index = 0; index < width; index++) {
        if (lanes->blocks[index] == 0) continue;
        size_t done;
        do {
            done = lanes->blocks[index];
            one->compress_one(lanes->state[index], lanes->next[index], done);
        } while (!advance(lanes, index, done));
        write_digest(digests + lanes->lane[index].message * SALLYPORT_SHA256_BYTES, lanes->state[index]);
    }
}

void sallyport_sha256_many(
    enum sallyport_sha256_kernel kernel, const uint8_t *bytes, const struct sallyport_message *messages, size_t count,
    uint8_t *digests
) {
    const struct sha256_kernel *chosen = sha256_kernel_for(kernel);
    const size_t width = chosen->lanes;
    size_t taken = 0;
    // Fewer messages than lanes, or only one lane: one message at a time.
    if (width > 1 && count >= width) {
        struct lanes lanes;
        for (; taken < width; taken++) {
            const struct sallyport_message message = messages[taken];
            start(&lanes, taken, bytes + message.start, message.end - message.start, taken);
        }
        // All lanes advance by the smallest number of remaining blocks. A finished lane takes the next message, so a
        // message does not wait for a longer one.
        for (int is_full = 1; is_full;) {
            size_t fewest = lanes.blocks[0];
            for (size_t index = 1; index < width; index++) {
                if (lanes.blocks[index] < fewest) fewest = lanes.blocks[index];
            }
            chosen->compress(lanes.state, lanes.next, fewest);
            for (size_t index = 0; index < width; index++) {
                if (!advance(&lanes, index, fewest)) continue;
                write_digest(digests + lanes.lane[index].message * SALLYPORT_SHA256_BYTES, lanes.state[index]);
                if (taken == count) {
                    is_full = 0;
                    continue;
                }
                const struct sallyport_message message = messages[taken];
                start(&lanes, index, bytes + message.start, message.end - message.start, taken);
                taken++;
            }
        }
        finish_alone(&lanes, width, digests);
    }
    for (; taken < count; taken++) {
        const struct sallyport_message message = messages[taken];
        sallyport_sha256(
            kernel, bytes + message.start, message.end - message.start, digests + taken * SALLYPORT_SHA256_BYTES
        );
    }
}
