internal import NTLM
internal import Negotiate
internal import Secrets

/// What a connection asks the directory, or the system's Kerberos. Between question and reply the connection takes no other request.
public struct ClientQuestion: Sendable {
    enum Subject: Sendable {
        case account(AccountQuestion)
        case ticket(TicketQuestion)
    }

    let subject: Subject

    init(_ subject: Subject) { self.subject = subject }

    /// The account; `nil` for a ticket of Kerberos, which names it when it has been checked.
    public var name: ClientName? {
        if case .account(let question) = subject { return question.name }
        return nil
    }

    /// Asks `directory`; about a ticket, the system's Kerberos. As many questions as wrong passwords are left run at once; the others
    /// wait for their turn.
    ///
    /// - Throws: the error of the directory or of Kerberos. Give `nil` to ``ClientConnection/replied(_:to:)`` then.
    public func ask(_ directory: any ClientDirectory) async throws -> ClientReply {
        switch subject {
        case .account(let question): return try await question.ask(directory)
        case .ticket(let question):
            do {
                return ClientReply(.ticket(.success(try await question.verifier.acceptance(of: question.claim))))
            } catch let refusal as SystemRefusal {
                return ClientReply(.ticket(.failure(refusal)))
            }
        }
    }
}

extension ClientQuestion: CustomStringConvertible, CustomReflectable {
    /// The account, without the proof.
    public var description: String { name.map { "<question about '\($0)'>" } ?? "<question about a ticket>" }

    /// Has no children, so that `dump` does not show the proof, by which passwords can be guessed.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Whether the proof of an account is right.
struct AccountQuestion: Sendable {
    enum Proof: Sendable {
        case password(SharedSecret)
        case digest(SignedRequest)
        case ntlm(ClientProof, authenticate: [UInt8])
    }

    let name: ClientName
    let proof: Proof
    let attempt: GuessAttempt

    func ask(_ directory: any ClientDirectory) async throws -> ClientReply {
        do { try await attempt.turn() } catch let error as TooManyGuesses { return ClientReply(.tooMany(error)) }
        return switch proof {
        case .password(let password): ClientReply(.isRight(try await directory.accepts(password, of: name)))
        case .digest: ClientReply(.secret(try await directory.secret(of: name)))
        case .ntlm(let proof, _): ClientReply(.judgement(try await directory.judgement(of: proof, of: name)))
        }
    }
}

/// Whether a ticket of Kerberos is right. Tickets are not counted as guesses, because a key of a KDC cannot be guessed.
struct TicketQuestion: Sendable {
    let claim: SystemClaim
    /// What is around the ticket; `nil` without SPNEGO.
    let negotiation: ServerNegotiation?
    let verifier: any SystemMessageVerifier
}

/// What the directory says.
public struct ClientReply: Sendable {
    enum Content: Sendable {
        case isRight(Bool)
        case secret(ClientSecret?)
        case judgement(ProofJudgement)
        /// The directory was not asked, because the guesses before this one were wrong.
        case tooMany(TooManyGuesses)
        /// What the system's Kerberos says.
        case ticket(Result<SystemAcceptance, SystemRefusal>)
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
