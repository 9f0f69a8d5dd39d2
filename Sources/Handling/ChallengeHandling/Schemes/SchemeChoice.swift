internal import HTTPAuthentication

/// Chooses a scheme of an account for an offer of a party.
struct SchemeChoice {
    /// The schemes of the account, in order of preference.
    let schemes: [AnswerableScheme]
    let offer: OfferedChallenges
    /// The schemes that the party has declined.
    let declined: [SchemeFailure]

    /// The index of the first scheme from `start` on that was offered and may answer, and is not weaker than `strength`.
    ///
    /// - Parameter obstacle: why a scheme may not answer here, for reasons that do not depend on the challenge.
    /// - Returns: the index, or the first obstacle if there was one, or ``Refusal/noSupportedScheme``.
    func first(
        from start: Int = 0,
        noWeakerThan strength: Int = 0,
        obstacle: (AnswerableScheme) -> Refusal?
    ) -> Result<Int, Refusal> {
        var refusal: Refusal?
        for index in schemes.indices[start...] {
            let scheme = schemes[index]
            guard scheme.strength >= strength, offer.includes(scheme.name), !isDeclined(scheme) else { continue }
            if let obstacle = obstacle(scheme) {
                refusal = refusal ?? obstacle
                continue
            }
            if let line = unreadableLine(strongerThan: scheme) { return .failure(.malformedChallenge(line)) }
            return .success(index)
        }
        return .failure(refusal ?? withoutOffer)
    }

    private func isDeclined(_ scheme: AnswerableScheme) -> Bool {
        !declined.isEmpty && declined.contains { $0.scheme == scheme.name }
    }

    /// How strong the strongest of the account's schemes are that were offered, for this response or an earlier one of the request.
    ///
    /// - Parameter isVoid: whether the offer of a scheme does not count.
    func strongestOffered(butNot isVoid: (AnswerableScheme) -> Bool) -> OfferStrength {
        guard let best = strongest(where: { !isVoid($0) }) else { return OfferStrength(any: -1, single: -1) }
        let any = strength(best)
        guard best.isConnectionBound else { return OfferStrength(any: any, single: any) }
        let single = strongest(where: { !$0.isConnectionBound })
        return OfferStrength(any: any, single: single.map(strength) ?? -1)
    }

    private func strongest(where counts: (AnswerableScheme) -> Bool) -> AnswerableScheme? {
        var strongest: AnswerableScheme?
        for scheme in schemes
        where scheme.strength > strongest?.strength ?? -1 && (offer.includes(scheme.name) || isDeclined(scheme))
            && counts(scheme)
        {
            strongest = scheme
        }
        return strongest
    }

    /// The strength of an offered scheme with that of its challenge.
    private func strength(_ scheme: AnswerableScheme) -> Int {
        let isStrong = scheme.isStrong.map { offer.challenges(of: scheme.name).contains(where: $0) } ?? false
        return scheme.strength * 2 + (isStrong ? 1 : 0)
    }

    private var withoutOffer: Refusal {
        for scheme in schemes where !isDeclined(scheme) {
            if let line = offer.unreadableLine(mayOffer: scheme.name) { return .malformedChallenge(line) }
        }
        return offer.count == 0 && offer.unreadable.isEmpty ? .malformedChallenge(nil) : .noSupportedScheme
    }

    /// The first line that cannot be read and may offer one of the account's schemes that is stronger and has not failed already, or
    /// Digest itself, which has several strengths.
    private func unreadableLine(strongerThan chosen: AnswerableScheme) -> UnreadableChallenge? {
        guard !offer.unreadable.isEmpty else { return nil }
        for scheme in schemes
        where !isDeclined(scheme)
            && (scheme.strength > chosen.strength || scheme.name == chosen.name && scheme.isStrong != nil)
        {
            if let line = offer.unreadableLine(mayOffer: scheme.name) { return line }
        }
        return nil
    }
}

extension Refusal: Error {}
