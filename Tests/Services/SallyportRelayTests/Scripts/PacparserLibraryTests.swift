import Testing

@testable import SallyportRelay

@Suite struct PacparserLibraryTests {
    @Test(
        "A library that is not there, or is another one, is named with what to install",
        arguments: ["/nowhere/libpacparser.so.1", "/dev/null"]
    )
    func missing(path: String) throws {
        let error = try #require(throws: ProxyScriptError.self) { try PacparserLibrary([path]) }
        guard case .missingLibrary(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains(path) && "\(error)".contains("install libpacparser1"))
    }

    @Test("The relay passes the error of its process on")
    func passedOn() {
        #expect(throws: ProxyScriptError.missingLibrary(reason: "x")) { try ScriptCall.answer(Array("mx".utf8)) }
        #expect(throws: ProxyScriptError.unreadable) { try ScriptCall.answer(Array("u".utf8)) }
        #expect(throws: ProxyScriptError.noProcess(reason: "it said nothing")) { try ScriptCall.answer([]) }
    }
}
