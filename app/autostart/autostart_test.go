package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// forms lists the systems that use a file; the test covers them on any system.
var forms = []string{"linux", "darwin"}

// entryOf returns a system's entry in a new home folder.
func entryOf(t *testing.T, goos, program string) Entry {
	t.Helper()
	home := t.TempDir()
	return newEntry(goos, func(key string) string {
		if key == "HOME" {
			return home
		}
		return ""
	}, program)
}

func isOn(t *testing.T, e Entry) bool {
	t.Helper()
	on, err := e.On()
	if err != nil {
		t.Fatal(err)
	}
	return on
}

func change(t *testing.T, e Entry, old, with string) {
	t.Helper()
	data, err := os.ReadFile(e.Path())
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%v: %q is not in %s", err, old, data)
	}
	if err := os.WriteFile(e.Path(), []byte(strings.Replace(string(data), old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOnAndOff(t *testing.T) {
	for _, goos := range forms {
		t.Run(goos, func(t *testing.T) {
			e := entryOf(t, goos, "/opt/my app/$x`y%z\"&<\\mac-stats")
			if isOn(t, e) {
				t.Error("on before anybody asked for it")
			}
			for range 2 {
				if err := e.Set(true); err != nil || !isOn(t, e) {
					t.Errorf("on: %v, %v", err, isOn(t, e))
				}
			}
			text, err := e.read()
			if err != nil || e.form.program(text) != e.program {
				t.Errorf("it starts %q, want %q\n%s", e.form.program(text), e.program, text)
			}
			for range 2 {
				if err := e.Set(false); err != nil || isOn(t, e) {
					t.Errorf("off: %v, %v", err, isOn(t, e))
				}
			}
			if _, err := os.Stat(e.Path()); err == nil {
				t.Error("off, and the file is still there")
			}
		})
	}
}

func TestOffByHand(t *testing.T) {
	for _, test := range []struct{ goos, old, with string }{
		{"linux", "Terminal=false\n", "Terminal=false\nHidden=true\n"},
		{"linux", "Terminal=false\n", "Hidden = True\n"},
		{"linux", "enabled=true", "enabled=false"},
		{"darwin", "<key>RunAtLoad</key>", "<key>Disabled</key><true/><key>RunAtLoad</key>"},
		{"darwin", "<key>RunAtLoad</key>\n\t<true/>", "<key>RunAtLoad</key>\n\t<false/>"},
	} {
		e := entryOf(t, test.goos, "/bin/mac-stats")
		if err := e.Set(true); err != nil {
			t.Fatal(err)
		}
		change(t, e, test.old, test.with)
		if isOn(t, e) {
			t.Errorf("with %q it is on", test.with)
		}
		if err := e.Set(true); err != nil || !isOn(t, e) {
			t.Errorf("on again: %v", err)
		}
	}
	e := entryOf(t, "linux", "/bin/mac-stats")
	if err := e.Set(true); err != nil {
		t.Fatal(err)
	}
	change(t, e, "[Desktop Entry]", "[Desktop Action X]\nHidden=true\n[Desktop Entry]")
	if !isOn(t, e) {
		t.Error("another group's Hidden counts")
	}
}

func TestFollowUpdatesAMovedProgram(t *testing.T) {
	for _, goos := range forms {
		t.Run(goos, func(t *testing.T) {
			dir := t.TempDir()
			there := filepath.Join(dir, "there % it is")
			if err := os.WriteFile(there, nil, 0o700); err != nil {
				t.Fatal(err)
			}
			e := entryOf(t, goos, filepath.Join(dir, "gone"))
			if err := e.Follow(); err != nil || isOn(t, e) {
				t.Errorf("where there is none: %v", err)
			}
			if err := e.Set(true); err != nil {
				t.Fatal(err)
			}
			mark := map[string]string{"linux": "Comment=", "darwin": "<key>ProcessType</key>"}[goos]
			change(t, e, mark, mark[:1]+mark[1:]) // it is there
			e.program = there
			if err := e.Follow(); err != nil {
				t.Fatal(err)
			}
			text, err := e.read()
			if err != nil || e.form.program(text) != there || !strings.Contains(text, mark) || !isOn(t, e) {
				t.Errorf("%v, it starts %q:\n%s", err, e.form.program(text), text)
			}
			e.program = filepath.Join(dir, "another") // the one named is still there
			if err := e.Follow(); err != nil {
				t.Fatal(err)
			}
			if text, err = e.read(); err != nil || e.form.program(text) != there {
				t.Errorf("%v, it starts %q", err, e.form.program(text))
			}
		})
	}
}

func TestSetKeepsArgumentsAndEdits(t *testing.T) {
	e := entryOf(t, "linux", "/new/mac-stats")
	old := "# mine\n[Desktop Entry]\nExec=/gone/mac-stats --window\nX-Delay=5\n[Other]\nExec=/gone/mac-stats\n"
	if err := e.place.replace(old); err != nil {
		t.Fatal(err)
	}
	if err := e.Follow(); err != nil {
		t.Fatal(err)
	}
	want := "# mine\n[Desktop Entry]\nExec=\"/new/mac-stats\" --window\nX-Delay=5\n[Other]\nExec=/gone/mac-stats\n"
	if text, err := e.read(); err != nil || text != want {
		t.Errorf("%v:\n%s", err, text)
	}
}

func TestErrors(t *testing.T) {
	folder := entryOf(t, "linux", "/bin/mac-stats")
	if err := os.MkdirAll(folder.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.On(); err == nil {
		t.Error("a folder in its place is no error")
	}
	if nobody := newEntry("linux", func(string) string { return "" }, "/bin/mac-stats"); !errors.Is(nobody.Set(true), ErrNotSupported) {
		t.Error("without a home folder it is on")
	}
}

func TestATranslocatedAppIsRefused(t *testing.T) {
	e := entryOf(t, "darwin", "/private/var/folders/zz/T/AppTranslocation/1B2C/d/mac-stats.app/Contents/MacOS/mac-stats")
	if err := e.Set(true); err == nil || !strings.Contains(err.Error(), "Applications folder") || isOn(t, e) {
		t.Errorf("its path is kept, though it will be gone: %v", err)
	}
	// nor does it take the place of one that was moved away
	gone := e
	gone.program = "/Applications/gone.app/Contents/MacOS/mac-stats"
	if err := gone.Set(true); err != nil {
		t.Fatal(err)
	}
	if err := e.Follow(); err == nil {
		t.Error("the entry follows the copy")
	}
}

func TestTheRunKeyNamesTheProgram(t *testing.T) {
	for _, program := range []string{`C:\mac-stats.exe`, `C:\Program Files\mac stats\%x%\mac-stats.exe`} {
		text := runValue{}.text(program)
		if got := (runValue{}).program(text); got != program || !strings.HasPrefix(text, `"`) {
			t.Errorf("%s starts %q", text, got)
		}
	}
	moved := runValue{}.withProgram(`"C:\old\mac-stats.exe" --window`, `D:\new folder\mac-stats.exe`)
	if moved != `"D:\new folder\mac-stats.exe" --window` {
		t.Error(moved)
	}
	if got := (runValue{}).program(`C:\old\mac-stats.exe --window`); got != `C:\old\mac-stats.exe` {
		t.Errorf("without quotes: %q", got)
	}
}

func TestAnEntryMovesToTheSystemsOwnList(t *testing.T) {
	before := entryOf(t, "darwin", "/Applications/mac-stats.app/Contents/MacOS/mac-stats")
	if err := before.Set(true); err != nil {
		t.Fatal(err)
	}
	list := file(filepath.Join(t.TempDir(), "list"))
	after := Entry{place: moved{list, before.place}, program: before.program, form: desktopFile{}}
	if err := list.replace(after.form.text(after.program)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !isOn(t, after) {
			t.Error("it is off in the list")
		}
		if err := after.Set(false); err != nil || isOn(t, after) || isOn(t, before) {
			t.Errorf("off: %v, in the list %v, as before %v", err, isOn(t, after), isOn(t, before))
		}
		if err := after.Set(true); err != nil || isOn(t, before) {
			t.Errorf("on: %v, as before too: %v", err, isOn(t, before))
		}
	}
}

// broken is a place whose methods return these.
type broken struct {
	text                      string
	reading, saving, removing error
}

func (b broken) read() (string, error) { return b.text, b.reading }
func (b broken) replace(string) error  { return b.saving }
func (b broken) remove() error         { return b.removing }

func TestAnEntryOfTheOldPlaceIsMovedWhenItIsRead(t *testing.T) {
	dir := t.TempDir()
	to, from := file(filepath.Join(dir, "to")), file(filepath.Join(dir, "from"))
	if text, err := (moved{to, from}).read(); err != nil || text != "" {
		t.Errorf("with no entry: %q, %v", text, err)
	}
	if err := from.replace("old"); err != nil {
		t.Fatal(err)
	}
	if _, err := (moved{to, from}).read(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(from)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old entry: %v", err)
	}
	if _, err := os.Stat(string(to)); err != nil {
		t.Errorf("the new entry: %v", err)
	}
	failed := errors.New("no")
	for name, m := range map[string]moved{
		"the new place can't be read":    {broken{reading: failed}, from},
		"the old place can't be read":    {broken{}, broken{reading: failed}},
		"the new place can't be written": {broken{saving: failed}, broken{text: "old"}},
		"the old entry stays":            {broken{}, broken{text: "old", removing: failed}},
	} {
		if _, err := m.read(); !errors.Is(err, failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (moved{broken{removing: failed}, nil}).remove(); !errors.Is(err, failed) {
		t.Errorf("it can't be removed: %v", err)
	}
	if text, err := (moved{broken{text: "on"}, nil}).read(); text != "on" || err != nil {
		t.Errorf("without an old place: %q, %v", text, err)
	}
}

func TestEveryFailureSaysWhatItWas(t *testing.T) {
	failed := errors.New("the disk is gone")
	entry := func(b broken) Entry { return Entry{place: b, program: "/new", form: runValue{}} }
	for want, do := range map[string]func() error{
		"read whether mac-stats starts at login: the disk is gone":  func() error { return entry(broken{reading: failed}).Set(true) },
		"switch launch at login on: the disk is gone":               func() error { return entry(broken{saving: failed}).Set(true) },
		"switch launch at login off: the disk is gone":              func() error { return entry(broken{text: "/x", removing: failed}).Set(false) },
		"name the program that starts at login: the disk is gone":   func() error { return entry(broken{text: "/gone/x", saving: failed}).Follow() },
		"read whether mac-stats starts at login: the disk is gone ": func() error { return entry(broken{reading: failed}).Follow() },
	} {
		if err := do(); !errors.Is(err, failed) || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got := entry(broken{}).Path(); got != "" {
		t.Errorf("an entry in no file has the path %q", got)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]file{"below a file": file(filepath.Join(blocked, "x", "y")), "a folder": file(t.TempDir())} {
		if err := f.replace("x"); err == nil {
			t.Errorf("%s was written", name)
		}
		if _, err := f.read(); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if err := file(filepath.Join(blocked, "x")).remove(); err == nil {
		t.Error("what can't be there was removed")
	}
}

func TestThisSystemsEntry(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("others keep it elsewhere")
	}
	home := t.TempDir()
	e := New(func(key string) string { return map[string]string{"HOME": home}[key] }, "/bin/mac-stats")
	if err := e.Set(true); err != nil || !isOn(t, e) || e.Path() != filepath.Join(home, ".config", "autostart", "mac-stats.desktop") {
		t.Errorf("%v, in %s", err, e.Path())
	}
}

func TestTheAutostartFolderFollowsTheDesktop(t *testing.T) {
	e := newEntry("linux", func(key string) string {
		return map[string]string{"XDG_CONFIG_HOME": "/etc/mine", "HOME": "/home/ann"}[key]
	}, "/bin/x")
	if e.Path() != "/etc/mine/autostart/mac-stats.desktop" {
		t.Error(e.Path())
	}
}

func FuzzEntries(f *testing.F) {
	f.Add("[Desktop Entry]\nExec=\"/a b\" x\n", "/bin/x")
	f.Add("Exec=\"\\\\", "/bin/\"$`%\\")
	f.Fuzz(func(t *testing.T, text, program string) {
		if strings.ContainsAny(program, "\n\r\t\x00") || !strings.HasPrefix(program, "/") || strings.TrimSpace(program) != program {
			return
		}
		d := desktopFile{}
		if got := d.program(d.text(program)); got != program {
			t.Errorf("%q starts %q", program, got)
		}
		if p := d.program(text); p != "" {
			if changed := d.withProgram(text, program); d.program(changed) != program {
				t.Errorf("%q, then %q", text, changed)
			}
		}
		launchAgent{}.on(text)
	})
}
