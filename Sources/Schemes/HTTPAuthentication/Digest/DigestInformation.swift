internal import HTTPTypes

/// The parameters of `Authentication-Info` or `Proxy-Authentication-Info` (RFC 7615, RFC 7616 section 3.5).
struct DigestInformation {
    /// `rspauth`.
    let proof: String?
    let quality: String?
    let clientNonce: String?
    let nonceCount: String?
    /// The nonce for the next request, if it can be repeated byte for byte.
    let nextNonce: String?

    /// Reads the field of `party`; `nil` without the field.
    ///
    /// - Throws: `unreadableProof` for a field that cannot be read to its end or has two proofs, because it may hold a wrong
    ///   proof.
    static func read(_ fields: HTTPFields, from party: ChallengedParty) throws(ExchangeFailure) -> Self? {
        guard let information = fields[party.informationField] else { return nil }
        do throws(ChallengeError) {
            // The field is a list of parameters (RFC 7615). The challenge parser can read it after a scheme name. Text
            // that is not a parameter would start a second challenge.
            let lists = try ChallengeParser.parse("Digest " + information)
            guard lists.count == 1, lists[0].token68 == nil else { throw .tokenExpected(offset: 0) }
            return DigestInformation(lists[0])
        } catch {
            throw .unreadableProof(error)
        }
    }

    private init(_ list: Challenge) {
        proof = list["rspauth"]
        quality = list["qop"]
        clientNonce = list["cnonce"]
        nonceCount = list["nc"]
        // The old nonce stays in use otherwise. At worst the server calls it stale.
        nextNonce = list["nextnonce"].flatMap { $0.isEmpty || hasLostBytes($0) ? nil : $0 }
    }

    /// Checks that the proof is about the answer of ours: the values that the server repeats must be those of the answer.
    func check(isAbout answer: DigestProof) throws(ExchangeFailure) {
        if let quality, quality.lowercased() != answer.terms.challenge.quality.token { throw .proofOfAnother("qop") }
        if let clientNonce, clientNonce != answer.terms.clientNonce { throw .proofOfAnother("cnonce") }
        if let nonceCount, UInt32(nonceCount, radix: 16) != answer.nonceCount { throw .proofOfAnother("nc") }
    }
}
