package compose

import (
	"testing"

	"mac-stats/app/ui/screentest"
)

func TestAHintIsShortenedToTwoLines(t *testing.T) {
	screentest.New(t)
	for _, tt := range []struct {
		name, hint string
		width      float32
		want       string
	}{
		{"with room for all", "Ask anything. Enter sends, Shift+Enter for a new line.", 500, "Ask anything. Enter sends, Shift+Enter for a new line."},
		{"narrow", "Ask anything. Enter sends, Shift+Enter for a new line.", 120, "Ask anything."},
		{"a part of a sentence", "Write the next message. It is sent when this answer is done; Esc stops the answer.", 250, "Write the next message. It is sent when this answer is done."},
		{"one sentence, too long", "Private: nothing is saved.", 60, "Private: nothing is saved."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shorten(tt.hint, tt.width); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
