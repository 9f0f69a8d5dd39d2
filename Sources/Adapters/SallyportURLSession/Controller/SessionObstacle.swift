public import Sallyport

/// Why a controller does not handle a challenge of a URL loading system.
public enum SessionObstacle: Error, Equatable, Sendable {
    /// The profile or the state of the password forbids an answer.
    case refused(Refusal)
    /// The controller does not answer this authentication method, or not on this system.
    case unsupportedMethod(String)
    /// The protection space does not name an http or https server, or an http proxy.
    case unreadableSpace(host: String)
    /// The challenge has no response of its server, so the path and the offered schemes are not known.
    case responseMissing(host: String)
    /// The response also offers this scheme, which is stronger than the one that the system has chosen.
    case weakerScheme(chosen: AuthenticationScheme, offered: AuthenticationScheme)
    /// The server refused the client certificate.
    case identityRefused(host: String)
    /// The profile has no pins for the server, so that its check is the system's.
    case notPinned(host: String)
    /// The system cannot send this account or identity.
    case noSystemCredential(name: String)
}

extension SessionObstacle: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .refused(let refusal): "\(refusal)"
        case .unsupportedMethod(let method):
            "'\(method)' is not answered here: send the request with a SessionAuthenticator, or answer it yourself"
        case .unreadableSpace(let host):
            "the protection space of '\(host)' is not that of a web server or http proxy: answer it yourself"
        case .responseMissing(let host):
            "the challenge of '\(host)' has no response of that server: pass the challenge as the system delivers it"
        case .weakerScheme(let chosen, let offered):
            "the system chose \(chosen) although the server offers \(offered): send the request with a SessionAuthenticator"
        case .identityRefused(let host): "'\(host)' refused the client certificate: fetch a new one"
        case .notPinned(let host): "the profile has no pins for '\(host)': let the system check the server, or add pins"
        case .noSystemCredential(let name):
            "'\(name)' cannot be given to the system: use a password, or a key in the keychain"
        }
    }
}
