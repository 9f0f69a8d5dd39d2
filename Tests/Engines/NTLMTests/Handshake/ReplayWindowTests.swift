import Testing

@testable import NTLM

@Suite struct ReplayWindowTests {
    @Test("A proof is refused until its time is over, also if the clock is set back") func time() {
        let window = ReplayWindow(seconds: 100)
        let proof = [UInt8](repeating: 7, count: 16)
        func isNew(_ seconds: Int64) -> Bool { window.insert(proof.span, now: FileTime(unixSeconds: 1_000 + seconds)) }
        #expect(isNew(0))
        for seconds in [0, 1, 100, -50] as [Int64] { #expect(!isNew(seconds), "\(seconds)") }
        #expect(isNew(101))
        #expect(!isNew(102))
    }
}
