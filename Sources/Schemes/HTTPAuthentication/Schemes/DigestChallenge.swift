/// A Digest challenge whose parameters are understood (RFC 7616 section 3.3).
struct DigestChallenge: Equatable, Sendable {
    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// Whether the server offered `qop`; without it the answer has the form of RFC 2069.
    let hasQualityOfProtection: Bool
    /// The nonce of the last answer was too old, but its password was right.
    let isStale: Bool
    let wantsUserHash: Bool
    let isUTF8: Bool

    init(_ challenge: Challenge) throws(ExchangeFailure) {
        guard let realm = challenge["realm"] else { throw .missingParameter(name: "realm") }
        guard let nonce = challenge["nonce"], !nonce.isEmpty else { throw .missingParameter(name: "nonce") }
        guard let algorithm = DigestAlgorithm(parameter: challenge["algorithm"]) else {
            throw .unsupported(parameter: "algorithm", value: challenge["algorithm"] ?? "")
        }
        if let offered = challenge["qop"] {
            let values = offered.split(separator: ",").map { value in value.filter { $0 != " " }.lowercased() }
            // auth-int needs the whole body; a server that offers nothing else is refused by name.
            guard values.contains("auth") else { throw .unsupported(parameter: "qop", value: offered) }
            hasQualityOfProtection = true
        } else {
            // RFC 7616 section 3.3 demands qop of a server. Session algorithms have no meaning without it.
            guard !algorithm.isSession else { throw .missingParameter(name: "qop") }
            hasQualityOfProtection = false
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = challenge["opaque"]
        isStale = challenge["stale"]?.lowercased() == "true"
        wantsUserHash = challenge["userhash"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// The strongest challenge that can be answered; otherwise the reason why the first one cannot.
    static func strongest(of challenges: [Challenge]) throws(ExchangeFailure) -> DigestChallenge {
        var best: DigestChallenge?
        var firstFailure = ExchangeFailure.notOffered
        for (index, challenge) in challenges.enumerated() {
            do throws(ExchangeFailure) {
                let candidate = try DigestChallenge(challenge)
                // A later challenge wins only when it is stronger: the server's order stands otherwise.
                if candidate.algorithm.strength > (best?.algorithm.strength ?? -1) { best = candidate }
            } catch {
                if index == 0 { firstFailure = error }
            }
        }
        guard let best else { throw firstFailure }
        return best
    }
}
