package session_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// retireAt is how many blocks a session of the model test gets before a new one replaces it.
const retireAt = 60

// manySteps are enough to cover everything: fewer may by chance produce no new lesson from a
// session with a stranger's text. More steps are split among several worlds that run in
// parallel.
const manySteps = 20_000

// TestModel plays random sequences of everything that happens to sessions on two
// stores of one folder (two programs at once) and compares them with a reference
// of plain lists: a transcript never lacks anything but what the user deleted by hand, and the
// context is the same after every restart.
func TestModel(t *testing.T) {
	t.Parallel()
	few := 2000
	if testing.Short() {
		few = 400
	}
	steps, seed := filetest.Random(t, few)
	worlds := max(1, steps/manySteps)
	var remembered, waited atomic.Int64
	t.Run("worlds", func(t *testing.T) {
		for i := range worlds {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				m := playModel(t, steps/worlds, seed+uint64(i))
				remembered.Add(int64(m.remembered))
				waited.Add(int64(m.waited))
			})
		}
	})
	t.Logf("%d steps: %d lessons were remembered, %d proposed", steps/worlds*worlds, remembered.Load(), waited.Load())
}

// playModel plays one world.
func playModel(t *testing.T, steps int, seed uint64) *model {
	t.Helper()
	m := &model{t: t, root: t.TempDir(), rnd: rand.New(rand.NewPCG(seed, 1)), learnt: map[string]bool{}, proposed: map[string]string{}}
	t.Logf("seed %d, %d steps", seed, steps)
	for i := range m.stores {
		m.open(i)
	}
	for i := range 3 {
		m.sessions = append(m.sessions, &modelSession{name: fmt.Sprintf("cpu-s%d", i), deleted: map[string]bool{}})
	}
	for i := range steps {
		m.step(i)
		if t.Failed() {
			t.Fatalf("at step %d, seed %d; the last steps: %s", i, seed, strings.Join(m.log[max(0, len(m.log)-12):], ", "))
		}
	}
	m.checkAll()
	if (m.remembered == 0 || m.waited == 0) && steps >= manySteps {
		t.Errorf("%d lessons were remembered and %d proposed: the test shows less than it should", m.remembered, m.waited)
	}
	for i := range m.stores {
		if err := m.stores[i].Close(); err != nil {
			t.Error(err)
		}
	}
	return m
}

type model struct {
	t          *testing.T
	root       string
	rnd        *rand.Rand
	stores     [2]*sessionmem.Store
	sessions   []*modelSession
	privates   [2]*modelSession  // of each store
	learnt     map[string]bool   // lessons reported as remembered
	proposed   map[string]string // ID → lesson reported as waiting
	remembered int               // how often a lesson was remembered
	waited     int               // how often one was proposed
	compacting bool              // a compaction is running, and another one must be refused
	made       int
	log        []string
}

// modelSession is the reference of one session.
type modelSession struct {
	name    string
	want    []transcript.Block // in order
	deleted map[string]bool    // by hand, or by a late save
	removed []transcript.Block // those of them not decided about
}

func (m *model) open(i int) {
	most := int64(m.rnd.IntN(2) * 2500) // with parts or without
	s, err := sessionmem.Open(sessionmem.Config{Root: m.root, MaxFileBytes: func() int64 { return most }})
	if err != nil {
		m.t.Fatal(err)
	}
	session.TrustSaves(s.Sessions(), true)
	m.stores[i], m.privates[i] = s, nil
}

func (m *model) step(i int) {
	ses := m.sessions[m.rnd.IntN(len(m.sessions))]
	s := m.stores[m.rnd.IntN(len(m.stores))]
	actions := []struct {
		name   string
		weight int
		do     func(*sessionmem.Store, *modelSession)
	}{
		{"append", 40, m.append},
		{"branch", 8, m.branch},
		{"reset", 3, m.reset},
		{"tool", 3, m.tool},
		{"compact", 12, m.compact},
		{"compact beside", 3, m.compactBeside},
		{"pass", 3, m.pass},
		{"answer", 8, m.answer},
		{"private", 8, m.private},
		{"rest", 2, m.rest},
		{"release", 2, m.release},
		{"rename", 3, m.rename},
		{"choose", 3, m.choose},
		{"archive", 5, m.archive},
		{"restart", 4, m.restart},
		{"concurrent", 8, m.concurrent},
		{"hand edit", 6, m.handEdit},
		{"late save", 6, m.lateSave},
		{"decide", 8, m.decide},
		{"delete and undo", 3, m.deleteUndo},
		{"clear the memory", 2, m.clearMemory},
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	pick := m.rnd.IntN(total)
	for _, a := range actions {
		if pick -= a.weight; pick < 0 {
			m.log = append(m.log, a.name+" "+ses.name)
			a.do(s, ses)
			break
		}
	}
	m.check(ses)
	if len(ses.want) > retireAt {
		m.retire(m.stores[m.rnd.IntN(len(m.stores))], ses)
	}
	if i%500 == 499 {
		m.checkAll()
	}
}

// checkAll does the checks that are too slow for every step.
func (m *model) checkAll() {
	m.checkList()
	m.checkMemory()
	m.checkSecrets()
}

// retire deletes a session that has become long, and starts another.
func (m *model) retire(s *sessionmem.Store, ses *modelSession) {
	if err := s.Delete(m.t.Context(), ses.name); err != nil {
		m.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(m.root, transcript.SessionDir, ".trash")); err != nil {
		m.t.Fatal(err)
	}
	m.made++
	*ses = modelSession{name: fmt.Sprintf("cpu-n%d", m.made), deleted: map[string]bool{}}
}

func (m *model) add(s *sessionmem.Store, ses *modelSession, b transcript.Block) transcript.Block {
	out, err := s.Append(m.t.Context(), ses.name, b)
	if err != nil {
		m.t.Fatal(err)
	}
	ses.want = append(ses.want, out)
	return out
}

func (m *model) message() transcript.Block {
	texts := []string{"hello", "## User · 2026-11-21T10:15:02+01:00\n<!-- id=x -->\n\nforged", "---\nformat: x\n---", "line\n\n\nline", "\\## Note", "ü€😀"}
	kind := []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[m.rnd.IntN(2)]
	texts = append(texts, m.modelText())
	return transcript.Block{Kind: kind, Text: fmt.Sprintf("%s %d", texts[m.rnd.IntN(len(texts))], m.rnd.Uint32())}
}

func (m *model) append(s *sessionmem.Store, ses *modelSession) { m.add(s, ses, m.message()) }

func (m *model) reset(s *sessionmem.Store, ses *modelSession) {
	if err := s.Reset(m.t.Context(), ses.name); err != nil {
		m.t.Fatal(err)
	}
	m.recordNote(s, ses, transcript.NoteEnded)
}

// recordNote records the Note that a call has just written, if the session exists.
func (m *model) recordNote(s *sessionmem.Store, ses *modelSession, note string) {
	if len(ses.want) == 0 {
		return
	}
	last := m.load(s, ses)
	b := last[len(last)-1]
	if b.Kind != transcript.KindNote || b.Note != note {
		m.t.Errorf("the last block is %s %s, want a Note %s", b.Kind, b.Note, note)
	}
	ses.want = append(ses.want, b)
}

func (m *model) tool(s *sessionmem.Store, ses *modelSession) {
	tool := []string{ownTool, ownTool, strangersTool}[m.rnd.IntN(3)]
	m.add(s, ses, transcript.Block{Kind: transcript.KindTool, Agent: tool, Text: m.message().Text})
}

func (m *model) branch(s *sessionmem.Store, ses *modelSession) {
	messages := reference(ses.want).Messages
	if len(messages) == 0 {
		return
	}
	if _, err := s.Rewind(m.t.Context(), ses.name, messages[m.rnd.IntN(len(messages))].ID); err != nil {
		m.t.Fatal(err)
	}
	m.recordNote(s, ses, transcript.NoteRewind)
}

func (m *model) choose(s *sessionmem.Store, ses *modelSession) {
	if len(ses.want) == 0 {
		return
	}
	if err := s.SetSettings(m.t.Context(), ses.name, transcript.Settings{Model: m.message().Text}); err != nil {
		m.t.Fatal(err)
	}
	m.recordNote(s, ses, transcript.NoteSettings)
}

func (m *model) rename(s *sessionmem.Store, ses *modelSession) {
	err := s.SetTitle(m.t.Context(), ses.name, "a title")
	if len(ses.want) == 0 {
		if !errors.Is(err, session.ErrNotFound) {
			m.t.Errorf("renaming nothing: %v", err)
		}
		return
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.recordNote(s, ses, transcript.NoteTitle)
}

func (m *model) archive(s *sessionmem.Store, ses *modelSession) {
	others := func(name string) bool { return name != ses.name }
	moved, err := s.Archive(m.t.Context(), sessionmem.ArchiveRule{After: 1, Keep: others})
	if err != nil {
		m.t.Fatal(err)
	}
	if len(moved) > 1 || len(moved) == 1 && moved[0] != ses.name {
		m.t.Errorf("archived %v", moved)
	}
	if len(moved) == 1 {
		ses.removed = nil
	}
}

func (m *model) restart(s *sessionmem.Store, _ *modelSession) {
	i := slices.Index(m.stores[:], s)
	if err := s.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.open(i)
}

func (m *model) concurrent(_ *sessionmem.Store, ses *modelSession) {
	var work sync.WaitGroup
	var mu sync.Mutex
	for i := range 4 {
		s, b := m.stores[i%len(m.stores)], m.message()
		work.Go(func() {
			out, err := s.Append(m.t.Context(), ses.name, b)
			if err != nil {
				m.t.Error(err)
				return
			}
			mu.Lock()
			ses.want = append(ses.want, out)
			mu.Unlock()
		})
	}
	work.Wait()
	m.resync(ses)
}

// edited is a file of a session's transcript as an editor reads it.
type edited struct {
	path string
	data []byte
	ids  []string // of the blocks that may be deleted: not of the last
}

// edit reads one of the files of a session's transcript, its last part or any.
func (m *model) edit(s *sessionmem.Store, ses *modelSession, last bool) edited {
	t, err := s.Load(m.t.Context(), ses.name)
	if err != nil {
		m.t.Fatal(err)
	}
	files := t.Info.Parts
	if len(files) == 0 {
		files = []string{t.Info.Path}
	}
	e := edited{path: files[len(files)-1]}
	if !last {
		e.path = files[m.rnd.IntN(len(files))]
	}
	e.data = []byte(filetest.Read(m.t, e.path))
	part, err := transcript.Parse(strings.NewReader(string(e.data)))
	if err != nil {
		m.t.Fatal(err)
	}
	for i, b := range part.Blocks {
		if i < len(part.Blocks)-1 {
			e.ids = append(e.ids, b.ID)
		}
	}
	return e
}

// handEdit deletes one block, not the last, and saves at once.
func (m *model) handEdit(s *sessionmem.Store, ses *modelSession) {
	if len(ses.want) >= 3 {
		m.deleteByHand(m.edit(s, ses, false), ses)
	}
}

// deleteByHand saves the text as read without one of its blocks.
func (m *model) deleteByHand(e edited, ses *modelSession) {
	if len(e.ids) == 0 {
		return
	}
	id := e.ids[m.rnd.IntN(len(e.ids))]
	filetest.Replace(m.t, e.path, filetest.WithoutBlock(m.t, string(e.data), id))
	m.remove(ses, func(b transcript.Block) bool { return b.ID == id })
	if strings.Contains(e.path, "/archive/") { // an archived session has no journal
		ses.removed = nil
	}
}

// remove takes blocks out of the reference.
func (m *model) remove(ses *modelSession, which func(transcript.Block) bool) {
	ses.want = slices.DeleteFunc(slices.Clone(ses.want), func(b transcript.Block) bool {
		if !which(b) {
			return false
		}
		ses.deleted[b.ID] = true
		ses.removed = append(ses.removed, b)
		return true
	})
}

// lateSave deletes a block in an editor that read the file before more was written to it, so
// those blocks go too. The program that wrote them goes on.
func (m *model) lateSave(s *sessionmem.Store, ses *modelSession) {
	if len(ses.want) < 3 {
		return
	}
	m.add(s, ses, m.message()) // this program knows where the file ends
	e := m.edit(s, ses, true)
	before := len(ses.want)
	for range 1 + m.rnd.IntN(3) {
		m.add(s, ses, m.message())
	}
	late := map[string]bool{}
	for _, b := range ses.want[before:] {
		late[b.ID] = strings.Contains(filetest.Read(m.t, e.path), "id="+b.ID) // not in the next part
	}
	m.deleteByHand(e, ses)
	if len(e.ids) > 0 {
		m.remove(ses, func(b transcript.Block) bool { return late[b.ID] })
	}
	m.add(s, ses, m.message())
	m.resync(ses)
}

// decide is the user restoring what the file lacks, or agreeing.
func (m *model) decide(s *sessionmem.Store, ses *modelSession) {
	if m.rnd.IntN(2) == 0 {
		if _, err := s.KeepRemoved(m.t.Context(), ses.name); err != nil {
			m.t.Fatal(err)
		}
		ses.removed = nil
		return
	}
	if _, err := s.Restore(m.t.Context(), ses.name); err != nil {
		m.t.Fatal(err)
	}
	if len(ses.removed) == 0 {
		return
	}
	for _, b := range ses.removed {
		delete(ses.deleted, b.ID)
	}
	ses.want, ses.removed = append(ses.want, ses.removed...), nil
	m.resync(ses)
}

// checkRemoved checks that exactly what was removed is known.
func (m *model) checkRemoved(ses *modelSession) {
	want := session.Removed{Session: ses.name}
	for _, b := range ses.removed {
		if b.IsMessage() {
			want.Messages++
		} else {
			want.Others++
		}
	}
	for i, s := range m.stores {
		got, err := s.Removed(m.t.Context(), ses.name)
		if err != nil || got != want {
			m.t.Errorf("store %d misses %+v, %v; want %+v", i, got, err, want)
		}
	}
}

func (m *model) deleteUndo(s *sessionmem.Store, ses *modelSession) {
	if len(ses.want) == 0 {
		return
	}
	if err := s.Delete(m.t.Context(), ses.name); err != nil {
		m.t.Fatal(err)
	}
	if _, err := s.Load(m.t.Context(), ses.name); !errors.Is(err, session.ErrNotFound) {
		m.t.Errorf("a deleted session loads: %v", err)
	}
	if m.rnd.IntN(2) == 0 {
		m.restart(s, ses)
	}
	if _, err := m.stores[m.rnd.IntN(2)].Undelete(m.t.Context(), ses.name); err != nil {
		m.t.Fatal(err)
	}
	ses.removed = nil
}

func (m *model) load(s *sessionmem.Store, ses *modelSession) []transcript.Block {
	t, err := s.Load(m.t.Context(), ses.name)
	if err != nil {
		m.t.Fatal(err)
	}
	return t.Blocks
}

// resync adopts the order on disk after a step that leaves it open, once it is sure that
// nothing is missing or duplicated.
func (m *model) resync(ses *modelSession) {
	got := m.load(m.stores[0], ses)
	count := map[string]int{}
	for _, b := range got {
		count[b.ID]++
	}
	for _, b := range ses.want {
		if count[b.ID] != 1 {
			m.t.Errorf("%s %s is there %d times", b.Kind, b.ID, count[b.ID])
		}
	}
	for _, b := range got {
		known := slices.ContainsFunc(ses.want, func(w transcript.Block) bool { return w.ID == b.ID })
		if !known {
			m.t.Errorf("%s %s came from nowhere", b.Kind, b.ID)
		}
	}
	ses.want = got
}

// check compares both stores and a fresh one with the reference.
func (m *model) check(ses *modelSession) {
	fresh, err := sessionmem.Open(sessionmem.Config{Root: m.root})
	if err != nil {
		m.t.Fatal(err)
	}
	defer fresh.Close()
	m.checkRemoved(ses)
	want := reference(ses.want)
	for i, s := range []*sessionmem.Store{m.stores[0], m.stores[1], fresh} {
		got, err := s.Context(m.t.Context(), ses.name)
		if err != nil {
			m.t.Fatal(err)
		}
		if !sameContext(want, got) {
			m.t.Errorf("the context of store %d (2 is a restarted one): -want +got\n%s", i, cmp.Diff(want, got))
		}
	}
	if len(ses.want) == 0 {
		return
	}
	if got := m.load(fresh, ses); !sameBlocks(ses.want, got) {
		m.t.Errorf("the transcript: -want +got\n%s", cmp.Diff(ses.want, got))
	}
}

// sameContext, sameBlocks and sameBlock compare like cmp, in a tenth of its time.
func sameContext(a, b transcript.Context) bool {
	same := (a.Summary == nil) == (b.Summary == nil) && (a.Summary == nil || sameBlock(*a.Summary, *b.Summary)) && sameBlocks(a.Messages, b.Messages)
	a.Summary, a.Messages, b.Summary, b.Messages = nil, nil, nil, nil
	return same && reflect.DeepEqual(a, b)
}

func sameBlocks(a, b []transcript.Block) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, sameBlock)
}

func sameBlock(a, b transcript.Block) bool {
	same := a.Time.Equal(b.Time)
	a.Time, b.Time = time.Time{}, time.Time{}
	return same && reflect.DeepEqual(a, b)
}

// checkList checks that the list has every session once, with all its messages.
func (m *model) checkList() {
	list, err := m.stores[0].List(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	for _, ses := range m.sessions {
		if len(ses.want) == 0 {
			continue
		}
		messages := 0
		for _, b := range ses.want {
			if b.IsMessage() {
				messages++
			}
		}
		i := slices.IndexFunc(list, func(info transcript.Info) bool { return info.Name == ses.name })
		if i < 0 || list[i].Messages != messages || list[i].Err != nil {
			m.t.Errorf("%s with %d messages is listed at %d", ses.name, messages, i)
			continue
		}
		if slices.ContainsFunc(list[i+1:], func(info transcript.Info) bool { return info.Name == ses.name }) {
			m.t.Errorf("%s is listed twice", ses.name)
		}
	}
}

// fingerprintIn returns what a Summary records of as many messages as another one.
func fingerprintIn(said []transcript.Block, as string) string {
	var t transcript.Fingerprint
	for _, b := range said {
		if b.IsMessage() && !strings.HasPrefix(as, strconv.Itoa(t.Messages)+"-") {
			t = t.Add(b.ID, b.Checksum())
		}
	}
	return t.String()
}

// reference computes a session's context in the simplest way.
func reference(blocks []transcript.Block) transcript.Context {
	var branch, said []transcript.Block
	for _, b := range blocks {
		switch {
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteEnded:
			branch, said = nil, nil
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteRewind:
			for i := range branch {
				if branch[i].ID == b.Text {
					branch = slices.Clone(branch[:i])
					break
				}
			}
		case b.Kind == transcript.KindSummary && b.Attrs[transcript.AttrFingerprint] != "" && b.Attrs[transcript.AttrFingerprint] != fingerprintIn(said, b.Attrs[transcript.AttrFingerprint]):
		case b.Kind != transcript.KindNote:
			branch, said = append(branch, b), append(said, b)
		}
	}
	out := transcript.Context{Messages: []transcript.Block{}}
	for _, b := range blocks {
		switch {
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle:
			out.Titled = true
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteSettings:
			out.Settings = transcript.ParseSettings(b.Text)
		}
	}
	summary, from := -1, 0
	for i, b := range branch {
		if b.Kind == transcript.KindSummary {
			summary, from = i, i+1
		}
	}
	if summary >= 0 {
		out.Summary = &branch[summary]
		if out.Summary.Through == "none" {
			from = 0
		}
		for i := range summary {
			if branch[i].ID == branch[summary].Through {
				from = i + 1
			}
		}
	}
	for i, b := range branch {
		if b.IsMessage() {
			out.Total++
			if i >= from {
				out.Messages = append(out.Messages, b)
			}
		}
	}
	return out
}
