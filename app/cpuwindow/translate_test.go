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
	"slices"
	"strconv"
	"strings"
	"testing"

	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/discord/connection"
	"mac-stats/app/i18n"
)

var update = flag.Bool("update", false, "write assets/translations/en.json from the texts of the code")

const translationsFolder = "../../assets"

// windowFiles returns the Go files of the window and its packages.
func windowFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, folder := range []string{".", "../i18n", "../ui"} {
		err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// textsInCode returns the texts that the window's packages pass to i18n. The value is true for
// texts with plural forms.
func textsInCode(t *testing.T) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	for _, name := range windowFiles(t) {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			text, _ := call.Args[0].(*ast.BasicLit)
			f := translating(call.Fun, file.Name.Name)
			if f == "" || text == nil {
				return true
			}
			s, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts[s] = texts[s] || f == "Count"
			return true
		})
	}
	for _, text := range textsOfTray(t) {
		texts[text] = false
	}
	for _, a := range (&commands{w: new(Window)}).actions() {
		texts[a.Title] = false
	}
	for _, text := range connection.Sentences() {
		texts[text] = false
	}
	for _, text := range slices.Concat(settings.Texts(), chat.Texts(), toolpage.Texts(), schedules.Texts(), faultwords.Texts()) {
		texts[text] = false
	}
	return texts
}

// translating returns the name of the i18n function that an expression names, or "".
func translating(e ast.Expr, pkg string) string {
	name := ""
	switch f := e.(type) {
	case *ast.SelectorExpr:
		if from, _ := f.X.(*ast.Ident); from != nil && from.Name == "i18n" {
			name = f.Sel.Name
		}
	case *ast.Ident:
		if pkg == "i18n" {
			name = f.Name
		}
	}
	if !slices.Contains([]string{"T", "With", "Count"}, name) {
		return ""
	}
	return name
}

// textsOfTray returns the labels of the tray's menu and its advice when there is no tray. They
// are constants that package tray passes to Words.
func textsOfTray(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, name := range []string{"tray.go", "menubar.go", "host_unix.go", "host_windows.go"} {
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

// literal returns the value of a string literal or of several that are added, otherwise "".
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

// German must be complete; texts that another language lacks are shown in English.
func TestEnglishHasEveryText(t *testing.T) {
	texts := textsInCode(t)
	if *update {
		writeEnglish(t, texts)
	}
	english, german := translations(t)["en"], translations(t)["de"]
	for text, counts := range texts {
		got, there := english[text]
		if _, forms := got.(map[string]any); !there || forms != counts {
			t.Errorf("en.json lacks %q; run this test with -update", text)
		}
		if german[text] == nil {
			t.Errorf("de.json lacks %q", text)
		}
	}
	for text := range english {
		if _, used := texts[text]; !used {
			t.Errorf("en.json has %q, which is nowhere", text)
		}
	}
}

// writeEnglish writes en.json. It keeps plural forms, and texts that differ from their key:
// "Memory of the machine" is "Memory".
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
	all, err := i18n.Read(os.DirFS(translationsFolder))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
