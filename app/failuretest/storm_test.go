//go:build unix

package failuretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// stormCyclesVariable sets how often TestKillStorm kills; the benchmark run sets it to
	// 800.
	stormCyclesVariable = "MAC_STATS_STORM_CYCLES"
	stormPlaces         = 4

	// stormLost is how much of a streaming answer may be lost; stormSlack is the time a
	// busy machine may need to write it.
	stormLost  = 2 * time.Second
	stormSlack = 1500 * time.Millisecond
)

// This test kills everything at random moments: while the app runs, answers stream in
// several sessions, one session is being summarised, lessons are written, and an editor
// saves what it read earlier. After each restart everything reported as saved is there: in
// the transcript, or in its journal if an editor's save dropped it. What the user deleted
// stays deleted.
func TestKillStorm(t *testing.T) {
	t.Parallel()
	cycles := stormCycles(t)
	var total stormTotal
	t.Run("places", func(t *testing.T) {
		for i := range stormPlaces {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				s := newStorm(t)
				for range (cycles + i) / stormPlaces {
					s.cycle()
				}
				s.end()
				total.add(s.total)
			})
		}
	})
	t.Logf("%+v", &total)
	if cycles < 20 {
		return
	}
	if total.Acknowledged == 0 || total.Summaries == 0 || total.Lessons == 0 || total.Proposals == 0 || total.Cut == 0 || total.Dropped == 0 || total.Deleted == 0 {
		t.Error("the storm shows less than it should")
	}
}

// stormCycles returns the number of kills.
func stormCycles(t *testing.T) int {
	t.Helper()
	cycles := 20
	if v := os.Getenv(stormCyclesVariable); v != "" {
		var err error
		if cycles, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	return cycles
}

// stormTotal counts what happened.
type stormTotal struct {
	mu                                          sync.Mutex
	Kills, Acknowledged, Summaries, Cut, Killed int
	Lessons, Proposals                          int
	Saves, Dropped, Deleted                     int           // by an editor; blocks only in a journal; blocks that the user deleted
	OldestLost                                  time.Duration // of a streaming answer, at the kill
}

func (a *stormTotal) add(b *stormTotal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Kills += b.Kills
	a.Acknowledged += b.Acknowledged
	a.Summaries += b.Summaries
	a.Cut += b.Cut
	a.Killed += b.Killed
	a.Lessons += b.Lessons
	a.Proposals += b.Proposals
	a.Saves += b.Saves
	a.Dropped += b.Dropped
	a.Deleted += b.Deleted
	a.OldestLost = max(a.OldestLost, b.OldestLost)
}

func (a *stormTotal) String() string {
	return fmt.Sprintf("%d kills of everything (%d processes): %d messages, %d summaries, %d lessons and %d proposals were acknowledged and are there; "+
		"of %d cut answers no word older than %s at the kill is lost; after %d late saves %d blocks stand in journals alone, and none of %d that were deleted is back", a.Kills, a.Killed, a.Acknowledged, a.Summaries, a.Lessons, a.Proposals,
		a.Cut, a.OldestLost.Round(time.Millisecond), a.Saves, a.Dropped, a.Deleted)
}

// storm is one installation that is killed again and again.
type storm struct {
	t     *testing.T
	p     *place
	sent  *sentLog
	rnd   *rand.Rand
	total *stormTotal

	mu      sync.Mutex
	dead    bool
	running []*process
	asked   []*asking
	marks   int

	said     map[string]map[string]string // session → block ID → text; "" for a Summary
	order    map[string][]string          // session → marks in order of the questions
	lessons  map[string]bool              // reported as written
	proposed map[string]bool              // their IDs
	cut      []*asking
	deleted  map[string]bool // IDs of blocks the user deleted
}

// asking is one run of the program.
type asking struct {
	process *process
	session string
	mark    string // "" for a compaction on request
	text    string
	killed  time.Time // zero if it ended by itself
}

func newStorm(t *testing.T) *storm {
	t.Helper()
	sent, host := startStorm(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := &storm{
		t: t, p: newPlace(t, host), sent: sent, rnd: rand.New(rand.NewPCG(seed, 1)), total: &stormTotal{},
		said: map[string]map[string]string{}, order: map[string][]string{}, lessons: map[string]bool{}, proposed: map[string]bool{}, deleted: map[string]bool{},
	}
	delete(s.p.had, "agents/memory.md") // it grows
	s.p.env = append(s.p.env, "MAC_STATS_COMPACTION_THRESHOLD=6", "MAC_STATS_MEMORY_GLOBAL_BUDGET=100000")
	return s
}

// cycle starts the app, keeps it busy, and kills everything.
func (s *storm) cycle() {
	s.mu.Lock()
	s.dead, s.running, s.asked = false, nil, nil
	s.mu.Unlock()
	s.headless()
	s.check()

	var work sync.WaitGroup
	work.Go(func() { s.keepAsking("cli-long", "l", "orchestrator", nil) })
	work.Go(func() { s.keepAsking("cli-short", "s", "memory-keeper", nil) }) // it may propose
	summarised := make(chan struct{})
	work.Go(func() {
		s.keepAsking("cli-compacted", "s", "orchestrator", sync.OnceFunc(func() { close(summarised) }))
	})
	stop := make(chan struct{})
	edited := make(chan struct{})
	go func() {
		defer close(edited)
		s.saveLate(stop)
	}()
	moment := time.Duration(50+s.rnd.IntN(1200)) * time.Millisecond
	switch s.rnd.IntN(3) {
	case 0:
		moment = stormLost + stormSlack + moment
	case 1: // however slow the machine is
		<-summarised
	}
	time.Sleep(moment)
	s.kill()
	close(stop)
	<-edited
	work.Wait()
	for _, p := range s.running {
		<-p.ended // only then its locks and its socket are free
	}
	s.collect()
	s.deleteLast()
}

// end checks a last time, and checks that no lock stops anybody from continuing.
func (s *storm) end() {
	s.mu.Lock()
	s.dead = false
	s.mu.Unlock()
	s.headless()
	s.check()
	for session := range s.said {
		mark := s.mark("s")
		o := s.p.run("ask", "--session", session, "What of "+mark+"?")
		o.expect(s.t, 0, stormAnswer(mark)+"\n", o.stderr)
		if strings.Contains(o.stderr, "waiting") {
			s.t.Errorf("%s: %s", session, o.stderr)
		}
	}
}

// headless starts the app. When it reports that it runs, it has added interrupted answers
// to the transcripts.
func (s *storm) headless() {
	app := s.begin(s.p.command("--headless").Args[1:]...)
	until(s.t, "the app to run", func() bool {
		select {
		case <-app.ended:
			s.t.Fatalf("the app doesn't start again: %s", app.stderr.String())
		default:
		}
		return strings.Contains(app.stdout.String(), "runs without a screen")
	})
}

// begin starts the program, or returns nil if everything was killed.
func (s *storm) begin(args ...string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return nil
	}
	p := s.p.start(s.p.command(args...))
	s.running = append(s.running, p)
	return p
}

func (s *storm) mark(length string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks++
	return fmt.Sprintf("q%d%s", s.marks, length)
}

// keepAsking asks one question after another in a session. With summarised, the session is
// also summarised on request after each, and summarised is called.
func (s *storm) keepAsking(session, length, agent string, summarised func()) {
	for {
		mark := s.mark(length)
		a := &asking{session: session, mark: mark, text: "I paddle my red kayak. What of " + mark + "?"}
		if a.process = s.begin("ask", "--json", "--agent", agent, "--session", session, a.text); !s.await(a) {
			return
		}
		if summarised == nil {
			continue
		}
		b := &asking{session: session}
		if b.process = s.begin("sessions", "compact", "--json", session); !s.await(b) {
			return
		}
		summarised()
	}
}

// await waits for the end of a run; false if everything was killed.
func (s *storm) await(a *asking) bool {
	if a.process == nil {
		return false
	}
	s.mu.Lock()
	s.asked = append(s.asked, a)
	s.mu.Unlock()
	<-a.process.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.dead
}

// kill ends everything at once, like a power cut.
func (s *storm) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
	s.total.Kills++
	now := time.Now()
	for _, p := range s.running {
		select {
		case <-p.ended:
			continue
		default:
		}
		if err := p.cmd.Process.Kill(); err == nil {
			s.total.Killed++
		}
		for _, a := range s.asked {
			if a.process == p {
				a.killed = now
			}
		}
	}
}

// collect reads the output of the runs, which a user relies on from then on.
func (s *storm) collect() {
	s.cut = nil
	for _, a := range s.asked {
		o := a.process.wait()
		if a.killed.IsZero() && o.code > 0 && (a.mark != "" || !otherCompacts(o)) {
			s.t.Errorf("%v: exit %d, %s", a.process.cmd.Args[1:], o.code, o.stderr)
		}
		if s.said[a.session] == nil {
			s.said[a.session] = map[string]string{}
		}
		if a.mark != "" {
			s.order[a.session] = append(s.order[a.session], a.mark)
			s.cut = append(s.cut, a)
		}
		for line := range strings.Lines(o.stdout) {
			if strings.HasSuffix(line, "\n") {
				s.acknowledge(a, line)
			}
		}
	}
}

// otherCompacts reports that the app itself summarised the session after an answer.
func otherCompacts(o outcome) bool {
	return strings.Contains(o.stderr, "Another process is summarising this session.") || strings.Contains(o.stderr, "The conversation has changed in the meantime.")
}

func (s *storm) acknowledge(a *asking, line string) {
	var e struct {
		Type, State, Block, Text, Summary, Detail string
		Memory                                    *struct{ Inbox string }
	}
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		s.t.Errorf("no JSON: %q: %v", line, err)
		return
	}
	switch {
	case e.Type == "state" && e.Block != "":
		s.said[a.session][e.Block] = a.text
	case e.Type == "done":
		s.said[a.session][e.Block] = e.Text
	case e.Type == "compaction" && e.Block+e.Summary != "":
		s.said[a.session][e.Block+e.Summary] = ""
		s.total.Summaries++
	case e.Type == "memory_written":
		s.lessons[e.Text] = true
	case e.Type == "memory_proposed":
		s.proposed[e.Memory.Inbox] = true
	case e.Type == "error":
		s.t.Errorf("%s", line)
	}
}

// memoryFile returns the lines of memory.md below the app's own heading, which is there once
// and only with a line.
func (s *storm) memoryFile() []string {
	data, err := os.ReadFile(filepath.Join(s.p.home, "agents", "memory.md"))
	if err != nil {
		s.t.Fatal(err)
	}
	rest, whole := strings.CutPrefix(string(data), memoryText)
	if !whole || rest != "" && !strings.HasSuffix(rest, "\n") {
		s.t.Errorf("memory.md is not whole: %q", data)
	}
	rest, headed := strings.CutPrefix(rest, "\n## Remembered\n\n")
	if headed == (rest == "") {
		s.t.Errorf("memory.md has no line below the heading, or lines without it: %q", data)
	}
	return strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
}
