// Package i18n translates texts, counts and dates into the user's language.
//
// English is the key: a text without a translation is shown as it is in the code. T
// translates a plain text, With one with {{.Name}} places, and Count one with a count,
// {{.N}}. They only take literals: a test of the window reads the code and compares it with
// assets/translations/en.json.
//
// The package draws nothing and holds only the texts. Fyne stores them and chooses the
// system's language; Load is called once, before the first window. Files, logs and prompts
// are in English and don't use this package.
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

// T returns a text in the user's language.
func T(text string) string { return lang.L(text) }

// Places fills the {{.Name}} places of a text.
type Places map[string]any

// With returns a text with its places filled, in the user's language.
func With(text string, p Places) string { return lang.L(text, map[string]any(p)) }

// Count returns a text with a count, {{.N}}, in its plural form: 5,360 conversations.
func Count(text string, n int) string { return lang.N(text, n, map[string]any{"N": Thousands(n)}) }

// Translated translates a text, such as an error, that another package made by filling the
// {{.Name}} places of one of the texts. A filled place may itself come from one of them. A
// text that comes from none is returned unchanged.
func Translated(made string, texts []string) string {
	text, places := Match(made, texts)
	if text == "" {
		return made
	}
	for name, filling := range places {
		places[name] = Translated(filling.(string), texts)
	}
	return With(text, places)
}

// Match returns the first of the texts that made could come from, with the content of its
// places; "" if there is none. {{.Line}} and {{.Number}} are numbers.
func Match(made string, texts []string) (text string, p Places) {
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
		if filled := regexp.MustCompile(form + `$`).FindStringSubmatch(made); filled != nil {
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

// Load passes the texts of translations/*.json in the system's language to Fyne. There is
// one file per language; en.json has every key with its plural forms. A missing translation
// is filled with English, because Fyne logs every missing text. Other languages stay on
// disk, because each would take nearly 1 MB of memory for as long as the app runs.
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
		// If Fyne knows no closer name for this language, it falls back to English.
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

// Read reads translations/*.json and returns each language's texts by key.
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

// everyForm gives a text with a count the plural forms of every language.
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
