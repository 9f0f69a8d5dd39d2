package import WireFormat

/// Reads the DER of certificates and keys by a `DERCursor`.
// Inlined, because a walk has a dozen calls.
package struct DERReader: Sendable {
    private var cursor: DERCursor

    /// Reads the elements in `range`, which lies inside the bytes that will be passed along.
    @inline(__always)
    package init(over range: Range<Int>) { cursor = DERCursor(over: range) }

    /// Offset of the element that is read next.
    package var offset: Int { cursor.offset }

    /// Whether every byte has been read.
    package var isAtEnd: Bool { cursor.isAtEnd }

    /// Reads the next element, whatever its tag, and moves behind it.
    @inline(__always)
    package mutating func readElement(in bytes: Span<UInt8>) throws(CertificateError) -> DERElement {
        do throws(DERDefect) { return try cursor.readElement(in: bytes) } catch { throw CertificateError(error) }
    }

    /// Reads the next element, which must have this tag.
    @inline(__always)
    package mutating func readElement(_ tag: UInt8, in bytes: Span<UInt8>) throws(CertificateError) -> DERElement {
        do throws(DERDefect) { return try cursor.readElement(tag, in: bytes) } catch { throw CertificateError(error) }
    }

    /// Reads the next element if it has this tag; otherwise stays where it is.
    @inline(__always)
    package mutating func readElement(
        ifTag tag: UInt8,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> DERElement? {
        do throws(DERDefect) {
            return try cursor.readElement(ifTag: tag, in: bytes)
        } catch { throw CertificateError(error) }
    }

    /// Throws unless every byte has been read.
    @inline(__always)
    package func finish() throws(CertificateError) {
        do throws(DERDefect) { try cursor.finish() } catch { throw CertificateError(error) }
    }
}

extension CertificateError {
    @inline(never)
    fileprivate init(_ defect: DERDefect) {
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
