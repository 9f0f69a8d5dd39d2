internal import SPKIPins
public import Sallyport

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Answers challenges of URL loading systems, with the calls of Workspace ONE's `AWController`.
///
/// Ported code keeps its delegate: it asks the controller first, and answers by itself if the controller returns `false`.
///
/// ```swift
/// let isHandled = controller.handleChallenge(forURLSessionChallenge: challenge, completionHandler: completionHandler)
/// if !isHandled { completionHandler(.performDefaultHandling, nil) }
/// ```
///
/// The profile is that of a `CurrentHandler`, which a ``SessionAuthenticator`` may share: a password that one of them gets is the
/// password of both, and a refusal counts for both.
public final class AuthenticationController: Sendable {
    /// What callers wait for together.
    enum Update: Hashable, Sendable {
        case credentials, certificates
    }

    let current: CurrentHandler
    let source: AuthenticationSource
    let system: SystemCredentials
    let handedOut = HandedOutPasswords()
    let updates = SharedCalls<Update, Void>()
    /// The name of the account that ``account`` describes and ``updateUserCredentials()`` changes.
    let accountName: String

    /// Makes a controller.
    ///
    /// - Parameters:
    ///   - current: the handler in use, which the controller replaces for new credentials.
    ///   - account: the name in the profile of the account that the user logs on with.
    ///   - source: where new passwords and client identities come from.
    ///   - identityCredential: makes the credential for a client identity, of a key that the system keeps:
    ///     `URLCredential(identity:certificates:persistence:)`. `nil` if client certificates are not answered; on Linux URLSession
    ///     cannot send one.
    public convenience init(
        _ current: CurrentHandler,
        account: String,
        source: AuthenticationSource,
        identityCredential: (@Sendable (ClientIdentity) -> URLCredential?)? = nil
    ) {
        self.init(
            current,
            account: account,
            source: source,
            system: SystemCredentials(identity: identityCredential, trust: SystemCredentials.systemTrust)
        )
    }

    init(_ current: CurrentHandler, account: String, source: AuthenticationSource, system: SystemCredentials) {
        self.current = current
        self.source = source
        self.system = system
        accountName = account
    }

    /// The names of the account that the user logs on with; `nil` if the profile in use does not have it.
    public var account: AccountNames? { current.handler.account(named: accountName).map(AccountNames.init) }
}

/// What the system's own types are made of, beside passwords.
struct SystemCredentials: Sendable {
    /// A server that the system asks about, and the credential that says that it is trusted.
    struct Trust {
        var trust: ServerTrust
        var credential: URLCredential
    }

    /// Makes the credential for a client identity.
    var identity: (@Sendable (ClientIdentity) -> URLCredential?)?
    /// Validates the server of a challenge; `nil` on systems that do not show it.
    var trust: (@Sendable (URLAuthenticationChallenge, Hostname) -> Trust?)?

    // SystemCredentials+Darwin.swift has the one of Apple's systems.
    #if !canImport(Security)
        /// Linux Foundation does not show the server of a connection.
        static var systemTrust: (@Sendable (URLAuthenticationChallenge, Hostname) -> Trust?)? { nil }
    #endif
}
