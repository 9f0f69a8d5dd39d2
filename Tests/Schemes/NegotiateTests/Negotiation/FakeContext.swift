import Negotiate

/// A context whose messages and codes are easy to foretell: no cryptography.
///
/// Tests call it from one task.
final class FakeContext: SystemContext, @unchecked Sendable {
    struct Refused: Error {}

    /// What the server's messages must be, and what this side answers; `nil` for no answer.
    private var script: [(expected: [UInt8], answer: [UInt8]?)]
    let isMutual: Bool

    init(_ script: [(expected: [UInt8], answer: [UInt8]?)] = [([0xAB], nil)], isMutual: Bool = true) {
        self.script = script
        self.isMutual = isMutual
    }

    var isComplete: Bool { script.isEmpty }

    func step(_ message: [UInt8]) throws -> [UInt8]? {
        guard let next = script.first, next.expected == message else { throw Refused() }
        script.removeFirst()
        return next.answer
    }

    /// The client's code: its letter and a sum of the bytes.
    static func code(_ letter: String, over bytes: [UInt8]) -> [UInt8] {
        Array(letter.utf8) + [bytes.reduce(0) { $0 &* 31 &+ $1 }]
    }

    func integrityCode(over bytes: [UInt8]) throws -> [UInt8] { Self.code("client", over: bytes) }

    func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws {
        guard integrityCode == Self.code("server", over: bytes) else { throw Refused() }
    }
}
