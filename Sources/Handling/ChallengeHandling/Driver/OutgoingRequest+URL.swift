public import Hostnames

extension OutgoingRequest {
    /// A request to a URL. The target is what the URL says after its authority, byte for byte: nothing is decoded or
    /// normalised, so that an answer signs what is sent. A fragment is not sent.
    ///
    /// - Throws: `URLLocationError`.
    public init(url: some StringProtocol, method: String = "GET", body: Body = .none) throws(URLLocationError) {
        let parsed = try URLTarget(parsing: url)
        self.init(origin: parsed.origin, method: method, target: parsed.target, body: body)
    }
}
