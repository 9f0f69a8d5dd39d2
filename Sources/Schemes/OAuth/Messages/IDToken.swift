internal import Secrets
internal import WireFormat

/// The ID token of a grant (OpenID Connect Core section 2): three parts in Base64 for URLs, of which the second is a JSON object.
///
/// It comes from the token endpoint over TLS, so its signature is left to the party that it is sent to (section 3.1.3.7, rule 6).
enum IDToken {
    /// When the token ends, in seconds since 1970; `nil` for a text that is not a token, or says no end.
    static func expiry(of token: SharedSecret) -> Int64? {
        payload(of: token).flatMap { try? JSONMembers($0) }?.integer("exp")
    }

    /// Which authorization the token belongs to; `nil` for a text that is not a token, or names none.
    static func nonce(of token: SharedSecret) -> String? {
        payload(of: token).flatMap { try? JSONMembers($0) }?.string("nonce")
    }

    private static func payload(of token: SharedSecret) -> SharedSecret? {
        token.withBytes { bytes in
            let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
            guard dots.count == 2 else { return nil }
            // Full capacity from the start, because growth would leave a copy of the part in freed memory.
            var text: [UInt8] = []
            text.reserveCapacity(dots[1] - dots[0] + 3)
            defer { erase(&text) }
            for index in (dots[0] + 1)..<dots[1] {
                switch bytes[index] {
                case UInt8(ascii: "-"): text.append(UInt8(ascii: "+"))
                case UInt8(ascii: "_"): text.append(UInt8(ascii: "/"))
                default: text.append(bytes[index])
                }
            }
            while text.count % 4 > 0 { text.append(UInt8(ascii: "=")) }
            var decoded = [UInt8](repeating: 0, count: text.count / 4 * 3)
            defer { erase(&decoded) }
            guard let count = try? Base64.decode(text.span, into: &decoded, at: 0) else { return nil }
            return SharedSecret(SecretBytes(copying: decoded.span.extracting(first: count)))
        }
    }
}
