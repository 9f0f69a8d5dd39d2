extension ServerHandshake {
    /// Whether a message says that it is an AUTHENTICATE, the last of a handshake.
    package static func isAuthenticate(_ message: Span<UInt8>) -> Bool {
        do { try MessageHeader.authenticate.check(message, minimum: MessageHeader.size) } catch { return false }
        return true
    }

    /// The names that an AUTHENTICATE claims, before anything is proven: to look up the account.
    package static func claimedName(
        in authenticate: Span<UInt8>
    ) throws(ServerHandshakeError) -> (user: String, domain: String) {
        let message: AuthenticateLayout
        do { message = try AuthenticateLayout(of: authenticate) } catch { throw .message(error) }
        return try Verification.claimedName(message, authenticate)
    }
}
