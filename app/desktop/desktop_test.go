package desktop

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

func TestNewWithoutADisplay(t *testing.T) {
	// given no display
	for _, key := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"} {
		t.Setenv(key, "")
	}
	if _, err := findDisplay(os.Getenv); err == nil {
		return // other systems' displays aren't in the environment
	}
	// when the app is created, then it returns an error instead of panicking
	_, err := New(Params{})
	if !errors.Is(err, ErrNoDisplay) {
		t.Errorf("got %v, want ErrNoDisplay", err)
	}
}

func TestTheToolkitSavesNothingAtTheEnd(t *testing.T) {
	a := test.NewTempApp(t)
	l, ok := a.Lifecycle().(interface {
		OnStopped() func()
		SetOnStoppedHookExecuted(f func())
	})
	if !ok {
		t.Fatal("Fyne's lifecycle has no stop hook to drop any more: see dropStopHook")
	}
	// given an app that saves its preferences when it stops
	l.SetOnStoppedHookExecuted(func() { t.Error("they were saved") })
	// when the hook is removed
	dropStopHook(a)
	// then Fyne has nothing left to queue
	if hook := l.OnStopped(); hook != nil {
		t.Error("Fyne would still queue it while it closes its queue")
		hook()
	}
}

func TestDroppedContentReturnsWhenShown(t *testing.T) {
	a := test.NewTempApp(t)
	entry := widget.NewEntry()
	w := test.NewTempWindow(t, entry)
	w.Canvas().Focus(entry)
	d := &Desktop{app: a, loop: newLoop(func(func()) {}, never, ignore, time.Second, make(wakeChannel, 1))}
	// given a hidden app, when it releases memory
	d.releaseDrawing()
	d.hidden.cancel()
	// then its windows keep their content, and the focus stays
	if w.Content() != entry || w.Canvas().Focused() != entry {
		t.Errorf("the window holds %T, and %T has the focus", w.Content(), w.Canvas().Focused())
	}
}

// A call that bypasses Desktop.Do waits behind the parked loop for seconds, but only while
// the window is hidden, so nobody would find it.
func TestOnlyDesktopCallsFyneDo(t *testing.T) {
	root := moduleRoot(t)
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "vendor"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasPrefix(path, filepath.Join(root, "app", "desktop")+string(filepath.Separator)):
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, use := range fyneDos(t, path, source) {
			t.Errorf("%s: use desktop.Do", use)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d files were looked at: the tree is not where it was", files)
	}
}

func TestFyneDos(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		uses   int
	}{
		"plain":           {`package x; import "fyne.io/fyne/v2"; func f() { fyne.Do(nil); fyne.DoAndWait(nil) }`, 2},
		"renamed":         {`package x; import ui "fyne.io/fyne/v2"; var g = ui.Do`, 1},
		"dot import":      {`package x; import . "fyne.io/fyne/v2"; func f() { DoAndWait(nil) }`, 1},
		"the driver's":    {`package x; import "fyne.io/fyne/v2"; func f(d fyne.Driver) { d.DoFromGoroutine(nil, false) }`, 1},
		"another Do":      {`package x; import "net/http"; func f(c *http.Client) { c.Do(nil) }`, 0},
		"another package": {`package x; import fyne "x/y"; func f() { fyne.Do(nil) }`, 0},
		"the window's":    {`package x; import "fyne.io/fyne/v2"; type w struct{ Do func(func()); c fyne.Canvas }; func (w w) f() { w.Do(nil) }`, 0},
	} {
		if got := fyneDos(t, name, []byte(c.source)); len(got) != c.uses {
			t.Errorf("%s: found %v, want %d", name, got, c.uses)
		}
	}
}

// fyneDos lists the places in a file that queue work directly with Fyne.
func fyneDos(t *testing.T, path string, source []byte) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%v", err)
		return nil
	}
	name := ""
	for _, i := range file.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && p == "fyne.io/fyne/v2" {
			name = "fyne"
			if i.Name != nil {
				name = i.Name.Name
			}
		}
	}
	if name == "" {
		return nil
	}
	var uses []string
	ast.Inspect(file, func(n ast.Node) bool {
		if bypasses(n, name) {
			uses = append(uses, set.Position(n.Pos()).String())
		}
		return true
	})
	return uses
}

// bypasses reports whether a node names fyne.Do, fyne.DoAndWait or a driver's
// DoFromGoroutine, where name is the package's import name.
func bypasses(n ast.Node, name string) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		of, _ := n.X.(*ast.Ident)
		return n.Sel.Name == "DoFromGoroutine" ||
			of != nil && of.Name == name && (n.Sel.Name == "Do" || n.Sel.Name == "DoAndWait")
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.Ident)
		return ok && name == "." && (f.Name == "Do" || f.Name == "DoAndWait")
	}
	return false
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
