internal import Secrets
internal import WireFormat

/// The header and the checksum of every image. Numbers are little-endian; an image holds offsets and no addresses.
///
/// ```
/// 0    8   "SPKIPINS"
/// 8    4   layout, 3
/// 12   4   kind: 1 a pin set, 2 a pin policy
/// 16   8   bytes of the whole image
/// 24   8   version of the policy; 0 in a set
/// 32       contents
/// n−32 32  SHA-256 of everything before it
/// ```
package enum PinImage {
    enum Kind: UInt32 {
        case set = 1
        case policy = 2
    }

    static let magic = [UInt8]("SPKIPINS".utf8)
    static let layout: UInt32 = 3
    package static let headerLength = 32
    package static let checksumLength = 32
    package static let smallest = headerLength + checksumLength

    /// Puts header and checksum around `contents`, whose offsets count from the first byte of the image.
    static func make(_ kind: Kind, version: UInt64, contents: [UInt8]) -> [UInt8] {
        assert(contents.count.isMultiple(of: 8))
        var image: [UInt8] = []
        image.reserveCapacity(contents.count + smallest)
        image += magic
        image.append(littleEndian: layout)
        image.append(littleEndian: kind.rawValue)
        image.append(littleEndian: UInt64(contents.count + smallest))
        image.append(littleEndian: version)
        assert(image.count == headerLength)
        image += contents
        let digest = Digest32(sha256Of: image.span)
        for index in 0..<4 { image.append(littleEndian: digest.words[index]) }
        assert(image.count == contents.count + smallest)
        return image
    }

    /// Checks header and checksum; returns the policy version.
    static func check(_ bytes: Span<UInt8>, is kind: Kind) throws(PinImageError) -> UInt64 {
        guard bytes.count >= smallest else { throw .truncated(needed: smallest, available: bytes.count) }
        for index in magic.indices where bytes[index] != magic[index] { throw .wrongMagic }
        let reader = PinImageReader(end: bytes.count - checksumLength)
        let layout = try reader.word32(in: bytes, at: 8)
        guard layout == Self.layout else { throw .unknownLayout(found: layout) }
        let found = try reader.word32(in: bytes, at: 12)
        guard found == kind.rawValue else { throw .wrongKind(found: found) }
        let stated = try reader.word64(in: bytes, at: 16)
        guard stated == UInt64(bytes.count) else { throw .wrongLength(stated: stated, available: bytes.count) }
        let digest = Digest32(sha256Of: bytes.extracting(0..<bytes.count - checksumLength))
        for index in 0..<4 {
            let word = littleEndianUInt64(in: bytes, at: bytes.count - checksumLength + 8 * index)
            guard word == digest.words[index] else { throw .wrongChecksum }
        }
        return try reader.word64(in: bytes, at: 24)
    }
}

/// Reads numbers while an image is checked; reading past the end of the contents is an error.
struct PinImageReader {
    /// The offset after the last byte that may be read.
    let end: Int

    func word32(in bytes: Span<UInt8>, at offset: Int) throws(PinImageError) -> UInt32 {
        assert(offset >= 0 && end <= bytes.count)
        guard end - offset >= 4, let word = littleEndianUInt32(in: bytes, at: offset) else {
            throw .malformed(offset: offset)
        }
        return word
    }

    func word64(in bytes: Span<UInt8>, at offset: Int) throws(PinImageError) -> UInt64 {
        assert(offset >= 0 && end <= bytes.count)
        guard end - offset >= 8, let word = littleEndianUInt64(in: bytes, at: offset) else {
            throw .malformed(offset: offset)
        }
        return word
    }
}
