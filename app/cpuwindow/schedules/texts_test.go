package schedules

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/app/i18n"
	"mac-stats/app/schedule"
)

// Every text that the page shows about a schedules.toml is known here, so that it can be
// translated.
func TestEveryProblemIsKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), schedule.FileName)
	for _, text := range []string{
		"no toml", "x = 1", "[[schedule]]\n", "[[schedule]]\nname = \"A (b)\"\nwhen = \"now\"\nprompt = \"\"\nquiet = \"x\"\nenabled = 1\nextra = 2\nagent = 3\n",
		"[[schedule]]\nname = \" \"\nwhen = \"0 0 31 2 *\"\nprompt = \"p\"\n", "[[schedule]]\nname = \"a\"\nwhen = \"every hour\"\nprompt = \"p\"\n[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\"\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems := schedule.Load(file)
		if len(problems) == 0 {
			t.Errorf("%q has no problem", text)
		}
		for _, p := range problems {
			text := p.String()
			if Translate(text) != text {
				t.Errorf("in English %q is said as %q", text, Translate(text))
			}
			for text != "" {
				known, places := i18n.Match(text, errorTexts)
				if known == "" {
					t.Errorf("%q of %q isn't known", text, p.String())
				}
				text, _ = places["Why"].(string)
				if known == "it isn't TOML here: {{.Why}}. Fix that line; no schedule runs until then." { // the TOML library's words
					text = ""
				}
			}
		}
	}
}
