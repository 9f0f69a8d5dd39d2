extension SealedImage {
    /// The key of the record at `index` of ``records``.
    func key(at index: Int) -> RecordKey { SealedRecord.key(in: bytes, at: records[index].lowerBound) }

    /// The bytes of the record at `index` of ``records``.
    func record(at index: Int) -> ArraySlice<UInt8> { bytes[records[index]] }

    /// The records of one host: a range of indices into ``records``.
    ///
    /// - Complexity: O(log *n*); no allocation.
    func indices(ofHost host: Tag) -> Range<Int> {
        let start = firstIndex { $0.host >= host }
        var end = start
        // At most `CredentialLimits.recordsPerHost` steps.
        while end < records.count, key(at: end).host == host { end += 1 }
        return start..<end
    }

    /// Where the record with `key` is or would be, and whether it is there.
    func place(of key: RecordKey) -> (index: Int, isPresent: Bool) {
        let index = firstIndex { $0 >= key }
        return (index, index < records.count && self.key(at: index) == key)
    }

    /// The first index whose key passes `test`, which all keys after it pass too.
    private func firstIndex(where test: (RecordKey) -> Bool) -> Int {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = low + (high - low) / 2
            if test(key(at: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
