import Foundation
import TestSupport

/// What Python's netrc module and curl read in netrc files.
enum NetrcOracle {
    static let isUsable = (try? SourceSamples.output(["python3", "-c", "import netrc"])) != nil

    struct Answers: Decodable {
        let python: Answer
        let curl: Answer
    }

    /// User and password, nothing, or a word for a failure.
    enum Answer: Decodable, Equatable {
        case found([String])
        case nothing
        case failure(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .nothing
            } else if let word = try? container.decode(String.self) {
                self = .failure(word)
            } else {
                self = .found(try container.decode([String].self))
            }
        }
    }

    static func answers(_ questions: [(file: String, host: String)]) throws -> [Answers] {
        let input = try questions.map { question in
            String(decoding: try JSONEncoder().encode(["file": question.file, "host": question.host]), as: UTF8.self)
        }
        let script = HelperFile.path("netrc_answers.py")
        let output = try SourceSamples.output(["python3", script], input: input.joined(separator: "\n") + "\n")
        return try output.split(separator: "\n").map { try JSONDecoder().decode(Answers.self, from: Data($0.utf8)) }
    }
}
