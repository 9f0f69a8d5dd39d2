public import Hostnames

extension OutgoingRequest {
    /// A request to a URL. The target is what the URL says after its authority, byte for byte: nothing is decoded or
    /// normalised, so that an answer signs what is sent. A fragment is not sent.
    ///
    /// - Throws: `URLLocationError`.
    public init(url: some StringProtocol, method: String = "GET", body: Body = .none) throws(URLLocationError) {
        let location = try URLLocation(parsing: url)
        self.init(origin: location.origin, method: method, target: RequestTarget.inOriginForm(of: url), body: body)
    }
}
