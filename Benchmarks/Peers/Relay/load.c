// Clients of a proxy, for measurements that Debian's load tools do not make. Each prints one line of numbers.
//
//   load tunnels PORT CLIENTS SECONDS     tunnels opened a second, each by a new connection that is then reset
//   load pour PORT TUNNELS SECONDS        bytes a second of so many tunnels together
//   load idle PORT TUNNELS PID            tunnels open, bytes of memory that each adds to the process and its children
//   load stall PORT PID SECONDS [TARGET]  bytes of memory that a reader of a body without end adds, which stands still
//   load churn PORT RATE SECONDS          connections opened and dropped at some stage of a request; opened, failed
//   load count PORT CLIENTS REQUESTS      so many right responses, then it ends
//   load get PORT CLIENTS SECONDS [TEXT]  responses, wrong ones, refusals (5xx), connections lost, longest gap between right
//                                         responses in ms; a right response is 200 with TEXT ("" and absent: any) as its body
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static const char connectSilent[] = "CONNECT silent.test:443 HTTP/1.1\r\nHost: silent.test:443\r\n\r\n";
static const char connectPour[] = "CONNECT pour.test:443 HTTP/1.1\r\nHost: pour.test:443\r\n\r\n";
static const char get[] = "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n";
static char scratch[1 << 20];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int dial(int flags) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0), yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (connect(fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) return close(fd), -1;
    return fd;
}

static void drop(int fd) {
    struct linger none = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(fd);
}

static void watch(int queue, int fd, void *what, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = what};
    epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event);
}

// A tunnel, with a blocking connection that waits 10 s at most; -1 if it was not opened.
static int tunnel(const char *request) {
    int fd = dial(0);
    if (fd < 0) return -1;
    struct timeval limit = {10, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0) return close(fd), -1;
    char head[4096];
    size_t have = 0;
    while (have < sizeof head - 1) {
        ssize_t count = recv(fd, head + have, 1, 0);
        if (count <= 0) return close(fd), -1;
        have++;
        if (have >= 4 && !memcmp(head + have - 4, "\r\n\r\n", 4)) break;
    }
    return have > 12 && !memcmp(head + 9, "200", 3) ? fd : (close(fd), -1);
}

// The resident bytes of a process and its children.
static double resident(int process) {
    char path[64], line[256];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmRSS:", 6)) sum += atof(line + 6) * 1024;
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    file = fopen(path, "r");
    for (int child; file && fscanf(file, "%d", &child) == 1;) sum += resident(child);
    if (file) fclose(file);
    return sum;
}

static void tunnels(int clients, double seconds) {
    int queue = epoll_create1(0);
    long opened = 0, failed = 0;
    double begin = now();
    struct client { int fd, hasSent; } all[1024];
    if (clients > 1024) clients = 1024;
    for (int i = 0; i < clients; i++) {
        all[i] = (struct client){dial(SOCK_NONBLOCK), 0};
        watch(queue, all[i].fd, &all[i], EPOLLIN | EPOLLOUT | EPOLLET);
    }
    while (now() - begin < seconds) {
        struct epoll_event events[256];
        int count = epoll_wait(queue, events, 256, 100);
        for (int i = 0; i < count; i++) {
            struct client *c = events[i].data.ptr;
            if (!c->hasSent && events[i].events & EPOLLOUT)
                c->hasSent = send(c->fd, connectSilent, sizeof connectSilent - 1, MSG_NOSIGNAL) > 0;
            if (!(events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
            ssize_t got = recv(c->fd, scratch, sizeof scratch, 0);
            if (got < 0 && errno == EAGAIN) continue;
            if (got > 12 && !memcmp(scratch + 9, "200", 3)) opened++; else failed++;
            drop(c->fd);
            *c = (struct client){dial(SOCK_NONBLOCK), 0};
            watch(queue, c->fd, c, EPOLLIN | EPOLLOUT | EPOLLET);
        }
    }
    printf("%.0f %ld\n", (double)opened / (now() - begin), failed);
}

static void pour(int count, double seconds) {
    int queue = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        int fd = tunnel(connectPour);
        if (fd < 0) { printf("0\n"); return; }
        watch(queue, fd, (void *)(intptr_t)fd, EPOLLIN);
    }
    double begin = 0, sum = 0, warm = now() + seconds / 5;
    while (!begin || now() - begin < seconds) {
        struct epoll_event events[64];
        int ready = epoll_wait(queue, events, 64, 1000);
        for (int i = 0; i < ready; i++) {
            ssize_t got = recv((int)(intptr_t)events[i].data.ptr, scratch, sizeof scratch, 0);
            if (got <= 0) { printf("0\n"); return; }
            sum += (double)got;
        }
        if (!begin && now() > warm) begin = now(), sum = 0;
    }
    printf("%.0f\n", sum / (now() - begin));
}

static void idle(int count, int process) {
    double before = resident(process);
    int opened = 0, failures = 0;
    while (opened < count && failures < 3) {
        if (tunnel(connectSilent) >= 0) opened++; else failures++;
    }
    sleep(1);
    printf("%d %.0f\n", opened, opened ? (resident(process) - before) / opened : 0);
}

static void stall(int process, double seconds, const char *target) {
    double before = resident(process), most = before, begin = now();
    int fd = dial(0), small = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: origin.test\r\n\r\n", target);
    send(fd, request, strlen(request), MSG_NOSIGNAL);
    ssize_t got = recv(fd, scratch, 12, MSG_WAITALL);
    while (now() - begin < seconds) {
        usleep(20000);
        double present = resident(process);
        if (present > most) most = present;
    }
    printf("%d %.0f\n", got == 12 && !memcmp(scratch + 9, "200", 3), most - before);
}

static void churn(double rate, double seconds) {
    static const char part[] = "GET http://origin.test/ HT";
    static const char body[] = "POST http://origin.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello";
    struct stage { const char *bytes; size_t count; } stages[] = {
        {"", 0}, {part, sizeof part - 1}, {get, sizeof get - 1}, {body, sizeof body - 1}, {connectSilent, sizeof connectSilent - 1}};
    enum { kept = 64 };
    int open[kept];
    for (int i = 0; i < kept; i++) open[i] = -1;
    long opened = 0, failed = 0;
    double begin = now();
    for (long i = 0; now() - begin < seconds; i++) {
        // An old connection is dropped for a new one: by a reset, or by an end.
        int *place = &open[i % kept];
        if (*place >= 0) { if (i & 64) close(*place); else drop(*place); }
        *place = dial(0);
        if (*place < 0) { failed++; continue; }
        opened++;
        struct stage stage = stages[i % 5];
        if (stage.count) send(*place, stage.bytes, stage.count, MSG_NOSIGNAL);
        double ahead = begin + (double)i / rate - now();
        if (ahead > 0.001) usleep((useconds_t)(ahead * 1e6));
    }
    for (int i = 0; i < kept; i++) if (open[i] >= 0) close(open[i]);
    printf("%ld %ld\n", opened, failed);
}

static void gets(int clients, double seconds, long most, const char *text) {
    struct client { int fd; size_t have; char bytes[2048]; } *all = calloc((size_t)clients, sizeof *all);
    int queue = epoll_create1(0);
    long right = 0, wrong = 0, refused = 0, lost = 0;
    double begin = now(), last = begin, gap = 0;
    for (int i = 0; i < clients; i++) all[i].fd = -1;
    while (now() - begin < seconds && right < most) {
        for (int i = 0; i < clients; i++) {
            if (all[i].fd >= 0) continue;
            all[i].fd = dial(0), all[i].have = 0;
            if (all[i].fd < 0) { lost++; continue; }
            fcntl(all[i].fd, F_SETFL, O_NONBLOCK);
            watch(queue, all[i].fd, &all[i], EPOLLIN);
            send(all[i].fd, get, sizeof get - 1, MSG_NOSIGNAL);
        }
        struct epoll_event events[256];
        int count = epoll_wait(queue, events, 256, 100);
        for (int i = 0; i < count; i++) {
            struct client *c = events[i].data.ptr;
            ssize_t got = recv(c->fd, c->bytes + c->have, sizeof c->bytes - 1 - c->have, 0);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) { lost++, close(c->fd), c->fd = -1; continue; }
            c->have += (size_t)got, c->bytes[c->have] = 0;
            char *end = strstr(c->bytes, "\r\n\r\n"), *length = strcasestr(c->bytes, "\r\nContent-Length: ");
            if (!end) continue;
            size_t size = length && length < end ? (size_t)atol(length + 18) : 0;
            if ((size_t)(c->bytes + c->have - end - 4) < size) continue;
            int status = atoi(c->bytes + 9);
            if (status >= 500) {
                refused++;
            } else if (status != 200 || (*text && (strlen(text) != size || memcmp(end + 4, text, size)))) {
                wrong++;
            } else {
                double time = now();
                if (right++ && time - last > gap) gap = time - last;
                last = time;
            }
            if (strcasestr(c->bytes, "\r\nConnection: close")) { close(c->fd), c->fd = -1; continue; }
            c->have = 0;
            if (send(c->fd, get, sizeof get - 1, MSG_NOSIGNAL) < 0) lost++, close(c->fd), c->fd = -1;
        }
    }
    printf("%ld %ld %ld %ld %.0f\n", right, wrong, refused, lost, gap * 1000);
}

int main(int count, char **arguments) {
    if (count < 5) return fprintf(stderr, "usage: load tunnels|pour|idle|stall|churn|get PORT ...: see load.c\n"), 2;
    struct rlimit files = {1 << 17, 1 << 17};
    if (setrlimit(RLIMIT_NOFILE, &files)) {
        getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    const char *what = arguments[1];
    port = atoi(arguments[2]);
    double first = atof(arguments[3]), second = atof(arguments[4]);
    const char *text = count > 5 ? arguments[5] : "";
    if (!strcmp(what, "tunnels")) tunnels((int)first, second);
    else if (!strcmp(what, "pour")) pour((int)first, second);
    else if (!strcmp(what, "idle")) idle((int)first, (int)second);
    else if (!strcmp(what, "stall")) stall((int)first, second, *text ? text : "http://origin.test/pour");
    else if (!strcmp(what, "churn")) churn(first, second);
    else if (!strcmp(what, "get")) gets((int)first, second, INT64_MAX, text);
    else if (!strcmp(what, "count")) gets((int)first, 600, (long)second, text);
    else return 2;
    return 0;
}
