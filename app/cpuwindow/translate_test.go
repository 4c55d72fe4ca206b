package cpuwindow

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"fyne.io/fyne/v2/lang"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/config"
	"mac-stats/app/discord/connection"
)

var update = flag.Bool("update", false, "write assets/translations/en.json from the texts of the code")

const translationsFolder = "../../assets"

// textsInCode are the texts the package gives to tr, trWith and trCount; true where
// it counts something.
func textsInCode(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f, _ := call.Fun.(*ast.Ident)
			text, _ := call.Args[0].(*ast.BasicLit)
			if f == nil || text == nil || f.Name != "tr" && f.Name != "trWith" && f.Name != "trCount" {
				return true
			}
			s, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts[s] = texts[s] || f.Name == "trCount"
			return true
		})
	}
	for _, text := range textsOfTray(t) {
		texts[text] = false
	}
	for _, a := range new(Window).shortcutActions() {
		texts[a.title] = false
	}
	for _, text := range connection.Sentences() {
		texts[text] = false
	}
	for _, s := range settingSections() {
		texts[s.title] = false
	}
	for _, s := range config.Settings() {
		texts[settingTitle(s)], texts[s.Help] = false, false
	}
	return texts
}

// textsOfTray are the labels of the tray's menu, and its advice where there is no tray:
// constants of package tray that are given to Words.
func textsOfTray(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, name := range []string{"tray.go", "host_unix.go"} {
		file, err := parser.ParseFile(gotoken.NewFileSet(), filepath.Join("..", "tray", name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, _ := spec.Type.(*ast.Ident)
			if text := literal(t, spec.Values[0]); text != "" && (kind != nil && kind.Name == "label" || strings.HasSuffix(spec.Names[0].Name, "Advice")) {
				texts = append(texts, text)
			}
			return true
		})
	}
	if len(texts) < 15 {
		t.Fatalf("only %d texts of the tray were found", len(texts))
	}
	return texts
}

// literal is a text of literals, joined where there are several; "" of anything else.
func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err != nil || e.Kind != gotoken.STRING {
			return ""
		}
		return s
	case *ast.BinaryExpr:
		return literal(t, e.X) + literal(t, e.Y)
	}
	return ""
}

func TestEnglishHasEveryText(t *testing.T) {
	texts := textsInCode(t)
	if *update {
		writeEnglish(t, texts)
	}
	english := translations(t)["en"]
	for text, counts := range texts {
		got, there := english[text]
		if _, forms := got.(map[string]any); !there || forms != counts {
			t.Errorf("en.json lacks %q; run this test with -update", text)
		}
	}
	for text := range english {
		if _, used := texts[text]; !used {
			t.Errorf("en.json has %q, which is nowhere", text)
		}
	}
}

// writeEnglish keeps the plural forms people wrote, and what they wrote for a key that
// is more than its text: "Memory of the machine" is "Memory".
func writeEnglish(t *testing.T, texts map[string]bool) {
	t.Helper()
	english, before := map[string]any{}, translations(t)["en"]
	for text, counts := range texts {
		english[text] = any(text)
		if s, ok := before[text].(string); ok {
			english[text] = s
		}
		if counts {
			english[text] = map[string]any{"one": text, "other": text}
			if forms, ok := before[text].(map[string]any); ok {
				english[text] = forms
			}
		}
	}
	data, err := json.MarshalIndent(english, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(data))
	if err := os.WriteFile(filepath.Join(translationsFolder, "translations", "en.json"), []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func translations(t *testing.T) map[string]map[string]any {
	t.Helper()
	all, err := readTranslations(os.DirFS(translationsFolder))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A language may lack texts, but has none that are nowhere, the places of each, and
// plural forms where English has them.
func TestEveryLanguageFitsEnglish(t *testing.T) {
	places := regexp.MustCompile(`{{\.\w+}}`)
	all := translations(t)
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

func TestTranslationsAreTakenOver(t *testing.T) {
	if err := AddTranslations(os.DirFS(translationsFolder)); err != nil {
		t.Fatal(err)
	}
	if got := tr("Settings"); got != "Settings" && got != "Einstellungen" {
		t.Errorf("Settings = %q", got)
	}
	english := strings.HasPrefix(lang.SystemLocale().String(), "en")
	if got := trCount("{{.N}} models are installed.", 1); english && got != "One model is installed." {
		t.Errorf("one = %q", got)
	}
	if got := trCount("{{.N}} models are installed.", 3); english && got != "3 models are installed." {
		t.Errorf("three = %q", got)
	}
}

func TestReadTranslations_refuses(t *testing.T) {
	for name, files := range map[string]fs.FS{
		"no English":  fstest.MapFS{"translations/de.json": {Data: []byte(`{}`)}},
		"broken JSON": fstest.MapFS{"translations/en.json": {Data: []byte(`{"a": `)}},
	} {
		if err := AddTranslations(files); err == nil {
			t.Errorf("given %s: no error", name)
		}
	}
}
