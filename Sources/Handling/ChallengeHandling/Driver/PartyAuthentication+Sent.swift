// What events tell of one party.
extension PartyAuthentication {
    /// What the field of this send is, after ``takeField()`` has returned it.
    var sent: SentAnswer? {
        if let space = token ?? advance?.space {
            return SentAnswer(
                scheme: space.scheme,
                account: handler.accountName(for: request),
                isInAdvance: true,
                sameConnection: false,
                channelBinding: .notApplicable
            )
        }
        guard let answer, let running = exchange.state.running else { return nil }
        return SentAnswer(
            scheme: running.scheme.name,
            account: answer.account,
            isInAdvance: false,
            sameConnection: answer.sameConnection,
            channelBinding: answer.channelBinding
        )
    }

    /// How the offers of the response were judged.
    func selection(after response: RequestTrace.Received) -> SchemeSelection {
        handler.selection(
            request,
            fields: response.fields,
            on: response.connection,
            chosen: exchange.state.running?.scheme.name
        )
    }
}
