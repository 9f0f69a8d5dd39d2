internal import ChallengeHandling

/// The TLS state of a connection of a transcript, which has no certificates.
///
/// Decisions depend on a leaf certificate in one way: whether a channel binding can be made of it. So a certificate that only has the
/// right signature algorithm takes its place.
enum PlaceholderLeaf {
    /// The state that a word of the format names; `nil` for an unknown word.
    static func security(_ word: String) -> ConnectionTraits.Security? {
        switch word {
        case "none": ConnectionTraits.Security.none
        case "unknown-leaf": .unknownLeaf
        case "leaf": .leaf(certificate(signedWith: sha256WithRSA))
        case "leaf-without-hash": .leaf(certificate(signedWith: ed25519))
        case "leaf-unreadable": .leaf([])
        default: nil
        }
    }

    // RFC 8017 appendix A.2.4 and RFC 8410 section 3: the contents of AlgorithmIdentifier.
    private static let sha256WithRSA: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B, 0x05, 0x00,
    ]
    private static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]

    /// A certificate (RFC 5280 section 4.1) with empty names and key.
    private static func certificate(signedWith algorithm: [UInt8]) -> [UInt8] {
        let identifier = element(0x30, algorithm)
        let time = element(0x17, Array("260101000000Z".utf8))
        let key = element(0x30, element(0x30, ed25519) + element(0x03, [0]))
        let names = element(0x30, [])
        let toBeSigned = element(0x02, [1]) + identifier + names + element(0x30, time + time) + names + key
        return element(0x30, element(0x30, toBeSigned) + identifier + element(0x03, [0]))
    }

    /// An element whose length fits into one byte, or two.
    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let length: [UInt8] = contents.count < 0x80 ? [UInt8(contents.count)] : [0x81, UInt8(contents.count)]
        return [tag] + length + contents
    }
}
