package i18n

import (
	"io/fs"
	"os"
	"regexp"
	"runtime"
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

// in loads the translations as on a system in that language. Only Linux lets a test choose.
func in(t *testing.T, language string) {
	t.Helper()
	if runtime.GOOS == "linux" {
		for _, name := range []string{"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"} {
			t.Setenv(name, language+".UTF-8")
		}
	} else if !strings.HasPrefix(lang.SystemLocale().String(), language[:2]) {
		t.Skip("the system's language is another one")
	}
	if err := Load(os.DirFS(assets)); err != nil {
		t.Fatal(err)
	}
}

func TestTranslationsAreLoaded(t *testing.T) {
	for language, want := range map[string][3]string{
		"en_US": {"Settings", "One model is installed.", "3 models are installed."},
		"de_AT": {"Einstellungen", "Ein Modell ist installiert.", "3 Modelle sind installiert."},
		"pl_PL": {"Settings", "One model is installed.", "3 models are installed."}, // there is no Polish
	} {
		t.Run(language, func(t *testing.T) {
			in(t, language)
			got := [3]string{T("Settings"), Count("{{.N}} models are installed.", 1), Count("{{.N}} models are installed.", 3)}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestReadTranslations_refuses(t *testing.T) {
	for name, files := range map[string]fs.FS{
		"a folder":    fstest.MapFS{"translations/en.json/x": {}},
		"no English":  fstest.MapFS{"translations/de.json": {Data: []byte(`{}`)}},
		"broken JSON": fstest.MapFS{"translations/en.json": {Data: []byte(`{"a": `)}},
	} {
		if err := Load(files); err == nil {
			t.Errorf("given %s: no error", name)
		}
	}
}

func TestThousands(t *testing.T) {
	in(t, "en_US") // whatever language a test before it chose
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 5360: "5,360", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestACountHasSeparators(t *testing.T) {
	for language, want := range map[string]string{"en_US": "12,500 models are installed.", "de_DE": "12.500 Modelle sind installiert."} {
		t.Run(language, func(t *testing.T) {
			in(t, language)
			if got := Count("{{.N}} models are installed.", 12500); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestDates(t *testing.T) {
	at := time.Date(2026, time.November, 22, 9, 5, 0, 0, time.UTC)
	tests := map[string]struct {
		got             func() string
		english, german string
	}{
		"a short date of this year":    {func() string { return ShortDate(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), at) }, "2 Jan", "2. Jan"},
		"a short date of another year": {func() string { return ShortDate(time.Date(2025, 3, 31, 0, 0, 0, 0, time.UTC), at) }, "31 Mar 2025", "31. Mär 2025"},
		"a moment":                     {func() string { return Moment(at, at) }, "22 Nov 09:05", "22. Nov 09:05"},
		"a moment of another year":     {func() string { return Moment(at, at.AddDate(1, 0, 0)) }, "22 Nov 2026 09:05", "22. Nov 2026 09:05"},
		"a long date":                  {func() string { return LongDate(at) }, "22 November 2026", "22. November 2026"},
		"a day":                        {func() string { return Day(at) }, "Sunday, 22 November 2026", "Sonntag, 22. November 2026"},
		"never":                        {func() string { return When(time.Time{}, at) }, "", ""},
		"today":                        {func() string { return When(at.Add(-time.Hour), at) }, "08:05", "08:05"},
		"today where now is": {func() string {
			return When(time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC), at.In(time.FixedZone("CET", 3600)))
		}, "00:30", "00:30"},
		"this year":             {func() string { return When(at.AddDate(0, -1, 0), at) }, "22 Oct 09:05", "22. Okt 09:05"},
		"on this day last year": {func() string { return When(at.AddDate(-1, 0, 0), at) }, "22 Nov 2025", "22. Nov 2025"},
	}
	for language, german := range map[string]bool{"en_US": false, "de_DE": true} {
		t.Run(language, func(t *testing.T) {
			in(t, language)
			for name, tt := range tests {
				want := tt.english
				if german {
					want = tt.german
				}
				if got := tt.got(); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestMonthsAndDays(t *testing.T) {
	for language, want := range map[string]string{
		"en_US": "January February March April May June July August September October November December Thursday Friday Saturday Sunday Monday Tuesday Wednesday",
		"de_DE": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember Donnerstag Freitag Samstag Sonntag Montag Dienstag Mittwoch",
	} {
		t.Run(language, func(t *testing.T) {
			in(t, language)
			var names []string
			for month := range 12 {
				names = append(names, MonthName(time.Date(2026, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC)))
			}
			for day := range 7 {
				names = append(names, WeekdayName(time.Date(2026, 1, day+1, 0, 0, 0, 0, time.UTC)))
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// A text that another package made is translated, with what fills its places if that is a
// known text too.
func TestTranslated(t *testing.T) {
	texts := []string{"Line {{.Line}}: {{.Reason}}", "not a number", "{{.Name}} is gone"}
	for made, want := range map[string]struct {
		text   string
		places Places
	}{
		"Line 12: not a number": {texts[0], Places{"Line": "12", "Reason": "not a number"}},
		"Line x: not a number":  {},
		"not a number":          {texts[1], Places{}},
		"a\nb is gone":          {texts[2], Places{"Name": "a\nb"}},
		"elsewhere":             {},
	} {
		text, places := Match(made, texts)
		if diff := cmp.Diff(want.places, places); text != want.text || diff != "" {
			t.Errorf("%q comes from %q:\n%s", made, text, diff)
		}
		if got := Translated(made, texts); got != made {
			t.Errorf("without a translation %q became %q", made, got)
		}
	}
	in(t, "de_DE")
	known := []string{"{{.Name}} is asked to quit. What it has not saved may be lost.", "Settings"}
	if got := Translated("Settings is asked to quit. What it has not saved may be lost.", known); !strings.HasPrefix(got, "Einstellungen ") || strings.Contains(got, "asked") {
		t.Errorf("in German: %q", got)
	}
}

func TestPhrases(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"Capital", Capital("reading x: it is gone"), "Reading x: it is gone"},
		{"Capital of a capital", Capital("Reading"), "Reading"},
		{"Capital of another alphabet", Capital("élan"), "élan"},
		{"Capital of nothing", Capital(""), ""},
		{"Shorten at the limit", Shorten("four", 4), "four"},
		{"Shorten between words", Shorten("東京 is big", 3), "東京…"},
		{"Sentence", Sentence(" it is gone "), "it is gone."},
		{"Sentence that ends", Sentence("really?"), "really?"},
		{"Sentence cut short", Sentence("it is…"), "it is…"},
		{"Sentence of nothing", Sentence("  "), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
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
