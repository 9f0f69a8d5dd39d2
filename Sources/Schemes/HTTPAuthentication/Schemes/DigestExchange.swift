internal import HTTPTypes
internal import WireFormat

/// The Digest scheme (RFC 7616): MD5 and SHA-256, plain and session, `qop=auth` or none.
struct DigestExchange: Sendable {
    private let credential: PasswordCredential
    private let request: ExchangeRequest
    private var sent: DigestResponse?
    private var isRetried = false

    init(credential: PasswordCredential, request: ExchangeRequest) {
        self.credential = credential
        self.request = request
    }

    mutating func received(
        _ challenges: [Challenge],
        party: ChallengedParty,
        nonces: ExchangeNonces
    ) -> ExchangeStep {
        do throws(ExchangeFailure) {
            let challenge = try DigestChallenge.strongest(of: challenges)
            if sent != nil {
                // Section 3.3: stale says that the password was right; believe it once, or a server could loop us.
                guard challenge.isStale, !isRetried else { return .fail(.refused) }
                isRetried = true
            }
            let response = DigestResponse(
                challenge: challenge,
                credential: credential,
                uri: request.target,
                clientNonce: nonces.digestClientNonce(),
                nonceCount: 1
            )
            let value = try value(of: response)
            sent = response
            return .send(field: party.answerField, value: value, sameConnection: false)
        } catch {
            return .fail(sent == nil ? error : .refused)
        }
    }

    /// Checks the server's proof when it sent one (section 3.5).
    func finished(fields: HTTPFields, party: ChallengedParty) -> ExchangeStep {
        guard let sent, let name = party.informationField, let information = fields[name] else { return .done }
        // The field has the form of a challenge without a scheme; one is put before it to read both with one parser.
        guard let proof = try? ChallengeParser.parse("Digest " + information).first?["rspauth"] else { return .done }
        return sent.isProven(by: proof) ? .done : .fail(.partyNotAuthenticated)
    }

    private func value(of response: DigestResponse) throws(ExchangeFailure) -> AuthorizationValue {
        let challenge = response.challenge
        var fields = [try userParameter(challenge)]
        fields.append(try quoted("realm", challenge.realm))
        fields.append(try quoted("nonce", challenge.nonce))
        fields.append(try quoted("uri", response.uri))
        fields.append("response=\"\(response.response(method: request.method))\"")
        fields.append("algorithm=\(challenge.algorithm.name)")
        if let opaque = challenge.opaque { fields.append(try quoted("opaque", opaque)) }
        if challenge.hasQualityOfProtection {
            fields.append("qop=auth")
            fields.append("nc=\(response.nonceCountText)")
            fields.append(try quoted("cnonce", response.clientNonce))
        }
        if challenge.wantsUserHash { fields.append("userhash=true") }
        return AuthorizationValue("Digest " + fields.joined(separator: ", "))
    }

    /// Section 3.4.4 and 3.4: hashed when the server wants it, extended notation beyond ASCII, else quoted.
    private func userParameter(_ challenge: DigestChallenge) throws(ExchangeFailure) -> String {
        if challenge.wantsUserHash {
            return "username=\"\(challenge.algorithm.hexadecimalHash("\(credential.user):\(challenge.realm)"))\""
        }
        if credential.user.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return try quoted("username", credential.user)
        }
        guard challenge.isUTF8, !credential.user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .userNotRepresentable
        }
        var encoded = ""
        for byte in credential.user.utf8 {
            // RFC 8187 section 3.2.1: attr-char stands for itself, every other byte is percent-encoded.
            let isPlain = isTokenCharacter(byte) && byte != UInt8(ascii: "%") && !"'*".utf8.contains(byte)
            encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte].span).uppercased()
        }
        return "username*=UTF-8''\(encoded)"
    }

    /// A quoted string in which no byte can end the quote or the field (RFC 9110 section 5.6.4).
    private func quoted(_ name: String, _ value: String) throws(ExchangeFailure) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            guard scalar.value >= 0x20 || scalar.value == 0x09, scalar.value != 0x7F else {
                throw name == "username" ? .userNotRepresentable : .malformedChallenge
            }
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\(name)=\"\(text)\""
    }
}
