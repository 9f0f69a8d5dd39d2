#include <stddef.h>
#include <stdint.h>
/* A hand-written walk with the same checks: strict lengths, single-byte tags, everything fills what encloses it. */
struct cursor { const uint8_t *at, *end; };
static inline int element(struct cursor *c, uint8_t *tag, struct cursor *inside) {
    if (c->end - c->at < 2) return 0;
    *tag = c->at[0];
    if ((*tag & 0x1f) == 0x1f) return 0;
    size_t length = c->at[1];
    const uint8_t *start = c->at + 2;
    if (length >= 0x80) {
        size_t count = length & 0x7f;
        if (count == 0 || count > 4 || (size_t)(c->end - start) < count || start[0] == 0) return 0;
        length = 0;
        for (size_t i = 0; i < count; i++) length = length << 8 | start[i];
        if (length < 0x80) return 0;
        start += count;
    }
    if ((size_t)(c->end - start) < length) return 0;
    inside->at = start;
    inside->end = start + length;
    c->at = start + length;
    return 1;
}
static inline int expect(struct cursor *c, uint8_t wanted, struct cursor *inside) {
    uint8_t tag;
    if (c->at >= c->end || *c->at != wanted) return 0;
    return element(c, &tag, inside);
}
static int find_key(const uint8_t *certificate, size_t size, const uint8_t **key, size_t *key_size) {
    struct cursor whole = {certificate, certificate + size}, outer, tbs, in, a, b;
    uint8_t tag;
    if (size > 65536 || !expect(&whole, 0x30, &outer) || whole.at != whole.end) return 0;
    if (!expect(&outer, 0x30, &tbs) || !expect(&outer, 0x30, &in) || !expect(&outer, 0x03, &in) || outer.at != outer.end) return 0;
    if (tbs.at < tbs.end && *tbs.at == 0xa0) {
        if (!element(&tbs, &tag, &in) || !expect(&in, 0x02, &a) || in.at != in.end) return 0;
    }
    if (!expect(&tbs, 0x02, &in) || !expect(&tbs, 0x30, &in) || !expect(&tbs, 0x30, &in) || !expect(&tbs, 0x30, &in)) return 0;
    for (int i = 0; i < 2; i++) {
        if (in.at >= in.end || (*in.at != 0x17 && *in.at != 0x18) || !element(&in, &tag, &a)) return 0;
    }
    if (in.at != in.end || !expect(&tbs, 0x30, &in)) return 0;
    *key = tbs.at;
    if (!expect(&tbs, 0x30, &in)) return 0;
    *key_size = (size_t)(tbs.at - *key);
    if (!expect(&in, 0x30, &a) || !expect(&in, 0x03, &b) || in.at != in.end || b.at == b.end || *b.at > 7) return 0;
    while (tbs.at < tbs.end) if (!element(&tbs, &tag, &in)) return 0;
    return 1;
}
