internal import HTTPTypes

/// The body of a refused request, of which the server may have read only a part.
///
/// A server may refuse before it has read the body. Squid 5.7 and lighttpd 1.4 then do not answer the next request on the
/// connection, so after a longer body the request goes on with a new one.
enum UnreadBody {
    /// A body up to this length arrives with its head, and is read with it.
    static let shortBytes = 4096

    /// The fields of a response, as the driver should see them after a body of `bytes`.
    static func closing(_ fields: HTTPFields, status: Int, after bytes: Int64) -> HTTPFields {
        guard bytes > shortBytes, status == 401 || status == 407 else { return fields }
        var fields = fields
        fields[.connection] = "close"
        return fields
    }
}
