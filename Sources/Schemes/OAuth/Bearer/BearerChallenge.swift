public import HTTPAuthentication

/// A challenge for a token (RFC 6750 section 3), also for one that is bound to a key (RFC 9449 section 7.1).
public struct BearerChallenge: Equatable, Sendable {
    /// Why a request with a token was refused (RFC 6750 section 3.1).
    public enum Problem: Equatable, Sendable {
        /// The request is malformed; another token does not help.
        case invalidRequest
        /// The token is expired, revoked or malformed; a new one may help.
        case invalidToken
        /// The token is good, and not for this; a wider scope helps.
        case insufficientScope
        /// The token has to come from a newer or stronger sign-in (RFC 9470).
        case insufficientAuthentication
        /// The proof of possession is malformed, or too old by the server's clock (RFC 9449 section 7.1); another token does not help.
        case invalidProof
        /// The proof of possession needs the server's nonce (RFC 9449 section 9); another token does not help.
        case missingNonce
        /// A word of which no specification tells.
        case other(String)
    }

    /// The protection space; `nil` if the server names none.
    public let realm: String?
    /// The scope that a token needs.
    public let scope: String?
    /// Why the token was refused; `nil` if the request had none.
    public let problem: Problem?
    /// Where the resource describes itself (RFC 9728 section 5.1).
    public let resourceMetadata: ServiceURL?

    /// Reads a challenge; `nil` for one of another scheme.
    public init?(_ challenge: Challenge) {
        guard challenge.scheme.usesToken else { return nil }
        realm = challenge["realm"]
        // As in the service's responses, what is empty is not said.
        scope = challenge["scope"].flatMap { $0.isEmpty ? nil : $0 }
        problem = challenge["error"].flatMap { code in
            switch code {
            case "": nil
            case "invalid_request": .invalidRequest
            case "invalid_token": .invalidToken
            case "insufficient_scope": .insufficientScope
            case "insufficient_user_authentication": .insufficientAuthentication
            case "invalid_dpop_proof": .invalidProof
            case "use_dpop_nonce": .missingNonce
            default: .other(code)
            }
        }
        resourceMetadata = challenge["resource_metadata"].flatMap { try? ServiceURL($0) }
    }

    /// Whether a new token may help where this one was refused.
    public var wantsNewToken: Bool {
        switch problem {
        case nil, .invalidToken: true
        case .invalidRequest, .insufficientScope, .insufficientAuthentication, .invalidProof, .missingNonce, .other:
            false
        }
    }
}
