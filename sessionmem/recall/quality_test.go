package recall

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// Search quality is measured on chats with questions whose answers are known: between two
// people, and between a person and an assistant. MAC_STATS_BENCH names the folder of the chats;
// none of them is part of the project.

// benchFolder returns that folder; it skips the test if there is none.
func benchFolder(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MAC_STATS_BENCH")
	if dir == "" {
		tb.Skip("MAC_STATS_BENCH names no folder with chats to measure on (make quality BENCH=…)")
	}
	return dir
}

// benchChat is a chat with its questions.
type benchChat struct {
	set       string
	sessions  [][]transcript.Block
	questions []benchQuestion
	folder    string // where it was written
	index     *Index
	now       time.Time
}

type benchQuestion struct {
	text, category string
	evidence       []string // IDs of blocks
	core           bool     // only whether it is found counts
}

// loadChats reads the files of the folder.
func loadChats(tb testing.TB) []*benchChat {
	tb.Helper()
	dir := benchFolder(tb)
	var out []*benchChat
	for prefix, read := range map[string]func([]byte) ([]*benchChat, error){"locomo": readPeople, "beam": readAssistant} {
		files, err := filepath.Glob(filepath.Join(dir, prefix+"-*.json"))
		if err != nil || len(files) == 0 {
			tb.Skipf("%s has no file %s-*.json: nothing is measured", dir, prefix)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			chats, err := read(data)
			if err != nil {
				tb.Fatal(file, err)
			}
			out = append(out, chats...)
		}
	}
	slices.SortStableFunc(out, func(a, b *benchChat) int { return cmp.Compare(b.set, a.set) })
	for _, c := range out {
		c.write(tb)
	}
	return out
}

const (
	setPeople    = "LoCoMo"
	setAssistant = "BEAM"
)

// readPeople reads chats of two people: one is the user, the other the assistant.
func readPeople(data []byte) ([]*benchChat, error) {
	var all []struct {
		Speakers []string
		Sessions []struct {
			Date  string
			Turns []struct{ ID, Speaker, Text, Caption string }
		}
		Questions []struct {
			Question string
			Evidence []string
			Category int
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	blockID := func(id string) string { return strings.ReplaceAll(id, ":", "-") }
	categories := []string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
	var out []*benchChat
	for _, one := range all {
		c := &benchChat{set: setPeople}
		for _, s := range one.Sessions {
			at, err := time.Parse("3:04 pm on 2 January, 2006", s.Date)
			if err != nil {
				return nil, err
			}
			var blocks []transcript.Block
			for i, t := range s.Turns {
				b := transcript.Block{Kind: transcript.KindAssistant, ID: blockID(t.ID), Time: at.Add(time.Duration(i) * 20 * time.Second), Text: t.Speaker + ": " + t.Text}
				if t.Speaker == one.Speakers[0] {
					b.Kind = transcript.KindUser
				}
				if t.Caption != "" {
					b.Text += " [" + t.Caption + "]"
				}
				blocks = append(blocks, b)
			}
			c.sessions = append(c.sessions, blocks)
		}
		for _, q := range one.Questions {
			asked := benchQuestion{text: q.Question, category: categories[q.Category], core: true}
			for _, e := range q.Evidence {
				asked.evidence = append(asked.evidence, blockID(e))
			}
			c.add(asked)
		}
		out = append(out, c)
	}
	return out, nil
}

// readAssistant reads chats between a person and an assistant.
func readAssistant(data []byte) ([]*benchChat, error) {
	var all []struct {
		Sessions [][]struct {
			ID               int
			Role, Time, Text string
		}
		Questions []struct {
			Ability, Question string
			Evidence          []int
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	core := []string{"information_extraction", "knowledge_update", "temporal_reasoning", "multi_session_reasoning", "contradiction_resolution"}
	blockID := func(id int) string { return "m" + strconv.Itoa(id) }
	var out []*benchChat
	for _, one := range all {
		c := &benchChat{set: setAssistant}
		for _, s := range one.Sessions {
			var blocks []transcript.Block
			for _, m := range s {
				at, err := time.Parse("2006-01-02T15:04:05", m.Time)
				if err != nil {
					return nil, err
				}
				b := transcript.Block{Kind: transcript.KindUser, ID: blockID(m.ID), Time: at, Text: m.Text}
				if m.Role != "user" {
					b.Kind = transcript.KindAssistant
				}
				blocks = append(blocks, b)
			}
			c.sessions = append(c.sessions, blocks)
		}
		for _, q := range one.Questions {
			asked := benchQuestion{text: q.Question, category: q.Ability, core: slices.Contains(core, q.Ability)}
			for _, e := range q.Evidence {
				asked.evidence = append(asked.evidence, blockID(e))
			}
			c.add(asked)
		}
		out = append(out, c)
	}
	return out, nil
}

func (c *benchChat) add(q benchQuestion) {
	if len(q.evidence) > 0 {
		c.questions = append(c.questions, q)
	}
}

// write writes the chat as transcripts, one per session, and indexes them.
func (c *benchChat) write(tb testing.TB) {
	tb.Helper()
	c.folder = tb.TempDir()
	dir := filepath.Join(c.folder, "session")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	for n, blocks := range c.sessions {
		name, begun := fmt.Sprintf("cli-s%d", n+1), blocks[0].Time
		var text bytes.Buffer
		t := transcript.Transcript{Info: transcript.Info{Name: name, Source: "cli", Started: begun}, Blocks: blocks}
		if err := transcript.Write(&text, &t); err != nil {
			tb.Fatal(err)
		}
		file := "session-memory-" + name + "-" + begun.Format("20060102-150405") + "-talk.md"
		if err := os.WriteFile(filepath.Join(dir, file), text.Bytes(), 0o600); err != nil {
			tb.Fatal(err)
		}
		c.now = blocks[len(blocks)-1].Time.Add(24 * time.Hour)
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: c.folder})
	if err != nil {
		tb.Fatal(err)
	}
	if c.index, err = Open(Config{Root: c.folder, CacheDir: tb.TempDir(), Store: store}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = c.index.Close(), store.Close() })
	if _, err := c.index.Sync(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// benchHit is a hit: its message and session.
type benchHit struct{ block, session string }

// measures holds sums over questions.
type measures struct {
	n                          float64
	r5, r10, r25, s10, h1, mrr float64
}

func (m *measures) add(o measures) {
	m.n += o.n
	m.r5, m.r10, m.r25 = m.r5+o.r5, m.r10+o.r10, m.r25+o.r25
	m.s10, m.h1, m.mrr = m.s10+o.s10, m.h1+o.h1, m.mrr+o.mrr
}

func (m measures) percent(x float64) float64 { return 100 * x / max(m.n, 1) }

func (m measures) String() string {
	return fmt.Sprintf("%5.1f %5.1f %5.1f | %5.1f %5.1f %5.3f", m.percent(m.r5), m.percent(m.r10), m.percent(m.r25), m.percent(m.s10), m.percent(m.h1), m.mrr/max(m.n, 1))
}

const measuresHead = "message R@5  @10   @25 | session R@10 hit@1 MRR"

// judge compares the hits of a question with its evidence.
func (c *benchChat) judge(q benchQuestion, hits []benchHit) measures {
	m := measures{n: 1}
	found := func(k int) float64 {
		n := 0
		for _, h := range hits[:min(k, len(hits))] {
			if slices.Contains(q.evidence, h.block) {
				n++
			}
		}
		return float64(n) / float64(len(q.evidence))
	}
	m.r5, m.r10, m.r25 = found(5), found(10), found(25)
	var sessions []string
	for _, h := range hits {
		if !slices.Contains(sessions, h.session) {
			sessions = append(sessions, h.session)
		}
	}
	wanted := map[string]bool{}
	for n, blocks := range c.sessions {
		if slices.ContainsFunc(blocks, func(b transcript.Block) bool { return slices.Contains(q.evidence, b.ID) }) {
			wanted[fmt.Sprintf("cli-s%d", n+1)] = true
		}
	}
	for i, s := range sessions {
		if !wanted[s] {
			continue
		}
		if m.mrr == 0 {
			m.mrr = 1 / float64(i+1)
			if i == 0 {
				m.h1 = 1
			}
		}
		if i < 10 {
			m.s10 += 1 / float64(len(wanted))
		}
	}
	return m
}

// benchTable holds measurements by set and category.
type benchTable struct {
	rows  map[string]*measures
	order []string
}

func (t *benchTable) add(row string, m measures) {
	if t.rows == nil {
		t.rows = map[string]*measures{}
	}
	if t.rows[row] == nil {
		t.rows[row] = &measures{}
		t.order = append(t.order, row)
	}
	t.rows[row].add(m)
}

const rowCore = setAssistant + " core"

// take judges the hits of all questions of a chat.
func (t *benchTable) take(c *benchChat, answer func(q benchQuestion) []benchHit) {
	for _, q := range c.questions {
		m := c.judge(q, answer(q))
		t.add(c.set+" "+q.category, m)
		t.add(c.set+" all", m)
		if c.set == setAssistant && q.core {
			t.add(rowCore, m)
		}
	}
}

// logRow logs a line of the single table that everything goes into.
func logRow(tb testing.TB, name string, cells ...string) {
	tb.Helper()
	tb.Logf("%-41s | %s", name, strings.Join(cells, " | "))
}

// total returns the totals of the table, for a line of the ablation.
func (t *benchTable) total() []string {
	people, core, all := t.rows[setPeople+" all"], t.rows[rowCore], t.rows[setAssistant+" all"]
	return []string{people.String(), fmt.Sprintf("%5.1f", core.percent(core.r10)), fmt.Sprintf("%5.1f", all.percent(all.r10))}
}

// ask asks the index itself.
func (c *benchChat) ask(tb testing.TB, q benchQuestion) (hits []benchHit) {
	tb.Helper()
	answer, err := c.index.Search(tb.Context(), Query{Text: q.text, Limit: 50, Cold: true, Strategy: Lexical, Now: c.now})
	if err != nil {
		tb.Fatal(err)
	}
	for _, h := range answer.Hits {
		hits = append(hits, benchHit{h.Block, h.Session})
	}
	return hits
}

// askAll asks the index all questions, ranked by these weights.
func askAll(tb testing.TB, all []*benchChat, w rank.Weights) *benchTable {
	tb.Helper()
	t := &benchTable{}
	for _, c := range all {
		c.index.weights = w
		t.take(c, func(q benchQuestion) []benchHit { return c.ask(tb, q) })
		c.index.weights = rank.Default()
	}
	return t
}

// TestQuality prints how well the evidence of questions is found: by the built program, per
// category; then what each part of the ranking adds.
func TestQuality(t *testing.T) {
	all := loadChats(t)
	if program := os.Getenv("MAC_STATS_TEST_BINARY"); program != "" {
		strategies := strategiesOfProgram()
		tables := make([]benchTable, len(strategies))
		for _, c := range all {
			ask := c.program(t, program, "")
			for i, s := range strategies {
				answers := ask(s)
				tables[i].take(c, func(q benchQuestion) []benchHit { return answers[q.text] })
			}
		}
		slices.Sort(tables[0].order)
		logRow(t, "by category: questions, strategy", measuresHead)
		for _, row := range tables[0].order {
			for i, s := range strategies {
				logRow(t, fmt.Sprintf("%s %.0f %s", row, tables[i].rows[row].n, s), tables[i].rows[row].String())
			}
		}
	}
	logRow(t, "by words, without a part", setPeople+" "+measuresHead, rowCore+" R@10", "all R@10")
	logRow(t, "the whole ranking", askAll(t, all, rank.Default()).total()...)
	for _, part := range []struct {
		name  string
		leave func(w *rank.Weights)
	}{
		{"messages beside", func(w *rank.Weights) { w.Beside.After, w.Beside.Before = [rank.Reach]float32{}, [rank.Reach]float32{} }},
		{"questions' words", func(w *rank.Weights) { w.Beside.Reply = 1 }},
		{"own words", func(w *rank.Weights) { w.Own = 0 }},
		{"the session", func(w *rank.Weights) { w.Session.Share = 0 }},
		{"flattened rarity", func(w *rank.Weights) { w.Rarity = 1 }},
		{"the chance spread", func(w *rank.Weights) { w.Spread = 0 }},
		{"questions about answers", func(w *rank.Weights) { w.AboutAnswers = 0 }},
		{"little words", func(w *rank.Weights) { w.Short = 0 }},
		{"only asking", func(w *rank.Weights) { w.Question = 0 }},
		{"a time or a number asked for", func(w *rank.Weights) { w.Asked = 0 }},
		{"the time asked for", func(w *rank.Weights) { w.Span = 0 }},
		{"words in a row", func(w *rank.Weights) { w.Pair = 0 }},
	} {
		w := rank.Default()
		part.leave(&w)
		logRow(t, "- "+part.name, askAll(t, all, w).total()...)
	}
}

// program makes the program index the chat, with vectors if it has an embedding model, and
// returns a function that asks all questions: answers by their texts. It asks the server if
// there is one.
func (c *benchChat) program(tb testing.TB, program, server string) (ask func(Strategy) map[string][]benchHit) {
	tb.Helper()
	env := append(os.Environ(), "MAC_STATS_HOME="+c.folder, "XDG_CACHE_HOME="+tb.TempDir())
	run := func(stdin string, args ...string) []byte {
		cmd := exec.CommandContext(tb.Context(), program, args...)
		var said bytes.Buffer
		cmd.Env, cmd.Stdin, cmd.Stderr = env, strings.NewReader(stdin), &said
		out, err := cmd.Output()
		if err != nil {
			tb.Fatal(args, err, said.String())
		}
		return out
	}
	run("", "memory", "reindex")
	if server != "" {
		env = append(env, "MAC_STATS_RECALL_BACKEND=postgres", "MAC_STATS_RECALL_POSTGRES_URL="+server)
		tb.Logf("%s", run("", "memory", "backend", "push"))
	}
	return func(strategy Strategy) map[string][]benchHit { return c.askProgram(tb, run, strategy) }
}

// strategiesOfProgram returns the strategies that the built program can use.
func strategiesOfProgram() []Strategy {
	if os.Getenv("MAC_STATS_TEST_EMBEDDINGS") == "" {
		return []Strategy{Lexical}
	}
	return []Strategy{Lexical, Semantic, Hybrid}
}

// askProgram asks the program all questions.
func (c *benchChat) askProgram(tb testing.TB, run func(stdin string, args ...string) []byte, strategy Strategy) map[string][]benchHit {
	tb.Helper()
	var questions strings.Builder
	for _, q := range c.questions {
		questions.WriteString(strings.ReplaceAll(q.text, "\n", " ") + "\n")
	}
	out := run(questions.String(), "memory", "search", "--json", "--limit", "50", "--all-sessions", "--include-cold", "--strategy", string(strategy), "-")
	answers := map[string][]benchHit{}
	lines := json.NewDecoder(bytes.NewReader(out))
	for _, q := range c.questions {
		var found struct {
			Hits []struct{ Chunk, Session string }
		}
		if err := lines.Decode(&found); err != nil {
			tb.Fatal(err)
		}
		for _, h := range found.Hits {
			_, rest, _ := strings.Cut(h.Chunk, "/")
			block, _, _ := strings.Cut(rest, "/")
			answers[q.text] = append(answers[q.text], benchHit{block, h.Session})
		}
	}
	return answers
}
