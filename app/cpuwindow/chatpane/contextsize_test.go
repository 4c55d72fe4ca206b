package chatpane

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// The sizes of the context that are offered, and what is said about the memory they take.
func TestTheContextShowsWhatFits(t *testing.T) {
	s := screentest.New(t)
	s.Win = test.NewTempWindow(t, kit.Small("below"))
	model := ollama.ModelInfo{Name: "qwen3:8b", Size: 5 << 30, MaxContext: 40 << 10, TokenBytes: 150_000}
	remote := ollama.ModelInfo{Name: "big:cloud", MaxContext: 8 << 10, TokenBytes: 150_000, Remote: true}
	for name, tt := range map[string]struct {
		model  ollama.ModelInfo
		auto   int
		chosen int
		memory uint64
		button string
		words  string
		sizes  []string
		tooBig int // sizes that don't fit
	}{
		"it fits":              {model, 8 << 10, 0, 64 << 30, "as for all (8k)", "qwen3:8b sees up to 40k tokens. This takes about 1.2 GB of memory beside the model's 5.4 GB, which fits.", []string{"✓ as for all (8k)", "4k tokens", "8k tokens", "16k tokens", "32k tokens", "40k tokens"}, 0},
		"it is too much":       {model, 8 << 10, 40 << 10, 12 << 30, "40k tokens", "too much for this machine. Answers will be slow, or fail.", []string{"as for all (8k)", "4k tokens", "8k tokens", "16k tokens", "32k tokens", "✓ 40k tokens"}, 3},
		"less than for all":    {model, 128 << 10, 0, 64 << 30, "as for all (40k)", "sees up to 40k tokens", nil, 0},
		"elsewhere":            {remote, 8 << 10, 4 << 10, 8 << 30, "4k tokens", "big:cloud sees up to 8k tokens.", []string{"as for all (8k)", "✓ 4k tokens", "8k tokens"}, 0},
		"the model is unknown": {ollama.ModelInfo{}, 0, 0, 0, "as for all", "A larger context takes more memory", []string{"✓ as for all", "4k tokens", "8k tokens", "16k tokens", "32k tokens", "64k tokens", "128k tokens"}, 0},
	} {
		c := newContextChoice(optionParams{Over: s.Canvas(), Model: tt.model, Auto: tt.auto, Memory: tt.memory, Chosen: transcript.Settings{Context: tt.chosen}})
		if c.button.Text != tt.button+"  ▾" || !strings.Contains(c.words.Flat, tt.words) {
			t.Errorf("%s: the button says %q, below it %q", name, c.button.Text, c.words.Flat)
		}
		var sizes []string
		tooBig := 0
		for _, i := range c.menu().Items {
			label, rest, _ := strings.Cut(i.Label, "  ·  ")
			if strings.Contains(rest, "too much for this machine") {
				tooBig++
			}
			if i.Checked {
				label = "✓ " + label
			}
			sizes = append(sizes, label)
		}
		if diff := cmp.Diff(tt.sizes, sizes); tt.sizes != nil && diff != "" || tooBig != tt.tooBig {
			t.Errorf("%s: %d don't fit (-want +got):\n%s", name, tooBig, diff)
		}
	}
}

// A size is chosen from its menu and saved with the others.
func TestTheContextIsChosenAndSaved(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		s := screentest.New(t)
		s.Win = test.NewTempWindow(t, kit.Small("below"))
		s.Win.Resize(fyne.NewSize(600, 800))
		var saved []transcript.Settings
		openOptions(optionParams{Over: s.Canvas(), Model: ollama.ModelInfo{Name: "qwen3:8b", MaxContext: 40 << 10}, Auto: 8 << 10, Save: func(c transcript.Settings) { saved = append(saved, c) }})
		s.Sees("This conversation", "as for all (8k)")
		if s.Focus() != "a field" {
			t.Errorf("the focus is on %s", s.Focus())
		}
		card := s.Canvas().Overlays().Top()
		s.Pushes(card, "as for all (8k)  ▾")
		for _, k := range []fyne.KeyName{fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn} {
			s.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		}
		s.Sees("4k tokens")
		s.Pushes(card, "Save")
		if len(saved) != 1 || saved[0].Context != 4<<10 {
			t.Errorf("saved: %+v", saved)
		}
	})
}
