// Package i18n says things in the user's language: texts, counts, dates.
//
// English is the key: a text without a translation is shown as it stands in the
// code. T takes a plain text, With one with {{.Name}} places, Count one that counts
// {{.N}} of something. Only literals are given to them: a test of the window reads
// the code and compares it with assets/translations/en.json.
//
// It draws nothing and keeps nothing beside the texts. Fyne holds these and chooses
// the language by the system's; Load is called once, before the first window. What
// is written to files, logs and prompts is English and does not come through here.
package i18n

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// T is a text in the user's language.
func T(text string) string { return lang.L(text) }

// Places is what to fill the {{.Name}} places of a text with.
type Places map[string]any

// With is a text with such places.
func With(text string, p Places) string { return lang.L(text, map[string]any(p)) }

// Count is a text that counts, {{.N}}, in its plural form.
func Count(text string, n int) string { return lang.N(text, n, map[string]any{"N": n}) }

// Told is a text that another package made of one of these texts with {{.Name}} places, such
// as an error; what fills a place may be made of one of them, too. One that is made of none
// stays as it is.
func Told(said string, texts []string) string {
	text, places := MadeOf(said, texts)
	if text == "" {
		return said
	}
	for name, filling := range places {
		places[name] = Told(filling.(string), texts)
	}
	return With(text, places)
}

// MadeOf gives the first of the texts that said is made of, "" where it is none, and what
// fills its places. {{.Line}} and {{.Number}} are numbers.
func MadeOf(said string, texts []string) (text string, p Places) {
	for _, text := range texts {
		names := place.FindAllStringSubmatch(text, -1)
		form := `(?s)^`
		for i, part := range place.Split(text, -1) {
			form += regexp.QuoteMeta(part)
			switch {
			case i == len(names):
			case names[i][1] == "Line" || names[i][1] == "Number":
				form += `(\d+)`
			default:
				form += `(.*?)`
			}
		}
		if filled := regexp.MustCompile(form + `$`).FindStringSubmatch(said); filled != nil {
			p := Places{}
			for i, name := range names {
				p[name[1]] = filled[i+1]
			}
			return text, p
		}
	}
	return "", nil
}

var place = regexp.MustCompile(`\{\{\.(\w+)\}\}`)

// Load gives Fyne the texts of translations/*.json in the system's language: one file a
// language, en.json with every key and its plural forms. What the language lacks is filled
// with English, because Fyne logs every text it misses. The other languages stay on the
// disk: in memory each takes nearly a megabyte, for as long as the app runs.
func Load(files fs.FS) error {
	all, err := Read(files)
	if err != nil {
		return err
	}
	english := all["en"]
	system := lang.SystemLocale().LanguageString()
	if base, _, ok := strings.Cut(system, "-"); ok {
		system = base
	}
	used := map[string]map[string]any{system: all[system]}
	if used[system] == nil {
		// Fyne may know a closer name of this language, and then falls back to English.
		used[system], used["en"] = map[string]any{}, english
	}
	for language, texts := range used {
		for key, text := range english {
			if texts[key] == nil {
				texts[key] = everyForm(text)
			}
		}
		data, err := json.Marshal(texts)
		if err != nil {
			return fmt.Errorf("translations to %s: %w", language, err)
		}
		if err := lang.AddTranslationsForLocale(data, fyne.Locale(language)); err != nil {
			return fmt.Errorf("translations to %s: %w", language, err)
		}
	}
	return nil
}

// Read reads translations/*.json: by language, text by key.
func Read(files fs.FS) (map[string]map[string]any, error) {
	names, err := fs.Glob(files, "translations/*.json")
	if err != nil {
		return nil, fmt.Errorf("translations: %w", err)
	}
	all := map[string]map[string]any{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("translations: %w", err)
		}
		texts := map[string]any{}
		if err := json.Unmarshal(data, &texts); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[strings.TrimSuffix(path.Base(name), ".json")] = texts
	}
	if all["en"] == nil {
		return nil, fmt.Errorf("translations/en.json: %w", fs.ErrNotExist)
	}
	return all, nil
}

// everyForm gives a text that counts the plural forms of any language.
func everyForm(text any) any {
	forms, ok := text.(map[string]any)
	if !ok {
		return text
	}
	all := map[string]any{}
	for _, form := range []string{"zero", "one", "two", "few", "many"} {
		all[form] = forms["other"]
	}
	maps.Copy(all, forms)
	return all
}
