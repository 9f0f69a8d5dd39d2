internal import ChallengeHandling
internal import Corpora
internal import HTTPAuthentication
internal import HTTPTypes
internal import NTLM
internal import WireFormat

/// Compares the handler's decisions and answers with the recorded ones.
///
/// Another client made the recording, so answers are compared by the parts that a server checks: Basic by its value,
/// Digest by its parameters, NTLM by the responses and the encrypted key. The message integrity code covers the message
/// layout, which differs between clients, so it is computed again over the recorded messages.
struct AnswerComparison {
    private var recordedNegotiate: [UInt8]?

    /// The difference between `verdict` and the recorded one, or `nil`.
    func difference(of verdict: ReplayVerdict, from expected: ExpectedVerdict) -> String? {
        guard verdict.verdict == expected.verdict else {
            return "expected \(expected.verdict)\(expected.reason.map { " (\($0))" } ?? ""), "
                + "got \(verdict.verdict)\(verdict.reason.map { " (\($0))" } ?? "")"
        }
        if let reason = expected.reason, verdict.verdict != "refused", reason != verdict.reason {
            return "expected the reason \(reason), got \(verdict.reason ?? "none")"
        }
        if expected.identity != verdict.identity {
            return "expected the identity \(expected.identity ?? "none"), got \(verdict.identity ?? "none")"
        }
        return nil
    }

    /// The difference between the answer and the recorded one, or `nil`. The text contains no secret.
    mutating func difference(of answer: ChallengeAnswer?, from event: RecordedEvent) -> String? {
        guard let answer else { return nil }
        guard case .response(let response) = event.content, let recorded = response.answer else {
            return "the handler answered, and the recording has no answer"
        }
        guard answer.account == recorded.account else {
            return "answered as '\(answer.account)', recorded '\(recorded.account)'"
        }
        guard answer.field.rawName.lowercased() == recorded.field.lowercased() else {
            return "answered in \(answer.field.rawName), recorded \(recorded.field)"
        }
        let (scheme, ours) = split(answer.value.text)
        let (recordedScheme, theirs) = split(recorded.value)
        guard scheme == recordedScheme else { return "answered with \(scheme), recorded \(recordedScheme)" }
        // A transcript has no secrets to compare.
        if theirs == Transcript.redacted { return nil }
        // Only AUTHENTICATE, the message of type 3, belongs to the connection of the response before it (MS-NTHT 1.3).
        guard answer.sameConnection == (scheme == "ntlm" && theirs.hasPrefix("TlRMTVNTUAAD")) else {
            return "the connection to answer on differs"
        }
        switch scheme {
        case "basic": return ours == theirs ? nil : "the Basic answer differs"
        case "digest": return digestDifference(ours, theirs)
        case "ntlm": return ntlmDifference(ours, theirs, response)
        default: return "the scheme \(scheme) cannot be compared"
        }
    }

    private func split(_ value: String) -> (scheme: String, rest: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        return (parts.first.map { $0.lowercased() } ?? "", parts.count > 1 ? String(parts[1]) : "")
    }

    /// Compares the values of the parameters; order and quotes may differ.
    private func digestDifference(_ ours: String, _ theirs: String) -> String? {
        guard let left = try? ChallengeParser.parse("Digest " + ours).first,
            let right = try? ChallengeParser.parse("Digest " + theirs).first
        else { return "a Digest answer cannot be read" }
        for parameter in right.parameters where left[parameter.name] != parameter.value {
            return "the Digest parameter '\(parameter.name)' differs"
        }
        for parameter in left.parameters where right[parameter.name] == nil && parameter.name != "algorithm" {
            return "the Digest parameter '\(parameter.name)' was not recorded"
        }
        return nil
    }

    private mutating func ntlmDifference(
        _ ours: String,
        _ theirs: String,
        _ response: RecordedResponse
    ) -> String? {
        guard let left = try? Base64.decode(ours), let right = try? Base64.decode(theirs) else {
            return "an NTLM answer is not base64"
        }
        if (try? NegotiateMessage(parsing: right.span)) != nil {
            recordedNegotiate = right
            return (try? NegotiateMessage(parsing: left.span)) == nil ? "expected a NEGOTIATE message" : nil
        }
        guard let mine = try? AuthenticateMessage(parsing: left.span),
            let recorded = try? AuthenticateMessage(parsing: right.span)
        else { return "expected an AUTHENTICATE message" }
        guard mine.ntChallengeResponse == recorded.ntChallengeResponse else { return "NtChallengeResponse differs" }
        guard mine.lmChallengeResponse == recorded.lmChallengeResponse else { return "LmChallengeResponse differs" }
        guard mine.encryptedRandomSessionKey == recorded.encryptedRandomSessionKey else {
            return "EncryptedRandomSessionKey differs"
        }
        guard (mine.messageIntegrityCode == nil) == (recorded.messageIntegrityCode == nil) else {
            return "only one of the answers has an integrity code"
        }
        guard mine.userName == recorded.userName else { return "UserName differs" }
        guard mine.domainName == recorded.domainName else { return "DomainName differs" }
        return integrityDifference(recorded, right, response)
    }

    /// Checks the recorded code against one that this library computes over the recorded messages (MS-NLMP 3.1.5.1.2).
    private func integrityDifference(
        _ recorded: AuthenticateMessage,
        _ message: [UInt8],
        _ response: RecordedResponse
    ) -> String? {
        guard recorded.messageIntegrityCode != nil,
            let key = response.answer?.nonces?.exportedSessionKey.flatMap({ try? Hexadecimal.decode($0) }),
            let negotiate = recordedNegotiate,
            let challenge = challengeMessage(response)
        else { return nil }
        let isValid = try? MessageIntegrityCode.isValid(
            key: key.span,
            negotiate: negotiate.span,
            challenge: challenge.span,
            authenticate: message.span
        )
        return isValid == true ? nil : "the message integrity code differs"
    }

    private func challengeMessage(_ response: RecordedResponse) -> [UInt8]? {
        for pair in response.fields where pair[0].lowercased().hasSuffix("-authenticate") {
            let challenges = (try? ChallengeParser.parse(pair[1])) ?? []
            if let token = challenges.first(where: { $0.scheme == .ntlm })?.token { return try? Base64.decode(token) }
        }
        return nil
    }
}
