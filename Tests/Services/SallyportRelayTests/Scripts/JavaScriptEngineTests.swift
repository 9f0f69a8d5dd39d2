import TestLimits
import Testing

@testable import SallyportRelay

@Suite(.inTurn) struct JavaScriptEngineTests {
    @Test(
        "A library that is not there, or is another one, is named with what to install",
        arguments: ["/nowhere/libjavascriptcoregtk-4.1.so.0", "/dev/null"]
    )
    func missing(path: String) throws {
        let error = try #require(throws: ProxyScriptError.self) {
            try JavaScriptEngine.answer(of: "", url: "http://a.example/", host: "a.example", by: [path])
        }
        guard case .missingLibrary(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains(path) && "\(error)".contains("install libjavascriptcoregtk-4.1-0"))
    }

    @Test("The relay passes the error of its process on")
    func passedOn() {
        #expect(throws: ProxyScriptError.missingLibrary(reason: "x")) { try ScriptCall.answer(Array("mx".utf8)) }
        #expect(throws: ProxyScriptError.unreadable(reason: "y")) { try ScriptCall.answer(Array("uy".utf8)) }
        #expect(throws: ProxyScriptError.failed(reason: "z")) { try ScriptCall.answer(Array("fz".utf8)) }
        #expect(throws: ProxyScriptError.noProcess(reason: "it said nothing")) { try ScriptCall.answer([]) }
    }
}
