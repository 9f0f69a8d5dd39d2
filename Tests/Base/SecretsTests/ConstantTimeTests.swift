import Secrets
import Testing

@Suite struct ConstantTimeTests {
    @Test(
        "Equal only when every byte is",
        arguments: [
            ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false), ([1, 2, 3], [0, 2, 3], false),
            ([1, 2, 3], [1, 2], false), ([1, 2], [1, 2, 3], false), ([], [1], false), ([], [], true),
        ] as [([UInt8], [UInt8], Bool)]
    )
    func equalAndUnequal(left: [UInt8], right: [UInt8], equal: Bool) {
        let answer = constantTimeEqual(left.span, right.span)
        #expect(answer == equal)
    }
}
