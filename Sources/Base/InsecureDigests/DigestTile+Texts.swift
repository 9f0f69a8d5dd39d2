internal import CDigestLanes

extension DigestTile {
    /// The size of the row of a short text, in bytes.
    private static let rowSize = Int(SALLYPORT_TEXT_ROW)
    /// Up to this number of longer texts are hashed one by one; more are hashed in parallel.
    private static let fewTexts = 8

    /// Sets the chaining value of each lane to the MD4 of its text in UTF-16LE.
    ///
    /// - Returns: a bit for each lane whose text has more than ``MD4/textUnits`` units; its chaining value is zero.
    func hash(_ texts: ArraySlice<String>) -> UInt64 {
        // Most passwords are short ASCII texts, whose bytes are widened in columns. The lanes of other texts contain
        // arbitrary values until those texts are hashed one by one.
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

    /// The same for texts of up to one block; returns a bit for each lane whose text is longer or not ASCII.
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

    /// The same for the texts of the marked lanes, one by one; returns a bit for each lane whose text is too long.
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

    /// One row for each lane, in the memory of the waiting chaining values of HMAC; both have 16 bytes.
    private var rows: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(aside) }

    /// Stores an ASCII text that is shorter than a row in the row of its lane, and its length in the block; returns
    /// whether it was stored.
    private func put(_ text: String, lane: Int) -> Bool {
        precondition(lane >= 0 && lane < Self.capacity)
        return unsafe text.utf8.withContiguousStorageIfAvailable { characters in
            let count = characters.count
            guard count < Self.rowSize else { return false }
            let characters = UnsafeRawBufferPointer(characters)
            var low = unsafe Self.word(of: characters, at: 0)
            var high = count < 8 ? 0 : unsafe Self.word(of: characters, at: 8)
            let isASCII = (low | high) & 0x8080_8080_8080_8080 == 0
            // The end bit.
            if count < 8 { low |= 0x80 &<< UInt64(8 * count) } else { high |= 0x80 &<< UInt64(8 * (count - 8)) }
            // In bounds: each lane has a row and a word. The low byte comes first, which is the order of the text on
            // the little-endian machines of the kernels.
            unsafe rows.storeBytes(of: low, toByteOffset: lane * Self.rowSize, as: UInt64.self)
            unsafe rows.storeBytes(of: high, toByteOffset: lane * Self.rowSize + 8, as: UInt64.self)
            unsafe words[14 * Self.capacity + lane] = UInt32(16 * count)
            return isASCII
        } ?? false
    }

    /// Up to eight bytes from `start` on, in the lower bytes.
    ///
    /// Steps do not overlap, because a short text was just stored as two words, and a load across both would wait for
    /// the stores.
    private static func word(of characters: UnsafeRawBufferPointer, at start: Int) -> UInt64 {
        let left = characters.count - start
        // In bounds: the bytes are left.
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
