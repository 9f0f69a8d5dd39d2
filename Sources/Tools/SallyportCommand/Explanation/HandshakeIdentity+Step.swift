internal import Hostnames
internal import OfflineVerbs
internal import Sallyport

extension HandshakeIdentity {
    /// The step that tells it; `nil` if the server asked for none and no certificate is meant for it.
    func step(_ handler: ChallengeHandler, _ remedy: CertificateRemedy) -> ExplanationStep? {
        let meant = handler.identities(for: origin)
        let (word, refusal, shown, end): (String, Refusal?, [IdentityCandidate], String)
        switch decision {
        case .present(let identity):
            (word, refusal, shown) = ("presented", nil, meant.filter { $0.identity.name == identity.name })
            end = "presented to \(origin)"
        case .withhold(let reason):
            (word, refusal, shown) = ("withheld", reason, meant)
            let remedy = remedy.text(reason, for: origin)
            end =
                meant.isEmpty
                ? "sent to \(origin), which asked for one: \(remedy)" : "withheld from \(origin), because \(remedy)"
        case nil:
            guard !meant.isEmpty else { return nil }
            (word, refusal, shown, end) = ("not-asked", nil, meant, "not asked for by \(origin)")
        }
        let names = shown.map { "'\($0.identity.name)' (\($0.subject))" }.joined(separator: " and ")
        return ExplanationStep(
            topic: "identity",
            text: "\(names.isEmpty ? "none" : names) \(end)",
            members: [
                ("origin", .string("\(origin)")), ("certificate", .string(word)), ("refusal", JSONValue(refusal?.code)),
                (
                    "identities",
                    .array(
                        shown.map {
                            .object([("name", .string($0.identity.name)), ("subject", .string($0.subject))])
                        }
                    )
                ),
            ]
        )
    }
}
