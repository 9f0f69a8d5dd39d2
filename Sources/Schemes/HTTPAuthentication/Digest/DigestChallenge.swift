/// What an answer protects (RFC 7616 section 3.3); higher protects more.
enum QualityOfProtection: Int, Comparable, Sendable {
    /// No `qop`: the form of RFC 2069.
    case missing
    /// Method and target.
    case auth
    /// The body as well.
    case authInt

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether answers have a client nonce and a counter.
    var hasCounter: Bool { self != .missing }

    /// Whether answers cover the body.
    var coversBody: Bool { self == .authInt }

    /// The token in the answer.
    var token: String? {
        switch self {
        case .missing: nil
        case .auth: "auth"
        case .authInt: "auth-int"
        }
    }
}

/// A Digest challenge that can be answered (RFC 7616 section 3.3).
struct DigestChallenge: Equatable, Sendable {
    let realm: String
    var nonce: String
    let opaque: String?
    /// The encoding of `realm`, `nonce` and `opaque`, because the answer repeats their bytes.
    let encoding: FieldEncoding
    let algorithm: DigestAlgorithm
    /// `auth` if it is offered.
    let quality: QualityOfProtection
    let wantsUserHash: Bool
    let isUTF8: Bool
    /// The parameter that names the protection space.
    let domain: String?

    init(_ challenge: Challenge) throws(ExchangeFailure) {
        guard let realm = challenge["realm"] else { throw .missingParameter(name: "realm") }
        guard let nonce = challenge["nonce"], !nonce.isEmpty else { throw .missingParameter(name: "nonce") }
        encoding = challenge.encoding
        opaque = challenge["opaque"]
        if encoding == .utf8 {
            if hasLostBytes(realm) { throw .lostBytes(parameter: "realm") }
            if hasLostBytes(nonce) { throw .lostBytes(parameter: "nonce") }
            if let opaque, hasLostBytes(opaque) { throw .lostBytes(parameter: "opaque") }
        }
        guard let algorithm = DigestAlgorithm(parameter: challenge["algorithm"]) else {
            throw .unsupported(parameter: "algorithm", value: challenge["algorithm"] ?? "")
        }
        quality = try Self.quality(challenge["qop"])
        // RFC 7616 section 3.3 requires qop. Older servers omit it; session algorithms are undefined without it.
        guard quality != .missing || !algorithm.isSession else { throw .missingParameter(name: "qop") }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        wantsUserHash = challenge["userhash"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
        domain = challenge["domain"]
    }

    private static func quality(_ offered: String?) throws(ExchangeFailure) -> QualityOfProtection {
        guard let offered else { return .missing }
        let values = offered.split(separator: ",").map { trimmed($0).lowercased() }.filter { !$0.isEmpty }
        // RFC 7616 section 3.3: one or more tokens. An empty list is a defect, not a demand that we do not meet.
        guard !values.isEmpty else { throw .missingParameter(name: "qop") }
        if values.contains("auth") { return .auth }
        guard values.contains("auth-int") else { throw .unsupported(parameter: "qop", value: offered) }
        return .authInt
    }

    /// Whether the party calls the nonce of the last answer stale: the nonce was the reason for asking again.
    static func isStale(_ challenge: Challenge) -> Bool { challenge["stale"]?.lowercased() == "true" }

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
        guard quality >= first.quality else { throw .weakened(parameter: "qop") }
    }

    /// The text without spaces and tabs at its ends.
    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

/// Whether `text` holds U+FFFD, the replacement for bytes that are not UTF-8.
func hasLostBytes(_ text: String) -> Bool {
    // 0xEF is the first byte of U+FFFD in UTF-8, and rare.
    text.utf8.contains(0xEF) && text.unicodeScalars.contains("\u{FFFD}")
}
