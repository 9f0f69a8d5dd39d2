internal import ClientCertificates
internal import Secrets
internal import WireFormat

/// The keys of updates in the files that OpenSSL 3 writes: PEM (RFC 7468) around the structures of RFC 8410.
extension PinUpdate {
    /// SEQUENCE { 0, { id-Ed25519 }, OCTET STRING { OCTET STRING of 32 bytes } } (RFC 8410 section 7).
    private static let privatePrefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    /// SEQUENCE { { id-Ed25519 }, BIT STRING of 32 bytes } (RFC 8410 section 4).
    private static let publicPrefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    private static let keyLength = 32

    /// The key to sign with, of a file that `openssl genpkey -algorithm ed25519` wrote: 32 bytes, which the caller erases.
    public static func privateKey(pem: Span<UInt8>) throws(PinUpdateError) -> [UInt8] {
        if PEMKey.hasBlock(labelled: ["ENCRYPTED PRIVATE KEY"], in: pem) { throw .encryptedKey }
        return try key("PRIVATE KEY", after: privatePrefix, in: pem)
    }

    /// The key to trust, of a file that `openssl pkey -pubout` wrote: 32 bytes.
    public static func publicKey(pem: Span<UInt8>) throws(PinUpdateError) -> [UInt8] {
        try key("PUBLIC KEY", after: publicPrefix, in: pem)
    }

    private static func key(
        _ label: String,
        after prefix: [UInt8],
        in pem: Span<UInt8>
    ) throws(PinUpdateError) -> [UInt8] {
        guard let found = try? PEMKey.block(labelled: [label], in: pem) else { throw .noKey(label) }
        var block = found
        defer { erase(&block) }
        guard block.count == prefix.count + keyLength, block.starts(with: prefix) else { throw .unusableKey }
        return Array(block[prefix.count...])
    }
}
