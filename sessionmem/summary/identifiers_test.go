package summary

import (
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// Searching word by word or line by line finds the same.
func FuzzIdentifiersOf(f *testing.F) {
	for _, line := range []string{
		"see /srv/app/main.go:12 and 10.0.0.7, or https://example.org/a?b=1.", "run `make all` in ~/src, then \"go on\"",
		"it says ENOENT (ERR-4 at 0x1F). EACCES!", "C:\\temp\\a.txt\tREADME.md, v1.2", "the end. And EEA-1 aEBADF", "000 E!EAAAA", "„so ist es“ «oui» “yes”",
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
		want := once(findIdentifiers(line))
		got := once(slices.Collect(identifiersOf(line, map[string][]string{})))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	})
}

func TestReadingsAreNoIdentifiers(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"CPU 24 %, load 0.22, 193 processes, 3.14159 of 16, at 16:20 in 2026", nil},
		{"between 10-20 and 1.5; -3 or 12.5, then 7", nil},
		{"order 48213, then 1234-5678 and 0049", []string{"48213", "1234-5678"}},
		{"Go 1.26.1 on 10.0.0.7:8080, since 2026-11-21", []string{"1.26.1", "10.0.0.7:8080", "2026-11-21"}},
		{"at 0x1F of rev-12 in /srv/app/main.go", []string{"0x1F", "/srv/app/main.go"}},
		{"it listens on localhost:8080, port2 answers ERR-4 or v1.2", []string{"localhost:8080", "ERR-4", "v1.2"}},
		{"n/a, 3 kB/s and/or 24/7, but /tmp, ~/src and (/srv/a)", []string{"/tmp", "~/src", "/srv/a"}},
		{"the code `42` is short, `0.5` a number, `cpu-42` a name", []string{"cpu-42"}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := identifiers([]transcript.Block{{Kind: transcript.KindUser, Text: tt.text}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
