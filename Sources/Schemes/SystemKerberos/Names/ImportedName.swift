internal import CGSSAPI

/// A name in the library's own form, which is released with its last owner.
@safe
final class ImportedName: Sendable {
    private let library: KerberosLibrary
    // Safe to send: never written after init, and the library only reads names.
    private nonisolated(unsafe) let handle: sallyport_gss_name?

    /// Takes ownership of a name that the library made.
    init(owning handle: sallyport_gss_name?, _ library: KerberosLibrary) {
        self.library = library
        unsafe self.handle = handle
    }

    /// Reads `user@REALM` or `HTTP/host@REALM`.
    convenience init(principal text: String, _ library: KerberosLibrary) throws(KerberosError) {
        try unsafe self.init(text, kind: sallyport_gss_principal_kind(), library)
    }

    /// Reads `HTTP@host`. The library may ask DNS for another name of the host, as krb5.conf says.
    convenience init(service text: String, _ library: KerberosLibrary) throws(KerberosError) {
        try unsafe self.init(text, kind: sallyport_gss_service_kind(), library)
    }

    private convenience init(
        _ text: String,
        kind: UnsafeMutablePointer<sallyport_gss_oid>?,
        _ library: KerberosLibrary
    ) throws(KerberosError) {
        try KerberosNames.check(text)
        var (minor, handle) = unsafe (UInt32(0), sallyport_gss_name?.none)
        let bytes = Array(text.utf8)
        let major = unsafe withLibraryBuffer(bytes.span) { buffer in
            unsafe library.functions.import_name(&minor, buffer, kind, &handle)
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw library.error(.importName, status, about: text) }
        unsafe self.init(owning: handle, library)
    }

    /// Calls `body` with the name, which it must not keep.
    func withHandle<Result>(_ body: (sallyport_gss_name?) -> Result) -> Result { unsafe body(handle) }

    /// The name as text, such as `user@REALM`.
    func text(_ operation: KerberosError.Operation) throws(KerberosError) -> String {
        var minor = UInt32(0)
        var buffer = LibraryBuffer(library)
        let major = unsafe buffer.fill { buffer in
            unsafe library.functions.display_name(&minor, handle, buffer, nil)
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw library.error(operation, status, about: nil) }
        let bytes = buffer.bytes(limit: KerberosLimits.nameBytes + 1)
        guard bytes.count <= KerberosLimits.nameBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw KerberosError(operation, .badName)
        }
        try KerberosNames.check(text)
        return text
    }

    deinit {
        var (minor, handle) = unsafe (UInt32(0), handle)
        _ = unsafe library.functions.release_name(&minor, &handle)
    }
}

/// What a name that goes to the library may hold.
enum KerberosNames {
    /// Checks the length, and that there is no control character: a zero would end the name early.
    static func check(_ text: String, _ operation: KerberosError.Operation = .importName) throws(KerberosError) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= KerberosLimits.nameBytes, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw KerberosError(operation, .badName, about: text) }
    }
}
