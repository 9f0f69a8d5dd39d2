internal import Crypto

/// Whether two secrets are equal. It compares codes of both under a fresh key, so that the time shows neither a common start nor a
/// length.
func areEqualUnderFreshKey(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let key = SymmetricKey(size: .bits256)
    func code(_ bytes: Span<UInt8>) -> HMAC<SHA256>.MAC {
        var code = HMAC<SHA256>(key: key)
        // In bounds: the buffer is the span's own.
        unsafe bytes.withUnsafeBytes { unsafe code.update(data: $0) }
        return code.finalize()
    }
    // The comparison of two codes takes constant time.
    return code(left) == code(right)
}
