#if canImport(Darwin)
    internal import Darwin

    extension Terminal {
        /// Waits as `poll` does, with its result and `errno`. Darwin's `poll` cannot wait for `/dev/tty`, and its `select` can.
        ///
        /// A descriptor beyond those of a set is an error: `EMFILE`.
        static func select(among entries: inout [pollfd], milliseconds: Int32) -> Int32 {
            var (reading, writing) = (DescriptorSet(), DescriptorSet())
            var highest: Int32 = -1
            // As with `poll`, an entry with a descriptor below zero is left out.
            for entry in entries where entry.fd >= 0 {
                guard entry.fd < DescriptorSet.capacity else {
                    errno = EMFILE
                    return -1
                }
                if Int32(entry.events) & POLLIN != 0 { reading.insert(entry.fd) }
                if Int32(entry.events) & POLLOUT != 0 { writing.insert(entry.fd) }
                highest = max(highest, entry.fd)
            }
            var time = timeval(tv_sec: Int(milliseconds / 1_000), tv_usec: milliseconds % 1_000 * 1_000)
            let count = unsafe Darwin.select(highest + 1, &reading.bits, &writing.bits, nil, &time)
            for index in entries.indices {
                let descriptor = entries[index].fd
                entries[index].revents = 0
                guard count > 0, descriptor >= 0 else { continue }
                if reading.contains(descriptor) { entries[index].revents |= Int16(POLLIN) }
                if writing.contains(descriptor) { entries[index].revents |= Int16(POLLOUT) }
            }
            return count
        }
    }

    /// The set of `select`, whose macros Swift cannot call. Bit *n* is bit *n* mod 8 of byte *n* / 8, because Apple's processors are
    /// little-endian.
    private struct DescriptorSet {
        static let capacity = Int32(MemoryLayout<fd_set>.size * 8)
        var bits = fd_set()

        /// - Precondition: the descriptor is at least 0 and less than ``capacity``.
        mutating func insert(_ descriptor: Int32) {
            precondition((0..<Self.capacity).contains(descriptor))
            // In bounds: the precondition.
            unsafe withUnsafeMutableBytes(of: &bits) { bytes in
                unsafe bytes[Int(descriptor / 8)] |= 1 << UInt8(descriptor % 8)
            }
        }

        /// - Precondition: as for ``insert(_:)``.
        func contains(_ descriptor: Int32) -> Bool {
            precondition((0..<Self.capacity).contains(descriptor))
            // In bounds: the precondition.
            return unsafe withUnsafeBytes(of: bits) { bytes in
                unsafe bytes[Int(descriptor / 8)] & 1 << UInt8(descriptor % 8) != 0
            }
        }
    }
#endif
