import NTLM
import WireFormat

/// A server's codes by the session of an NTLM handshake, which counts its messages: another way than the one that clients and servers
/// take.
///
/// Tests call it from one task.
final class ListSession {
    private struct Missing: Error {}
    private var session: SessionSecurity

    init(_ session: consuming SessionSecurity?) throws {
        guard let session else { throw Missing() }
        self.session = session
    }

    func sign(_ list: [UInt8]) -> [UInt8]? { try? session.sign(list.span) }

    func accepts(_ code: Span<UInt8>, over list: [UInt8]) -> Bool {
        do { try session.verify(list.span, signature: code) } catch { return false }
        return true
    }
}
