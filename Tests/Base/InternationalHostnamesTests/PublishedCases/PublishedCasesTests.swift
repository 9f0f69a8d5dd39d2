import Hostnames
import InternationalHostnames
import Testing

@Suite struct PublishedCasesTests {
    @Test(
        "WHATWG URL: hosts of http and https URLs",
        .enabled(if: PublishedCases.has("urltestdata.json"), PublishedCases.areMissing)
    )
    func urls() throws {
        let cases = try PublishedCases.urls()
        #expect(cases.count > 300)
        let result = try IntendedDifferences(file: "urltestdata.json").check(cases) { input in
            (try? URLLocation(parsing: input, hosts: .international))?.origin.host.description
        }
        print("urltestdata.json: \(result.same) as published, \(result.different) intended differences")
    }

    @Test(
        "WHATWG URL: domain to ASCII",
        .enabled(if: PublishedCases.has("toascii.json"), PublishedCases.areMissing)
    )
    func domains() throws {
        let cases = try PublishedCases.domains()
        #expect(cases.count > 30)
        let result = try IntendedDifferences(file: "toascii.json").check(cases) { input in
            (try? Hostname(international: input))?.description
        }
        print("toascii.json: \(result.same) as published, \(result.different) intended differences")
    }

    @Test("UTS #46: names", .enabled(if: PublishedCases.has("IdnaTestV2.txt"), PublishedCases.areMissing))
    func names() throws {
        let cases = try PublishedCases.names()
        #expect(cases.count > 5000)
        let result = try IntendedDifferences(file: "IdnaTestV2.txt").check(cases) { input in
            (try? Hostname(international: input))?.description
        }
        print("IdnaTestV2.txt: \(result.same) as published, \(result.different) intended differences")
    }
}
