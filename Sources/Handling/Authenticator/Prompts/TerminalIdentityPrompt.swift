public import ChallengeHandling
internal import CredentialSources
internal import Credentials
internal import Hostnames
internal import SPKIPins
internal import WireFormat

/// Asks a person at the terminal of this process (`/dev/tty`) which of several client certificates a server gets.
///
/// ```swift
/// let authenticator = try Authenticator(current, identityChoice: TerminalIdentityPrompt().reply)
/// ```
///
/// The person sees the owner, the issuer, the time and the serial number of each certificate that fits, and types its number. Enter alone
/// means: go on without a certificate. The end of the input (Ctrl-D) and an interrupt that the application survives mean: cancel.
public struct TerminalIdentityPrompt: Sendable {
    private let timeLimit: Duration

    /// Makes a prompt.
    ///
    /// - Parameter timeLimit: how long one question may be visible.
    public init(timeLimit: Duration = .seconds(120)) { self.timeLimit = timeLimit }

    /// What the person chooses.
    ///
    /// - Throws: `TerminalError`, with `noTerminal` if the process has no terminal, or `CancellationError`.
    public func reply(to question: IdentityQuestion) async throws -> IdentityReply {
        let reply = try await TerminalPrompt.dialogue(timeLimit: timeLimit) { terminal in
            try terminal.show(Self.text(of: question))
            while true {
                guard let typed = try terminal.line("Number: ") else { return IdentityReply.cancel }
                if typed.isEmpty { return .none }
                if let name = Self.name(numbered: typed, question) { return .use(identity: name) }
                try terminal.show("Type a number from 1 to \(question.candidates.count), or Enter alone for none.\n")
            }
        }
        guard let reply else {
            throw TerminalError.noTerminal(
                question: VisibleText.line("\(question)"),
                remedy: "choose one in the profile"
            )
        }
        return reply
    }

    /// The name of the candidate whose number a person has typed; `nil` without one.
    static func name(numbered typed: String, _ question: IdentityQuestion) -> String? {
        guard typed.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(typed),
            question.candidates.indices.contains(number - 1)
        else { return nil }
        return question.candidates[number - 1].identity.name
    }

    /// The question, with a line end.
    static func text(of question: IdentityQuestion) -> String {
        let width = "\(question.candidates.count)".utf8.count
        var text = "\(question.origin) asks for a client certificate, and several fit:\n"
        for (index, candidate) in question.candidates.enumerated() {
            let number = "\(index + 1)"
            let margin = String(repeating: " ", count: width + 4)
            text +=
                "  \(String(repeating: " ", count: width - number.utf8.count))\(number)  "
                + "\(VisibleText.name(candidate.identity.name)): \(VisibleText.quoted(candidate.subject))\n"
                + "\(margin)issuer \(VisibleText.quoted(candidate.issuer))\n"
                + "\(margin)valid \(CertificateText.validity(candidate.notBefore, candidate.notAfter)), "
                + "serial \(serial(of: candidate))\n"
        }
        return text + "Type the number of the one to present, or Enter alone for none.\n"
    }

    private static func serial(of candidate: IdentityCandidate) -> String {
        let leaf = candidate.identity.certificateChain[0]
        let details = try? CertificateDetails(of: leaf.span)
        return details.map { CertificateText.serial($0.serial) } ?? "that cannot be read"
    }
}
