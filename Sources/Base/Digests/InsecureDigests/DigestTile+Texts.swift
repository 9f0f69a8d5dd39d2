internal import CDigestLanes

extension DigestTile {
    /// Bytes of a row that holds a short text.
    private static let rowSize = Int(SALLYPORT_TEXT_ROW)
    /// So many texts that are not short are done together; fewer, one by one.
    private static let fewTexts = 8

    /// Leaves the MD4 of each text, in UTF-16LE, as its lane's chaining value.
    ///
    /// - Returns: a mark for each lane whose text has more than ``MD4/textUnits`` units; zeros stand there.
    func hash(_ texts: ArraySlice<String>) -> UInt64 {
        // Most passwords are short and of ASCII: their bytes are widened in columns. What is neither has nonsense in its
        // lane until it is hashed by itself.
        var misfits: UInt64 = 0
        var lane = 0
        for text in texts {
            if !put(text, lane: lane) { misfits |= 1 << UInt64(lane) }
            lane += 1
        }
        unsafe sallyport_md4_texts(kernel, state, words, rows, lane)
        if misfits.nonzeroBitCount > Self.fewTexts { misfits = hashBlocks(of: texts) }
        return hash(misfits, of: texts)
    }

    /// Does the same for texts of up to a block; returns a mark for each lane whose text is longer, or not of ASCII.
    private func hashBlocks(of texts: ArraySlice<String>) -> UInt64 {
        var blocks = TextBlocks()
        var misfits: UInt64 = 0
        var lane = 0
        for text in texts {
            if !blocks.put(text, lane: lane) { misfits |= 1 << UInt64(lane) }
            lane += 1
        }
        start()
        blocks.withBytes(of: lane) { compressBlocks($0, lanes: lane, with: .md4) }
        return misfits
    }

    /// Does the same for the texts of the marked lanes, one by one; returns a mark for each that is too long.
    private func hash(_ marks: UInt64, of texts: ArraySlice<String>) -> UInt64 {
        var marks = marks
        var refused: UInt64 = 0
        while marks != 0 {
            let lane = marks.trailingZeroBitCount
            marks &= marks - 1
            let digest = MD4.hash(utf16: texts[texts.startIndex + lane])
            if digest == nil { refused |= 1 << UInt64(lane) }
            replace(lane: lane, with: digest ?? Digest16(words: .zero))
        }
        return refused
    }

    /// A row for each lane, where the chaining values of HMAC will wait: both have 16 bytes.
    private var rows: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(aside) }

    /// Puts a text of less than a row into its lane's row, and its length where a block has it; tells whether it was one,
    /// and of ASCII.
    private func put(_ text: String, lane: Int) -> Bool {
        precondition(lane >= 0 && lane < Self.capacity)
        return unsafe text.utf8.withContiguousStorageIfAvailable { characters in
            let count = characters.count
            guard count < Self.rowSize else { return false }
            let characters = UnsafeRawBufferPointer(characters)
            var low = unsafe Self.word(of: characters, at: 0)
            var high = count < 8 ? 0 : unsafe Self.word(of: characters, at: 8)
            let isASCII = (low | high) & 0x8080_8080_8080_8080 == 0
            // The bit that ends a message.
            if count < 8 { low |= 0x80 &<< UInt64(8 * count) } else { high |= 0x80 &<< UInt64(8 * (count - 8)) }
            // In bounds: a row and a word for each lane. Low byte first: on the little-endian machines that the kernels
            // are for, the order of the text.
            unsafe rows.storeBytes(of: low, toByteOffset: lane * Self.rowSize, as: UInt64.self)
            unsafe rows.storeBytes(of: high, toByteOffset: lane * Self.rowSize + 8, as: UInt64.self)
            unsafe words[14 * Self.capacity + lane] = UInt32(16 * count)
            return isASCII
        } ?? false
    }

    /// Eight bytes from `start` on, or what is left of them, in the lower bytes.
    ///
    /// No step overlaps another: a short text was stored as two words right before, and a load from across both would
    /// wait for them to reach the cache.
    private static func word(of characters: UnsafeRawBufferPointer, at start: Int) -> UInt64 {
        let left = characters.count - start
        // In bounds: as many bytes are left.
        guard left < 8 else { return unsafe characters.loadUnaligned(fromByteOffset: start, as: UInt64.self) }
        var word: UInt64 = 0
        var taken = 0
        if left >= 4 {
            word = UInt64(unsafe characters.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            taken = 4
        }
        while taken < left {
            word |= UInt64(unsafe characters[start + taken]) &<< UInt64(8 * taken)
            taken += 1
        }
        return word
    }
}
