import Foundation
import LiveServers
import Testing

/// A relay whose tickets of MIT's Kerberos answer a Squid, and an Apache for which it stands.
@Suite(.inTurn, .serialized, .needs(.kerberos, .curl, .squid, .apache, .modAuthGSSAPI))
struct ParentTicketTests {
    /// A realm, a parent and a server in it.
    private struct World {
        let realm: KerberosRealm
        let squid: KerberosServers.Squid
        let apache: KerberosServers.Apache
        let folder: RequestFolder

        init() async throws {
            realm = try await KerberosRealm.started()
            try realm.ticket(into: "jdoe.cache")
            squid = try KerberosServers.Squid(in: realm)
            apache = try KerberosServers.Apache(in: realm)
            folder = try RequestFolder()
        }

        var parent: String { "localhost:\(squid.proxy)" }
        /// The open page behind the parent.
        var page: String { "http://127.0.0.1:\(squid.origin)/" }
        /// An open page of Apache, to which a tunnel leads.
        var secure: String { "https://localhost:\(apache.https)/open/a" }

        func relay(_ arguments: String..., cache: String = "jdoe.cache", lines: Int = 3) throws -> RunningRelay {
            try RunningRelay(
                ["--allow-destination", "localhost,127.0.0.0/8", "--cacert", try apache.certificate()] + arguments,
                environment: realm.environment(cache: cache),
                lines: lines
            )
        }

        /// Runs curl, and adds the status to its output.
        func curl(_ arguments: String...) throws -> String {
            let command =
                ["curl", "-sS", "--max-time", "120", "--cacert", try apache.certificate(), "-w", "%{http_code}\n"]
            return try SallyportRun(command + arguments, program: URL(filePath: "/usr/bin/env")).output
        }
    }

    private static let page = "<p>in</p>\n200\n"

    @Test("--kerberos is enough: requests, bodies and tunnels, one after the other and at once") func squid()
        async throws
    {
        let world = try await World()
        let relay = try world.relay("--parent", world.parent, "--kerberos")
        let proxy = "http://127.0.0.1:\(relay.port)"
        #expect(try world.curl("-x", proxy, world.page, world.page) == Self.page + Self.page)
        #expect(try world.curl("-x", proxy, world.secure) == Self.page)
        // The open server takes no uploads, and says so after the body.
        let body = try world.curl("-x", proxy, "-d", "hello", "-o", "/dev/null", world.page)
        #expect(body == "501\n")
        let many = Array(repeating: [world.page, world.secure], count: 8).flatMap(\.self)
        let files = many.indices.flatMap { ["-o", world.folder.path("out\($0)")] }
        let command = ["curl", "-sS", "--max-time", "120", "--cacert", try world.apache.certificate(), "-Z"]
        let all = try SallyportRun(
            command + ["-w", "%{http_code}\n", "-x", proxy] + files + many,
            program: URL(filePath: "/usr/bin/env")
        )
        #expect(all.output == String(repeating: "200\n", count: 16), "\(all.output) \(all.error)")
        // curl may use a tunnel again.
        let users = try world.squid.users(atLeast: 12)
        #expect(users.count >= 12 && users.allSatisfy { $0 == "jdoe@ACME.TEST" }, "\(users)")

        let check = try SallyportRun(
            [
                "relay", "--parent", world.parent, "--kerberos", "--allow-destination", "127.0.0.0/8", "--check",
                world.page,
            ],
            environment: world.realm.environment(cache: "jdoe.cache")
        )
        #expect(check.status == 0, "\(check.output) \(check.error)")
        let ticket = "a ticket of Kerberos"
        #expect(check.output.contains("yes  account  \(ticket) (the one that kinit got)\n"), "\(check.output)")
        let logOn = "yes  log-on   the parent lets \(ticket) pass, the one that kinit got\n"
        #expect(check.output.contains(logOn), "\(check.output)")
    }

    @Test("Without a ticket the client reads what to do, and a ticket helps without a restart") func late() async throws
    {
        let world = try await World()
        let relay = try world.relay("--parent", world.parent, "--kerberos", cache: "late.cache")
        let proxy = "http://127.0.0.1:\(relay.port)"
        // curl shows the status of a request, and that of a refused tunnel under another name.
        for (url, status) in [(world.page, "%{http_code}\n"), (world.secure, "%{http_connect}\n")] {
            let refused = try world.curl("-w", status, "-x", proxy, url)
            #expect(refused.hasSuffix("502\n"), "\(url): \(refused)")
        }
        #expect(try world.curl("-x", proxy, world.page).contains("kinit"))
        try world.realm.ticket(into: "late.cache")
        #expect(try world.curl("-x", proxy, world.page) == Self.page)
        #expect(try world.curl("-x", proxy, world.secure) == Self.page)

        // Connections that were let in stay those of their user, until a signal ends them.
        try world.realm.ticket("ada", into: "late.cache")
        relay.send(SIGHUP)
        try relay.waitForLog("with the tickets that are in the cache now")
        #expect(try world.curl("-x", proxy, world.page) == Self.page)
        #expect(try world.squid.users(atLeast: 3).last == "ada@ACME.TEST")
    }

    @Test("Each client's requests go out with the ticket of its own account; a proof that is demanded is missed")
    func identities() async throws {
        let world = try await World()
        let other = try ServerPort.take()
        func profile(_ mutual: String) throws {
            let accounts = ["jdoe", "ada"].map { user in
                """
                  - name: \(user)
                    user: \(user)@ACME.TEST
                    kerberos: { keytab: \(world.realm.path("\(user).keytab")) }
                    negotiate-mutual: \(mutual)
                    sites: ["http://\(world.parent)"]

                """
            }
            let head = "version: 1\nsites: [\"http://\(world.parent)\"]\nschemes: [negotiate]\naccounts:\n"
            try world.folder.write(head + accounts.joined(), "profile.yaml")
        }
        try profile("optional")
        let relay = try world.relay(
            "--parent",
            world.parent,
            "--profile",
            world.folder.path("profile.yaml"),
            "--listen",
            "127.0.0.1:\(other)",
            "--identity",
            "ada=listener:127.0.0.1:\(other)",
            cache: "none"
        )
        for port in [relay.port, other] {
            let proxy = "http://127.0.0.1:\(port)"
            #expect(try world.curl("-x", proxy, world.page, world.page) == Self.page + Self.page)
            #expect(try world.curl("-x", proxy, world.secure) == Self.page)
        }
        let users = try world.squid.users(atLeast: 6)
        #expect(users.count == 6, "\(users)")
        #expect(
            users.prefix(3).allSatisfy { $0 == "jdoe@ACME.TEST" }
                && users.suffix(3).allSatisfy { $0 == "ada@ACME.TEST" }
        )

        // Squid 5 sends no proof: nothing that came with its response is delivered.
        try profile("required")
        relay.send(SIGHUP)
        try relay.waitForLog("the profile is read again")
        let refused = try world.curl("-x", "http://127.0.0.1:\(relay.port)", world.page)
        #expect(refused.contains("negotiate-mutual: optional") && refused.hasSuffix("502\n"), "\(refused)")
        #expect(!refused.contains("<p>in</p>"))
    }

    @Test("A mapped server gets a ticket: directly, and through a tunnel of the parent") func mapped() async throws {
        let world = try await World()
        let http = "http://localhost:\(world.apache.http)"
        let direct = try RunningRelay(
            ["--kerberos", "--map", "127.0.0.1:0=\(http)"],
            environment: world.realm.environment(cache: "jdoe.cache"),
            lines: 1,
            listens: false
        )
        for path in ["request/a", "connection/a", "connection/b"] {
            #expect(try world.curl("http://127.0.0.1:\(direct.port)/\(path)") == Self.page, "\(path)")
        }
        // A server that authenticates each request asks on connections that it has authenticated, too.
        try world.folder.write(String(repeating: "a", count: 100_000), "long")
        for body in ["short", "@\(world.folder.path("long"))"] {
            for number in 0..<3 {
                let answer = try world.curl("--data-binary", body, "http://127.0.0.1:\(direct.port)/request/a")
                #expect(answer == Self.page, "\(body) \(number)")
            }
        }
        let tunnel = try world.relay(
            "--parent",
            world.parent,
            "--kerberos",
            "--map",
            "127.0.0.1:0=https://localhost:\(world.apache.https)",
            lines: 4
        )
        let place = try #require(tunnel.announcement[3].split(separator: " ").first.map(String.init))
        for path in ["request/a", "connection/a"] {
            #expect(try world.curl("\(place)/\(path)") == Self.page, "\(path)")
        }
        #expect(try world.squid.users().allSatisfy { $0 == "jdoe@ACME.TEST" })
    }
}
