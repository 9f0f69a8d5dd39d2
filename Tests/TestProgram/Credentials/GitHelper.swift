import CredentialSources
import Foundation
import Hostnames
import Secrets

/// A helper of Git, `git USER PASSWORD LOG get|store|erase`: it writes a line to LOG for each question.
enum GitHelper {
    static func run(_ arguments: [String]) async throws {
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
