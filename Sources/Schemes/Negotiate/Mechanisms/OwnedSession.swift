package import NTLM

/// The session of an NTLM handshake in a copyable value. It signs one message in each direction, the list of mechanisms with sequence
/// number 0 (MS-SPNG 3.1.5.1).
///
/// `@unchecked Sendable` is safe, because one negotiation owns it and calls it in order.
package final class OwnedSession: @unchecked Sendable {
    private var session: SessionSecurity

    package init(_ session: consuming SessionSecurity) { self.session = session }

    /// The code over `bytes`.
    package func sign(_ bytes: Span<UInt8>) -> [UInt8]? {
        do throws(SessionSecurityError) { return try session.sign(bytes) } catch { return nil }
    }

    /// Whether the peer's code over `bytes` is right.
    package func accepts(_ code: Span<UInt8>, over bytes: Span<UInt8>) -> Bool {
        // `verify` reads the first bytes alone.
        guard code.count == SessionSecurity.signatureSize else { return false }
        do throws(SessionSecurityError) { try session.verify(bytes, signature: code) } catch { return false }
        return true
    }
}
