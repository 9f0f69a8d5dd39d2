internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import NTLM
internal import WireFormat

extension TranscriptNames {
    /// The fields of a response. With pseudonyms the challenges are written anew from what was read of them, because realms and NTLM
    /// messages name servers and domains.
    func fields(_ fields: HTTPFields, of challenger: ChallengedParty?) -> [HTTPField] {
        guard !areKept, let challenger else { return Array(fields) }
        return fields.map { field in
            guard field.name == challenger.challengeField else { return field }
            return HTTPField(name: field.name, value: renamed(field, of: challenger))
        }
    }

    private func renamed(_ field: HTTPField, of challenger: ChallengedParty) -> String {
        let offer = OfferedChallenges(by: challenger, in: [field.name: field.value])
        guard offer.unreadable.isEmpty else { return unreadable(field.value) }
        return offer.challenges.map { renamed($0) }.joined(separator: ", ")
    }

    /// A line that cannot be read either, and names the same known schemes.
    private func unreadable(_ value: String) -> String {
        let known: [AuthenticationScheme] = [.basic, .digest, .ntlm, .negotiate, .bearer, .dpop]
        let words = Set(value.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map { AuthenticationScheme($0) })
        let named = known.filter(words.contains).map(\.name)
        return "\(named.first ?? "unknown") unreadable=\"\(named.joined(separator: " "))"
    }

    private func renamed(_ challenge: Challenge) -> String {
        let name = challenge.scheme.name
        if let token = challenge.token {
            guard let message = try? Base64.decode(token), let renamed = renamed(message) else { return name }
            return "\(name) \(Base64.encode(renamed.span))"
        }
        let parameters = challenge.parameters.compactMap { parameter in
            renamed(parameter).map { "\(parameter.name)=\(Self.quoted($0))" }
        }
        return parameters.isEmpty ? name : "\(name) \(parameters.joined(separator: ", "))"
    }

    /// The value of a parameter; `nil` for one that is left out.
    private func renamed(_ parameter: Challenge.Parameter) -> String? {
        switch parameter.name {
        case "realm": serverText(parameter.value)
        case "nonce", "opaque", "qop", "algorithm", "stale", "charset", "userhash": parameter.value
        case "domain":
            parameter.value.split(separator: " ").compactMap { place -> String? in
                guard !place.hasPrefix("/") else { return String(place) }
                return (try? URLLocation(parsing: place)).map { origin($0.origin) + $0.path }
            }.joined(separator: " ")
        default: nil
        }
    }

    private static func quoted(_ value: String) -> String {
        let escaped = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }

    /// An NTLM CHALLENGE with other names; `nil` for another message.
    private func renamed(_ message: [UInt8]) -> [UInt8]? {
        guard var challenge = try? ChallengeMessage(parsing: message.span) else { return nil }
        let isUnicode = challenge.flags.contains(.unicode)
        if !challenge.targetNameBytes.isEmpty {
            let name = domain(challenge.targetName ?? "D")
            challenge.targetNameBytes = isUnicode ? Self.utf16(name) : Array(name.utf8)
        }
        let names: [AVPair.ID] = [
            .nbComputerName, .nbDomainName, .dnsComputerName, .dnsDomainName, .dnsTreeName, .targetName,
        ]
        challenge.targetInfo = challenge.targetInfo.map { info in
            TargetInfo(
                pairs: info.pairs.map { pair in
                    guard names.contains(pair.id) else { return pair }
                    return AVPair(id: pair.id, value: Self.utf16(domain(pair.text)))
                }
            )
        }
        return try? challenge.encoded()
    }

    private static func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
}
