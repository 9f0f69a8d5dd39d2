import Corpora
import PinningStudy
import TestLimits
import Testing

@Suite(.inTurn) struct PeekAuditTests {
    @Test("No strategy that ships knows the future", arguments: PinningStrategy.builtIn.map(\.name))
    func honest(name: String) throws {
        let strategy = try #require(PinningStrategy.builtIn.first { $0.name == name })
        let recording = try ShippedChainRecording.publicSites.load()
        #expect(PeekAudit.firstFinding(recording, strategy: { _ in strategy }) == nil)
        let generated = GeneratedRecording(seed: 11, hosts: 4)
        defer { generated.remove() }
        #expect(
            PeekAudit.firstFinding(try ChainRecording(folder: generated.folder), strategy: { _ in strategy }) == nil
        )
    }

    @Test("A rule that captures the recording and pins the next key before its first sight is detected")
    func peeking() throws {
        let recording = try ThreeHosts().load()
        let finding = PeekAudit.firstFinding(recording) { recording in
            // The whole recording shows which hosts will change their key.
            var keys: [String: Set<String>] = [:]
            for observation in recording.observations {
                let leaf = recording.validatedChain(of: observation)?.first.map { recording.certificates[Int($0)] }
                let host = recording.endpoints[Int(observation.endpoint)].host
                if let leaf { keys[host, default: []].insert("\(leaf.key)") }
            }
            let changing = keys.filter { $0.value.count > 1 }.keys
            return PinningStrategy(name: "oracle", summary: "the leaf's key, unless it is going to change") {
                knowledge in
                changing.contains(knowledge.hostname) ? [knowledge.latest.rootKey] : [knowledge.latest.leafKey]
            }
        }
        #expect(finding?.host == "a")
        #expect(finding?.capture == 0)
    }

    @Test func whatIsNotKnownYetCannotBeAskedFor() async {
        await #expect(processExitsWith: .failure) {
            let history = try ChainHistory(ThreeHosts().load())
            _ = Study(
                history,
                strategies: [
                    PinningStrategy(name: "greedy", summary: "the chain after the latest") { knowledge in
                        [knowledge.chains[knowledge.chains.endIndex].leafKey]
                    }
                ]
            )
        }
    }
}
