import Crypto
import Foundation
import LiveServers
import TestSupport
import Testing

/// Row 58: an application that proves itself by a key (RFC 7523), and pushes its authorization (RFC 9126), at a service of Authlib.
@Suite(.row(58), .inTurn, .serialized, .needs(.authlib)) struct KeySignInTests {
    /// A folder whose profile has the account `signer`.
    private func folder(_ more: String = "", key: String = "signer.pem") async throws -> TokenFolder {
        // A service of its own, because others count the grants of theirs, and end its tokens.
        let folder = try TokenFolder(server: OAuthServer())
        try folder.files.write(try await folder.control("key"), "signer.pem")
        try folder.files.write(
            """
            version: 1
            sites: ["\(folder.server.url)"]
            schemes: [bearer]
            accounts:
              - name: signer
                sites: ["\(folder.server.url)"]
                cleartext: true
                oauth:
                  issuer: \(folder.server.url)
                  client: signer
                  key: \(key)
                  scope: read
                  \(more)
            """,
            "profile.yaml"
        )
        return folder
    }

    @Test("In a browser: the service gets the authorization first, and each request has another assertion")
    func browser()
        async throws
    {
        let folder = try await folder("signed-in-seconds: 28800")
        let pushed = try #require(Int(try await folder.control("pushed")))
        let login = try folder.login(["signer"])
        // The name ends after 60 s.
        #expect(try login.line() == "open this address in a browser on this machine, within 60 s (^C cancels):")
        let url = try login.line()
        let name =
            "\(folder.server.url)/authorize?client_id=signer&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A"
        #expect(url.hasPrefix(name) && !url.contains("scope"), "\(url)")
        #expect(try await folder.control("pushed") == "\(pushed + 1)")
        _ = try await folder.browse(url)
        let said = try login.line()
        #expect(said.hasPrefix("signed in: 'signer' at \(folder.server.url)"), "\(said)")
        #expect(said.contains(", renewed by a refresh token; sign in again at "), "\(said)")
        #expect(login.end() == 0)
        let get = ["get", "\(folder.server.url)/items"] + folder.options
        #expect(try await folder.run(get).status == 0)
        #expect(try await folder.control("end-access") == "done")
        let renewed = try await folder.run(get)
        #expect(renewed.status == 0, "\(renewed.error)")
        let out = try await folder.run(["logout", "signer"] + folder.options)
        #expect(out.output.hasSuffix("and the service has taken them back\n"), "\(out.error)")
    }

    @Test("On another device, and by the application itself") func others() async throws {
        let folder = try await folder()
        let login = try folder.login(["signer", "--device", "--json"])
        let shown = try JSONSerialization.jsonObject(with: Data(try login.line().utf8)) as? [String: Any]
        let code = try #require(shown?["code"] as? String)
        #expect(try await folder.control("decide/\(code)/yes") == "done")
        _ = try login.line()
        #expect(login.end() == 0)
        let machine = try await self.folder("grant: client-credentials")
        let run = try await machine.run(["login", "signer"] + machine.options)
        #expect(run.status == 0 && run.output.contains(", renewed by the client's key"), "\(run.error)")
    }

    @Test("An RSA key with a passphrase signs with RS256", .needs(.openssl)) func rsa() async throws {
        let folder = try await folder(
            "grant: client-credentials",
            key: "{ file: signer.pem, passphrase: { file: phrase } }"
        )
        try folder.files.write("a phrase of some length", "phrase")
        func openssl(_ arguments: String...) throws {
            let run = try SallyportRun(arguments, program: URL(filePath: "/usr/bin/openssl"))
            try #require(run.status == 0, "\(run.error)")
        }
        let (key, phrase) = (folder.files.path("signer.pem"), "file:\(folder.files.path("phrase"))")
        try openssl(
            "genpkey",
            "-algorithm",
            "RSA",
            "-pkeyopt",
            "rsa_keygen_bits:2048",
            "-aes-256-cbc",
            "-pass",
            phrase,
            "-out",
            key
        )
        let publicKey = folder.files.path("public.der")
        try openssl("pkey", "-in", key, "-passin", phrase, "-pubout", "-outform", "DER", "-out", publicKey)
        let text = try Data(contentsOf: URL(filePath: publicKey)).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(try await folder.control("trust/\(text)") == "done")
        let run = try await folder.run(["login", "signer"] + folder.options)
        #expect(run.status == 0 && run.output.contains(", renewed by the client's key"), "\(run.error)")

        let profile = try folder.files.text("profile.yaml")
        for (before, after, problem) in [
            (
                ", passphrase: { file: phrase }", "",
                "signer.pem: the key is encrypted: name the place of its passphrase"
            ),
            ("file: phrase", "file: secret", "signer.pem: the passphrase is wrong"),
        ] {
            try folder.files.write(profile.replacing(before, with: after), "profile.yaml")
            let run = try await folder.run(["login", "signer"] + folder.options)
            #expect(run.status == 2 && run.error.contains(problem), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test("A key that cannot sign is one line with its file, and the store is cleared without it") func unusable()
        async throws
    {
        let folder = try await folder("grant: client-credentials")
        #expect(try await folder.run(["login", "signer"] + folder.options).status == 0)
        let stranger = P256.Signing.PrivateKey().pemRepresentation
        let other = P384.Signing.PrivateKey().pemRepresentation
        for (key, status, problem) in [
            (stranger, 1, "check the client's identifier and secret"),
            (other, 2, "signer.pem: the key is EC P-384, which signs no assertions here: give a key on P-256"),
            ("nothing\n", 2, "signer.pem: the file has no private key"),
        ] as [(String, Int32, String)] {
            try folder.files.write(key, "signer.pem")
            let run = try await folder.run(["login", "signer"] + folder.options)
            #expect(run.status == status && run.error.contains(problem), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
        let out = try await folder.run(["logout", "signer"] + folder.options)
        #expect(out.status == 1 && out.output.contains("the store has no tokens any more"), "\(out.error)")
        #expect(try await folder.run(["logout", "signer"] + folder.options).output.contains("was not signed in"))
    }
}
