import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// `--cert pkcs11:…`: nginx with OpenSSL sees the certificate of a card, at every verb that presents one.
@Suite(.inTurn, .serialized, .needs(.softHSM, .openssl, .nginx)) struct CardOptionTests {
    /// A server, the card whose certificate it takes, and the files of the command.
    private struct World {
        let cards: SoftCards
        let folder: RequestFolder
        let nginx: NginxWithClients

        init() async throws {
            cards = try SoftCards()
            folder = try RequestFolder()
            try cards.provision(.p256)
            let root = try TestAuthority("Root")
            try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
            try folder.write("\(SoftCards.pin)\n", "pin", mode: 0o600)
            let issuer = try String(contentsOfFile: cards.path("issuer.crt"), encoding: .utf8)
            nginx = try await NginxWithClients(root.leaf("localhost"), clients: Certificate(pemEncoded: issuer))
        }

        var url: String { "https://localhost:\(nginx.port)/" }
        var trust: [String] { ["--cacert", folder.path("root.pem")] }
        var pin: [String] { ["--cert-passphrase-file", folder.path("pin")] }

        func card(
            _ path: String = "token=work;id=%01",
            _ query: String = "",
            module: String = SoftCards.module
        ) -> String {
            "pkcs11:\(path)?module-path=\(module)\(query)"
        }

        func get(_ card: String, _ more: [String] = []) async throws -> SallyportRun {
            try await folder.live(
                ["get", url, "--cert", card, "--no-prompt"] + more + trust,
                environment: cards.environment
            )
        }
    }

    private static let page = "SUCCESS CN=laptop 7,O=Example TLSv1.3 "

    @Test("get presents the certificate of a card: the PIN is in a file that an option or the URI names", .row(66))
    func get() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let option = try await world.get(world.card(), world.pin)
        #expect(option.status == 0 && option.output.hasPrefix(Self.page), "\(option.error)")
        let source = try await world.get(world.card("token=work", "&pin-source=file:\(world.folder.path("pin"))"))
        #expect(source.status == 0 && source.output.hasPrefix(Self.page), "\(source.error)")
        #expect(!world.folder.written.contains(SoftCards.pin))
    }

    @Test("explain and a mapped server of the relay present it, too") func others() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let story = try await world.folder.live(
            ["explain", world.url, "--cert", world.card(), "--no-prompt"] + world.pin + world.trust,
            environment: world.cards.environment
        )
        #expect(
            story.status == 0 && story.output.hasSuffix("outcome    yes: \(world.url): 200 OK\n"),
            "\(story.output)\(story.error)"
        )
        #expect(!world.folder.written.contains(SoftCards.pin))
        let relay = try RunningRelay(
            ["--map", "127.0.0.1:0=https://localhost:\(world.nginx.port)", "--no-store", "--cert", world.card()]
                + world.pin + world.trust,
            environment: world.folder.environment.merging(world.cards.environment) { $1 },
            lines: 1,
            listens: false
        )
        let page = try SallyportRun(
            ["curl", "-sS", "http://127.0.0.1:\(relay.port)/"],
            program: URL(filePath: "/usr/bin/env")
        ).output
        #expect(page.hasPrefix(Self.page), "\(page)")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        #expect(try !relay.log.contains(SoftCards.pin))
    }

    @Test("The relay warns of the end of a card's certificate, and SIGHUP says that the card stays as it was opened")
    func reload() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let place = "pkcs11: { uri: \"\(world.card())\", pin: { file: pin } }"
        let profile = try world.folder.identityProfile(place, for: world.nginx)
        let relay = try RunningRelay(
            ["--map", "127.0.0.1:0=https://localhost:\(world.nginx.port)", "--no-store", "--metrics", "127.0.0.1:0"]
                + ["--profile", profile] + world.trust,
            environment: world.folder.environment.merging(world.cards.environment) { $1 },
            lines: 2,
            listens: false
        )
        // That of the card is valid for 20 days.
        try relay.waitForLog("warning identity 'laptop': expires on ")
        let metrics = try SallyportRun(
            ["curl", "-sS", String(relay.announcement[1].split(separator: " ")[2])],
            program: URL(filePath: "/usr/bin/env")
        ).output
        #expect(metrics.contains("\nsallyport_relay_client_certificate_end_seconds{certificate=\"1\"} "), "\(metrics)")
        relay.send(SIGHUP)
        try relay.waitForLog("SIGHUP: the profile is read again; cards stay as they were opened at the start: restart")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    /// SoftHSM 2.6.1 may hold a process that ends while the session of its card does.
    @Test("A verb ends the session of the card before it ends itself, also when something else fails")
    func sessionEnds() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let card = world.card(module: try world.cards.makeFaultyModule())
        let map = ["--map", "127.0.0.1:0=https://localhost:\(world.nginx.port)", "--no-store"]
        let missing = ["--cacert", world.folder.path("missing.pem")]
        for (status, arguments) in [
            (0, ["get", world.url, "--no-prompt"] + world.trust),
            (0, ["explain", world.url, "--no-prompt"] + world.trust),
            (2, ["get", world.url, "--no-prompt", "--data", "@\(world.folder.path("missing"))"] + world.trust),
            (2, ["get", world.url, "--no-prompt", "--output", world.folder.path("missing/page")] + world.trust),
            (2, ["relay"] + map + missing),
        ] as [(Int32, [String])] {
            let before = world.cards.allCalls.count
            let run = try await world.folder.live(
                arguments + ["--cert", card] + world.pin,
                environment: world.cards.environment
            )
            #expect(run.status == status, "\(arguments[0]): \(run.error)")
            let calls = world.cards.allCalls.dropFirst(before)
            #expect(calls.contains("o") && calls.hasSuffix("cf"), "\(arguments): \(calls)")
        }
    }

    @Test("Where nobody can be asked, the relay says where a PIN can stand") func nobody() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let run = try await world.folder.live(
            ["relay", "--parent", "https://localhost:\(world.nginx.port)", "--no-store", "--cert", world.card()]
                + world.trust,
            environment: world.cards.environment
        )
        #expect(run.status == 2)
        #expect(
            run.error == "sallyport relay: --cert: the card needs a PIN: name its file with --cert-passphrase-file, "
                + "or with pin-source= in the URI\n"
        )
    }

    @Test("What is wrong with the card is one line") func problems() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        try world.folder.write("wrong-0000\n", "wrong", mode: 0o600)
        let wrong = ["--cert-passphrase-file", world.folder.path("wrong")]
        for (card, more, expected) in [
            (world.card(), wrong, "the PIN is wrong"),
            (world.card(), [], "the card needs a PIN"),
            (world.card("token=home"), world.pin, "no card fits"),
            (world.card("token=work;id=%02"), world.pin, "no private key fits"),
            ("pkcs11:token=work", world.pin, "no module is named: add ?module-path="),
            ("PKCS11:token=work?pin-value=1", [], "the URI contains a PIN"),
            (world.card(), ["--cert-key", world.folder.path("pin")], "The key of --cert is on the card"),
        ] {
            let run = try await world.get(card, more)
            #expect(run.status == 2 && run.error.contains(expected), "\(expected): \(run.error)")
            if !more.contains("--cert-key") { #expect(run.error.split(separator: "\n").count == 1, "\(run.error)") }
        }
        #expect(!world.folder.written.contains("wrong-0000"))
    }

    @Test(
        "A person at the terminal is asked for the PIN, and does not see it",
        .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3")
    )
    func terminal() async throws {
        let world = try await World()
        defer { world.cards.remove() }
        let session = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try PythonTerminal.session(
                "types:\(SoftCards.pin)",
                ["get", world.url, "--no-store", "--cert", world.card()] + world.trust,
                environment: world.folder.environment.merging(world.cards.environment) { $1 }
            )
        }
        #expect(session.exit == 0 && session.output.hasPrefix(Self.page), "\(session.shown)")
        #expect(session.hidden && session.restored && session.prompts == 1)
        #expect(session.shown.contains("PIN of work: ") && !session.shown.contains(SoftCards.pin))
    }
}
