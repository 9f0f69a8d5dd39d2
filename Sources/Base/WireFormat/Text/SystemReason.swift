#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The operating system's reason as text.
package enum SystemReason {
    /// The text of an `errno`.
    package static func text(_ errno: Int32) -> String {
        // This package uses ENODEV for a path that is not a regular file.
        guard errno != ENODEV else { return "not a regular file" }
        // `strerror` never returns nil, and the text is copied at once.
        return unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }
}
