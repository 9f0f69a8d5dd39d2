import Foundation
import LiveServers

/// A folder with a store, a profile and files of its own for `sallyport get` and `explain`. It keeps what every run wrote.
final class RequestFolder: @unchecked Sendable {
    private let files: StoreFolder
    /// What all runs wrote to standard output and standard error. One test uses a folder, one run after the other.
    private(set) var written = ""

    init() throws { files = try StoreFolder() }

    func path(_ name: String) -> String { files.path(name) }

    @discardableResult
    func write(_ text: String, _ name: String, mode: Int = 0o600) throws -> String {
        try files.write(text, name, mode: mode)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path("")).sorted() } }

    /// The environment of the tests without proxies.
    static let noProxies = Dictionary(
        uniqueKeysWithValues: [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        ]
        .map { ($0, "") }
    )

    var environment: [String: String] { files.environment.merging(Self.noProxies) { $1 } }

    /// The options that open the store.
    var key: [String] { ["--key-file", path("key")] }

    /// Keeps a password.
    func keep(_ password: String, of user: String, for url: String, isProxy: Bool = false) throws {
        let run = try files.run(
            ["add", url, "--user", user, "--stdin"] + (isProxy ? ["--proxy"] : []),
            input: password
        )
        guard run.status == 0 else { throw PeerFailure(what: run.error) }
    }

    /// Writes `profile.yaml` with the account `account`, whose password is in a file.
    func profile(_ password: String, at url: String, schemes: String, domain: String? = nil, more: String = "") throws {
        try write(password, "password")
        try write(
            """
            version: 1
            sites: ["\(url)"]
            schemes: [\(schemes)]
            accounts:
              - name: account
                user: jdoe
                \(domain.map { "domain: \($0)" } ?? "digest: {}")
                password: { file: password }
                sites: ["\(url)"]
                cleartext: true
            \(more)
            """,
            "profile.yaml"
        )
    }

    /// Runs the command away from a terminal.
    func run(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws -> SallyportRun {
        let run = try SallyportRun(
            ["-w", SallyportRun.executable.path] + arguments,
            input: input,
            environment: self.environment.merging(environment) { $1 },
            program: URL(filePath: "/usr/bin/setsid")
        )
        written += run.output + run.error
        return run
    }

    /// The same on a thread of its own, so that a server of the test can answer.
    func live(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) async throws -> SallyportRun {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try run(arguments, input: input, environment: environment)
        }
    }
}
