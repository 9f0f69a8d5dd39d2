/// A Kerberos realm on loopback, with a KDC, accounts, services, and files for them.
///
/// `@unchecked Sendable` is safe, because one call after the other talks with the script.
package final class KerberosRealm: @unchecked Sendable {
    /// The realm.
    package static let name = "ACME.TEST"
    /// The accounts and their passwords.
    package static let accounts = ["jdoe": "Correct-Horse", "ada": "Other-Horse"]

    private let process: HelperProcess
    /// Where the files of the realm are.
    package let folder: String

    package init() throws {
        let list = Self.accounts.map { "\($0):\($1)" }.sorted().joined(separator: ",")
        process = try HelperProcess(server: "kerberos-realm", ["\(ServerPort.take())", Self.name, list])
        folder = try process.ask("folder")
    }

    /// A realm that is started on a thread of its own, because starting blocks.
    package static func started() async throws -> KerberosRealm {
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try KerberosRealm() }
    }

    /// The path of a file of the realm: `http.keytab` for `HTTP/localhost`, `other.keytab` for `HTTP/other.test`, `USER.keytab`.
    package func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Gets a ticket for an account into a cache, as `kinit` does.
    ///
    /// - Parameter life: how long it is good, such as `10h` or `1s`.
    package func ticket(_ user: String = "jdoe", into cache: String, life: String = "10h") throws {
        try ask("ticket \(user) \(Self.accounts[user] ?? "") \(cache) \(life)")
    }

    /// Adds or changes a principal with options of `kadmin`.
    package func principal(_ name: String, _ options: String) throws { try ask("principal \(name) \(options)") }

    /// The number of wrong passwords of an account that the KDC has seen.
    package func refusals(of user: String) throws -> Int {
        let answer = try process.ask("refused \(user)")
        guard let count = Int(answer) else { throw PeerFailure(what: "the count is \(answer.debugDescription)") }
        return count
    }

    /// Makes the KDC silent: it accepts connections and does not answer.
    package func stop() throws { try ask("stop") }

    /// Lets the KDC answer again.
    package func go() throws { try ask("go") }

    /// What a process needs to live in the realm.
    ///
    /// - Parameters:
    ///   - cache: the name of the default ticket cache; its file need not be there.
    ///   - keytab: the name of the default keytab.
    package func environment(cache: String = "none", keytab: String = "http.keytab") -> [String: String] {
        [
            "KRB5_CONFIG": path("krb5.conf"),
            "KRB5CCNAME": "FILE:\(path(cache))",
            "KRB5_KTNAME": "FILE:\(path(keytab))",
            "KRB5RCACHEDIR": folder,
        ]
    }

    private func ask(_ line: String) throws {
        let answer = try process.ask(line)
        guard answer == "done" else { throw PeerFailure(what: "\(line): \(answer)") }
    }
}
