/// The path of a rule: whole segments that a request's path must begin with.
///
/// An allowing rule covers requests that are *certainly* below the prefix, an exception those that are *possibly* below
/// it. Both functions require a path without a ``PathDoubt``.
package struct PathPrefix: Hashable, Sendable {
    /// The canonical text: unreserved characters unescaped, other escapes with upper-case digits.
    package let text: String
    /// The number of segments; a prefix with more segments is more specific.
    package let segmentCount: Int

    /// Makes the prefix of `path`, or `nil` for `/`, which is a prefix of every path.
    ///
    /// - Precondition: `path` has no doubt.
    init?(certain path: String) {
        var bytes: [UInt8] = []
        var units = PathUnits(path.utf8)
        while let unit = units.next() {
            switch unit {
            case .plain(let byte): bytes.append(byte)
            case .escaped(let byte):
                let digits = String(byte, radix: 16, uppercase: true)
                bytes.append(contentsOf: (byte < 16 ? "%0\(digits)" : "%\(digits)").utf8)
            case .malformed: preconditionFailure("a path without a doubt has no malformed escape")
            }
        }
        guard bytes.count > 1 else { return nil }
        assert(bytes[0] == UInt8(ascii: "/"), "a path without a doubt begins with a slash")
        text = String(decoding: bytes, as: UTF8.self)
        segmentCount = bytes.dropLast().count { $0 == UInt8(ascii: "/") }
    }
}

extension PathPrefix {
    /// Whether every server reads `path` as the prefix or below it.
    ///
    /// `/app` covers `/app` and `/app/x`, never `/apple`; `/app/` covers `/app/x`, not `/app`.
    static func certainlyCovers(_ prefix: some Sequence<UInt8>, _ path: some Sequence<UInt8>) -> Bool {
        var expected = PathUnits(prefix)
        var found = PathUnits(path)
        var last: PathUnit?
        while let unit = expected.next() {
            guard found.next() == unit else { return false }
            last = unit
        }
        if last == .slash { return true }
        let following = found.next()
        return following == nil || following == .slash
    }

    /// Whether some server may read `path` as the prefix or below it: a server that decodes all escapes, ignores
    /// segment parameters, or serves `/app/` for `/app`.
    static func possiblyCovers(_ prefix: some Sequence<UInt8>, _ path: some Sequence<UInt8>) -> Bool {
        var expected = PathUnits(prefix)
        var found = PathUnits(path)
        var unit = expected.next()
        while let current = unit {
            unit = expected.next()
            if unit == nil, current == .slash { break }
            guard let other = found.nextOutsideParameters(), other.byte == current.byte else { return false }
        }
        let following = found.nextOutsideParameters()
        return following == nil || following == .slash
    }
}
