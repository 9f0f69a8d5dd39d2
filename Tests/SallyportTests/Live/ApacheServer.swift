import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An Apache with mod_auth_gssapi and gss-ntlmssp on loopback, started by `Tests/Servers/apache-ntlm`.
///
/// The script ends when its standard input closes, so a test that dies takes its server along.
final class ApacheServer {
    /// What must be true of the machine; tests that need the server are skipped by this name otherwise.
    static let requirement: String? = {
        let modules = "/usr/lib/apache2/modules/mod_auth_gssapi.so"
        let mechanism = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/gssntlmssp/gssntlmssp.so" }
        let manager = FileManager.default
        if !manager.fileExists(atPath: "/usr/sbin/apache2") { return "Debian package apache2 is missing" }
        if !manager.fileExists(atPath: modules) { return "Debian package libapache2-mod-auth-gssapi is missing" }
        if !mechanism.contains(where: manager.fileExists) { return "Debian package gss-ntlmssp is missing" }
        return nil
    }()

    let port: UInt16
    private let process = Process()
    private let input = Pipe()

    init(port: UInt16) throws {
        self.port = port
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        process.executableURL = tests.appending(path: "Servers/apache-ntlm")
        process.arguments = [String(port)]
        process.standardInput = input
        // Or the child would hold the writing end of its own input open, and never see it close.
        guard fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw LoopbackConnection.Failed(what: "fcntl")
        }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The script says "ready" once the server answers, and ends by itself when it cannot start.
        let line = output.fileHandleForReading.availableData
        guard String(decoding: line, as: UTF8.self).contains("ready") else {
            throw LoopbackConnection.Failed(what: "Apache did not start: \(String(decoding: line, as: UTF8.self))")
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        // Asked, then told; the next test needs the machine, not this process's exit status.
        for attempt in 0..<100 where process.isRunning {
            if attempt == 50 { process.terminate() }
            usleep(50_000)
        }
    }
}
