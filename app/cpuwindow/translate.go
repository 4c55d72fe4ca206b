package cpuwindow

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// English words are the keys of the translations: a text that is not translated is
// shown as it stands in the code. Files are language.json in a folder translations;
// en.json has every key, with its plural forms where it counts something.

// tr is a text in the user's language.
func tr(text string) string { return lang.L(text) }

// Words is a text of the tray's menu, or of its advice, in the user's language.
func Words(english string) string { return tr(english) }

// places is what to fill the {{.Name}} places of a text with.
type places map[string]any

// trWith is a text with such places.
func trWith(text string, p places) string { return lang.L(text, map[string]any(p)) }

// trCount is a text that counts, {{.N}}, in its plural form.
func trCount(text string, n int) string { return lang.N(text, n, map[string]any{"N": n}) }

// AddTranslations gives the texts of a folder translations to Fyne, which chooses by
// the system's languages. What a language lacks is filled with English: Fyne
// complains of every text it misses. Call it once, before the first window.
func AddTranslations(files fs.FS) error {
	all, err := readTranslations(files)
	if err != nil {
		return err
	}
	english := all["en"]
	system := lang.SystemLocale().LanguageString()
	if base, _, ok := strings.Cut(system, "-"); ok {
		system = base
	}
	if all[system] == nil {
		all[system] = map[string]any{}
	}
	for language, texts := range all {
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

// readTranslations reads translations/*.json: by language, text by key.
func readTranslations(files fs.FS) (map[string]map[string]any, error) {
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
