import CredentialStores
import Foundation
import Hostnames
import LiveServers
import Secrets
import TestSupport

/// A folder with a store of its own, and the command that uses it. It keeps what every run wrote.
final class StoreFolder {
    let folder: URL
    /// What all runs wrote to standard output and standard error.
    private(set) var written = ""

    init() throws {
        folder = TemporaryFolder.place("store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// The place of the XDG specification.
    var store: String { path("data/sallyport/credentials") }
    var environment: [String: String] {
        ["XDG_DATA_HOME": path("data"), "HOME": path(""), "CREDENTIALS_DIRECTORY": path("credentials")]
    }

    /// Runs `sallyport credentials` with a key file.
    func run(_ arguments: [String], input: String = "", key: String? = "key") throws -> SallyportRun {
        try plain(arguments + (key.map { ["--key-file", path($0)] } ?? []), input: [UInt8](input.utf8))
    }

    /// Runs `sallyport credentials` with nothing added.
    func plain(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String]? = nil
    ) throws -> SallyportRun {
        let run = try SallyportRun(
            ["credentials"] + arguments,
            input: input,
            environment: environment ?? self.environment
        )
        written += run.output + run.error
        return run
    }

    /// Types at the terminal of a run without a key file.
    func terminal(_ action: String, _ arguments: [String]) throws -> PythonTerminal.Session {
        let session = try PythonTerminal.session(action, ["credentials"] + arguments, environment: environment)
        written += session.output + session.shown
        return session
    }

    @discardableResult
    func write(_ text: String, _ name: String, mode: Int = 0o600) throws -> String {
        if mode & 0o100 != 0 {
            try ExecutableFile.write(text, to: path(name), mode: mode)
            return path(name)
        }
        try Data(text.utf8).write(to: folder.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// What the library finds for a server, as `kind user secret`; the secret is in hexadecimal if it is not UTF-8.
    func found(_ url: String, proxy: Bool = false, realm: String? = nil) async throws -> [String] {
        let store = try await SealedFileStore.open(at: store, key: .keyFile(path: path("key")))
        let query = CredentialQuery(origin: try Origin(parsing: url), party: proxy ? .proxy : .origin, realm: realm)
        return try await store.credentials(for: query, at: 0).map { record in
            let bytes = record.secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            let secret = String(validating: bytes, as: UTF8.self) ?? bytes.map { String(format: "%02x", $0) }.joined()
            return "\(record.name.kind.rawValue) \(record.name.domain ?? "-") \(record.name.user) \(secret)"
        }
    }
}
