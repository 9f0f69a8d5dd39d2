internal import WireFormat

/// Why bytes are not an image of a compiled pin set or pin policy.
public enum PinImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or mapped; `code` is `errno`.
    case unreadable(code: Int32)
    /// The image is smaller than the smallest possible one.
    case truncated(needed: Int, available: Int)
    /// The bytes do not start with the mark of a pin image.
    case wrongMagic
    /// The image is a set where a policy is expected, or the other way round.
    case wrongKind(found: UInt32)
    /// The image was made by a later version of this library, or is damaged.
    case unknownLayout(found: UInt32)
    /// The length in the header is not the number of bytes.
    case wrongLength(stated: UInt64, available: Int)
    /// The SHA-256 at the end is not that of the bytes before it.
    case wrongChecksum
    /// The value at `offset` is impossible although the checksum is right, so the compiler did not make this image.
    case malformed(offset: Int)
}

extension ImageBytes {
    /// Maps the file at `path`, an image of pins.
    convenience init(mappingPinImageAt path: String) throws(PinImageError) {
        do throws(ImageFileError) {
            try self.init(mappingFile: path, minimum: PinImage.smallest)
        } catch {
            switch error {
            case .unreadable(let errno): throw .unreadable(code: errno)
            case .tooShort(let available): throw .truncated(needed: PinImage.smallest, available: available)
            }
        }
    }
}

extension PinImageError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let code):
            "the pin image cannot be read (\(SystemReason.text(code))); check path and permissions"
        case .truncated(let needed, let available):
            "pin image of \(available) bytes, at least \(needed) are needed; copy it again"
        case .wrongMagic: "pin image: does not start with SPKIPINS; compile one from a policy"
        case .wrongKind(let found): "pin image of kind \(found): a set is 1, a policy is 2; give the other one"
        case .unknownLayout(let found):
            "pin image of layout \(found): only \(PinImage.layout) is known here; compile it again"
        case .wrongLength(let stated, let available):
            "pin image of \(available) bytes that says it has \(stated); copy it again"
        case .wrongChecksum: "pin image with a wrong checksum: it was damaged; copy or compile it again"
        case .malformed(let offset): "pin image with a wrong value at offset \(offset); compile it again"
        }
    }
}
