import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct PeerTests {
    private static let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"

    @Test(
        "In continuous integration no peer is missing, so that no suite is skipped",
        .enabled(if: isContinuousIntegration, "CI is not 'true'")
    )
    func nothingIsMissing() {
        #expect(Peer.missing.map(\.rawValue).sorted() == [])
    }
}
