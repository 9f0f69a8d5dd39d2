package import HTTPAuthentication

/// Why no user name and password could answer an offer. A remedy that asks for a password would be wrong then.
package enum OfferGap: Equatable, Sendable {
    /// The party names no scheme.
    case nothing
    /// The first line that cannot be read, if none can.
    case unreadable(UnreadableChallenge)
    /// Only schemes that no handler answers.
    case unknown([AuthenticationScheme])
    /// Only a token would be an answer.
    case token
    /// Basic alone, where everyone on the path would read the password.
    case cleartext

    /// The most names of schemes in a text.
    private static let shownNames = 4

    /// The names of ``unknown(_:)`` as a text. A party may offer any names, and any number of them.
    package static func names(_ schemes: [AuthenticationScheme]) -> String {
        let names = schemes.prefix(shownNames).map(\.shownName).joined(separator: ", ")
        return names + (schemes.count > shownNames ? " and \(schemes.count - shownNames) others" : "")
    }
}

extension OfferedChallenges {
    /// Why no user name and password could answer; `nil` if one could.
    ///
    /// - Parameter showsBasic: whether everyone on the path would read an answer of Basic, and the account does not allow that.
    package func gap(showsBasic: Bool) -> OfferGap? {
        if let line = unreadable.first { return count == 0 ? .unreadable(line) : nil }
        let offered = challenges.map(\.scheme)
        guard !offered.isEmpty else { return .nothing }
        let known = offered.filter(\.isAnswerable)
        guard !known.isEmpty else { return .unknown(offered) }
        let byPassword = known.filter { !$0.usesToken }
        guard !byPassword.isEmpty else { return .token }
        return showsBasic && byPassword.allSatisfy { $0 == .basic } ? .cleartext : nil
    }
}

extension AuthenticationScheme {
    /// Whether handlers have an exchange for the scheme.
    package var isAnswerable: Bool { self == .dpop || AnswerableScheme.standard.contains { $0.name == self } }
}
