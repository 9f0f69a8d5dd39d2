public import ClientAuthentication
internal import CredentialSources
internal import HTTPAuthentication
public import NTLM
public import Secrets
internal import Synchronization
internal import Waiting

/// The accounts of a Windows domain, judged by its controllers: Samba's `ntlm_auth` passes each question on to `winbindd`.
///
/// No password and no hash comes back, so Digest is not possible. NTLM needs the right to use winbind's privileged socket: on Debian the group
/// `winbindd_priv`.
///
/// The programs run as long as this value; each answers one question at a time, because winbind's library does not work on several threads.
public final class WinbindDirectory: ClientDirectory {
    /// How long a controller has to answer, waiting for a program included.
    static let timeLimit = Duration.seconds(5)
    /// How many questions wait for a program; more are refused at once.
    private static let mostWaiting = 1_000
    /// The most bytes of an answer.
    private static let answerBytes = 4_096
    /// How long a right password of Basic is not asked about again.
    static let memory = Duration.seconds(300)

    /// The schemes that the accounts can use, strong ones first. Basic needs the domain, which the response that is made for it depends on.
    public var schemes: [ClientScheme] { domain.isEmpty ? [.ntlm] : [.ntlm, .basic] }

    private let program: String
    private let arguments: [String]
    private let domain: String
    private let workers: WorkerThreads
    /// The programs that wait for a question. A thread takes one out for as long as it asks.
    private let idle = Mutex<[ChildDialogue]>([])
    private let accepted = AcceptedPasswords(for: memory)

    /// Starts no program; the first question does.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that is looked up in `$PATH`.
    ///   - configuration: the file for Samba's `--configfile`; `nil` for the one of the system.
    ///   - domain: the domain of names without one.
    ///   - programs: how many run at a time.
    /// - Precondition: `programs` is positive.
    public init(
        _ program: String = "ntlm_auth",
        configuration: String? = nil,
        domain: String = "",
        programs: Int = 4
    ) {
        self.program = program
        self.domain = domain
        arguments = ["--helper-protocol=ntlm-server-1"] + (configuration.map { ["--configfile=\($0)"] } ?? [])
        workers = WorkerThreads(threads: programs, waiting: Self.mostWaiting)
    }

    /// Returns `nil`: the controllers tell no secret.
    public func secret(of name: ClientName) async throws -> ClientSecret? { nil }

    /// The name with its domain, which is ``init(_:configuration:domain:programs:)``'s where it has none.
    public func canonical(_ name: ClientName) -> ClientName {
        name.domain.isEmpty ? ClientName(user: name.user, domain: domain) : name
    }

    /// Asks a controller whether a password is right, by a response of NTLM that is made here: `ntlm_auth` tells no reason for a wrong password, and so
    /// does not tell it from an outage.
    public func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        let name = canonical(name)
        let account = Array(name.account.utf8)
        if accepted.contains(password, of: account) { return true }
        guard let hash = password.withBytes({ try? NTHash(utf8: $0) }) else { return false }
        var server = ServerHandshake(options: .init(computerName: "SALLYPORT"))
        var client = ClientHandshake(account: try NTLMAccount(user: name.user, domain: name.domain, hash: hash))
        let challenge = try server.challenge(to: client.negotiate().span, now: .now)
        let message = try client.authenticate(challenge: challenge.span, now: .now)
        let judgement = try await self.judgement(of: try server.proof(in: message.span, now: .now), of: name)
        do throws(ServerHandshakeError) {
            _ = try server.verify(authenticate: message.span, now: .now, judged: judgement)
        } catch .rejected {
            return false
        }
        // A second request must not learn from memory what the first one did not wait for.
        try Task.checkCancellation()
        accepted.insert(password, of: account)
        return true
    }

    /// Asks a controller whether a response of NTLM is right.
    public func judgement(of proof: ClientProof, of name: ClientName) async throws -> ProofJudgement {
        let question = WinbindQuestion(canonical(name), proof)
        let deadline = Deadline(after: Self.timeLimit)
        let answer: WinbindAnswer
        do {
            // The thread ends the program at the deadline, so the caller waits a little longer for it.
            answer = try await workers.run(within: Self.timeLimit + .seconds(1)) {
                try self.answer(to: question, within: deadline)
            }
        } catch is WaitingError { throw WinbindError.timedOut }
        switch answer {
        case .wrong: return .wrong
        case .right(let key?): return .right(key)
        case .right(nil): throw WinbindError.noSessionKey
        case .failed(let reason): throw WinbindError.controller(reason)
        }
    }

    /// Asks an idle program, or a new one. One that fails ends; in place of one that was idle, and has ended meanwhile, a new one is asked.
    private func answer(to question: WinbindQuestion, within deadline: Deadline) throws(WinbindError) -> WinbindAnswer {
        var idle = self.idle.withLock { $0.popLast() }
        while true {
            do throws(ChildDialogue.Failure) {
                let asked: ChildDialogue
                if let idle {
                    asked = idle
                } else {
                    asked = try ChildDialogue(program, arguments, answerBytes: Self.answerBytes)
                }
                let answer = try asked.ask(question.text, until: ".", within: deadline) { WinbindAnswer($0) }
                self.idle.withLock { $0.append(asked) }
                return answer
            } catch {
                guard error == .ended, idle != nil else { throw WinbindError(error, of: program) }
                idle = nil
            }
        }
    }
}
