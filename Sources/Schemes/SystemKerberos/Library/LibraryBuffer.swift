internal import CGSSAPI

/// A buffer that the library fills, and that is given back to it on every way out.
@safe
struct LibraryBuffer: ~Copyable {
    private let library: KerberosLibrary
    private var buffer = unsafe sallyport_gss_buffer(length: 0, value: nil)

    init(_ library: KerberosLibrary) { self.library = library }

    /// Calls `body` with the address of the buffer, for a function of the library that fills it once.
    mutating func fill<Result>(_ body: (UnsafeMutablePointer<sallyport_gss_buffer>) -> Result) -> Result {
        unsafe body(&buffer)
    }

    /// The number of bytes.
    var count: Int { unsafe buffer.value == nil ? 0 : buffer.length }

    /// A copy of the first `limit` bytes.
    func bytes(limit: Int) -> [UInt8] {
        guard let start = unsafe buffer.value else { return [] }
        // In bounds: the library says how many bytes there are.
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: min(buffer.length, limit)))
    }

    deinit {
        var (minor, buffer) = unsafe (UInt32(0), buffer)
        if unsafe buffer.value != nil { _ = unsafe library.functions.release_buffer(&minor, &buffer) }
    }
}

/// Calls `body` with a buffer over `bytes`, which the library only reads.
func withLibraryBuffer<Result>(
    _ bytes: Span<UInt8>,
    _ body: (UnsafeMutablePointer<sallyport_gss_buffer>) -> Result
) -> Result {
    unsafe bytes.withUnsafeBufferPointer { memory in
        // GSS-API has no constant buffers; RFC 2744 says that inputs are not changed.
        var buffer = unsafe sallyport_gss_buffer(
            length: memory.count,
            value: UnsafeMutableRawPointer(mutating: memory.baseAddress)
        )
        return unsafe body(&buffer)
    }
}
