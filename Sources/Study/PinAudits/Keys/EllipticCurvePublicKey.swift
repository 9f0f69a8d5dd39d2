package import BigInt
internal import SPKIPins

/// A point on a named curve (SEC 1 2.3.3), read and not judged.
package struct EllipticCurvePublicKey: Equatable, Sendable {
    /// The ways to write a point.
    package enum Point: Equatable, Sendable {
        /// The point at infinity.
        case identity
        case uncompressed(x: BigUInt, y: BigUInt)
        case compressed(x: BigUInt, yIsOdd: Bool)
    }

    package let curve: NamedCurve
    package let point: Point

    /// Puts a point onto a curve.
    package init(curve: NamedCurve, point: Point) {
        self.curve = curve
        self.point = point
    }

    /// Reads a point on `curve` from the contents of the bit string at `key`.
    init(on curve: NamedCurve, reading key: Range<Int>, in bytes: Span<UInt8>) throws(PublicKeyError) {
        self.curve = curve
        point = try Self.point(at: key, of: curve, in: bytes)
    }

    private static func point(
        at key: Range<Int>,
        of curve: NamedCurve,
        in bytes: Span<UInt8>
    ) throws(PublicKeyError) -> Point {
        guard bytes[key.lowerBound] == 0 else { throw .unusedBits(offset: key.lowerBound) }
        let octets = key.dropFirst()
        guard let form = octets.first.map({ bytes[$0] }) else { throw .wrongPointLength(bytes: 0, expected: 1) }
        let size = curve.coordinateBytes
        let expected: Int
        switch form {
        case 0: expected = 1
        case 2, 3: expected = 1 + size
        case 4: expected = 1 + 2 * size
        default: throw .invalidPointForm(found: form)
        }
        guard octets.count == expected else { throw .wrongPointLength(bytes: octets.count, expected: expected) }
        guard form != 0 else { return .identity }
        let x = unsignedInteger(bytes, octets.dropFirst().prefix(size))
        guard form == 4 else { return .compressed(x: x, yIsOdd: form == 3) }
        return .uncompressed(x: x, y: unsignedInteger(bytes, octets.suffix(size)))
    }
}
