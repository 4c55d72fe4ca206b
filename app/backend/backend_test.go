package backend

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/app/monitor"
	"mac-stats/sessionmem/memory"
)

// environ returns a process environment with all folders below dir.
func environ(dir string, more ...string) []string {
	return append([]string{
		"HOME=" + dir,
		"MAC_STATS_HOME=" + filepath.Join(dir, "data"),
		"MAC_STATS_CACHE=" + filepath.Join(dir, "cache"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"MAC_STATS_AGENTS_PROMPT_TIER=middle", "MAC_STATS_AGENTS_TOOLS_TIER=middle", // the test's models are tiny
	}, more...)
}

func open(t testing.TB, o Options) *Backend {
	t.Helper()
	o.Patience = time.Minute // the machine may be busy
	b, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// server returns a scripted model that always gives the same answer.
func server(t *testing.T) *testkit.Server {
	t.Helper()
	s := testkit.New(testkit.Script{
		Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "fine"}}},
	})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestFirstStartWritesTheEditableFiles(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir)})
	if !b.FirstRun {
		t.Error("FirstRun = false in an empty folder")
	}
	for _, name := range []string{"config.toml", "agents/soul.md", "agents/memory.md", "agents/reset-phrases.md"} {
		if _, err := os.Stat(filepath.Join(b.Paths.Home, name)); err != nil {
			t.Error(err)
		}
	}
	if n := b.Notices(); len(n) != 0 {
		t.Errorf("notices = %v", n)
	}
	again := open(t, Options{Environ: environ(dir)})
	if again.FirstRun {
		t.Error("FirstRun = true on a second start")
	}
}

func TestInvalidSettingIsANoticeUntilItIsCorrected(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir)})
	file := b.Paths.ConfigFile()
	write(t, file, "[session]\nmax_messages = -3\n")

	b = open(t, Options{Environ: environ(dir), Watch: true})
	notices := b.Notices()
	if len(notices) != 1 || notices[0].Kind != NoticeConfig || !strings.Contains(notices[0].Text, "session.max_messages") {
		t.Fatalf("notices = %+v, want the bad key named", notices)
	}
	if got := b.Config().Session.MaxMessages; got != 20 {
		t.Errorf("max_messages = %d, want the default", got)
	}
	reloaded := waitNotice(t, b, "config.toml reloaded", func() { write(t, file, "[session]\nmax_messages = 30\n") })
	if reloaded.Kind != NoticeReload {
		t.Errorf("kind = %s", reloaded.Kind)
	}
	if got := b.Config().Session.MaxMessages; got != 30 {
		t.Errorf("max_messages = %d, want what was saved", got)
	}
	if n := b.Notices(); len(n) != 0 {
		t.Errorf("notices = %v, want none after the mend", n)
	}
}

func TestSettingThatNeedsARestartSaysSo(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir()), Watch: true})
	n := waitNotice(t, b, "config.toml reloaded", func() { write(t, b.Paths.ConfigFile(), "[ollama]\nmax_concurrent = 2\n") })
	if !strings.Contains(n.Next, "restart") {
		t.Errorf("next = %q, want a word about the restart", n.Next)
	}
	waitNotice(t, b, "config.toml reloaded", func() { write(t, b.Paths.ConfigFile(), "[api]\nenabled = true\n") })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(b.Paths.Home, "logs", "mac-stats.log"))
	if err != nil || !strings.Contains(string(log), "What changed in") || !strings.Contains(string(log), "api.enabled applies after a restart.") {
		t.Errorf("the log says %s, %v", log, err)
	}
}

func TestHalfAnEditChangesNothing(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir()), Watch: true})
	waitNotice(t, b, "config.toml reloaded", func() { write(t, b.Paths.ConfigFile(), "[session]\nmax_messages = 30\n") })
	waitNotice(t, b, "config.toml:2", func() { write(t, b.Paths.ConfigFile(), "[session]\nmax_messages = = 40\n") })
	if got := b.Config().Session.MaxMessages; got != 30 {
		t.Errorf("max_messages = %d, want the last good one", got)
	}
	waitNotice(t, b, "config.toml reloaded", func() { write(t, b.Paths.ConfigFile(), "[session]\nmax_messages = 30\n") })
	if n := b.Notices(); len(n) != 0 {
		t.Errorf("notices = %v, want none after the mend, though no value changed", n)
	}
}

func TestInMemoryOnlyTakesEffectWhenSaved(t *testing.T) {
	s := server(t)
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr()), Watch: true})
	say := func(session, text string) error {
		_, err := b.Engine.Start(t.Context(), agents.Request{Session: session, Text: text, Holder: "test"}).Wait()
		return err
	}
	if err := say("cpu-before", "on disk"); err != nil {
		t.Fatal(err)
	}
	waitNotice(t, b, "config.toml reloaded", func() { write(t, b.Paths.ConfigFile(), "[session]\nin_memory_only = true\n") })
	if err := say("cpu-after", "a secret"); err != nil {
		t.Fatal(err)
	}
	if err := say("cpu-after", "another secret"); err != nil {
		t.Fatal(err)
	}
	if err := say("cpu-before", "a third secret"); !errors.Is(err, fault.ErrOnDisk) {
		t.Errorf("err = %v, want ErrOnDisk for a conversation that is on disk", err)
	}
	if n := len(s.Chats()); n != 3 {
		t.Errorf("%d requests, want 3: what can't be kept is not sent", n)
	}
	err := filepath.WalkDir(b.Paths.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "secret") {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEditedMemoryIsANoticeAndInTheNextPrompt(t *testing.T) {
	s := server(t)
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr()), Watch: true})
	file := b.Memory.Path(memory.Target{Kind: memory.TargetGlobal})
	n := waitNotice(t, b, "memory.md reloaded", func() {
		tmp := file + ".tmp"
		write(t, tmp, "# Memory\n\n- The backup disk is called Backup\n- Tea, no milk\n")
		if err := os.Rename(tmp, file); err != nil {
			t.Fatal(err)
		}
	})
	if !strings.Contains(n.Text, " · +") || strings.Contains(n.Text, "+0") {
		t.Errorf("notice = %+v, want the lines counted", n)
	}
	run := b.Engine.Start(t.Context(), agents.Request{Session: b.Store.NewName("cpu"), Text: "hello", Holder: "test"})
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	chats := s.Chats()
	if got := testkit.System(*chats[len(chats)-1].Chat); !strings.Contains(got, "The backup disk is called Backup") {
		t.Errorf("the prompt holds no saved line:\n%s", got)
	}
}

func TestVitalsGoWithAMessageAboutTheMachine(t *testing.T) {
	s := server(t)
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
	run := b.Engine.Start(t.Context(), agents.Request{Session: b.Store.NewName("cli"), Text: "Why is this computer slow?", Holder: "test"})
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := testkit.LastUser(*s.Chats()[0].Chat); !strings.Contains(got, "load average ") || !strings.Contains(got, "memory ") {
		t.Errorf("user message = %q, want the vitals below it", got)
	}
}

// Models that the server holds in this machine's memory are part of the reading.
func TestStatsNameTheLoadedModels(t *testing.T) {
	s := server(t)
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
	if text, err := b.Stats(t.Context(), "memory"); err != nil || strings.Contains(text, "Models") {
		t.Errorf("before a model is loaded: %q, %v", text, err)
	}
	run := b.Engine.Start(t.Context(), agents.Request{Session: b.Store.NewName("cli"), Text: "Hi", Holder: "test"})
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	for topic, want := range map[string]bool{"": true, "memory": true, "gpu": true, "processes": true, "disk": false} {
		text, err := b.Stats(t.Context(), topic)
		if named := strings.Contains(text, "Models that the model server holds in memory: "); err != nil || named != want {
			t.Errorf("%q: %q, %v", topic, text, err)
		}
	}
}

func TestStatsOfOneTopicOrAll(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	all, err := b.Stats(t.Context(), "")
	if err != nil || strings.Contains(all, "not sampled yet") || !strings.Contains(all, "CPU:") {
		t.Errorf("stats of all = %q, %v", all, err)
	}
	one, err := b.Stats(t.Context(), "memory")
	if err != nil || !strings.Contains(one, "Memory:") || strings.Contains(one, "CPU:") {
		t.Errorf("stats of memory = %q, %v", one, err)
	}
	for _, topic := range monitor.Topics() {
		if !tools.IsStatsTopic(topic) {
			t.Errorf("SYSTEM_STATS can't be asked for %s: add it to statsTopics in agents/tools/stats.go", topic)
		}
	}
}

func TestDemoLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	b, err := Open(t.Context(), Options{Demo: true, Environ: environ(dir, "MAC_STATS_OLLAMA_MODEL=other:1b")})
	if err != nil {
		t.Fatal(err)
	}
	run := b.Engine.Start(t.Context(), agents.Request{Session: b.Store.NewName("cpu"), Text: "Remember that I like tea.", Holder: "test"})
	result, err := run.Wait()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := os.ReadFile(b.Memory.Path(memory.Target{Kind: memory.TargetGlobal}))
	if err != nil || !strings.Contains(string(memory), "I like tea") {
		t.Errorf("memory.md = %q, %v; answer %q", memory, err, result.Text)
	}
	home := b.Paths.Home
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("the demo's folder is still there: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "data")); !os.IsNotExist(err) {
		t.Errorf("the user's own folder has %v, %v", left, err)
	}
}

func TestAFileInPlaceOfTheFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "data"), "not a folder")
	if _, err := Open(t.Context(), Options{Environ: environ(dir)}); err == nil || !strings.Contains(err.Error(), "data folder") {
		t.Errorf("err = %v, want the data folder named", err)
	}
}

func TestLogHoldsNoMessageText(t *testing.T) {
	s := server(t)
	b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+s.Addr())})
	b.Logger.Info("test line")
	run := b.Engine.Start(t.Context(), agents.Request{Session: b.Store.NewName("cli"), Text: "my secret garden", Holder: "test"})
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(b.Paths.Home, "logs", "mac-stats.log"))
	if err != nil || !strings.Contains(string(log), "test line") || strings.Contains(string(log), "secret garden") {
		t.Errorf("log = %q, %v", log, err)
	}
}

// While nobody looks, the GPU isn't read; a question about the machine reads it.
func TestAQuestionReadsTheGPU(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir()), Watch: true})
	before := b.Monitor.Snapshot().GPU.NA
	if b.vitals(); before == "" || b.Monitor.Snapshot().GPU.NA == before {
		t.Errorf("before the question and after it: %q", before)
	}
}

func TestDEBUGRaisesTheLevelOfTheLog(t *testing.T) {
	for set, want := range map[string]bool{"DEBUG=": false, "DEBUG=1": true} {
		if got := open(t, Options{Environ: environ(t.TempDir(), set)}).Logger.Enabled(t.Context(), slog.LevelDebug); got != want {
			t.Errorf("%s: %v", set, got)
		}
	}
}

func TestNoticesReachEverySubscriberInOrder(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir()), Logger: slog.New(slog.DiscardHandler)})
	got := make(chan string, 10)
	stop := b.OnNotice(func(n Notice) { got <- n.Session })
	for _, name := range []string{"a", "b", "c"} {
		b.SessionsChanged(name)
	}
	for _, want := range []string{"a", "b", "c"} {
		if s := <-got; s != want {
			t.Fatalf("session = %q, want %q", s, want)
		}
	}
	stop()
	stop() // a second call does no harm
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// waitNotice calls do and waits for a notice with this beginning.
func waitNotice(t *testing.T, b *Backend, begins string, do func()) Notice {
	t.Helper()
	got := make(chan Notice, 16)
	stop := b.OnNotice(func(n Notice) {
		if strings.HasPrefix(n.Text, begins) {
			got <- n
		}
	})
	defer stop()
	do()
	return <-got
}
