package schedules

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mac-stats/app/i18n"
	"mac-stats/app/schedule"
)

// Every text that the page shows about a schedules.toml is known here, so that it can be
// translated.
func TestEveryProblemIsKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), schedule.FileName)
	texts := []string{
		"no toml", "x = 1", "[[schedule]]\n", "[[schedule]]\nname = \"A (b)\"\nwhen = \"now\"\nprompt = \"\"\nquiet = \"x\"\nenabled = 1\nextra = 2\nagent = 3\n",
		"[[schedule]]\nname = \" \"\nwhen = \"0 0 31 2 *\"\nprompt = \"p\"\n", "[[schedule]]\nname = \"a\"\nwhen = \"every hour\"\nprompt = \"p\"\n[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"p\"\n",
	}
	for _, when := range []string{"TZ=UTC 0 8 * * *", "0 8 * *", "99 8 * * *", "0 24 * * *", "0 8 0 * *", "0 8 * 13 *", "0 8 * * 9", "@ 8 * * *", "0 8 * * 1,"} {
		texts = append(texts, "[[schedule]]\nname = \"a\"\nwhen = \""+when+"\"\nprompt = \"p\"\n")
	}
	for _, text := range texts {
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
				for _, part := range []string{"Values", "Name"} { // of a cron line
					if words, ok := places[part].(string); ok && places["Field"] != nil && !slices.Contains(errorTexts, words) {
						t.Errorf("%q of %q isn't known", words, p.String())
					}
				}
				text, _ = places["Why"].(string)
				if known == "it isn't TOML here: {{.Why}}. Fix that line; no schedule runs until then." { // the TOML library's words
					text = ""
				}
			}
		}
	}
}
