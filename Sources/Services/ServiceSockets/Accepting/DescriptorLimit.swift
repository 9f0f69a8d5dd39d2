#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// How many descriptors the process may open.
package enum DescriptorLimit {
    /// The limit now; `nil` if the system does not say, or has none.
    package static var current: Int? { read().flatMap { Int(exactly: $0.rlim_cur) } }

    /// Raises the limit to the most that the system allows: a tunnel takes two descriptors, and a usual limit is 1,024.
    ///
    /// The limit stays as it is if the system refuses; then the relay serves fewer clients.
    package static func raise() {
        guard var limit = read() else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // More is refused there.
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        _ = unsafe setrlimit(resource, &limit)
    }

    private static func read() -> rlimit? {
        var limit = rlimit()
        // The kernel writes the structure, and reads it.
        return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
