import CredentialSources
import Foundation
import Hostnames
import Secrets
import Synchronization

/// For the tests of CredentialSources: asks at its terminal.
///
/// ```
/// prompt [--realm TEXT] [--user NAME] [--proxy] [--refused] [--limit SECONDS] [--cancel] [--exit] [--survive] [--twice]
/// ```
///
/// With `--cancel` and `--exit`, SIGUSR1 cancels the question or ends the program.
enum Prompting {
    static func run(_ arguments: [String]) async throws {
        func value(_ option: String) -> String? {
            arguments.firstIndex(of: option).map { arguments[$0 + 1] }
        }
        var question = CredentialQuestion(origin: try Origin(parsing: "https://wiki.example"), realm: value("--realm"))
        question.user = value("--user")
        question.party = arguments.contains("--proxy") ? .proxy : .server
        question.wasRefused = arguments.contains("--refused")
        question.problem = value("--domain").map { .domainRequired(target: $0) }
        if arguments.contains("--survive") { for number in [SIGINT, SIGHUP] { signal(number) { _ in } } }
        let source = TerminalPrompt(timeLimit: .seconds(Double(value("--limit") ?? "600") ?? 600))
        let asked = question
        let (isTwice, cancels, exits) = (
            arguments.contains("--twice"), arguments.contains("--cancel"), arguments.contains("--exit")
        )
        isTold.store(false, ordering: .relaxed)
        signal(SIGUSR1) { _ in Prompting.isTold.store(true, ordering: .relaxed) }
        let first = Task { try await source.reply(to: asked) }
        // The terminal of the test ends this process after 20 minutes; it may be gone.
        for _ in 0..<240_000 where (cancels || exits) && !isTold.load(ordering: .relaxed) {
            try await Task.sleep(for: .milliseconds(5))
        }
        if exits { exit(7) }
        let second = isTwice ? Task { try await source.reply(to: asked) } : nil
        if cancels {
            // The first question is visible, and the second one waits for it, so that it goes first.
            if let second {
                try await Task.sleep(for: .milliseconds(100))
                second.cancel()
                _ = await second.result
            }
            first.cancel()
        }
        for task in [first, second].compactMap(\.self) { report(try await task.value) }
    }

    /// Whether SIGUSR1 has come.
    private static let isTold = Atomic(false)

    private static func report(_ reply: CredentialReply) {
        guard case .use(let found) = reply else { return print(reply) }
        let password = found.password.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        print("\(found.login) \(password)")
    }
}
