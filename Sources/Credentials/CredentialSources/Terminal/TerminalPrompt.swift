internal import Credentials
internal import Hostnames
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

/// Asks a person at the terminal of this process (`/dev/tty`) for a user name and a password. The password is not shown.
///
/// - An empty answer means: go on without. After a refusal the user name is asked for again, because it may be what was mistyped; an empty
///   answer means the name in brackets.
/// - The end of the input (Ctrl-D) and an interrupt that the application survives mean: cancel. Without a terminal the source has nothing.
/// - One question is visible at a time in a process; the others wait for it.
/// - The terminal's settings are restored after each answer, after an error or a cancellation, before SIGINT, SIGTERM, SIGHUP,
///   SIGQUIT and SIGTSTP take effect, and when the process calls `exit`.
public struct TerminalPrompt: CredentialSource {
    /// The most bytes of an answer.
    public static let answerBytes = 1024

    private let timeLimit: Duration
    private let keep: SuppliedCredential.Keeping

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - timeLimit: how long one question may be visible.
    ///   - keep: how long its replies may be kept.
    public init(timeLimit: Duration = .seconds(120), keep: SuppliedCredential.Keeping = .session) {
        self.timeLimit = timeLimit
        self.keep = keep
    }

    /// What the person types.
    ///
    /// - Throws: ``TerminalError``.
    public func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        let keep = keep
        return try await Self.visibly(for: timeLimit) { terminal in try Self.ask(question, keep, terminal) }
            ?? .nothing
    }

    private static func ask(
        _ question: CredentialQuestion,
        _ keep: SuppliedCredential.Keeping,
        _ terminal: Terminal
    ) throws -> CredentialReply {
        try terminal.checkForeground()
        try terminal.show(introduction(to: question))
        var login = question.user
        // The name may be what was mistyped: a refusal does not tell.
        if login == nil || question.wasRefused {
            switch try typedLogin(known: login, terminal) {
            case nil: return .cancel
            case ""?: break
            case let typed?: login = typed
            }
        }
        guard let login else { return .goOnWithout }
        switch try terminal.line("Password of \(VisibleText.name(login)): ", echoes: false) {
        case .cancelled: return .cancel
        case .line(let bytes):
            guard bytes.count > 0 else { return .goOnWithout }
            return .use(SuppliedCredential(login: login, password: bytes, keep: keep))
        }
    }

    /// The user name that a person types, empty for Enter alone; `nil` for a cancellation. A name that no account has is asked for again.
    private static func typedLogin(known: String?, _ terminal: Terminal) throws -> String? {
        let known = known.map { " [\(VisibleText.name($0))]" } ?? ""
        while true {
            guard case .line(let line) = try terminal.line("User name\(known): ", echoes: true) else { return nil }
            let login = try line.withBytes { bytes throws(TerminalError) in
                guard UTF8Check.isPrintable(bytes) else { throw .controlCharacter }
                return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            guard let defect = LoginDefect(login) else { return login }
            try terminal.show("\(defect)\n")
        }
    }

    /// Who asks, and what was wrong with the last answer. A server's text cannot steer the terminal.
    private static func introduction(to question: CredentialQuestion) -> String {
        let party = question.party == .proxy ? "The proxy \(question.origin)" : "\(question.origin)"
        let realm = question.realm.map { " for \(VisibleText.quoted($0))" } ?? ""
        let refusal = question.wasRefused ? "The last password was refused.\n" : ""
        let reason = question.problem.map { "\($0.text(user: question.user))\n" } ?? refusal
        return "\(reason)\(party) asks for a password\(realm).\n"
    }
}
