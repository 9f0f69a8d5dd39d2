package import Hostnames

extension SiteTrie {
    /// The index of the narrowest network around an address, or -1; -1 for a name.
    package func networkNumber(of host: Hostname) -> Int {
        image.narrowestNetwork(around: host).map { $0.number - image.slotCount } ?? -1
    }

    /// The size of each section in bytes, for reports.
    package var sizes: [(section: String, bytes: Int)] {
        TrieImage.Section.allCases.map { section in ("\(section)", image.length(of: section)) }
    }
}
