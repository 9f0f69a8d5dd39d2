internal import HTTPAuthentication

/// A scheme's exchange that has sent an answer. A separate object, because it is ten times as large as the other fields
/// of ``ChallengeExchange``, and most decisions have none.
///
/// `@unchecked Sendable` is safe, because `exchange` changes only while one value refers to it; a value that shares it
/// makes a copy first.
@usableFromInline
final class RunningExchange: @unchecked Sendable {
    var exchange: AuthenticationExchange
    let prepared: ChallengeHandler.PreparedAccount
    let channelBinding: ChannelBindingUse
    /// `nil` in a copy, because a copy shares the attempt of its original.
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

    /// Records whether the party accepted the password; `nil` if no password was sent or the result is unknown.
    func settle(accepted: Bool?) {
        if let original { return original.settle(accepted: accepted) }
        switch accepted {
        case true?: attempt?.accepted()
        case false?: attempt?.refused()
        case nil: attempt?.released()
        }
    }
}
