extension HotOperation {
    /// The operations whose tails are guarded, and how many calls make a sample: one if it is long enough for the clock.
    ///
    /// A stall in one call of 500 also changes the p99 of those with eight.
    private static let callsOfTails = [
        "ChallengeExchange.received/basic": 1,
        "ChallengeExchange.received/digest-sha256": 1,
        "ChallengeExchange.received/ntlm-negotiate": 1,
        "ChallengeExchange.received/site-denied": 8,
        "RequestAuthentication.begin/basic": 1,
        "RequestAuthentication.begin/digest-sha256": 1,
        "RequestAuthentication.begin/token": 1,
        "SiteTrie.verdict/hit/N=1000": 8,
    ]

    /// The operations whose tails are guarded, each with the number of calls that make a sample.
    package static func withTails() throws -> [(operation: HotOperation, calls: Int)] {
        let found = try all([.allowedSites, .sallyport]).compactMap { operation in
            callsOfTails[operation.name].map { (operation, $0) }
        }
        precondition(found.count == callsOfTails.count, "the list of tails names an operation that does not exist")
        return found
    }
}
