public import Secrets

/// A token that opens a resource.
public struct AccessToken: Sendable {
    /// How the token is shown to the resource.
    public enum Kind: Hashable, Sendable {
        /// RFC 6750.
        case bearer
        /// RFC 9449: each request carries a proof with the client's key.
        case dpop
    }

    /// The token.
    public let secret: SharedSecret
    /// How it is shown.
    public let kind: Kind
    /// When it ends, in seconds since 1970; `nil` if the service did not say.
    public let expiry: Int64?
    /// What it is good for, as the service says; `nil` if it does not say, and then what was asked for.
    public let scope: String?
    /// Whether it must never go over plain http.
    public let requiresTLS: Bool
    /// Whether it comes from a store, and not from its service just now: another one may help if it is refused at its first use.
    public let isStored: Bool
    /// Makes the proofs of a token that is bound to a key. Without it no request can carry such a token.
    public let prover: TokenProver?

    /// Makes a token, for example one that was generated elsewhere.
    public init(
        _ secret: SharedSecret,
        kind: Kind = .bearer,
        expiry: Int64? = nil,
        scope: String? = nil,
        requiresTLS: Bool = true,
        isStored: Bool = false,
        prover: TokenProver? = nil
    ) {
        self.secret = secret
        self.kind = kind
        self.expiry = expiry
        self.scope = scope
        self.requiresTLS = requiresTLS
        self.isStored = isStored
        // A bearer token is bound to no key.
        self.prover = kind == .dpop ? prover : nil
    }

    /// The same token with an end that is not after `end`; `nil` for no other end.
    package func ending(by end: Int64?) -> AccessToken {
        guard let end, expiry.map({ $0 > end }) ?? true else { return self }
        return AccessToken(
            secret,
            kind: kind,
            expiry: end,
            scope: scope,
            requiresTLS: requiresTLS,
            isStored: isStored,
            prover: prover
        )
    }

    /// The same token with what makes its proofs; a bearer token stays as it is.
    package func proven(by prover: TokenProver?) -> AccessToken {
        AccessToken(
            secret,
            kind: kind,
            expiry: expiry,
            scope: scope,
            requiresTLS: requiresTLS,
            isStored: isStored,
            prover: prover
        )
    }

    /// Whether a request that is sent at `now` still has at least `margin` seconds.
    public func isValid(at now: Int64, margin: Int64 = 0) -> Bool {
        guard let expiry else { return true }
        let (limit, overflow) = now.addingReportingOverflow(margin)
        return !overflow && limit < expiry
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// The kind and the end, without the token.
    public var description: String { "<\(kind) token\(expiry.map { " until \($0)" } ?? "")>" }

    /// Everything but the token.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "expiry": expiry as Any, "scope": scope as Any])
    }
}

/// What a token service has granted.
public struct TokenGrant: Sendable {
    /// The token for requests.
    public let access: AccessToken
    /// The token that brings the next one; it is good for one use where the service rotates it.
    public let refresh: SharedSecret?
    /// The ID token, in the form in which it is shown to an identity-aware proxy; `nil` if the service sent none.
    public let identity: AccessToken?

    /// Makes a grant.
    public init(access: AccessToken, refresh: SharedSecret?, identity: AccessToken? = nil) {
        self.access = access
        self.refresh = refresh
        self.identity = identity
    }
}

extension TokenGrant: CustomStringConvertible, CustomReflectable {
    /// The access token's kind and end.
    public var description: String { "\(access)\(refresh == nil ? "" : " with a refresh token")" }

    /// Nothing that is secret.
    public var customMirror: Mirror { Mirror(self, children: ["access": access]) }
}
