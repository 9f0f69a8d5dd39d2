#include "CPacparser.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

/// Copies the address of a function; POSIX allows that for `dlsym`, and C has no other form without a warning. Returns 0 where
/// the library has no such function.
static int find(void *library, const char *name, void *place) {
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

static int drop(const char *format, va_list arguments) {
    (void)format;
    (void)arguments;
    return 0;
}

enum sallyport_pacparser_outcome sallyport_pacparser_load(
    const char *path, struct sallyport_pacparser *table, const char **reason) {
    memset(table, 0, sizeof *table);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        *reason = dlerror();
        return sallyport_pacparser_no_library;
    }
    void (*set_printer)(int (*printer)(const char *, va_list)) = NULL;
    const struct {
        const char *name;
        void *place;
    } needed[] = {
        {"pacparser_init", &table->begin},
        {"pacparser_parse_pac_string", &table->parse_string},
        {"pacparser_find_proxy", &table->find_proxy},
        {"pacparser_set_error_printer", &set_printer},
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!find(library, needed[i].name, needed[i].place)) {
            *reason = needed[i].name;
            return sallyport_pacparser_no_function;
        }
    }
    set_printer(drop);
    return sallyport_pacparser_loaded;
}

static void limit(int resource, rlim_t most) {
    const struct rlimit limits = {most, most};
    // A limit that is lower already stays.
    (void)setrlimit(resource, &limits);
}

void sallyport_limit_process(unsigned seconds, unsigned long long bytes) {
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, (rlim_t)bytes);
    limit(RLIMIT_FSIZE, 1 << 16);
    limit(RLIMIT_CORE, 0);
}
