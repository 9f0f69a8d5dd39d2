#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Ends the waiting of a thread from outside. The thread polls ``descriptor``, which is readable from then on.
final class Interruption: Sendable {
    private let pipe: Pipe

    init() throws(SystemError) {
        pipe = try Pipe()
        pipe.writer.makeNonBlocking()
    }

    /// Becomes readable, and stays so, because the byte in the pipe is never read.
    var descriptor: Int32 { pipe.reader.number }

    var hasCome: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    func interrupt() {
        var byte: UInt8 = 1
        _ = unsafe write(pipe.writer.number, &byte, 1)
    }
}
