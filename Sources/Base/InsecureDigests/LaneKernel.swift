internal import CDigestLanes

/// The instructions that compute many digests in parallel.
package enum LaneKernel: CaseIterable, Sendable {
    /// Plain words, two messages interleaved.
    case portable
    /// SSE2 or NEON.
    case vector128
    /// 16 messages at once.
    case avx2
    /// 64 messages at once.
    case avx512

    /// The widest kernel of this machine; detected once.
    package static let best = allCases.last(where: \.runsHere) ?? .portable

    /// Whether this machine has the instructions. Do not use a kernel that does not run here.
    package var runsHere: Bool { sallyport_kernel_runs_here(code) != 0 }

    var code: sallyport_kernel {
        switch self {
        case .portable: SALLYPORT_KERNEL_PORTABLE
        case .vector128: SALLYPORT_KERNEL_VECTOR128
        case .avx2: SALLYPORT_KERNEL_AVX2
        case .avx512: SALLYPORT_KERNEL_AVX512
        }
    }
}
