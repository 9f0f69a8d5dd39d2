#if canImport(Glibc)
    import TestSupport
    import AllowedSites
    import Crypto
    import Foundation
    import Glibc
    import HTTPAuthentication
    import Hostnames
    import InsecureDigests
    import LiveServers
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NTLM
    import Sallyport
    import SallyportClient
    import Secrets
    import Testing
    import WireFormat

    @testable import CredentialStores

    /// What a process still has in its memory after a sign-out. The password is random, and comes from a sealed file.
    @Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP)) struct SignedOutMemoryTests {
        @Test(
            "Secrets are in memory before a sign-out, and after it at most in text that was freed",
            arguments: GuardedServer.Kind.apache
        )
        func scan(kind: GuardedServer.Kind) async throws {
            let server = try await GuardedServer.started(kind)
            let password = "Pw" + UUID().uuidString.replacing("-", with: "")
            try server.change(to: password)
            let origin = try server.address()
            let folder = TemporaryFolder.place("memory")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (path, keyPath) = (folder.appending(path: "store").path, folder.appending(path: "key").path)
            try StoreKey.makeKeyFile(at: keyPath)
            let key = StoreKey.keyFile(path: keyPath)
            let store = try await SealedFileStore.create(at: path, key: key, now: 0)
            let domain = kind.scheme == .ntlm ? ServerScript.domain : nil
            let name = CredentialName(space: .origin(origin), user: "jdoe", domain: domain)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 0))

            let needles = try Self.needles(password) + Self.keys(path, keyPath)
            let session = Session(
                site: "\(origin)",
                page: server.page(1),
                scheme: kind.rawValue,
                store: path,
                keyFile: keyPath
            )
            await #expect(processExitsWith: .success) {
                [session = session as Session, needles = needles as [ProcessMemory.Needle]] in
                // What a process of its own throws is not shown; what it records is.
                do { try await session.check(needles) } catch { Issue.record(error) }
            }
            #expect(try server.takeBadLogOns() == 0)
        }

        @Test(
            "With an allocator that overwrites what is freed, no secret is in memory after a sign-out",
            .enabled(if: !Session.freeIsOverwritten, "the test above has such an allocator")
        )
        func overwritten() throws {
            // glibc reads the setting when a process starts. Swift Testing writes to standard error.
            let program = try #require(CommandLine.arguments.first)
            let again = ["--testing-library", "swift-testing", "--filter", "SignedOutMemoryTests/scan"]
            let tests = try HelperProcess(
                ["/bin/sh", "-c", #"exec "$0" "$@" 2>&1"#, program] + again,
                environment: ["GLIBC_TUNABLES": "glibc.malloc.perturb=85:\(Session.withoutCaches)"]
            )
            var lines: [String] = []
            while let line = try? tests.readLine() { lines.append(line) }
            let passed = "with \(GuardedServer.Kind.apache.count) test cases passed"
            #expect(lines.contains { $0.contains(passed) }, "\(lines.joined(separator: "\n"))")
        }

        /// The forms of a password of `jdoe` that prove as much as the password.
        private static func needles(_ password: String) throws -> [ProcessMemory.Needle] {
            let pair = Data("jdoe:\(password)".utf8).base64EncodedString()
            let digest = Insecure.MD5.hash(data: Data("jdoe:Acme:\(password)".utf8))
            let hash = try NTHash(password: password)
            let key = NTOWFv2.bytes(hash: hash, user: "jdoe", domain: ServerScript.domain)
            return [
                ProcessMemory.Needle("password", Array(password.utf8)),
                ProcessMemory.Needle("UTF-16", password.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
                // Without the first and the last groups, which neighbours change.
                ProcessMemory.Needle("Basic", Array(pair.utf8.dropFirst(8).dropLast(4))),
                ProcessMemory.Needle("H(A1)", digest.flatMap { Array(String(format: "%02x", $0).utf8) }),
                ProcessMemory.Needle("H(A1) in binary", Array(digest)),
                ProcessMemory.Needle("NT hash", hash.withBytes { [UInt8](copying: $0) }),
                ProcessMemory.Needle("NTLM key", key.withBytes { [UInt8](copying: $0) }),
            ]
        }

        /// The keys of a store.
        private static func keys(_ path: String, _ keyFile: String) throws -> [ProcessMemory.Needle] {
            let image = try SealedImage(parsing: [UInt8](try Data(contentsOf: URL(filePath: path))))
            let key = try image.unlock(with: StoreKey.keyFile(path: keyFile).material()).keys.dataKey
            return [
                ProcessMemory.Needle("data key", key.withBytes { [UInt8](copying: $0) }),
                ProcessMemory.Needle("key file", [UInt8](try Data(contentsOf: URL(filePath: keyFile)))),
            ]
        }
    }

    /// A log-on in a process of its own.
    private struct Session: Codable {
        let site: String
        let page: String
        let scheme: String
        let store: String
        let keyFile: String

        /// The setting of glibc that frees memory at once, where `glibc.malloc.perturb` overwrites it.
        static let withoutCaches = "glibc.malloc.tcache_count=0"
        /// Whether the allocator of this process overwrites what is freed.
        static let freeIsOverwritten =
            ProcessInfo.processInfo.environment["GLIBC_TUNABLES"]?.contains(withoutCaches) ?? false

        /// What is in use while the user is signed in.
        private var inUse: Set<String> {
            switch scheme {
            case "apacheBasic": ["password", "Basic", "data key"]
            case "apacheDigest": ["password", "H(A1)", "data key"]
            // The NT hash is used once, and the key that is made of it is kept in the state of a digest.
            default: ["password", "data key"]
            }
        }

        /// What memory that is free again may still hold: the field of Basic, in strings and buffers that are not ours to erase, and
        /// the password and the NT hash, which were found once in many runs. The allocator of glibc overwrites free memory if it is told
        /// to, and then nothing is left.
        private var leftovers: Set<String> {
            guard !Self.freeIsOverwritten else { return [] }
            return switch scheme {
            case "apacheBasic": ["Basic", "password"]
            case "apacheNTLM": ["NT hash"]
            default: []
            }
        }

        func check(_ needles: [ProcessMemory.Needle]) async throws {
            #expect(try ProcessMemory.places(of: needles).isEmpty, "before the log-on")
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            try await logOn(needles, group)
            try await group.shutdownGracefully()
            let after = try ProcessMemory.places(of: needles).filter { !leftovers.contains($0.name) }
            #expect(after.isEmpty, "after the end of client and store: \(after)")
        }

        /// Logs on and signs out.
        private func logOn(_ needles: [ProcessMemory.Needle], _ group: MultiThreadedEventLoopGroup) async throws {
            let origin = try Origin(parsing: site)
            let schemes: [AuthenticationScheme] = scheme == "apacheBasic" ? [.basic] : [.digest, .ntlm]
            let profile = SecurityProfile(sites: try SiteList(parsing: site, name: "test"), schemes: schemes)
            let authenticator = try Authenticator(
                CurrentHandler(try ChallengeHandler(profile: profile, at: 0)),
                store: try await SealedFileStore.open(at: store, key: .keyFile(path: keyFile)),
                options: AuthenticatorOptions(allowsCleartext: true)
            )
            let client = AuthenticatedClient(authenticator, settings: .patient, group: group)
            defer { client.shutDown() }
            for _ in 0..<3 {
                let response = try await client.execute(ClientRequest(origin: origin, target: page))
                #expect(response.status.code == 200)
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            let during = try ProcessMemory.places(of: needles)
            #expect(Set(during.map(\.name)).isSuperset(of: inUse), "while the user is signed in: \(during)")
            let report = await authenticator.signOut()
            #expect(report.storedCredentials == 1 && report.failures.isEmpty)
            // The store stays open, and has its keys. Connections take a moment to close.
            let allowed = leftovers.union(["data key"])
            var after = during
            try await eventually("nothing is left after the sign-out: \(after)") {
                after = try ProcessMemory.places(of: needles).filter { !allowed.contains($0.name) }
                return after.isEmpty
            }
        }
    }
#endif
