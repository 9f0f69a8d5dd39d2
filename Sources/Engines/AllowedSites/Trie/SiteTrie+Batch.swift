internal import CNameLanes

extension SiteTrie {
    /// The number of names that are looked up together.
    package static let batchWidth = 32

    /// Writes the number of the narrowest node of each name, or -1.
    ///
    /// A lookup outside the processor's cache waits for memory. The lookups of a batch wait together: all names are
    /// packed and hashed, then all filter blocks are read, then all pilots, then all slots.
    ///
    /// - Parameters:
    ///   - text: the bytes of all names.
    ///   - names: start and end of each name in `text`; all canonical.
    ///   - numbers: one number for each name.
    package func placeNumbers(
        in text: UnsafeRawBufferPointer,
        _ names: UnsafeBufferPointer<(start: Int, end: Int)>,
        into numbers: UnsafeMutableBufferPointer<Int>
    ) {
        precondition(names.count <= numbers.count)
        var call = unsafe BatchCall(image: .passUnretained(image), text: text, names: names, numbers: numbers)
        unsafe withUnsafeMutablePointer(to: &call) { call in
            // The probes take 4 kB. `withUnsafeTemporaryAllocation` would take that much from the heap, so C provides
            // stack memory.
            unsafe sallyport_with_room(
                { room, call in
                    // The arguments are `SALLYPORT_ROOM` bytes of stack and the pointer that is passed below.
                    let call = unsafe call.unsafelyUnwrapped.assumingMemoryBound(to: BatchCall.self).pointee
                    unsafe call.run(in: room.unsafelyUnwrapped)
                },
                call
            )
        }
    }
}

/// The arguments of ``SiteTrie/placeNumbers(in:_:into:)``, so that one pointer carries them through C.
@unsafe
private struct BatchCall {
    /// The caller retains it during the call.
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
            // Each loop prefetches what the next loop reads, so that many reads are in flight.
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
