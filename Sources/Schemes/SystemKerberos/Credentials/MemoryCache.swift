internal import CGSSAPI
internal import Synchronization

/// A ticket cache in the memory of this process, for one credential.
struct MemoryCache: Sendable {
    private static let made = Atomic<UInt64>(0)

    /// A name that no other cache of this process has.
    let name: String
    private let library: KerberosLibrary

    init(_ library: KerberosLibrary) {
        self.library = library
        name = "MEMORY:sallyport-\(Self.made.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// Erases its tickets. Without libkrb5's functions they stay until the process ends.
    func destroy() {
        guard library.knowsRealmsOfHosts else { return }
        var (context, cache) = unsafe (UnsafeMutableRawPointer?.none, UnsafeMutableRawPointer?.none)
        guard unsafe library.functions.make_krb5(&context) == 0 else { return }
        defer { unsafe library.functions.free_krb5(context) }
        guard unsafe library.functions.open_cache(context, name, &cache) == 0 else { return }
        // It also closes the cache, whatever it returns.
        _ = unsafe library.functions.destroy_cache(context, cache)
    }
}
