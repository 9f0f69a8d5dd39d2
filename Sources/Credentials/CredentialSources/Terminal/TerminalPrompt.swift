internal import Credentials
internal import Hostnames
internal import Secrets
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
        let (limit, keep) = (timeLimit, keep)
        return try await PromptTurns.shared.inTurn {
            try await OwnThread.run { interruption in
                try Self.ask(question, limit, keep, interruption)
            }
        }
    }

    private static func ask(
        _ question: CredentialQuestion,
        _ limit: Duration,
        _ keep: SuppliedCredential.Keeping,
        _ interruption: Interruption
    ) throws -> CredentialReply {
        guard let terminal = try Terminal(until: Deadline(after: limit), or: interruption) else { return .nothing }
        try terminal.checkForeground()
        try terminal.show(introduction(to: question))
        var login = question.user
        // The name may be what was mistyped: a refusal does not tell.
        if login == nil || question.wasRefused {
            let known = login.map { " [\(shown($0))]" } ?? ""
            switch try terminal.line("User name\(known): ", echoes: true) {
            case .cancelled: return .cancel
            case .line(let bytes) where bytes.count == 0: break
            case .line(let bytes):
                login = try bytes.withBytes { bytes throws(TerminalError) in
                    guard UTF8Check.isPrintable(bytes) else { throw .controlCharacter }
                    return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
            }
        }
        guard let login else { return .goOnWithout }
        switch try terminal.line("Password of \(shown(login)): ", echoes: false) {
        case .cancelled: return .cancel
        case .line(let bytes):
            guard bytes.count > 0 else { return .goOnWithout }
            return .use(SuppliedCredential(login: login, password: bytes, keep: keep))
        }
    }

    /// Who asks, and whether a password was refused. A server's text cannot steer the terminal.
    private static func introduction(to question: CredentialQuestion) -> String {
        let party = question.party == .proxy ? "The proxy \(question.origin)" : "\(question.origin)"
        let realm = question.realm.map { " for \(VisibleText.quoted($0))" } ?? ""
        let refusal = question.wasRefused ? "The last password was refused.\n" : ""
        return "\(refusal)\(party) asks for a password\(realm).\n"
    }

    /// The user name as it is if it is of common characters, otherwise in quotes and escaped.
    private static func shown(_ login: String) -> String {
        let isPlain = login.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && login.utf8.count <= VisibleText.shownCharacters ? login : VisibleText.quoted(login)
    }
}
