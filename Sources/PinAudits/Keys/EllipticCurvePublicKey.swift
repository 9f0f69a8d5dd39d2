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

    /// Reads the key of `frame`; `nil` if it lies on a curve that is not known here.
    init?(_ frame: KeyFrame, in bytes: Span<UInt8>) throws(PublicKeyError) {
        let name: DERElement?
        do throws(CertificateError) {
            var parameters = DERReader(over: frame.parameters)
            name = try parameters.readElement(ifTag: DERTag.objectIdentifier, in: bytes)
            if name != nil { try parameters.finish() }
        } catch {
            throw .malformed(error)
        }
        guard let name else { throw .unnamedCurve(offset: frame.parameters.lowerBound) }
        guard let curve = NamedCurve.allCases.first(where: { equal(bytes, name.contents, $0.objectIdentifier) }) else {
            return nil
        }
        self.curve = curve
        point = try Self.point(at: frame.key, of: curve, in: bytes)
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
