import Foundation

/// What the tests run in processes of their own: it reads an environment once for a process, asks at a terminal, or is killed.
///
/// ```
/// TestProgram logon|initiate|accept|wait|cache|page OPTIONS   one side of a log-on with Kerberos (KerberosSide)
/// TestProgram serve OPTIONS                                   a server that takes tickets (TicketServer)
/// TestProgram ask nio|async PRINCIPAL URL...                  clients with tickets (TicketClients)
/// TestProgram refresh URL STORE KEYFILE [TOKENS]              refreshes a token until it is killed (Refreshing)
/// TestProgram prompt OPTIONS                                  asks at its terminal (Prompting)
/// TestProgram git USER PASSWORD LOG get|store|erase           a helper of Git (GitHelper)
/// TestProgram laboratory [OUT [SEED [HOSTS]]]                 makes the recording lab (Laboratory)
/// TestProgram directory winbind|kerberos OPTIONS              asks a directory of the system (DirectoryQuestions)
/// TestProgram snippet NAME URL SCHEME USER PASSWORDFILE ...   runs a snippet of a page (SnippetRun)
/// ```
@main enum TestProgram {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst(2))
        switch CommandLine.arguments.dropFirst().first {
        case "serve": await TicketServer.run(words)
        case "ask": await TicketClients.run(words)
        case "refresh": await end { try await Refreshing.run(words) }
        case "prompt": await end { try await Prompting.run(words) }
        case "git": await end { try await GitHelper.run(words) }
        case "directory": await end { try await DirectoryQuestions.run(words) }
        case "laboratory": Laboratory.run(words)
        case "snippet": await SnippetRun.run(words)
        case let verb?: await KerberosSide.run(verb, words)
        case nil: exit(2)
        }
    }

    private static func end(_ verb: @Sendable () async throws -> Void) async {
        do { try await verb() } catch {
            print("error: \(error)")
            exit(1)
        }
    }
}

/// Writes a line at once, because the other side waits for it.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// The options of a command line: `--name value`, or `--name` alone.
struct Options: Sendable {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    func has(_ name: String) -> Bool { words.contains("--\(name)") }

    subscript(name: String) -> String? { value(name, 1) }

    /// The word at this place behind the name.
    func value(_ name: String, _ place: Int) -> String? {
        guard let index = words.firstIndex(of: "--\(name)"), index + place < words.count else { return nil }
        return words[index + place]
    }

    func number(_ name: String, _ usual: Int) -> Int { self[name].flatMap { Int($0) } ?? usual }
}
