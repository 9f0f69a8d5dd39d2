import LiveServers
import SystemKerberos
import Testing

@Suite struct KerberosLibraryTests {
    @Test("A missing library is named, with what to install")
    func missing() {
        let error = #expect(throws: KerberosLibraryError.self) {
            try KerberosLibrary.load(["/nowhere/a.so", "/nowhere/b.so"])
        }
        guard case .missing(let paths, let reason) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(paths == ["/nowhere/a.so", "/nowhere/b.so"])
        #expect(reason.contains("/nowhere/b.so"))
        let text = String(describing: KerberosLibraryError.missing(paths: paths, reason: "no\nfile"))
        #expect(text.contains("libgssapi-krb5-2") && text.contains(#"no\nfile"#) && !text.contains("\n"))
        #expect(throws: KerberosLibraryError.missing(paths: [], reason: "no path is given")) {
            try KerberosLibrary.load([])
        }
    }

    #if os(Linux)
        @Test("A library that is not GSS-API is named, with the function that it lacks")
        func another() {
            #expect(throws: KerberosLibraryError.incomplete(path: "libm.so.6", function: "gss_import_name")) {
                try KerberosLibrary.load(["libm.so.6"])
            }
        }
    #endif

    @Test("The usual libraries are tried in turn", .needs(.kerberos))
    func found() throws {
        let library = try KerberosLibrary.load(["/nowhere/a.so"] + KerberosLibrary.usualPaths)
        #expect(library.path == KerberosLibrary.usualPaths[0])
        #expect(library.takesNamedStores && library.takesPasswords && library.knowsRealmsOfHosts)
    }
}
