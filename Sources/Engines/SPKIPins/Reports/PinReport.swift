public import Hostnames
internal import WireFormat

/// A report of a mismatch in the JSON form of RFC 7469 section 3.
///
/// It holds the certificates of the user's connection. Send it to the owner of the pins only, and not over a connection
/// that the same pins refuse.
public struct PinReport: Equatable, Sendable {
    /// What did not match.
    public let mismatch: PinMismatch
    /// The host that the connection was asked for.
    public let host: Hostname
    /// The port of the connection.
    public let port: UInt16
    /// The certificates that the server sent, if known.
    public let served: PresentedChain?
    /// The time of the mismatch, in seconds since 1970-01-01T00:00:00Z.
    public let time: Int64

    /// Puts together what a report tells.
    public init(_ mismatch: PinMismatch, host: Hostname, port: UInt16, served: PresentedChain? = nil, at time: Int64) {
        self.mismatch = mismatch
        self.host = host
        self.port = port
        self.served = served
        self.time = time
    }

    /// The end of an entry that has none: the last second that RFC 3339 can write.
    private static let never: Int64 = 253_402_300_799

    /// One JSON object without line breaks, its members in the order of RFC 7469.
    ///
    /// A pattern `*.` is reported as including subdomains, because the form cannot express exactly one label.
    ///
    /// - Complexity: O(*n*) in the bytes of the certificates.
    public var json: String {
        let pattern = mismatch.pattern
        let noted =
            pattern.hasPrefix("**.")
            ? pattern.dropFirst(3) : pattern.hasPrefix("*.") ? pattern.dropFirst(2) : pattern[...]
        var report = JSONLine()
        report.add("date-time", Timestamp.text(unixSeconds: time))
        report.add("hostname", "\(host)")
        report.add("port", port)
        report.add("effective-expiration-date", Timestamp.text(unixSeconds: mismatch.expiry ?? Self.never))
        report.add("include-subdomains", noted.count < pattern.count)
        report.add("noted-hostname", String(noted))
        report.add("served-certificate-chain", (served?.contents.certificates ?? []).map(Self.pem))
        report.add("validated-certificate-chain", mismatch.chain.contents.certificates.map(Self.pem))
        report.add("known-pins", mismatch.expected.map { "pin-sha256=\"\(Base64.encode($0.pin.bytes.span))\"" })
        return String(decoding: report.object, as: UTF8.self)
    }

    /// RFC 7468.
    private static func pem(_ certificate: [UInt8]) -> String {
        var text = "-----BEGIN CERTIFICATE-----\n"
        var rest = Base64.encode(certificate.span)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END CERTIFICATE-----\n"
    }
}
