import Testing
import WireFormat

@Suite struct CountedNounTests {
    @Test(arguments: [(0, "0 captures"), (1, "1 capture"), (2, "2 captures"), (-1, "-1 captures")])
    func aNounTakesAnS(count: Int, text: String) { #expect(count.counted("capture") == text) }

    @Test(arguments: [(UInt64(1), "1 entry"), (21, "21 entries")])
    func aNounHasAPluralOfItsOwn(count: UInt64, text: String) { #expect(count.counted("entry", "entries") == text) }
}
