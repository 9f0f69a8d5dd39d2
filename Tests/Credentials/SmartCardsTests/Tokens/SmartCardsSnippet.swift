import Sallyport
import SallyportNIO
import SmartCards

/// The snippets of SmartCards.md.
enum SmartCardsSnippet {
    static func laptop(_ textOfURI: String) async throws -> TokenIdentity {
        let uri = try TokenURI(parsing: textOfURI)  // names the module, the token, the key, and the file with the PIN
        let token = try await Token.open(uri)
        let laptop = try await token.identity(named: "laptop")
        return laptop
    }

    static func present(
        _ laptop: TokenIdentity,
        at site: String,
        _ profile: inout SecurityProfile,
        _ settings: inout TLSSettings
    ) {
        profile.identities = [.init(laptop.identity, sites: [site])]
        settings.signingKeys["laptop"] = laptop.key
    }
}
