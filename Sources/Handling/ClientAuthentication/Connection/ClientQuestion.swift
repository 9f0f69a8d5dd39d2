internal import NTLM
internal import Secrets

/// What a connection asks the directory. Between question and reply the connection takes no other request.
public struct ClientQuestion: Sendable {
    enum Proof: Sendable {
        case password(SharedSecret)
        case digest(SignedRequest)
        case ntlm(authenticate: [UInt8])
    }

    /// The account.
    public let name: ClientName
    let proof: Proof
    let attempt: GuessAttempt

    /// Asks `directory`. As many questions as wrong passwords are left run at once; the others wait for their turn.
    ///
    /// - Throws: the error of the directory. Give `nil` to ``ClientConnection/replied(_:to:)`` then.
    public func ask(_ directory: any ClientDirectory) async throws -> ClientReply {
        do { try await attempt.turn() } catch let error as TooManyGuesses { return ClientReply(.tooMany(error)) }
        return switch proof {
        case .password(let password): ClientReply(.isRight(try await directory.accepts(password, of: name)))
        case .digest, .ntlm: ClientReply(.secret(try await directory.secret(of: name)))
        }
    }
}

extension ClientQuestion: CustomStringConvertible, CustomReflectable {
    /// The account, without the proof.
    public var description: String { "<question about '\(name)'>" }

    /// Has no children, so that `dump` does not show the proof, by which passwords can be guessed.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What the directory says.
public struct ClientReply: Sendable {
    enum Content: Sendable {
        case isRight(Bool)
        case secret(ClientSecret?)
        /// The directory was not asked, because the guesses before this one were wrong.
        case tooMany(TooManyGuesses)
    }

    let content: Content

    init(_ content: Content) { self.content = content }
}

extension ClientReply: CustomStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "<reply>" }

    /// Has no children, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A Digest answer and the request that it signs.
struct SignedRequest: Sendable {
    let credentials: DigestCredentials
    let method: String
    let nonce: DigestNonces.Nonce
}
