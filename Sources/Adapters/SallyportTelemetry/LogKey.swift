/// The keys of the metadata of log lines. Values are texts.
public enum LogKey: String, CaseIterable, Sendable {
    /// The code of the event.
    case event = "sallyport.event"
    /// The number of the request.
    case request = "sallyport.request"
    /// The method of the request, such as `GET`.
    case method = "sallyport.method"
    /// Scheme, host and port of the server, or of the party.
    case origin = "sallyport.origin"
    /// The path, without the query.
    case path = "sallyport.path"
    /// The proxy of the request.
    case proxy = "sallyport.proxy"
    /// `origin` or `proxy`: the party that challenges or is answered.
    case party = "sallyport.party"
    /// The status of the response, three digits.
    case status = "sallyport.status"
    /// The schemes that a party offers, each with what became of it.
    case offers = "sallyport.offers"
    /// The name of the authentication scheme, as in a challenge.
    case scheme = "sallyport.scheme"
    /// The account's name in the profile.
    case account = "sallyport.account"
    /// The rule that gave the account to the party.
    case rule = "sallyport.rule"
    /// The number of the answer to its party.
    case leg = "sallyport.leg"
    /// How a request ended: `accepted`, `not-challenged`, `withheld`, `refused` or `abandoned`; or the reply to a question.
    case outcome = "sallyport.outcome"
    /// The code of the `Refusal`.
    case reason = "sallyport.reason"
    /// How long the request took, in microseconds.
    case duration = "sallyport.duration_us"
    /// Who was asked: `store`, `sources`, `prompt` or `trust`.
    case source = "sallyport.source"
    /// The host of a server or of a place.
    case host = "sallyport.host"
}
