package import WireFormat

/// Reads the DER of certificates and keys.
package typealias CertificateReader = DERReader<CertificateError>

extension CertificateError: DERError {
    package init(_ defect: DERDefect) {
        self =
            switch defect {
            case .truncated(let offset, let needed, let available):
                .truncated(offset: offset, needed: needed, available: available)
            case .indefiniteLength(let offset): .indefiniteLength(offset: offset)
            case .nonMinimalLength(let offset): .nonMinimalLength(offset: offset)
            case .oversizedLength(let offset, let lengthBytes):
                .oversizedLength(offset: offset, lengthBytes: lengthBytes)
            case .multiByteTag(let offset): .multiByteTag(offset: offset)
            case .unexpectedTag(let offset, let expected, let found):
                .unexpectedTag(offset: offset, expected: expected, found: found)
            case .trailingBytes(let offset, let count): .trailingBytes(offset: offset, count: count)
            }
    }
}
