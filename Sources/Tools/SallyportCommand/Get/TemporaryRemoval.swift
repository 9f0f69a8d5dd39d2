internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Removes the temporary file of an output when a signal ends the command.
enum TemporaryRemoval {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Remembers the path, and installs the handlers. Signals that this process ignores stay ignored.
    static func begin(_ path: String) {
        unsafe temporaryPath = SystemPath.withSystemPath(path) { unsafe strdup($0) }
        for number in signals {
            let before = signal(number, removeAndEnd)
            if unsafe unsafeBitCast(before, to: Int.self) == ignored { signal(number, SIG_IGN) }
        }
    }

    /// Signals have their default effect again.
    static func end() {
        for number in signals {
            let before = signal(number, SIG_DFL)
            if unsafe unsafeBitCast(before, to: Int.self) == ignored { signal(number, SIG_IGN) }
        }
    }

    /// `SIG_IGN` as a number.
    private static let ignored = 1
}

/// The file to remove.
///
/// `nonisolated(unsafe)` is safe, because it is set before the first handler is installed, and only read afterwards.
nonisolated(unsafe) private var temporaryPath: UnsafeMutablePointer<CChar>?

/// Only calls that POSIX allows in a handler.
private func removeAndEnd(_ number: Int32) {
    if let path = unsafe temporaryPath { unsafe unlink(path) }
    signal(number, SIG_DFL)
    raise(number)
}
