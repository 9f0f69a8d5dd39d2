/* Counts retained objects, in a program that links this file. For the Swift runtime on x86-64 Linux. */
#define _GNU_SOURCE
#include "CCounters.h"

static __thread uint64_t retains __attribute__((tls_model("initial-exec")));

uint64_t sallyport_retains(void) { return retains; }

#if SALLYPORT_COUNTS_RETAINS

#include <dlfcn.h>
#include <stdlib.h>

/* Defines a function of the runtime that counts and then calls the runtime's own function of this name. */
#define COUNTING(name, number, parameters, arguments)                              \
    void *name parameters;                                                         \
    void *name parameters                                                          \
    {                                                                              \
        static void *(*next) parameters;                                           \
        void *(*function) parameters = __atomic_load_n(&next, __ATOMIC_RELAXED);   \
        if (!function) {                                                           \
            function = (void *(*) parameters)dlsym(RTLD_NEXT, #name);              \
            if (!function) abort();                                                \
            __atomic_store_n(&next, function, __ATOMIC_RELAXED);                   \
        }                                                                          \
        retains += (number);                                               \
        return function arguments;                                                 \
    }

COUNTING(swift_retain, 1, (void *object), (object))
COUNTING(swift_tryRetain, 1, (void *object), (object))
COUNTING(swift_nonatomic_retain, 1, (void *object), (object))
COUNTING(swift_bridgeObjectRetain, 1, (void *object), (object))
COUNTING(swift_retain_n, number, (void *object, uint32_t number), (object, number))
COUNTING(swift_nonatomic_retain_n, number, (void *object, uint32_t number), (object, number))
COUNTING(swift_bridgeObjectRetain_n, number, (void *object, uint32_t number), (object, number))

#endif
