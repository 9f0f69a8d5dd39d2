package import ChallengeHandling
package import HTTPAuthentication
package import Negotiate

/// What a host does next for its request.
package enum FlowCommand: Sendable {
    /// Send the request: call ``RequestFlow/sendHasBegun()`` when it begins to leave, and report the head of its final response, or that
    /// the connection was lost.
    ///
    /// The connection of a response that has not ended is closed, unless it ended with ``DropEnd/reusable``.
    case send(RequestSending)
    /// Drop the rest of the refused response, within the bounds of the host, and report how it ended.
    case drop
    /// Another request tries the same password, or a message of Kerberos is on its way: wait for the turn, then call
    /// ``RequestFlow/resumed(keepsConnection:)``. If a response is under way, it may be the result.
    case wait(AttemptTurn)
    /// The last response is the result.
    case deliver(RequestOutcome)
    /// The request has no result.
    case fail(FlowFailure)
}

/// How the dropping of a refused response ended.
package enum DropEnd: Sendable {
    /// It was read to its end, and its connection can carry the next send.
    case reusable
    /// Its connection carries nothing more.
    case unusable
    /// It was longer than the host reads, or took too long.
    case tooLong
}

/// Why a request has no result.
package enum FlowFailure: Sendable, Equatable {
    /// The connection was lost before the response, and the request may not be sent again.
    case connectionLost
    /// The connection was lost in the middle of two handshakes, or one handshake cannot begin anew.
    case handshakeLost(RequestOutcome)
    /// The same, because the last refused response was longer than the host reads.
    case refusalTooLong(RequestOutcome)
    /// The party accepted a message of a handshake in place of the request twice, and has never seen the body.
    case bodyUnseen
    /// A scheme needs what no host can fetch.
    case needNotMet(SystemMessageNeed)
    /// The party took the answer and did not prove itself, so its response may be that of an impostor.
    case notProven(Refusal, by: ChallengedParty)
}

extension FlowFailure {
    /// What ``refusalTooLong(_:)`` says of a party where at most `limit` bytes of a refused response are read.
    package static func refusalTooLong(beyond limit: Int) -> String {
        "the response with the challenge does not end within \(limit) bytes, or not in time: ask who runs the server"
    }
}
