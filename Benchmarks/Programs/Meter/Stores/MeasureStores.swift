internal import ArgumentParser
internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import PeerComparison
internal import Secrets

/// What a sealed file of credentials costs its readers: `swift run -c release Meter stores`.
struct MeasureStores: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "Measures a sealed file: opening it with a key file, unsealing all records, finding one by its host.",
        discussion: """
            Each host has one record. The times are medians of --rounds; a lookup is one call, with its look at the file. \
            Exit status: 1 if a median is above its goal.
            """
    )

    @Option(help: "Records of the file.")
    var records = 1_000

    @Option(help: "How often the file is opened, and how many thousand lookups are made.")
    var rounds = 51

    @Option(help: "Milliseconds for opening the file and unsealing all records.")
    var openGoal = 10.0

    @Option(help: "Microseconds for finding one record by its host.")
    var lookupGoal = 20.0

    func validate() throws {
        guard (1...CredentialLimits.records).contains(records), rounds > 0 else {
            throw ValidationError("--records: 1 to \(CredentialLimits.records); --rounds: above 0")
        }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "store-meter-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, key) = (folder.appending(path: "store").path, folder.appending(path: "key").path)
        try StoreKey.makeKeyFile(at: key)
        let origins = try (0..<records).map { try Origin(parsing: "https://host-\($0).example") }
        try fill(SealedFile.create(at: path, key: .keyFile(path: key), now: 0), origins)

        var opening: [Double] = []
        var unsealing: [Double] = []
        for _ in 0..<rounds {
            let start = Clock.monotonic()
            let file = try SealedFile.open(at: path, key: .keyFile(path: key))
            let opened = Clock.monotonic()
            let found = try file.list()
            unsealing.append(Double(Clock.monotonic() - start) / 1e6)
            opening.append(Double(opened - start) / 1e6)
            guard found.count == records else { throw ValidationError("\(found.count) records instead of \(records)") }
        }
        let lookups = try lookups(SealedFile.open(at: path, key: .keyFile(path: key)), origins)
        let size = try Data(contentsOf: URL(filePath: path)).count
        print("a file of \(records) records, \(size) bytes, one for each host")
        print("open with a key file: \(Self.text(opening)) ms")
        print("open and unseal all: \(Self.text(unsealing)) ms, at most \(openGoal) expected")
        print("one record by host: \(Self.text(lookups)) µs, at most \(lookupGoal) expected")
        if Self.median(unsealing) > openGoal || Self.median(lookups) > lookupGoal { throw ExitCode(1) }
    }

    private func fill(_ file: SealedFile, _ origins: [Origin]) throws {
        for (number, origin) in origins.enumerated() {
            let name = CredentialName(space: .origin(origin), user: "user-\(number)", domain: "ACME")
            let secret = SharedSecret(utf8: "a password of usual length \(number)")
            try file.save(StoredCredential(name: name, secret: secret, created: 0))
        }
    }

    /// The microseconds of each lookup, in an order that goes through all hosts.
    private func lookups(_ file: SealedFile, _ origins: [Origin]) throws -> [Double] {
        let queries = origins.map { CredentialQuery(origin: $0) }
        var times: [Double] = []
        for number in 0..<rounds * 1_000 {
            // 7,919 is a prime, so that neighbours in the file are not asked for one after the other.
            let query = queries[number &* 7_919 % queries.count]
            let start = Clock.monotonic()
            let found = try file.credentials(for: query, at: 1)
            times.append(Double(Clock.monotonic() - start) / 1e3)
            guard found.count == 1 else { throw ValidationError("\(found.count) records for one host") }
        }
        return times
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    private static func text(_ times: [Double]) -> String {
        let sorted = times.sorted()
        func figure(_ time: Double) -> String { String(format: "%.2f", time) }
        return "\(figure(sorted[sorted.count / 2])) (p99 \(figure(sorted[sorted.count * 99 / 100])))"
    }
}
