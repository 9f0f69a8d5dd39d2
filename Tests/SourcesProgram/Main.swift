import CredentialSources
import Foundation
import Hostnames
import Secrets
import Synchronization

/// A program for the tests of CredentialSources: it asks at its terminal, or is a helper of Git.
///
/// ```
/// SourcesProgram prompt [--realm TEXT] [--user NAME] [--proxy] [--refused] [--limit SECONDS] [--cancel] [--exit]
///     [--survive] [--twice]
/// SourcesProgram git USER PASSWORD LOG get|store|erase
/// ```
///
/// With `--cancel` and `--exit`, SIGUSR1 cancels the question or ends the program.
@main struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "prompt": try await prompt(Array(arguments.dropFirst()))
            case "git": try await git(Array(arguments.dropFirst()))
            default: exit(2)
            }
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func prompt(_ arguments: [String]) async throws {
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
        signal(SIGUSR1) { _ in Main.isTold.store(true, ordering: .relaxed) }
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

    private static func git(_ arguments: [String]) async throws {
        guard let operation = GitCredentialProtocol.Operation(rawValue: arguments[3]) else { return }
        let request = try await GitCredentialProtocol.readRequest(from: STDIN_FILENO)
        let password = request.password?.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        let line =
            "\(operation) \(request.question?.origin.description ?? "-") \(request.user ?? "-") \(password ?? "-")\n"
        let log = try FileHandle(forWritingTo: URL(filePath: arguments[2]))
        try log.seekToEnd()
        try log.write(contentsOf: Data(line.utf8))
        guard operation == .get, request.question != nil else { return }
        let found = SuppliedCredential(login: arguments[0], password: SharedSecret(utf8: arguments[1]))
        try await GitCredentialProtocol.write(request.answered(by: found), to: STDOUT_FILENO)
    }
}
