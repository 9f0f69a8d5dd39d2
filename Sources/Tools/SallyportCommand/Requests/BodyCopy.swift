internal import NIOCore
internal import OfflineVerbs
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A body that is put together before it is sent: in memory if it is short, otherwise in a file without a name.
struct BodyCopy {
    /// How much is kept in memory.
    private static let keptBytes = 256 << 10
    /// How much of a stream is read at once.
    private static let partBytes = 64 << 10
    /// What curl leaves out of a file with text: NUL, line feed, carriage return.
    private static let lineEnds: [UInt8] = [0x00, 0x0A, 0x0D]

    /// What is in memory: the whole body, unless there is a file.
    private(set) var start = ByteBuffer()
    private var file: OpenFile?

    mutating func append(_ bytes: ByteBuffer) throws(RequestProblem) {
        start.writeImmutableBuffer(bytes)
        if start.readableBytes > Self.keptBytes { try spill() }
    }

    /// Appends what the stream has until its end.
    ///
    /// - Parameter isBinary: whether line ends and zeros stay.
    mutating func append(contentsOf stream: OpenFile, isBinary: Bool) throws(RequestProblem) {
        while true {
            var part = ByteBuffer()
            var failure: Int32 = 0
            let count = unsafe part.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.partBytes) { room in
                let got = unsafe read(stream.descriptor, room.baseAddress, room.count)
                if got < 0 { failure = errno }
                return max(0, got)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw stream.problem(failure) }
            guard count > 0 else { return }
            try append(
                isBinary ? part : ByteBuffer(bytes: part.readableBytesView.filter { !Self.lineEnds.contains($0) })
            )
        }
    }

    /// The file with the body; `nil` if ``start`` is the body.
    mutating func finish() throws(RequestProblem) -> OpenFile? {
        if file != nil { try spill() }
        return file
    }

    /// Moves what is in memory to the file.
    private mutating func spill() throws(RequestProblem) {
        let copy = if let file { file } else { try OpenFile.temporary() }
        file = copy
        let failure = unsafe start.withUnsafeReadableBytes { bytes in
            unsafe DescriptorWriting.writeAll(bytes, to: copy.descriptor)
        }
        guard failure == 0 else { throw copy.problem(failure, of: "write it") }
        start.clear()
    }
}

/// A file that stays open for as long as it is used.
final class OpenFile: Sendable {
    let descriptor: Int32
    /// Its name in messages.
    let place: String
    private let isOwned: Bool

    /// - Parameter path: the file's path, or `-` for standard input.
    init(_ descriptor: Int32, _ path: String, isOwned: Bool = true) {
        (self.descriptor, place, self.isOwned) = (descriptor, FileProblem.name(of: path), isOwned)
    }

    /// A file without a name, of mode 0600.
    static func temporary() throws(RequestProblem) -> OpenFile {
        guard let stream = unsafe tmpfile() else { throw failure("temporary file", errno, of: "make it") }
        let copy = dup(unsafe fileno(stream))
        let code = errno
        unsafe fclose(stream)
        guard copy >= 0 else { throw failure("temporary file", code, of: "make it") }
        return OpenFile(copy, "temporary file")
    }

    deinit { if isOwned { close(descriptor) } }

    /// Why an operation failed.
    func problem(_ code: Int32, of operation: String = "read it") -> RequestProblem {
        Self.failure(place, code, of: operation)
    }

    private static func failure(_ place: String, _ code: Int32, of operation: String) -> RequestProblem {
        .data(place, reason: "cannot \(operation) (\(SystemReason.text(code))): check the disk, or where it comes from")
    }
}
