import AsyncHTTPClient
import ClientIdentities
import CredentialSources
import CredentialStores
import Credentials
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportAsyncHTTPClient
import SallyportNIO
import SallyportTelemetry
import SallyportURLSession
import Secrets

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Snippets of articles for clients, word for word. Those with clients that need no more than their defaults are in `SnippetProgram`.
enum ClientSnippets {
    /// The snippets of Events.md.
    static func observing(
        _ profile: SecurityProfile,
        now: Int64,
        _ stream: EventStream,
        _ logger: Logger
    ) throws -> ChallengeHandler {
        let observer = EventObserver([.logging(to: logger), .metrics(), stream.observer])
        let handler = try ChallengeHandler(profile: profile, at: now, observer: observer)
        return handler
    }

    static func writing(_ stream: EventStream, to file: FileHandle) async throws {
        var transcript = Transcript()
        for await event in stream.events {
            try file.write(contentsOf: transcript.take(event))
        }
        try file.write(contentsOf: transcript.finish())
    }

    /// The snippet of AskingForPasswords.md about servers.
    static func trusting(
        _ current: CurrentHandler,
        inOneWeek: Int64,
        userConfirms: @escaping @Sendable (String) async -> Bool
    ) throws -> Authenticator {
        let ask: Authenticator.ServerTrustSource = { server in
            await userConfirms("\(server)") ? .trust(until: inOneWeek) : .reject
        }
        let authenticator = try Authenticator(current, serverTrust: ask)
        return authenticator
    }

    /// The snippets of ClientCertificates.md.
    static func presenting(_ current: CurrentHandler, _ passphrase: SharedSecret) throws -> AuthenticatedClient {
        let laptop = try KeyedIdentity(name: "laptop", reading: .one("laptop.p12"), passphrase: passphrase)
        let tls = try TLSConnector(current, identities: [.init(laptop, sites: ["*.acme.example"])])
        let client = AuthenticatedClient(current, tls: tls)
        return client
    }

    static func choosing(
        _ current: CurrentHandler,
        userPicks: @escaping @Sendable ([IdentityCandidate]) async -> String?
    ) throws -> Authenticator {
        let choose: Authenticator.IdentityChooser = { question in
            await userPicks(question.candidates).map { .use(identity: $0) } ?? .cancel
        }
        let authenticator = try Authenticator(current, identityChoice: choose)
        return authenticator
    }

    static func renewing(_ current: CurrentHandler) async throws -> AuthenticatedClient {
        let watch = try await IdentityWatch([
            IdentityPlace(
                name: "laptop",
                files: .one("laptop.p12"),
                passphrase: .file(path: "passphrase"),
                sites: ["*.acme.example"]
            )
        ])
        let authenticator = try Authenticator(current, identities: watch.source)
        var settings = TLSSettings()
        settings.identities = watch.ring
        let client = AuthenticatedClient(authenticator, tls: try TLSConnector(settings, current))
        try await watch.run(authenticator) { event in print(event) }  // in a task of its own
        return client
    }
}
