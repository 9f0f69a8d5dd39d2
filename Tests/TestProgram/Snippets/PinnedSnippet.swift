import NIOCore
import Sallyport
import SallyportClient

enum PinnedSnippet {
    /// The second one of GuideToPins.md.
    static func response(
        _ url: String,
        _ host: String,
        _ profile: SecurityProfile,
        pin: String,
        spare: String
    ) async throws -> ClientResponse {
        var profile = profile
        profile.pins = [
            PinPolicy.Entry(
                host: host,
                pins: [.init(try Pin(parsing: pin), at: .leaf)],
                backup: .pins([.init(try Pin(parsing: spare))]),
                expiry: nil
            )
        ]
        let client = AuthenticatedClient(CurrentHandler(try ChallengeHandler(profile: profile)))
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .seconds(30))
        return response
    }
}
