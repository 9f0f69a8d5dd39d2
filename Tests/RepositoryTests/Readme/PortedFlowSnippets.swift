import Foundation
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient

// The snippets of PortedFlows.md for clients of this package, word for word.

enum PortedFlows {
    static func withRepository(
        _ enrolled: ChallengeHandler,
        repository: String,
        prompt: any CredentialSource
    ) throws -> Authenticator {
        var options = AuthenticatorOptions()
        options.places = [AccountPlace(name: "repository", sites: [repository])]
        return try Authenticator(CurrentHandler(enrolled), prompt: prompt, options: options)
    }

    static func pageWithCertificate(
        _ request: ClientRequest,
        _ client: AuthenticatedClient,
        _ authenticator: Authenticator
    ) async throws -> ClientResponse {
        let response = try await client.execute(request, deadline: .now() + .seconds(30))
        // nginx's answer to a certificate that is revoked or has expired; others end the handshake instead.
        guard response.status == .badRequest else { return response }
        try await authenticator.fetchNewCertificates()
        return try await client.execute(request, deadline: .now() + .seconds(30))
    }

    static func started(
        _ handler: ChallengeHandler,
        store path: String,
        keyFile: String,
        prompt: any CredentialSource
    ) async throws -> Authenticator {
        let key = StoreKey.keyFile(path: keyFile)
        let store: SealedFileStore
        do {
            store = try await SealedFileStore.open(at: path, key: key)
        } catch let error where error.problem == .missing {
            // The first start. A key that is there already stays.
            try? StoreKey.makeKeyFile(at: keyFile)
            store = try await SealedFileStore.create(at: path, key: key, now: Int64(Date().timeIntervalSince1970))
        }
        return try Authenticator(CurrentHandler(handler), prompt: prompt, store: store)
    }

    /// Returns the number of records that left the store.
    static func signOut(_ authenticator: Authenticator) async -> Int {
        let report = await authenticator.signOut()
        for failure in report.failures { print("not signed out everywhere: \(failure)") }
        return report.storedCredentials
    }
}
