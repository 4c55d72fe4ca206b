package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	tests := []struct {
		name, file, key, value, want string
	}{
		{
			"changes the value alone", "# mine\n[session] # s\nmax_messages   =  30   # why\nother = 1\n", "session.max_messages", "40",
			"# mine\n[session] # s\nmax_messages   =  40   # why\nother = 1\n",
		},
		{"keeps windows line ends", "[session]\r\nmax_messages = 30\r\n", "session.max_tokens", "4096", "[session]\r\nmax_messages = 30\r\nmax_tokens = 4096\r\n"},
		{"keeps a byte order mark", "\uFEFF[session]\nmax_messages = 30\n", "session.max_messages", "31", "\uFEFF[session]\nmax_messages = 31\n"},
		{
			"takes the place of the commented default", "[session]\n\n# How many.\n#max_messages = 20\n\n# Tokens.\n#max_tokens = 8192 # t\n", "session.max_messages", "22",
			"[session]\n\n# How many.\nmax_messages = 22\n\n# Tokens.\n#max_tokens = 8192 # t\n",
		},
		{"keeps what follows the commented default", "[session]\n# max_tokens = 8192 # t\n", "session.max_tokens", "4096", "[session]\nmax_tokens = 4096 # t\n"},
		{
			"a commented default of another section is none", "[ollama]\n#max_messages = 20\n[session]\n", "session.max_messages", "22",
			"[ollama]\n#max_messages = 20\n[session]\nmax_messages = 22\n",
		},
		{
			"adds to a section before the next one", "[session]\nmax_messages = 3\n\n# about ollama\n[ollama]\nmodel = \"m\"\n", "session.max_tokens", "4096",
			"[session]\nmax_messages = 3\nmax_tokens = 4096\n\n# about ollama\n[ollama]\nmodel = \"m\"\n",
		},
		{"adds a section", "[ollama]\nmodel = \"m\"\n", "session.max_tokens", "4096", "[ollama]\nmodel = \"m\"\n\n[session]\nmax_tokens = 4096\n"},
		{"adds a section to a file without a last line end", "[ollama]\nmodel = \"m\"", "session.max_tokens", "4096", "[ollama]\nmodel = \"m\"\n\n[session]\nmax_tokens = 4096\n"},
		{"adds to a section at the very end", "[session]", "session.max_tokens", "4096", "[session]\nmax_tokens = 4096\n"},
		{"a file of comments", "# nothing is set\n", "monitor.sensors", "no", "# nothing is set\n\n[monitor]\nsensors = false\n"},
		{"quotes text", "[ollama]\n", "ollama.model", `a"b\c`, "[ollama]\nmodel = \"a\\\"b\\\\c\"\n"},
		{"quotes auto", "[ollama]\nnum_ctx = 4096\n", "ollama.num_ctx", "auto", "[ollama]\nnum_ctx = \"auto\"\n"},
		{"a number needs no quotes", "[ollama]\nnum_ctx = \"auto\"\n", "ollama.num_ctx", "8192", "[ollama]\nnum_ctx = 8192\n"},
		{"times are quoted", "[compaction]\n", "compaction.interval", "45m", "[compaction]\ninterval = \"45m\"\n"},
		{"a dotted key", "session.max_messages = 3 # x\n", "session.max_messages", "4", "session.max_messages = 4 # x\n"},
		{"beside a dotted key", "session.max_messages = 3 # x\n[ollama]\n", "session.max_tokens", "4096", "session.max_messages = 3 # x\nsession.max_tokens = 4096\n[ollama]\n"},
		{"in an inline table", "session = { max_messages = 3 }\n", "session.max_messages", "4", "session = { max_messages = 4 }\n"},
		{"into an inline table", "session = { max_messages = 3 }\n", "session.max_tokens", "4096", "session = { max_tokens = 4096, max_messages = 3 }\n"},
		{"into an empty inline table", "session = {}\n", "session.max_tokens", "4096", "session = { max_tokens = 4096 }\n"},
		{"instead of a list", "[session]\nmax_tokens = [\n 1,\n 2 ] # x\n", "session.max_tokens", "4096", "[session]\nmax_tokens = 4096 # x\n"},
		{
			"a header in a text is none", "[session]\nx = '''\n[session]\n#max_tokens = 1\n'''\n", "session.max_tokens", "4096",
			"[session]\nx = '''\n[session]\n#max_tokens = 1\n'''\nmax_tokens = 4096\n",
		},
		{"the same value changes nothing", "[session]\nmax_tokens =4096", "session.max_tokens", "4096", "[session]\nmax_tokens =4096"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.file)
			if err := Set(file, tt.key, tt.value); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct {
		name, file, key, value, want string
	}{
		{"an unknown key", "", "session.max_mesages", "3", "did you mean session.max_messages?"},
		{"a bad value", "", "session.max_messages", "1", "it must be a whole number from 2 to 500"},
		{"a file that is no TOML", "[session\n", "session.max_messages", "3", "put that right first"},
		{"a section that is a value", "session = 3\n", "session.max_messages", "3", "edit the line by hand"},
		{"a list of tables", "[[session]]\n", "session.max_messages", "3", "edit the line by hand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.file)
			before := read(t, file)
			err := Set(file, tt.key, tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q in it", err, tt.want)
			}
			got, readErr := os.ReadFile(file)
			if readErr != nil || string(got) != before {
				t.Errorf("the file was touched: %q, %v", got, readErr)
			}
		})
	}
	if err := Set(write(t, ""), "nothing.like.it.at.all", "1"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("err = %v", err)
	}
}

func TestSetChangesEveryKeyOfTheDefaultFile(t *testing.T) {
	shipped, err := os.ReadFile(shippedFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Settings() {
		file := write(t, string(shipped))
		if err := Set(file, s.Key, s.Default); err != nil {
			t.Errorf("%s: %v", s.Key, err)
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(s.Key, ".")
		line := "#" + name + " = " + s.literal(s.Default) + "\n"
		if len(got) != len(shipped)-1 || !bytes.Contains(got, []byte("\n"+line[1:])) {
			t.Errorf("%s: more than the # has changed, or assets/config.toml lacks the key", s.Key)
		}
	}
}

func TestSetWritesThroughSymlinksAndKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "mac.toml"), filepath.Join(dir, "config.toml")
	if err := os.Symlink(filepath.Join("dotfiles", "mac.toml"), link); err != nil {
		t.Fatal(err)
	}
	if err := Set(link, "session.max_messages", "30"); err == nil {
		t.Error("a link to nowhere was written through: what its file says is unknown")
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("[session]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ value, want string }{{"30", "[session]\nmax_messages = 30\n"}, {"31", "[session]\nmax_messages = 31\n"}} {
		if err := Set(link, "session.max_messages", step.value); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(target)
		if err != nil || string(got) != step.want {
			t.Errorf("target holds %q, %v", got, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("permissions: %v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil || len(entries) != 1 {
		t.Errorf("something was left behind: %v %v", entries, err)
	}
	loop := filepath.Join(dir, "loop.toml")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if err := Set(loop, "session.max_messages", "30"); err == nil {
		t.Error("a symlink to itself was accepted")
	}
}

func TestWriteDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "config.toml")
	for range 2 {
		if err := WriteDefault(file, []byte("# one\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteDefault(file, []byte("# two\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "# mine\n" {
		t.Errorf("the user's file became %q, %v", got, err)
	}
}

func FuzzSet(f *testing.F) {
	for _, seed := range []string{
		exampleFile(), "", "[session]\nmax_messages = 3", "session = {}", "session.max_tokens = 4\n[x]\n", "\uFEFF#max_messages = 3\r\n[session]\r\n#max_messages=[\r\n",
		"[session]\nx = '''\n[session]\n'''\n", "[session.sub]\na=1\n", "[session]\n[session.sub]\na=1\n#max_messages = 1\n",
	} {
		f.Add(seed, "session.max_messages", "33")
	}
	f.Add("[ollama]\n", "ollama.model", "a\"\\b")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		file := write(t, text)
		_, before := Load(file, nil)
		err := Set(file, key, value)
		got, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if string(got) != text {
				t.Errorf("refused (%v) and changed all the same", err)
			}
			return
		}
		config, after := Load(file, nil)
		s, _ := Lookup(key)
		var want Config
		if err := s.codec.read(&want, strings.TrimSpace(value)); err != nil {
			t.Fatalf("a bad value was written: %v", err)
		}
		if s.Value(config) != s.Value(want) {
			t.Errorf("%s reads as %q, want %q", key, s.Value(config), s.Value(want))
		}
		if len(after) > len(before)+1 { // an older name of the key may be overridden now
			t.Errorf("findings before %v, after %v", before, after)
		}
	})
}

// FuzzEdit is FuzzSet without the disk: many more files per second.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		exampleFile(), "", "session = {}", "session = { a = 1, # c\n }", "session.max_tokens = 4\n[x]\n", "\uFEFF#max_messages = 3\r\n[session]\r\n#max_messages=[\r\n",
		"[session]\nx = '''\n[session]\n'''\n", "[session.sub]\na=1\n#max_messages = 1\n", "[ session ] # ]\n\"max_messages\" = [1,\n2] # x\n", "'session'.'max_messages' = { a = 1 }\n",
	} {
		f.Add([]byte(seed))
	}
	s, _ := Lookup("session.max_messages")
	f.Fuzz(func(t *testing.T, data []byte) {
		before, err := parse(data)
		changed, editErr := edit(data, s, "33")
		if err != nil {
			if editErr == nil {
				t.Error("what is no TOML was edited")
			}
			return
		}
		if editErr != nil {
			return
		}
		after, err := parse(changed)
		if err != nil || !sameBut(before, after, s.Key) {
			t.Errorf("%q became %q: %v", data, changed, err)
		}
		again, err := edit(changed, s, "33")
		if err != nil || !bytes.Equal(again, changed) {
			t.Errorf("a second time %q became %q: %v", changed, again, err)
		}
	})
}

func TestRemoveDefault(t *testing.T) {
	tests := map[string]struct {
		text         string // "" if there is none
		link, remain bool
	}{
		"as it was written": {"# one\n", false, false},
		"changed":           {"# one\n[ollama]\n", false, true},
		"a link":            {"# one\n", true, true},
		"none":              {"", false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if test.text != "" {
				there := write(t, test.text)
				place := os.Rename
				if test.link {
					place = os.Symlink
				}
				if err := place(there, file); err != nil {
					t.Fatal(err)
				}
			}
			if err := RemoveDefault(file, []byte("# one\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(file); (err == nil) != test.remain {
				t.Errorf("after it the file is there: %v, want %v", err == nil, test.remain)
			}
		})
	}
}
