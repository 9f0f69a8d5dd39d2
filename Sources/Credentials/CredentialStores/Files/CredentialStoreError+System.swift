#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension CredentialStoreError.Problem {
    /// The problem when the system refuses to write.
    static func refusal(of operation: String, code: Int32) -> CredentialStoreError.Problem {
        switch code {
        // EFBIG: the limit of this process for the size of a file (RLIMIT_FSIZE).
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS, EACCES, EPERM: .readOnly
        default: .system(operation: operation, code: code)
        }
    }
}
