/* Callgrind's switch, preloaded into a program that finds it by name. Outside valgrind it counts nothing. */
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

/*
 * Goes on in a child, where the result is 0; in the parent it is the number of the child, which has ended well by then,
 * or -1. What one operation leaves behind on the heap thus costs the next one nothing.
 */
int sallyport_apart(void)
{
    const pid_t child = fork();
    int status = 0;
    if (child > 0 && (waitpid(child, &status, 0) != child || status != 0)) return -1;
    return child;
}

/* Counts from here on. */
void sallyport_start_counting(void) { CALLGRIND_START_INSTRUMENTATION; }

/* Writes what was counted to a file of this process, and stops. */
void sallyport_dump_counts(void)
{
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
}
