#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Takes the numbers of standard input, output and error where the caller has closed them.
///
/// Otherwise the next file or socket that the program opens gets such a number, and the body of a response is written into it.
package enum ClosedDescriptors {
    /// Call it before anything is opened. Input is opened for writing and output for reading, so that a use fails as before.
    package static func reserve() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is this one, because those below it are open. Without /dev/null nothing can be done.
            _ = unsafe open("/dev/null", mode)
        }
    }
}
