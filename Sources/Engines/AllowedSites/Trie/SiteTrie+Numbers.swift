package import Hostnames

extension SiteTrie {
    /// The number of the narrowest node of a name, or -1. Benchmarks use it to measure a lookup without its verdict.
    ///
    /// - Precondition: `name` is canonical, as in `Hostname`; upper case is allowed.
    package func placeNumber(ofName name: UnsafeRawBufferPointer) -> Int {
        guard let start = name.baseAddress else { return -1 }
        return unsafe image.narrowestNode(start, count: name.count)?.number ?? -1
    }
}

extension SiteTrie {
    /// The index of the narrowest network around an address, or -1; -1 for a name.
    package func networkNumber(of host: Hostname) -> Int {
        image.narrowestNetwork(around: host).map { $0.number - image.slotCount } ?? -1
    }

    /// The size of each section in bytes, for reports.
    package var sizes: [(section: String, bytes: Int)] {
        TrieImage.Section.allCases.map { section in unsafe ("\(section)", image.bytes(section).count) }
    }
}
