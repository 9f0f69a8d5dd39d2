internal import CNameLanes

extension SiteTrie {
    /// How many names are looked up side by side.
    package static let batchWidth = 32

    /// The number of the narrowest place for each of many names, or -1.
    ///
    /// A name that is not in the processor's cache costs a wait for memory. Here the names of a batch wait together: first all
    /// are packed and hashed, then all words of the filter are read, then all pilots, then the slots.
    ///
    /// - Parameters:
    ///   - text: the bytes of all names.
    ///   - names: where each name begins in `text`, and behind that where it ends; all canonical.
    ///   - numbers: as many as there are names.
    package func placeNumbers(
        in text: UnsafeRawBufferPointer,
        _ names: UnsafeBufferPointer<(start: Int, end: Int)>,
        into numbers: UnsafeMutableBufferPointer<Int>
    ) {
        precondition(names.count <= numbers.count)
        var call = unsafe BatchCall(image: .passUnretained(image), text: text, names: names, numbers: numbers)
        unsafe withUnsafeMutablePointer(to: &call) { call in
            // The probes take four kilobytes, and a temporary allocation of so much would come from the heap.
            unsafe sallyport_with_room(
                { room, call in
                    // Both are what is given here: `SALLYPORT_ROOM` bytes, and the call below.
                    let call = unsafe call.unsafelyUnwrapped.assumingMemoryBound(to: BatchCall.self).pointee
                    unsafe call.run(in: room.unsafelyUnwrapped)
                },
                call
            )
        }
    }
}

/// What a call for many names is given, in one piece.
@unsafe
private struct BatchCall {
    /// The caller has it for as long as the call takes.
    let image: Unmanaged<TrieImage>
    let text: UnsafeRawBufferPointer
    let names: UnsafeBufferPointer<(start: Int, end: Int)>
    let numbers: UnsafeMutableBufferPointer<Int>

    func run(in room: UnsafeMutableRawPointer) {
        precondition(MemoryLayout<TrieImage.Probe>.stride * SiteTrie.batchWidth <= Int(SALLYPORT_ROOM))
        let probes = unsafe room.bindMemory(to: TrieImage.Probe.self, capacity: SiteTrie.batchWidth)
        unsafe image._withUnsafeGuaranteedRef { unsafe run($0, probes) }
    }

    @inline(__always)
    private func run(_ image: TrieImage, _ probes: UnsafeMutablePointer<TrieImage.Probe>) {
        var first = 0
        while unsafe first < names.count {
            let count = unsafe min(SiteTrie.batchWidth, names.count - first)
            for index in 0..<count {
                let (start, end) = unsafe names[first + index]
                unsafe precondition(start >= 0 && end > start && end <= text.count)
                let name = unsafe UnsafeRawBufferPointer(rebasing: text[start..<end])
                unsafe (probes + index).initialize(to: image.probe(name))
            }
            // Each loop asks for what the next one reads, so that many reads are under way at once.
            for index in 0..<count { unsafe image.readFilter(&probes[index]) }
            for index in 0..<count { unsafe image.readPilot(&probes[index]) }
            for index in 0..<count {
                let (start, end) = unsafe names[first + index]
                let name = unsafe UnsafeRawBufferPointer(rebasing: text[start..<end])
                unsafe numbers[first + index] = unsafe image.finish(&probes[index], name)
            }
            first += count
        }
    }
}
