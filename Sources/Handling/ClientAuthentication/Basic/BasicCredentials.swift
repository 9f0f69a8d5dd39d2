internal import Secrets
internal import WireFormat

/// A client's Basic answer (RFC 7617 section 2).
struct BasicCredentials {
    let name: ClientName
    let password: SharedSecret

    /// Reads base64 of user, colon and password in UTF-8; `nil` for anything else.
    init?(_ token: Substring) {
        let digits = [UInt8](token.utf8)
        var bytes = [UInt8](repeating: 0, count: (digits.count + 3) / 4 * 3)
        defer { erase(&bytes) }
        guard let count = try? Base64.decode(digits.span, into: &bytes, at: 0),
            let colon = bytes[..<count].firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: bytes[..<colon], as: UTF8.self)
        else { return nil }
        name = ClientName(user)
        password = SharedSecret(SecretBytes(copying: bytes.span.extracting(colon + 1..<count)))
    }
}
