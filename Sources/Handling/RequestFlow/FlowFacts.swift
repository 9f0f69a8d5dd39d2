/// What a host knows of a request before it begins.
package struct FlowFacts: Sendable {
    /// Whether answers may go out before a challenge, where one was accepted before.
    package let answersInAdvance: Bool
    /// Whether challenges of the origin are answered, too. Otherwise they are for the sender, such as the client of a relay.
    package let answersOrigin: Bool
    /// Whether a token of the profile may go to the origin besides the answers, also where its challenges are for the sender.
    package let placesToken: Bool
    /// Whether a request is repeated that has lost its connection after its own challenge on it, when the answer had gone out. Not by a host
    /// whose requests share one password: two losses of an unproven one hold up all of them, so one page must not cost both.
    package let repeatsAnswers: Bool
    /// Whether the host knows which idle connections a scheme has authenticated, and sends the request there without a message of a handshake.
    /// Other hosts take a new connection for the first message.
    package let knowsBoundConnections: Bool
    /// Whether the sender of the request waits for `100 Continue` itself, so that 417 is its own matter.
    package let senderExpects: Bool
    /// Whether the method may be repeated after a lost connection (RFC 9110 section 9.2.2).
    package let mayBeRepeated: Bool
    /// The length of the body, or a large number where it is not known.
    package let bodyBytes: Int64
    /// The most bytes of a refused response that the host drops.
    package let mostDroppedBytes: Int64

    package init(
        answersInAdvance: Bool,
        answersOrigin: Bool = true,
        placesToken: Bool = true,
        repeatsAnswers: Bool = true,
        knowsBoundConnections: Bool = false,
        senderExpects: Bool = false,
        mayBeRepeated: Bool,
        bodyBytes: Int64,
        mostDroppedBytes: Int64
    ) {
        self.answersInAdvance = answersInAdvance
        self.answersOrigin = answersOrigin
        self.placesToken = placesToken
        self.repeatsAnswers = repeatsAnswers
        self.knowsBoundConnections = knowsBoundConnections
        self.senderExpects = senderExpects
        self.mayBeRepeated = mayBeRepeated
        self.bodyBytes = bodyBytes
        self.mostDroppedBytes = mostDroppedBytes
    }

    /// A refused body up to this length has arrived with its head.
    private static let shortBodyBytes: Int64 = 4096

    /// Whether the party may have refused the request before it has read the body. Squid 5.7 and lighttpd 1.4 say then that the connection goes on,
    /// and answer nothing on it. So it carries no other request, also none of other senders.
    ///
    /// - Parameter bodyBytes: the length of the body that was sent, or a large number where it is not known.
    package static func leavesBodyUnread(_ status: Int, bodyBytes: Int64) -> Bool {
        [401, 403, 407].contains(status) && bodyBytes > shortBodyBytes
    }
}
