/// The strength of the strongest schemes of an offer; -1 without a scheme.
struct OfferStrength: Equatable {
    /// Of all schemes.
    var any = -1
    /// Of the schemes that authenticate one request. They answer where a connection cannot be authenticated.
    var single = -1
}
