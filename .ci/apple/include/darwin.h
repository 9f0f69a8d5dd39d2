// The part of Darwin's C library that this project calls, declared in our own words for the type check of `.ci/check-apple`.
// Types, constants and the places of `_Nonnull` are those of Apple's headers, because they decide what Swift sees.
#pragma once
#include <stddef.h>
#include <stdint.h>

// sys/types.h
typedef long ssize_t;
typedef long time_t;
typedef int errno_t;
typedef int pid_t;
typedef int dev_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned useconds_t;
typedef long long off_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef unsigned long long ino_t;
typedef long long blkcnt_t;
typedef int blksize_t;
typedef size_t rsize_t;

// time.h
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6, CLOCK_PROCESS_CPUTIME_ID = 12 } clockid_t;
time_t time(time_t *);
int clock_gettime(clockid_t, struct timespec *);

// errno.h
int *__error(void);
#define errno (*__error())
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define ECHILD 10
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define ERANGE 34
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ETIMEDOUT 60
#define EDQUOT 69

// fcntl.h, sys/file.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_EXCL 0x0800
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_FULLFSYNC 51
#define F_DUPFD_CLOEXEC 67
#define FD_CLOEXEC 1
#define LOCK_EX 0x02
#define LOCK_NB 0x04
int open(const char *, int, ...);
int fcntl(int, int, ...);
int flock(int, int);

// sys/stat.h
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    unsigned st_flags;
    unsigned st_gen;
    int st_lspare;
    long long st_qspare[2];
};
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int fstat(int, struct stat *);
int mkdir(const char *, mode_t);
int fchmod(int, mode_t);

// grp.h, pwd.h
struct group {
    char *gr_name;
    char *gr_passwd;
    gid_t gr_gid;
    char **gr_mem;
};
struct passwd {
    char *pw_name;
    char *pw_passwd;
    uid_t pw_uid;
    gid_t pw_gid;
    time_t pw_change;
    char *pw_class;
    char *pw_gecos;
    char *pw_dir;
    char *pw_shell;
    time_t pw_expire;
};
int getgrnam_r(const char *, struct group *, char *, size_t, struct group **);
int getgrgid_r(gid_t, struct group *, char *, size_t, struct group **);
int getpwuid_r(uid_t, struct passwd *, char *, size_t, struct passwd **);

// dirent.h
typedef struct {
    int __dd_fd;
    long __dd_loc;
} DIR;
struct dirent {
    unsigned long long d_ino;
    unsigned long long d_seekoff;
    unsigned short d_reclen;
    unsigned short d_namlen;
    unsigned char d_type;
    char d_name[1024];
};
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// stdio.h, stdlib.h, string.h, sys/random.h
int rename(const char *, const char *);
int remove(const char *);
void free(void *);
void *calloc(size_t, size_t);
_Noreturn void abort(void);
int atexit(void (*)(void));
char *getenv(const char *);
char *realpath(const char *, char *);
int getentropy(void *, size_t);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
errno_t memset_s(void *, rsize_t, int, rsize_t);
size_t strlen(const char *);
char *strdup(const char *);
char *strerror(int);

// unistd.h
#define STDERR_FILENO 2
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
int fsync(int);
int unlink(const char *);
int link(const char *, const char *);
int pipe(int[2]);
#define PATH_MAX 1024
#define _CS_DARWIN_USER_TEMP_DIR 65537
size_t confstr(int, char *, size_t);
char *getcwd(char *, size_t);
uid_t geteuid(void);
gid_t getegid(void);
int getgroups(int, gid_t *);
int fchown(int, uid_t, gid_t);
pid_t getpid(void);
pid_t getpgrp(void);
pid_t tcgetpgrp(int);
int usleep(useconds_t);

// sys/mman.h
#define PROT_READ 0x01
#define MAP_PRIVATE 0x0002
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int madvise(void *, size_t, int);

// dlfcn.h
#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
#define RTLD_NODELETE 0x80
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
char *dlerror(void);

// poll.h
#define POLLIN 0x0001
#define POLLOUT 0x0004
typedef unsigned nfds_t;
struct pollfd {
    int fd;
    short events;
    short revents;
};
int poll(struct pollfd *, nfds_t, int);

// sys/select.h
typedef struct fd_set {
    int32_t fds_bits[32];
} fd_set;
struct timeval {
    long tv_sec;
    int32_t tv_usec;
};
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);

// signal.h
typedef uint32_t sigset_t;
typedef struct __siginfo {
    int si_signo;
} siginfo_t;
union __sigaction_u {
    void (*__sa_handler)(int);
    void (*__sa_sigaction)(int, struct __siginfo *, void *);
};
struct sigaction {
    union __sigaction_u __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define SA_RESTART 0x0002
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 18
#define SIGCHLD 20
#define SIGTTIN 21
#define SIGTTOU 22
int kill(pid_t, int);
int raise(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int pthread_sigmask(int, const sigset_t *, sigset_t *);

// sys/wait.h
#define WNOHANG 0x00000001
pid_t waitpid(pid_t, int *, int);

// termios.h
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
struct termios {
    tcflag_t c_iflag;
    tcflag_t c_oflag;
    tcflag_t c_cflag;
    tcflag_t c_lflag;
    cc_t c_cc[20];
    speed_t c_ispeed;
    speed_t c_ospeed;
};
#define ICRNL 0x00000100
#define ECHO 0x00000008
#define ECHONL 0x00000010
#define ISIG 0x00000080
#define ICANON 0x00000100
#define TCSAFLUSH 2
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);

// spawn.h
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
#define POSIX_SPAWN_SETSID 0x0400
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
int posix_spawnp(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
int posix_spawnattr_init(posix_spawnattr_t *);
int posix_spawnattr_destroy(posix_spawnattr_t *);
int posix_spawnattr_setflags(posix_spawnattr_t *, short);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *, const sigset_t *);
int posix_spawnattr_setsigmask(posix_spawnattr_t *, const sigset_t *);

// crt_externs.h
char ***_NSGetEnviron(void);

// pthread.h, which Apple marks `assume_nonnull`.
#define PTHREAD_CREATE_DETACHED 2
typedef struct _opaque_pthread_t {
    long __sig;
    char __opaque[8176];
} *pthread_t;
typedef struct {
    long __sig;
    char __opaque[56];
} pthread_attr_t;
typedef struct {
    long __sig;
    char __opaque[56];
} pthread_mutex_t;
typedef struct {
    long __sig;
    char __opaque[40];
} pthread_cond_t;
typedef struct {
    long __sig;
    char __opaque[8];
} pthread_condattr_t;
typedef struct {
    long __sig;
    char __opaque[8];
} pthread_mutexattr_t;
#pragma clang assume_nonnull begin
// As Swift's importer sees it: the pointer that the new thread receives is not optional.
int pthread_create(
    pthread_t _Nullable *, const pthread_attr_t *_Nullable, void *_Nullable (*)(void *_Nonnull), void *_Nullable);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *_Nullable);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *_Nullable);
int pthread_cond_timedwait_relative_np(pthread_cond_t *, pthread_mutex_t *, const struct timespec *_Nullable);
int pthread_condattr_init(pthread_condattr_t *);
int pthread_condattr_destroy(pthread_condattr_t *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *_Nullable);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
#pragma clang assume_nonnull end

// What the toolchain's interface of Synchronization for Linux names.
unsigned int _swift_stdlib_gettid(void);
unsigned int _swift_stdlib_wait(unsigned int *, unsigned int);
void _swift_stdlib_wake(unsigned int *);
