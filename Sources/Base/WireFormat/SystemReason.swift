#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A system's reason in words, for people.
package enum SystemReason {
    /// What `errno` means.
    package static func text(_ errno: Int32) -> String {
        // What else it is said for, opening a device that is none, does not concern files.
        guard errno != ENODEV else { return "no regular file" }
        // Never nil, and copied at once.
        return unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }
}
