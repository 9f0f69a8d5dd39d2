import AllowedSites
import Foundation
import LiveServers
import TestSupport
import Testing

/// The programs whose lists we read and write, asked through helpers in Python.
enum DialectPeer: String, CaseIterable {
    case chromium, firefox, squid

    var dialect: SiteDialect {
        switch self {
        case .chromium: .chromium
        case .firefox: .firefox
        case .squid: .squid
        }
    }

    private var files: [String] {
        switch self {
        case .chromium: ["/usr/bin/chromium", "/usr/lib/x86_64-linux-gnu/libgssapi_krb5.so.2"]
        case .firefox: ["/usr/bin/firefox-esr", "/usr/bin/certutil"]
        case .squid: ["/usr/sbin/squid"]
        }
    }

    static let installed = allCases.filter { peer in
        peer.files.allSatisfy(FileManager.default.fileExists(atPath:))
    }
    static let isMissing: Comment = "apt-get install chromium firefox-esr libgssapi-krb5-2 libnss3-tools squid"

    struct Failure: Error { let text: String }

    private struct Question: Encodable {
        let list: String
        let urls: [String]
    }

    /// Whether the program, with this list, answers each URL.
    func answers(_ list: String, _ urls: [String]) throws -> [Bool] {
        let script =
            try self == .squid ? ["squid_answers.py", "\(ServerPort.take())"] : ["browser_answers.py", rawValue]
        return try JSONDecoder().decode([Bool].self, from: Self.run(script, Question(list: list, urls: urls)))
    }

    /// Whether curl and Python's urllib, with this `NO_PROXY`, go past the proxy to each URL.
    static func pastProxy(_ list: String, _ urls: [String]) throws -> [String: [Bool]] {
        try JSONDecoder().decode(
            [String: [Bool]].self,
            from: run(["no_proxy_answers.py"], Question(list: list, urls: urls))
        )
    }

    private static func run(_ script: [String], _ question: Question) throws -> Data {
        let temporary = try TemporaryFolder("question")
        defer { withExtendedLifetime(temporary) {} }
        let input = temporary.url.appending(path: "input")
        try JSONEncoder().encode(question).write(to: input)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if os(Linux)
            // Foundation starts programs with signals blocked, and a program of theirs would never hear that it is to end.
            let options = ["--default-signal"]
        #else
            let options: [String] = []
        #endif
        process.arguments = options + ["python3", HelperFile.path(script[0])] + script.dropFirst()
        // Chromium leaves something in it.
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.url.path]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: input)
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: String(decoding: text, as: UTF8.self)) }
        return data
    }
}
