#ifndef SALLYPORT_CHILD_PROCESSES_H
#define SALLYPORT_CHILD_PROCESSES_H

#include <spawn.h>

// Calls of the system that Swift's modules of the C library do not show: POSIX does not define them.

/// Makes a pipe whose ends children do not inherit: ends[0] is read, ends[1] is written. Returns 0, or -1 with errno.
/// On Linux no other thread can start a child in between; on other systems the ends are marked by a second call.
int sallyport_pipe(int ends[2]);

/// The environment of this process: texts NAME=VALUE, then NULL. Another thread must not change it during use.
char **sallyport_environment(void);

/// Makes a spawned child the leader of a new session, without a terminal, and lets it inherit 0, 1 and 2 only where the system does
/// that by a flag; for posix_spawnattr_setflags.
extern const short sallyport_spawn_flags;

/// Adds the closing of all descriptors above 2, which other code of this process may have left to children. Returns 0, or the
/// system's error number. Does nothing where the C library has no such action (musl, and glibc before 2.34).
int sallyport_spawn_close_others(posix_spawn_file_actions_t *actions);

/// Notes that a child is about to start, until sallyport_child_began. Returns 0, or -1 after sallyport_end_children: then none may start.
int sallyport_child_starts(void);

/// Notes a child that leads a session, for sallyport_end_children; 0 if it did not start. Of more than 64 the last ones are not noted.
void sallyport_child_began(pid_t child);

/// Forgets a child that has ended.
void sallyport_child_ended(pid_t child);

/// Whether a child, running or ended, is still this process's to wait for. If something else here has waited for it, its number may be another
/// program's by now. Waits for nothing.
int sallyport_child_is_ours(pid_t child);

/// Kills the children that were noted, and what they have started, once and for all. Waits a second at most for those that are about to
/// start. A signal handler may call it, in a thread that starts none.
void sallyport_end_children(void);

#endif
