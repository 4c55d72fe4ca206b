package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These tests check who may import whom. They parse the files instead of building them, so
// that the rules hold on every system and with every build tag.

const module = "mac-stats"

// layers lists the top-level folders that a folder's packages may import. No other folder
// has Go packages.
var layers = map[string][]string{
	"app":        {"app", "agents", "sessionmem", "assets"},
	"agents":     {"agents", "sessionmem"},
	"sessionmem": {"sessionmem"},
	"assets":     {},
}

// restricted names modules and packages that only some folders may import.
var restricted = []struct {
	what  string
	users []string // folders, including those below them
	tests bool     // any test may import it too
}{
	{what: "fyne.io/fyne", users: []string{"app/desktop", "app/ui/kit", "app/ui/prose", "app/ui/column", "app/ui/overlay", "app/ui/answer", "app/ui/screentest", "app/cpuwindow", "app/tray", "app/i18n"}},
	{what: "fyne.io/systray", users: []string{"app/desktop", "app/tray"}},
	{what: "github.com/go-gl", users: []string{"app/desktop"}},
	{what: "github.com/gorilla/websocket", users: []string{"app/discord", "app/apptest"}},
	{what: "github.com/netresearch/go-cron", users: []string{"app/schedule"}},
	{what: module + "/app/schedule", users: []string{"app/schedule", "app/backend", "app/cli", "app/config", "app/cpuwindow"}}, // only people make schedules
	{what: "github.com/jackc/pgx", users: []string{"sessionmem/recall/postgres", "sessionmem/recall/recalltest"}},
	{what: "github.com/pgvector/pgvector-go", users: []string{"sessionmem/recall/postgres"}},
	{what: "github.com/pressly/goose", users: []string{"sessionmem/recall/postgres"}},
	{what: "github.com/modelcontextprotocol", users: []string{"agents/mcpclient", "app/mcpserver"}, tests: true},
	{what: "github.com/ollama/ollama", users: []string{"agents", "app"}},
	// Test support, which the program doesn't link; only the demo plays the scripted server.
	{what: module + "/sessionmem/filetest", users: []string{"sessionmem/filetest"}, tests: true},
	{what: module + "/sessionmem/storetest", users: []string{"sessionmem/storetest"}, tests: true},
	{what: module + "/sessionmem/recall/recalltest", users: []string{"sessionmem/recall/recalltest"}, tests: true},
	{what: module + "/agents/testkit", users: []string{"agents/testkit", "app/cli/clitest", "app/demo"}, tests: true},
	{what: module + "/agents/testkit/realollama", users: []string{"agents/testkit/realollama"}, tests: true},
	{what: module + "/app/apptest", users: []string{"app/apptest"}, tests: true},
	{what: module + "/app/ui/screentest", users: []string{"app/ui/screentest"}, tests: true},
	{what: module + "/app/cli/clitest", users: []string{"app/cli/clitest"}, tests: true},
}

// rooms lists, for some folders and those below them, the only packages of ours that they
// may import. Their tests may import more.
var rooms = map[string][]string{
	// Text knows no session.
	"sessionmem/excerpt":         {},
	"sessionmem/linediff":        {},
	"sessionmem/textfold":        {},
	"sessionmem/transcript":      {},
	"sessionmem/recall/analysis": {"sessionmem/textfold"}, // one folding for every search
	"sessionmem/recall/rank":     {"sessionmem/recall/analysis"},
	"sessionmem/recall/index":    {"sessionmem/recall/analysis", "sessionmem/recall/rank", "sessionmem/wholefile"}, // the files that are searched are read elsewhere
	// Programs, machines and languages know neither text nor session.
	"agents/process": {},
	"app/monitor":    {"sessionmem/wholefile"},
	"app/i18n":       {},
	"app/sessionbus": {},
	// Widgets show what they are given.
	"app/ui": {"app/i18n"},
}

// importer is a Go file with its package's folder and its imports.
type importer struct {
	folder  string // slash-separated, below the module's root
	test    bool
	imports []string
}

// violations describes the rules that the file breaks.
func (f importer) violations() []string {
	var found []string
	report := func(format string, args ...any) {
		found = append(found, f.folder+" "+fmt.Sprintf(format, args...))
	}
	top, _, _ := strings.Cut(f.folder, "/")
	allowed, known := layers[top]
	if !known {
		report("is outside the layout")
		return found
	}
	for _, imported := range f.imports {
		if inner, ok := strings.CutPrefix(imported, module+"/"); ok {
			target, _, _ := strings.Cut(inner, "/")
			if !slices.Contains(allowed, target) && !within(f.folder, inner) {
				report("imports %s", inner)
			}
		}
		for room, known := range rooms {
			if inner, ours := strings.CutPrefix(imported, module+"/"); ours && !f.test && within(f.folder, room) && !within(inner, room) && !slices.Contains(known, inner) {
				report("imports %s, which %s must not know", inner, room)
			}
		}
		if within(imported, "github.com/ollama/ollama") && imported != "github.com/ollama/ollama/api" {
			report("imports %s instead of its api alone", imported)
		}
		for _, r := range restricted {
			if within(imported, r.what) && (!f.test || !r.tests) && !slices.ContainsFunc(r.users, func(user string) bool { return within(f.folder, user) }) {
				report("imports %s", strings.TrimPrefix(imported, module+"/"))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// within reports whether a package path is the folder or below it.
func within(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

func TestImportsFollowTheLayout(t *testing.T) {
	files := readImporters(t, "..")
	if len(files) < 20 {
		t.Fatalf("only %d Go files were found; the test looks at the wrong folder", len(files))
	}
	for _, f := range files {
		for _, v := range f.violations() {
			t.Error(v)
		}
	}
}

// readImporters parses the imports of every Go file of the module at root.
func readImporters(t *testing.T, root string) []importer {
	t.Helper()
	var files []importer
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			top := filepath.Dir(file) == filepath.Clean(root) // tools is a separate module
			if file != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || top && (name == "tools" || name == "artifacts")) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parseImporter(root, file)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parseImporter(root, file string) (importer, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return importer{}, err
	}
	folder, err := filepath.Rel(root, filepath.Dir(file))
	if err != nil {
		return importer{}, err
	}
	f := importer{folder: filepath.ToSlash(folder), test: strings.HasSuffix(file, "_test.go")}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, imported)
	}
	return f, nil
}

func TestLayoutFindsWrongArrows(t *testing.T) {
	tests := map[string]struct {
		file importer
		want []string
	}{
		"given the arrows of the layout": {
			file: importer{folder: "app/backend", imports: []string{"fmt", "mac-stats/agents", "mac-stats/agents/ollama", "mac-stats/sessionmem", "mac-stats/assets", "mac-stats/app/config"}},
		},
		"given sessionmem that imports agents": {
			file: importer{folder: "sessionmem", imports: []string{"mac-stats/agents"}},
			want: []string{"sessionmem imports agents"},
		},
		"given sessionmem that imports the model client": {
			file: importer{folder: "sessionmem/recall", imports: []string{"github.com/ollama/ollama/api"}},
			want: []string{"sessionmem/recall imports github.com/ollama/ollama/api"},
		},
		"given agents that import app": {
			file: importer{folder: "agents", imports: []string{"mac-stats/app/config"}},
			want: []string{"agents imports app/config"},
		},
		"given agents that import assets": {
			file: importer{folder: "agents/ollama", imports: []string{"mac-stats/assets"}},
			want: []string{"agents/ollama imports assets"},
		},
		"given assets that import anything of ours": {
			file: importer{folder: "assets", imports: []string{"embed", "mac-stats/sessionmem"}},
			want: []string{"assets imports sessionmem"},
		},
		"given agents with a window": {
			file: importer{folder: "agents", imports: []string{"fyne.io/fyne/v2"}},
			want: []string{"agents imports fyne.io/fyne/v2"},
		},
		"given a test of agents with a window": {
			file: importer{folder: "agents", test: true, imports: []string{"fyne.io/fyne/v2/test"}},
			want: []string{"agents imports fyne.io/fyne/v2/test"},
		},
		"given package main with a window": {
			file: importer{folder: "app", imports: []string{"fyne.io/fyne/v2/app"}},
			want: []string{"app imports fyne.io/fyne/v2/app"},
		},
		"given the monitor with a tray": {
			file: importer{folder: "app/monitor", imports: []string{"fyne.io/systray"}},
			want: []string{"app/monitor imports fyne.io/systray"},
		},
		"given the window and its parts with a window": {
			file: importer{folder: "app/cpuwindow/chat", imports: []string{"fyne.io/fyne/v2", "mac-stats/app/ui/kit"}},
		},
		"given the rows of the index with sessions": {
			file: importer{folder: "sessionmem/recall/index", imports: []string{"mac-stats/sessionmem/recall/rank", "mac-stats/sessionmem/recall/corpus"}},
			want: []string{"sessionmem/recall/index imports sessionmem/recall/corpus, which sessionmem/recall/index must not know"},
		},
		"given markdown with a window": {
			file: importer{folder: "app/ui/markdown", imports: []string{"fyne.io/fyne/v2"}},
			want: []string{"app/ui/markdown imports fyne.io/fyne/v2"},
		},
		"given a widget that knows sessions": {
			file: importer{folder: "app/ui/kit", imports: []string{"mac-stats/app/i18n", "mac-stats/sessionmem"}},
			want: []string{"app/ui/kit imports sessionmem, which app/ui must not know"},
		},
		"given a folder whose name only begins like the window's": {
			file: importer{folder: "app/trayless", imports: []string{"fyne.io/systray"}},
			want: []string{"app/trayless imports fyne.io/systray"},
		},
		"given Discord outside its package": {
			file: importer{folder: "agents", imports: []string{"github.com/gorilla/websocket"}},
			want: []string{"agents imports github.com/gorilla/websocket"},
		},
		"given more of the model server than its api": {
			file: importer{folder: "agents/ollama", imports: []string{"github.com/ollama/ollama/server"}},
			want: []string{"agents/ollama imports github.com/ollama/ollama/server instead of its api alone"},
		},
		"given the scripted server in the program itself": {
			file: importer{folder: "app/cli", imports: []string{"mac-stats/agents/testkit"}},
			want: []string{"app/cli imports agents/testkit"},
		},
		"given the scripted server in a test": {
			file: importer{folder: "app/cli", test: true, imports: []string{"mac-stats/agents/testkit"}},
		},
		"given the real server in the demo": {
			file: importer{folder: "app/demo", imports: []string{"mac-stats/agents/testkit", "mac-stats/agents/testkit/realollama"}},
			want: []string{"app/demo imports agents/testkit/realollama"},
		},
		"given a folder beside the others": {
			file: importer{folder: "internal/store"},
			want: []string{"internal/store is outside the layout"},
		},
		"given a Go file at the root": {
			file: importer{folder: "."},
			want: []string{". is outside the layout"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.file.violations()); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}
