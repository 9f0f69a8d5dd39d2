internal import AllowedSites
internal import Credentials
package import Hostnames

extension ChallengeHandler {
    /// Whether a token of any account goes along with requests; otherwise nothing else here needs to be asked.
    package var placesTokens: Bool { compiled.placements != nil }

    /// The token that goes with a request to its server besides the answers to challenges. It is `nil` without one, and where the token may
    /// not go: the sites do not allow it, or everyone on the path would read it.
    @inline(never)
    func placedToken(for request: ChallengedRequest) -> PlacedToken? {
        guard let placements = compiled.placements else { return nil }
        guard siteRefusal(request.origin, path: request.path) == nil,
            let index = placements.assignment(for: request.origin, path: request.path)
        else { return nil }
        let prepared = preparedAccount(at: index)
        let isRead = request.origin.scheme == .http || request.isThroughPlainProxy
        guard let token = prepared.keys.placed, prepared.assignment.allowsCleartext || !isRead else { return nil }
        // A proxy that reads the request takes the field for an answer to itself, and removes it.
        return request.isThroughPlainProxy && token.placement.isReadByProxies ? nil : token
    }

    /// The account whose token goes along with requests to a path of a server, and its rule; `nil` if there is none. It does not say whether
    /// the token may go there.
    package func placement(for origin: Origin, path: String) -> (assignment: AccountAssignment, rule: String)? {
        guard let placements = compiled.placements, siteRefusal(origin, path: path) == nil,
            let index = placements.assignment(for: origin, path: path)
        else { return nil }
        let rule = placements.rule(for: origin, path: path).map { "\($0)" } ?? ""
        return (preparedAccount(at: index).assignment, rule)
    }

    /// `text` with `mark` in each place of a token that goes along with requests: a server may repeat what it got.
    package func hidingPlacedTokens(in text: String, by mark: String) -> String {
        guard placesTokens else { return text }
        return currentAccounts().compactMap(\.keys.placed).reduce(text) { $1.hidden(in: $0, by: mark) }
    }
}
