package import HTTPTypes

extension Challenge {
    /// Whether the server judges no token before the proof has its nonce (RFC 9449 section 9).
    package var wantsNonce: Bool { scheme == .dpop && self["error"] == "use_dpop_nonce" }
}

extension HTTPField.Name {
    /// The field of a proof of possession (RFC 9449 section 4.1).
    package static let proof = known("DPoP")
    /// The field of the nonce for the next proof (RFC 9449 section 8.1).
    package static let proofNonce = known("DPoP-Nonce")

    static func known(_ text: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("a name of letters and hyphens") }
        return name
    }
}
