import Foundation
import LiveServers
import TestSupport
import Testing

/// Our server with a keytab, and clients of others with a ticket in a realm of MIT's KDC.
@Suite(.inTurn, .serialized, .needs(.kerberos, .curl)) struct KerberosServerTests {
    private static let jdoe = #"ACME.TEST\jdoe (negotiate, Kerberos)"# + "\n"

    /// Runs a client with a ticket cache of the realm.
    private func run(_ command: [String], in realm: KerberosRealm, cache: String = "jdoe.cache") throws -> String {
        try AuthenticatingServer.run(command, environment: realm.environment(cache: cache)).output
    }

    private func curl(_ server: KerberosServers.Own, _ more: String...) -> [String] {
        ["curl", "-sS", "--negotiate", "-u", ":", "--max-time", "600", "http://localhost:\(server.port)/"] + more
    }

    private func prepared() throws -> KerberosRealm {
        let realm = try KerberosRealm()
        try realm.ticket(into: "jdoe.cache")
        return realm
    }

    @Test("curl: a page, many on one connection, a body") func curl() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm, "--keytab", realm.path("http.keytab"))
        #expect(try run(curl(server), in: realm) == Self.jdoe)
        let again = "http://localhost:\(server.port)/again"
        #expect(try run(curl(server, again, "-d", "body"), in: realm) == Self.jdoe + Self.jdoe)
        #expect(try server.report().isEmpty)
        // The proof is in the response that accepts the client.
        let head = try run(curl(server, "-D", "-", "-o", "/dev/null"), in: realm)
        let last = head.components(separatedBy: "\r\n\r\n").last { !$0.isEmpty } ?? ""
        #expect(last.hasPrefix("HTTP/1.1 200") && last.contains("WWW-Authenticate: Negotiate oYG"), "\(head)")
    }

    @Test("A connection that several clients share: each request brings its ticket") func shared() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm, "--shared")
        #expect(try run(curl(server), in: realm) == Self.jdoe)
        // Without its own ticket the second request is nobody's.
        let pages = try run(
            curl(
                server,
                "-w",
                "%{http_code}",
                "--next",
                "-s",
                "-w",
                "%{http_code}",
                "http://localhost:\(server.port)/"
            ),
            in: realm
        )
        #expect(pages == Self.jdoe + "200" + "401 Unauthorized\n401", "\(pages)")
    }

    @Test("A proxy: a request through it") func proxy() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm, "--proxy")
        let output = try run(
            [
                "curl", "-sS", "--proxy-negotiate", "-U", ":", "-x", "http://localhost:\(server.port)",
                "http://wiki.test/",
            ],
            in: realm
        )
        #expect(output == Self.jdoe)
    }

    @Test("Python's requests check the server's proof", .needs(.requestsKerberos)) func requests() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm)
        let script = """
            import requests, requests_kerberos as k
            print(requests.get("http://localhost:\(server.port)/", auth=k.HTTPKerberosAuth(k.REQUIRED)).text, end="")
            """
        #expect(try run(["/usr/bin/python3", "-W", "ignore", "-c", script], in: realm) == Self.jdoe)
    }

    @Test(
        "pyspnego and requests-gssapi",
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_KERBEROS"] != nil, "SALLYPORT_KERBEROS=1")
    )
    func morePython() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm, "--kerberos-only")
        let script = """
            import base64, requests, requests_gssapi, spnego
            url = "http://localhost:\(server.port)/"
            print(requests.get(url, auth=requests_gssapi.HTTPSPNEGOAuth()).text, end="")
            for protocol in ["negotiate", "kerberos"]:
                client = spnego.client(hostname="localhost", service="HTTP", protocol=protocol)
                token = base64.b64encode(client.step()).decode()
                response = requests.get(url, headers={"Authorization": "Negotiate " + token})
                client.step(base64.b64decode(response.headers["WWW-Authenticate"].split()[1]))
                assert client.complete
                print(response.text, end="")
            """
        #expect(try run(["python3", "-W", "ignore", "-c", script], in: realm) == Self.jdoe + Self.jdoe + Self.jdoe)
    }

    @Test("No ticket, an old one, one for another key, one used before, a spoilt one") func refusals() throws {
        let realm = try prepared()
        try realm.ticket(into: "old.cache", life: "1s")
        let server = try KerberosServers.Own(in: realm, "--keytab", realm.path("http.keytab"), "--kerberos-only")
        let status = ["-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try run(curl(server) + status, in: realm, cache: "none") == "401")
        #expect(try server.report().isEmpty)
        let other = try KerberosServers.Own(in: realm, "--keytab", realm.path("other.keytab"))
        #expect(try run(curl(other) + status, in: realm) == "401")
        let reasons = try other.report()
        #expect(reasons.count == 1 && reasons[0].hasPrefix("refused Kerberos: "), "\(reasons)")

        // A token without the frame of SPNEGO is taken once.
        let environment = realm.environment(cache: "jdoe.cache")
        let client = try HelperProcess([BuiltProgram.forTests, "initiate", "--no-codes"], environment: environment)
        let token = String(try client.readLine().dropFirst("token ".count))
        let send = ["curl", "-sS", "http://localhost:\(server.port)/", "-H", "Authorization: Negotiate \(token)"]
        #expect(try run(send, in: realm) == Self.jdoe)
        #expect(try run(send + status, in: realm) == "401")
        #expect(
            try run(send.dropLast() + ["Authorization: Negotiate \(token.dropLast(16))"] + status, in: realm) == "401"
        )
        let said = try server.report()
        #expect(said.count == 2 && said[0].contains("replay"), "\(said)")
        Thread.sleep(forTimeInterval: 2.1)
        #expect(try run(curl(server) + status, in: realm, cache: "old.cache") == "401")

        // A keytab that cannot be read is a fault of the server.
        let broken = try KerberosServers.Own(in: realm, "--keytab", realm.path("none.keytab"))
        #expect(try run(curl(broken) + status, in: realm) == "503")
        #expect(try broken.report().first?.hasPrefix("failed ") == true)
    }

    @Test("NTLM inside Negotiate beside Kerberos", .needs(.python, .requestsNTLM)) func ntlm() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm)
        let script = """
            import requests, requests_ntlm
            auth = requests_ntlm.HttpNtlmAuth("ACME\\\\jdoe", "Correct-Horse")
            print(requests.get("http://localhost:\(server.port)/", auth=auth).text, end="")
            """
        let output = try run(["python3", "-W", "ignore", "-c", script], in: realm, cache: "none")
        #expect(output == #"ACME\jdoe (negotiate, NTLM)"# + "\n")
    }

    /// Without a network Chromium takes a minute or two to start, so `.ci/slow browsers` runs it.
    @Test(
        "Chromium, headless, with the policy that allows the server",
        .needs(.chromium, .namespaces),
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_BROWSERS"] != nil, "SALLYPORT_BROWSERS=1")
    )
    func chromium() throws {
        let realm = try prepared()
        let server = try KerberosServers.Own(in: realm)
        // The policies lie in a folder of the system, which is another one for this process.
        let script = """
            mount -t tmpfs none /etc/chromium && mkdir -p /etc/chromium/policies/managed
            echo '{"AuthServerAllowlist": "localhost"}' >/etc/chromium/policies/managed/kerberos.json
            # A profile that is made in this run reads the policies too late for its first page.
            for page in "$1" "$1"; do
                timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$0" \
                    --disable-background-networking --disable-component-update --no-first-run --dump-dom $page 2>/dev/null
            done
            """
        let url = "http://localhost:\(server.port)/"
        let page = try run(["unshare", "-m", "sh", "-c", script, realm.path("chromium"), url], in: realm)
        #expect(page.contains(Self.jdoe.dropLast()), "\(page)")
    }
}
