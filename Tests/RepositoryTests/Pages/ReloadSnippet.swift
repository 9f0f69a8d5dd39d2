import Sallyport

/// The second snippet of GettingStarted.md.
enum ReloadSnippet {
    static func reload(_ changedProfile: SecurityProfile, after handler: ChallengeHandler) throws -> ChallengeHandler {
        let successor = try ChallengeHandler(profile: changedProfile, succeeding: handler)
        return successor
    }
}
