public import ChallengeHandling
internal import CredentialSources
internal import Hostnames
internal import SPKIPins
internal import WireFormat

/// Asks a person at the terminal of this process (`/dev/tty`) whether to trust the key of a server that no authority vouches for.
///
/// ```swift
/// let authenticator = try Authenticator(current, serverTrust: TerminalTrustPrompt().reply)
/// ```
///
/// The person sees why the server is not trusted, its certificate, and the pin of its key, and compares the pin with what the operator of
/// the server says.
///
/// - Trust needs the first ``typedCharacters`` characters of the pin, because a habit types `yes` without reading. It is for this key at
///   this host, and ends after ``trustTime``.
/// - Enter alone refuses the key, which is not asked about again before the next sign-out. The end of the input (Ctrl-D) and an interrupt
///   that the application survives refuse it this time.
/// - What the server wrote is shown in printable ASCII, so that it cannot steer the terminal.
public struct TerminalTrustPrompt: Sendable {
    /// How many characters of the pin a person types at least, behind `sha256/`.
    public static let typedCharacters = 8
    /// How long a key is trusted after an answer: 30 days.
    public static let trustTime = Duration.seconds(30 * 86_400)

    private let timeLimit: Duration

    /// Makes a prompt.
    ///
    /// - Parameter timeLimit: how long one question may be visible.
    public init(timeLimit: Duration = .seconds(120)) { self.timeLimit = timeLimit }

    /// What the person decides.
    ///
    /// - Throws: `TerminalError`, with `noTerminal` if the process has no terminal, or `CancellationError`.
    public func reply(to server: UntrustedServer) async throws -> ServerTrustReply {
        let until = SystemClock.unixSeconds + Self.trustTime.components.seconds
        let reply = try await TerminalPrompt.dialogue(timeLimit: timeLimit) { terminal in
            try terminal.show(Self.text(of: server, until: until))
            while true {
                guard let typed = try terminal.line("Pin: ") else { return ServerTrustReply.cancel }
                if typed.isEmpty { return .reject }
                if Self.isBeginning(typed, of: server.pin) { return .trust(until: until) }
                try terminal.show(
                    "This is not the beginning of the pin: type \(Self.typedCharacters) characters or more, or Enter alone to refuse.\n"
                )
            }
        }
        guard let reply else {
            throw TerminalError.noTerminal(
                question: VisibleText.line("\(server)"),
                remedy: "add the key to 'trustedKeys' of the profile"
            )
        }
        return reply
    }

    /// Whether a person has typed enough characters of the pin, with `sha256/` before them or without it.
    static func isBeginning(_ typed: String, of pin: Pin) -> Bool {
        let prefix = "sha256/"
        let digits = "\(pin)".dropFirst(prefix.count)
        let text = typed.hasPrefix(prefix) ? typed.dropFirst(prefix.count) : typed[...]
        return text.utf8.count >= typedCharacters && digits.utf8.starts(with: text.utf8)
    }

    /// The question, with a line end.
    static func text(of server: UntrustedServer, until: Int64) -> String {
        var rows: [(name: String, value: String)] = []
        if let details = server.details {
            let isOwn = details.issuer == details.subject ? ", itself" : ""
            rows = [
                ("subject", VisibleText.quoted(details.subject)),
                ("issuer", VisibleText.quoted(details.issuer) + isOwn),
                ("valid", CertificateText.validity(details.notBefore, details.notAfter)),
                ("key", "\(details.key.type)\(details.key.bits.map { ", \($0) bits" } ?? "")"),
                ("serial", CertificateText.serial(details.serial)),
            ]
        }
        let hosts = server.hosts.map { VisibleText.name($0) }.joined(separator: ", ")
        rows.insert(("hosts", hosts.isEmpty ? "none" : hosts), at: min(1, rows.count))
        rows.append(("pin", "\(server.pin)"))
        let host = server.origin.host
        return "\(server.origin) is not trusted: \(VisibleText.line(server.reason)).\n"
            + rows.map { "  \($0.name.padded(to: 7))  \($0.value)\n" }.joined()
            + "Ask the operator of the server for the pin of its key. If it is this one, type its first \(typedCharacters) characters behind "
            + "sha256/: the\nkey is trusted then at \(host), on every port, until \(Timestamp.text(unixSeconds: until)). Enter alone "
            + "refuses it.\n"
    }
}

extension String {
    /// The text with spaces behind it.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - utf8.count))
    }
}
