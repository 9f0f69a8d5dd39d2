internal import Negotiate

extension PartyAuthentication {
    /// What a response means for the party.
    enum Step {
        /// The party does not ask, or has accepted.
        case passed
        /// Repeat the request with the fields of all parties.
        case answer(on: RequestSending.Connection, isLast: Bool)
        case wait(AttemptTurn)
        case needs(SystemMessageNeed)
        case withhold(Refusal)
    }
}
