package prompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSharesOfSeveralFiles(t *testing.T) {
	big, small := strings.Repeat("word ", 1000), "a few words"
	for name, c := range map[string]struct {
		texts []string
		limit int
		want  []int
	}{
		"all fit":           {[]string{small, small}, 100, []int{3, 3}},
		"a small one whole": {[]string{big, small}, 103, []int{100, 3}},
		"two long ones":     {[]string{big, "", big}, 100, []int{50, 0, 50}},
		"none":              {nil, 100, []int{}},
	} {
		if diff := cmp.Diff(c.want, share(c.texts, c.limit)); diff != "" {
			t.Error(name + diff)
		}
	}
}
