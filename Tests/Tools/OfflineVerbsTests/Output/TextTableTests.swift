import Testing

@testable import OfflineVerbs

@Suite struct TextTableTests {
    @Test func columnsLineUp() {
        var table = TextTable(header: ["kind", "n"])
        table.append(["basic", "170"])
        table.append(["é", "."])
        #expect(table.lines == ["kind     n", "basic  170", "é        ."])
    }
}
