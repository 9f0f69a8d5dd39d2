#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The functions of OpenSSL 3 that are compared, found at run time: nothing of it is needed to build.
@safe
struct OpenSSL: Sendable {
    typealias OneShot = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    typealias Initialize = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    typealias Update = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
    typealias Finish = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
    typealias SetKey = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?) -> Void
    typealias Apply =
        @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Void
    typealias Algorithm = @convention(c) () -> OpaquePointer?
    typealias Load = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
    typealias Digest =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt32>?, OpaquePointer?,
            OpaquePointer?
        ) -> Int32
    typealias Authenticate =
        @convention(c) (
            OpaquePointer?, UnsafeRawPointer?, Int32, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<UInt32>?
        ) -> UnsafeMutableRawPointer?
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?

    let md4: OneShot
    let md5Init: Initialize
    let md5Update: Update
    let md5Final: Finish
    let rc4SetKey: SetKey
    let rc4: Apply
    let evpDigest: Digest
    let evpMD4: Algorithm
    let evpMD5: Algorithm
    let hmac: Authenticate
    let version: String

    /// Bytes of `MD5_CTX`: four words of state, two of length, a block, and how much of it is filled.
    static let md5ContextSize = 4 * 4 + 2 * 4 + 64 + 4
    /// Bytes of `RC4_KEY`: two indices and 256 entries, each an `unsigned int`.
    static let rc4KeySize = 258 * 4

    /// `nil` when the library, or one of its functions, is not there.
    init?() {
        #if canImport(Glibc)
            let name = "libcrypto.so.3"
        #else
            let name = "libcrypto.3.dylib"
        #endif
        // Stays loaded: its functions are used until the process ends.
        guard let library = unsafe dlopen(name, RTLD_NOW) else { return nil }
        func find<Function>(_ name: String, as type: Function.Type) -> Function? {
            // The types above are those of OpenSSL's headers, with pointers to its own types untyped.
            unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: type) }
        }
        guard let md4 = unsafe find("MD4", as: OneShot.self),
            let md5Init = unsafe find("MD5_Init", as: Initialize.self),
            let md5Update = unsafe find("MD5_Update", as: Update.self),
            let md5Final = unsafe find("MD5_Final", as: Finish.self),
            let rc4SetKey = unsafe find("RC4_set_key", as: SetKey.self), let rc4 = unsafe find("RC4", as: Apply.self),
            let evpDigest = unsafe find("EVP_Digest", as: Digest.self),
            let evpMD4 = unsafe find("EVP_md4", as: Algorithm.self),
            let evpMD5 = unsafe find("EVP_md5", as: Algorithm.self),
            let hmac = unsafe find("HMAC", as: Authenticate.self),
            let load = unsafe find("OSSL_PROVIDER_load", as: Load.self),
            let version = unsafe find("OpenSSL_version", as: Version.self), let text = unsafe version(0)
        else { return nil }
        // MD4 moved to the legacy provider; once one is loaded by name, the default one no longer loads itself.
        _ = unsafe load(nil, "legacy")
        _ = unsafe load(nil, "default")
        unsafe self.md4 = md4
        unsafe self.md5Init = md5Init
        unsafe self.md5Update = md5Update
        unsafe self.md5Final = md5Final
        unsafe self.rc4SetKey = rc4SetKey
        unsafe self.rc4 = rc4
        unsafe self.evpDigest = evpDigest
        unsafe self.evpMD4 = evpMD4
        unsafe self.evpMD5 = evpMD5
        unsafe self.hmac = hmac
        self.version = unsafe String(cString: text)
    }
}
