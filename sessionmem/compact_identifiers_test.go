package sessionmem

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Word by word or by the line, the same is found.
func FuzzIdentifiersOf(f *testing.F) {
	for _, line := range []string{
		"see /srv/app/main.go:12 and 10.0.0.7, or https://example.org/a?b=1.", "run `make all` in ~/src, then \"go on\"",
		"it says ENOENT (ERR-4 at 0x1F). EACCES!", "C:\\temp\\a.txt\tREADME.md, v1.2", "the end. And EEA-1 aEBADF", "„so ist es“ «oui» “yes”",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		once := func(all []string) (out []string) {
			for _, id := range all {
				if !slices.Contains(out, id) {
					out = append(out, id)
				}
			}
			return out
		}
		want := once(identifier.FindAllString(line, -1))
		got := once(slices.Collect(identifiersOf(line, map[string]bool{})))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	})
}
