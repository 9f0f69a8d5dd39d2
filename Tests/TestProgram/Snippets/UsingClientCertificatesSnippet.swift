import Sallyport
import SallyportClient
import SallyportNIO

/// The snippets of UsingClientCertificates.md.
enum UsingClientCertificatesSnippet {
    static func presenting(
        _ current: CurrentHandler,
        _ passphrase: SharedSecret,
        site: String
    ) throws -> AuthenticatedClient {
        let laptop = try KeyedIdentity(name: "laptop", reading: .one("laptop.p12"), passphrase: passphrase)
        let tls = try TLSConnector(current, identities: [.init(laptop, sites: [site])])
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

    static func renewing(
        _ current: CurrentHandler,
        site: String
    ) async throws -> (AuthenticatedClient, Task<Void, any Error>) {
        let watch = try await IdentityWatch([
            IdentityPlace(
                name: "laptop",
                files: .one("laptop.p12"),
                passphrase: .file(path: "passphrase"),
                sites: [site]
            )
        ])
        let authenticator = try Authenticator(current, identities: watch.source)
        // Before the first request, which finds no identity otherwise.
        try await authenticator.fetchNewCertificates()
        var settings = TLSSettings()
        settings.identities = watch.ring
        let client = AuthenticatedClient(authenticator, tls: try TLSConnector(settings, current))
        let renewals = Task { try await watch.run(authenticator) { event in print(event) } }
        return (client, renewals)
    }
}
