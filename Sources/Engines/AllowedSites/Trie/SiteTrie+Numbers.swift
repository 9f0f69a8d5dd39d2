package import Hostnames

extension SiteTrie {
    /// The number of the narrowest place for a canonical name, or -1: what a lookup costs without a verdict.
    ///
    /// - Precondition: `name` is as `Hostname` has it; upper case does no harm.
    package func placeNumber(ofName name: UnsafeRawBufferPointer) -> Int {
        guard let start = name.baseAddress else { return -1 }
        return unsafe image.narrowestNode(start, count: name.count)?.number ?? -1
    }
}

extension SiteTrie {
    /// The position of the narrowest network around an address, or -1; names have none.
    package func networkNumber(of host: Hostname) -> Int {
        image.narrowestNetwork(around: host).map { $0.number - image.slotCount } ?? -1
    }

    /// The bytes of each section, for reports.
    package var sizes: [(section: String, bytes: Int)] {
        TrieImage.Section.allCases.map { section in unsafe ("\(section)", image.bytes(section).count) }
    }
}
