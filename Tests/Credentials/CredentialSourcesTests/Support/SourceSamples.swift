import CredentialSources
import Foundation
import Hostnames
import LiveServers
import Secrets
import TestSupport

/// Folders, programs and texts for tests.
enum SourceSamples {
    /// Calls `body` with a new folder, which is removed afterwards.
    static func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = TemporaryFolder.place("sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Writes a file that only its owner may read; returns its path.
    @discardableResult
    static func write(_ text: String, _ name: String, in folder: URL, mode: Int = 0o600) throws -> String {
        let url = folder.appending(path: name)
        if mode & 0o100 != 0 {
            try ExecutableFile.write(text, to: url.path, mode: mode)
            return url.path
        }
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }

    static func question(
        _ origin: String = "https://wiki.example",
        party: CredentialQuestion.Party = .server,
        user: String? = nil,
        wasRefused: Bool = false
    ) throws -> CredentialQuestion {
        let origin = try Origin(parsing: origin)
        return CredentialQuestion(
            origin: origin,
            party: party,
            realm: "wiki",
            path: "/a/b",
            user: user,
            wasRefused: wasRefused
        )
    }

    /// Runs a program to its end; returns what it writes.
    static func output(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> String
    {
        let file = TemporaryFolder.place("input")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let pipe = Foundation.Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return String(decoding: data, as: UTF8.self)
    }

    struct Failed: Error { let status: Int32 }
}

extension SharedSecret {
    var text: String { withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) } }
}

extension CredentialReply {
    /// User and password as texts, or the kind of the reply.
    var texts: [String] {
        switch self {
        case .use(let found): [found.login, found.password.text]
        case .nothing: ["nothing"]
        case .goOnWithout: ["goOnWithout"]
        case .cancel: ["cancel"]
        case .rejectSpace: ["rejectSpace"]
        }
    }
}
