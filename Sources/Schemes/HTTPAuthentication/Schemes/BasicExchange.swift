internal import HTTPTypes
internal import Secrets
internal import WireFormat

/// The Basic scheme (RFC 7617): base64 of user, colon and password in UTF-8. There is one answer.
struct BasicExchange: Sendable {
    private let credential: PasswordCredential
    private var isAnswered = false

    init(credential: PasswordCredential) {
        self.credential = credential
    }

    /// Section 2: a Basic answer needs no challenge, so the first request can carry it.
    mutating func start(party: ChallengedParty) -> ExchangeStep {
        isAnswered = true
        do throws(ExchangeFailure) {
            let value = try value()
            return .send(field: party.answerField, value: value, sameConnection: false)
        } catch {
            return .fail(error)
        }
    }

    mutating func received(_ challenge: Challenge?, party: ChallengedParty) -> ExchangeStep {
        guard !isAnswered else { return .fail(.refused) }
        guard let challenge else { return .fail(.notOffered) }
        // RFC 7617 requires a realm. Browsers answer without one, and the answer does not depend on it.
        guard challenge.token68 == nil else { return .fail(.malformedChallenge) }
        return start(party: party)
    }

    private func value() throws(ExchangeFailure) -> AuthorizationValue {
        guard !credential.user.utf8.contains(where: { $0 == UInt8(ascii: ":") || isControl($0) }) else {
            throw .userNotRepresentable
        }
        var pair: [UInt8] = []
        // Full capacity from the start, because growth would leave a copy of the password in freed memory.
        pair.reserveCapacity(credential.user.utf8.count + 1 + credential.password.count)
        defer { erase(&pair) }
        pair.append(contentsOf: credential.user.utf8)
        pair.append(UInt8(ascii: ":"))
        let isClean = credential.password.withBytes { password in
            pair.append(copying: password)
            return !password.indices.contains { isControl(password[$0]) }
        }
        guard isClean else { throw .passwordNotRepresentable }
        return AuthorizationValue("Basic " + Base64.encode(pair.span))
    }
}

/// CTL of RFC 5234, which user-id and password must not contain (RFC 7617 section 2).
private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
