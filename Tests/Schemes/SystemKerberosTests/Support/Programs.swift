import Foundation
import LiveServers
import TestSupport

/// The programs that stand on the two sides of a log-on, each in a process with the environment of a realm.
enum Programs {
    /// Runs a side of `TestProgram` to its end; returns its lines.
    static func run(
        _ arguments: [String],
        in realm: KerberosRealm?,
        cache: String = "none",
        keytab: String = "http.keytab"
    ) async throws -> [String] {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try lines(
                of: HelperProcess([BuiltProgram.forTests] + arguments, environment: environment(realm, cache, keytab))
            )
        }
    }

    /// Lets two programs talk until both have ended; returns what each says that is not for the other.
    static func conversation(
        client: [String],
        server: [String],
        in realm: KerberosRealm,
        cache: String,
        keytab: String = "http.keytab"
    ) async throws -> (client: String, server: String) {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let environment = environment(realm, cache, keytab)
            let (client, server) = (
                try HelperProcess(client, environment: environment), try HelperProcess(server, environment: environment)
            )
            var last = (client: "", server: "")
            // The client begins. A program that has said its last word is asked no more.
            var isClientsTurn = true
            while last.client.isEmpty || last.server.isEmpty {
                let isClient = isClientsTurn && last.client.isEmpty || !last.server.isEmpty
                let line = try (isClient ? client : server).readLine()
                if line.hasPrefix("token ") || line.hasPrefix("code ") {
                    // A side that has ended does not listen.
                    try? (isClient ? server : client).send(line)
                    isClientsTurn = !isClient
                } else if isClient {
                    last.client = line
                } else {
                    last.server = line
                }
            }
            return last
        }
    }

    /// MIT's library through Python.
    static func peer(_ arguments: String...) -> [String] {
        ["/usr/bin/python3", HelperFile.path("gssapi_peer.py")] + arguments
    }

    private static func lines(of process: HelperProcess) throws -> [String] {
        var lines: [String] = []
        // Not up to the end of its output, which another child of this process may hold open.
        while let line = try? process.readLine(), line != "end" { lines.append(line) }
        return lines
    }

    private static func environment(_ realm: KerberosRealm?, _ cache: String, _ keytab: String) -> [String: String] {
        // A crash is reported by the missing lines, and not by a long report.
        ["SWIFT_BACKTRACE": "enable=no"].merging(realm?.environment(cache: cache, keytab: keytab) ?? [:]) { $1 }
    }
}
