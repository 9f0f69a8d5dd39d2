import NTLM
import Testing
import WireFormat

@Suite struct ChannelBindingsTests {
    /// MD5 over the structure that `GssChannelBindings.pack()` of pyspnego 0.12.4 makes of `tls-exporter:` and the
    /// bytes 0 to 31; `GssChannelBindingsStruct` of ntlm-auth 1.5.0 makes the same.
    @Test("tls-exporter, as other implementations compute it (RFC 9266)") func exporter() throws {
        let material = [UInt8](0..<32)
        let bindings = try ChannelBindings(tlsExporter: material.span)
        #expect(Hexadecimal.encode(bindings.digest.span) == "232de8d17ccb639000833d0e7def6811")
        let data = Array("tls-exporter:".utf8) + material
        #expect(bindings == ChannelBindings(applicationData: data.span))
    }

    @Test("Keying material of another length", arguments: [0, 31, 33, 48]) func length(count: Int) {
        let material = [UInt8](repeating: 1, count: count)
        #expect(throws: NTLMKeyError.wrongLength(expected: 32, found: count)) {
            try ChannelBindings(tlsExporter: material.span)
        }
    }
}
