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
            if sent != nil {
                // Section 3.3: stale means that the nonce was the reason, not the password. It is followed once, or a
                // server could loop us.
                guard challenges.contains(where: DigestChallenge.isStale) else { return .fail(.refused) }
                guard !isRetried else { return .fail(.staleAgain) }
                isRetried = true
            }
            let challenge = try DigestChallenge.strongest(of: challenges)
            if let sent { try challenge.check(isNoWeakerThan: sent.challenge) }
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
            return .fail(error)
        }
    }

    /// Checks the server's proof, if it sent one (section 3.5).
    ///
    /// A field that cannot be read to its end, or that has two proofs, is a failure, because it may hold a wrong proof.
    func finished(fields: HTTPFields, party: ChallengedParty) -> ExchangeStep {
        guard let sent, let name = party.informationField, let information = fields[name] else { return .done }
        let proof: String?
        do throws(ChallengeError) {
            // The field is a list of parameters (RFC 7615). The challenge parser can read it after a scheme name. Text
            // that is not a parameter would start a second challenge.
            let lists = try ChallengeParser.parse("Digest " + information)
            guard lists.count == 1, lists[0].token68 == nil else { throw .tokenExpected(offset: 0) }
            proof = lists[0]["rspauth"]
        } catch {
            return .fail(.unreadableProof(error))
        }
        guard let proof else { return .done }
        return sent.matches(serverProof: proof) ? .done : .fail(.partyNotAuthenticated)
    }

    private func value(of response: DigestResponse) throws(ExchangeFailure) -> AuthorizationValue {
        let challenge = response.challenge
        let encoding = challenge.encoding
        var fields = [try userParameter(challenge)]
        fields.append(try quoted("realm", challenge.realm, orThrow: .malformedChallenge))
        fields.append(try quoted("nonce", challenge.nonce, orThrow: .malformedChallenge))
        fields.append(try quoted("uri", encoding.carrying(utf8: response.uri), orThrow: .targetNotRepresentable))
        fields.append("response=\"\(response.response(method: request.method))\"")
        fields.append("algorithm=\(challenge.algorithm.name)")
        if let opaque = challenge.opaque {
            fields.append(try quoted("opaque", opaque, orThrow: .malformedChallenge))
        }
        if challenge.hasQualityOfProtection {
            fields.append("qop=auth")
            fields.append("nc=\(response.nonceCountText)")
            fields.append(try quoted("cnonce", response.clientNonce, orThrow: .malformedChallenge))
        }
        if challenge.wantsUserHash { fields.append("userhash=true") }
        return AuthorizationValue("Digest " + fields.joined(separator: ", "), encoding: encoding)
    }

    /// The user name (sections 3.4 and 3.4.4): hashed if the server asks for it; in extended notation if it is not
    /// ASCII and the server says `charset=UTF-8`; quoted otherwise.
    ///
    /// Without `charset` a name outside ASCII is sent as UTF-8: curl does so, and Apache, Squid and Twisted accept it.
    private func userParameter(_ challenge: DigestChallenge) throws(ExchangeFailure) -> String {
        if challenge.wantsUserHash {
            let data = [UInt8]("\(credential.user):".utf8) + challenge.encoding.bytes(of: challenge.realm)
            return "username=\"\(challenge.algorithm.hexadecimalHash(data))\""
        }
        guard challenge.isUTF8, credential.user.utf8.contains(where: { $0 > 0x7F }) else {
            return try quoted(
                "username",
                challenge.encoding.carrying(utf8: credential.user),
                orThrow: .userNotRepresentable
            )
        }
        guard !credential.user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .userNotRepresentable }
        var encoded = ""
        for byte in credential.user.utf8 {
            // RFC 8187 section 3.2.1: every byte except attr-char is percent-encoded.
            let isPlain = isTokenCharacter(byte) && byte != UInt8(ascii: "%") && !"'*".utf8.contains(byte)
            encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte].span).uppercased()
        }
        return "username*=UTF-8''\(encoded)"
    }

    /// A quoted string with escapes, so that `value` cannot end the quote or the field (RFC 9110 section 5.6.4).
    private func quoted(
        _ name: String,
        _ value: String,
        orThrow failure: ExchangeFailure
    ) throws(ExchangeFailure) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            guard scalar.value >= 0x20 || scalar.value == 0x09, scalar.value != 0x7F else { throw failure }
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\(name)=\"\(text)\""
    }
}
