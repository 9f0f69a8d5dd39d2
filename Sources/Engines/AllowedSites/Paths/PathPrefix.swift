/// The path of a rule: whole segments that a request's path must begin with.
///
/// An allowing rule asks whether a request is *certainly* below the prefix, an exception whether it is *possibly* below it;
/// both are asked only about paths without a ``PathDoubt``.
package struct PathPrefix: Hashable, Sendable {
    /// The canonical text: unreserved characters plain, other escapes in upper case.
    package let text: String
    /// How many segments the prefix has; the more, the more specific.
    package let segmentCount: Int

    /// Makes the prefix that `path` spells, or `nil` for `/`, which is a prefix of every path.
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
        text = String(decoding: bytes, as: UTF8.self)
        segmentCount = bytes.dropLast().count { $0 == UInt8(ascii: "/") }
    }
}

extension PathPrefix {
    /// Whether every reader finds `path` at or below the prefix whose text is `prefix`.
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

    /// Whether some reader may find `path` at or below the prefix whose text is `prefix`: one that decodes every escape,
    /// ignores the parameters of a segment, or answers for `/app/` where `/app` is asked for.
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
