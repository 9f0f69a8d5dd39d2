internal import WireFormat

/// The bytes that a message was read from, for whoever writes it again: payloads may stand in any order and leave gaps, and
/// codes cover bytes, not meanings.
///
/// Equal to any other: how a message is laid out is no part of what it says.
struct OriginalBytes: Equatable, Sendable {
    private let bytes: [UInt8]?

    /// Of a message that was made here.
    init() { bytes = nil }

    /// Of a message that was read.
    init(copying message: Span<UInt8>) { bytes = [UInt8](copying: message) }

    static func == (left: OriginalBytes, right: OriginalBytes) -> Bool { true }

    /// The bytes, as long as `message` still says what they say.
    func unchanged<Message: Equatable>(
        since message: Message,
        reading read: (Span<UInt8>) throws(MessageError) -> Message
    ) -> [UInt8]? {
        guard let bytes, let before = try? read(bytes.span) else { return nil }
        return before == message ? bytes : nil
    }
}
