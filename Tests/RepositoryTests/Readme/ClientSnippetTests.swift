import AllowedSites
import CredentialStores
import Foundation
import Hostnames
import LiveServers
import Sallyport
import Secrets
import Testing

/// README's snippets for clients, at a real server.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP)) struct ClientSnippetTests {
    @Test("Each snippet gets the page", arguments: GuardedServer.Kind.apache)
    func snippets(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let url = "\(try server.address())\(server.page(1))"
        // Their deadlines are README's, so they must not wait for other tests.
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await Self.run(server, url) }
        #expect(try server.takeBadLogOns() == 0)
    }

    private static func run(_ server: GuardedServer, _ url: String) async throws {
        #expect(try await ClientSnippets.asyncHTTPClient(url, server.handler()) == 200)
        let parsed = try #require(URL(string: url))
        #expect(try await ClientSnippets.urlSession(parsed, server.handler()) == 200)
        #expect(try await ClientSnippets.nio(url, server.handler()) == 200)
    }

    @Test("With a store the password is found, used and forgotten", arguments: [GuardedServer.Kind.apacheDigest])
    func asking(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let origin = try server.address()
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(origin)", name: "test"), schemes: [.digest])
        let store = MemoryCredentialStore()
        let name = CredentialName(space: .origin(origin), user: "jdoe")
        let password = SharedSecret(utf8: GuardedServer.password)
        try await store.save(StoredCredential(name: name, secret: password, created: 0))
        let url = "\(origin)\(server.page(1))"
        // Its deadline is the page's, so it must not wait for other tests. One record leaves the store.
        let result = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try await ClientSnippets.asking(url, ChallengeHandler(profile: profile, at: 0), store)
        }
        #expect(result == 200 + 1)
        #expect(try server.takeBadLogOns() == 0)
    }
}
