import Corpora
import Hostnames
import SPKIPins
import Testing

/// Chains that real servers presented, from the shipped recording.
enum RecordedChain {
    static let recording = Result { try ShippedRecording.corporateDay.load() }

    /// The first handshake of `kind` with its validated chain, leaf to anchor.
    static func first(_ kind: String, reason: String) throws -> (host: Hostname, der: [[UInt8]]) {
        let recording = try recording.get()
        for event in recording.events where event.kind == kind && event.expected.reason == reason {
            guard case .handshake(let handshake) = event.content, let hashes = handshake.validated else { continue }
            return (try Origin(parsing: event.origin).host, hashes.compactMap { recording.certificates[$0] })
        }
        throw Missing(kind: kind)
    }

    struct Missing: Error {
        let kind: String
    }
}
