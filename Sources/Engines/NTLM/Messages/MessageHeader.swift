internal import WireFormat

/// The first twelve bytes of every message (MS-NLMP 2.2.1): eight of signature, four of type.
enum MessageHeader: UInt32 {
    case negotiate = 1
    case challenge = 2
    case authenticate = 3

    /// Bytes in the header.
    static let size = 12
    /// `NTLMSSP` and a zero.
    static let signature: [UInt8] = [0x4e, 0x54, 0x4c, 0x4d, 0x53, 0x53, 0x50, 0x00]

    /// Checks the signature, the type, and that the message has `minimum` to ``NTLMLimits/messageBytes`` bytes.
    func check(_ message: Span<UInt8>, minimum: Int) throws(MessageError) {
        assert(minimum >= Self.size && minimum <= NTLMLimits.messageBytes)
        guard message.count <= NTLMLimits.messageBytes else {
            throw .tooLong(bytes: message.count, limit: NTLMLimits.messageBytes)
        }
        let known = min(message.count, Self.signature.count)
        for index in 0..<known where message[index] != Self.signature[index] { throw .wrongSignature }
        guard let type = littleEndianUInt32(in: message, at: Self.signature.count) else {
            throw .truncated(needed: minimum, available: message.count)
        }
        guard type == rawValue else { throw .wrongMessageType(expected: rawValue, found: type) }
        guard message.count >= minimum else { throw .truncated(needed: minimum, available: message.count) }
    }

    func write(into message: inout ByteWriter) {
        message.put(Self.signature.span)
        message.put(littleEndian: rawValue)
    }

    func append(to message: inout [UInt8]) {
        message.append(contentsOf: Self.signature)
        message.append(littleEndian: rawValue)
    }
}
