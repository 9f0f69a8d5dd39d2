import Foundation
import LiveServers
import TestSupport
import Testing

@testable import SallyportCommand

/// The accounts of a relay's clients, in files of other programs and in directories of the system.
@Suite(.inTurn) struct RelayDirectoryTests {
    private static func parent() async throws -> ScriptedServer {
        try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }

    private static func curl(_ user: String, _ scheme: String, port: some BinaryInteger) throws -> String {
        try SallyportRun(
            [
                "curl", "-sS", "-w", "%{http_code}", "-o", "-", "--proxy-\(scheme)", "-U", user, "-x",
                "http://127.0.0.1:\(port)", "http://a.example/",
            ],
            program: URL(filePath: "/usr/bin/env")
        )
        .output
    }

    @Test("A file of htdigest lets its clients in by Digest, in the realm of its lines", .needs(.curl))
    func htdigest() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        let folder = try StoreFolder()
        // The example of RFC 2617 section 3.5.
        try folder.write("Mufasa:testrealm@host.com:939e7578ed9e3c518a452acee763bce9\n", "clients")
        let relay = try RunningRelay(
            ["--parent", "\(parent.origin)", "--no-store", "--basic", "--client-accounts", folder.path("clients")],
            environment: folder.environment
        )
        #expect(try Self.curl("Mufasa:Circle Of Life", "digest", port: relay.port) == "ok200")
        #expect(try Self.curl("Mufasa:Circle of Lies", "digest", port: relay.port).hasSuffix("407"))
        #expect(try Self.curl("mufasa:Circle Of Life", "digest", port: relay.port).hasSuffix("407"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test(
        "Winbind judges clients of NTLM at the relay",
        .needs(.winbind, .samba, .namespaces, .curl)
    )
    func winbind() async throws {
        let parent = try await Self.parent()
        defer { parent.stop() }
        let folder = try StoreFolder()
        // The relay takes the `ntlm_auth` of the machine, with its configuration; this one has that of the test.
        try ExecutableFile.write(
            "#!/bin/bash\nexec /usr/bin/ntlm_auth --configfile=\"$SMB_CONF\" \"$@\"\n",
            to: folder.path("ntlm_auth"),
            mode: 0o755
        )
        let port = try ServerPort.take()
        let script = """
            PATH=$1:$PATH "$0" relay --no-store --basic --parent "$2" --listen 127.0.0.1:$3 --client-directory winbind:ACME >&2 &
            for _ in {1..600}; do curl -s -o /dev/null -x http://127.0.0.1:$3 http://a.example/ && break; sleep 0.05; done
            for user in 'ACME\\jdoe:Correct-Horse' 'jdoe:Correct-Horse' 'ACME\\jdoe:wrong'; do
                curl -sS -o /dev/null -w '%{http_code} ' --proxy-ntlm -U "$user" -x http://127.0.0.1:$3 http://a.example/
            done
            kill %1
            wait %1
            echo "$?"
            """
        let line = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let process = try HelperProcess(
                [
                    Script.server("with-winbind"), ServerScript.domain, ServerScript.accountList, "bash", "-c", script,
                    BuiltProgram.sallyport, folder.path(""), "\(parent.origin)", "\(port)",
                ],
                environment: folder.environment
            )
            return try process.readLine()
        }
        #expect(line == "200 200 407 0")
    }

    @Test(
        "A directory that cannot be used is one line",
        arguments: [
            (
                ["--client-directory", "kerberos:proxy.example@ACME.TEST"],
                "--client-directory: kerberos: needs --client-keytab"
            ),
            (["--client-directory", "winbind", "--client-accounts", "x"], "give one of the two"),
            (["--client-directory", "ldap"], "'ldap' is invalid for '--client-directory"),
            (["--client-directory", "winbind:"], "'winbind:' is invalid for '--client-directory"),
            (
                ["--client-directory", "kerberos:proxy.example"],
                "'kerberos:proxy.example' is invalid for '--client-directory"
            ),
        ]
    )
    func problems(arguments: [String], expected: String) throws {
        let run = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1"] + arguments)
        #expect(run.status == 2 && run.error.contains(expected), "\(run.status) \(run.error)")
    }
}
