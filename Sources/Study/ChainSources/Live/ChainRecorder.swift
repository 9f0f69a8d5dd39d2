package import Corpora

/// Captures the chains of many servers at once and says what to write of each.
package struct ChainRecorder: Sendable {
    /// The most servers that are asked at the same time.
    package static let atOnce = 32

    private let capture: ChainCapture
    private let validator: ChainValidator
    private let addresses: [RecordedEndpoint: String]

    /// - Parameter addresses: where to connect instead of looking a host's name up.
    package init(capture: ChainCapture, validator: ChainValidator, addresses: [RecordedEndpoint: String] = [:]) {
        self.capture = capture
        self.validator = validator
        self.addresses = addresses
    }

    /// One entry or error for each server, in their order.
    ///
    /// - Parameters:
    ///   - endpoints: no more than ``atOnce``.
    ///   - now: tells the time, in seconds since 1970.
    package func entries(
        for endpoints: [RecordedEndpoint],
        now: @escaping @Sendable () -> Int64
    ) async -> [Result<ChainRecordingWriter.Entry, CaptureError>] {
        precondition(endpoints.count <= Self.atOnce, "more servers than are asked at the same time")
        return await withTaskGroup { group in
            for (index, endpoint) in endpoints.enumerated() {
                group.addTask { (index, await entry(for: endpoint, now)) }
            }
            var found: [(Int, Result<ChainRecordingWriter.Entry, CaptureError>)] = []
            for await result in group { found.append(result) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func entry(
        for endpoint: RecordedEndpoint,
        _ now: @Sendable () -> Int64
    ) async -> Result<ChainRecordingWriter.Entry, CaptureError> {
        do throws(CaptureError) {
            let presented = try await capture.presentedChain(of: endpoint, address: addresses[endpoint])
            let time = now()
            var entry = ChainRecordingWriter.Entry(first: time, last: time, endpoint: endpoint)
            entry.presented = presented
            entry.source = "sallyport record"
            let outcome = await validator.validate(presented, host: endpoint.host, at: time)
            if case .validated(let chain) = outcome { entry.validated = chain }
            entry.note = outcome.note
            return .success(entry)
        } catch {
            return .failure(error)
        }
    }
}
