internal import Credentials

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

    init(_ problem: PrivateFileProblem) {
        self =
            switch problem {
            case .missing: .missing
            case .othersMayUse(let mode): .othersMayUse(mode: mode)
            case .othersMayUseRoots(let mode): .othersMayUseRoots(mode: mode)
            case .notOwned: .notOwned
            case .system(let operation, let code): .system(operation: operation, code: code)
            }
    }

    init(_ problem: SystemdCredential.Problem) {
        self =
            switch problem {
            case .malformedName: .malformedCredentialName
            case .noFolder: .noCredentialsDirectory
            }
    }

    /// Calls `body`; throws its problem as one of a store.
    static func translating<Result>(
        _ body: () throws(PrivateFileProblem) -> Result
    ) throws(CredentialStoreError.Problem) -> Result {
        do throws(PrivateFileProblem) { return try body() } catch { throw .init(error) }
    }
}
