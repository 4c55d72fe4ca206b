package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
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
	{what: "github.com/gorilla/websocket", users: []string{"app/discord"}},
	{what: "github.com/netresearch/go-cron", users: []string{"app/schedule"}},
	{what: module + "/app/schedule", users: []string{"app/schedule", "app/backend", "app/cli", "app/config", "app/cpuwindow"}}, // only people make schedules
	{what: "github.com/jackc/pgx", users: []string{"sessionmem/recall/postgres"}},
	{what: "github.com/pgvector/pgvector-go", users: []string{"sessionmem/recall/postgres"}},
	{what: "github.com/pressly/goose", users: []string{"sessionmem/recall/postgres"}},
	{what: module + "/sessionmem/recall/postgres/postgrestest", users: []string{"sessionmem/recall/postgres/postgrestest"}, tests: true},
	{what: "github.com/modelcontextprotocol", users: []string{"agents/mcpclient", "app/mcpserver"}, tests: true},
	{what: "github.com/ollama/ollama", users: []string{"agents", "app"}},
	{what: module + "/agents/ollamatest", users: []string{"agents/ollamatest", "app/cli/clitest", "app/demo"}, tests: true},
	{what: module + "/agents/ollamatest/realollama", users: []string{"agents/ollamatest/realollama"}, tests: true},
	{what: module + "/app/discord/discordtest", users: []string{"app/discord/discordtest"}, tests: true},
	{what: module + "/sessionmem/filetest", users: []string{"sessionmem/filetest"}, tests: true},
	{what: module + "/sessionmem/textfold/textfoldtest", users: []string{"sessionmem/textfold/textfoldtest"}, tests: true},
	{what: module + "/sessionmem/storetest", users: []string{"sessionmem/storetest"}, tests: true},
	{what: module + "/app/ui/uitest", users: []string{"app/ui/uitest"}, tests: true},
	{what: module + "/app/cpuwindow/windowtest", users: []string{"app/cpuwindow/windowtest"}, tests: true},
	{what: module + "/app/ui/screentest", users: []string{"app/ui/screentest"}, tests: true},
	{what: module + "/app/cli/clitest", users: []string{"app/cli/clitest"}, tests: true},
	{what: module + "/app/tray/traytest", users: []string{"app/tray/traytest"}, tests: true},
}

// rooms lists, for some folders and those below them, the only packages of ours that they
// may import. Their tests may import more.
var rooms = map[string][]string{
	"agents/fetch":     {"agents/tools", "sessionmem/excerpt", "sessionmem/transcript"},
	"agents/agenttest": {"agents/registry", "sessionmem/excerpt", "sessionmem/recall/analysis", "sessionmem/wholefile"},
	"agents/registry":  {"sessionmem/excerpt", "sessionmem/memory", "sessionmem/wholefile"},
	"agents/process":   {},
	"agents/loop":      {"sessionmem/transcript"},
	"agents/background": {
		"agents/loop", "agents/ollama", "agents/prompt", "sessionmem", "sessionmem/compact", "sessionmem/excerpt", "sessionmem/lesson", "sessionmem/memory", "sessionmem/recall", "sessionmem/session", "sessionmem/summary", "sessionmem/transcript",
	},
	"agents/fault":     {"agents/ollama", "agents/registry", "sessionmem/session", "sessionmem/excerpt", "sessionmem/transcript"},
	"agents/delegate":  {"agents/prompt", "agents/registry", "agents/tools"},
	"agents/lessons":   {"agents/prompt", "agents/registry", "agents/tools", "sessionmem/excerpt", "sessionmem/memory", "sessionmem/memorytext", "sessionmem/sharedfile", "sessionmem/transcript"},
	"agents/passages":  {"agents/background", "agents/prompt", "agents/tools", "sessionmem", "sessionmem/excerpt", "sessionmem/recall", "sessionmem/recall/analysis", "sessionmem/recall/corpus", "sessionmem/transcript"},
	"agents/command":   {"agents/process", "agents/tools", "sessionmem/transcript"},
	"agents/mcpclient": {"agents/ollama", "agents/process", "agents/registry", "agents/tools", "sessionmem/excerpt", "sessionmem/transcript", "sessionmem/wholefile"},
	"agents/tools":     {"agents/registry", "sessionmem/excerpt", "sessionmem/transcript", "sessionmem/wholefile"},
	"agents/prompt":    {"agents/registry", "agents/tools", "sessionmem/excerpt", "sessionmem/memory", "sessionmem/memorytext", "sessionmem/recall/analysis", "sessionmem/recall/rank", "sessionmem/transcript"},

	"sessionmem/excerpt":         {},
	"sessionmem/transcript":      {},
	"sessionmem/alive":           {},
	"sessionmem/loopback":        {},
	"sessionmem/textfold":        {},
	"sessionmem/watch":           {"sessionmem/wholefile"},
	"sessionmem/forgotten":       {"sessionmem/textfold", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/lesson":          {"sessionmem/transcript"},
	"sessionmem/linediff":        {},
	"sessionmem/memorytext":      {"sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/memory":          {"sessionmem/forgotten", "sessionmem/lesson", "sessionmem/linediff", "sessionmem/memorytext", "sessionmem/sharedfile", "sessionmem/textfold", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/sharedfile":      {"sessionmem/lesson", "sessionmem/memorytext", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/wholefile":       {"sessionmem/alive"},
	"sessionmem/sessiondir":      {"sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/sessionstate":    {"sessionmem/sessiondir", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/sieve":           {"sessionmem/forgotten", "sessionmem/sessiondir", "sessionmem/summary", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/catalog":         {"sessionmem/sessiondir", "sessionmem/sieve", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/places":          {"sessionmem/catalog", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/erase":           {"sessionmem/catalog", "sessionmem/forgotten", "sessionmem/sessiondir", "sessionmem/sieve", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/trash":           {"sessionmem/catalog", "sessionmem/sessiondir", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/session":         {"sessionmem/branch", "sessionmem/catalog", "sessionmem/erase", "sessionmem/forgotten", "sessionmem/journal", "sessionmem/sessiondir", "sessionmem/sieve", "sessionmem/summary", "sessionmem/transcript", "sessionmem/turn", "sessionmem/wholefile"},
	"sessionmem/turn":            {"sessionmem/sessiondir", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/journal":         {"sessionmem/branch", "sessionmem/catalog", "sessionmem/forgotten", "sessionmem/sessiondir", "sessionmem/sieve", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/branch":          {"sessionmem/transcript"},
	"sessionmem/attach":          {"sessionmem/pdftext", "sessionmem/sessiondir", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/wordsearch":      {"sessionmem", "sessionmem/textfold", "sessionmem/transcript"},
	"sessionmem/summary":         {"sessionmem/forgotten", "sessionmem/lesson", "sessionmem/memory", "sessionmem/recall/analysis", "sessionmem/transcript"},
	"sessionmem/compact":         {"sessionmem", "sessionmem/lesson", "sessionmem/memory", "sessionmem/session", "sessionmem/summary", "sessionmem/transcript", "sessionmem/wholefile"},
	"sessionmem/recall/analysis": {},
	"sessionmem/recall/rank":     {"sessionmem/recall/analysis"},
	"sessionmem/recall/corpus": {
		"sessionmem", "sessionmem/catalog", "sessionmem/forgotten", "sessionmem/memory", "sessionmem/memorytext", "sessionmem/places", "sessionmem/recall/analysis", "sessionmem/recall/engine/format", "sessionmem/transcript",
	},
	"sessionmem/recall/indexfile": {"sessionmem/recall/engine", "sessionmem/recall/engine/tables", "sessionmem/wholefile"},
	"sessionmem/recall/indexing": {
		"sessionmem/places", "sessionmem/recall/analysis", "sessionmem/recall/corpus", "sessionmem/recall/engine", "sessionmem/recall/engine/format", "sessionmem/recall/engine/tables",
		"sessionmem/recall/indexfile", "sessionmem/transcript",
	},
	"sessionmem/recall/engine": {
		"sessionmem/recall/analysis", "sessionmem/recall/engine/format", "sessionmem/recall/engine/tables", "sessionmem/recall/engine/vectors", "sessionmem/recall/rank",
	},
	"sessionmem/recall/engine/format":  {"sessionmem/recall/analysis"},
	"sessionmem/recall/engine/tables":  {"sessionmem/recall/analysis", "sessionmem/recall/engine/format"},
	"sessionmem/recall/engine/vectors": {"sessionmem/recall/engine/format", "sessionmem/recall/engine/tables"},
	"sessionmem/recall/postgres":       {"sessionmem/forgotten", "sessionmem/loopback", "sessionmem/recall", "sessionmem/recall/analysis", "sessionmem/recall/corpus", "sessionmem/recall/rank", "sessionmem/transcript"},

	"app/importer":    {"sessionmem/transcript"},
	"app/exporter":    {"app/ui/formula", "sessionmem/transcript"},
	"app/schedule":    {"sessionmem/wholefile"},
	"app/mcpserver":   {"agents/passages", "agents/tools", "app/config", "sessionmem/memory", "sessionmem/memorytext", "sessionmem/recall", "sessionmem/recall/corpus"},
	"app/i18n":        {},
	"app/osopen":      {"app/sessionbus"},
	"app/sessionbus":  {},
	"app/ui/markdown": {"app/ui/formula"},
	"app/ui/formula":  {},
	"app/ui/kit":      {"app/i18n"},
	"app/ui/prose":    {"app/ui/kit"},
	"app/ui/column":   {"app/i18n", "app/ui/kit", "app/ui/prose"},
	"app/ui/overlay":  {"app/i18n", "app/ui/column", "app/ui/kit", "app/ui/prose"},
	"app/ui/answer":   {"app/i18n", "app/ui/column", "app/ui/kit", "app/ui/markdown", "app/ui/prose"},

	"app/cli/words":   {},
	"app/cli/cmdline": {"agents", "agents/fault", "agents/ollama", "app/backend", "app/cli/words", "app/config", "sessionmem/attach", "sessionmem/loopback", "sessionmem/transcript"},
	"app/cli/askcmd": {
		"agents", "agents/fault", "agents/ollama", "agents/prompt", "app/backend", "app/cli/cmdline", "app/cli/sessioncmd", "app/cli/words", "sessionmem/attach", "sessionmem/session", "sessionmem/transcript",
	},
	"app/cli/sessioncmd": {
		"app/backend", "app/cli/cmdline", "app/cli/words", "app/exporter", "app/importer", "sessionmem", "sessionmem/compact", "sessionmem/session", "sessionmem/transcript", "sessionmem/wordsearch",
	},
	"app/cli/memorycmd": {
		"agents", "agents/fault", "agents/ollama", "app/backend", "app/cli/agentcmd", "app/cli/cmdline", "app/cli/sessioncmd", "app/cli/words", "sessionmem/forget", "sessionmem/forgotten", "sessionmem/memory", "sessionmem/memorytext", "sessionmem/recall", "sessionmem/recall/indexfile", "sessionmem/recall/postgres", "sessionmem/session", "sessionmem/sharedfile",
	},
	"app/cli/agentcmd":    {"agents", "agents/agenttest", "agents/fault", "agents/registry", "app/backend", "app/cli/cmdline", "app/cli/words"},
	"app/cli/modelcmd":    {"agents/ollama", "app/backend", "app/cli/cmdline", "app/cli/words"},
	"app/cli/schedulecmd": {"app/backend", "app/cli/cmdline", "app/cli/words", "app/schedule"},
	"app/cli/discordcmd":  {"app/backend", "app/cli/cmdline", "app/cli/words", "app/discord/channels", "app/discord/connection", "app/discord/token"},
	"app/cli/toolcmd":     {"agents/mcpclient", "agents/tools", "app/backend", "app/cli/cmdline", "app/cli/words", "app/config", "app/mcpserver", "sessionmem/recall"},
	"app/cli/doctorcmd": {
		"agents", "agents/fault", "agents/ollama", "agents/registry", "app/backend", "app/cli/cmdline", "app/cli/discordcmd", "app/cli/memorycmd", "app/cli/modelcmd", "app/cli/words", "app/config", "app/crash", "app/discord/connection", "app/monitor", "app/sessionbus", "sessionmem/recall", "sessionmem/recall/postgres",
	},

	"app/cpuwindow/vitals": {"app/i18n", "app/monitor", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose"},
	"app/cpuwindow/models": {"agents", "agents/fault", "agents/ollama", "app/cpuwindow/faultwords", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose"},
	"app/cpuwindow/pages": {
		"agents", "agents/registry", "app/config", "app/cpuwindow/conversation", "app/i18n", "app/ui/answer", "app/ui/column", "app/ui/kit", "app/ui/markdown", "app/ui/overlay", "app/ui/prose", "sessionmem/linediff", "sessionmem/memory", "sessionmem/memorytext",
	},
	"app/cpuwindow/schedules": {"app/cpuwindow/faultwords", "app/i18n", "app/schedule", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose"},
	"app/cpuwindow/toolpage":  {"agents/mcpclient", "agents/tools", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/prose"},
	"app/cpuwindow/settings": {
		"app/config", "app/cpuwindow/indexwords", "app/cpuwindow/shortcuts", "app/discord/botstate", "app/discord/channels", "app/discord/connection", "app/i18n", "app/importer", "app/ui/column", "app/ui/kit", "app/ui/prose", "sessionmem/recall",
	},
	"app/cpuwindow/compose": {"agents", "app/cpuwindow/conversation", "app/i18n", "app/ui/kit", "app/ui/prose"},
	"app/cpuwindow/chat": {
		"agents", "agents/fault", "app/cpuwindow/compose", "app/cpuwindow/conversation", "app/cpuwindow/faultwords", "app/i18n", "app/ui/answer", "app/ui/column", "app/ui/kit", "app/ui/markdown", "app/ui/prose", "sessionmem/forgotten", "sessionmem/transcript",
	},
	"app/cpuwindow/windowtest": {"agents", "app/monitor"},
	"app/cpuwindow/find":       {"app/i18n", "app/ui/column", "app/ui/kit", "app/ui/prose"},
	"app/cpuwindow/slash":      {"app/i18n", "app/ui/column", "app/ui/kit"},
	"app/cpuwindow/remember":   {"app/cpuwindow/compose", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose", "sessionmem/lesson", "sessionmem/memory"},
	"app/cpuwindow/transcripts": {
		"app/cpuwindow/chat", "app/cpuwindow/conversation", "app/cpuwindow/find", "app/cpuwindow/sessions", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/prose", "sessionmem/transcript",
	},
	"app/cpuwindow/sessions":   {"app/cpuwindow/indexwords", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose", "sessionmem/recall", "sessionmem/recall/analysis", "sessionmem/sessionstate", "sessionmem/textfold", "sessionmem/transcript", "sessionmem/wordsearch"},
	"app/cpuwindow/shortcuts":  {"app/config", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay"},
	"app/cpuwindow/faultwords": {"app/i18n"},
	"app/cpuwindow/appearance": {"app/config", "app/ui/kit", "sessionmem/wholefile"},
	"app/cpuwindow/chats":      {"agents", "agents/fault", "app/config", "app/cpuwindow/conversation", "app/i18n", "sessionmem/memory", "sessionmem/session", "sessionmem/transcript"},
	"app/cpuwindow/chatpane": {
		"agents", "agents/ollama", "agents/registry", "app/cpuwindow/chat", "app/cpuwindow/chats", "app/cpuwindow/compose", "app/cpuwindow/conversation", "app/cpuwindow/find", "app/cpuwindow/header", "app/cpuwindow/options",
		"app/cpuwindow/setup", "app/cpuwindow/shortcuts", "app/cpuwindow/slash", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/markdown", "app/ui/overlay", "app/ui/prose", "sessionmem/attach", "sessionmem/session", "sessionmem/transcript",
	},
	"app/cpuwindow/opening":      {"app/i18n", "app/osopen", "app/ui/overlay", "sessionmem/transcript"},
	"app/cpuwindow/clipimage":    {"app/winclip"},
	"app/cpuwindow/forgetsheet":  {"app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose", "sessionmem/forget", "sessionmem/forgotten", "sessionmem/transcript"},
	"app/cpuwindow/header":       {"agents/ollama", "agents/registry", "app/cpuwindow/compose", "app/cpuwindow/models", "app/i18n", "app/ui/kit", "sessionmem/transcript"},
	"app/cpuwindow/library":      {"app/cpuwindow/sessions", "app/exporter", "app/i18n", "app/osopen", "sessionmem/session", "sessionmem/sessionstate", "sessionmem/transcript"},
	"app/cpuwindow/notices":      {"app/backend", "app/cpuwindow/schedules", "app/cpuwindow/settings", "app/i18n", "app/ui/kit", "app/ui/prose", "sessionmem/memory"},
	"app/cpuwindow/options":      {"agents/ollama", "app/cpuwindow/compose", "app/cpuwindow/models", "app/i18n", "app/ui/column", "app/ui/kit", "app/ui/overlay", "app/ui/prose", "sessionmem/transcript"},
	"app/cpuwindow/setup":        {"agents/ollama", "app/cpuwindow/models", "app/cpuwindow/vitals", "app/i18n", "app/ui/answer", "app/ui/column", "app/ui/kit", "app/ui/prose"},
	"app/cpuwindow/indexwords":   {"app/i18n", "sessionmem/recall"},
	"app/cpuwindow/conversation": {"agents", "agents/fault", "agents/lessons", "agents/ollama", "agents/prompt", "agents/registry", "agents/tools", "app/cpuwindow/faultwords", "app/i18n", "app/ui/markdown", "sessionmem/attach", "sessionmem/forgotten", "sessionmem/memory", "sessionmem/session", "sessionmem/transcript", "sessionmem/wholefile"},
}

// emptyNames are package names that say nothing about the content.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared"}

// importer is a Go file with its package's folder and its imports.
type importer struct {
	folder  string // slash-separated, below the module's root
	name    string // of the package
	test    bool
	imports []string
}

// violations describes the rules that the file breaks.
func (f importer) violations() []string {
	var found []string
	report := func(format string, args ...any) {
		found = append(found, f.folder+" "+fmt.Sprintf(format, args...))
	}
	if slices.Contains(emptyNames, strings.TrimSuffix(f.name, "_test")) || slices.Contains(emptyNames, path.Base(f.folder)) {
		report("is a package called %s", path.Base(f.folder))
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
	f := importer{folder: filepath.ToSlash(folder), name: parsed.Name.Name, test: strings.HasSuffix(file, "_test.go")}
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
			file: importer{folder: "app", name: "main", imports: []string{"fyne.io/fyne/v2/app"}},
			want: []string{"app imports fyne.io/fyne/v2/app"},
		},
		"given the monitor with a tray": {
			file: importer{folder: "app/monitor", imports: []string{"fyne.io/systray"}},
			want: []string{"app/monitor imports fyne.io/systray"},
		},
		"given the window and its parts with a window": {
			file: importer{folder: "app/cpuwindow/chat", imports: []string{"fyne.io/fyne/v2", "mac-stats/app/ui/kit"}},
		},
		"given markdown with a window": {
			file: importer{folder: "app/ui/markdown", imports: []string{"fyne.io/fyne/v2"}},
			want: []string{"app/ui/markdown imports fyne.io/fyne/v2"},
		},
		"given a widget that knows sessions": {
			file: importer{folder: "app/ui/kit", imports: []string{"mac-stats/app/i18n", "mac-stats/sessionmem"}},
			want: []string{"app/ui/kit imports sessionmem, which app/ui/kit must not know"},
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
			file: importer{folder: "app/cli", imports: []string{"mac-stats/agents/ollamatest"}},
			want: []string{"app/cli imports agents/ollamatest"},
		},
		"given the scripted server in a test": {
			file: importer{folder: "app/cli", test: true, imports: []string{"mac-stats/agents/ollamatest"}},
		},
		"given the real server in the demo": {
			file: importer{folder: "app/demo", imports: []string{"mac-stats/agents/ollamatest", "mac-stats/agents/ollamatest/realollama"}},
			want: []string{"app/demo imports agents/ollamatest/realollama"},
		},
		"given a package that is called util": {
			file: importer{folder: "app/util"},
			want: []string{"app/util is a package called util"},
		},
		"given a folder beside the others": {
			file: importer{folder: "internal/store", name: "store"},
			want: []string{"internal/store is outside the layout"},
		},
		"given a Go file at the root": {
			file: importer{folder: ".", name: "main"},
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
