package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// worldSteps is the number of steps for which a data folder is used.
const worldSteps = 2000

// TestModel plays two writers on the same files: the app, with turns of a scripted model,
// lessons, Summaries and forgetting, and a person with an editor that saves in five ways.
// Every message and lesson contains a unique word by which it is recognised anywhere.
// After every step
//
//   - everything acknowledged is in its file, or is kept for the user to restore, or the
//     user removed it and confirmed that;
//   - nothing forgotten is in any file that the app has read since;
//   - nothing that the user removed or forgot is in a request.
func TestModel(t *testing.T) {
	t.Parallel()
	few := 400
	if testing.Short() {
		few = 100
	}
	steps, seed := filetest.Random(t, few)
	t.Logf("seed %d, %d steps", seed, steps)
	total := map[string]int{}
	for done := 0; done < steps && !t.Failed(); done += worldSteps {
		dir := t.TempDir()
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(began)) // set the bubble's clock to the files' time
			w := &writers{t: t, root: dir, seed: seed + uint64(done), rnd: rand.New(rand.NewPCG(seed+uint64(done), 7)), words: map[string]*word{}, redacted: map[string]bool{}, did: total}
			w.play(min(worldSteps, steps-done))
		})
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
	t.Log(total)
}

// state is the state of a word.
type state int

const (
	standing     state = iota // acknowledged, and in its file
	removed                   // by the user's save, but kept to be restored
	dropped                   // the user confirmed the removal
	wasForgotten              // must not be anywhere
	unsure                    // written while somebody saved: in its file or kept
	lost                      // never acknowledged
)

func (s state) String() string {
	return []string{"standing", "removed", "dropped", "forgotten", "unsure", "lost"}[s]
}

// word stands for a message or a lesson.
type word struct {
	text   string
	in     string // the session; for a lesson, the one where it was learned
	lesson bool
	hand   bool // the user confirmed its removal: if a save brings it back, it is the user's own text
	state  state
	step   int
}

type writers struct {
	t        *testing.T
	root     string
	rnd      *rand.Rand
	seed     uint64
	words    map[string]*word
	redacted map[string]bool // words that an editor removed from a message that stayed
	did      map[string]int

	store      *sessionmem.Store
	memory     *memory.Memory
	engine     *Engine
	compaction *compact.Compaction
	forgetter  *forget.Forgetter

	sessions []string
	made     int
	now      int      // the step
	turning  string   // the session whose turn runs
	fresh    []*word  // the words of the turn so far
	buffers  []buffer // files as editors have read them
	log      []string
}

// buffer is a file as an editor has read it.
type buffer struct {
	path string
	data string
}

var wordForm = regexp.MustCompile(`x[abdefghkmpstuvz]{9}y`)

// mint makes a unique word.
func (w *writers) mint(in string, lesson bool) *word {
	const letters = "abdefghkmpstuvz"
	b := []byte("x")
	for range 9 {
		b = append(b, letters[w.rnd.IntN(len(letters))])
	}
	n := &word{text: string(b) + "y", in: in, lesson: lesson, state: lost, step: w.now}
	w.words[n.text] = n
	return n
}

func (w *writers) play(steps int) {
	w.open()
	for range 3 {
		w.sessions = append(w.sessions, w.name())
	}
	for w.now = range steps {
		w.step()
		w.check()
		if w.now%40 == 39 {
			w.checkForgotten()
		}
		if w.t.Failed() {
			w.t.Fatalf("at step %d of a world with seed %d; the last steps: %s", w.now, w.seed, strings.Join(w.log[max(0, len(w.log)-15):], ", "))
		}
	}
	w.checkForgotten()
	w.close()
}

func (w *writers) name() string {
	w.made++
	return fmt.Sprintf("cpu-s%d", w.made)
}

// open starts the app.
func (w *writers) open() {
	var err error
	if w.store, err = sessionmem.Open(sessionmem.Config{Root: w.root}); err != nil {
		w.t.Fatal(err)
	}
	w.memory = memory.New(memory.Config{Root: w.root, Shipped: os.DirFS("../assets")})
	agents := registry.New(registry.Config{Root: w.root, Defaults: os.DirFS("../assets")})
	if err := agents.Prepare(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.compaction = compact.New(compact.Config{
		Store: w.store, Summarizer: retelling{w}, Policy: func() compact.Policy { return compact.Policy{} },
		Lessons: compact.MemoryLessons{Memory: w.memory, Store: w.store, Write: func() string { return "auto" }},
	})
	w.engine = NewEngine(Params{
		Store: w.store, Memory: w.memory, Registry: agents, Chat: w, Models: w, Prompts: os.DirFS("../assets"), Compactor: w.compaction,
		Settings: func() Settings {
			return Settings{DefaultAgent: "orchestrator", TaskContext: "off", MaxMessages: 20, MaxTokens: 8192, GlobalBudget: 8000, AgentBudget: 4000, MemoryWrite: "auto", Model: testModel}
		},
	})
	w.forgetter = forget.New(forget.Params{Root: w.root, CacheDir: filepath.Join(w.root, "cache"), Store: w.store, Memory: w.memory})
}

func (w *writers) close() {
	if err := errors.Join(w.engine.Close(), w.store.Close()); err != nil {
		w.t.Error(err)
	}
}

func (w *writers) step() {
	session := w.sessions[w.rnd.IntN(len(w.sessions))]
	actions := []struct {
		name   string
		weight int
		do     func(session string)
	}{
		{"turn", 40, func(s string) { w.turn(s, false) }},
		{"lesson", 10, func(s string) { w.turn(s, true) }},
		{"compact", 6, w.compact},
		{"open in an editor", 12, w.openFile},
		{"edit", 24, w.edit},
		{"save during a turn", 6, w.saveDuringATurn},
		{"restore", 4, w.restore},
		{"keep removed", 4, w.keepRemoved},
		{"forget", 4, func(string) { w.forget() }},
		{"restart", 3, func(string) { w.close(); w.open() }},
		{"a new session", 2, w.retire},
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	pick := w.rnd.IntN(total)
	for _, a := range actions {
		if pick -= a.weight; pick < 0 {
			w.log = append(w.log, a.name+" "+session)
			w.did[a.name]++
			a.do(session)
			break
		}
	}
}

// Chat is the model: it answers with a unique word, and saves a lesson if the message
// asks for that.
func (w *writers) Chat(_ context.Context, req ollama.ChatRequest) (ollama.ChatResult, error) {
	for _, m := range req.Messages {
		w.checkSent(m)
	}
	last := req.Messages[len(req.Messages)-1]
	text := "Fine, " + w.minted(false) + "."
	if strings.Contains(last.Content, "Do log it.") {
		m := w.minted(true) // no two lessons are alike
		text = fmt.Sprintf("MEMORY_APPEND: %s %so %si.", m, m[1:7], m[4:10])
	}
	if req.OnChunk != nil {
		req.OnChunk(ollama.Chunk{Content: text})
		time.Sleep(time.Millisecond) // until that is checkpointed: a bubble's time stands still while something waits for a lock
	}
	return ollama.ChatResult{Content: text, DoneReason: "stop"}, nil
}

func (w *writers) minted(lesson bool) string {
	n := w.mint(w.turning, lesson)
	w.fresh = append(w.fresh, n)
	return n.text
}

// checkSent fails if a request has anything that the user removed or forgot.
func (w *writers) checkSent(m api.Message) {
	for _, text := range wordForm.FindAllString(m.Content, -1) {
		n := w.words[text]
		switch {
		case n == nil:
			w.t.Errorf("the request holds %q, which nobody said", text)
		case n.lesson && n.in == w.turning && n.state != wasForgotten: // its turn is in the transcript
		case n.state == removed || n.state == dropped || n.state == wasForgotten:
			w.t.Errorf("the request in %s holds %s of %s, which is %s (since step %d): role %s\n%s", w.turning, text, n.in, n.state, n.step, m.Role, m.Content)
		}
	}
}

func (w *writers) Resolve(context.Context, string, ollama.Role) (ollama.ModelInfo, error) {
	return ollama.ModelInfo{Name: testModel, Parameters: 8e9, MaxContext: 16384, Capabilities: []string{"completion"}}, nil
}
func (w *writers) NumCtx(context.Context, string) (int, error)               { return 16384, nil }
func (w *writers) Observe(context.Context, string, int, int, int) (cut bool) { return false }
func (w *writers) Estimate(_ string, raw int) int                            { return raw }

// retelling is the small model, which repeats what it is given.
type retelling struct{ w *writers }

func (r retelling) Summarize(_ context.Context, _ string, before *transcript.Block, messages []transcript.Block) (compact.Digest, error) {
	var told []string
	if before != nil {
		told = wordForm.FindAllString(before.Text, -1)
	}
	for _, b := range messages {
		for _, text := range wordForm.FindAllString(b.Text, -1) {
			if n := r.w.words[text]; n.state == removed && !n.lesson || n.state == dropped && !n.lesson || n.state == wasForgotten {
				r.w.t.Errorf("the small model is given %s of %s, which is %s since step %d; in its file: %v", text, n.in, n.state, n.step, strings.Contains(r.w.read(r.w.file(n.in)), text))
			}
			told = append(told, text)
		}
	}
	return compact.Digest{Context: "They spoke of " + strings.Join(told[max(0, len(told)-6):], ", ") + ".", By: "small:1b"}, nil
}

// turn sends a message and records the answer.
func (w *writers) turn(session string, learn bool) {
	said := w.mint(session, false)
	text := "It is " + said.text + "." // a title is sent with a message that shares a longer word with it
	if learn {
		text += " Do log it."
	}
	w.turning, w.fresh = session, []*word{said}
	result, err := w.engine.Start(w.t.Context(), Request{Session: session, Text: text, Holder: "test"}).Wait()
	if err != nil {
		w.t.Errorf("a turn in %s: %v", session, err)
	}
	for _, n := range w.fresh { // an answer that the engine requested again is never stored
		if n == said || n.lesson || strings.Contains(result.Text, n.text) {
			n.state = standing
		}
	}
	w.turning = ""
	w.settle()
}

// settle does what the app does by itself while it is idle.
func (w *writers) settle() {
	for range 30 {
		s, err := w.memory.Settle(w.t.Context())
		if err != nil {
			w.t.Errorf("settling the memory: %v", err)
		}
		if !s.Pending {
			return
		}
		time.Sleep(time.Second)
	}
	w.t.Error("the memory does not settle")
}

func (w *writers) compact(name string) {
	snap, _, err := w.compaction.Snapshot(w.t.Context(), name, "")
	if err != nil {
		w.t.Errorf("a snapshot of %s: %v", name, err)
		return
	}
	if _, err := w.compaction.Compact(w.t.Context(), snap, w.rnd.IntN(5)); err != nil && !errors.Is(err, session.ErrNothing) && !errors.Is(err, session.ErrStale) { // just after a forgetting
		w.t.Errorf("summarising %s: %v", name, err)
	}
}

// retire deletes a session and starts another.
func (w *writers) retire(session string) {
	w.deleteSession(session)
	w.sessions[slices.Index(w.sessions, session)] = w.name()
}

func (w *writers) deleteSession(name string) {
	if err := w.store.Delete(w.t.Context(), name); err != nil && !errors.Is(err, session.ErrNotFound) {
		w.t.Errorf("deleting %s: %v", name, err)
	}
	if err := os.RemoveAll(filepath.Join(w.root, "session", ".trash")); err != nil {
		w.t.Error(err)
	}
	w.buffers = slices.DeleteFunc(w.buffers, func(b buffer) bool { return strings.Contains(b.path, "-"+name+"-") })
	for _, n := range w.words {
		if n.in == name && !n.lesson && n.state != wasForgotten {
			n.state = dropped
		}
	}
}

// file returns a session's transcript, or the memory if session is "".
func (w *writers) file(name string) string {
	if name == "" {
		return w.memory.Path(memory.Target{Kind: memory.TargetGlobal})
	}
	t, err := w.store.Load(w.t.Context(), name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, session.ErrNotFound) {
		return ""
	}
	if err != nil {
		w.t.Errorf("loading %s: %v", name, err)
		return ""
	}
	return t.Info.Path
}

// fileOf returns one of the files that people edit, or "".
func (w *writers) fileOf(session string) string {
	if w.rnd.IntN(3) == 0 {
		session = ""
	}
	path := w.file(session)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func (w *writers) read(path string) string {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Error(err)
	}
	return string(data)
}

// openFile reads a file into an editor, to be saved later.
func (w *writers) openFile(session string) {
	if path := w.fileOf(session); path != "" {
		w.buffers = append(w.buffers, buffer{path, w.read(path)})
	}
}

// edit removes something from a file, or adds a line to the memory, and saves either the
// current text or an old buffer.
func (w *writers) edit(session string) {
	path := w.fileOf(session)
	if path == "" {
		return
	}
	b := buffer{path, w.read(path)}
	if n := len(w.buffers); n > 0 && w.rnd.IntN(3) == 0 {
		i := w.rnd.IntN(n)
		b, w.buffers = w.buffers[i], slices.Delete(w.buffers, i, i+1)
		if _, err := os.Stat(b.path); err != nil {
			return
		}
		w.log = append(w.log, "(stale)")
		w.did["stale buffer"]++
	}
	b.data = w.change(b)
	w.saved(b, func() { w.saveAs(b, w.rnd.IntN(4)) })
}

// change edits a text as a person does.
func (w *writers) change(b buffer) string {
	if filepath.Base(b.path) == "memory.md" {
		lines := strings.SplitAfter(b.data, "\n")
		at := w.rnd.IntN(len(lines))
		if w.rnd.IntN(3) == 0 || !strings.HasPrefix(lines[at], "- ") {
			return b.data
		}
		return strings.Join(slices.Delete(lines, at, at+1), "")
	}
	t, err := transcript.Parse(strings.NewReader(b.data))
	if err != nil {
		w.t.Errorf("%s: %v", b.path, err)
		return b.data
	}
	var messages []int
	for i, block := range t.Blocks {
		if block.IsMessage() {
			messages = append(messages, i)
		}
	}
	if len(messages) == 0 || w.rnd.IntN(4) == 0 {
		return b.data
	}
	at := messages[w.rnd.IntN(len(messages))]
	if w.rnd.IntN(3) == 0 {
		w.did["redacted"]++
		for _, text := range wordForm.FindAllString(t.Blocks[at].Text, -1) {
			w.redacted[text] = true
		}
		t.Blocks[at].Text = wordForm.ReplaceAllString(t.Blocks[at].Text, "…")
	} else {
		t.Blocks = slices.Delete(t.Blocks, at, at+1)
	}
	var out strings.Builder
	if err := transcript.Write(&out, t); err != nil {
		w.t.Error(err)
	}
	return out.String()
}

// saying returns the words in a file's messages or in the memory's lines. A Summary or
// the result of a tool may contain them too, because they are made from messages.
func (w *writers) saying(path, data string) map[string]bool {
	said := map[string]bool{}
	if filepath.Base(path) == "memory.md" {
		for _, text := range wordForm.FindAllString(data, -1) {
			said[text] = true
		}
		return said
	}
	t, err := transcript.Parse(strings.NewReader(data))
	if err != nil {
		w.t.Errorf("%s: %v", path, err)
		return said
	}
	for _, b := range t.Blocks {
		if b.IsMessage() {
			for _, text := range wordForm.FindAllString(b.Text, -1) {
				said[text] = true
			}
		}
	}
	return said
}

// saved records the changes of a save: words in the file that the text lacks were removed
// by the user, and words in the text are standing again.
func (w *writers) saved(b buffer, save func()) {
	before := w.read(b.path)
	save()
	w.took(buffer{b.path, before}, b.data)
}

func (w *writers) took(before buffer, after string) {
	memory, now := filepath.Base(before.path) == "memory.md", w.saying(before.path, after)
	for text := range w.saying(before.path, before.data) {
		if n := w.words[text]; n.lesson == memory && (n.state == standing || n.state == unsure) && !now[text] {
			n.state, n.step = removed, w.now
			n.hand = n.hand || w.redacted[text] // restoring brings back blocks, not words
			if n.hand {
				n.state = dropped
			}
		}
	}
	for text := range w.redacted { // of a message that was gone and is back with other words
		if n := w.words[text]; strings.Contains(before.path, "-"+n.in+"-") && !memory && !n.lesson && !now[text] && (n.state == removed || n.state == unsure) {
			n.state, n.step, n.hand = dropped, w.now, true
		}
	}
	for text := range now {
		if n := w.words[text]; n.lesson == memory && (n.state == removed || n.state == dropped || n.state == unsure) {
			n.state, n.step = standing, w.now
		}
	}
}

// saveAs saves in one of the ways that editors use.
func (w *writers) saveAs(b buffer, way int) {
	w.log = append(w.log, "("+[]string{"in place", "slowly", "rename", "backup"}[way]+")")
	w.did["saved "+[]string{"in place", "slowly", "by renaming", "with a backup"}[way]]++
	switch way {
	case 0:
		w.put(b.path, b.data)
	case 1:
		w.slowly(b, w.pauses())
	case 2:
		tmp := filepath.Join(filepath.Dir(b.path), "4913.new")
		w.put(tmp, b.data)
		if err := os.Rename(tmp, b.path); err != nil {
			w.t.Error(err)
		}
	case 3:
		w.checkRead() // otherwise the copy would have what an earlier save brought back
		w.put(b.path+"~", w.read(b.path))
		w.put(b.path, b.data)
	}
}

// put writes a file with the bubble's time.
func (w *writers) put(path, data string) {
	if err := errors.Join(os.WriteFile(path, []byte(data), 0o600), os.Chtimes(path, time.Now(), time.Now())); err != nil {
		w.t.Error(err)
	}
}

// pauses returns the pauses of a slow save. They are drawn before it runs beside a turn,
// whose random numbers come from the same source.
func (w *writers) pauses() (p [3]time.Duration) {
	for i := range p {
		p[i] = time.Duration(1+w.rnd.IntN(300)) * time.Millisecond
	}
	return p
}

// slowly empties a file and writes it in three pieces.
func (w *writers) slowly(b buffer, pauses [3]time.Duration) {
	f, err := os.OpenFile(b.path, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		w.t.Error(err)
		return
	}
	third := len(b.data) / 3
	for i, piece := range []string{b.data[:third], b.data[third : 2*third], b.data[2*third:]} {
		if err := os.Chtimes(b.path, time.Now(), time.Now()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.t.Error(err)
		}
		time.Sleep(pauses[i])
		if _, err := f.WriteString(piece); err != nil {
			w.t.Error(err)
		}
	}
	if err := f.Close(); err != nil {
		w.t.Error(err)
	}
	if err := os.Chtimes(b.path, time.Now(), time.Now()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Error(err)
	}
}

// saveDuringATurn lets an editor save slowly while a turn runs.
func (w *writers) saveDuringATurn(session string) {
	path := w.fileOf(session)
	if path == "" {
		return
	}
	before := buffer{path, w.read(path)}
	b := buffer{path, w.change(before)}
	done, pauses := make(chan bool), w.pauses()
	go func() {
		w.slowly(b, pauses)
		close(done)
	}()
	w.turn(session, w.rnd.IntN(2) == 0)
	<-done
	w.took(before, b.data)
	for _, n := range w.fresh { // either the editor's text or the app's came last
		if n.state == standing {
			n.state = unsure
		}
	}
	time.Sleep(3 * time.Second)
	w.settle()
}

// restore restores what saves removed.
func (w *writers) restore(session string) {
	if _, err := w.store.Restore(w.t.Context(), session); err != nil {
		w.t.Errorf("restoring %s: %v", session, err)
	}
	if _, err := w.memory.Restore(w.t.Context()); err != nil && !errors.Is(err, memory.ErrNothingDropped) {
		w.t.Errorf("restoring the memory: %v", err)
	}
	stands := map[string]bool{}
	if path := w.file(session); path != "" {
		stands = w.saying(path, w.read(path))
	}
	for _, n := range w.words {
		if (n.state == removed || n.state == unsure) && (n.lesson || n.in == session) ||
			n.hand && n.state == dropped && n.in == session && stands[n.text] { // the journal has it again
			n.state, n.step = standing, w.now
		}
	}
	w.settle()
}

// dropped returns the lessons that saves removed, according to the app.
func (w *writers) dropped() map[string]bool {
	time.Sleep(2 * time.Second) // after this, a save counts as complete
	gone := map[string]bool{}
	for _, d := range w.memory.Dropped() {
		for _, text := range wordForm.FindAllString(d.Text, -1) {
			gone[text] = true
		}
	}
	return gone
}

// keepRemoved confirms what saves removed.
func (w *writers) keepRemoved(session string) {
	gone := w.dropped()
	if _, err := w.store.KeepRemoved(w.t.Context(), session); err != nil {
		w.t.Errorf("agreeing in %s: %v", session, err)
	}
	if err := w.memory.KeepRemoved(w.t.Context()); err != nil && !errors.Is(err, memory.ErrNothingDropped) {
		w.t.Errorf("agreeing in the memory: %v", err)
	}
	stands := map[string]bool{}
	if path := w.file(session); path != "" {
		stands = w.saying(path, w.read(path))
	}
	for _, n := range w.words {
		agreed := gone[n.text]
		if !n.lesson {
			agreed = n.in == session && n.state == removed
			if n.in == session && n.state == unsure && !stands[n.text] {
				n.state = lost // the app may have been about to restore it
			}
		}
		if agreed {
			n.state, n.step, n.hand = dropped, w.now, true
		}
	}
}

// forget forgets one word of any state.
func (w *writers) forget() {
	var all []*word
	for _, n := range w.words {
		if n.state != wasForgotten && n.state != lost {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b *word) int { return strings.Compare(a.text, b.text) })
	n := all[w.rnd.IntN(len(all))]
	plan, err := w.forgetter.Plan(w.t.Context(), forget.Selection{Text: n.text})
	if err != nil {
		w.t.Errorf("planning to forget %s: %v", n.text, err)
		return
	}
	report, err := w.forgetter.Do(w.t.Context(), plan)
	if err != nil || report.Left() > 0 {
		w.t.Errorf("forgetting %s: %v, %+v", n.text, err, report)
	}
	w.log = append(w.log, fmt.Sprintf("(%s of %s, lesson: %v, %s)", n.text, n.in, n.lesson, n.state))
	n.state, n.step = wasForgotten, w.now
	w.checkForgotten()
}

// check fails if anything acknowledged isn't where it belongs.
func (w *writers) check() {
	memory := w.file("")
	texts := map[string]map[string]bool{"": w.saying(memory, w.read(memory))}
	keptMessages, keptLessons := w.kept(false), w.kept(true)
	for _, session := range w.sessions {
		if path := w.file(session); path != "" {
			texts[session] = w.saying(path, w.read(path))
		}
	}
	for _, n := range w.words {
		in, kept := n.in, keptMessages
		if n.lesson {
			in, kept = "", keptLessons
		}
		text, known := texts[in]
		if !known && !n.lesson && !slices.Contains(w.sessions, n.in) {
			continue
		}
		there := text[n.text]
		switch n.state {
		case standing:
			if !there && (!n.lesson || !strings.Contains(kept, n.text)) {
				w.t.Errorf("%s of %s (lesson: %v, of step %d) is not in its file", n.text, n.in, n.lesson, n.step)
			}
		case removed, unsure:
			if !there && !strings.Contains(kept, n.text) {
				w.t.Errorf("%s of %s (lesson: %v), %s at step %d, is kept nowhere", n.text, n.in, n.lesson, n.state, n.step)
			}
			if n.state == removed && there {
				w.t.Errorf("%s of %s (lesson: %v), removed at step %d, is back", n.text, n.in, n.lesson, n.step)
			}
		case dropped:
			if there {
				w.t.Errorf("%s of %s (lesson: %v), given up at step %d, is back", n.text, n.in, n.lesson, n.step)
			}
		case wasForgotten, lost:
		}
	}
}

// kept returns the messages or lessons that the app keeps to restore, from the journals
// and from waiting lessons.
func (w *writers) kept(lessons bool) string {
	var all strings.Builder
	pattern := "session/.journal/*"
	if lessons {
		pattern = "agents/memory-inbox.md"
		for text := range w.dropped() {
			all.WriteString(text + " ")
		}
	}
	paths, err := filepath.Glob(filepath.Join(w.root, pattern))
	if err != nil {
		w.t.Error(err)
	}
	for _, path := range paths {
		all.WriteString(w.read(path))
	}
	return all.String()
}

// checkRead makes the app read everything, as opening all pages does.
func (w *writers) checkRead() {
	if _, err := w.store.List(w.t.Context()); err != nil {
		w.t.Error(err)
	}
	for _, name := range w.sessions {
		if _, err := w.store.Load(w.t.Context(), name); err != nil && !errors.Is(err, session.ErrNotFound) {
			w.t.Error(err)
		}
	}
	if _, err := w.memory.List(); err != nil {
		w.t.Error(err)
	}
	if _, err := w.memory.Inbox(); err != nil {
		w.t.Error(err)
	}
}

// checkForgotten fails if anything wasForgotten is on the disk.
func (w *writers) checkForgotten() {
	w.checkRead()
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range wordForm.FindAllString(string(data), -1) {
			if n := w.words[text]; n != nil && n.state == wasForgotten {
				w.t.Errorf("%s, wasForgotten at step %d, is in %s", text, n.step, path)
			}
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}
