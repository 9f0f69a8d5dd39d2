#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// How many descriptors the process may open.
enum DescriptorLimit {
    /// Raises the limit to the most that the system allows: a tunnel takes two descriptors, and a usual limit is 1,024.
    ///
    /// The limit stays as it is if the system refuses; then the relay serves fewer tunnels.
    static func raise() {
        #if canImport(Glibc)
            let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let descriptors = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        // The kernel writes the structure, and reads it.
        guard unsafe getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // More is refused there.
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        _ = unsafe setrlimit(descriptors, &limit)
    }
}
