import Foundation
import LiveServers
import Testing

/// Where an installed program finds its recordings.
@Suite(.inTurn) struct InstalledRecordingTests {
    @Test("A program in bin reads the recordings of share/sallyport in the same prefix")
    func prefix() throws {
        let folder = try StoreFolder()
        let prefix = URL(filePath: folder.path("prefix"))
        let recording = prefix.appending(path: "share/sallyport/recordings/public-sites")
        for made in [prefix.appending(path: "bin"), recording] {
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        }
        let program = prefix.appending(path: "bin/sallyport")
        try ExecutableFile.copy(SallyportRun.executable, to: program.path)
        // The source tree of this build has a sound recording of this name, so the error shows which one is read.
        try Data("{\n".utf8).write(to: recording.appending(path: "observations.ndjson"))
        let run = try SallyportRun(["study", "run", "public-sites"], program: program)
        #expect(run.status == 2 && run.error.contains(recording.path), "\(run.error)")
    }
}
