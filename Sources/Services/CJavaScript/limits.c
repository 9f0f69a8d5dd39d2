#include "CJavaScript.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static unsigned long long most_bytes;
static const char *last_words;

static void limit(int resource, rlim_t most) {
    const struct rlimit limits = {most, most};
    // A limit that is lower already stays.
    (void)setrlimit(resource, &limits);
}

/// Bytes of memory that this process uses; 0 if it is not known.
static unsigned long long used_bytes(void) {
#if defined(__linux__)
    char text[128];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    (void)close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    unsigned long long size = 0, resident = 0;
    if (sscanf(text, "%llu %llu", &size, &resident) != 2) return 0;
    return resident * (unsigned long long)sysconf(_SC_PAGESIZE);
#else
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (unsigned long long)usage.ru_maxrss : 0;
#endif
}

static void *watch(void *unused) {
    (void)unused;
    const struct timespec pause = {0, 5 * 1000 * 1000};
    while (used_bytes() <= most_bytes) (void)nanosleep(&pause, NULL);
    // The other thread cannot be stopped in any other way.
    ssize_t written = write(STDOUT_FILENO, last_words, strlen(last_words));
    _exit(written < 0);
}

void sallyport_limit_process(unsigned seconds, unsigned long long bytes, const char *words) {
    // Machine code made from scripts is what attacks on engines need, and one call gains nothing by it.
    (void)setenv("JSC_useJIT", "0", 1);
    limit(RLIMIT_CPU, seconds);
    // Its output may be a file.
    limit(RLIMIT_FSIZE, 1 << 16);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_CORE, 0);
    // No limit of addresses or of data: the engine reserves many gigabytes of them, and uses few.
    most_bytes = bytes;
    last_words = words;
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) != 0) _exit(1);
}
