import Crypto
import Foundation

/// The parts of a signed web token, read and verified without this package.
struct WebToken {
    let header: [String: Any]
    let payload: [String: Any]
    let isSigned: Bool

    init?(_ text: String, by publicKey: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Self.decoded($0) }
        guard parts.count == 3, let header = Self.object(parts[0]), let payload = Self.object(parts[1]),
            let key = Self.object(Data(publicKey.utf8)), let x = key["x"] as? String, let y = key["y"] as? String,
            let point = try? P256.Signing.PublicKey(rawRepresentation: Self.decoded(x) + Self.decoded(y)),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: parts[2])
        else { return nil }
        (self.header, self.payload) = (header, payload)
        let signed = text[..<(text.lastIndex(of: ".") ?? text.startIndex)]
        isSigned = point.isValidSignature(signature, for: Data(signed.utf8))
    }

    private static func object(_ data: Data) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    }

    private static func decoded(_ text: some StringProtocol) -> Data {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)) ?? Data()
    }
}
