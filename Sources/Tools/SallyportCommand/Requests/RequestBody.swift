internal import NIOCore
internal import SallyportNIO
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The body that `--data` names.
///
/// Each body can be sent again, because a server may ask for authentication after it. What has no length, such as standard input, is
/// therefore copied first: to memory if it is short, otherwise to a file without a name.
enum RequestBody {
    /// How much of a stream is kept in memory.
    private static let keptBytes = 256 << 10

    /// - Parameter clock: gets to know that bytes were sent.
    static func body(_ data: String?, _ clock: RequestClock) throws(RequestProblem) -> ClientRequest.Body {
        guard let data else { return .none }
        if data == "-" || data == "@-" { return try copied(from: STDIN_FILENO, "-", clock) }
        guard data.hasPrefix("@") else { return .bytes(ByteBuffer(bytes: SystemPath.bytes(data))) }
        let path = String(data.dropFirst())
        let descriptor: Int32
        let isFile: Bool
        do throws(FileReadError) {
            descriptor = try FileReading.openStream(path)
            isFile = try FileReading.kind(of: path) == .file
        } catch {
            throw .data(path, reason: FileProblem.reading(error))
        }
        let file = OpenFile(descriptor)
        guard isFile else { return try copied(from: descriptor, path, clock, keeping: file) }
        return try repeatable(file, path, clock)
    }

    private static func repeatable(
        _ file: OpenFile,
        _ place: String,
        _ clock: RequestClock
    ) throws(RequestProblem) -> ClientRequest.Body {
        // The parts are read at places of their own, so the descriptor's does not matter.
        let length = Int64(lseek(file.descriptor, 0, SEEK_END))
        guard length >= 0 else { throw unreadable(place, errno) }
        return .repeatable(length: length) { FileParts(file: file, length: length, clock: clock) }
    }

    private static func copied(
        from descriptor: Int32,
        _ place: String,
        _ clock: RequestClock,
        keeping source: OpenFile? = nil
    ) throws(RequestProblem) -> ClientRequest.Body {
        defer { withExtendedLifetime(source) {} }
        var start = ByteBuffer()
        while start.readableBytes <= keptBytes {
            guard try append(from: descriptor, to: &start, place) else { return .bytes(start) }
        }
        // tmpfile's file has no name, and mode 0600.
        guard let stream = unsafe tmpfile() else { throw unreadable(place, errno, of: "make a temporary file") }
        let copy = OpenFile(dup(unsafe fileno(stream)))
        unsafe fclose(stream)
        guard copy.descriptor >= 0 else { throw unreadable(place, errno, of: "make a temporary file") }
        repeat {
            let failure = unsafe start.withUnsafeReadableBytes { bytes in
                unsafe DescriptorWriting.writeAll(bytes, to: copy.descriptor)
            }
            guard failure == 0 else { throw unreadable(place, failure, of: "copy it to a temporary file") }
            start.clear()
        } while try append(from: descriptor, to: &start, place)
        return try repeatable(copy, place, clock)
    }

    /// Reads what is there; returns false at the end.
    private static func append(
        from descriptor: Int32,
        to buffer: inout ByteBuffer,
        _ place: String
    ) throws(RequestProblem) -> Bool {
        while true {
            var failure: Int32 = 0
            let count = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: FileParts.partBytes) { room in
                let got = unsafe read(descriptor, room.baseAddress, room.count)
                if got < 0 { failure = errno }
                return max(0, got)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw unreadable(place, failure) }
            return count > 0
        }
    }

    private static func unreadable(
        _ place: String,
        _ code: Int32,
        of operation: String = "read it"
    ) -> RequestProblem {
        .data(
            FileProblem.name(of: place),
            reason: "cannot \(operation) (\(SystemReason.text(code))): check where it comes from"
        )
    }
}

/// A file that stays open for as long as it is used.
private final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The bytes of a file, in parts. Each iterator has its own place in the file.
private struct FileParts: AsyncSequence, Sendable {
    static let partBytes = 64 << 10

    let file: OpenFile
    let length: Int64
    let clock: RequestClock

    func makeAsyncIterator() -> Iterator { Iterator(file: file, length: length, clock: clock) }

    struct Iterator: AsyncIteratorProtocol {
        let file: OpenFile
        let length: Int64
        let clock: RequestClock
        var offset: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            clock.advance()
            let wanted = Int(Swift.min(Int64(FileParts.partBytes), length - offset))
            guard wanted > 0 else { return nil }
            var part = ByteBuffer()
            var failure: Int32 = 0
            let place = offset
            let count = unsafe part.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { room in
                var got: Int
                repeat {
                    // In bounds: the buffer has room for `wanted` bytes.
                    got = unsafe pread(file.descriptor, room.baseAddress, wanted, off_t(place))
                } while got < 0 && errno == EINTR
                if got < 0 { failure = errno }
                return Swift.max(0, got)
            }
            guard failure == 0 else {
                throw RequestProblem.data(
                    "@FILE",
                    reason: "cannot read it (\(SystemReason.text(failure))): check the disk"
                )
            }
            guard count > 0 else {
                throw RequestProblem.data("@FILE", reason: "the file became shorter while it was sent: send it again")
            }
            offset += Int64(count)
            return part
        }
    }
}
