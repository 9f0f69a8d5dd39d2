/// What a host knows of a request before it begins.
package struct FlowFacts: Sendable {
    /// Whether answers may go out before a challenge, where one was accepted before.
    package let answersInAdvance: Bool
    /// Whether the method may be repeated after a lost connection (RFC 9110 section 9.2.2).
    package let mayBeRepeated: Bool
    /// The length of the body, or a large number where it is not known.
    package let bodyBytes: Int64
    /// The most bytes of a refused response that the host drops.
    package let mostDroppedBytes: Int64

    package init(answersInAdvance: Bool, mayBeRepeated: Bool, bodyBytes: Int64, mostDroppedBytes: Int64) {
        self.answersInAdvance = answersInAdvance
        self.mayBeRepeated = mayBeRepeated
        self.bodyBytes = bodyBytes
        self.mostDroppedBytes = mostDroppedBytes
    }

    /// A refused body up to this length has arrived with its head. After a longer one, Squid 5.7 and lighttpd 1.4 do not answer the next
    /// request on the connection, because they have refused before they read it.
    package static let shortBodyBytes: Int64 = 4096
}
