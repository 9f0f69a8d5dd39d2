import Testing

@Suite struct PinsConvertCommandTests {
    private static let policy = PinsRun.policy(
        "**.host.example",
        pin: PinsRun.leaf,
        backup: PinsRun.issuer,
        expires: "2099-01-01"
    )

    @Test func whatIsLostIsSaidAloud() throws {
        let arguments = ["convert", "--from", "json", "--to", "okhttp", "@policy"]
        let run = try PinsRun(arguments, files: ["policy": Self.policy])
        #expect(run.status == 0)
        #expect(
            run.output == """
                .add("**.host.example", "sha256/\(PinsRun.leaf)")
                .add("**.host.example", "sha256/\(PinsRun.issuer)")

                """
        )
        #expect(
            run.error.split(separator: "\n").sorted() == [
                "lost: **.host.example: the expiry is not kept",
                "lost: **.host.example: which pins are backups is not kept",
            ]
        )
        #expect(try PinsRun(arguments + ["--strict"], files: ["policy": Self.policy]).status == 1)
    }

    @Test func ourOwnFormLosesNothing() throws {
        let arguments = ["convert", "--from", "json", "--to", "json", "--strict"]
        let once = try PinsRun(arguments, input: Self.policy)
        #expect(once.status == 0 && once.error.isEmpty)
        #expect(try PinsRun(arguments, input: once.output).output == once.output)
    }

    @Test("Forms without a host need one")
    func host() throws {
        let pins = "sha256//\(PinsRun.leaf);sha256//\(PinsRun.issuer)"
        let without = try PinsRun(["convert", "--from", "curl", "--to", "okhttp"], input: pins)
        #expect(without.status == 2 && without.error.contains("say which one it is for"))
        let with = try PinsRun(["convert", "--from", "curl", "--to", "okhttp", "--host", "host.example"], input: pins)
        #expect(with.status == 0 && with.output.contains(".add(\"host.example\", \"sha256/\(PinsRun.leaf)\")"))
    }

    @Test func usageAndUnusablePolicies() throws {
        #expect(try PinsRun(["convert", "--from", "json"], input: Self.policy).status == 2)
        #expect(try PinsRun(["convert", "--from", "json", "--to", "xml"], input: Self.policy).status == 2)
        let broken = try PinsRun(["convert", "--from", "json", "--to", "okhttp", "@policy"], files: ["policy": "{"])
        #expect(broken.status == 2 && broken.error.hasPrefix("sallyport pins convert: policy: "))
        let single = PinsRun.policy("*.co.uk", pin: PinsRun.leaf, backup: PinsRun.issuer)
        let refused = try PinsRun(["convert", "--from", "json", "--image", "@image"], input: single)
        #expect(refused.status == 2 && refused.error.contains("public suffix"))
    }
}
