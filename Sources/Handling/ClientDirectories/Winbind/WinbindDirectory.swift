public import ClientAuthentication
internal import CredentialSources
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

    /// The schemes that the accounts can use, strong ones first.
    public static let schemes: [ClientScheme] = [.ntlm, .basic]

    private let program: String
    private let arguments: [String]
    private let domain: String
    private let workers: WorkerThreads
    private let idle = Mutex<[Program]>([])
    private let accepted = AcceptedPasswords(for: memory)

    /// A program that waits for its next question.
    private final class Program: @unchecked Sendable {
        // Unchecked, because the list of idle ones gives it to one thread at a time.
        let dialogue: ChildDialogue
        init(_ dialogue: ChildDialogue) { self.dialogue = dialogue }
    }

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

    /// Asks a controller whether a password is right.
    public func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        if accepted.contains(password, of: name) { return true }
        switch try await ask(WinbindQuestion(name: name, domain: domain, proof: .password(password))) {
        case .wrong: return false
        case .right:
            accepted.insert(password, of: name)
            return true
        case .failed(let reason): throw WinbindError.controller(reason)
        }
    }

    /// Asks a controller whether a response of NTLM is right.
    public func judgement(of proof: ClientProof, of name: ClientName) async throws -> ProofJudgement {
        switch try await ask(WinbindQuestion(name: name, domain: domain, proof: .response(proof))) {
        case .wrong: return .wrong
        case .right(let key?): return .right(key)
        case .right(nil): throw WinbindError.noSessionKey
        case .failed(let reason): throw WinbindError.controller(reason)
        }
    }

    private func ask(_ question: WinbindQuestion) async throws -> WinbindAnswer {
        let deadline = Deadline(after: Self.timeLimit)
        return try await workers.run(within: Self.timeLimit) { try self.answer(to: question, within: deadline) }
    }

    /// Asks an idle program, or a new one. One that fails ends; in place of one that was idle, and has ended meanwhile, a new one is asked.
    private func answer(to question: WinbindQuestion, within deadline: Deadline) throws(WinbindError) -> WinbindAnswer {
        var idle = self.idle.withLock { $0.popLast() }
        while true {
            do throws(ChildDialogue.Failure) {
                let asked: Program
                if let idle {
                    asked = idle
                } else {
                    asked = Program(try ChildDialogue(program, arguments, answerBytes: Self.answerBytes))
                }
                let answer = try asked.dialogue.ask(question.text, until: ".", within: deadline) { WinbindAnswer($0) }
                self.idle.withLock { $0.append(asked) }
                return answer
            } catch {
                guard error == .ended, idle != nil else { throw WinbindError(error, of: program) }
                idle = nil
            }
        }
    }
}
