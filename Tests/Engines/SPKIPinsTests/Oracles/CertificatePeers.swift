import Foundation
import TestSupport
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

        /// What the `openssl` command prints.
        struct Printed: Decodable {
            let pin: String
            /// Attribute types are numbers.
            let subject: String
            let issuer: String
            /// The contents of the INTEGER, in hexadecimal digits.
            let serial: String
            let notBefore: Int64
            let notAfter: Int64
            let isCa: Bool
            let keyType: String
            let keyBits: Int?
        }

        /// The pin that OpenSSL finds, or `nil` where it refuses the certificate.
        let openssl: String?
        let cryptography: Details?
        /// Where it was asked for, and reads the certificate.
        let command: Printed?
    }

    /// The programs of this name, in the order of `PATH`.
    private static func programs(_ name: String) -> [String] {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .filter { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static let command = programs("openssl").first

    private static let python: String? = {
        for path in programs("python3") {
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

    /// Whether the `openssl` command is, too.
    static var printHere: Bool { areHere && command != nil }

    /// - Parameter isPrinted: whether the `openssl` command is asked as well; some 30 ms a certificate.
    static func answers(for certificates: [[UInt8]], isPrinted: Bool = false) throws -> [Answer] {
        // Through files: a pipe that is written and read by one thread can stop both sides.
        let folder = TemporaryFolder.place("peers")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var input: [UInt8] = []
        for certificate in certificates {
            input.append(littleEndian: UInt32(certificate.count))
            input += certificate
        }
        try Data(input).write(to: folder.appending(path: "in"))
        try Data().write(to: folder.appending(path: "out"))
        let script = HelperFile.url("certificate_peers.py")
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = [script.path] + (isPrinted ? [try #require(command)] : [])
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
