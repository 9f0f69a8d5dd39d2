internal import Secrets
internal import Waiting
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Answers with Git's credential helpers: through `git credential`, or through one helper directly.
///
/// The helper gets the question on its standard input. It has no terminal, no secret is in its arguments or environment, and it is
/// killed when the time is over or the task is cancelled.
public actor GitCredentialHelper: CredentialSource {
    /// What is run.
    public enum Program: Hashable, Sendable {
        /// `git credential fill|approve|reject`: all helpers of Git's configuration.
        case git(path: String = "git")
        /// One helper: `PATH ARGUMENTS… get|store|erase`, such as `/usr/lib/git-core/git-credential-store`.
        case helper(path: String, arguments: [String] = [])
    }

    /// How it is run.
    public struct Options: Sendable {
        /// Whether the path of a request matters, as with Git's `credential.useHttpPath`.
        public var sendsPath = false
        /// Whether Git may ask in a window (`GIT_ASKPASS`, `core.askPass`, `SSH_ASKPASS`).
        public var asksInWindows = false
        /// How long one run may take.
        public var timeLimit: Duration = .seconds(60)
        /// How long its replies may be kept. A time that a helper gives comes before it.
        public var keep: SuppliedCredential.Keeping = .session

        /// The defaults: no path, no window, 60 s, until the process ends.
        public init() {}
    }

    private let program: Program
    private let options: Options
    /// What was supplied, the newest last, to take it back after a refusal.
    private var supplied: [Supplied] = []

    private struct Supplied {
        let party: CredentialQuestion.Party
        let message: GitCredentialMessage
    }

    /// Makes a source.
    public init(_ program: Program = .git(), options: Options = Options()) {
        self.program = program
        self.options = options
    }

    /// What the helpers have. After a refusal of the password, what they supplied for the same party is rejected first.
    ///
    /// - Throws: ``GitCredentialError``.
    public func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        let asked = GitCredentialMessage(asking: question, sendsPath: options.sendsPath)
        var refused: SharedSecret?
        if question.wasRefused, let index = index(of: asked, question.party) {
            let old = supplied.remove(at: index)
            refused = old.message.password
            // Without a domain, for example, the party has not seen the password, which may be right.
            if question.problem == nil { try await tell(.erase, old.message) }
        }
        let answer = try await ask(asked)
        if answer.quits { return .cancel }
        guard let user = answer.user, let password = answer.password, !isOver(answer) else { return .nothing }
        // The helper did not forget it, or another one has it too.
        if let refused, isSame(password, refused) { return .nothing }
        var kept = asked
        kept.user = user
        kept.password = password
        kept.expires = answer.expires
        // So that an approval does not make the helper forget it.
        kept.refreshToken = answer.refreshToken
        remember(kept, question.party)
        let keep = answer.expires.map { SuppliedCredential.Keeping.until($0) } ?? options.keep
        return .use(SuppliedCredential(login: user, password: password, keep: keep))
    }

    /// Approves or rejects a credential that this source supplied; others are left alone.
    ///
    /// - Throws: ``GitCredentialError``.
    public func learn(
        _ outcome: CredentialOutcome,
        of credential: SuppliedCredential,
        for question: CredentialQuestion
    ) async throws {
        let asked = GitCredentialMessage(asking: question, sendsPath: options.sendsPath)
        guard let index = index(of: asked, question.party), supplied[index].message.password === credential.password
        else { return }
        let message = supplied[index].message
        if outcome == .refused { supplied.remove(at: index) }
        try await tell(outcome == .accepted ? .store : .erase, message)
    }

    /// Gives the helpers a credential of another source, which a party has accepted.
    ///
    /// - Throws: ``GitCredentialError``.
    public func approve(_ credential: SuppliedCredential, for question: CredentialQuestion) async throws {
        let asked = GitCredentialMessage(asking: question, sendsPath: options.sendsPath)
        try await tell(.store, asked.answered(by: credential))
    }

    /// Makes the helpers forget a credential, which a party has refused.
    ///
    /// - Throws: ``GitCredentialError``.
    public func reject(_ credential: SuppliedCredential, for question: CredentialQuestion) async throws {
        let asked = GitCredentialMessage(asking: question, sendsPath: options.sendsPath)
        try await tell(.erase, asked.answered(by: credential))
    }

    /// Forgets what was supplied, as for a sign-out. The helpers are not told.
    public func forget() { supplied = [] }

    // MARK: - What was supplied

    private func index(of asked: GitCredentialMessage, _ party: CredentialQuestion.Party) -> Int? {
        supplied.lastIndex { old in
            old.party == party && old.message.scheme == asked.scheme && old.message.host == asked.host
                && old.message.path == asked.path && (asked.user == nil || asked.user == old.message.user)
        }
    }

    private func remember(_ message: GitCredentialMessage, _ party: CredentialQuestion.Party) {
        if let index = index(of: message, party) { supplied.remove(at: index) }
        if supplied.count == GitCredentialLimits.rememberedReplies { supplied.removeFirst() }
        supplied.append(Supplied(party: party, message: message))
    }

    private func isOver(_ answer: GitCredentialMessage) -> Bool {
        guard let expires = answer.expires else { return false }
        return expires <= SystemClock.unixSeconds
    }

    private func isSame(_ one: SharedSecret, _ other: SharedSecret) -> Bool {
        one.withBytes { one in other.withBytes { constantTimeEqual(one, $0) } }
    }

    // MARK: - Running

    /// What the helpers answer; a message without a password if they have nothing.
    private func ask(_ asked: GitCredentialMessage) async throws -> GitCredentialMessage {
        let place = place
        return try await run(.get, asked) { outcome in
            if let status = outcome.status, status != 0 {
                // Git has only its messages to say why it ends with 128. They are in English, see `environment`.
                if status == 128, outcome.complaints.contains("terminal prompts disabled") {
                    return GitCredentialMessage(scheme: asked.scheme, host: asked.host)
                }
                if status == 128, outcome.complaints.contains("told us to quit") {
                    var answer = GitCredentialMessage(scheme: asked.scheme, host: asked.host)
                    answer.quits = true
                    return answer
                }
            }
            guard outcome.status == 0 else {
                throw GitCredentialError(place: place, problem: .failed(status: outcome.status))
            }
            let answer = try outcome.output.withBytes { try GitCredentialMessage(parsing: $0, from: place) }
            // `git credential` repeats the question, and a helper may.
            guard ["", asked.scheme].contains(answer.scheme), ["", asked.host].contains(answer.host) else {
                throw GitCredentialError(place: place, problem: .otherHost)
            }
            if let user = asked.user, let found = answer.user, !found.utf8.elementsEqual(user.utf8) {
                throw GitCredentialError(place: place, problem: .otherUser)
            }
            var complete = answer
            complete.user = answer.user ?? asked.user
            return complete
        }
    }

    private func tell(_ operation: GitCredentialProtocol.Operation, _ message: GitCredentialMessage) async throws {
        let place = place
        try await run(operation, message) { outcome in
            guard outcome.status == 0 else {
                throw GitCredentialError(place: place, problem: .failed(status: outcome.status))
            }
        }
    }

    private func run<Value: Sendable>(
        _ operation: GitCredentialProtocol.Operation,
        _ message: GitCredentialMessage,
        _ body: @escaping @Sendable (borrowing ChildProcess.Outcome) throws -> Value
    ) async throws -> Value {
        let (place, limit) = (place, options.timeLimit)
        let child = try child(operation)
        let deadline = Deadline(after: limit)
        return try await OwnThread.run(waiting: limit) { interruption in
            let input = try message.encoded(for: place)
            do {
                return try body(try child.run(input: input, until: deadline, or: interruption))
            } catch let failure as ChildProcess.Failure {
                throw GitCredentialError(place: place, problem: .init(failure))
            }
        }
    }

    private func child(_ operation: GitCredentialProtocol.Operation) throws(GitCredentialError) -> ChildProcess {
        let (path, arguments): (String, [String])
        switch program {
        case .git(let git):
            let verbs: [GitCredentialProtocol.Operation: String] = [.get: "fill", .store: "approve", .erase: "reject"]
            (path, arguments) = (git, ["credential", verbs[operation] ?? ""])
        case .helper(let helper, let own): (path, arguments) = (helper, own + [operation.rawValue])
        }
        guard !([path] + arguments).contains(where: { $0.utf8.contains(0) }) else {
            throw GitCredentialError(place: place, problem: .malformedCommand)
        }
        var environment = [
            "GIT_TERMINAL_PROMPT": "0",
            // Messages in English, and names of files in UTF-8.
            "LC_ALL": "C.UTF-8", "LANGUAGE": "",
        ]
        // An empty program comes before those of the configuration and of SSH_ASKPASS, and is not run.
        if !options.asksInWindows { environment["GIT_ASKPASS"] = "" }
        return ChildProcess(
            program: path,
            arguments: arguments,
            environment: environment,
            outputBytes: GitCredentialLimits.messageBytes
        )
    }

    /// What is run, for errors.
    private nonisolated var place: String {
        switch program {
        case .git(let path): "\(path) credential"
        case .helper(let path, _): path
        }
    }
}

extension GitCredentialError.Problem {
    init(_ failure: ChildProcess.Failure) {
        self =
            switch failure {
            case .notStarted(let code): .notStarted(code: code)
            // The task gets a `CancellationError` instead.
            case .timedOut, .cancelled: .timedOut
            case .outputTooLong: .tooLong
            case .noStatus: .noStatus
            case .system(let operation, let code): .system(operation: operation, code: code)
            }
    }
}

extension SecretBuffer {
    /// Whether the bytes hold `text`.
    fileprivate borrowing func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return withBytes { bytes in
            guard bytes.count >= wanted.count else { return false }
            return (0...bytes.count - wanted.count).contains { start in
                wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
            }
        }
    }
}
