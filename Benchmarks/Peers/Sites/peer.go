// Go's map with label stripping; the same lines as peers.cpp.
package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

func now() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)*1e-6
}

func lines(path string) []string {
	text, _ := os.ReadFile(path)
	var result []string
	for _, line := range bytes.Split(text, []byte("\n")) {
		if len(line) > 0 && line[0] != '#' {
			result = append(result, string(line))
		}
	}
	return result
}

func main() {
	rules := lines(os.Args[1])
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := now()
	exact, below := map[string]int32{}, map[string]int32{}
	keys := 0
	for i, rule := range rules {
		name := strings.TrimPrefix(rule, "*.")
		keys += len(name)
		if len(name) < len(rule) {
			below[name] = int32(i)
		} else {
			exact[name] = int32(i)
		}
	}
	built := now() - start
	runtime.GC()
	runtime.ReadMemStats(&after)
	size := float64(after.HeapAlloc-before.HeapAlloc) + float64(keys)
	find := func(host string) int32 {
		if r, ok := exact[host]; ok {
			return r
		}
		for dot := strings.IndexByte(host, '.'); dot >= 0; {
			host = host[dot+1:]
			if r, ok := below[host]; ok {
				return r
			}
			dot = strings.IndexByte(host, '.')
		}
		return -1
	}
	for _, path := range os.Args[2:] {
		hosts := lines(path)
		for dependent := 0; dependent < 2; dependent++ {
			best, found := 1e9, 0
			for pass := 0; pass < 2; pass++ {
				found = 0
				shift := 0
				begin := now()
				for i := range hosts {
					r := find(hosts[i+shift])
					if r >= 0 {
						found++
					}
					if dependent == 1 {
						shift = int(uint32(r+1) >> 31)
					}
				}
				if ns := (now() - begin) * 1e9 / float64(len(hosts)); ns < best {
					best = ns
				}
			}
			suffix := ""
			if dependent == 1 {
				suffix = "-dependent"
			}
			fmt.Printf("go %s%s %.1f %.1f %.2f %d\n", filepath.Base(path), suffix, best, size/float64(len(rules)), built, found)
		}
		urls := make([]string, len(hosts))
		for i, host := range hosts {
			urls[i] = "https://" + host + "/articles/of/today?page=2"
		}
		best, found := 1e9, 0
		for pass := 0; pass < 2; pass++ {
			found = 0
			begin := now()
			for _, text := range urls {
				if parsed, err := url.Parse(text); err == nil && find(strings.ToLower(parsed.Hostname())) >= 0 {
					found++
				}
			}
			if ns := (now() - begin) * 1e9 / float64(len(urls)); ns < best {
				best = ns
			}
		}
		fmt.Printf("go %s-url %.1f %.1f %.2f %d\n", filepath.Base(path), best, size/float64(len(rules)), built, found)
	}
}
