import Foundation
import ProfileFiles
import Sallyport

/// The snippet of ProfileFiles.md.
enum ProfileFilesSnippet {
    static func handler(_ path: String, now: Int64) throws -> ChallengeHandler {
        let compiled = try ProfileReader.compile(URL(filePath: path), at: now) { print($0) }  // warnings
        let handler = ChallengeHandler(compiled)
        return handler
    }
}
