internal import Hostnames

/// The parts of a request besides its host.
struct SiteRequest<Path: Sequence<UInt8>> {
    let scheme: Scheme
    let port: UInt16
    /// The raw path; a query or fragment may follow.
    let path: Path
}
