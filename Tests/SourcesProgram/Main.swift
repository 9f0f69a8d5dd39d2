import CredentialSources
import Foundation
import Hostnames
import Secrets

/// A program for the tests of CredentialSources: a helper of Git.
///
/// ```
/// SourcesProgram git USER PASSWORD LOG get|store|erase
/// ```
@main struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "git": try await git(Array(arguments.dropFirst()))
            default: exit(2)
            }
        } catch {
            print("error: \(error)")
            exit(1)
        }
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
