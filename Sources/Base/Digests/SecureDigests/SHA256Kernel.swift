internal import CDigestLanes

/// Which instructions compute SHA-256.
package enum SHA256Kernel: CaseIterable, Sendable {
    /// Plain words, one message at a time.
    case portable
    /// Eight messages side by side; a single one is left to the best kernel for one.
    case avx2
    /// SHA-NI or the instructions of ARMv8, two messages in turns.
    case extensions
    /// Sixteen messages side by side; a single one is left to the best kernel for one.
    case avx512

    /// The fastest on this machine for many messages, looked up once.
    package static let bestForMany = allCases.last(where: \.runsHere) ?? .portable

    /// Whether this machine has the instructions. A digest must not be asked for with a kernel that it lacks.
    package var runsHere: Bool { sallyport_sha256_runs_here(code) != 0 }

    var code: sallyport_sha256_kernel {
        switch self {
        case .portable: SALLYPORT_SHA256_PORTABLE
        case .avx2: SALLYPORT_SHA256_AVX2
        case .extensions: SALLYPORT_SHA256_EXTENSIONS
        case .avx512: SALLYPORT_SHA256_AVX512
        }
    }
}
