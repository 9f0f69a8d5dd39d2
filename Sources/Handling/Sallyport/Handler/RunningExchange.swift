internal import HTTPAuthentication

/// A scheme's exchange that has begun. Apart, because it is ten times as large as all else, and most decisions have none.
///
/// Unchecked: `exchange` changes only while one value refers to it; a value that shares it takes a copy first.
@usableFromInline
final class RunningExchange: @unchecked Sendable {
    var exchange: AuthenticationExchange
    let prepared: ChallengeHandler.PreparedAccount
    let channelBinding: ChannelBindingUse
    /// `nil` in a copy, which shares the attempt of the one it was made from.
    private let attempt: LockoutBudget.Attempt?
    private let original: RunningExchange?

    init(
        _ exchange: consuming AuthenticationExchange,
        _ prepared: ChallengeHandler.PreparedAccount,
        _ attempt: consuming LockoutBudget.Attempt,
        _ channelBinding: ChannelBindingUse
    ) {
        self.exchange = exchange
        self.prepared = prepared
        self.attempt = consume attempt
        self.channelBinding = channelBinding
        original = nil
    }

    init(copying other: RunningExchange) {
        exchange = other.exchange
        prepared = other.prepared
        channelBinding = other.channelBinding
        attempt = nil
        original = other.original ?? other
    }

    /// What the party made of the password; `nil` when nothing that proves one was sent, or nothing is known.
    func settle(accepted: Bool?) {
        if let original { return original.settle(accepted: accepted) }
        switch accepted {
        case true?: attempt?.accepted()
        case false?: attempt?.refused()
        case nil: attempt?.released()
        }
    }
}
