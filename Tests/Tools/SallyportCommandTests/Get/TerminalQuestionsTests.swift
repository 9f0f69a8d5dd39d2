import Crypto
import Foundation
import LiveServers
import Sallyport
import SwiftASN1
import TestSupport
import Testing
import X509

/// `get` asks a person about a server that is not trusted, and about client certificates of which several fit.
@Suite(.inTurn, .needs(.nginx), .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct TerminalQuestionsTests {
    private func terminal(
        _ answers: String,
        _ arguments: [String],
        in folder: RequestFolder
    ) async throws -> PythonTerminal.Session {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try PythonTerminal.session("answers:\(answers)", arguments, environment: folder.environment)
        }
    }

    /// The file of keys that a person has trusted, if there is one.
    private func remembered(in folder: RequestFolder) -> String? {
        FileManager.default.subpaths(atPath: folder.path(""))?.first { $0.hasSuffix("trusted-keys.yaml") }
    }

    @Test(
        "Rows 67 and 68: trust in a server needs the beginning of the pin, is remembered, and counts with --ask-trust alone",
        .row(67, 68)
    )
    func trust() async throws {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let leaf = try root.leaf("localhost", changes: .init(commonName: "evil\u{1B}[2J"))
        let nginx = try await NginxWithClients(leaf, clients: clients.own.certificate, verify: "off")
        let folder = try RequestFolder()
        let (url, pin) = ("https://localhost:\(nginx.port)/", "\(try leaf.pin)")
        let asking = ["get", url, "--ask-trust"]
        // Without a terminal nothing is trusted, and the error names the question.
        let away = try await folder.live(asking)
        #expect(away.status == 2 && away.output.isEmpty, "\(away.error)")
        #expect(away.error.hasPrefix("sallyport get: https://localhost:\(nginx.port): no path leads to a trusted root"))
        #expect(
            away.error.hasSuffix(
                "the key of the server is \(pin): there is no terminal to ask at: run the program at one, or add the key to 'trustedKeys' "
                    + "of the profile\n"
            ),
            "\(away.error)"
        )
        // Enter alone refuses; no byte of a request goes out.
        let refused = try await terminal("", asking, in: folder)
        #expect(refused.exit == 1 && refused.output.isEmpty && refused.restored, "\(refused.shown)")
        #expect(remembered(in: folder) == nil)
        let begin = pin.dropFirst("sha256/".count).prefix(8)
        let trusted = try await terminal("yes|\(begin.dropLast())|\(begin)", asking, in: folder)
        #expect(trusted.exit == 0 && trusted.output.hasPrefix("NONE "), "\(trusted.shown)")
        #expect(trusted.shown.components(separatedBy: "This is not the beginning of the pin").count == 3)
        #expect(trusted.shown.contains("  pin      \(pin)\r\n") && trusted.shown.contains(#""CN=evil\\1B[2J""#))
        #expect(!trusted.shown.contains("\u{1B}[2J"))
        // Remembered, without a question and without a terminal; and only where it is asked for.
        let again = try await folder.live(asking)
        #expect(again.status == 0 && again.output.hasPrefix("NONE "), "\(again.error)")
        let without = try await folder.live(["get", url])
        #expect(without.status == 1 && without.error.contains("--ask-trust asks about the server's key"))
        let alone = try await folder.live(asking + ["--no-store"])
        #expect(alone.status == 2, "\(alone.error)")
        // Another key at the same host is another question.
        let other = try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate, verify: "off")
        let changed = try await folder.live(["get", "https://localhost:\(other.port)/", "--ask-trust"])
        #expect(changed.status == 2 && changed.error.contains("there is no terminal to ask at"), "\(changed.error)")
        let both = try folder.run(asking + ["--no-prompt"])
        #expect(both.status == 2 && both.error.contains("--ask-trust asks at the terminal"), "\(both.error)")
        #expect(both.error.split(separator: "\n").count == 1)
        // What else lies in that file is not trusted, and is an error with its place.
        let file = try #require(remembered(in: folder))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder.path(file))
        let writable = try await folder.live(asking)
        #expect(writable.status == 2 && writable.error.contains("trusted-keys.yaml: other users may read or write it"))
    }

    @Test("Row 39: of several certificates a person chooses one by its number, or none", .row(39)) func choice()
        async throws
    {
        let folder = try RequestFolder()
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate)
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        var identities = ""
        for name in ["laptop", "card"] {
            let leaf = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "\(name) 7"))
            let text = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation + "\n"
            try folder.write(text, "\(name).pem")
            identities += """

                  - name: \(name)
                    certificate: { file: \(name).pem }
                    sites: ["localhost:\(nginx.port)"]
                """
        }
        let sites = "version: 1\nsites: [\"localhost:\(nginx.port)\"]\nschemes: [basic]\nidentities:"
        try folder.write(sites + identities + "\n", "profile.yaml")
        let arguments =
            ["get", "https://localhost:\(nginx.port)/", "--no-store", "--cacert", folder.path("root.pem")]
            + ["--profile", folder.path("profile.yaml")]
        let chosen = try await terminal("3|2", arguments, in: folder)
        #expect(chosen.exit == 0 && chosen.output.hasPrefix("SUCCESS CN=card 7 "), "\(chosen.shown)")
        #expect(chosen.shown.contains("  2  card: \"CN=card 7\"\r\n     issuer \"CN=Clients\"\r\n"), "\(chosen.shown)")
        let none = try await terminal("", arguments, in: folder)
        #expect(none.exit == 1 && none.output.contains("No required SSL certificate was sent"), "\(none.shown)")
        #expect(
            none.shown.contains(
                ": 400 Bad Request: the server asked for a client certificate, and none was sent: none was chosen: run the command again and "
                    + "choose one, or present one with --cert FILE or --cert-identity NAME"
            ),
            "\(none.shown)"
        )
        for options in [[], ["--no-prompt"]] {
            let away = try await folder.live(arguments + options)
            #expect(
                away.status == 2
                    && away.error
                        == "sallyport get: https://localhost:\(nginx.port) asks for a client certificate, and several fit: "
                        + "'laptop', 'card': run the command at a terminal to choose one, or name one with --cert FILE or "
                        + "--cert-identity NAME\n",
                "\(away.error)"
            )
        }
        let told = try await folder.live(["explain"] + arguments.dropFirst() + ["--no-prompt"])
        let several =
            "\nidentity   'laptop' (CN=laptop 7) and 'card' (CN=card 7) withheld from https://localhost:\(nginx.port), because several fit: "
        #expect(told.status == 2 && told.output.contains(several), "\(told.output)")
    }

    @Test("A status with which nginx asks for a certificate says so, if the handshake asked for one") func wanted()
        async throws
    {
        let folder = try RequestFolder()
        let root = try TestAuthority("Root")
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let clients = try TestAuthority("Clients").own.certificate
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: clients)
        let options = ["--no-store", "--cacert", folder.path("root.pem")]
        for verb in ["get", "explain"] {
            let run = try await folder.live([verb, "https://localhost:\(nginx.port)/"] + options)
            #expect(
                run.status == 1
                    && (run.error + run.output).contains(
                        ": 400 Bad Request: the server asked for a client certificate, and none was sent: present one with --cert FILE "
                            + "or --cert-identity NAME, or name it in the profile\n"
                    ),
                "\(run.error)"
            )
            guard verb == "explain" else { continue }
            let asked = "\nidentity   none sent to https://localhost:\(nginx.port), which asked for one: present one "
            #expect(run.output.contains(asked), "\(run.output)")
            #expect(run.output.contains("\nend        no HTTP authentication was asked for\n"), "\(run.output)")
        }
        // A server that did not ask.
        let other = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in
            .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        defer { other.stop() }
        let run = try await folder.live(["get", "\(other.origin)/"] + options)
        #expect(run.status == 1 && run.error.hasSuffix(": 400 Bad Request: the server refuses the request: check it\n"))
    }
}
