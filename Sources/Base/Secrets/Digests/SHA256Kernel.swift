internal import CDigestLanes

/// The instructions that compute SHA-256.
package enum SHA256Kernel: CaseIterable, Sendable {
    /// Portable C, one message at a time.
    case portable
    /// AVX2, eight messages in parallel; a single message uses the fastest kernel for one.
    case avx2
    /// SHA-NI or the SHA instructions of ARMv8, two messages interleaved.
    case extensions
    /// AVX-512, 16 messages in parallel; a single message uses the fastest kernel for one.
    case avx512

    /// The fastest kernel of this machine for many messages; detected once.
    package static let bestForMany = allCases.last(where: \.runsHere) ?? .portable

    /// Whether this machine has the instructions. Do not use a kernel that does not run here.
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
