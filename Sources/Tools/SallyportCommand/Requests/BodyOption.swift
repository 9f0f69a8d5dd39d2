internal import NIOCore
internal import OfflineVerbs
internal import SallyportClient
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The body that `--data` or `--data-binary` names, as curl reads them.
///
/// Each body can be sent again, because a server may ask for authentication after it. One file whose bytes are all sent is read each
/// time. Everything else is copied first, because it has no length yet: standard input, parts that are joined, a file without its line
/// ends.
enum BodyOption {
    private static let standardInput = "@-"

    /// - Parameter clock: gets to know that bytes were sent.
    static func body(_ options: RequestOptions, _ clock: RequestClock) throws(RequestProblem) -> ClientRequest.Body {
        guard options.hasBody else { return .none }
        let isBinary = options.data.isEmpty
        let parts = isBinary ? options.dataBinary : options.data
        if isBinary, parts.count == 1, parts[0].hasPrefix("@"), parts[0] != standardInput {
            let (file, isFile) = try open(parts[0])
            if isFile { return try repeatable(file, clock) }
            return try joined([.stream(file)], isBinary: true, clock)
        }
        var sources: [Source] = []
        for part in parts {
            if part == standardInput {
                sources.append(.stream(OpenFile(STDIN_FILENO, "-", isOwned: false)))
            } else {
                sources.append(part.hasPrefix("@") ? .stream(try open(part).file) : .text(part))
            }
        }
        return try joined(sources, isBinary: isBinary, clock)
    }

    private enum Source {
        case text(String)
        case stream(OpenFile)
    }

    /// The bytes of all sources with '&' between them.
    private static func joined(
        _ sources: [Source],
        isBinary: Bool,
        _ clock: RequestClock
    ) throws(RequestProblem) -> ClientRequest.Body {
        var copy = BodyCopy()
        for (index, source) in sources.enumerated() {
            if index > 0 { try copy.append(ByteBuffer(string: "&")) }
            switch source {
            case .text(let text): try copy.append(ByteBuffer(bytes: SystemPath.bytes(text)))
            case .stream(let file): try copy.append(contentsOf: file, isBinary: isBinary)
            }
        }
        guard let file = try copy.finish() else { return .bytes(copy.start) }
        return try repeatable(file, clock)
    }

    private static func open(_ part: String) throws(RequestProblem) -> (file: OpenFile, isFile: Bool) {
        let path = String(part.dropFirst())
        do throws(FileReadError) {
            return (
                OpenFile(try FileReading.openStream(path), path), try FileReading.kind(of: path) == .file
            )
        } catch {
            throw .data(path, reason: FileProblem.reading(error))
        }
    }

    private static func repeatable(
        _ file: OpenFile,
        _ clock: RequestClock
    ) throws(RequestProblem) -> ClientRequest.Body {
        // The parts are read at places of their own, so the descriptor's does not matter.
        let length = Int64(lseek(file.descriptor, 0, SEEK_END))
        guard length >= 0 else { throw file.problem(errno) }
        return .repeatable(length: length) { FileParts(file: file, length: length, clock: clock) }
    }
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
                throw file.problem(failure)
            }
            guard count > 0 else {
                throw RequestProblem.data(
                    file.place,
                    reason: "the file became shorter while it was sent: send it again"
                )
            }
            offset += Int64(count)
            return part
        }
    }
}
