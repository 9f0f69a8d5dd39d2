package import ChallengeHandling
package import HTTPTypes

/// What a host knows of a final response when its head has come.
package struct FlowResponse: Sendable {
    package let status: Int
    /// All fields of a challenge. Of another response those with which a party may prove itself are enough.
    package let fields: HTTPFields
    package let connection: ConnectionTraits
    /// Whether the connection can carry another request once the response has ended: it says so, and all that the head of the request
    /// has announced has gone out.
    package let keepsConnection: Bool
    /// The length of its body, if that is known before the end.
    package let length: Int64?
    /// Whether the body cannot be sent again.
    package let bodyIsSpent: Bool

    package init(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        keepsConnection: Bool,
        length: Int64? = nil,
        bodyIsSpent: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.connection = connection
        self.keepsConnection = keepsConnection
        self.length = length
        self.bodyIsSpent = bodyIsSpent
    }
}

/// What a host knows of a connection that was lost before the head of the final response.
package struct FlowLoss: Sendable {
    /// Whether another request has used the connection before.
    package let isReused: Bool
    /// How far the exchange had come.
    package let progress: Progress
    /// Whether the body cannot be sent again.
    package let bodyIsSpent: Bool

    package enum Progress: Sendable, Equatable {
        /// No byte of the request has left.
        case nothingSent
        /// The head has left, and the body that it announced waits for the word: the party cannot have done what it asks.
        case bodyHeld
        /// The request, or a part of it, has left, and no byte has come back.
        case unanswered
        /// A part of the response has come.
        case answered
        /// The status of the response has come, and its head cannot be read: the party took the request, or refused what it got.
        case headUnread(status: Int)
        /// The sender has ended the request before its body was whole, and the party, which had the host's time for it, has not refused it.
        case brokenOff
    }

    package init(isReused: Bool, _ progress: Progress, bodyIsSpent: Bool = false) {
        self.isReused = isReused
        self.progress = progress
        self.bodyIsSpent = bodyIsSpent
    }
}
