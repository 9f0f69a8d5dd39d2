#ifndef SALLYPORT_CHILD_PROCESSES_H
#define SALLYPORT_CHILD_PROCESSES_H

// Calls of the system that Swift's modules of the C library do not show, because they are no part of POSIX.

/// Makes a pipe whose ends children do not inherit: ends[0] is read, ends[1] is written. Returns 0, or -1 with errno.
/// On Linux no other thread can start a child in between; on other systems the ends are marked by a second call.
int sallyport_pipe(int ends[2]);

/// The environment of this process: texts NAME=VALUE, then NULL. Another thread must not change it during use.
char **sallyport_environment(void);

/// Makes a spawned child the leader of a new session, without a terminal; for posix_spawnattr_setflags.
extern const short sallyport_spawn_in_new_session;

#endif
