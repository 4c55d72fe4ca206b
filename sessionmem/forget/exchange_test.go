package forget

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// server keeps in memory what a server keeps for the machines of a person.
type server struct {
	mu       sync.Mutex
	shared   map[string]forgotten.Shared
	unswept  map[string]bool
	machines []forgotten.BoardMachine
	keys     map[int32][]forgotten.SealedKey
	texts    map[string]string // of all machines
	fault    error
}

// atServer is the server as one machine sees it.
type atServer struct {
	*server
	me    string
	ahead time.Duration // of the server's clock
}

func (b atServer) Name() string { return "memory.example" }

func (b atServer) Look(_ context.Context, public []byte) (forgotten.BoardState, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault != nil {
		return forgotten.BoardState{}, b.fault
	}
	if !slices.ContainsFunc(b.machines, func(m forgotten.BoardMachine) bool { return m.Name == b.me }) {
		b.machines = append(b.machines, forgotten.BoardMachine{Number: int32(len(b.machines)), Name: b.me, Public: public})
	}
	state := forgotten.BoardState{Ahead: b.ahead, Noted: map[string]string{}}
	for id, s := range b.shared {
		state.Noted[id] = s.KeyID
	}
	for id := range b.unswept {
		state.Unswept = append(state.Unswept, id)
	}
	for _, m := range b.machines {
		m.Mine = m.Name == b.me
		for _, k := range b.keys[m.Number] {
			m.Has = append(m.Has, k.ID)
		}
		if m.Mine {
			state.Keys = b.keys[m.Number]
		}
		state.Machines = append(state.Machines, m)
	}
	return state, nil
}

func (b atServer) Fetch(_ context.Context, ids []string) (out []forgotten.Shared, err error) {
	for _, id := range ids {
		out = append(out, b.shared[id])
	}
	return out, nil
}

func (b atServer) Note(_ context.Context, all []forgotten.Shared) error {
	for _, s := range all {
		b.shared[s.ID], b.unswept[s.ID] = s, true
	}
	return nil
}

func (b atServer) Give(_ context.Context, keys []forgotten.SealedKey) error {
	for _, k := range keys {
		b.keys[k.Machine] = append(b.keys[k.Machine], k)
	}
	return nil
}

func (b atServer) Erase(_ context.Context, _, sessions, _ []string) error {
	for _, s := range sessions {
		delete(b.texts, b.me+" "+s)
	}
	return nil
}

func (b atServer) Sweep(_ context.Context, ids []string, matches func(session string, b transcript.Block) bool) error {
	for key, text := range b.texts {
		_, session, _ := strings.Cut(key, " ")
		if matches(session, transcript.Block{Kind: transcript.KindAssistant, Text: text}) {
			delete(b.texts, key)
		}
	}
	for _, id := range ids {
		delete(b.unswept, id)
	}
	return nil
}

// newMachine returns a machine that uses the server.
func newMachine(t *testing.T, s *server, name string, ahead time.Duration) (*rig, Board) {
	t.Helper()
	r := &rig{t: t, root: t.TempDir(), cache: t.TempDir()}
	var err error
	r.store, err = sessionmem.Open(sessionmem.Config{Root: r.root, CacheDir: r.cache})
	must(t, err)
	t.Cleanup(func() { must(t, r.store.Close()) })
	r.memory = memory.New(memory.Config{Root: r.root})
	b := atServer{s, name, ahead}
	r.f = New(Params{
		Root: r.root, CacheDir: r.cache, Store: r.store, Memory: r.memory,
		Boards: func() ([]Board, func()) { return []Board{b}, func() {} },
		Pair:   func() (*forgotten.Pair, error) { return forgotten.NewPair([]byte(name)) },
	})
	return r, b
}

func newServer() *server {
	return &server{shared: map[string]forgotten.Shared{}, unswept: map[string]bool{}, keys: map[int32][]forgotten.SealedKey{}, texts: map[string]string{}}
}

// exchange exchanges with the server; nothing may fail.
func (r *rig) exchange(b Board) Report {
	r.t.Helper()
	report, err := r.f.Exchange(r.t.Context(), b)
	must(r.t, err)
	return report
}

// What one machine forgets, the person's other machines forget when they are next online,
// and the server loses it at once.
func TestMachinesForgetTogether(t *testing.T) {
	s := newServer()
	desk, atDesk := newMachine(t, s, "desk", 0)
	lap, atLap := newMachine(t, s, "lap", time.Hour)
	for _, r := range []*rig{desk, lap} {
		r.say("cpu-both", transcript.Block{ID: "b1", Kind: transcript.KindUser, Text: "my locker opens with zebra seven", Time: time.Now().Add(-3 * time.Hour)})
	}
	s.texts = map[string]string{"lap cpu-both": "my locker opens with zebra seven", "desk cpu-x": "hello"}
	desk.exchange(atDesk)
	lap.exchange(atLap)
	report := desk.forget(Selection{Text: "zebra seven"})
	named := slices.ContainsFunc(report.Found, func(f forgotten.Touched) bool {
		return f.Place == placeServer && f.Action == forgotten.Removed && strings.Contains(f.Why, "lap forgets it when it is next online")
	})
	if !named || len(s.texts) != 1 || len(s.unswept) != 0 || len(s.shared) != 1 {
		t.Errorf("the server has %v, %d unswept; reported %+v", s.texts, len(s.unswept), report.Found)
	}
	got := lap.exchange(atLap)
	if !slices.ContainsFunc(got.Found, func(f forgotten.Touched) bool { return f.Session == "cpu-both" && f.Action == forgotten.Emptied }) {
		t.Errorf("the other machine did %+v", got.Found)
	}
	load, err := lap.store.Load(t.Context(), "cpu-both")
	must(t, err)
	if load.Blocks[0].Text != forgotten.Text || !lap.f.forgotten.Has("zebra seven") {
		t.Errorf("it has %q", load.Blocks[0].Text)
	}
	if again := lap.exchange(atLap); len(again.Found) > 0 || desk.exchange(atDesk).Found != nil {
		t.Errorf("forgotten twice: %+v", again.Found)
	}
}

// A machine that has no key yet forgets as soon as one that has it was online.
func TestAMachineWaitsForTheKey(t *testing.T) {
	s := newServer()
	desk, atDesk := newMachine(t, s, "desk", 0)
	desk.say("cpu-a", user("zebra seven"))
	desk.exchange(atDesk)
	desk.forget(Selection{Text: "zebra seven"})
	lap, atLap := newMachine(t, s, "lap", 0)
	lap.say("cpu-b", transcript.Block{Kind: transcript.KindUser, Text: "zebra seven", Time: time.Now().Add(-time.Hour)})
	if lap.exchange(atLap); lap.f.forgotten.Has("zebra seven") {
		t.Error("it knows what it has no key for")
	}
	desk.exchange(atDesk)
	if lap.exchange(atLap); !lap.f.forgotten.Has("zebra seven") {
		t.Error("it doesn't know what it has the key for")
	}
	s.keys[1] = append(s.keys[1], forgotten.SealedKey{ID: "damaged", Machine: 1, Box: []byte("x")})
	lap.exchange(atLap) // a key that can't be read is logged, and stops nothing
}

// A session that only has the name of a forgotten one stays on another machine; a copy of
// it goes, and so does the conversation with the same channel.
func TestNamesakesStayOnOtherMachines(t *testing.T) {
	s := newServer()
	desk, atDesk := newMachine(t, s, "desk", 0)
	lap, atLap := newMachine(t, s, "lap", 0)
	desk.exchange(atDesk)
	lap.exchange(atLap)
	then := time.Now().Add(-time.Hour)
	for session, id := range map[string]string{"cpu-notes": "d1", "cpu-copy": "c1", "discord-5": "d5"} {
		desk.say(session, transcript.Block{ID: id, Kind: transcript.KindUser, Text: "of the desk", Time: then})
		if session != "cpu-copy" {
			id += "-lap"
		}
		lap.say(session, transcript.Block{ID: id, Kind: transcript.KindUser, Text: "of the lap", Time: then})
		desk.forget(Selection{Session: session})
	}
	lap.exchange(atLap)
	for session, want := range map[string]string{"cpu-notes": "of the lap", "cpu-copy": forgotten.Text, "discord-5": forgotten.Text} {
		load, err := lap.store.Load(t.Context(), session)
		must(t, err)
		if load.Blocks[0].Text != want {
			t.Errorf("%s has %q", session, load.Blocks[0].Text)
		}
	}
}

// A server that can't be reached is pending, and the next start tries it again.
func TestAServerThatCannotBeReachedIsPending(t *testing.T) {
	s := newServer()
	desk, atDesk := newMachine(t, s, "desk", 0)
	desk.say("cpu-a", user("zebra seven"))
	s.fault = errors.New("no network here")
	plan := desk.plan(Selection{Text: "zebra seven"})
	if !slices.ContainsFunc(plan.Found, func(f forgotten.Touched) bool { return f.Place == placeServer && f.Path == "memory.example" }) {
		t.Errorf("the plan doesn't name the server: %+v", plan.Found)
	}
	report, err := desk.f.Do(t.Context(), plan)
	must(t, err)
	if report.Pending != 1 || len(desk.f.forgotten.Unfinished()) != 1 {
		t.Errorf("%+v", report)
	}
	if _, err := desk.f.Exchange(t.Context(), atDesk); !errors.Is(err, s.fault) {
		t.Errorf("an exchange: %v", err)
	}
	s.fault = nil
	if _, err := desk.f.Resume(t.Context()); err != nil || len(desk.f.forgotten.Unfinished()) != 0 || len(s.shared) != 1 {
		t.Errorf("tried again: %v, %d unfinished", err, len(desk.f.forgotten.Unfinished()))
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
