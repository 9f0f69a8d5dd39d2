internal import OAuth

/// The compact form of a signed web token (RFC 7515 section 7.1): header, payload and signature with dots between them.
enum CompactToken {
    /// - Parameters:
    ///   - header: an object of JSON.
    ///   - payload: an object of JSON.
    ///   - sign: the signature of a message.
    static func text(header: String, payload: String, _ sign: ([UInt8]) -> [UInt8]) -> String {
        let message = [header, payload].map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".")
        let signature = sign(Array(message.utf8))
        return message + "." + Base64URL.encode(signature.span)
    }
}
