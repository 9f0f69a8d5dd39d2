import Sallyport
import SallyportNIO
import SmartCards

/// The snippets of SmartCards.md.
enum SmartCardsSnippet {
    static func laptop(_ textOfURI: String) async throws -> CardIdentity {
        let uri = try PKCS11URI(parsing: textOfURI)  // names the module, the card, the key, and the file with the PIN
        let card = try await SmartCard.open(uri)
        let laptop = try await card.identity(named: "laptop")
        return laptop
    }

    static func present(
        _ laptop: CardIdentity,
        at site: String,
        _ profile: inout SecurityProfile,
        _ settings: inout TLSSettings
    ) {
        profile.identities = [.init(laptop.identity, sites: [site])]
        settings.signingKeys["laptop"] = laptop.key
    }
}
