extension ServerHandshake {
    /// Whether a message says that it is an AUTHENTICATE, the last of a handshake.
    package static func isAuthenticate(_ message: Span<UInt8>) -> Bool {
        do { try MessageHeader.authenticate.check(message, minimum: MessageHeader.size) } catch { return false }
        return true
    }
}
