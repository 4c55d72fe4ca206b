package doctorcmd_test

import (
	"os"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestDoctorChecksTheIndex(t *testing.T) {
	t.Parallel()
	e := clitest.Remembering(t)
	found := func() (ok bool, words string) {
		for _, o := range clitest.Objects(t, e.Run(t, "doctor", "--json").Stdout) {
			if o["name"] == "search index" {
				ok, _ = o["ok"].(bool)
				words, _ = o["found"].(string)
			}
		}
		return ok, words
	}
	if ok, words := found(); !ok || !strings.HasSuffix(words, "fresh") || !strings.Contains(words, "passages of") {
		t.Errorf("%v %q", ok, words)
	}
	e.Must(t, "ask", "--session", "later", "Where is the quokka?")
	if ok, words := found(); !ok || !strings.Contains(words, "behind by 1 file; the app brings it up to date, or `mac-stats memory reindex`") {
		t.Errorf("%v %q", ok, words)
	}
	e.AppRuns = true
	if ok, words := found(); !ok || !strings.HasSuffix(words, "behind by 1 file") {
		t.Errorf("while the app runs: %v %q", ok, words)
	}
	path, _ := clitest.Objects(t, e.Must(t, "memory", "status", "--json"))[0]["path"].(string)
	if err := os.WriteFile(path, []byte(strings.Repeat("no index ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, _ := found(); ok {
		t.Error("a damaged index is fine")
	}
}
