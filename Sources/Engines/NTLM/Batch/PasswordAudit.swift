internal import InsecureDigests
internal import WireFormat

/// Tells whether a recorded NTLMv2 response was made with one of many candidate passwords.
///
/// For whoever must know whether an account's password stands on a list, such as one of a breach, and has the response
/// rather than the hash. Every candidate costs what a response costs; nothing is learned from one for the next.
public struct PasswordAudit: Sendable {
    /// The user, spelled as the client did.
    public let user: String
    /// The domain, spelled as the client did; empty when it named none.
    public let domain: String

    private let identity: HMACMD5.SharedMessage
    private let hashed: HMACMD5.SharedMessage
    private let proof: Digest16

    /// Candidates that are done together: enough to forget what a batch costs, few enough to stay in the cache.
    private static let limit = 512

    /// Takes a recorded handshake.
    ///
    /// - Parameters:
    ///   - challenge: the raw CHALLENGE.
    ///   - authenticate: the raw AUTHENTICATE that answered it.
    /// - Throws: what makes either of them unreadable; `notAnNTLMv2Response` for weaker responses.
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
            // Without Unicode, whatever is beyond ASCII is of an unknown code page and matches nothing.
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

    /// The number of the first candidate with which the response was made, or `nil`.
    ///
    /// - Parameter candidates: passwords; one of more than 256 UTF-16 units is no password of Windows and never matches.
    /// - Complexity: O(*n*); about ten compressions of MD5 a candidate, side by side.
    public func firstMatch(among candidates: [String]) -> Int? {
        for start in stride(from: 0, to: candidates.count, by: Self.limit) {
            let group = candidates[start..<min(start + Self.limit, candidates.count)]
            if let match = firstMatch(in: group) { return start + match }
        }
        return nil
    }

    private func firstMatch(in candidates: ArraySlice<String>) -> Int? {
        let proofs = HMACMD5.codes(underTexts: candidates, through: [identity, hashed])
        // The proof went over the wire, so how long a comparison takes tells nobody anything.
        return proofs.digests.indices.first {
            proofs.digests[$0].low == proof.low && proofs.digests[$0].high == proof.high && !proofs.refused.contains($0)
        }
    }
}
