import Corpora
import Foundation
import SPKIPins
import TestSupport
import Testing
import WireFormat

@testable import TestProgram

@Suite struct LaboratoryTests {
    private static func made(seed: UInt64, hosts: Int) throws -> [Data] {
        let folder = TemporaryFolder.place("lab")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Laboratory.record(Landscape(seed: seed, hosts: hosts), in: folder)
        return try ["observations.ndjson", "certificates.ndjson", "certificates.pem"].map { name in
            try Data(contentsOf: folder.appending(path: name))
        }
    }

    @Test func theSameSeedMakesTheSameBytes() throws {
        let first = try Self.made(seed: 1, hosts: 20)
        #expect(try Self.made(seed: 1, hosts: 20) == first)
        #expect(try Self.made(seed: 2, hosts: 20)[1] != first[1])
    }
}

/// The recording that ships holds what its ORIGIN.md promises.
@Suite struct ShippedLabTests {
    private let recording: ChainRecording

    init() throws { recording = try ShippedChainRecording.lab.load() }

    private func chain(_ observation: ChainObservation) throws -> [RecordedCertificate] {
        try #require(recording.validatedChain(of: observation)).map { recording.certificates[Int($0)] }
    }

    private func anchors(_ label: ChainLabel) throws -> Set<String> {
        Set(
            try recording.observations.filter { $0.label == label }.compactMap { observation in
                try chain(observation).last.map { recording.subject(of: $0) }
            }
        )
    }

    @Test func hostsYearsAndLives() throws {
        #expect(recording.endpoints.count == 200)
        let start: Int64 = 1_767_225_600
        #expect(recording.observations.allSatisfy { $0.first >= start && $0.last < start + 1096 * 86_400 })
        var days: Set<Int64> = []
        for observation in recording.observations where observation.label == .genuine {
            let leaf = try #require(chain(observation).first)
            #expect(!leaf.isAuthority)
            #expect(leaf.notBefore <= observation.first && observation.last <= leaf.notAfter)
            days.insert((leaf.notAfter + 1 - leaf.notBefore) / 86_400)
        }
        #expect(days == [47, 90, 398])
        #expect(recording.verifiedCertificates > 100)
    }

    @Test func leaksAreNotedBeforeTheRotation() throws {
        var leaks: Set<Int64> = []
        for observation in recording.observations {
            guard let leak = recording.previousKeyLeak(of: observation) else {
                #expect(!recording.note(of: observation).contains("leaked"))
                continue
            }
            leaks.insert(leak)
            #expect(
                recording.note(of: observation).contains("leaked on \(Timestamp.text(unixSeconds: leak).prefix(10))")
            )
        }
        #expect(leaks.count == 12)
    }

    @Test func renewalsKeepKeysOrTakeNewOnes() throws {
        var keptKey = 0
        var newKey = 0
        var sameLeaf = 0
        var newAnchor = 0
        for endpoint in recording.endpoints.indices {
            let seen = recording.observations.filter { Int($0.endpoint) == endpoint && $0.label == .genuine }
            for (one, next) in zip(seen, seen.dropFirst()) {
                let (old, new) = (try chain(one), try chain(next))
                if old[0].fingerprint == new[0].fingerprint {
                    sameLeaf += 1
                } else if old[0].key == new[0].key {
                    keptKey += 1
                } else {
                    newKey += 1
                }
                if old.last?.key != new.last?.key { newAnchor += 1 }
            }
        }
        #expect(keptKey > 100)
        #expect(newKey > 1000)
        // The same leaf below another anchor: validation stopped going by way of the cross-signed intermediate.
        #expect(sameLeaf > 10)
        #expect(newAnchor > sameLeaf)
    }

    @Test func trustEndsOnItsDay() throws {
        let end: Int64 = 1_767_225_600 + 546 * 86_400
        let distrusted = recording.observations.filter { $0.label == .distrusted }
        #expect(!distrusted.isEmpty)
        #expect(distrusted.allSatisfy { $0.first >= end && $0.last < end + 61 * 86_400 })
        #expect(try anchors(.distrusted) == ["CN=Dogwood Certificates Root,O=Dogwood Certificates,C=XX"])
        for observation in recording.observations where observation.label == .genuine && observation.last >= end {
            let anchor = try #require(chain(observation).last)
            #expect(!recording.subject(of: anchor).contains("Dogwood"))
        }
    }

    @Test func impostorsComeFromLocalRootsAndFromTrustedOnes() throws {
        #expect(recording.observations.count { $0.label == .rogue } == 16)
        #expect(recording.observations.count { $0.label == .misissued } == 12)
        #expect(try anchors(.rogue).isDisjoint(with: anchors(.genuine)))
        #expect(try anchors(.misissued).isSubset(of: anchors(.genuine)))
        let genuineKeys = Set(try recording.observations.filter { $0.label == .genuine }.map { try chain($0)[0].key })
        for observation in recording.observations where [.rogue, .misissued].contains(observation.label) {
            #expect(!genuineKeys.contains(try chain(observation)[0].key))
        }
    }

    @Test func aLeakIsFollowedByAnotherKey() throws {
        let emergencies = recording.observations.indices.filter {
            recording.note(of: recording.observations[$0]).hasPrefix("emergency")
        }
        #expect(Set(emergencies.map { recording.observations[$0].endpoint }).count > 8)
        var reserves = 0
        for index in emergencies {
            let after = recording.observations[index]
            let before = recording.observations.last {
                $0.endpoint == after.endpoint && $0.last < after.first
                    && recording.note(of: $0) != recording.note(of: after)
                    && [.genuine, .distrusted].contains($0.label)
            }
            let old = try #require(before)
            #expect(try chain(old)[0].key != chain(after)[0].key)
            // A key in reserve is what it was kept for.
            let reserve = recording.nextKeys(of: old)
            guard !reserve.isEmpty else { continue }
            reserves += 1
            #expect(try reserve == [chain(after)[0].key])
        }
        #expect(reserves > 0)
    }
}
