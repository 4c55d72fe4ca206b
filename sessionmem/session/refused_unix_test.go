//go:build unix

package session_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// refusing is a store that keeps what the disk refuses, with the calls of OnRefused.
type refusing struct {
	*sessionmem.Store
	root string
	told []session.Refused
}

func openRefusing(t testing.TB, root string) *refusing {
	t.Helper()
	r := &refusing{root: root}
	s, err := sessionmem.Open(sessionmem.Config{Root: root, OnRefused: func(u session.Refused) { r.told = append(r.told, u) }})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	r.Store = s
	return r
}

// smallDisk names a folder on a disk of its own, if the system lets a test mount one.
const smallDisk = "MAC_STATS_TEST_SMALL_DISK"

// fillDisk leaves no byte free on the small disk; without one, no file may grow.
func fillDisk(t testing.TB) (free func()) {
	t.Helper()
	dir := os.Getenv(smallDisk)
	if dir == "" {
		return limitFiles(t, 0)
	}
	ballast := filepath.Join(dir, "ballast")
	err := os.WriteFile(ballast, make([]byte, 2<<20), 0o600)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a disk of 1 MB takes 2: %v", err)
	}
	return func() { must(t, os.Remove(ballast)) }
}

// alone runs the test in a process of its own: a limit on files applies to everything a
// process writes. It reports whether this is that process.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "MAC_STATS_TEST_ALONE"
	if os.Getenv(variable) != "" {
		return true
	}
	args := []string{os.Args[0], "-test.run", "^" + t.Name() + "$", "-test.v"}
	env := append(os.Environ(), variable+"=1")
	dir := t.TempDir()
	if mounts := []string{"unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=1m none "$0" && exec "$@"`, dir}; exec.Command(mounts[0], append(slices.Clone(mounts[1:]), "true")...).Run() == nil {
		args = append(mounts, args...) // a disk of 1 MB of its own
		env = append(env, "TMPDIR="+dir, smallDisk+"="+dir)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// limitFiles lets no file grow beyond so many bytes: the last write below the limit is cut,
// as on a full disk. It returns a function that removes the limit.
func limitFiles(t testing.TB, bytes int64) (free func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = uint64(bytes) //nolint:gosec // a size
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	free = func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }
	t.Cleanup(free)
	return free
}

// faults are ways in which the disk refuses a session's next block.
func faults(t testing.TB, root, file string) map[string]func() (mend func()) {
	session := filepath.Join(root, transcript.SessionDir)
	move := func(from, to string) { must(t, os.Rename(from, to)) }
	return map[string]func() func(){
		"full in the midst of a write": func() func() {
			fi, err := os.Stat(file)
			must(t, err)
			return limitFiles(t, fi.Size()+30)
		},
		"full at the first byte": func() func() {
			fi, err := os.Stat(file)
			must(t, err)
			return limitFiles(t, fi.Size())
		},
		"the session folder is moved away": func() func() {
			move(session, root+"/away")
			return func() { move(root+"/away", session) }
		},
		"the data folder is moved away": func() func() {
			move(root, root+"-away")
			return func() { move(root+"-away", root) }
		},
		"a file takes the folder's place": func() func() {
			move(session, root+"/away")
			writeFile(t, session, "mine")
			return func() {
				must(t, os.Remove(session))
				move(root+"/away", session)
			}
		},
		"a folder takes the transcript's place": func() func() {
			move(file, root+"/away.md")
			must(t, os.Mkdir(file, 0o700))
			return func() {
				must(t, os.Remove(file))
				move(root+"/away.md", file)
			}
		},
		"a link takes the transcript's place": func() func() {
			move(file, root+"/away.md")
			must(t, os.Symlink(root+"/away.md", file)) // out of the folder
			return func() {
				must(t, os.Remove(file))
				move(root+"/away.md", file)
			}
		},
	}
}

func TestRefusedBlocksAreKeptAndWrittenLater(t *testing.T) {
	t.Parallel()
	if !alone(t) {
		return
	}
	for name := range faults(t, "", "") {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "data")
			s := openRefusing(t, root)
			mustAppend(t, s.Store, "cli-a", user("one"))
			tr, err := s.Load(t.Context(), "cli-a")
			must(t, err)
			before := readFile(t, tr.Info.Path)

			mend := faults(t, root, tr.Info.Path)[name]()
			two := mustAppend(t, s.Store, "cli-a", user("two"))
			lock, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
			must(t, err)
			draft := s.Session("cli-a").Checkpoint(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: two.ID})
			three, err := draft.Commit(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Text: "three"})
			must(t, err)
			lock.Unlock()
			if _, err := s.Rewind(t.Context(), "cli-a", three.ID, assistant("another three")); err != nil {
				t.Fatal(err)
			}
			want, err := s.Context(t.Context(), "cli-a")
			must(t, err)
			var said []string
			for _, m := range want.Messages {
				said = append(said, m.Text)
			}
			if !cmp.Equal(said, []string{"one", "two", "another three"}) {
				t.Errorf("the conversation goes on as %q", said)
			}
			if u := s.Sessions().Refused(); len(u) != 1 || u[0].Session != "cli-a" || u[0].Blocks != 4 || u[0].Messages != 3 || u[0].Err == nil {
				t.Errorf("what waits is told as %+v", u)
			}
			if err := s.Sessions().Save(t.Context()); err == nil {
				t.Error("a disk that refuses took it")
			}

			mend()
			if got := readFile(t, tr.Info.Path); got != before {
				t.Errorf("what was there is changed: %q", got)
			}
			must(t, s.Sessions().Save(t.Context()))
			if u := s.Sessions().Refused(); len(u) != 0 {
				t.Errorf("still waiting: %+v", u)
			}
			if last := s.told[len(s.told)-1]; last.Blocks != 0 || last.Session != "cli-a" {
				t.Errorf("the end is told as %+v", last)
			}
			if got := readFile(t, tr.Info.Path); !strings.HasPrefix(got, before) {
				t.Error("what was there is changed")
			}
			tr, err = openStore(t, root).Load(t.Context(), "cli-a")
			must(t, err)
			var ids []string
			for _, b := range tr.Blocks {
				ids = append(ids, b.ID)
			}
			if len(ids) != 5 || ids[1] != two.ID || ids[2] != three.ID {
				t.Errorf("the transcript holds %q, want also %q and %q, in order", ids, two.ID, three.ID)
			}
			got, err := openStore(t, root).Context(t.Context(), "cli-a")
			must(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after a restart: %s", diff)
			}
			lock, err = s.Session("cli-a").LockTurn(t.Context(), "test", nil)
			must(t, err)
			lock.Unlock()
			if left, err := os.ReadDir(filepath.Join(root, transcript.SessionDir, transcript.PartialDir)); err != nil || len(left) > 0 {
				t.Errorf("checkpoints stay: %v, %v", left, err)
			}
		})
	}
}

// On a real full disk there is room for a part of a long block: none of it stays, and nothing
// existing is damaged.
func TestRealFullDiskLeavesNoHalfBlock(t *testing.T) {
	if !alone(t) {
		return
	}
	root := filepath.Join(t.TempDir(), "data")
	s := openRefusing(t, root)
	mustAppend(t, s.Store, "cli-a", user("one"))
	file := onlyFile(t, root)
	before := readFile(t, file)
	free := fillDisk(t)
	long := strings.TrimSpace(strings.Repeat("long ", 2000))
	mustAppend(t, s.Store, "cli-a", assistant(long))
	mustAppend(t, s.Store, "cli-b", user(long)) // needs its own file
	mustAppend(t, s.Store, "cli-a", user(long+" two"))
	if u := s.Sessions().Refused(); len(u) != 2 || u[0].Blocks+u[1].Blocks != 3 {
		t.Errorf("waiting: %+v", u)
	}
	if got := readFile(t, file); got != before {
		t.Errorf("the file is changed: %d bytes, were %d", len(got), len(before))
	}
	other := openStore(t, root)
	if got := texts(t, other, "cli-a"); !cmp.Equal(got, []string{"one"}) {
		t.Errorf("another program sees %d messages", len(got))
	}
	if list, err := other.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("another program lists %+v, %v", list, err)
	}
	free()
	must(t, s.Sessions().Save(t.Context()))
	if got := texts(t, openStore(t, root), "cli-a"); !cmp.Equal(got, []string{"one", long, long + " two"}) {
		t.Errorf("on disk are %d messages", len(got))
	}
	if got := texts(t, openStore(t, root), "cli-b"); !cmp.Equal(got, []string{long}) {
		t.Errorf("on disk are %d messages of the other", len(got))
	}
}

func TestNextBlockIsWrittenAfterWaitingOnes(t *testing.T) {
	if !alone(t) {
		return
	}
	root := t.TempDir()
	s := openRefusing(t, root)
	free := limitFiles(t, 0)
	mustAppend(t, s.Store, "cli-a", user("one")) // the session's first
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Name != "cli-a" || list[0].Messages != 1 {
		t.Errorf("a session that is not on disk is listed as %+v, %v", list, err)
	}
	if got := texts(t, s.Store, "cli-a"); !cmp.Equal(got, []string{"one"}) {
		t.Errorf("the conversation is %q", got)
	}
	free()
	mustAppend(t, s.Store, "cli-a", assistant("two"))
	if got := texts(t, openStore(t, root), "cli-a"); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("on disk is %q", got)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || list[0].Messages != 2 || list[0].Path == "" {
		t.Errorf("listed as %+v, %v", list, err)
	}
}

func TestAnotherProgramWritesWhileBlocksWait(t *testing.T) {
	if !alone(t) {
		return
	}
	root := t.TempDir()
	s, other := openRefusing(t, root), openStore(t, root)
	mustAppend(t, s.Store, "cli-a", user("one"))
	tr, err := s.Load(t.Context(), "cli-a")
	must(t, err)
	fi, err := os.Stat(tr.Info.Path)
	must(t, err)
	free := limitFiles(t, fi.Size())
	mustAppend(t, s.Store, "cli-a", assistant("waits"))
	free()
	mustAppend(t, other, "cli-a", user("of the other"))
	if got := texts(t, s.Store, "cli-a"); !cmp.Equal(got, []string{"one", "of the other", "waits"}) {
		t.Errorf("the conversation is %q", got)
	}
	mustAppend(t, s.Store, "cli-a", assistant("last"))
	if got := texts(t, other, "cli-a"); !cmp.Equal(got, []string{"one", "of the other", "waits", "last"}) {
		t.Errorf("on disk is %q", got)
	}
}

func TestRefusalIsAnErrorWithoutOnRefused(t *testing.T) {
	if !alone(t) {
		return
	}
	root := t.TempDir()
	s := openStore(t, root)
	free := limitFiles(t, 10)
	if _, err := s.Append(t.Context(), "cli-a", user("one")); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("err = %v", err)
	}
	free()
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("an empty file is left: %+v, %v", list, err)
	}
}

func TestCloseReportsLostBlocks(t *testing.T) {
	if !alone(t) {
		return
	}
	s := openRefusing(t, t.TempDir())
	free := limitFiles(t, 0)
	mustAppend(t, s.Store, "cli-a", user("one"))
	err := s.Close()
	free()
	if err == nil || !strings.Contains(err.Error(), "the last messages of cli-a (1) could not be saved and are lost") || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("err = %v", err)
	}
}

// A process that ends while the disk refuses leaves its blocks elsewhere.
func TestNextStartWritesRefusedBlocks(t *testing.T) {
	base := t.TempDir()
	root, away := filepath.Join(base, "data"), filepath.Join(base, "away")
	open := func() *sessionmem.Store {
		s, err := sessionmem.Open(sessionmem.Config{Root: root, OnRefused: func(session.Refused) {}, Rescue: filepath.Join(base, "rescue")})
		must(t, err)
		return s
	}
	s := open()
	mustAppend(t, s, "cli-a", user("one"))
	must(t, os.Rename(root, away))
	two := mustAppend(t, s, "cli-a", user("two"))
	mustAppend(t, s, "cli-b", user("of another session"))
	if u := s.Sessions().Refused(); len(u) != 2 || !u[0].Rescued || !u[1].Rescued {
		t.Errorf("waiting: %+v", u)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "for the next start") {
		t.Errorf("the end is told as %v", err)
	}
	must(t, os.Rename(away, root))

	s = open()
	if got := texts(t, s, "cli-a"); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("the conversation is %q", got)
	}
	must(t, s.Sessions().Save(t.Context()))
	must(t, s.Close())
	later := openStore(t, root)
	tr, err := later.Load(t.Context(), "cli-a")
	must(t, err)
	if len(tr.Blocks) != 2 || tr.Blocks[1].ID != two.ID || !cmp.Equal(texts(t, later, "cli-b"), []string{"of another session"}) {
		t.Errorf("on disk is %+v", tr.Blocks)
	}
	if left, err := os.ReadDir(filepath.Join(base, "rescue")); err != nil || len(left) > 0 {
		t.Errorf("copies stay: %v, %v", left, err)
	}
}

func TestSavingIsRetriedEveryFewSeconds(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openRefusing(t, root)
		go s.Sessions().KeepSaving(t.Context())
		folder := filepath.Join(root, transcript.SessionDir)
		for round := range 2 {
			must(t, os.Rename(folder, root+"/away"))
			mustAppend(t, s.Store, "cli-a", user(fmt.Sprint("message ", round)))
			time.Sleep(time.Hour)
			synctest.Wait()
			if len(s.Sessions().Refused()) != 1 {
				t.Fatal("nothing waits")
			}
			must(t, os.Rename(root+"/away", folder))
			time.Sleep(session.SaveAgain + time.Second)
			synctest.Wait()
			if u := s.Sessions().Refused(); len(u) != 0 {
				t.Fatalf("still waiting: %+v", u)
			}
		}
		if got := texts(t, s.Store, "cli-a"); !cmp.Equal(got, []string{"message 0", "message 1"}) {
			t.Errorf("on disk is %q", got)
		}
	})
}

// A folder that is taken away and comes back, or is created again, is found again.
func TestSessionFolderIsFoundAgain(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	folder := filepath.Join(root, transcript.SessionDir)
	mustAppend(t, s, "cli-a", user("one"))
	must(t, os.Rename(folder, root+"/away"))
	if _, err := s.Append(t.Context(), "cli-a", user("nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.List(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("list: %v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a folder was made in the place of one that may come back")
	}
	must(t, os.Rename(root+"/away", folder))
	mustAppend(t, s, "cli-a", user("two"))
	if got := texts(t, s, "cli-a"); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("back: %q", got)
	}
	must(t, os.RemoveAll(folder))
	must(t, os.Mkdir(folder, 0o700))
	mustAppend(t, s, "cli-a", user("three"))
	if got := texts(t, openStore(t, root), "cli-a"); !cmp.Equal(got, []string{"three"}) {
		t.Errorf("made anew: %q", got)
	}
}
