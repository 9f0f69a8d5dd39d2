internal import Hostnames

/// What is asked about a host: everything but the host.
struct SiteRequest<Path: Sequence<UInt8>> {
    let scheme: Scheme
    let port: UInt16
    /// The raw path, and what follows it.
    let path: Path
}
