internal import InsecureDigests
internal import WireFormat

/// Finds which of many candidate passwords made a recorded NTLMv2 response.
///
/// Use it to check whether the password of an account is in a list, for example from a breach, if you have a response
/// and not the hash. Each candidate costs as much as one response.
public struct PasswordAudit: Sendable {
    /// The user as the client spelled it.
    public let user: String
    /// The domain as the client spelled it; empty if it sent none.
    public let domain: String

    private let identity: HMACMD5.SharedMessage
    private let hashed: HMACMD5.SharedMessage
    private let proof: Digest16

    /// Candidates in one batch: enough to make the cost of a batch small, few enough to fit into the cache.
    private static let limit = 512

    /// Takes a recorded handshake.
    ///
    /// - Parameters:
    ///   - challenge: the raw CHALLENGE.
    ///   - authenticate: the raw AUTHENTICATE that answers it.
    /// - Throws: the reason why either message cannot be read; `notAnNTLMv2Response` for weaker responses.
    /// - Complexity: O(*n*) in the sizes of both.
    public init(challenge: Span<UInt8>, authenticate: Span<UInt8>) throws(MessageError) {
        let server = try ChallengeLayout(of: challenge)
        let message = try AuthenticateLayout(of: authenticate)
        let response = try NTLMv2ResponseLayout(message.ntChallengeResponse, in: authenticate)
        let isUnicode = message.flags.contains(.unicode)
        func name(_ range: Range<Int>, _ field: MessageField) throws(MessageError) -> String {
            let bytes = authenticate.extracting(range)
            guard bytes.count <= 2 * NTLMLimits.nameUnits else {
                throw .fieldTooLong(field, bytes: bytes.count, limit: 2 * NTLMLimits.nameUnits)
            }
            // Without Unicode, a name outside ASCII is in an unknown code page and matches no candidate.
            return isUnicode ? UTF16Text.text(bytes) : String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        }
        user = try name(message.userName, .userName)
        domain = try name(message.domainName, .domainName)
        var identity: [UInt8] = []
        NTOWFv2.append(user: user, domain: domain, to: &identity)
        self.identity = HMACMD5.SharedMessage(identity.span)
        var hashed: [UInt8] = []
        hashed.append(littleEndian: server.serverChallenge)
        hashed.append(copying: authenticate.extracting(response.temp))
        self.hashed = HMACMD5.SharedMessage(hashed.span)
        proof = Digest16(copying: authenticate.extracting(response.proof))
    }

    /// The index of the first candidate that made the response, or `nil`.
    ///
    /// - Parameter candidates: passwords; one of more than 256 UTF-16 units never matches, because Windows allows 256.
    /// - Complexity: O(*n*); about ten MD5 compressions for each candidate, many candidates in parallel.
    public func firstMatch(among candidates: [String]) -> Int? {
        for start in stride(from: 0, to: candidates.count, by: Self.limit) {
            let group = candidates[start..<min(start + Self.limit, candidates.count)]
            if let match = firstMatch(in: group) { return start + match }
        }
        return nil
    }

    private func firstMatch(in candidates: ArraySlice<String>) -> Int? {
        let proofs = HMACMD5.codes(underTexts: candidates, through: [identity, hashed])
        assert(proofs.digests.count == candidates.count, "the index of a digest is the index of its candidate")
        // Not in constant time, because the proof is public: it was sent over the network.
        return proofs.digests.indices.first {
            proofs.digests[$0].low == proof.low && proofs.digests[$0].high == proof.high && !proofs.refused.contains($0)
        }
    }
}
