public import Hostnames
public import Secrets

/// What Git and a credential helper tell each other (gitcredentials(7), git-credential(1)).
///
/// ```
/// protocol=https
/// host=wiki.example:8443
/// path=a/b
/// username=jdoe
/// password=…
/// password_expiry_utc=1900000000
/// oauth_refresh_token=…
/// ```
///
/// One key and value a line; an empty line or the end of the input ends the message. Other keys are passed over, also
/// `capability[]`, because this program announces none.
public struct GitCredentialMessage: Sendable {
    /// `http`, `https`, or a protocol of Git's own.
    public var scheme: String
    /// The host, with its port if that is not the protocol's own one.
    public var host: String
    /// The path without its first slash; `nil` if it does not matter.
    public var path: String?
    /// The user name, as `jdoe` or `ACME\jdoe`.
    public var user: String?
    /// The password in UTF-8.
    public var password: SharedSecret?
    /// When the password expires, in seconds since 1970.
    public var expires: Int64?
    /// A refresh token that gets a new password where the password is an access token (`oauth_refresh_token`), in UTF-8.
    public var refreshToken: SharedSecret?
    /// Whether the helper asks Git to stop, so that no other helper and no person is asked.
    public var quits = false

    /// Makes a message.
    public init(scheme: String, host: String, path: String? = nil, user: String? = nil) {
        self.scheme = scheme
        self.host = host
        self.path = path
        self.user = user
    }

    /// Asks for the credential of a question.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - sendsPath: whether the path matters, as with Git's `credential.useHttpPath`.
    public init(asking question: CredentialQuestion, sendsPath: Bool = false) {
        let origin = question.origin
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        self.init(scheme: origin.scheme.rawValue, host: "\(origin.host)\(port)", user: question.user)
        if sendsPath, let path = question.path {
            self.path = String(path.hasPrefix("/") ? path.dropFirst() : path[...])
        }
    }

    /// The question that Git asks; `nil` for a protocol other than http and https, and for a host that cannot be read.
    public var question: CredentialQuestion? { question(hosts: .ascii) }

    /// The question that Git asks.
    ///
    /// - Parameter hosts: who reads the host. Git hands on the name of a URL as it was written, also an international one.
    public func question(hosts: HostReader) -> CredentialQuestion? {
        guard let scheme = Scheme(rawValue: scheme),
            let origin = try? Origin(parsing: "\(scheme.rawValue)://\(host)", hosts: hosts)
        else { return nil }
        return CredentialQuestion(origin: origin, path: path.map { "/\($0)" }, user: user)
    }

    /// This message with a credential, as a helper answers it.
    public func answered(by credential: SuppliedCredential) -> GitCredentialMessage {
        var answer = self
        answer.user = credential.login
        answer.password = credential.password
        if case .until(let time) = credential.keep { answer.expires = time }
        return answer
    }
}

extension GitCredentialMessage: CustomStringConvertible, CustomReflectable {
    /// Protocol and host, without the password.
    public var description: String { "<credential of \(scheme)://\(host)>" }

    /// What is not secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["scheme": scheme, "host": host, "path": path as Any, "user": user as Any])
    }
}
