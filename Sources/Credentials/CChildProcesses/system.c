#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CChildProcesses.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/wait.h>
#endif

#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern char **environ;
#endif

int sallyport_pipe(int ends[2]) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

char **sallyport_environment(void) {
#if defined(__APPLE__)
    return *_NSGetEnviron();
#else
    return environ;
#endif
}

#if defined(__APPLE__)
const short sallyport_spawn_flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
const short sallyport_spawn_flags = POSIX_SPAWN_SETSID;
#endif

int sallyport_spawn_close_others(posix_spawn_file_actions_t *actions) {
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
#endif
    (void)actions;
    return 0;
}

// Programs run for seconds, one for each question or certificate, or stay and answer many questions.
enum { most_children = 64, most_waits = 100, milliseconds_of_a_wait = 10 };
static pid_t children[most_children];
static int starting;
static int has_ended;

static void replace_child(pid_t old, pid_t new) {
    for (int index = 0; index < most_children; index++) {
        pid_t expected = old;
        if (__atomic_compare_exchange_n(&children[index], &expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
    }
}

int sallyport_child_starts(void) {
    __atomic_add_fetch(&starting, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&has_ended, __ATOMIC_SEQ_CST)) return 0;
    __atomic_sub_fetch(&starting, 1, __ATOMIC_SEQ_CST);
    return -1;
}

void sallyport_child_began(pid_t child) {
    if (child > 0) replace_child(0, child);
    __atomic_sub_fetch(&starting, 1, __ATOMIC_SEQ_CST);
}

void sallyport_child_ended(pid_t child) { replace_child(child, 0); }

int sallyport_child_is_ours(pid_t child) {
#if defined(__linux__)
    siginfo_t found;
    return waitid(P_PID, (id_t)child, &found, WEXITED | WNOHANG | WNOWAIT) == 0;
#else
    // Whether there is such a process, which is less.
    return kill(child, 0) == 0;
#endif
}

void sallyport_end_children(void) {
    __atomic_store_n(&has_ended, 1, __ATOMIC_SEQ_CST);
    for (int wait = 0; wait <= most_waits; wait++) {
        // Before the children are read: what is noted later was about to start now.
        int will_come = __atomic_load_n(&starting, __ATOMIC_SEQ_CST);
        for (int index = 0; index < most_children; index++) {
            pid_t child = __atomic_load_n(&children[index], __ATOMIC_SEQ_CST);
            if (child > 0) kill(-child, SIGKILL);
        }
        if (will_come == 0) return;
        poll(NULL, 0, milliseconds_of_a_wait);
    }
}
