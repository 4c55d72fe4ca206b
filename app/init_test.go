package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every command and every start pays for what packages allocate before main runs, and the
// app keeps it for good. So our packages allocate little there and the rest on first use.
func TestPackagesAllocateLittleBeforeMain(t *testing.T) {
	const most = 200_000 // bytes
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ours := 0
	for _, m := range regexp.MustCompile(`(?m)^init (mac-stats/\S+) .* (\d+) bytes,`).FindAllStringSubmatch(string(out), -1) {
		ours++
		if n, err := strconv.Atoi(m[2]); err != nil || n > most {
			t.Errorf("%s makes %s bytes before main runs, want at most %d; look at its package variables", m[1], m[2], most)
		}
	}
	if ours < 10 || !strings.Contains(string(out), "init mac-stats/agents/prompt ") {
		t.Errorf("%d packages of ours tell what they make:\n%s", ours, out)
	}
}
