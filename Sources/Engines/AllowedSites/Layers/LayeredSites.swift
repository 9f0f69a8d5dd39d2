public import Hostnames

/// Several lists in layers, such as those of an organisation, a team and a user.
///
/// The first layer grants. A later layer removes what it denies, and grants only if it was made with `mayWiden`. A
/// layer without a rule for a host does not take part in the verdict about it. For example:
///
/// ```text
/// organisation   *.host.example
/// team           !hr.host.example
///                wiki.host.example/public
/// user           other.example
/// ```
///
/// The team denies `hr.host.example` and allows the wiki only below `/public`. `other.example` stays denied, because
/// the user's list may only narrow. Inside a layer the most specific host decides, as in ``SiteTrie``.
public struct LayeredSites: Sendable {
    /// The layers; the first one grants.
    public let layers: [Layer]

    /// One layer.
    public struct Layer: Sendable {
        /// The name of the layer.
        public let name: String
        /// Its rules.
        public let sites: SiteTrie
        /// Whether the layer may allow what the earlier layers do not.
        public let mayWiden: Bool

        /// Makes a layer.
        ///
        /// - Parameters:
        ///   - name: the name of the layer in verdicts.
        ///   - sites: its rules.
        ///   - mayWiden: whether it may allow what earlier layers do not; ignored for the first layer.
        public init(name: String, sites: SiteTrie, mayWiden: Bool = false) {
            self.name = name
            self.sites = sites
            self.mayWiden = mayWiden
        }
    }

    /// The largest number of layers.
    public static let maximumCount = 16

    /// Combines layers, or returns `nil` if there are more than ``maximumCount``.
    ///
    /// Without layers, everything is denied.
    public init?(_ layers: [Layer]) {
        guard layers.count <= Self.maximumCount else { return nil }
        self.layers = layers
    }
}

/// The verdict of ``LayeredSites`` and the layer that decided.
public struct LayeredVerdict: Equatable, Sendable {
    /// The verdict; the line of its rule belongs to the list of ``layer``.
    public let answer: SiteVerdict
    /// The layer that decided, or `nil` if no layer has a rule for the host.
    public let layer: Int?
    /// The first layer that allows the denied request but may only narrow.
    public let unheard: Unheard?

    package init(answer: SiteVerdict, layer: Int?, unheard: Unheard?) {
        self.answer = answer
        self.layer = layer
        self.unheard = unheard
    }

    /// An allowing rule without effect, because its layer may only narrow.
    public struct Unheard: Equatable, Sendable {
        /// The layer of the rule.
        public let layer: Int
        /// The rule, by its line in the list of that layer.
        public let rule: RuleReference
    }
}

extension LayeredSites {
    /// Whether credentials may go to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: scheme, host and port of the request.
    ///   - path: the raw path of the request, as for ``SiteTrie/verdict(for:path:)``.
    /// - Complexity: a lookup in every layer. Allocates nothing.
    public func verdict(for origin: Origin, path: String) -> LayeredVerdict {
        verdict { $0.verdict(for: origin, path: path) }
    }

    /// Combines the verdicts of all layers; `ask` returns the verdict of one layer.
    @inline(__always)
    private func verdict(_ ask: (SiteTrie) -> SiteVerdict) -> LayeredVerdict {
        var answer = SiteVerdict.denied(.noRule)
        var deciding: Int?
        var unheard: LayeredVerdict.Unheard?
        // A span, because reading its elements retains nothing.
        let layers = layers.span
        for index in layers.indices {
            let own = ask(layers[index].sites)
            switch own {
            case .allowed(let rule):
                if index == 0 || layers[index].mayWiden {
                    (answer, deciding) = (own, index)
                } else if !answer.isAllowed, unheard == nil {
                    unheard = LayeredVerdict.Unheard(layer: index, rule: rule)
                }
            case .denied(let denial):
                // The first layer that denies is reported.
                if deciding == nil || answer.isAllowed, layers[index].speaks(in: denial) {
                    (answer, deciding) = (own, index)
                }
            case .invalid:
                return LayeredVerdict(answer: own, layer: index, unheard: nil)
            }
        }
        assert(!answer.isAllowed || deciding.map { $0 == 0 || layers[$0].mayWiden } == true, "only such layers allow")
        return LayeredVerdict(answer: answer, layer: deciding, unheard: answer.isAllowed ? nil : unheard)
    }

    /// Whether credentials may go to `url`, an absolute `http` or `https` URL.
    ///
    /// - Complexity: that of ``verdict(for:path:)``, and O(*n*) in the length of `url`.
    public func verdict(forURL url: String) -> LayeredVerdict {
        url.withUTF8InPlace { verdict(forURL: $0) }
    }

    /// ``verdict(forURL:)`` for the bytes of a URL.
    ///
    /// - Parameters:
    ///   - url: the bytes of the URL.
    ///   - hosts: how its host is read.
    package func verdict(forURL url: Span<UInt8>, hosts: HostReader = .ascii) -> LayeredVerdict {
        if let plain = PlainURL(url) {
            return verdict { sites in sites.verdict(plain, of: url) }
        }
        do throws(URLLocationError) {
            let location = try URLLocation(parsing: url, hosts: hosts)
            return verdict(for: location.origin, path: location.path)
        } catch {
            return LayeredVerdict(answer: .invalid(error), layer: nil, unheard: nil)
        }
    }

    /// The rule that decided, or the rule that fits best.
    public func rule(of verdict: LayeredVerdict) -> SiteRule? {
        guard let layer = verdict.layer, let reference = verdict.answer.rule else { return nil }
        return layers[layer].sites.rule(at: reference)
    }

    /// One line with the verdict, its list and line, and the allowing rule that has no effect.
    public func description(of verdict: LayeredVerdict) -> String {
        var text: [UInt8] = []
        append(verdict, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the same line without a line end and without making a string, for commands that write millions of lines.
    package func append(_ verdict: LayeredVerdict, to text: inout [UInt8]) {
        verdict.answer.append(to: &text, list: verdict.layer.map { layers[$0].listName(of: verdict.answer.rule) })
        if let unheard = verdict.unheard {
            let place = "line \(unheard.rule.line) of \(layers[unheard.layer].listName(of: unheard.rule))"
            text.append(contentsOf: "; \(place) would allow it, but may only narrow".utf8)
        }
    }

    /// Explains ``verdict(for:path:)``: the steps and the verdict of each layer.
    public func explain(_ origin: Origin, path: String) -> [(layer: String, explanation: SiteExplanation)] {
        layers.map { ($0.name, $0.sites.explain(origin, path: path)) }
    }
}

extension LayeredSites.Layer {
    /// The name of the list that contains a rule; an image may be compiled from several lists.
    fileprivate func listName(of rule: RuleReference?) -> String {
        guard sites.hasSeveralLists, let list = rule.flatMap(sites.listName) else { return name }
        return "\(list) in \(name)"
    }

    /// Whether a denial comes from a rule of the layer for the host.
    fileprivate func speaks(in denial: SiteVerdict.Denial) -> Bool {
        switch denial {
        case .noRule: false
        case .exception: true
        // An exception that does not fit denies nothing. An allowing rule that does not fit denies the rest of its
        // host.
        case .otherScheme(let rule), .otherPort(let rule), .otherPath(let rule), .uncertainPath(let rule):
            sites.rule(at: rule)?.isException == false
        }
    }
}
