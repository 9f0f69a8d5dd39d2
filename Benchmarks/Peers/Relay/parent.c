// A parent proxy and origin server in one, for measurements: it answers each request itself, and each tunnel ends in it.
//
//   parent PORT [--ntlm | --basic | --digest] [--threads N] [--chaos PERMILLE]
//
// With --ntlm each connection has to pass the three messages of NTLM first; any AUTHENTICATE message is accepted, and the
// user that it names is the text of the responses. With --basic or --digest each request needs right credentials of the user that
// digest.h names. Prints "ready" once it listens. Ends with its standard input.
//
// The host of a CONNECT says what the tunnel does: "pour…" sends bytes without end, all others are silent. A request for
// a path with "/pour" gets a body without end. With --chaos so many of 1,000 requests are answered wrongly: the connection is
// reset before the response, within it or after it, or the response comes late.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "digest.h"

enum { headLimit = 16384, pourSize = 1 << 18 };

struct connection {
    int fd, isAuthenticated, isTunnel, pours;
    size_t have;
    long bodyLeft;
    char user[32];
    struct count lastAnswer;  // of Digest
    char *bytes;  // headLimit bytes while a part of a head is kept
};

static int port, demandsNTLM, demandsBasic, demandsDigest, chaos;
static char challenge[512];
static char pourBytes[pourSize];

static void base64(const uint8_t *bytes, size_t count, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t group = bytes[i] << 16 | (i + 1 < count ? bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++) *out++ = i + k > count ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    *out = 0;
}

static size_t fromBase64(const char *text, uint8_t *out, size_t limit) {
    size_t count = 0;
    uint32_t group = 0;
    int bits = 0;
    for (; *text; text++) {
        int value = *text >= 'A' && *text <= 'Z'   ? *text - 'A'
                    : *text >= 'a' && *text <= 'z' ? *text - 'a' + 26
                    : *text >= '0' && *text <= '9' ? *text - '0' + 52
                    : *text == '+'                 ? 62
                    : *text == '/'                 ? 63
                                                   : -1;
        if (value < 0) break;
        group = group << 6 | (uint32_t)value;
        bits += 6;
        if (bits >= 8 && count < limit) out[count++] = (uint8_t)(group >> (bits -= 8));
    }
    return count;
}

static uint8_t *pair(uint8_t *out, int id, const char *text) {
    size_t count = strlen(text);
    *out++ = (uint8_t)id, *out++ = 0, *out++ = (uint8_t)(2 * count), *out++ = 0;
    for (size_t i = 0; i < count; i++) *out++ = (uint8_t)text[i], *out++ = 0;
    return out;
}

// MS-NLMP 2.2.1.2. Unicode, NTLM, always sign, target information, extended session security, 128 and 56 bits.
static void makeChallenge(void) {
    uint8_t message[256] = "NTLMSSP\0\2";
    uint8_t *end = message + 56;
    uint32_t flags = 0x00000001 | 0x00000200 | 0x00008000 | 0x00010000 | 0x00080000 | 0x00800000 | 0x20000000 | 0x80000000;
    memcpy(message + 20, &flags, 4);
    memcpy(message + 24, "\1\2\3\4\5\6\7\10", 8);
    uint8_t *name = end;
    for (const char *c = "ACME"; *c; c++) *end++ = (uint8_t)*c, *end++ = 0;
    uint16_t length = (uint16_t)(end - name);
    memcpy(message + 12, &length, 2), memcpy(message + 14, &length, 2);
    message[16] = 56;
    uint8_t *pairs = end;
    end = pair(end, 2, "ACME");
    end = pair(end, 1, "PARENT");
    memset(end, 0, 4), end += 4;
    length = (uint16_t)(end - pairs);
    memcpy(message + 40, &length, 2), memcpy(message + 42, &length, 2);
    message[44] = (uint8_t)(pairs - message);
    base64(message, (size_t)(end - message), challenge);
}

static void takeUser(struct connection *c, const uint8_t *message, size_t count) {
    uint16_t length;
    uint32_t offset;
    memcpy(&length, message + 36, 2), memcpy(&offset, message + 40, 4);
    size_t out = 0;
    if (offset <= count && length <= count - offset)
        for (size_t i = 0; i + 1 < length && out + 1 < sizeof c->user; i += 2) c->user[out++] = (char)message[offset + i];
    c->user[out] = 0;
}

static unsigned dice(void) {
    static _Thread_local uint64_t state = 0x9E3779B97F4A7C15;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 33) % 1000;
}

static int put(int fd, const char *text, size_t count) { return send(fd, text, count, MSG_NOSIGNAL) == (ssize_t)count; }

static int putText(int fd, const char *text) { return put(fd, text, strlen(text)); }

// Ends a connection with a reset.
static int resets(int fd) {
    struct linger none = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    return 0;
}

static const char *field(const char *head, const char *name) {
    const char *found = strcasestr(head, name);
    return found ? found + strlen(name) : NULL;
}

// Returns 0 if the connection is to be closed.
static int pour(struct connection *c) {
    for (;;) {
        ssize_t sent = send(c->fd, pourBytes, pourSize, MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN;
    }
}

static int refuse(struct connection *c, const char *challenge) {
    char out[1024];
    snprintf(out, sizeof out, "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: %s\r\nContent-Length: 0\r\n\r\n",
        challenge);
    return putText(c->fd, out);
}

static int isRightBasic(const char *credentials) {
    size_t count = strlen(basicCredentials);
    return credentials && !strncmp(credentials, basicCredentials, count) && credentials[count] == '\r';
}

static int answer(struct connection *c, char *head) {
    char out[1024];
    const char *token = field(head, "\r\nProxy-Authorization: NTLM ");
    const char *length = field(head, "\r\nContent-Length: ");
    c->bodyLeft = length ? atol(length) : 0;
    if (demandsNTLM && !c->isAuthenticated) {
        uint8_t message[1024] = {0};
        size_t count = token ? fromBase64(token, message, sizeof message) : 0;
        if (count > 64 && message[8] == 3) {
            c->isAuthenticated = 1;
            takeUser(c, message, count);
        } else {
            int isFirst = count >= 16 && message[8] == 1;
            if (chaos && dice() < (unsigned)chaos) return resets(c->fd);
            snprintf(out, sizeof out, "NTLM%s%s", isFirst ? " " : "", isFirst ? challenge : "");
            return refuse(c, out);
        }
    }
    if (demandsBasic && !isRightBasic(field(head, "\r\nProxy-Authorization: Basic "))) return refuse(c, basicChallenge);
    if (demandsDigest) {
        const char *digest = field(head, "\r\nProxy-Authorization: Digest ");
        if (!digest || !isRightDigest(head, digest, &c->lastAnswer)) {
            makeDigestChallenge(out, sizeof out);
            return refuse(c, out);
        }
    }
    if (!strncmp(head, "CONNECT ", 8)) {
        c->isTunnel = 1;
        c->pours = !strncmp(head + 8, "pour", 4);
        return putText(c->fd, "HTTP/1.1 200 Connection established\r\n\r\n") && (!c->pours || pour(c));
    }
    char *end = strstr(head, "\r\n"), *path = strstr(head, "/pour");
    if (path && path < end) {
        c->isTunnel = c->pours = 1;
        return putText(c->fd, "HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n") && pour(c);
    }
    const char *text = demandsNTLM ? c->user : "Hello, world!";
    int count = snprintf(out, sizeof out, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(text), text);
    if (chaos && dice() < (unsigned)chaos) {
        switch (dice() % 4) {
        case 0: return resets(c->fd);
        case 1: put(c->fd, out, (size_t)count - 1); return resets(c->fd);
        case 2: put(c->fd, out, (size_t)count); return 0;
        default: usleep(5000);
        }
    }
    return put(c->fd, out, (size_t)count);
}

static int readable(struct connection *c) {
    static _Thread_local char scratch[1 << 16];
    for (;;) {
        if (c->isTunnel) {
            ssize_t count = recv(c->fd, scratch, sizeof scratch, 0);
            if (count > 0) continue;
            return count < 0 && errno == EAGAIN;
        }
        // Most heads come whole: only a part of one is kept.
        char *bytes = c->bytes ? c->bytes : scratch;
        size_t room = headLimit - 1 - c->have;
        ssize_t count = recv(c->fd, bytes + c->have, room, 0);
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return 0;
        size_t have = c->have + (size_t)count, begin = 0;
        bytes[have] = 0;
        while (begin < have) {
            if (c->bodyLeft > 0) {
                size_t part = have - begin < (size_t)c->bodyLeft ? have - begin : (size_t)c->bodyLeft;
                c->bodyLeft -= (long)part, begin += part;
                continue;
            }
            char *end = memmem(bytes + begin, have - begin, "\r\n\r\n", 4);
            if (!end) break;
            end[2] = 0;
            if (!answer(c, bytes + begin)) return 0;
            begin = (size_t)(end + 4 - bytes);
            if (c->isTunnel) begin = have;
        }
        c->have = have - begin;
        if (c->have >= headLimit - 1) return 0;
        if (c->have && !c->bytes) c->bytes = malloc(headLimit);
        if (c->have) memmove(c->bytes, bytes + begin, c->have);
        if (!c->have) free(c->bytes), c->bytes = NULL;
        // Less than asked for: nothing is left.
        if ((size_t)count < room) return 1;
    }
}

static int listening(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4096)) perror("parent"), exit(1);
    return fd;
}

static void *serve(void *argument) {
    int listener = (int)(intptr_t)argument, queue = epoll_create1(EPOLL_CLOEXEC), yes = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(queue, events, 256, -1);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            if (!c) {
                for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                    struct connection *new = calloc(1, sizeof *new);
                    new->fd = fd;
                    event = (struct epoll_event){.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = new};
                    epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event);
                }
                continue;
            }
            int isGood = !(events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || readable(c);
            if (isGood && c->pours && events[i].events & EPOLLOUT) isGood = pour(c);
            if (!isGood) close(c->fd), free(c->bytes), free(c);
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    int threads = 1;
    if (count < 2) return fprintf(stderr, "usage: parent PORT [--ntlm | --basic | --digest] [--threads N] [--chaos PERMILLE]\n"), 2;
    port = atoi(arguments[1]);
    for (int i = 2; i < count; i++) {
        if (!strcmp(arguments[i], "--ntlm")) demandsNTLM = 1;
        if (!strcmp(arguments[i], "--basic")) demandsBasic = 1;
        if (!strcmp(arguments[i], "--digest")) demandsDigest = 1;
        if (!strcmp(arguments[i], "--threads") && i + 1 < count) threads = atoi(arguments[++i]);
        if (!strcmp(arguments[i], "--chaos") && i + 1 < count) chaos = atoi(arguments[++i]);
    }
    struct rlimit files = {1 << 17, 1 << 17};
    if (setrlimit(RLIMIT_NOFILE, &files)) {
        getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    memset(pourBytes, 'a', pourSize);
    makeChallenge();
    base64((const uint8_t *)USER ":" PASSWORD, strlen(USER ":" PASSWORD), basicCredentials);
    if (demandsDigest) makeDigestKey();
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, (void *)(intptr_t)listening());
    }
    puts("ready"), fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
