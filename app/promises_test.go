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
	"strconv"
	"strings"
	"testing"
)

// These tests compare docs/promises.md with the tests that it names.

// tested are the groups in which every promise has a test.
var tested = []string{"Ask", "Sessions", "Transcripts", "When the disk is full", "Memory", "Search", "Forget", "Settings", "Kills"}

// promise is a row of the table.
type promise struct {
	group, text string
	tests       []string // as written: package.TestName, package.TestName/subtest, door/NAME, or one of planned and none
	line        int
}

func readPromises(t *testing.T) []promise {
	t.Helper()
	data, err := os.ReadFile("../docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []promise
	group, inTable := "", false
	for i, line := range strings.Split(string(data), "\n") {
		name, heads := strings.CutPrefix(line, "## ")
		switch {
		case heads:
			group, inTable = name, false
		case group == "" || line == "":
		case !inTable:
			if line != "| promise | test |" && line != "|---|---|" {
				t.Errorf("line %d: a group is a table with the columns promise and test", i+1)
			}
			inTable = line == "|---|---|"
		default:
			cells := strings.Split(line, " | ")
			if len(cells) != 2 || !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") {
				t.Errorf("line %d: a row is | promise | test |", i+1)
				continue
			}
			list = append(list, promise{group, strings.TrimPrefix(cells[0], "| "), strings.Split(strings.TrimSuffix(cells[1], " |"), ", "), i + 1})
		}
	}
	return list
}

func TestEveryPromiseNamesItsTest(t *testing.T) {
	tests, literals := namesOfTests(t)
	seen, groups, scripts := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, p := range readPromises(t) {
		groups[p.group] = true
		if before := seen[p.group+p.text]; before > 0 {
			t.Errorf("line %d: line %d has the same promise", p.line, before)
		}
		seen[p.group+p.text] = p.line
		for _, name := range p.tests {
			script, isScript := strings.CutPrefix(name, "door/")
			test, sub, _ := strings.Cut(name, "/")
			switch {
			case name == "planned" || name == "none":
				if len(p.tests) > 1 {
					t.Errorf("line %d: %q stands alone", p.line, name)
				}
				if name == "none" && slices.Contains(tested, p.group) {
					t.Errorf("line %d: in %q every promise has a test: %s", p.line, p.group, p.text)
				}
			case isScript:
				scripts[script] = true
				if _, err := os.Stat("testdata/door/" + script + ".txtar"); err != nil {
					t.Errorf("line %d: there is no script %s: %v", p.line, name, err)
				}
			case !tests[test]:
				t.Errorf("line %d: there is no test %s", p.line, name)
			case sub != "" && !literals[test+"/"+strings.ReplaceAll(sub, "_", " ")]:
				t.Errorf("line %d: %s has no subtest %q", p.line, test, sub)
			}
		}
	}
	for _, group := range tested {
		if !groups[group] {
			t.Errorf("there is no group %q", group)
		}
	}
	files, err := filepath.Glob("testdata/door/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); !scripts[name] {
			t.Errorf("no promise names the script door/%s", name)
		}
	}
}

// namesOfTests returns the tests, benchmarks and fuzz targets of the module as
// package.Name, whatever their build tags, and as package.Name/string the strings in each,
// which the names of its subtests are among.
func namesOfTests(t *testing.T) (tests, literals map[string]bool) {
	t.Helper()
	tests, literals = map[string]bool{}, map[string]bool{}
	isTest := regexp.MustCompile(`^(Test|Benchmark|Fuzz)[^a-z]`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || path == filepath.Join("..", "tools") || path != ".." && strings.HasPrefix(d.Name(), ".")) {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Abs(filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !isTest.MatchString(f.Name.Name) {
				continue
			}
			name := filepath.Base(folder) + "." + f.Name.Name
			tests[name] = true
			ast.Inspect(f, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						literals[name+"/"+text] = true
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests, literals
}
