#ifndef SALLYPORT_PACPARSER_H
#define SALLYPORT_PACPARSER_H

// The part of pacparser that is needed, as a table of functions that is filled while the program runs. No header and no library of
// pacparser is needed to build this package. It is not thread safe, and keeps one script in variables of its own.

/// The functions of pacparser. Those that return a number return 1 for success.
struct sallyport_pacparser {
    int (*begin)(void);
    int (*parse_string)(const char *script);
    /// The answer of the script, allocated by the library; NULL for an error.
    char *(*find_proxy)(const char *url, const char *host);
};

/// What loading the library led to.
enum sallyport_pacparser_outcome {
    sallyport_pacparser_loaded,
    /// The library cannot be opened.
    sallyport_pacparser_no_library,
    /// The library lacks a function.
    sallyport_pacparser_no_function,
};

/// Opens the library at `path`, which is never closed, and fills the table; the messages of scripts are dropped. `reason` receives the
/// loader's text or the name of the missing function; copy it before the next call.
enum sallyport_pacparser_outcome sallyport_pacparser_load(
    const char *path, struct sallyport_pacparser *table, const char **reason);

/// Limits what this process may use: seconds of processor time, bytes of memory; and it writes no core, and no file above 64 KiB.
void sallyport_limit_process(unsigned seconds, unsigned long long bytes);

#endif
