import Foundation
import LiveServers
import TestSupport
import Testing

/// Every client with every server, over HTTP. The page of `SallyportNIO`'s tested servers has the table.
@Suite(
    .inTurn,
    .serialized,
    .needs(.kerberos, .python, .pyspnego, .impacket, .gssNTLMSSP),
    // pyspnego's Kerberos has to be compiled: `.ci/slow kerberos` does.
    .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_KERBEROS"] != nil, "SALLYPORT_KERBEROS=1")
) struct NegotiateTableTests {
    /// A server and where it listens.
    private final class Server {
        let port: Int
        private let process: HelperProcess

        init(_ kind: String, in realm: KerberosRealm) throws {
            let environment = realm.environment().merging(["LC_ALL": "C.UTF-8"]) { $1 }
            process = try HelperProcess(NegotiateTableTests.peer + ["server", kind], environment: environment)
            port = Int(try process.readLine().dropFirst("port ".count)) ?? 0
        }
    }

    private static let peer = [
        "python3", "-W", "ignore",
        HelperFile.path("negotiate_http.py"),
    ]

    /// Pairs that no change here can mend: impacket writes an NTLM answer that neither of these servers reads.
    private static let broken = ["ntlm impacket pyspnego", "ntlm impacket gssapi"]

    @Test("Every pair that two peers manage, we manage", arguments: ["ours", "pyspnego", "gssapi"])
    func table(server kind: String) async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let folder = try RequestFolder()
        try folder.write("Correct-Horse", "password")
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            // impacket takes tickets from the cache alone.
            _ = try Self.run(["kvno", "-q", "HTTP/localhost"], realm.environment(cache: "jdoe.cache"))
            let own = kind == "ours" ? try KerberosServers.Own(in: realm) : nil
            let other = kind == "ours" ? nil : try Server(kind, in: realm)
            let url = "http://localhost:\(own?.port ?? other?.port ?? 0)"
            for mechanism in ["kerberos", "ntlm"] {
                let cache = mechanism == "kerberos" ? "jdoe.cache" : "none"
                let environment = realm.environment(cache: cache).merging(["LC_ALL": "C.UTF-8"]) { $1 }
                for client in ["ours", "pyspnego", "gssapi", "impacket"] {
                    let said: String
                    if client == "ours" {
                        said = try Self.get(url, mechanism, folder, environment)
                    } else {
                        said = try Self.run(Self.peer + ["client", client, mechanism, url], environment)
                    }
                    let isBroken = Self.broken.contains("\(mechanism) \(client) \(kind)")
                    #expect(said.contains("jdoe") != isBroken, "\(mechanism) \(client) \(kind): \(said)")
                    #expect(isBroken || client == "ours" || said.hasPrefix("200 complete "), "\(said)")
                }
            }
        }
    }

    private static func get(
        _ url: String,
        _ mechanism: String,
        _ folder: RequestFolder,
        _ environment: [String: String]
    ) throws -> String {
        let account =
            mechanism == "kerberos"
            ? "user: jdoe@ACME.TEST\n    kerberos: true"
            : "user: jdoe\n    domain: ACME\n    password: { file: password }"
        try folder.write(
            """
            version: 1
            sites: ["\(url)"]
            schemes: [negotiate]
            accounts:
              - name: account
                sites: ["\(url)"]
                \(account)

            """,
            "profile.yaml"
        )
        let run = try folder.run(["get", url, "--profile", folder.path("profile.yaml")], environment: environment)
        return run.output + run.error
    }

    private static func run(_ command: [String], _ environment: [String: String]) throws -> String {
        let run = try SallyportRun(command, environment: environment, program: URL(filePath: "/usr/bin/env"))
        return run.output + run.error
    }
}
