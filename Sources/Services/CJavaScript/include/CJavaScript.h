#ifndef SALLYPORT_JAVASCRIPT_H
#define SALLYPORT_JAVASCRIPT_H

#include <stddef.h>

// JavaScriptCore by its interface in C, which WebKitGTK on Linux and Apple's systems have alike. The library is loaded while the program
// runs, so neither a header nor a library of it is needed to build this package. One process uses it once.

/// What a call led to.
enum sallyport_script_outcome {
    /// The function has answered.
    sallyport_script_answered,
    /// The library cannot be opened, or lacks a function.
    sallyport_script_no_library,
    /// The script cannot be read, or ends with an error before it has the function.
    sallyport_script_unreadable,
    /// The script has neither function.
    sallyport_script_no_function,
    /// The call ended with an error.
    sallyport_script_failed,
};

/// Loads JavaScriptCore from `library`, runs `prelude` and then `script`, and calls the script's function FindProxyForURL, or else
/// FindProxyForURLEx, with a URL and its host.
///
/// The answer, or what went wrong, goes to `text` in UTF-8 with a zero at the end, cut off at `room` bytes.
enum sallyport_script_outcome sallyport_script_run(
    const char *library, const char *prelude, const char *script, const char *url, const char *host, char *text, size_t room);

/// The first IPv4 address of a name; 0 if it has none.
int sallyport_script_resolve(const char *host, char *answer, size_t room);
/// All addresses of a name, with semicolons between them; empty if it has none.
int sallyport_script_resolve_all(const char *host, char *answer, size_t room);
/// The IPv4 address from which this machine reaches others; that of loopback if it reaches none.
int sallyport_script_own_address(const char *unused, char *answer, size_t room);
/// The addresses of IPv6 and IPv4 from which this machine reaches others, with a semicolon between them.
int sallyport_script_own_addresses(const char *unused, char *answer, size_t room);

/// Limits what this process may use: seconds of processor time, and bytes of memory, beyond which it writes `words` to its standard output
/// and ends. It opens few files, and writes no core and no file above 64 KiB.
void sallyport_limit_process(unsigned seconds, unsigned long long bytes, const char *words);

#endif
