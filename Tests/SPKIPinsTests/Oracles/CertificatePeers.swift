import Foundation
import Testing
import WireFormat

/// OpenSSL and Python's cryptography, asked by `certificate_peers.py`.
struct CertificatePeers {
    struct Answer: Decodable {
        struct Details: Decodable {
            let subject: String
            let issuer: String
            let notBefore: Int64
            let notAfter: Int64
            let isCa: Bool
            let keyType: String?
            let keyBits: Int?
        }

        /// The pin that OpenSSL finds, or `nil` where it refuses the certificate.
        let openssl: String?
        let cryptography: Details?
    }

    private static let python: String? = {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(folder)/python3"
            guard FileManager.default.isExecutableFile(atPath: path) else { continue }
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = ["-c", "import cryptography, ctypes.util; assert ctypes.util.find_library('crypto')"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { continue }
            process.waitUntilExit()
            if process.terminationStatus == 0 { return path }
        }
        return nil
    }()

    static var areHere: Bool { python != nil }

    static func answers(for certificates: [[UInt8]]) throws -> [Answer] {
        // Through files: a pipe that is written and read by one thread can stop both sides.
        let folder = FileManager.default.temporaryDirectory.appending(path: "peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var input: [UInt8] = []
        for certificate in certificates {
            input.append(littleEndian: UInt32(certificate.count))
            input += certificate
        }
        try Data(input).write(to: folder.appending(path: "in"))
        try Data().write(to: folder.appending(path: "out"))
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "certificate_peers.py")
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = [script.path]
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "in"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "out"))
        try process.run()
        process.waitUntilExit()
        let lines = try Data(contentsOf: folder.appending(path: "out")).split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try lines.map { try decoder.decode(Answer.self, from: Data($0)) }
    }
}
