public import Hostnames

extension ChallengedRequest {
    /// A request to a URL at its origin server; the target is what the URL says after its authority, byte for byte.
    ///
    /// - Throws: `URLLocationError`.
    public init(
        url: some StringProtocol,
        method: String,
        serverCertificate: [UInt8]? = nil
    ) throws(URLLocationError) {
        let parsed = try URLTarget(parsing: url)
        self.init(
            origin: parsed.origin,
            method: method,
            target: parsed.target,
            serverCertificate: serverCertificate
        )
    }
}
