package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// These tests keep the documents true: their links, the files and targets they name, and
// CONTRIBUTING.md's map and the way of a turn. Those of app/cli check the commands and settings
// that they name.

// documents returns the texts that people read, by their names.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range append(names, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.ToSlash(name[len("../"):])] = string(data)
	}
	return texts
}

// A newcomer reads README on one page, and CONTRIBUTING in ten minutes.
func TestTheDoorStaysShort(t *testing.T) {
	for name, most := range map[string]int{"README.md": 150, "CONTRIBUTING.md": 200} {
		if lines := strings.Count(documents(t)[name], "\n"); lines > most {
			t.Errorf("%s has %d lines, %d at most: move details to docs/", name, lines, most)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

func TestLinksInTheDocuments(t *testing.T) {
	texts := documents(t)
	found := 0
	for name, text := range texts {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			found++
			target, anchor, _ := strings.Cut(m[1], "#")
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s links to %s, which doesn't exist", name, m[1])
			} else if anchor != "" && !anchors(texts[file])[anchor] {
				t.Errorf("%s links to %s, but %s has no such heading", name, m[1], file)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d links were found", found)
	}
	for name := range texts {
		if strings.HasPrefix(name, "docs/") && !strings.Contains(texts["README.md"]+texts["CONTRIBUTING.md"], "("+name+")") {
			t.Errorf("neither README.md nor CONTRIBUTING.md links to %s", name)
		}
	}
}

// anchors returns the headings of a page as links name them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return all
}

// Every module that go.mod requires by itself has a line that says what it is for.
func TestEachDependencyIsExplained(t *testing.T) {
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for line := range strings.Lines(documents(t)["docs/dependencies.md"]) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			for _, name := range quotedIn(cells[1]) {
				explained[name] = true
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(data), -1) {
		if !explained[m[1]] {
			t.Errorf("docs/dependencies.md has no line for %s", m[1])
		}
		delete(explained, m[1])
	}
	for name := range explained {
		t.Errorf("docs/dependencies.md has %s, which go.mod doesn't require", name)
	}
}

// contributing returns a section of CONTRIBUTING.md.
func contributing(t *testing.T, section string) string {
	t.Helper()
	_, text, found := strings.Cut(documents(t)["CONTRIBUTING.md"], "\n## "+section+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// The map names every folder at which a reader can begin: the layers and what is directly in
// them.
func TestTheMapHasEveryFolder(t *testing.T) {
	mapped := map[string]bool{}
	for line := range strings.Lines(contributing(t, "Map")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range quotedIn(cells[1]) {
				mapped[name] = true
			}
		}
	}
	for _, f := range readImporters(t, "..") {
		parts := strings.SplitN(f.folder, "/", 3)
		folder := strings.Join(parts[:min(2, len(parts))], "/")
		if !mapped[folder] && !strings.HasSuffix(folder, "test") { // packages for tests may be missing
			t.Errorf("%s is not on the map of CONTRIBUTING.md: add what it is for", folder)
			mapped[folder] = true
		}
	}
}

func quotedIn(text string) []string {
	var list []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

func TestNamesInTheDocumentsExist(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	file := regexp.MustCompile("(?:^|[\\s`])((?:app|agents|sessionmem|assets|scripts|docs|\\.github)/[\\w./-]*\\w)")
	target := regexp.MustCompile("`make ([a-z0-9-]+)")
	for name, text := range documents(t) {
		if name == "CONTRIBUTING.md" || name == "docs/decisions.md" || name == "docs/systems.md" { // in others, agents/ is in the data folder
			for _, m := range file.FindAllStringSubmatch(text, -1) {
				if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
					t.Errorf("%s names %s: %v", name, m[1], err)
				}
			}
		}
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names `make %s`, which is no target", name, m[1])
			}
		}
	}
}

// The functions in the diagram exist, and each is called by name in one above it, so that a
// reader can follow the diagram in the code.
func TestTheWayOfATurn(t *testing.T) {
	_, diagram, _ := strings.Cut(contributing(t, "A turn"), "```\n")
	diagram, _, _ = strings.Cut(diagram, "```")
	calls := functions(t, "../agents", "../sessionmem", "../app/cpuwindow")
	var above []string
	line := regexp.MustCompile(`^ *([A-Za-z]+\.[A-Za-z]+(?: → [A-Za-z.]+)*)(?:  |$)`)
	for text := range strings.Lines(diagram) {
		m := line.FindStringSubmatch(strings.TrimRight(text, "\n"))
		if m == nil {
			continue
		}
		owner := ""
		for _, name := range strings.Split(m[1], " → ") {
			if !strings.Contains(name, ".") {
				name = owner + "." + name
			}
			owner, _, _ = strings.Cut(name, ".")
			_, short, _ := strings.Cut(name, ".")
			if calls[name] == nil {
				t.Errorf("the diagram has %s, which is no function", name)
			} else if len(above) > 0 && !slices.ContainsFunc(above, func(f string) bool { return calls[f][short] }) {
				t.Errorf("the diagram has %s, which nothing above it names", name)
			}
			above = append(above, name)
		}
	}
	if len(above) < 20 {
		t.Errorf("only %d functions were read from the diagram", len(above))
	}
}

// functions returns the functions of some folders as "Type.method" or "package.Func", with
// the names that each body contains.
func functions(t *testing.T, folders ...string) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					addNames(all, ownerOf(f, parsed.Name.Name)+"."+f.Name.Name, f.Body)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// ownerOf returns a method's type, or else the package.
func ownerOf(f *ast.FuncDecl, pkg string) string {
	if f.Recv == nil {
		return pkg
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if name, ok := kind.(*ast.Ident); ok {
		return name.Name
	}
	return pkg
}

func addNames(all map[string]map[string]bool, name string, body ast.Node) {
	names := all[name]
	if names == nil {
		names = map[string]bool{}
		all[name] = names
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
}
