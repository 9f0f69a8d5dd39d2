// Checks Basic and Digest credentials of one user. OpenSSL computes SHA-256, so that our own code does not check itself.
//
// One realm, RFC 7616 with SHA-256 and qop=auth. Each challenge has a nonce of its own, which stays good. On a connection the count
// of a nonce must grow; across connections it may come out of order, because they run at the same time.
#include <dlfcn.h>
#include <stdatomic.h>

#define USER "jdoe"
#define PASSWORD "Correct-Horse"
#define REALM "parent"
#define NONCE_END "4f1c09d27a6be8351c90f2d7"  // after the number of the nonce, in 8 digits

enum { hexLength = 64 };

// What a connection keeps of its last answer.
struct count {
    unsigned nonce, value;
};

struct text {
    const char *start;
    size_t count;
};

static const char basicChallenge[] = "Basic realm=\"" REALM "\"";
static char basicCredentials[64];
static char keyOfUser[hexLength + 1];  // H(user:realm:password)
static atomic_uint issuedNonces;
static int (*shaBegin)(void *), (*shaUpdate)(void *, const void *, size_t), (*shaEnd)(uint8_t *, void *);

static void hash(const struct text *parts, int count, char hex[hexLength + 1]) {
    uint64_t context[64];  // OpenSSL's takes 112 bytes
    uint8_t digest[hexLength / 2];
    shaBegin(context);
    for (int i = 0; i < count; i++) {
        if (i) shaUpdate(context, ":", 1);
        shaUpdate(context, parts[i].start, parts[i].count);
    }
    shaEnd(digest, context);
    for (int i = 0; i < hexLength; i++) hex[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    hex[hexLength] = 0;
}

static void makeDigestKey(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW);
    if (library) {
        *(void **)&shaBegin = dlsym(library, "SHA256_Init");
        *(void **)&shaUpdate = dlsym(library, "SHA256_Update");
        *(void **)&shaEnd = dlsym(library, "SHA256_Final");
    }
    if (!shaBegin || !shaUpdate || !shaEnd) {
        fprintf(stderr, "parent: libcrypto.so.3 has no SHA-256: install libssl3\n");
        exit(1);
    }
    struct text parts[] = {{USER, strlen(USER)}, {REALM, strlen(REALM)}, {PASSWORD, strlen(PASSWORD)}};
    hash(parts, 3, keyOfUser);
}

static void makeDigestChallenge(char *out, size_t limit) {
    unsigned number = atomic_fetch_add(&issuedNonces, 1);
    snprintf(out, limit, "Digest realm=\"" REALM "\", nonce=\"%08x" NONCE_END "\", algorithm=SHA-256, qop=\"auth\"", number);
}

// The value of a parameter, without its quotes.
static struct text parameter(const char *line, const char *name) {
    size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at += length) {
        if ((at[-1] != ' ' && at[-1] != ',') || at[length] != '=') continue;
        const char *value = at + length + 1;
        if (*value == '"') return (struct text){value + 1, strcspn(value + 1, "\"\r")};
        return (struct text){value, strcspn(value, ", \r")};
    }
    return (struct text){line, 0};
}

static int is(struct text value, const char *expected) {
    return value.count == strlen(expected) && !memcmp(value.start, expected, value.count);
}

// Of the first 8 digits.
static unsigned hexNumber(struct text value) {
    char digits[9] = {0};
    memcpy(digits, value.start, value.count < 8 ? value.count : 8);
    return (unsigned)strtoul(digits, NULL, 16);
}

// Whether what follows the scheme in a field answers a challenge for this request.
static int isRightDigest(const char *head, const char *answer, struct count *last) {
    struct text method = {head, strcspn(head, " ")};
    struct text target = {head + method.count + 1, 0};
    target.count = strcspn(target.start, " \r");
    struct text uri = parameter(answer, "uri"), nonce = parameter(answer, "nonce"), nc = parameter(answer, "nc");
    struct text cnonce = parameter(answer, "cnonce"), response = parameter(answer, "response"), qop = parameter(answer, "qop");
    struct count present = {hexNumber(nonce), hexNumber(nc)};
    if (!is(parameter(answer, "username"), USER) || !is(parameter(answer, "realm"), REALM) || !is(qop, "auth")) return 0;
    if (nonce.count != 8 + strlen(NONCE_END) || memcmp(nonce.start + 8, NONCE_END, strlen(NONCE_END))) return 0;
    if (present.nonce >= atomic_load(&issuedNonces)) return 0;
    if (nc.count != 8 || !present.value || (present.nonce == last->nonce && present.value <= last->value)) return 0;
    // Some clients, such as libcurl, name the path alone.
    if (!uri.count || uri.count > target.count || memcmp(target.start + target.count - uri.count, uri.start, uri.count)) return 0;
    char keyOfRequest[hexLength + 1], expected[hexLength + 1];
    struct text request[] = {method, uri};
    hash(request, 2, keyOfRequest);
    struct text all[] = {{keyOfUser, hexLength}, nonce, nc, cnonce, qop, {keyOfRequest, hexLength}};
    hash(all, 6, expected);
    if (!is(response, expected)) return 0;
    *last = present;
    return 1;
}
