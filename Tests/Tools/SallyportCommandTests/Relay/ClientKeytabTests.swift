import Foundation
import LiveServers
import Testing

/// Clients that log on to the relay with tickets of MIT's Kerberos.
@Suite(.inTurn, .serialized, .needs(.kerberos, .curl)) struct ClientKeytabTests {
    private static func curl(_ relay: RunningRelay, _ environment: [String: String], _ more: String...) throws -> String
    {
        let command = [
            "curl", "-sS", "--max-time", "600", "-w", "%{http_code}", "-x", "http://localhost:\(relay.port)",
        ]
        let env = URL(filePath: "/usr/bin/env")
        return try SallyportRun(command + more + ["http://a.example/"], environment: environment, program: env).output
    }

    @Test("A ticket lets its client in, and decides about the account that is used; without one there is 407")
    func tickets() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        try realm.ticket("ada", into: "ada.cache")
        let parent = try await ScriptedServer { request in
            // "alice:a".
            BasicParent.reply(to: request, right: "YWxpY2U6YQ==")
        }
        defer { parent.stop() }
        let folder = try StoreFolder()
        try folder.write("a", "alice")
        try folder.write(
            """
            version: 1
            sites: ["\(parent.origin)"]
            schemes: [basic]
            accounts:
              - name: alice
                user: alice
                password: { file: alice }
                sites: ["\(parent.origin)"]
                cleartext: true
            """,
            "profile.yaml"
        )
        // Other users may read the realm's own file, and such a one is refused.
        let open = ["relay", "--no-store", "--parent", "a.example:1", "--client-keytab", realm.path("http.keytab")]
        let refused = try SallyportRun(open)
        #expect(refused.status == 2 && refused.error.contains("http.keytab: other users may use the file (mode 644)"))
        let keytab = folder.path("http.keytab")
        try FileManager.default.copyItem(atPath: realm.path("http.keytab"), toPath: keytab)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keytab)
        let relay = try RunningRelay(
            [
                "--parent", "\(parent.origin)", "--profile", folder.path("profile.yaml"), "--no-store",
                "--client-keytab", keytab, "--identity",
                #"alice=client:\#(KerberosRealm.name)\jdoe"#,
            ],
            environment: folder.environment.merging(realm.environment()) { $1 }
        )
        let ticket = ["--proxy-negotiate", "-U", ":"]
        let jdoe = try Self.curl(relay, realm.environment(cache: "jdoe.cache"), ticket[0], ticket[1], ticket[2])
        #expect(jdoe == "ok200")
        // Another client is let in, and has no account.
        let ada = try Self.curl(relay, realm.environment(cache: "ada.cache"), ticket[0], ticket[1], ticket[2])
        #expect(ada.hasSuffix("502"), "\(ada)")
        #expect(try Self.curl(relay, realm.environment()).hasSuffix("407"))
        #expect(try Self.curl(relay, realm.environment(), ticket[0], ticket[1], ticket[2]).hasSuffix("407"))
    }

    @Test("A keytab that is not there is one line") func missing() throws {
        let run = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1", "--client-keytab", "/nowhere"])
        #expect(run.status == 2 && run.error.contains("--client-keytab: /nowhere: it cannot be read"), "\(run.error)")
    }
}
