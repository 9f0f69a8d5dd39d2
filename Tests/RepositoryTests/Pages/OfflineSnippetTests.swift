import AllowedSites
import CredentialStores
import Credentials
import Crypto
import Foundation
import Hostnames
import LiveServers
import NTLM
import SPKIPins
import Secrets
import SwiftASN1
import Synchronization
import TestSupport
import Testing
import X509

/// The snippets of the pages about hosts, secrets, accounts and engines, which reach no server.
@Suite(.inTurn) struct OfflineSnippetTests {
    @Test("Hosts are read as the comments say") func hostnames() throws {
        let (host, origin, location) = try HostnamesSnippet.read()
        #expect("\(host)" == "www.host.example")
        #expect("\(origin)" == "https://[2001:db8::1]")
        #expect("\(location.origin)" == "https://host.example" && location.path == "/a")
    }

    @Test("International hosts are read as the comment says, and lists take them") func internationalHostnames() throws
    {
        let bytes = Array("bücher.example\n".utf8)
        let (host, list) = try InternationalHostnamesSnippet.read(bytes.span)
        #expect("\(host)" == "xn--bcher-kva.example")
        #expect(SiteTrie(compiling: list).verdict(forURL: "https://xn--bcher-kva.example/").isAllowed)
    }

    @Test("The source of a secret is erased") func secrets() {
        var sent: [UInt8] = []
        let rest = SecretsSnippet.keep("hunter2") { bytes in sent = bytes.indices.map { bytes[$0] } }
        #expect(sent == Array("hunter2".utf8))
        #expect(rest.allSatisfy { $0 == 0 })
    }

    @Test("A stored password is found") func credentialStores() async throws {
        let folder = TemporaryFolder.place("stores")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let password = SharedSecret(utf8: "hunter2")
        let found = try await CredentialStoresSnippet.keep(password, in: folder.path, now: 1_700_000_000)
        #expect(found.map(\.name.user) == ["jdoe"])
    }

    @Test("A file has the password of an account") func credentials() throws {
        let path = Repository.root.appending(path: "Data/Recordings/corporate-day/secrets/jdoe").path
        let account = try CredentialsSnippet.account(pathOfSecret: path)
        #expect(account.user == "jdoe" && account.domain == "ACME")
    }

    @Test("The sites of both pages are what the comments say") func sites() throws {
        let trie = try AllowedSitesSnippet.sites()
        #expect(trie.verdict(forURL: "https://www.host.example/").isAllowed)
        #expect(trie.verdict(forURL: "https://host.example/app/x").isAllowed)
        #expect(!trie.verdict(forURL: "https://host.example/").isAllowed)
        #expect(!trie.verdict(forURL: "https://a.guest.host.example/").isAllowed)
        #expect(trie.verdict(forURL: "http://10.1.2.3:8080/").isAllowed)
        let guide = try GuideToAllowedSitesSnippet.sites()
        #expect(guide.verdict(forURL: "https://wiki.acme.example/").isAllowed)
        #expect(!guide.verdict(forURL: "https://evilacme.example/").isAllowed)
        #expect(!guide.verdict(forURL: "https://quarantine.acme.example/").isAllowed)
        #expect(guide.verdict(forURL: "http://proxy.acme.example:3128/").isAllowed)
    }

    @Test("Both sides of a handshake agree") func handshake() throws {
        let now = FileTime(unixSeconds: 1_700_000_000)
        let hash = try NTHash(password: "secret")
        let visitor = try GuideToNTLMSnippet.handshake(password: "secret", hashes: ["ada": hash], now: now)
        #expect(visitor.user == "ada" && visitor.domain == "ACME")
        #expect(throws: ServerHandshakeError.rejected) {
            try GuideToNTLMSnippet.handshake(password: "guess", hashes: ["ada": hash], now: now)
        }
    }

    @Test("Client and server of NTLM.md agree") func ntlm() async throws {
        let (toServer, toClient) = (AsyncStream.makeStream(of: [UInt8].self), AsyncStream.makeStream(of: [UInt8].self))
        let now = FileTime(unixSeconds: 1_700_000_000)
        let hashes = ["ada": try NTHash(password: "secret")]
        let server = Task {
            var messages = toServer.stream.makeAsyncIterator()
            let negotiate = await messages.next() ?? []
            return try await NTLMSnippet.server(negotiate, hashes, ReplayWindow(), now: now) { challenge in
                toClient.continuation.yield(challenge)
                return await messages.next() ?? []
            }
        }
        var messages = toClient.stream.makeAsyncIterator()
        let authenticate = try await NTLMSnippet.client("secret", now: now) { negotiate in
            toServer.continuation.yield(negotiate)
            return await messages.next() ?? []
        }
        toServer.continuation.yield(authenticate)
        #expect(try await server.value.user == "ada")
    }

    @Test("A foreign key is a mismatch") func pins() throws {
        // Not a certificate at all: it has no pin, so it cannot match one.
        guard case .mismatched = try GuideToPinsSnippet.pins(derCertificates: [[0x30, 0x00]], unixSeconds: 0) else {
            Issue.record("a chain without the pinned key was trusted")
            return
        }
    }

    @Test("A connection is closed if the server has another key") func policy() throws {
        let root = try TestAuthority("Root")
        let (right, wrong) = (try root.leaf("www.host.example"), try root.leaf("www.host.example"))
        for (shown, closes) in [(right, 0), (wrong, 1)] {
            let count = Mutex(0)
            try SPKIPinsSnippet.judge(
                right.der,
                backupPin: "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8=",
                "www.host.example",
                [shown.der, root.own.der],
                now: 0
            ) {
                count.withLock { $0 += 1 }
            }
            #expect(count.withLock { $0 } == closes)
        }
    }
}
