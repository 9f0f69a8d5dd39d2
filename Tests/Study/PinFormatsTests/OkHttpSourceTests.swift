import PinFormats
import SPKIPins
import Testing

/// Source text of Kotlin and Java as OkHttp's own documentation of `CertificatePinner` shows it.
@Suite struct OkHttpSourceTests {
    private func read(_ text: String) throws -> PinDocument { try PinFormat.okhttp.read(Array(text.utf8)) }

    private static let samples = [
        // Kotlin: one call a line, in one line, over several lines with a comma at the end, in a text of three quotes.
        """
        import okhttp3.CertificatePinner
        class Client {
          private val names = mutableListOf<String>().also { it.add(OTHER) }
          val certificatePinner = CertificatePinner.Builder()
              .add("**.host.example", "sha256/\(one)")
              .add("**.host.example", "sha256/\(two)") // the backup
              .build()
          val client = OkHttpClient.Builder().certificatePinner(certificatePinner).build()
          fun more(list: MutableList<String>) { list.add("text"); list.add(OTHER) }
        }
        """,
        "val p = CertificatePinner.Builder().add(\"**.host.example\", \"sha256/\(one)\", \"sha256/\(two)\").build()",
        """
        CertificatePinner.Builder().apply {
            /* .add("other.example", "sha256/\(one)") */
            add(
                "**.Host.Example",
                "sha256/\(one)", // first
                \"\"\"sha256/\(two)\"\"\",
            )
        }.build()
        """,
        // Java: a chain, and calls of a variable.
        """
        CertificatePinner certificatePinner = new CertificatePinner.Builder()
            .add("**.host.example",
                 "sha256/\(one)",
                 "sha256/\(two)")
            .build();
        """,
        """
        CertificatePinner.Builder builder = new CertificatePinner.Builder();\r
        builder.add("**.host.example", "sha256/\(one)");\r
        builder.add("**.host.example", "sha256/\(two)");\r
        return builder.build();
        """,
        // Calls alone, in one line and in two.
        ".add(\"**.host.example\", \"sha256/\(one)\").add(\"**.host.example\", \"sha256/\(two)\")",
        "# pins\n.add('**.host.example',\n 'sha256/\(one)', 'sha256/\(two)');\n",
    ]

    @Test("A chain of calls has the pins of all its calls", arguments: samples.indices)
    func chains(index: Int) throws {
        let document = try read(Self.samples[index])
        #expect(document.entries.map(\.host) == ["**.host.example"])
        #expect(document.entries.first?.pins.map(\.pin) == [try Pin(parsing: one), try Pin(parsing: two)])
        #expect(document.losses.isEmpty)
    }

    @Test(
        "What has no literal text is an error with its line, so that no pin is lost",
        arguments: [
            ("CertificatePinner.Builder()\n  .add(HOST, \"sha256/\(one)\")", 2, "not a literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\", PIN)", 2, "not a literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\",\n \"sha256/\" + PIN)", 3, "not one literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\", *pins)", 2, "not a literal text"),
            ("CertificatePinner.Builder()\n  .add()", 2, "not a literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\")", 2, "expected a host and its pins"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\", \"sha256/\(one)\"", 2, "literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example, \"", 2, "literal text"),
            ("CertificatePinner.Builder()\n  .add(\"a.example\", \"sha256/${PIN}\")", 2, "the base64 of the pin"),
            (
                "CertificatePinner.Builder()\n  .add(pattern = \"a.example\", \"sha256/\(one)\")", 2,
                "not a literal text"
            ),
            ("CertificatePinner.Builder()\n  /* .add(", 2, "a comment is not closed"),
            (".add(\"a.example\", \"sha256/\(one)\")\nb.example sha256/\(two)", 2, "alone"),
        ]
    )
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: PinFormatError.self) { try read(text) }
        #expect(error?.description.hasPrefix("line \(line): ") == true, "\(error as Any)")
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }

    @Test("Calls of other objects have no pins")
    func otherCalls() {
        let problem = "the file has no pins"
        for text in ["import okhttp3.CertificatePinner\nlist.add(1)\n", "CertificatePinner.Builder().build().add(x)"] {
            #expect(throws: PinFormatError.malformed(place: "", problem: problem)) { try read(text) }
        }
    }

    @Test("Base64 with two slashes is no comment in lines and in calls")
    func slashes() throws {
        let pin = "//" + String(repeating: "A", count: 40) + "A="
        for text in [
            "host.example sha256/\(pin) sha256/\(one)", "host.example \"sha256/\(pin)\", \"sha256/\(one)\"",
            "CertificatePinner.Builder().add(\"host.example\", \"sha256/\(pin)\", \"sha256/\(one)\").build()",
        ] {
            #expect(try read(text).entries.map(\.pins.count) == [2], "\(text)")
        }
    }
}
