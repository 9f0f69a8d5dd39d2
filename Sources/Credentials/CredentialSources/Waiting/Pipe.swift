internal import CChildProcesses

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open descriptor, which is closed with its last owner.
final class Descriptor: Sendable {
    let number: Int32

    /// Takes ownership of `number`.
    init(_ number: Int32) { self.number = number }

    deinit { _ = close(number) }
}

/// Two ends of a pipe, which children do not inherit, and which wait for nothing.
struct Pipe: Sendable {
    let reader: Descriptor
    let writer: Descriptor

    /// - Throws: ``SystemError``.
    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe sallyport_pipe(&ends) == 0 else { throw SystemError(operation: "make a pipe", code: errno) }
        reader = Self.aboveStandard(ends[0])
        writer = Self.aboveStandard(ends[1])
    }

    /// A descriptor above 2, because 0 to 2 are replaced in a child. They are free if this process was started without them.
    private static func aboveStandard(_ number: Int32) -> Descriptor {
        guard number <= STDERR_FILENO else { return Descriptor(number) }
        let moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard moved >= 0 else { return Descriptor(number) }
        _ = close(number)
        return Descriptor(moved)
    }
}

extension Descriptor {
    /// Reads and writes return `EAGAIN` instead of waiting.
    func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
}

/// The system refused an operation.
struct SystemError: Error, Equatable {
    let operation: String
    let code: Int32
}
