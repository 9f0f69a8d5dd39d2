internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import WireFormat

/// What errors of the libraries for sockets and TLS mean, in plain words. Their own texts name types, which help their authors alone.
extension CaptureError {
    /// Why no connection was made.
    init(connecting error: any Error) { self = .notConnected(Self.reason(error) ?? LibraryText.sentence(error)) }

    /// Why a handshake failed.
    init(handshake error: any Error) {
        switch LibraryText.code(in: "\(error)") {
        // The server has no certificate that it can show to this client, and no word in TLS says which one it has.
        case let code? where Self.keyCodes.contains(code): self = .unknownKeyType
        case let code?: self = .handshakeFailed(Self.reason(ofCode: code))
        case nil:
            if case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])) = error {
                self = .handshakeFailed(Self.closed)
            } else {
                let lost = Self.reason(error).map { "the connection was lost (\($0)): check that the port speaks TLS" }
                self = .handshakeFailed(lost ?? LibraryText.sentence(error))
            }
        }
    }

    /// What a server without TLS does too.
    static let closed = "the server closed the connection: check that the port speaks TLS"

    /// What BoringSSL says of a key that it does not know, and of an alert about the choice of algorithms.
    private static let keyCodes: Set = [
        "SSLV3_ALERT_HANDSHAKE_FAILURE", "UNSUPPORTED_ALGORITHM", "UNKNOWN_CERTIFICATE_TYPE", "WRONG_SIGNATURE_TYPE",
    ]

    /// What a word of BoringSSL means. It stays in the text, because it can be searched for.
    private static func reason(ofCode code: String) -> String {
        switch code {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST": "the server does not speak TLS: check the port"
        case let code where code.contains("PROTOCOL_VERSION") || code == "UNSUPPORTED_PROTOCOL":
            "the server speaks none of TLS 1.0 to 1.3 (\(code)): update it"
        case let code where code.contains("UNRECOGNIZED_NAME"):
            "the server has no certificate for this name (\(code)): check the name"
        case let code where code.contains("ALERT"): "the server refused it (\(code)): see its log"
        default: "the server's messages cannot be read (\(code)): check that the port speaks TLS"
        }
    }

    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as NIOConnectionError:
            guard error.connectionErrors.isEmpty else {
                // IPv4 and IPv6 often fail for one reason.
                let reasons = error.connectionErrors.compactMap { reason($0.error) }
                return reasons.first.map { first in
                    ([first] + reasons.filter { $0 != first }.prefix(1)).joined(separator: ", ")
                }
            }
            return "the name cannot be resolved: check its spelling, or give its address with --resolve"
        case let error as IOError: return SystemReason.text(error.errnoCode)
        case ChannelError.connectTimeout: return "no answer in time; see --timeout"
        default: return nil
        }
    }
}
