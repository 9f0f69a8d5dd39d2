internal import NIOSSL
internal import WireFormat

/// What an error of NIOSSL means, as one sentence with the remedy: the same for our own connections and for those of other clients.
package enum TLSReason {
    static let closed = "the connection was closed: check that the port speaks TLS"

    /// The sentence, without the host; `nil` if `error` has another cause than TLS.
    package static func text(_ error: any Error) -> String? {
        switch error {
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])): return closed
        case NIOSSLError.uncleanShutdown:
            return "the server closed the connection before the response ended: try again, or ask its operator"
        case is NIOSSLError, is BoringSSLError:
            return code(error).map(text(ofCode:)) ?? VisibleText.quoted(LibraryText.withoutInternals("\(error)"))
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "\(InvalidServer.otherName)"
        case is NIOSSLExtraError: return VisibleText.quoted(LibraryText.withoutInternals("\(error)"))
        default: return nil
        }
    }

    /// The whole sentence about a connection that ended with `error`; for an error with another cause than TLS, its own text.
    package static func sentence(_ error: any Error) -> String {
        text(error).map { "the TLS connection failed: \($0)" } ?? "\(error)"
    }

    /// Whether `error` says that the certificate of the server was refused here.
    package static func isAboutCertificate(_ error: any Error) -> Bool {
        (error as? NIOSSLExtraError) == .failedToValidateHostname || code(error) == "CERTIFICATE_VERIFY_FAILED"
    }

    private static func text(ofCode code: String) -> String {
        switch code {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST": "the server does not speak TLS: check the port"
        case let code where code.contains("PROTOCOL_VERSION") || code == "UNSUPPORTED_PROTOCOL":
            "the server speaks no version of TLS that the settings allow (\(code)): update it, or set minimumVersion"
        // The server does not say what it has, and BoringSSL names both alerts as those of older versions.
        case "SSLV3_ALERT_HANDSHAKE_FAILURE", "TLSV1_ALERT_INSUFFICIENT_SECURITY":
            "the server has no cipher or key exchange in common with this client (\(code)): in TLS 1.2 it needs ECDHE with AES-GCM or "
                + "ChaCha20-Poly1305, so update it, or allow the older cipher that it has (olderCiphers, --allow-cipher)"
        case "NO_COMMON_SIGNATURE_ALGORITHMS":
            "our key signs with no algorithm that the server takes: use an identity with another key"
        // BoringSSL does not say which rule is broken.
        case "CERTIFICATE_VERIFY_FAILED":
            "the roots of this client do not vouch for the server's certificate: add the root of its authority to them, or "
                + "renew the certificate if it has expired"
        default: "\(code): check the TLS settings of the server"
        }
    }

    /// BoringSSL's word for the first error, such as `WRONG_VERSION_NUMBER`.
    static func code(_ error: any Error) -> String? {
        let inner: BoringSSLError
        switch error {
        case let error as BoringSSLError: inner = error
        case NIOSSLError.handshakeFailed(let error), NIOSSLError.shutdownFailed(let error): inner = error
        default: return nil
        }
        guard case .sslError(let stack) = inner, let first = stack.first else { return nil }
        return LibraryText.code(in: "\(first)")
    }
}
