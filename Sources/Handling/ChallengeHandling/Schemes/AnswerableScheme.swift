package import Credentials
package import HTTPAuthentication

/// A scheme that a handler can answer. A class, so that a decision copies one reference.
///
/// A new scheme is a file with a constant of this type, its name in ``standard``, and a case of `AuthenticationExchange`. Architecture, "Where a new
/// part goes", has the whole list.
package final class AnswerableScheme: Sendable {
    /// The name of the scheme in challenges.
    package let name: AuthenticationScheme
    /// Whether the messages authenticate the connection and not one request.
    package let isConnectionBound: Bool
    /// Whether the answer shows the secret to everyone who reads it.
    package let showsSecret: Bool
    /// Of two schemes, the one with the larger number tells an observer or a false server less.
    package let strength: Int
    /// Whether a challenge of this scheme is one of its stronger ones; `nil` if they do not differ. Digest has algorithms.
    package let isStrong: (@Sendable (Challenge) -> Bool)?
    /// Whether the exchange binds itself to TLS.
    package let bindsChannel: Bool
    /// Whether a credential of this kind can answer.
    package let canUse: @Sendable (Credential) -> Bool
    /// Starts an exchange.
    package let exchange: @Sendable (SchemeInput) -> AuthenticationExchange

    package init(
        name: AuthenticationScheme,
        isConnectionBound: Bool,
        showsSecret: Bool,
        strength: Int,
        isStrong: (@Sendable (Challenge) -> Bool)? = nil,
        bindsChannel: Bool = false,
        canUse: @escaping @Sendable (Credential) -> Bool,
        exchange: @escaping @Sendable (SchemeInput) -> AuthenticationExchange
    ) {
        self.name = name
        self.isConnectionBound = isConnectionBound
        self.showsSecret = showsSecret
        self.strength = strength
        self.isStrong = isStrong
        self.bindsChannel = bindsChannel
        self.canUse = canUse
        self.exchange = exchange
    }

    /// The schemes that accounts name. Handlers also answer ``dpop``.
    package static let standard: [AnswerableScheme] = [.basic, .bearer, .digest, .ntlm, .negotiate]
}
