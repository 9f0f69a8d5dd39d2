// Tells ThreadSanitizer in which order threads hold a Mutex of Swift.
//
// Mutex takes and gives back its lock by atomic operations that the compiler instruments. If threads contend, it calls
// functions of the library Synchronization instead, which is not instrumented, and each contended lock would be
// reported as a race. The program that links this file calls the functions below; they call those of the library.
//
// A program without the sanitizer may link it, too.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((weak)) void __tsan_acquire(void *place);
__attribute__((weak)) void __tsan_release(void *place);

static void *libraryFunction(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT bool tryLockSlow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
    typedef SWIFT void (*Function)(uint32_t, SELF void *);
    static Function function;
    if (!function) function = (Function)libraryFunction(LOCK);
    function(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool tryLockSlow(SELF void *handle) {
    typedef SWIFT bool (*Function)(SELF void *);
    static Function function;
    if (!function) function = (Function)libraryFunction(TRY_LOCK);
    bool isLocked = function(handle);
    if (isLocked && __tsan_acquire) __tsan_acquire(handle);
    return isLocked;
}

SWIFT void unlockSlow(SELF void *handle) {
    typedef SWIFT void (*Function)(SELF void *);
    static Function function;
    if (!function) function = (Function)libraryFunction(UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    function(handle);
}
