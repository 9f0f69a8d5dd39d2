// Maps and tries that people use for lists of sites, asked for the hosts of a file. One line an engine and a case:
// engine, case, nanoseconds a host, bytes a rule, seconds to build, hosts found.
#include <absl/container/flat_hash_map.h>
#include <malloc.h>
#include <marisa.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using std::string_view;

static std::string slurp(const char *path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

static std::vector<string_view> lines(const std::string &text) {
    std::vector<string_view> result;
    for (size_t start = 0; start < text.size();) {
        size_t end = text.find('\n', start);
        if (text[start] != '#') result.emplace_back(text.data() + start, end - start);
        start = end + 1;
    }
    return result;
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static size_t heap() {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

template <class Map> struct Stripping {
    Map exact, below;
    size_t keyBytes = 0;
    void build(const std::vector<string_view> &rules) {
        for (size_t i = 0; i < rules.size(); i++) {
            bool wild = rules[i].substr(0, 2) == "*.";
            string_view name = wild ? rules[i].substr(2) : rules[i];
            (wild ? below : exact).emplace(name, (int)i);
            keyBytes += name.size();
        }
    }
    size_t extra() const { return keyBytes; }
    int find(string_view host) const {
        auto hit = exact.find(host);
        if (hit != exact.end()) return hit->second;
        for (size_t dot = host.find('.'); dot != string_view::npos; dot = host.find('.', dot + 1)) {
            auto parent = below.find(host.substr(dot + 1));
            if (parent != below.end()) return parent->second;
        }
        return -1;
    }
};

struct Marisa {
    marisa::Trie trie;
    std::vector<int> rule;
    static std::string reversed(string_view name) { return std::string(name.rbegin(), name.rend()); }
    void build(const std::vector<string_view> &rules) {
        marisa::Keyset keys;
        // An exact rule ends in '!', a wildcard in '.', both behind the reversed name.
        std::vector<std::string> texts;
        for (auto r : rules) {
            bool wild = r.substr(0, 2) == "*.";
            texts.push_back(reversed(wild ? r.substr(2) : r) + (wild ? "." : "!"));
            keys.push_back(texts.back().data(), texts.back().size());
        }
        trie.build(keys, 1 | MARISA_HUGE_CACHE);
        rule.resize(trie.size());
        marisa::Agent agent;
        for (size_t i = 0; i < texts.size(); i++) {
            agent.set_query(texts[i].data(), texts[i].size());
            if (trie.lookup(agent)) rule[agent.key().id()] = (int)i;
        }
    }
    size_t extra() const { return trie.io_size() + rule.size() * 4; }
    mutable marisa::Agent agent;
    int find(string_view host) const {
        char text[256];
        size_t n = host.size();
        for (size_t i = 0; i < n; i++) text[i] = host[n - 1 - i];
        text[n] = '!';
        agent.set_query(text, n + 1);
        size_t best = SIZE_MAX;
        while (trie.common_prefix_search(agent)) best = agent.key().id();
        return best == SIZE_MAX ? -1 : rule[best];
    }
};

// The host of a URL in lower case, without any check of the URL.
static string_view hostOf(string_view url, char (&room)[256]) {
    size_t start = url.find("://") + 3;
    string_view host = url.substr(start, url.find_first_of(":/?#", start) - start);
    for (size_t i = 0; i < host.size(); i++) room[i] = host[i] | (host[i] >= 'A' && host[i] <= 'Z' ? 0x20 : 0);
    return string_view(room, host.size());
}

template <class Engine> static void run(const char *name, const std::vector<string_view> &rules, int argc, char **argv) {
    size_t before = heap();
    double start = now();
    auto *engine = new Engine;
    engine->build(rules);
    double built = now() - start;
    double bytes = std::is_same_v<Engine, Marisa> ? engine->extra() : heap() - before + engine->extra();
    for (int arg = 3; arg < argc; arg++) {
        std::string text = slurp(argv[arg]);
        auto hosts = lines(text);
        const char *label = strrchr(argv[arg], '/') + 1;
        for (int dependent = 0; dependent < 2; dependent++) {
            double best = 1e9;
            size_t found = 0;
            for (int pass = 0; pass < 2; pass++) {
                found = 0;
                size_t shift = 0;
                double begin = now();
                for (size_t i = 0; i < hosts.size(); i++) {
                    int r = engine->find(hosts[i + shift]);
                    found += r >= 0;
                    if (dependent) shift = (size_t)(unsigned)(r + 1) >> 31;
                }
                best = std::min(best, (now() - begin) * 1e9 / hosts.size());
            }
            printf("%s %s%s %.1f %.1f %.2f %zu\n", name, label, dependent ? "-dependent" : "", best,
                   bytes / rules.size(), built, found);
        }
    }
    for (int arg = 3; arg < argc; arg++) {
        std::string text = slurp(argv[arg]);
        std::vector<std::string> urls;
        for (auto host : lines(text)) urls.push_back("https://" + std::string(host) + "/articles/of/today?page=2");
        double best = 1e9;
        size_t found = 0;
        for (int pass = 0; pass < 2; pass++) {
            found = 0;
            char room[256];
            double begin = now();
            for (auto &url : urls) found += engine->find(hostOf(url, room)) >= 0;
            best = std::min(best, (now() - begin) * 1e9 / urls.size());
        }
        printf("%s %s-url %.1f %.1f %.2f %zu\n", name, strrchr(argv[arg], '/') + 1, best, bytes / rules.size(), built, found);
    }
    fflush(stdout);
    delete engine;
}

// peers ENGINE LIST HOSTS…
int main(int argc, char **argv) {
    std::string text = slurp(argv[2]);
    auto rules = lines(text);
    std::string engine = argv[1];
    if (engine == "absl") run<Stripping<absl::flat_hash_map<string_view, int>>>("absl", rules, argc, argv);
    if (engine == "unordered") run<Stripping<std::unordered_map<string_view, int>>>("unordered", rules, argc, argv);
    if (engine == "marisa") run<Marisa>("marisa", rules, argc, argv);
}
