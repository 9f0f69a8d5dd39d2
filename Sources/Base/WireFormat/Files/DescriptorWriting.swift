#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Writing to a descriptor.
package enum DescriptorWriting {
    /// Writes all of `bytes`; returns 0 or the `errno`.
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            // In bounds: `written` is less than the count.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                written += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

// Outside of the types, whose own `write` would hide the system's.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, start, count)
}
