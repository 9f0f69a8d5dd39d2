#include "CJavaScript.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Writes the address, after a semicolon if there is one before it. Returns 0 if there is no room.
static int add_address(const struct sockaddr *address, socklen_t length, char *answer, size_t room) {
    char text[INET6_ADDRSTRLEN];
    if (getnameinfo(address, length, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0) return 0;
    // Without the zone of a link-local address.
    text[strcspn(text, "%")] = 0;
    size_t used = strlen(answer), separator = used > 0;
    if (used + separator + strlen(text) >= room) return 0;
    if (separator) answer[used++] = ';';
    strcpy(answer + used, text);
    return 1;
}

static int resolve(const char *host, int family, char *answer, size_t room) {
    struct addrinfo hints, *found = NULL;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    answer[0] = 0;
    // getaddrinfo gives the IPv4 address in "::ffff:10.1.2.3", and browsers find none.
    if (family == AF_INET && strchr(host, ':') != NULL) return 0;
    if (host[0] == 0 || getaddrinfo(host, NULL, &hints, &found) != 0) return 0;
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        if (!add_address(one->ai_addr, one->ai_addrlen, answer, room)) break;
        if (family == AF_INET) break;
    }
    freeaddrinfo(found);
    return answer[0] != 0;
}

int sallyport_script_resolve(const char *host, char *answer, size_t room) { return resolve(host, AF_INET, answer, room); }

int sallyport_script_resolve_all(const char *host, char *answer, size_t room) {
    if (!resolve(host, AF_UNSPEC, answer, room)) answer[0] = 0;
    return 1;
}

/// The address from which this machine would reach another one; nothing is sent.
static int own_address(const struct sockaddr *other, socklen_t length, char *answer, size_t room) {
    int channel = socket(other->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return 0;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    int found = connect(channel, other, length) == 0 && getsockname(channel, (struct sockaddr *)&own, &size) == 0
                && add_address((const struct sockaddr *)&own, size, answer, room);
    (void)close(channel);
    return found;
}

static void own_addresses(int with_ipv6, char *answer, size_t room) {
    // Addresses for documentation (RFC 5737, RFC 3849): the way to them is the way out.
    struct sockaddr_in four;
    memset(&four, 0, sizeof four);
    four.sin_family = AF_INET;
    four.sin_port = htons(53);
    (void)inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
    struct sockaddr_in6 six;
    memset(&six, 0, sizeof six);
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(53);
    (void)inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
    answer[0] = 0;
    if (with_ipv6) (void)own_address((const struct sockaddr *)&six, sizeof six, answer, room);
    (void)own_address((const struct sockaddr *)&four, sizeof four, answer, room);
}

int sallyport_script_own_address(const char *unused, char *answer, size_t room) {
    (void)unused;
    own_addresses(0, answer, room);
    if (answer[0] == 0) strcpy(answer, "127.0.0.1");
    return 1;
}

int sallyport_script_own_addresses(const char *unused, char *answer, size_t room) {
    (void)unused;
    own_addresses(1, answer, room);
    return 1;
}
