package forget

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// server keeps texts of a machine called lap, and of the one that asks.
type server struct {
	texts  map[string]transcript.Block // by session
	mine   map[string]bool             // the sessions of the machine that asks
	record string
	fault  error
}

func (s *server) Name() string { return "memory.example" }

func (s *server) Sweep(_ context.Context, record string, gone func(mine bool, session string, b transcript.Block) bool) ([]string, error) {
	if s.fault != nil {
		return nil, s.fault
	}
	s.record = record
	for session, b := range s.texts {
		if gone(s.mine[session], session, b) {
			delete(s.texts, session)
		}
	}
	return []string{"lap"}, nil
}

// withServer connects the rig to a server.
func (r *rig) withServer(s *server) {
	p := r.f.p
	p.Servers = func() ([]Server, func()) { return []Server{s}, func() {} }
	r.f = New(p)
}

// What one machine forgets, the server loses at once: of the other machines what says the same, and of a
// session only the copy that was here, or the conversation with the same channel.
func TestAServerLosesWhatIsForgotten(t *testing.T) {
	r := newRig(t)
	then := time.Now().Add(-time.Hour)
	block := func(id, text string) transcript.Block {
		return transcript.Block{ID: id, Kind: transcript.KindUser, Text: text, Time: then}
	}
	s := &server{mine: map[string]bool{"cpu-here": true, "cpu-notes": true}, texts: map[string]transcript.Block{
		"cpu-there": block("a", "my locker opens with zebra seven"), "cpu-here": block("b", "zebra seven opens it"), "cpu-x": block("c", "hello"),
		"": {Kind: transcript.Kind(corpus.KindMemory), Text: "the locker opens with zebra seven"}, "cpu-notes": block("d", "of the desk"), "discord-5": block("e", "of the lap"),
	}}
	r.withServer(s)
	if err := r.f.Sweep(t.Context(), s); err != nil || s.record != "" {
		t.Errorf("%v, asked with %q before anything was forgotten", err, s.record)
	}
	r.say("cpu-here", block("b", "zebra seven opens it"))
	report := r.forget(Selection{Text: "zebra seven"})
	named := slices.ContainsFunc(report.Found, func(f forgotten.Touched) bool {
		return f.Place == placeServer && f.Action == forgotten.Removed && strings.Contains(f.Why, "lap forgets it when it is next online, in messages and memory copied to the server, not in files")
	})
	left := func() (out []string) {
		for session := range s.texts {
			out = append(out, session)
		}
		slices.Sort(out)
		return out
	}
	if got := left(); !named || !slices.Equal(got, []string{"cpu-notes", "cpu-x", "discord-5"}) {
		t.Errorf("the server has %q; reported %+v", got, report.Found)
	}
	first := s.record
	for _, session := range []string{"cpu-notes", "discord-5"} {
		r.say(session, block("f", "of the desk"))
		r.forget(Selection{Session: session})
	}
	if got := left(); !slices.Equal(got, []string{"cpu-x"}) || s.record == first {
		t.Errorf("the server has %q", got)
	}
	s.texts["cpu-notes"], s.texts["discord-5"], s.mine = block("g", "of the lap"), block("h", "of the lap"), nil
	s.texts["cpu-late"] = block("i", "zebra seven, as I said")
	if err := r.f.Sweep(t.Context(), s); err != nil || !slices.Equal(left(), []string{"cpu-notes", "cpu-x"}) {
		t.Errorf("%v, the server has %q: want that another conversation of the same name stays", err, left())
	}
}

// What another machine forgot of this one goes from its files, whole messages and lines, and isn't forgotten
// twice; the servers are no further's business.
func TestWhatAnotherMachineForgotIsAdopted(t *testing.T) {
	r := newRig(t)
	s := &server{}
	r.withServer(s)
	then := time.Now().Add(-time.Hour)
	r.say("cpu-a", transcript.Block{ID: "b1", Kind: transcript.KindUser, Text: "my locker opens with zebra seven\n\nand the weather is fine", Time: then})
	r.say("cpu-a", transcript.Block{ID: "b2", Kind: transcript.KindUser, Text: "my locker opens with zebra seven", Time: then})
	for _, line := range []string{"Opens the locker with zebra seven", "Likes herons"} {
		_, err := r.memory.Append(t.Context(), memory.Lesson{Text: line, Hand: true})
		must(t, err)
	}
	chunks := []corpus.Chunk{
		{Session: "cpu-a", Block: "b1", Kind: corpus.KindUser, Text: "my locker opens with zebra seven"},
		{Kind: corpus.KindMemory, Path: "agents/memory.md", Text: "Opens the locker with zebra seven"},
		{Session: "cpu-gone", Block: "b9", Kind: corpus.KindUser, Text: "of a session that was deleted"},
	}
	report, err := r.f.Adopt(t.Context(), chunks)
	must(t, err)
	load, err := r.store.Load(t.Context(), "cpu-a")
	must(t, err)
	if load.Blocks[0].Text != forgotten.Text || load.Blocks[1].Text == forgotten.Text {
		t.Errorf("%+v, reported %+v", load.Blocks, report.Found)
	}
	if text := r.read(r.memory.Path(memory.Target{Kind: memory.TargetGlobal})); strings.Contains(text, "zebra") || !strings.Contains(text, "herons") {
		t.Errorf("memory: %q", text)
	}
	if again, err := r.f.Adopt(t.Context(), chunks); err != nil || len(again.Found) > 0 || s.record != "" || len(r.f.forgotten.Unfinished()) > 0 {
		t.Errorf("again: %+v, %v, %q", again.Found, err, s.record)
	}
}

// A server that can't be reached is pending, and the next start tries it again.
func TestAServerThatCannotBeReachedIsPending(t *testing.T) {
	r := newRig(t)
	r.say("cpu-a", user("zebra seven"))
	s := &server{fault: errors.New("no network here")}
	r.withServer(s)
	plan := r.plan(Selection{Text: "zebra seven"})
	if !slices.ContainsFunc(plan.Found, func(f forgotten.Touched) bool { return f.Place == placeServer && f.Path == "memory.example" }) {
		t.Errorf("the plan doesn't name the server: %+v", plan.Found)
	}
	report, err := r.f.Do(t.Context(), plan)
	must(t, err)
	if report.Pending != 1 || len(r.f.forgotten.Unfinished()) != 1 {
		t.Errorf("%+v", report)
	}
	if err := r.f.Sweep(t.Context(), s); !errors.Is(err, s.fault) {
		t.Errorf("a sweep: %v", err)
	}
	s.fault = nil
	if _, err := r.f.Resume(t.Context()); err != nil || len(r.f.forgotten.Unfinished()) != 0 || s.record == "" {
		t.Errorf("tried again: %v, %d unfinished", err, len(r.f.forgotten.Unfinished()))
	}
}

// A short word that stands in many messages would remove more than anybody means.
func TestACommonShortWordIsRefused(t *testing.T) {
	r := newRig(t)
	for range mostShort + 1 {
		r.say("cpu-a", user("the fan is loud"))
	}
	if _, err := r.f.Plan(t.Context(), Selection{Text: "fan"}); !errors.Is(err, ErrSelection) || !strings.Contains(err.Error(), "common word") {
		t.Errorf("%v", err)
	}
	if p := r.plan(Selection{Text: "fan is loud"}); p.Nothing() {
		t.Error("more words say what is meant")
	}
}

// A line of a memory can be forgotten by the ID that a search shows.
func TestForgettingALineOfAMemory(t *testing.T) {
	r := newRig(t)
	_, err := r.memory.Append(t.Context(), memory.Lesson{Text: "Keeps a zebra in the shed", Hand: true})
	must(t, err)
	must(t, second(r.index.Sync(t.Context())))
	learned := r.memory.Learned()
	if len(learned) != 1 {
		t.Fatal(learned)
	}
	id := r.f.lineID(learned[0].Path, learned[0].Text)
	r.forget(Selection{Chunk: id})
	if text := r.read(r.memory.Path(memory.Target{Kind: memory.TargetGlobal})); strings.Contains(text, "zebra") {
		t.Errorf("left: %q", text)
	}
	r.f.p.Index = nil
	if _, err := r.f.Plan(t.Context(), Selection{Chunk: "memory/agents/memory.md/0123456789ab"}); err == nil {
		t.Error("a line that isn't there")
	}
}
