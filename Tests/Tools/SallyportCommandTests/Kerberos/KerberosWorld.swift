import LiveServers

/// A realm, and a folder for the command.
struct KerberosWorld {
    /// What the scripts' pages hold.
    static let page = "<p>in</p>\n"
    /// Where the account takes its tickets from the cache.
    static let cache = "kerberos: true"

    let realm: KerberosRealm
    let folder: RequestFolder

    init() async throws {
        realm = try await KerberosRealm.started()
        folder = try RequestFolder()
        try realm.ticket(into: "jdoe.cache")
    }

    /// Runs the command with a profile whose account has these lines.
    func run(
        _ arguments: [String],
        at sites: String...,
        account lines: String...,
        cache: String = "jdoe.cache",
        environment more: [String: String] = [:]
    ) async throws -> SallyportRun {
        let list = sites.map { "\"\($0)\"" }.joined(separator: ", ")
        try folder.write(
            """
            version: 1
            sites: [\(list)]
            schemes: [negotiate]
            accounts:
              - name: account
                sites: [\(list)]
                \(lines.joined(separator: "\n    "))

            """,
            "profile.yaml"
        )
        return try await folder.live(
            arguments + ["--profile", folder.path("profile.yaml")],
            environment: realm.environment(cache: cache).merging(more) { $1 }
        )
    }
}
