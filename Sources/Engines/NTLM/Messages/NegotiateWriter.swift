internal import WireFormat

/// Writes the one NEGOTIATE that this client sends: flags, and neither domain, workstation nor version.
enum NegotiateWriter {
    /// Returns the message, 40 bytes; ``NegotiateMessage`` draws the format.
    static func message(_ flags: NegotiateFlags) -> [UInt8] {
        let size = NegotiateMessage.fixedSize + NegotiateMessage.versionSize
        return ByteWriter.filling(count: size) { message in
            MessageHeader.negotiate.write(into: &message)
            message.put(littleEndian: flags.rawValue)
            // Domain and workstation: 0 bytes, at the end of the message.
            for _ in 0..<2 {
                message.put(littleEndian: UInt32(0))
                message.put(littleEndian: UInt32(size))
            }
            // Eight zeros in place of the version, because gss-ntlmssp refuses a message of less than 40 bytes.
            message.put(littleEndian: UInt64(0))
        }
    }
}
