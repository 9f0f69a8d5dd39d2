internal import CredentialSources
internal import Synchronization
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What a signal that ends the command takes with it: the programs that it waits for, and a temporary file.
enum EndingSignals {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// `SIG_IGN` as a number.
    private static let ignored = 1

    /// Installs the handlers. Signals that this process ignores stay ignored.
    static func install() {
        for number in signals {
            let before = signal(number, clearAndEnd)
            if unsafe unsafeBitCast(before, to: Int.self) == ignored { signal(number, SIG_IGN) }
        }
    }

    /// Removes a file before the command ends by a signal, until ``keepFile()``. One file at a time.
    static func remove(_ path: String) {
        let copy = unsafe SystemPath.withSystemPath(path) { unsafe strdup($0) }
        temporaryPath.store(UInt(bitPattern: copy), ordering: .releasing)
    }

    /// The file is in its place, or gone.
    static func keepFile() { temporaryPath.store(0, ordering: .releasing) }
}

/// The address of the path of the file to remove. The text is never freed, because a handler may be reading it.
private let temporaryPath = Atomic<UInt>(0)

/// Only calls that POSIX allows in a handler.
private func clearAndEnd(_ number: Int32) {
    let path = unsafe UnsafePointer<CChar>(bitPattern: temporaryPath.load(ordering: .acquiring))
    if let path = unsafe path { unsafe unlink(path) }
    RunningChildren.endAll()
    signal(number, SIG_DFL)
    raise(number)
}
