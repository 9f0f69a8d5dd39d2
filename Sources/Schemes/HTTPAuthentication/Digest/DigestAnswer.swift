internal import Secrets
internal import WireFormat

/// One Digest answer, and what is needed to check the server's proof against it.
public struct DigestAnswer: Sendable {
    /// The value of the field to send.
    public let value: AuthorizationValue
    let proof: DigestProof
    /// How often this request was answered before.
    var repetition = 0
}

/// What all answers with one nonce share: one object, because each answer has it and each copy of a text would be counted.
final class DigestTerms: Sendable {
    let challenge: DigestChallenge
    let key: DigestKey
    let clientNonce: String

    init(_ challenge: DigestChallenge, key: DigestKey, clientNonce: String) {
        self.challenge = challenge
        self.key = key
        self.clientNonce = clientNonce
    }
}

/// The values of one answer that the server's proof depends on (RFC 7616 section 3.5).
struct DigestProof: Sendable {
    let terms: DigestTerms
    let nonceCount: UInt32
    let target: String

    /// Checks what the server says of itself.
    ///
    /// Without a proof there is nothing to check, unless `rules` demand one. The same holds if the proof covers a body that
    /// the caller does not have.
    func check(
        _ information: DigestInformation?,
        body: ExchangeBody,
        rules: DigestRules
    ) throws(ExchangeFailure) {
        guard let information, let proof = information.proof else {
            guard !rules.demandsServerProof else { throw .proofMissing }
            return
        }
        try information.check(isAbout: self)
        guard let expected = expected(body) else {
            guard !rules.demandsServerProof else { throw .proofNotVerifiable }
            return
        }
        guard constantTimeEqual(expected.span, [UInt8](proof.lowercased().utf8).span) else {
            throw .partyNotAuthenticated
        }
    }

    /// The right proof; `nil` if it covers a body that the caller does not have.
    private func expected(_ body: ExchangeBody) -> [UInt8]? {
        let (challenge, key) = (terms.challenge, terms.key)
        let (hash, quality) = (challenge.algorithm.hash, challenge.quality)
        // The method in A2 of the server's proof is empty.
        var a2 = [colon] + Array(target.utf8)
        if quality.coversBody {
            guard let digits = hash.digits(ofBody: body) else { return nil }
            a2 += [colon] + digits
        }
        var rest = [colon]
        challenge.encoding.append(challenge.nonce, to: &rest)
        rest.append(colon)
        if let token = quality.token {
            let count = String(nonceCount, radix: 16)
            let padding = String(repeating: "0", count: 8 - count.count)
            rest += Array("\(padding)\(count):\(terms.clientNonce):\(token):".utf8)
        }
        rest += hash.digits(of: a2.span)
        var message: [UInt8] = []
        message.reserveCapacity(key.digits.count + rest.count)
        defer { erase(&message) }
        key.digits.withBytes { message.append(copying: $0) }
        message += rest
        return hash.digits(of: message.span)
    }
}
