package import Secrets
internal import WireFormat

/// Why a token service gave no token.
public enum TokenServiceError: Error, Equatable, Sendable {
    /// The body has more bytes than ``TokenLimits/responseBytes``.
    case tooLong(bytes: Int)
    /// The body is not one JSON object; the text says where.
    case notJSON(String)
    /// The status is not a success, and the body says no reason.
    case status(Int)
    /// A member that the specification demands is missing or of another kind.
    case missing(String)
    /// A member has a value that must not be used; the second text says why.
    case unusable(String, String)
    /// The service refused, with a code of its specification.
    case refused(OAuthRefusal)
    /// The code of a ``DeviceAuthorization`` ended before the user had decided; the text says what the last question got, `nil` for
    /// no question.
    case codeEnded(last: String?)
    /// ``TokenLimits/unreadableResponses`` in a row about a ``DeviceAuthorization`` could not be read; the text says what the last one was.
    case unreadable(last: String)
}

extension TokenServiceError: CustomStringConvertible {
    /// One line: the problem and the remedy. Text of the service is quoted and shortened.
    public var description: String {
        switch self {
        case .tooLong(let bytes): "a response of \(bytes) bytes; at most \(TokenLimits.responseBytes) are read"
        case .notJSON(let place): "the response is not JSON, \(place): check the URL of the token service"
        case .status(let status) where [401, 403].contains(status):
            "status \(status) without a reason: check the client's identifier and its proof: the secret, the key or the certificate"
        case .status(let status): "status \(status) without a reason: check the URL of the token service"
        case .missing(let name): "the response has no '\(name)': check the URL of the token service"
        case .unusable(let name, let why): "'\(name)' in the response: \(why)"
        case .refused(let refusal): "\(refusal)"
        case .unreadable(let last):
            "\(TokenLimits.unreadableResponses) responses in a row cannot be read, the last one with \(last): check the URL of the token service "
                + "and what is before it, and sign in again"
        case .codeEnded(let last):
            "the code ended before the sign-in was decided: sign in again\(last.map { "; the last question got: \($0)" } ?? "")"
        }
    }
}

/// An error response of an OAuth service (RFC 6749 section 5.2).
public struct OAuthRefusal: Error, Hashable, Sendable {
    /// What the service says.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is sent.
        public let rawValue: String

        /// Takes any code.
        public init(rawValue: String) { self.rawValue = rawValue }

        // RFC 6749 section 5.2.
        /// The request lacks a parameter, or has one twice.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is unknown, or its secret is wrong.
        public static let invalidClient = Code(rawValue: "invalid_client")
        /// The code, refresh token or password is wrong, used, expired or revoked.
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        /// The client may not use this grant.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        /// The service does not know this grant.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The scope is unknown or too wide.
        public static let invalidScope = Code(rawValue: "invalid_scope")
        // RFC 8628 section 3.5.
        /// The user has not decided yet.
        public static let authorizationPending = Code(rawValue: "authorization_pending")
        /// The user has not decided yet, and the questions come too often.
        public static let slowDown = Code(rawValue: "slow_down")
        /// The user has refused.
        public static let accessDenied = Code(rawValue: "access_denied")
        /// The device code is too old.
        public static let expiredToken = Code(rawValue: "expired_token")
        // RFC 7009 section 2.2.1.
        /// The service does not take back tokens of this kind.
        public static let unsupportedTokenType = Code(rawValue: "unsupported_token_type")
        // RFC 8707 section 2 and RFC 9449 section 5.
        /// The service does not serve this resource.
        public static let invalidTarget = Code(rawValue: "invalid_target")
        /// The proof of possession cannot be used.
        public static let invalidDPoPProof = Code(rawValue: "invalid_dpop_proof")
        /// The proof of possession needs the service's nonce.
        public static let useDPoPNonce = Code(rawValue: "use_dpop_nonce")
    }

    /// What the service says.
    public let code: Code
    /// The service's own words for a developer; they may be anything.
    public let text: String?

    /// Makes a refusal.
    public init(code: Code, text: String?) { (self.code, self.text) = (code, text) }
}

extension OAuthRefusal: CustomStringConvertible {
    /// One line: the code, the service's words, and what to do.
    public var description: String {
        let words = text.map { " (\(VisibleText.quoted($0)))" } ?? ""
        return "the token service says \(VisibleText.quoted(code.rawValue))\(words): \(remedy)"
    }

    private var remedy: String {
        switch code {
        case .invalidClient: "check the client's identifier and secret"
        case .invalidGrant: "sign in again"
        case .unauthorizedClient, .unsupportedGrantType: "allow this grant for the client at the service"
        case .invalidScope: "ask for a scope that the client may have"
        case .authorizationPending, .slowDown: "wait for the user"
        case .accessDenied: "the user has refused; sign in again if that was a mistake"
        case .expiredToken: "the code is too old; begin again"
        case .invalidDPoPProof: "check the clock of this machine"
        case .invalidTarget: "name a resource that the service knows"
        default: "check the request's settings"
        }
    }
}

extension OAuthRefusal {
    /// The same without the service's words if they repeat a secret of the request: the words go into errors and logs.
    package func hiding(_ secrets: [SharedSecret?]) -> OAuthRefusal {
        guard let text else { return self }
        let words = Array(text.utf8)
        let isRepeated = secrets.contains { secret in
            guard let secret, secret.count > 0 else { return false }
            return secret.withBytes { bytes in
                var copy = bytes.indices.map { bytes[$0] }
                defer { erase(&copy) }
                return words.contains(copy)
            }
        }
        return isRepeated ? OAuthRefusal(code: code, text: nil) : self
    }
}
