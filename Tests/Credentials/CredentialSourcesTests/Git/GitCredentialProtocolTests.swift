import CredentialSources
import Foundation
import Secrets
import TestLimits
import Testing

@Suite(.inTurn) struct GitCredentialProtocolTests {
    private func error(_ problem: GitCredentialError.Problem) -> GitCredentialError {
        GitCredentialError(place: GitCredentialError.request, problem: problem)
    }

    @Test("A request ends with an empty line or the end of the input") func reads() async throws {
        for (text, closes) in [("protocol=https\nhost=a\n\n", false), ("protocol=https\nhost=a", true)] {
            let pipe = Foundation.Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            if closes { try pipe.fileHandleForWriting.close() }
            let found = try await GitCredentialProtocol.readRequest(from: pipe.fileHandleForReading.fileDescriptor)
            #expect(found.scheme == "https" && found.host == "a")
        }
    }

    @Test("A reader waits no longer than its limit, and not when it is cancelled") func waits() async throws {
        let pipe = Foundation.Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        try pipe.fileHandleForWriting.write(contentsOf: Data("protocol=https\n".utf8))
        await #expect(throws: error(.timedOut)) {
            try await GitCredentialProtocol.readRequest(from: descriptor, timeLimit: .milliseconds(50))
        }
        let task = Task { try await GitCredentialProtocol.readRequest(from: descriptor, timeLimit: .seconds(600)) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A reply reaches its reader; one that is gone is an error, and ends nothing") func writes() async throws {
        var message = GitCredentialMessage(scheme: "https", host: "a", user: "jdoe")
        message.password = SharedSecret(utf8: "p")
        let pipe = Foundation.Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        try await GitCredentialProtocol.write(message, to: descriptor)
        let found = try await GitCredentialProtocol.readRequest(from: pipe.fileHandleForReading.fileDescriptor)
        #expect(found.user == "jdoe" && found.password?.text == "p")
        try pipe.fileHandleForReading.close()
        // A child of another test may hold the reader for a moment.
        await #expect(throws: error(.system(operation: "write the reply", code: EPIPE))) {
            try await eventually("the reader is gone") {
                try await GitCredentialProtocol.write(message, to: descriptor)
                // A pipe that is full would block.
                try await Task.sleep(for: .milliseconds(200))
                return false
            }
        }
    }
}
