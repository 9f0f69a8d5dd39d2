public import Hostnames

/// Verdicts about text, which is read in place.
///
/// Reads are in bounds, because a path is handed on as a whole, and the parts of a URL are those that `PlainURL` found in it. The
/// memory of a text is only lent: no pointer outlives the call that lends it.
extension SiteTrie {
    /// Whether credentials may go to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: scheme, host and port of the request.
    ///   - path: the raw path of the request with its escapes; empty means `/`, and a query is ignored.
    /// - Returns: the verdict, with the rule that decided.
    /// - Complexity: O(*n*) in the length of the host, and O(*n*) in the length of `path` for each rule of the host
    ///   with a path. Allocates nothing.
    public func verdict(for origin: Origin, path: String) -> SiteVerdict {
        // Reading the UTF-8 in place retains nothing. The copy is in another function, so that this one does not retain
        // `path`.
        unsafe path.utf8.withContiguousStorageIfAvailable { unsafe verdict(for: origin, $0) }
            ?? verdict(for: origin, copying: path)
    }

    /// Bridged Objective-C strings have no contiguous UTF-8, so the bytes are copied.
    @inline(never)
    private func verdict(for origin: Origin, copying path: String) -> SiteVerdict {
        let bytes = Array(path.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe verdict(for: origin, $0) }
    }

    private func verdict(for origin: Origin, _ path: UnsafeBufferPointer<UInt8>) -> SiteVerdict {
        let request = unsafe SiteRequest(scheme: origin.scheme, port: origin.port, path: path)
        switch origin.host.form {
        case .name(let name): return unsafe name.withUnsafeBufferPointer { name in unsafe verdict(name.span, request) }
        case .ipv4, .ipv6: return unsafe verdict(ofAddress: origin.host, request)
        }
    }

    /// Whether credentials may go to `url`, an absolute `http` or `https` URL.
    ///
    /// - Returns: ``SiteVerdict/invalid(_:)`` if programs may read another origin or path in the URL.
    /// - Complexity: that of ``verdict(for:path:)``, and O(*n*) in the length of `url`. Allocates nothing for a URL of the
    ///   usual shape: an ASCII name without `--`, and only bytes that a URL may contain.
    public func verdict(forURL url: String) -> SiteVerdict {
        unsafe url.utf8.withContiguousStorageIfAvailable { unsafe verdict(forURL: $0) } ?? verdict(copying: url)
    }

    /// Bridged Objective-C strings have no contiguous UTF-8, so the bytes are copied.
    @inline(never)
    private func verdict(copying url: String) -> SiteVerdict {
        let bytes = Array(url.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe verdict(forURL: $0) }
    }

    /// ``verdict(forURL:)`` for the bytes of a URL.
    ///
    /// - Parameters:
    ///   - url: the bytes of the URL.
    ///   - hosts: how its host is read; `nil` means ``HostReader/ascii``. A plain URL does not use it.
    package func verdict(forURL url: UnsafeBufferPointer<UInt8>, hosts: HostReader? = nil) -> SiteVerdict {
        if let plain = unsafe PlainURL(url) { return unsafe verdict(plain, of: url) }
        return unsafe verdict(forUnusualURL: url.span, hosts ?? .ascii)
    }

    /// The verdict about a URL whose parts were found in `url`.
    @inline(__always)
    func verdict(_ plain: PlainURL, of url: UnsafeBufferPointer<UInt8>) -> SiteVerdict {
        assert(plain.host.upperBound <= url.count && plain.path.upperBound <= url.count)
        // In bounds: `PlainURL` found the parts in `url`.
        let host = unsafe url.span.extracting(unchecked: plain.host)
        guard plain.path.count > 1 else {
            return verdict(host, SiteRequest(scheme: plain.scheme, port: plain.port, path: "/".utf8))
        }
        let path = unsafe UnsafeBufferPointer(rebasing: url[plain.path])
        return unsafe verdict(host, SiteRequest(scheme: plain.scheme, port: plain.port, path: path))
    }

    @inline(never)
    private func verdict(forUnusualURL url: Span<UInt8>, _ hosts: HostReader) -> SiteVerdict {
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url, hosts: hosts)
            return verdict(for: location.origin, path: location.path)
        } catch {
            return .invalid(error)
        }
    }
}

extension SiteTrie {
    /// The verdict about the plain parts of `url`; ``LayeredSites`` finds them once for all layers.
    @inline(__always)
    func verdict(_ plain: PlainURL, of url: Span<UInt8>) -> SiteVerdict {
        precondition(plain.host.upperBound <= url.count && plain.path.upperBound <= url.count)
        return unsafe url.withUnsafeBufferPointer { url in unsafe verdict(plain, of: url) }
    }
}

extension PlainURL {
    /// Finds the parts of `url`, or returns `nil` if the URL does not have the usual form.
    @inline(__always)
    init?(_ url: Span<UInt8>) {
        guard let plain = unsafe url.withUnsafeBufferPointer({ url in unsafe PlainURL(url) }) else { return nil }
        self = plain
    }
}

extension String {
    /// Calls `body` with the UTF-8 of the text.
    @inline(__always)
    func withUTF8InPlace<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe utf8.withContiguousStorageIfAvailable { utf8 in unsafe body(utf8.span) } ?? withCopiedUTF8(body)
    }

    /// Bridged Objective-C strings have no contiguous UTF-8, so the bytes are copied.
    @inline(never)
    private func withCopiedUTF8<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = Array(utf8)
        return body(bytes.span)
    }
}
