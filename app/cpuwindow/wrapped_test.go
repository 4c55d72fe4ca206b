package cpuwindow

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shown lists functions, exported or not, whose arguments at these positions are shown to people.
func shown() map[string][]int {
	return map[string][]int{
		"newButton": {1}, "newLabel": {0}, "text": {0}, "muted": {0}, "small": {0}, "bold": {0}, "title": {0},
		"textRow": {0}, "newParagraph": {0}, "newEditRow": {1, 2}, "newLineField": {0, 1}, "newDivider": {0}, "reword": {1},
		"confirm": {1, 2, 3}, "tell": {0, 1}, "offer": {0, 1}, "offerTo": {0}, "say": {0}, "warn": {0}, "pill": {0}, "setText": {0},
		"newMenuItem": {0}, "newMenu": {0}, "setPlaceHolder": {0}, "setTitleText": {0}, "setConfirmText": {0},
	}
}

// shownFields lists fields of literals and widgets that are shown to people.
func shownFields() []string {
	return []string{"title", "meta", "heading", "label", "scope", "PlaceHolder", "Label"}
}

// unwrapped finds the literals with a word in an expression that don't pass through T, With or
// Count. It ignores arguments of functions other than those that build texts: they are keys or
// date layouts.
func unwrapped(e ast.Expr) []string {
	word := regexp.MustCompile(`\p{L}{3,}`)
	var found []string
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.IndexExpr:
			return false
		case *ast.CallExpr:
			return slices.Contains([]string{"Or", "Sprintf", "Shorten", "Capital", "Sentence", "append"}, calledName(n))
		case *ast.BasicLit:
			if n.Kind == gotoken.STRING && word.MatchString(n.Value) && !slices.Contains(names(), strings.Trim(n.Value, `"`)) {
				found = append(found, n.Value)
			}
		}
		return true
	})
	return found
}

// names are the same in every language.
func names() []string { return []string{"mac-stats", "mac-stats ", "soul.md"} }

func calledName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func lowerFirst(name string) string {
	if name == "" || name == "Warn" { // the logger's
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func TestUnwrappedFindsLiterals(t *testing.T) {
	for source, want := range map[string]int{
		`i18n.T("Save")`: 0, `"Save"`: 1, `"Save " + name`: 1, `i18n.With("Save {{.Name}}", i18n.Places{"Name": name})`: 0, `cmp.Or(name, "the model")`: 1,
		`fmt.Sprintf("%d new", n)`: 1, `fmt.Sprintf("%d %%", n)`: 0, `at.Format("2 January")`: 0, `"· "`: 0, `map[bool]string{true: "Wrap"}[on]`: 0,
	} {
		e, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := unwrapped(e); len(got) != want {
			t.Errorf("in %s are %q", source, got)
		}
	}
}

// Every text of a button, a label, a menu, a hint or a message is translated, so that en.json is
// complete.
func TestEveryTextShownIsWrapped(t *testing.T) {
	places, fields, seen := shown(), shownFields(), 0
	for _, name := range windowFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := gotoken.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := func(e ast.Expr) {
			seen++
			for _, text := range unwrapped(e) {
				t.Errorf("%s: %s is not translated: give it to i18n.T, With or Count", set.Position(e.Pos()), text)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, i := range places[lowerFirst(calledName(n))] {
					if i < len(n.Args) {
						check(n.Args[i])
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(fields, key.Name) {
					check(n.Value)
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if field, ok := left.(*ast.SelectorExpr); ok && slices.Contains(fields, field.Sel.Name) && i < len(n.Rhs) {
						check(n.Rhs[i])
					}
				}
			}
			return true
		})
	}
	if seen < 300 {
		t.Errorf("only %d texts were looked at", seen)
	}
}
