package chatpane

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func temperature(t float64) *float64 { return &t }

func TestTheOptionsAreChecked(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := screentest.New(t)
		b.Win = test.NewTempWindow(t, kit.Small("below"))
		var chosen transcript.Settings
		openPanel := func() *optionsPanel {
			return openOptions(optionParams{Over: b.Win.Canvas(), Chosen: chosen, Save: func(s transcript.Settings) { chosen = s }})
		}
		for text, want := range map[string]string{
			"hot": `"hot" is no temperature: write a number from 0 to 2, or nothing.`,
			"3":   "A temperature of 3 is none: choose one from 0 to 2.",
		} {
			p := openPanel()
			p.temperature.SetText(text)
			p.onSave()
			if p.problem.Flat != want || overlay.OpenModal(b.Win.Canvas()) != p.pop {
				t.Errorf("%q: %q", text, p.problem.Flat)
			}
			p.temperature.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
			if overlay.OpenModal(b.Win.Canvas()) != nil {
				t.Error("Escape does not leave it")
			}
		}
		p := openPanel()
		p.prompt.SetText(strings.Repeat("x", promptMax+1))
		if p.count.Text != "4,001 of 4,000" {
			t.Errorf("it counts %q", p.count.Text)
		}
		p.onSave()
		if !strings.Contains(p.problem.Flat, "shorten them") {
			t.Errorf("it says %q", p.problem.Flat)
		}
		p.prompt.SetText(" In German. ")
		p.temperature.SetText("0,5")
		for _, o := range test.LaidOutObjects(p.switches) {
			if btn, ok := o.(*kit.Button); ok && btn.Text == "off" {
				test.Tap(btn)
			}
		}
		p.onSave()
		off := false
		if want := (transcript.Settings{Temperature: temperature(0.5), Think: &off, Prompt: "In German."}); !chosen.Equal(want) {
			t.Errorf("chosen %+v", chosen)
		}
		p = openPanel()
		p.onSave() // without a change
		if got := chosen.Think; got == nil || *got {
			t.Errorf("opened and saved: think %v", got)
		}
		p = openPanel()
		p.onReset()
		if !chosen.IsZero() {
			t.Errorf("after the reset: %+v", chosen)
		}
	})
}
