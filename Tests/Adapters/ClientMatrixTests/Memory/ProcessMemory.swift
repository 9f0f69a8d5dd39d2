#if canImport(Glibc)
    import Glibc

    /// The memory of this process, as `/proc/self/mem` shows it.
    enum ProcessMemory {
        /// A secret to look for. It is held masked, so that a scan does not find the list of what it looks for.
        struct Needle: Codable, Sendable {
            let name: String
            private let masked: [UInt8]

            init(_ name: String, _ bytes: [UInt8]) {
                self.name = name
                masked = bytes.map { $0 ^ 0x5A }
            }

            var count: Int { masked.count }

            fileprivate func unmask(to start: UnsafeMutablePointer<UInt8>) {
                for (index, byte) in masked.enumerated() { unsafe start[index] = byte ^ 0x5A }
            }
        }

        /// A place where a secret lies.
        struct Place: CustomStringConvertible {
            let name: String
            let address: UInt
            let map: String

            var description: String { "\(name) at \(String(address, radix: 16)) in \(map)" }
        }

        /// Where the secrets lie in memory that this process may write: heap, stacks and variables.
        ///
        /// A secret that is longer than it looks is found once for each place where it starts.
        static func places(of needles: [Needle]) throws -> [Place] {
            let chunk = 1 << 20
            // The needles and the copies lie in one mapping, which does not count.
            let size = chunk + 4096
            let own = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let own = unsafe own, unsafe own != MAP_FAILED else { throw Unreadable() }
            defer {
                unsafe explicit_bzero(own, size)
                unsafe munmap(own, size)
            }
            let start = UInt(bitPattern: own)
            let buffer = unsafe own + 4096
            let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            guard memory >= 0 else { throw Unreadable() }
            defer { close(memory) }
            let overlap = (needles.map(\.count).max() ?? 1) - 1
            var places: [Place] = []
            for map in try maps() {
                var address = map.range.lowerBound
                while address < map.range.upperBound {
                    let wanted = min(chunk, Int(map.range.upperBound - address))
                    let got = unsafe pread(memory, buffer, wanted, off_t(address))
                    guard got > 0 else { break }
                    for needle in needles {
                        unsafe needle.unmask(to: own.assumingMemoryBound(to: UInt8.self))
                        let pattern = UnsafeRawPointer(own)
                        let first = Int32(unsafe pattern.load(as: UInt8.self))
                        var from = 0
                        while from + needle.count <= got,
                            let hit = unsafe memchr(buffer + from, first, got - needle.count + 1 - from)
                        {
                            let offset = unsafe hit - buffer
                            from = offset + 1
                            let place = address + UInt(offset)
                            let isOwn = (start..<start + UInt(size)).contains(place)
                            if !isOwn, unsafe memcmp(hit, pattern, needle.count) == 0 {
                                places.append(Place(name: needle.name, address: place, map: map.name))
                            }
                        }
                    }
                    guard got == wanted, wanted == chunk else { break }
                    address += UInt(got - overlap)
                }
            }
            return places
        }

        /// The mappings that this process may read and write.
        private static func maps() throws -> [(range: Range<UInt>, name: String)] {
            let descriptor = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Unreadable() }
            defer { close(descriptor) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let got = unsafe read(descriptor, &part, part.count)
                guard got > 0 else { break }
                text += part[..<got]
            }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
                return (ends[0]..<ends[1], fields.count > 5 ? String(fields[5]) : "no file")
            }
        }

        struct Unreadable: Error {}
    }
#endif
