package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These tests compare CONTRIBUTING.md with the code: its map, the names in it, the way of a
// message.

// contributing returns a section of CONTRIBUTING.md, or all of it for "".
func contributing(t *testing.T, section string) string {
	t.Helper()
	data, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if section == "" {
		return text
	}
	_, text, found := strings.Cut(text, "\n## "+section+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

func TestTheMapHasEveryPackage(t *testing.T) {
	mapped := map[string]bool{}
	for line := range strings.Lines(contributing(t, "Map")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range quotedIn(cells[1]) {
				mapped[name] = true
			}
		}
	}
	packages := map[string]bool{}
	for _, f := range readImporters(t, "..") {
		packages[f.folder] = true
		if !mapped[f.folder] && !strings.HasSuffix(f.folder, "test") { // packages for tests may be missing
			t.Errorf("%s is not on the map of CONTRIBUTING.md: add a line that says what it is for", f.folder)
			mapped[f.folder] = true
		}
	}
	for name := range mapped {
		if !packages[name] {
			t.Errorf("the map of CONTRIBUTING.md has %s, which is no package", name)
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

func TestNamesInContributingExist(t *testing.T) {
	text := contributing(t, "")
	for _, m := range regexp.MustCompile("`((?:app|agents|sessionmem|assets|scripts|\\.github)/[\\w./-]+)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("CONTRIBUTING.md names %s: %v", m[1], err)
		}
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`make ([a-z0-9-]+)").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(string(makefile), "\n"+m[1]+":") {
			t.Errorf("CONTRIBUTING.md names `make %s`, which is no target", m[1])
		}
	}
}

// The functions in the diagram exist, and each is called by name in one above it, so that a
// reader can follow the diagram in the code.
func TestTheWayOfAMessage(t *testing.T) {
	_, diagram, _ := strings.Cut(contributing(t, "The way of a message"), "```\n")
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
