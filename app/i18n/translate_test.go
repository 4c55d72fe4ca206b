package i18n

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"fyne.io/fyne/v2/lang"
	"github.com/google/go-cmp/cmp"
)

const assets = "../../assets"

// A language may lack texts, but it has no unknown ones, and each text has the same places
// and plural forms as in English.
func TestEveryLanguageFitsEnglish(t *testing.T) {
	places := regexp.MustCompile(`{{\.\w+}}`)
	all, err := Read(os.DirFS(assets))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Fatal("there is no language beside English")
	}
	for language, texts := range all {
		for key, text := range texts {
			english, ok := all["en"][key]
			if !ok {
				t.Errorf("%s.json: %q is no text of the window", language, key)
				continue
			}
			forms, counts := text.(map[string]any)
			if _, want := english.(map[string]any); want != counts {
				t.Errorf("%s.json: %q: plural forms where English has them, and nowhere else", language, key)
			}
			if !counts {
				forms = map[string]any{"other": text}
			}
			want := places.FindAllString(key, -1)
			got := places.FindAllString(forms["other"].(string), -1)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s.json: %q has other places:\n%s", language, key, diff)
			}
		}
	}
}

func TestTranslationsAreLoaded(t *testing.T) {
	if err := Load(os.DirFS(assets)); err != nil {
		t.Fatal(err)
	}
	if got := T("Settings"); got != "Settings" && got != "Einstellungen" {
		t.Errorf("Settings = %q", got)
	}
	english := strings.HasPrefix(lang.SystemLocale().String(), "en")
	if got := Count("{{.N}} models are installed.", 1); english && got != "One model is installed." {
		t.Errorf("one = %q", got)
	}
	if got := Count("{{.N}} models are installed.", 3); english && got != "3 models are installed." {
		t.Errorf("three = %q", got)
	}
}

func TestReadTranslations_refuses(t *testing.T) {
	for name, files := range map[string]fs.FS{
		"no English":  fstest.MapFS{"translations/de.json": {Data: []byte(`{}`)}},
		"broken JSON": fstest.MapFS{"translations/en.json": {Data: []byte(`{"a": `)}},
	} {
		if err := Load(files); err == nil {
			t.Errorf("given %s: no error", name)
		}
	}
}

func TestShortDate(t *testing.T) {
	if !strings.HasPrefix(lang.SystemLocale().String(), "en") {
		t.Skip("what is compared is English")
	}
	now := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	if got, want := ShortDate(time.Date(2026, time.January, 2, 0, 0, 0, 0, time.UTC), now), "2 Jan"; got != want {
		t.Errorf("this year: %q, want %q", got, want)
	}
	if got, want := ShortDate(time.Date(2025, time.March, 31, 0, 0, 0, 0, time.UTC), now), "31 Mar 2025"; got != want {
		t.Errorf("last year: %q, want %q", got, want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 5360: "5,360", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	if !strings.HasPrefix(lang.SystemLocale().String(), "en") {
		t.Skip("what is compared is English")
	}
	at := time.Date(2026, time.November, 22, 9, 5, 0, 0, time.UTC)
	for got, want := range map[string]string{
		Moment(at, at):                  "22 Nov 09:05",
		Moment(at, at.AddDate(1, 0, 0)): "22 Nov 2026 09:05",
		LongDate(at):                    "22 November 2026",
		Day(at):                         "Sunday, 22 November 2026",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNumbersFollowTheLanguagesExample(t *testing.T) {
	for example, want := range map[string]string{"1,234.5": "12,345.6 GB", "1.234,5": "12.345,6 GB", "1\u202f234,5": "12\u202f345,6 GB", "no number": "12,345.6 GB"} {
		if got := numberLike(example, "12,345.6 GB"); got != want {
			t.Errorf("like %q: %q, want %q", example, got, want)
		}
	}
}
