internal import Hostnames

/// A party that has accepted an answer, with the account that answers all its paths.
final class KnownParty: Sendable {
    /// Compared, because parties are found by a hash.
    let origin: Origin
    let prepared: PreparedAccount
    let space: KnownSpace
    /// How often the handler had replaced a password when the account was found.
    let replacements: Int

    init(_ origin: Origin, _ prepared: PreparedAccount, _ space: KnownSpace, replacements: Int) {
        self.origin = origin
        self.prepared = prepared
        self.space = space
        self.replacements = replacements
    }
}
