import AllowedSites
import Corpora
import Foundation
import HTTPAuthentication
import Hostnames
import SPKIPins
import Sallyport
import TestSupport
import Testing

@testable import ProfileFiles

/// What a profile in a file becomes.
@Suite struct ProfileReaderTests {
    @Test(.row(1)) func everyFieldArrives() throws {
        let profile = try ExampleProfile.read(ExampleProfile.minimal)
        #expect(profile.schemes == [.ntlm, .basic])
        let account = try #require(profile.accounts.first)
        #expect(account.account.user == "jdoe" && account.account.domain == "ACME")
        #expect(account.account.credential.password?.count == 13)
        #expect(account.sites == ["*.acme.example"])
        let pins = try #require(profile.pins.first)
        #expect(pins.host == "login.acme.example")
        #expect(pins.pins.first?.position == .leaf)
        #expect(pins.expiry == 2_082_758_400)
        #expect(pins.mode == .enforce)
    }

    @Test("Sites and pins may be images") func images() throws {
        let trie = try SiteTrie(compiling: SiteList(parsing: "*.acme.example", name: "test"))
        let policy = try PinPolicy(compiling: try ExampleProfile.read(ExampleProfile.minimal).pins, version: 1, at: 0)
        let folder = TemporaryFolder.place("image").path
        try trie.writeImage(to: folder)
        let image = try [UInt8](Data(contentsOf: URL(filePath: folder)))
        try FileManager.default.removeItem(atPath: folder)
        let yaml = """
            version: 1
            sites: { image: sites.trie }
            schemes: [basic]
            accounts:
              - { name: jdoe, user: jdoe, password: { file: secret }, sites: ["*.acme.example"] }
            pins: { image: pins.image }
            """
        let files = [
            (name: "secret", contents: [UInt8]("x".utf8), mode: 0o600),
            (name: "sites.trie", contents: image, mode: 0o644),
            (name: "pins.image", contents: policy.image, mode: 0o644),
        ]
        let handler = ChallengeHandler(try ExampleProfile.compile(yaml, files).compiled)
        let allowed = ProtectionSpace(
            origin: try Origin(parsing: "https://wiki.acme.example"),
            kind: .http(schemes: [.basic], party: .origin)
        )
        #expect(handler.canHandle(allowed) == .yes)
        let pinned = try Hostname(parsing: "login.acme.example")
        let chain = try ValidatedChain(assertingValidated: [[UInt8](repeating: 0, count: 4)])
        guard case .rejected = handler.evaluate(ServerTrust(host: pinned, chain: chain), now: 0) else {
            Issue.record("the pins of the image are not used")
            return
        }
        for (name, field) in [("sites.trie", "sites.image"), ("pins.image", "pins.image")] {
            let damaged = files.map { $0.name == name ? (name: name, contents: [UInt8](yaml.utf8), mode: 0o644) : $0 }
            let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.compile(yaml, damaged) }
            #expect(error.field == field && error.line != nil, "\(error)")
        }
    }

    @Test("An expired entry of pins rejects its own hosts and is reported") func expiredPins() throws {
        let file = TemporaryFolder.place("profile", extension: ".yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let yaml = """
            version: 1
            sites: ["*.acme.example"]
            schemes: [basic]
            pins:
              - host: old.acme.example
                pins: [{ sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=" }]
                withoutBackup: "a test"
                expires: 2020-01-01T00:00:00Z
            """
        try Data(yaml.utf8).write(to: file)
        var warnings: [ProfileFileError] = []
        let compiled = try ProfileReader.compile(file, at: 1_790_000_000) { warnings.append($0) }
        #expect(warnings.map(\.line) == [5] && warnings[0].problem.contains("expired"))
        #expect(compiled.expiredPins.map(\.entry) == [0] && compiled.expiredPins[0].pattern == "old.acme.example")
        let handler = ChallengeHandler(compiled)
        func evaluate(_ host: String) throws -> TrustDecision {
            let chain = try ValidatedChain(assertingValidated: [[UInt8](repeating: 0, count: 4)])
            return handler.evaluate(ServerTrust(host: try Hostname(parsing: host), chain: chain), now: 1_790_000_000)
        }
        guard case .rejected(.pinsExpired) = try evaluate("old.acme.example"),
            case .validatedOnly = try evaluate("new.acme.example")
        else {
            Issue.record("an expired entry concerns its own hosts")
            return
        }
    }

    @Test func theShippedProfileIsReadAndCompiles() throws {
        let profile = try ProfileReader.read(ShippedRecording.corporateDay.load().profile)
        _ = try ChallengeHandler(profile: profile, at: 1_790_000_000)
        #expect(!profile.accounts.isEmpty && !profile.identities.isEmpty && !profile.pins.isEmpty)
    }

    @Test("Keys that are trusted without an authority", .row(75)) func trustedKeys() throws {
        let key = try #require(
            try ExampleProfile.read(ExampleProfile.trusted + ExampleProfile.minimal).trustedKeys.first
        )
        #expect("\(key.host)" == "dev.acme.example" && key.until == 2_082_758_400)
        #expect("\(key.pin)" == "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=")
    }
}
