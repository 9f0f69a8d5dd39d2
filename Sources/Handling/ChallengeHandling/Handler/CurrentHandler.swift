internal import Credentials
internal import Synchronization

/// The handler in use, which a reload replaces while other threads read it.
///
/// Sites, pins, accounts and schemes change at once, and refused passwords stay known. A request keeps the handler with which it
/// began.
public final class CurrentHandler: Sendable {
    private let current: ThreadLock<ChallengeHandler>
    // Replacements come one after the other, so that each handler succeeds the one before. Readers do not wait for them.
    private let replacements = Mutex<Void>(())

    /// Starts with a handler.
    public init(_ handler: ChallengeHandler) {
        current = ThreadLock(handler)
    }

    /// The handler in use.
    public var handler: ChallengeHandler { current.withLock { $0 } }

    /// Replaces the handler in use by one of `compiled`, and returns it.
    @discardableResult
    public func replace(with compiled: CompiledProfile) -> ChallengeHandler {
        replacements.withLock { _ in
            let successor = ChallengeHandler(compiled, succeeding: handler)
            current.withLock { $0 = successor }
            return successor
        }
    }

    /// Replaces the handler in use by one of `compiled`, with the accounts of the handler before that `keeps` names and `compiled`
    /// does not have, with trusted keys besides its own, and with identities that hosts get.
    @discardableResult
    package func replace(
        with compiled: CompiledProfile,
        at now: Int64,
        trusting keys: [TrustedKey],
        choosing identities: [ChosenIdentity],
        keeping keeps: (AccountAssignment) -> Bool
    ) throws(ProfileError) -> ChallengeHandler {
        try replacements.withLock { _ throws(ProfileError) in
            let predecessor = handler
            var profile = compiled.profile
            let names = Set(profile.accounts.map(\.account.name))
            let kept = predecessor.currentAssignments().filter { keeps($0) && !names.contains($0.account.name) }
            profile.accounts += kept
            profile.trustedKeys += keys
            profile.chosenIdentities += identities
            let isSame = kept.isEmpty && keys.isEmpty && identities.isEmpty
            let merged = isSame ? compiled : try compiled.recompiled(profile, at: now)
            let successor = ChallengeHandler(merged, succeeding: predecessor)
            current.withLock { $0 = successor }
            return successor
        }
    }

    /// Changes accounts, identities and trusted keys of the profile in use; sites, pins and schemes stay. If `change` throws, or the
    /// changed profile cannot be compiled, the handler in use stays.
    ///
    /// - Parameters:
    ///   - now: Unix time in seconds, to find expired pins.
    ///   - change: gets the accounts with their current passwords. It runs alone, so that no other call's
    ///     change is lost; a password that is replaced in the handler itself at the same moment may be.
    @discardableResult
    package func update(
        at now: Int64,
        _ change: (inout SecurityProfile) throws(ProfileError) -> Void
    ) throws(ProfileError) -> ChallengeHandler {
        try replacements.withLock { _ throws(ProfileError) in
            let predecessor = handler
            var profile = predecessor.compiled.profile
            profile.accounts = predecessor.currentAssignments()
            try change(&profile)
            profile.version &+= 1
            let compiled = try predecessor.compiled.recompiled(profile, at: now)
            let successor = ChallengeHandler(compiled, succeeding: predecessor)
            current.withLock { $0 = successor }
            return successor
        }
    }
}
