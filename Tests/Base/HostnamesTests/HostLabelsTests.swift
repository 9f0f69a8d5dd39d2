import Testing

@testable import Hostnames

@Suite struct HostLabelsTests {
    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("A name yields itself and its parents, longest first") func suffixes() throws {
        #expect(try Hostname(parsing: "a.b.Example.").suffixes.map(text) == ["a.b.example", "b.example", "example"])
        #expect(try Hostname(parsing: "localhost").suffixes.map(text) == ["localhost"])
    }

    @Test("Labels come from the right") func labels() throws {
        #expect(try Hostname(parsing: "a.b.example").labelsFromRight.map(text) == ["example", "b", "a"])
        #expect(try Hostname(parsing: "localhost").labelsFromRight.map(text) == ["localhost"])
    }

    @Test("Addresses have neither") func addresses() throws {
        for address in ["192.0.2.1", "[::1]"] {
            #expect(try Hostname(parsing: address).suffixes.map(text) == [])
            #expect(try Hostname(parsing: address).labelsFromRight.map(text) == [])
        }
    }
}
