internal import HTTP1
internal import NIOCore

/// The body of a client's request on its way to the party.
struct RelayedBody {
    /// Where the bytes are.
    enum Gate {
        /// They wait: for a connection, for `100 Continue`, or for the last message of a handshake.
        case held
        /// They pass.
        case open
    }

    /// Whether the client waits for the word before it sends its body.
    enum Expectation {
        case none
        case waits
        case told
    }

    /// What has passed.
    private enum Passed {
        case nothing
        /// These bytes, which can be sent again.
        case kept(ByteBuffer)
        /// More than is kept.
        case gone
    }

    var reader: BodyReader
    var gate = Gate.held
    private var passed = Passed.nothing
    var expectation: Expectation

    init(_ head: RequestHead) {
        reader = BodyReader(head.framing)
        expectation = head.expectsContinue ? .waits : .none
    }

    var isAtEnd: Bool { reader.isAtEnd }

    var isOpen: Bool { if case .open = gate { true } else { false } }

    /// Takes out what is kept: it has one owner then, so a part is added without a copy.
    mutating func takeKept() -> ByteBuffer {
        guard case .kept(let bytes) = passed else { return ByteBuffer() }
        passed = .nothing
        return bytes
    }

    /// Records what has passed; `nil` for more than is kept.
    mutating func hasPassed(_ kept: ByteBuffer?) { passed = kept.map { .kept($0) } ?? .gone }

    /// What has passed, as long as it can be sent again.
    var kept: ByteBuffer? { if case .kept(let bytes) = passed { bytes } else { nil } }

    /// Whether bytes have passed that were not kept, so the body cannot be sent again.
    var isGone: Bool { if case .gone = passed { true } else { false } }

    /// Frees what is kept, because the response is the client's.
    mutating func forget() {
        if case .kept = passed { passed = .gone }
    }

    /// Whether a part is missing. It never comes if the client has closed its side.
    ///
    /// - Parameter received: what has come and has not passed.
    func lacks(after received: ByteBuffer) -> Bool {
        guard !isAtEnd else { return false }
        var reader = reader
        // A body that is malformed is refused where it is passed on.
        do { _ = try reader.advance(over: received.readableBytesUInt8Span) } catch { return false }
        return !reader.isAtEnd
    }
}
