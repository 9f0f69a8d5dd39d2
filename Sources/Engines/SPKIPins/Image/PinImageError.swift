internal import WireFormat

/// Why bytes are no image of a compiled pin set or pin policy.
public enum PinImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or mapped; `code` is what the system calls `errno`.
    case unreadable(code: Int32)
    /// There are fewer bytes than the smallest image has.
    case truncated(needed: Int, available: Int)
    /// The first bytes are not those of a pin image.
    case wrongMagic
    /// The image is a set where a policy is expected, or the other way round.
    case wrongKind(found: UInt32)
    /// The image was made by a later version of this library, or is damaged.
    case unknownLayout(found: UInt32)
    /// The image says that it is longer or shorter than it is.
    case wrongLength(stated: UInt64, available: Int)
    /// The SHA-256 at the end is not that of the bytes before it.
    case wrongChecksum
    /// What stands at `offset` cannot be, although the checksum is right: nobody compiled this image.
    case malformed(offset: Int)
}

extension ImageBytes {
    /// Maps the file at `path`, which is to hold an image of pins.
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
        case .wrongMagic: "this is no pin image; compile one from a policy"
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
