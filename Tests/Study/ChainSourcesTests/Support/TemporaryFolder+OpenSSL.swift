import Foundation
import TestSupport

extension TemporaryFolder {
    /// Runs `openssl` in the folder, and returns its exit status.
    func openssl(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: NginxServer.openssl)
        process.currentDirectoryURL = url
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
