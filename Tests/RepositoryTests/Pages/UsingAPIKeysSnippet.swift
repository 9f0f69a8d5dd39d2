import Sallyport

/// The snippet of UsingAPIKeys.md.
enum UsingAPIKeysSnippet {
    static func placing(_ profile: SecurityProfile, _ secret: SharedSecret, site: String) throws -> ChallengeHandler {
        var profile = profile
        let key = Account(name: "maps", user: "maps", credential: .token(secret))
        profile.accounts.append(
            AccountAssignment(key, sites: [site], placement: TokenPlacement(.field("X-Esri-Authorization")))
        )
        let handler = try ChallengeHandler(profile: profile)
        return handler
    }
}
