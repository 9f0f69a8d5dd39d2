#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Waits until what was written to a file survives a loss of power.
package enum DurableWriting {
    /// Writes what the system still holds of an open file, or the names in an open folder, to the disk.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`, as `fsync` does.
    package static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // There `fsync` leaves the bytes in the disk's own memory. A file system without this call, such as one of the network, has `fsync`.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }
}
