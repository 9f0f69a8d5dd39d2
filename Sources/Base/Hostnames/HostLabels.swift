extension Hostname {
    /// The name and its parents, longest first.
    ///
    /// `a.b.example` yields itself, `b.example` and `example`. An address yields nothing, because it has no parents.
    package var suffixes: HostSuffixes {
        guard case .name(let bytes) = form else { return HostSuffixes(rest: nil) }
        return HostSuffixes(rest: bytes[...])
    }

    /// The labels of the name from the right, `example` before `host`; an address has none.
    package var labelsFromRight: LabelsFromRight {
        guard case .name(let bytes) = form else { return LabelsFromRight(rest: nil) }
        return LabelsFromRight(rest: bytes[...])
    }
}

/// Iterates over a name and its parents; the elements share the name's storage, so nothing is allocated.
package struct HostSuffixes: Sequence, IteratorProtocol {
    fileprivate var rest: ArraySlice<UInt8>?

    package mutating func next() -> ArraySlice<UInt8>? {
        guard let suffix = rest else { return nil }
        rest = suffix.firstIndex(of: UInt8(ascii: ".")).map { suffix[($0 + 1)...] }
        return suffix
    }
}

/// Iterates over the labels of a name from the right; the elements share the name's storage.
package struct LabelsFromRight: Sequence, IteratorProtocol {
    fileprivate var rest: ArraySlice<UInt8>?

    package mutating func next() -> ArraySlice<UInt8>? {
        guard let left = rest else { return nil }
        guard let dot = left.lastIndex(of: UInt8(ascii: ".")) else {
            rest = nil
            return left
        }
        rest = left[..<dot]
        return left[(dot + 1)...]
    }
}
