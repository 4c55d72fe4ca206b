package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents/process"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

func TestMain(m *testing.M) {
	process.Child(Inside)
	os.Exit(m.Run())
}

func newTool(t *testing.T) (*Tool, *Settings) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs of Linux")
	}
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "memory.md"), []byte("zanzibar"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := &Settings{Folder: filepath.Join(data, "work"), Time: 10 * time.Second}
	return New(Params{Settings: func() Settings { return *set }, Data: data, Environ: append(os.Environ(), "SECRET_TOKEN=zanzibar")}), set
}

func run(t *testing.T, tool *Tool, line string) (tools.Result, error) {
	t.Helper()
	return tool.Run(t.Context(), &tools.Call{Arg: line})
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"git status", []string{"git", "status"}},
		{`echo "a b" 'c d' e\ f ""`, []string{"echo", "a b", "c d", "e f", ""}},
		{`echo 'it'"'"'s'`, []string{"echo", "it's"}},
		{"echo $HOME *.md ~", []string{"echo", "$HOME", "*.md", "~"}},
		{`sh -c 'a | b; c > d && $(e)'`, []string{"sh", "-c", "a | b; c > d && $(e)"}},
		{"a; b", nil},
		{"a | b", nil},
		{"a && b", nil},
		{"a > b", nil},
		{"a < b", nil},
		{"a `b`", nil},
		{`a "$(b)"`, nil},
		{"a ${b}", nil},
		{"a\nb", nil},
		{"a\x00b", nil},
		{`a "b`, nil},
		{"", nil},
		{`""`, nil},
	} {
		if got, err := split(tt.line); !slices.Equal(got, tt.want) || (err == nil) != (tt.want != nil) {
			t.Errorf("%q: %q %v, want %q", tt.line, got, err, tt.want)
		}
	}
}

func TestActionDescribesTheCall(t *testing.T) {
	tool, set := newTool(t)
	bin := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(bin, "pager")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, tt := range []struct {
		line, what, covers string
		single             bool
	}{
		{"ls -l", "/ls -l", "ls", false},
		{"ls 'a b' it\\'s", `/ls 'a b' 'it'\''s'`, "ls", false},
		{"ls a\u202eb", `/ls "a\u202eb"`, "ls", false},
		{"sh -c 'rm -rf x'", "/sh -c 'rm -rf x'", "sh", true},
		{"env ls", "/env ls", "env", true},
		{"git status", "/git status", "git", true},
		{"make", "/make", "make", true},
		{"cc -wrapper x y.c", "/cc -wrapper x y.c", "cc", true},
		{"git -c alias.x=!id x", "/git -c 'alias.x=!id' x", "git", true},
		{"git config alias.x !id", "/git config alias.x '!id'", "git", true},
		{"git x", "/git x", "git", true},
		{"git", "/git", "git", true},
		{"sort --compress-program=./x y", "/sort --compress-program=./x y", "sort", true},
		{"find . -delete", "/find . -delete", "find", true},
		{"./ls", set.Folder + "/ls", "ls", true},
		{"../../bin/ls", "/ls", "ls", true},
		{"tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=id .", "/tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=id .", "tar", true},
		{"sed 1e", "/sed 1e", "sed", true},
		{"pager /etc/hostname", "/pager /etc/hostname", "pager", true}, // a link to a shell
	} {
		act, err := tool.Action(&tools.Call{Arg: tt.line})
		if err != nil || !strings.HasSuffix(act.What, tt.what) || act.Covers != tt.covers || act.Single != tt.single || !strings.HasPrefix(act.Where, set.Folder) {
			t.Errorf("%s: %+v %v", tt.line, act, err)
		}
	}
	if act, err := tool.Action(&tools.Call{Args: map[string]any{"command": "ls -l"}}); err != nil || act.Covers != "ls" {
		t.Errorf("native: %+v %v", act, err)
	}
	if _, err := tool.Action(&tools.Call{Arg: "no-such-program x"}); err == nil {
		t.Error("a program that isn't there is asked about")
	}
}

// Only what is known to read gets a yes for all calls, on every system.
func TestOnlyReads(t *testing.T) {
	for _, line := range []string{
		"ls", "ls -la --color=never dir", "cat -n a b", "head -n 5 a", "head -n5 a", "head -5 a", "head -n -5 a", "tail -f -n 20 a", "wc -l a", "cut -d: -f1,3 a", "cut -d : -f 1 a",
		"grep -rn --include=*.go x .", "grep -A3 -e x a", "grep -- -x a", "diff -u a b", "date", "date +%F", "date -u -d tomorrow +%F", "date --date=tomorrow", "base64 -d a", "base64 -w0 a",
		"hostname", "hostname -f", "uname -a", "echo -n --whatever -o x", "printf %s -o", "ps aux", "ps -ef", "stat -c %s a", "du -sh a", "mkdir -p a/b", "touch a", "sw_vers -productVersion", "jq -r .a a",
		"tasklist /v", "findstr /i /c:word a.txt", "where /r . x", "sha256sum -c a", "comm -12 a b", "join -1 2 a b", "grep -rn '// TODO' src/net/http",
	} {
		argv, err := split(line)
		if err != nil || !onlyReads(argv[0], argv[1:], "linux") {
			t.Errorf("%s asks each time, %v", line, err)
		}
	}
	for _, line := range []string{
		"base64 -o out", "base64 -oout", "base64 -doout", "base64 -i in -o out", "base64 --output=out", "base64 -w -o", "date -s 12:00", "date -us 12:00", "date --set=12:00", "date --se=12:00", "date 11211015",
		"date -d x 11211015", "date -- 11211015", "hostname evil", "hostname -F file", "hostname -b x", "arch -x86_64 sh", "arch sh", "sensors -s", "diff -l a b", "diff --paginate a b", "lspci -q", "lspci -F x", "lspci -Q",
		"sort -o out", "find . -delete", "find . -fprint x", "git --output=x", "xxd -r a out", "tree -o x", "uniq a b", "file -C", "curl x", "tasklist /s server", "tasklist /S:server", "systeminfo /s x",
		"lsof -D b", "lsof +m file -m x", "uname x", "nproc x", "ls --unknown", "cat /net/evil/x", "cat /Network/Servers/x", "grep --file=/net/evil/x a", "cat /tmp/../net/evil/x", "od --traditional-unknown a",
	} {
		argv, err := split(line)
		if err != nil || onlyReads(argv[0], argv[1:], "linux") {
			t.Errorf("%s is covered by a yes for all calls, %v", line, err)
		}
	}
	for _, arg := range []string{
		`\\server\share\x`, `//server/share/x`, `\/server/share`, `/\server\share`, `\\?\UNC\server\share`, `//?/UNC/server/share`, `\\.\pipe\x`, `file://server/share`, `/f:\\server\x`, `/g://server/x`, `--file=\\server\x`,
		`C:\\x`,
	} {
		for _, program := range []string{"findstr", "cat", "grep", "echo", "where", "mkdir", "head"} {
			if onlyReads(program, []string{"x", arg}, "windows") {
				t.Errorf("%s %s is covered by a yes for all calls", program, arg)
			}
		}
	}
	if !onlyReads("cat", []string{`C:\Users\me\a.txt`, "a/b", `..\b`}, "windows") {
		t.Error("a local file asks each time")
	}
}

// boxes returns this machine's ways to run a program.
func boxes(t *testing.T) map[string]sandbox {
	t.Helper()
	list := map[string]sandbox{"none": {}}
	if box := findSandbox(); box.kind == bubblewrap {
		list["bubblewrap"] = box
	}
	if landlockVersion() >= minLandlock {
		list["landlock"] = sandbox{kind: landlocked}
	}
	return list
}

// inEach runs a test in each box, one after the other.
func inEach(t *testing.T, f func(t *testing.T, box sandbox)) {
	found := findSandbox
	t.Cleanup(func() { findSandbox = found })
	for name, box := range boxes(t) {
		findSandbox = func() sandbox { return box }
		t.Run(name, func(t *testing.T) { f(t, box) })
	}
}

func TestRunReturnsOutputAndExitCode(t *testing.T) {
	inEach(t, func(t *testing.T, box sandbox) {
		tool, set := newTool(t)
		words := map[sandboxKind]string{noSandbox: "WITHOUT a sandbox", bubblewrap: "(bubblewrap)", landlocked: "(Landlock)", sandboxExec: "(sandbox-exec)"}[box.kind]
		if act, err := tool.Action(&tools.Call{Arg: "pwd"}); err != nil || !strings.Contains(act.Where, words) {
			t.Errorf("the question names %q, not %q, %v", act.Where, words, err)
		}
		got, err := run(t, tool, "pwd")
		if err != nil || got.Text != set.Folder || got.Sources != transcript.FromTool || got.Quote == "" {
			t.Errorf("%+v %v", got, err)
		}
		if got, err := run(t, tool, "sh -c 'echo out; echo err >&2; exit 3'"); err != nil || got.Text != "out\nerr\n\n[exit status 3]" {
			t.Errorf("%q %v", got.Text, err)
		}
		if got, err := run(t, tool, "env"); err != nil || strings.Contains(got.Text, "zanzibar") || !strings.Contains(got.Text, "PATH=") {
			t.Errorf("%q %v", got.Text, err)
		}
		if got, err := run(t, tool, "touch here"); err != nil || got.Text != "(it printed nothing)" {
			t.Errorf("%q %v", got.Text, err)
		}
		if _, err := os.Stat(filepath.Join(set.Folder, "here")); err != nil {
			t.Error(err)
		}
		if box.kind == noSandbox {
			return
		}
		outside := filepath.Join(filepath.Dir(set.Folder), "outside")
		if got, err := run(t, tool, "touch "+outside); err != nil {
			t.Errorf("%q %v", got.Text, err)
		}
		for _, line := range []string{"cat " + filepath.Join(tool.p.Data, "memory.md"), "touch /etc/mac-stats-test", "sh -c 'echo x > /proc/sys/kernel/hostname'"} {
			if got, err := run(t, tool, line); err != nil || !strings.Contains(got.Text, "[exit status") || strings.Contains(got.Text, "zanzibar") {
				t.Errorf("%s: %q %v", line, got.Text, err)
			}
		}
		if _, err := os.Stat(outside); err == nil {
			t.Error("it wrote outside of its folder")
		}
	})
}

// A sandbox exposes the whole folder, so a folder with anything hidden is refused.
func TestAFolderWithSecretsIsRefused(t *testing.T) {
	tool, set := newTool(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(filepath.Join(home, ".netrc"), []byte("zanzibar"), 0o600), os.Symlink(home, link)); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{home, link, filepath.Join(home, ".config"), filepath.Join(home, ".ssh"), tool.p.Data, filepath.Join(tool.p.Data, "sessions"), "/"} {
		set.Folder = folder
		if got, err := run(t, tool, "ls -A"); err == nil {
			t.Errorf("%s: %q", folder, got.Text)
		}
		if act, err := tool.Action(&tools.Call{Arg: "ls -A"}); err == nil {
			t.Errorf("%s: asked about %+v", folder, act)
		}
	}
	set.Folder = filepath.Join(home, "work")
	if _, err := run(t, tool, "ls -A"); err != nil {
		t.Error(err)
	}
}

// People store such folders elsewhere and link to them.
func TestSecretsBehindALinkAreHidden(t *testing.T) {
	inEach(t, func(t *testing.T, box sandbox) {
		if box.kind == noSandbox {
			return
		}
		tool, _ := newTool(t)
		home, elsewhere := t.TempDir(), t.TempDir()
		t.Setenv("HOME", home)
		if err := errors.Join(os.WriteFile(filepath.Join(elsewhere, "id"), []byte("zanzibar"), 0o600), os.Symlink(elsewhere, filepath.Join(home, ".ssh"))); err != nil {
			t.Fatal(err)
		}
		if got, err := run(t, tool, "echo it runs"); err != nil || got.Text != "it runs" {
			t.Errorf("%q %v", got.Text, err)
		}
		if got, err := run(t, tool, "cat "+filepath.Join(home, ".ssh", "id")+" "+filepath.Join(elsewhere, "id")); err != nil || strings.Contains(got.Text, "zanzibar") {
			t.Errorf("%q %v", got.Text, err)
		}
	})
}

// The sockets of Docker, PostgreSQL and others are in /run. Having no network doesn't keep
// a program from them.
func TestBubblewrapHidesSockets(t *testing.T) {
	box, ok := boxes(t)["bubblewrap"]
	if !ok {
		t.Skip("no bubblewrap")
	}
	found := findSandbox
	t.Cleanup(func() { findSandbox = found })
	findSandbox = func() sandbox { return box }
	tool, set := newTool(t)
	for _, network := range []bool{false, true} {
		set.Network = network
		got, err := run(t, tool, "ls -A /run")
		if err != nil || strings.Contains(got.Text, "exit status") {
			t.Fatalf("%q %v", got.Text, err)
		}
		for name := range strings.FieldsSeq(strings.TrimPrefix(got.Text, "(it printed nothing)")) {
			if !slices.ContainsFunc(shownOfRun, func(path string) bool { return strings.HasPrefix(path, "/run/"+name) }) {
				t.Errorf("/run/%s is there", name)
			}
		}
	}
}

// A program that doesn't end, prints forever or leaves others running is killed with all
// its processes.
func TestAProgramIsKilledWithItsChildren(t *testing.T) {
	inEach(t, func(t *testing.T, _ sandbox) {
		tool, set := newTool(t)
		set.Time = 100 * time.Millisecond
		if got, err := run(t, tool, "sleep 3600"); err != nil || !strings.Contains(got.Text, "[stopped after 100ms]") {
			t.Errorf("%q %v", got.Text, err)
		}
		mark := fmt.Sprintf("36%d", time.Now().UnixNano()%1e9)
		if _, err := run(t, tool, "sh -c 'sleep "+mark+" & sleep "+mark+" & wait'"); err != nil {
			t.Error(err)
		}
		set.Time = 10 * time.Second
		if got, err := run(t, tool, "sh -c 'sleep "+mark+" & echo started'"); err != nil || !strings.HasPrefix(got.Text, "started") {
			t.Errorf("%q %v", got.Text, err)
		}
		if got, err := run(t, tool, "yes"); err != nil || !strings.Contains(got.Text, "[stopped: it printed more than 16 MB]") || len(got.Text) > keptOutput+100 {
			t.Errorf("%d bytes %v", len(got.Text), err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		why := errors.New("the user stopped it")
		var mu sync.Mutex
		var seen []string
		_, err := tool.Run(ctx, &tools.Call{Arg: "sh -c 'echo working; sleep " + mark + "'", Progress: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, text)
			stop(why)
		}})
		if !errors.Is(err, why) || !slices.Equal(seen, []string{"working\n"}) {
			t.Errorf("stopped: %v, seen %q", err, seen)
		}
		filetest.Until(t, "the program's end", func() bool { return !runsWith(t, mark) })
	})
}

// runsWith reports whether a process has that argument.
func runsWith(t *testing.T, arg string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		data, _ := os.ReadFile(file) // fails if the process has ended
		return strings.HasPrefix(string(data), "sleep\x00"+arg)
	})
}

func TestTheProfileOfMacOS(t *testing.T) {
	text := profile(Settings{Folder: `/Users/a"b/work`}, []string{"/Users/a/.ssh"})
	for _, want := range []string{"(deny default)", `(deny file-read* (subpath "/Users/a/.ssh"))`, `(subpath "/Users/a\"b/work")`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "network") || !strings.Contains(profile(Settings{Network: true}, nil), "(allow network*)") {
		t.Error("the network")
	}
}
