package compact

import (
	"strings"
	"testing"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestMessagesThatFitAreKept(t *testing.T) {
	said := func(n, tokens int) (list []transcript.Block) {
		for range n {
			list = append(list, transcript.Block{Kind: transcript.KindUser, Text: strings.Repeat("word ", tokens)})
		}
		return list
	}
	withFile := said(8, 10)
	withFile[2].Text += "\n\n[notes.txt](files/" + strings.Repeat("a", 64) + ".txt)"
	for name, c := range map[string]struct {
		messages []transcript.Block
		policy   Policy
		want     int
	}{
		"all that fits":                 {said(8, 10), Policy{KeepRecent: 4, KeepTokens: 1000}, 8},
		"at most half of the window":    {said(30, 10), Policy{KeepRecent: 4, KeepTokens: 9000}, 10},
		"of a larger window, more":      {said(30, 10), Policy{KeepRecent: 4, KeepTokens: 9000, Window: 40}, 20},
		"as far as the tokens go":       {said(12, 100), Policy{KeepRecent: 4, KeepTokens: 700}, 5},
		"four, however long":            {said(12, 500), Policy{KeepRecent: 4, KeepTokens: 100}, 4},
		"none where none is asked for":  {said(12, 10), Policy{KeepRecent: 0, KeepTokens: 9000}, 0},
		"no more than before for files": {withFile, Policy{KeepRecent: 4, KeepTokens: 9000}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.policy.Keep(session.Snapshot{Messages: c.messages}); got != c.want {
				t.Errorf("%d stay, want %d", got, c.want)
			}
		})
	}
}
