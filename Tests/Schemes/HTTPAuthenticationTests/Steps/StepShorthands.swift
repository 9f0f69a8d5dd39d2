import HTTPAuthentication
import HTTPTypes
import Secrets

extension PasswordCredential {
    init(_ user: String, _ password: String) {
        self.init(user: user, password: SharedSecret(SecretBytes(copying: [UInt8](password.utf8).span)))
    }
}

extension HTTPFields {
    static func challenge(_ value: String, by party: ChallengedParty = .origin) -> HTTPFields {
        [party.challengeField: value]
    }
}

extension ExchangeStep {
    var value: String? {
        guard case .send(_, let value, _) = self else { return nil }
        return value.text
    }

    var field: HTTPField.Name? {
        guard case .send(let field, _, _) = self else { return nil }
        return field
    }

    var isSameConnection: Bool? {
        guard case .send(_, _, let same) = self else { return nil }
        return same
    }

    /// The parameters of a Digest answer; our own parser reads them, as the grammar is the same.
    var parameters: Challenge? {
        value.flatMap { try? ChallengeParser.parse($0).first }
    }
}
