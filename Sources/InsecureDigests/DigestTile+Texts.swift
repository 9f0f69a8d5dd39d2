extension DigestTile {
    /// Starts anew and leaves the MD4 of each text, in UTF-16LE, as its lane's chaining value.
    ///
    /// - Returns: a mark for each lane whose text has more than ``MD4/textUnits`` units; zeros stand there.
    func hash(_ texts: ArraySlice<String>, in blocks: inout TextBlocks) -> UInt64 {
        start()
        // What is no ASCII, or too long for one block, is hashed by itself; its lane holds whatever was there.
        var misfits: UInt64 = 0
        var lane = 0
        for text in texts {
            if !blocks.put(text, lane: lane) { misfits |= 1 << UInt64(lane) }
            lane += 1
        }
        blocks.withBytes(of: lane) { compressBlocks($0, lanes: lane, with: .md4) }
        var refused: UInt64 = 0
        while misfits != 0 {
            let lane = misfits.trailingZeroBitCount
            misfits &= misfits - 1
            let digest = MD4.hash(utf16: texts[texts.startIndex + lane])
            if digest == nil { refused |= 1 << UInt64(lane) }
            replace(lane: lane, with: digest ?? Digest16(words: .zero))
        }
        return refused
    }
}
