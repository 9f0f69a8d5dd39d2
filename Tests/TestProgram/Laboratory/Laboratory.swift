internal import Corpora
internal import Foundation

/// Makes the recording `lab`.
enum Laboratory {
    static func run(_ arguments: [String]) {
        let numbers = arguments.dropFirst().map { UInt64($0) }
        let hosts = numbers.dropFirst().first ?? 200
        guard arguments.count <= 3, let seed = numbers.first ?? 5, let hosts, (20...100_000).contains(hosts) else {
            end("usage: TestProgram laboratory [OUT [SEED [HOSTS]]], with 20 to 100000 hosts")
        }
        let folder = URL(filePath: arguments.first ?? "Data/Recordings/lab")
        do {
            try record(Landscape(seed: seed, hosts: Int(hosts)), in: folder)
        } catch {
            end("\(error)")
        }
    }

    private static func end(_ text: String) -> Never {
        FileHandle.standardError.write(Data("laboratory: \(text)\n".utf8))
        exit(2)
    }

    /// Writes the recording of a landscape; what an older one left in the folder goes, but for its ORIGIN.md.
    static func record(_ landscape: Landscape, in folder: URL) throws {
        for name in ["observations.ndjson", "certificates.ndjson", "certificates.pem", "recording.json"] {
            let file = folder.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        }
        let birch = try Organisation("Birch Trust", landscape)
        let organisations = [
            birch,
            try Organisation("Cedar Authority", landscape),
            try Organisation("Dogwood Certificates", landscape, distrustDay: Landscape.distrustDay),
            try Organisation("Elder Sign", landscape, elder: birch),
        ]
        var numbers = landscape.numbers("leaks")
        var leakDays: [Int: Int] = [:]
        while leakDays.count < Landscape.leaks {
            leakDays[numbers.pick(0..<landscape.hosts)] = numbers.pick(60..<Landscape.days - 60)
        }
        var lives = try (0..<landscape.hosts).map { index in
            try HostLife(index, landscape, organisations, leakDay: leakDays[index])
        }
        var writer = try ChainRecordingWriter(folder: folder)
        // Impostors first: their chains bring the bytes of every authority that they misuse.
        let impostors = try Impostors.rogues(landscape) + Impostors.misissued(landscape, organisations, lives)
        for entry in impostors { try writer.add(entry) }
        for index in lives.indices {
            for entry in lives[index].observations() {
                try writer.add(entry, keepingBytes: index < Landscape.hostsWithBytes)
            }
        }
        try writer.commit()
        let description = """
            {
             "name": "lab",
             "origin": "a simulation with certificates made for it; seed \(landscape.seed), \(landscape.hosts) hosts",
             "time": "first and last of one capture a day; simulated"
            }

            """
        try Data(description.utf8).write(to: folder.appending(path: "recording.json"))
    }
}
