public import Hostnames
public import SPKIPins
internal import WireFormat

/// The question about a server whose certificates do not prove that it is the one of its host.
public struct UntrustedServer: Hashable, Sendable {
    /// The server.
    public let origin: Origin
    /// Why it is not trusted, in one line.
    public let reason: String
    /// The certificates that it presented, in DER, its own first; at least one.
    public let chain: [[UInt8]]
    /// The pin of its key, for a person to compare with what the operator of the server says.
    public let pin: Pin

    /// Describes a server.
    ///
    /// - Returns: `nil` if its own certificate is missing or cannot be read: such a key cannot be trusted.
    public init?(origin: Origin, reason: String, chain: [[UInt8]]) {
        guard let leaf = chain.first, let pin = try? Pin(ofCertificate: leaf.span) else { return nil }
        self.origin = origin
        self.reason = reason
        self.chain = chain
        self.pin = pin
    }

    /// The DNS names and addresses for which the server's own certificate was made, at most ``mostHosts``; empty if they cannot be read.
    /// Escape them before you show them: the maker of the certificate wrote them.
    public var hosts: [String] {
        let leaf = chain[0]
        return (try? CertificateHosts.texts(of: leaf.span, atMost: Self.mostHosts)) ?? []
    }

    /// The most hosts that a question names. Certificates of large sites name hundreds.
    public static let mostHosts = 16

    /// Names, times and kind of key of the server's own certificate; `nil` if they cannot be read.
    public var details: CertificateDetails? {
        let leaf = chain[0]
        return try? CertificateDetails(of: leaf.span)
    }
}

extension UntrustedServer: CustomStringConvertible {
    /// One line: the server, the reason, and the pin of its key.
    public var description: String { "\(origin): \(reason); the key of the server is \(pin)" }
}

/// The reply to the question about an untrusted server.
public enum ServerTrustReply: Hashable, Sendable {
    /// Do not connect this time.
    case cancel
    /// Do not connect, and do not ask about this key at this host again before the next sign-out.
    case reject
    /// Trust the server's key at its host until a time, in Unix seconds. The authenticator forgets it at the sign-out.
    case trust(until: Int64)
}
