/// A Digest challenge that can be answered (RFC 7616 section 3.3).
struct DigestChallenge: Equatable, Sendable {
    let realm: String
    let nonce: String
    let opaque: String?
    /// The encoding of `realm`, `nonce` and `opaque`, because the answer repeats their bytes.
    let encoding: FieldEncoding
    let algorithm: DigestAlgorithm
    /// Whether the server offered `qop`; without it the answer has the form of RFC 2069.
    let hasQualityOfProtection: Bool
    let wantsUserHash: Bool
    let isUTF8: Bool

    init(_ challenge: Challenge) throws(ExchangeFailure) {
        guard let realm = challenge["realm"] else { throw .missingParameter(name: "realm") }
        guard let nonce = challenge["nonce"], !nonce.isEmpty else { throw .missingParameter(name: "nonce") }
        guard let algorithm = DigestAlgorithm(parameter: challenge["algorithm"]) else {
            throw .unsupported(parameter: "algorithm", value: challenge["algorithm"] ?? "")
        }
        if let offered = challenge["qop"] {
            let values = offered.split(separator: ",").map { Self.trimmed($0).lowercased() }.filter { !$0.isEmpty }
            // RFC 7616 section 3.3: one or more tokens. An empty list is a defect, not a demand that we do not meet.
            guard !values.isEmpty else { throw .missingParameter(name: "qop") }
            // auth-int needs the whole body; a server that offers nothing else is refused by name.
            guard values.contains("auth") else { throw .unsupported(parameter: "qop", value: offered) }
            hasQualityOfProtection = true
        } else {
            // RFC 7616 section 3.3 requires qop. Older servers omit it; session algorithms are undefined without it.
            guard !algorithm.isSession else { throw .missingParameter(name: "qop") }
            hasQualityOfProtection = false
        }
        encoding = challenge.encoding
        opaque = challenge["opaque"]
        if encoding == .utf8 {
            if Self.hasLostBytes(realm) { throw .lostBytes(parameter: "realm") }
            if Self.hasLostBytes(nonce) { throw .lostBytes(parameter: "nonce") }
            if let opaque, Self.hasLostBytes(opaque) { throw .lostBytes(parameter: "opaque") }
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        wantsUserHash = challenge["userhash"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// Whether the party calls the nonce of the last answer stale: the nonce was the reason for asking again.
    static func isStale(_ challenge: Challenge) -> Bool { challenge["stale"]?.lowercased() == "true" }

    /// Whether `text` holds U+FFFD, the replacement for bytes that are not UTF-8.
    private static func hasLostBytes(_ text: String) -> Bool {
        // 0xEF is the first byte of U+FFFD in UTF-8, and rare.
        text.utf8.contains(0xEF) && text.unicodeScalars.contains("\u{FFFD}")
    }

    /// Checks that the party asks for no less than it did in `first`, the challenge that was answered before.
    ///
    /// RFC 7616 section 3.3: `stale=true` changes the nonce only. An attacker who could change the other parameters
    /// would get an answer that is easier to break.
    func check(isNoWeakerThan first: DigestChallenge) throws(ExchangeFailure) {
        guard encoding.bytes(of: realm) == first.encoding.bytes(of: first.realm) else {
            throw .weakened(parameter: "realm")
        }
        guard algorithm.strength >= first.algorithm.strength,
            algorithm.strength > first.algorithm.strength || algorithm.isSession || !first.algorithm.isSession
        else { throw .weakened(parameter: "algorithm") }
        guard wantsUserHash || !first.wantsUserHash else { throw .weakened(parameter: "userhash") }
        guard hasQualityOfProtection || !first.hasQualityOfProtection else { throw .weakened(parameter: "qop") }
    }

    /// The text without spaces and tabs at its ends.
    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// The strongest challenge that can be answered.
    ///
    /// - Throws: the first defect of any of them, because the defective one may be the strongest; otherwise, if none can be
    ///   answered, the reason why the first one cannot.
    static func strongest(of challenges: [Challenge]) throws(ExchangeFailure) -> DigestChallenge {
        var best: DigestChallenge?
        var unsupported: ExchangeFailure?
        for challenge in challenges {
            do throws(ExchangeFailure) {
                let candidate = try DigestChallenge(challenge)
                // A later challenge wins only when it is stronger: the server's order counts otherwise.
                if let current = best, !candidate.isStronger(than: current) { continue }
                best = candidate
            } catch {
                guard case .unsupported = error else { throw error }
                unsupported = unsupported ?? error
            }
        }
        guard let best else { throw unsupported ?? .notOffered }
        return best
    }

    private func isStronger(than other: DigestChallenge) -> Bool {
        if algorithm.strength != other.algorithm.strength { return algorithm.strength > other.algorithm.strength }
        return hasQualityOfProtection && !other.hasQualityOfProtection
    }
}
