package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/agenttest"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
)

// memoryOf writes a memory file and loads it as a turn does.
func memoryOf(t testing.TB, target memory.Target, text string) memory.File {
	t.Helper()
	m := memory.New(memory.Config{Root: t.TempDir()})
	path := m.Path(target)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := m.Load(target)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var (
	globalTarget = memory.Target{Kind: memory.TargetGlobal}
	coderTarget  = memory.Target{Kind: memory.TargetAgent, ID: "002"}
)

// manyBullets returns a memory file of about that many characters. Every bullet is
// distinct and has characters of more than one byte.
func manyBullets(runes int) string {
	s, n := strings.Builder{}, 0
	for i := 0; n < runes; i++ {
		line := fmt.Sprintf("- Lesson %04d: größer ist nicht besser, 漢字 neither.\n", i)
		s.WriteString(line)
		n += utf8.RuneCountInString(line)
	}
	return s.String()
}

// calibrated returns the factor of a model that takes that many percent of the raw tokens.
func calibrated(percent int) float64 {
	return Factor(func(raw int) int { return raw * percent / 100 })
}

func smallInput(t *testing.T) Input {
	coder := registry.Agent{ID: "002", Slug: "coder", Description: "Writes code.", Enabled: true, Path: "/a/agent-002"}
	return Input{
		Agent: registry.Agent{ID: "000", Slug: "orchestrator", Path: "/a/agent-000", Enabled: true, Entry: true, Texts: registry.Texts{Soul: "SOUL\n", Mood: "MOOD", Skill: "SKILL TEXT"}},
		Agents: []registry.Agent{
			{ID: "000", Slug: "orchestrator", Path: "/a/agent-000", Enabled: true},
			coder,
			{ID: "003", Slug: "off", Path: "/a/agent-003"},
			{ID: "004", Slug: "broken", Path: "/a/agent-004", Enabled: true, Err: os.ErrInvalid},
			{ID: "005", Slug: "plain", Path: "/a/agent-005", Enabled: true},
		},
		Skills:       []registry.Skill{{Name: "sum", Description: "Sums\nup."}, {Name: "bad", Err: os.ErrInvalid}},
		Global:       memoryOf(t, globalTarget, "# Memory\n\n- Likes tea. <!-- 2026-11-21 cpu-x -->\n"),
		Own:          memoryOf(t, coderTarget, "- Tabs.\n"),
		GlobalBudget: 8000,
		AgentBudget:  4000,
		Tools: []tools.Doc{
			{Name: "AGENT", Usage: "AGENT: <slug> <task>", Description: "Hands over."},
			{Name: "SYSTEM_STATS", Usage: "SYSTEM_STATS: [cpu|memory]", Description: "This machine's vitals."},
		},
		Delegate: true,
		Guides:   Guides{Directives: ToolGuide{Rules: "HOW TO", Delegation: "HAND OVER"}, NativeTools: ToolGuide{Rules: "CALL IT", Delegation: "HAND OVER NATIVELY"}},
	}
}

func TestBuildSystem_putsThePartsInOrder(t *testing.T) {
	in := smallInput(t)
	got := BuildSystem(in)
	want := strings.Join([]string{
		"SOUL",
		"# Tools\nHOW TO",
		"MOOD",
		"SKILL TEXT",
		"# Your tools\n- `SYSTEM_STATS: [cpu|memory]` This machine's vitals.",
		"# Delegation\nHAND OVER",
		"# Agents\ncoder: Writes code.\nplain",
		"# Skills\nsum: Sums up.",
		"# Memory (lessons learned, follow these)\n0 % · 23 / 8,000 characters\n# Memory\n\n- Likes tea.",
		"## Lessons for orchestrator\n0 % · 7 / 4,000 characters\n- Tabs.",
	}, "\n\n")
	want = strings.Replace(want, "23 / 8,000", fmt.Sprintf("%d / 8,000", memorytext.Inject(in.Global.Text, 8000).Used), 1)
	if diff := cmp.Diff(want, got.System); diff != "" {
		t.Errorf("system (-want +got):\n%s", diff)
	}
	if got.Cut != (ContextCut{}) {
		t.Errorf("cut %+v", got.Cut)
	}
	uses := []MemoryUse{
		{Target: globalTarget, Path: in.Global.Path, Used: memorytext.Inject(in.Global.Text, 8000).Used, Budget: 8000, Lines: len(in.Global.Bullets)},
		{Target: coderTarget, Path: in.Own.Path, Used: memorytext.Inject(in.Own.Text, 4000).Used, Budget: 4000, Lines: len(in.Own.Bullets)},
	}
	if diff := cmp.Diff(uses, got.Memory); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
}

func TestBuildSystem_givenEqualInputs_givesEqualBytes(t *testing.T) {
	in := smallInput(t)
	in.ContextTokens = 4096
	first := BuildSystem(in).System
	for range 50 {
		if BuildSystem(in).System != first {
			t.Fatal("the prompt changed")
		}
	}
}

// The calibration changes a little with every answer; the prompt must not.
func TestBuildSystem_givenCalibrationDrifts_givesEqualBytes(t *testing.T) {
	in := smallInput(t)
	in.Global, in.ContextTokens = memoryOf(t, globalTarget, manyBullets(8000)), 4096
	in.Factor = calibrated(106)
	first := BuildSystem(in)
	if first.Cut.Memory == 0 {
		t.Fatal("nothing was cut, so nothing could move")
	}
	for _, percent := range []int{101, 108, 110, 112} {
		in.Factor = calibrated(percent)
		if BuildSystem(in).System != first.System {
			t.Errorf("the prompt changed at %d %%", percent)
		}
	}
}

func TestBuildSystem_givenMissingParts(t *testing.T) {
	tests := []struct {
		name    string
		change  func(in *Input)
		with    []string
		without []string
	}{
		{"no delegation", func(in *Input) { in.Delegate = false }, []string{"HOW TO", "SYSTEM_STATS"}, []string{"HAND OVER", "# Agents", "# Skills", "Delegation"}},
		{"no tools, no delegation", func(in *Input) { in.Delegate, in.Tools = false, nil }, []string{"SKILL TEXT"}, []string{"# Tools", "HOW TO"}},
		{"native", func(in *Input) { in.Native = true }, []string{"CALL IT", "HAND OVER NATIVELY", "coder: Writes code."}, []string{"SYSTEM_STATS", "HOW TO"}},
		{"no memory", func(in *Input) {
			in.Global, in.Own = memory.File{Missing: true}, memory.File{Missing: true}
		}, nil, []string{"Memory", "Lessons for"}},
		{"own memory alone", func(in *Input) { in.Global = memory.File{Missing: true} }, []string{"follow these)\n## Lessons for orchestrator\n"}, []string{"tea"}},
		{"memory with a heading alone", func(in *Input) {
			in.Global = memoryOf(t, globalTarget, "# Memory\n\n<!-- hint -->\n")
			in.Own.Missing = true
		}, nil, []string{"Memory"}},
		{"memory as a paragraph", func(in *Input) { in.Global = memoryOf(t, globalTarget, "I live in Graz.\n") }, []string{"I live in Graz."}, nil},
		{"budget 0", func(in *Input) { in.GlobalBudget = 0 }, []string{"Tabs."}, []string{"tea"}},
		{"specialist", func(in *Input) { in.Delegate, in.Tools = false, in.Tools[1:] }, []string{"SOUL", "MOOD", "tea", "Tabs.", "SKILL TEXT", "HOW TO", "SYSTEM_STATS"}, []string{"AGENT", "HAND OVER", "# Agents", "# Skills"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			in := smallInput(t)
			tc.change(&in)
			got := BuildSystem(in).System
			for _, part := range tc.with {
				if !strings.Contains(got, part) {
					t.Errorf("%q is missing in\n%s", part, got)
				}
			}
			for _, part := range tc.without {
				if strings.Contains(got, part) {
					t.Errorf("%q is in\n%s", part, got)
				}
			}
			if strings.Contains(got, "\n\n\n") || got != strings.TrimSpace(got) {
				t.Errorf("blank lines in\n%q", got)
			}
		})
	}
}

func TestBuildSystem_givenBudgetOfCharacters_cutsWholeBulletsAndSaysSo(t *testing.T) {
	in := smallInput(t)
	in.Global = memoryOf(t, globalTarget, manyBullets(9000))
	got := BuildSystem(in)
	use := got.Memory[0]
	if use.Cut == 0 || use.Used > 8000 || use.Percent < 95 || got.Cut.Memory != use.Cut {
		t.Errorf("use %+v, cut %+v", use, got.Cut)
	}
	line := fmt.Sprintf("%d %% · %s / 8,000 characters · %s characters left out", use.Percent, humanize.Comma(int64(use.Used)), humanize.Comma(int64(use.Cut)))
	if !strings.Contains(got.System, line) {
		t.Errorf("%q is missing", line)
	}
	checkWholeBullets(t, got.System, in.Global, use.Cut)
}

// checkWholeBullets checks that every lesson in the prompt is a whole lesson of the file,
// that the newest are there, and that the characters of what is missing are counted.
func checkWholeBullets(t *testing.T, system string, f memory.File, cut int) {
	t.Helper()
	system += "\n"
	whole := map[string]bool{}
	for _, b := range f.Bullets {
		whole[b.Text] = true
	}
	missing := 0
	for line := range strings.Lines(f.Text) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(system, "\n"+line+"\n") {
			missing += utf8.RuneCountInString(line)
		}
	}
	kept := 0
	for line := range strings.Lines(system) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "- Lesson")
		if !ok {
			continue
		}
		if kept++; !whole["Lesson"+text] {
			t.Errorf("a bullet was cut: %q", line)
		}
	}
	if cut != missing || kept == 0 {
		t.Errorf("%d kept, %d characters counted as left out, %d are", kept, cut, missing)
	}
	if kept > 0 && !strings.Contains(system, f.Bullets[len(f.Bullets)-1].Text) {
		t.Error("the newest lesson was left out")
	}
	if !utf8.ValidString(system) {
		t.Error("cut through a character")
	}
}

// shippedInput returns the input for the real orchestrator, guides and shipped agents.
func shippedInput(t testing.TB) Input {
	t.Helper()
	r := registry.New(registry.Config{Root: "../../assets", Defaults: os.DirFS("../../assets")})
	guides, err := LoadGuides(os.DirFS("../../assets"))
	if err != nil {
		t.Fatal(err)
	}
	entry, err := r.Find("orchestrator")
	if err != nil {
		t.Fatal(err)
	}
	return Input{
		Agent: entry, Agents: r.Agents(), Skills: r.Skills(), GlobalBudget: 8000, AgentBudget: 4000, Delegate: true, Guides: guides,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
		Tools: []tools.Doc{
			{Name: "MEMORY_APPEND", Usage: "MEMORY_APPEND: [agent:<id>] <lesson>", Description: "saves one short lesson for good"},
			{Name: "SYSTEM_STATS", Usage: "SYSTEM_STATS: [cpu|memory|disk|network|gpu|temperature|processes]", Description: "reads this machine's vitals"},
			{Name: "FETCH_URL", Usage: "FETCH_URL: <url>", Description: "reads a web page"},
		},
	}
}

func TestBuildSystem_givenShippedAgents_isShortInEachTier(t *testing.T) {
	for _, tier := range []Tier{TierLarge, TierMiddle, TierPlain} {
		for _, native := range []bool{false, true} {
			in := shippedInput(t)
			in.Tier, in.Native = tier, native
			got := BuildSystem(in)
			t.Logf("%s, native %v: %d tokens", tier, native, transcript.EstimateTokens(got.System))
			if transcript.EstimateTokens(got.System) > 1000 {
				t.Errorf("%s, native %v: %d tokens, want at most 1,000:\n%s", tier, native, transcript.EstimateTokens(got.System), got.System)
			}
			if hasExamples := strings.Contains(got.System, "# Examples"); hasExamples != (tier == TierMiddle) {
				t.Errorf("%s, native %v: examples %v", tier, native, hasExamples)
			}
		}
	}
}

func TestExamplesAreOnlyForTheMiddleTier(t *testing.T) {
	for _, tier := range []Tier{TierLarge, TierMiddle, TierPlain} {
		in := smallInput(t)
		in.Tier, in.Agent.Examples = tier, "# Examples\n\nLike this."
		if got := BuildSystem(in).System; strings.Contains(got, "SKILL TEXT\n\n# Examples\n\nLike this.") != (tier == TierMiddle) {
			t.Errorf("%s: %s", tier, got)
		}
	}
}

func TestThePlainTierHasOnlyTheMemory(t *testing.T) {
	in := shippedInput(t)
	in.Tier = TierPlain
	if got := BuildSystem(in); got.System != "" {
		t.Errorf("without a memory: %q", got.System)
	}
	in.Global = memoryOf(t, globalTarget, "- Works night shifts.\n")
	if got := BuildSystem(in); got.System != "What you know about the user:\n- Works night shifts." {
		t.Errorf("with one: %q", got.System)
	}
	in.First, in.Session = "You are Luna.", "Answer in French."
	if got := BuildSystem(in).System; !strings.HasPrefix(got, "You are Luna.") || !strings.HasSuffix(got, "Answer in French.\n\nWhat you know about the user:\n- Works night shifts.") {
		t.Errorf("in a place: %q", got)
	}
}

func TestTierFor(t *testing.T) {
	for _, tt := range []struct {
		parameters int64
		context    int
		want       Tier
	}{
		{135e6, 8192, TierPlain},
		{17e8, 40960, TierPlain},
		{26e8, 8192, TierMiddle},
		{32e8, 131072, TierMiddle},
		{8e9, 40960, TierMiddle},
		{30e9, 40960, TierMiddle},
		{70e9, 131072, TierLarge},
		{8e9, 1024, TierPlain},
		{0, 0, TierMiddle},
		{0, 8192, TierMiddle},
	} {
		if got := TierFor(tt.parameters, tt.context); got != tt.want {
			t.Errorf("%d parameters, %d tokens: %s, want %s", tt.parameters, tt.context, got, tt.want)
		}
	}
	if got := ChooseTier(TierPlain, "", "auto", "large", "middle"); got != TierLarge {
		t.Errorf("chosen: %s", got)
	}
	if got := ChooseTier(TierPlain, "", "auto"); got != TierPlain {
		t.Errorf("not chosen: %s", got)
	}
}

// A context of 4k with full memory files, five agents and a long chat.
func TestBuildSystem_givenSmallContext_leavesRoomForHistory(t *testing.T) {
	for _, native := range []bool{false, true} {
		for _, context := range []int{2048, 4096, 8192, 16384} {
			for _, factor := range []int{80, 100, 130} {
				t.Run(fmt.Sprintf("%d tokens, native %v, calibration %d %%", context, native, factor), func(t *testing.T) {
					in := shippedInput(t)
					in.Native, in.ContextTokens = native, context
					in.Factor = calibrated(factor)
					in.Global = memoryOf(t, globalTarget, manyBullets(8000))
					in.Own = memoryOf(t, coderTarget, manyBullets(3900))
					got := BuildSystem(in)
					checkShares(t, in, got)
				})
			}
		}
	}
}

func checkShares(t *testing.T, in Input, got System) {
	t.Helper()
	budget := NewBudget(in.ContextTokens)
	memory := strings.TrimSpace(strings.TrimPrefix(got.System, got.Stable))
	if n := int(in.Factor * float64(transcript.EstimateTokens(memory))); n > budget.Memory {
		t.Errorf("memory takes %d tokens of %d", n, budget.Memory)
	}
	_, roster, _ := strings.Cut(got.Stable, in.Agent.Skill)
	roster += in.Guides.Directives.Rules
	if n := int(in.Factor * float64(transcript.EstimateTokens(roster))); in.ContextTokens >= 4096 && n > budget.Roster {
		t.Errorf("tools and roster take %d tokens of %d", n, budget.Roster)
	}
	if in.ContextTokens >= 4096 && got.Cut.Roster > 0 {
		t.Errorf("%d agents and skills left out", got.Cut.Roster)
	}
	if in.ContextTokens <= 4096 && got.Cut.Memory == 0 {
		t.Error("nothing of the memory was cut")
	}
	cut := 0
	for _, use := range got.Memory {
		cut += use.Cut
	}
	if cut != got.Cut.Memory {
		t.Errorf("cut %d, reported %d", cut, got.Cut.Memory)
	}
	if !strings.Contains(memory, "Lesson 0") || !utf8.ValidString(got.System) {
		t.Errorf("memory lost or broken: %q", memory)
	}
	system := int(in.Factor * float64(transcript.EstimateTokens(got.System)))
	history := budget.Rest(system, 100) // a message of 75 words
	t.Logf("system %d, history %d tokens; cut %+v", system, history, got.Cut)
	if in.ContextTokens >= 4096 && history < in.ContextTokens/8 {
		t.Errorf("history has %d tokens", history)
	}
}

// Agents without room in the prompt are named with the messages; the prompt stays the
// same.
func TestBuildSystem_givenTooManyAgents_listsThePinnedOnesAndCountsTheRest(t *testing.T) {
	in := shippedInput(t)
	in.ContextTokens = 8192
	for i := range 40 {
		in.Agents = append(in.Agents, registry.Agent{
			ID: fmt.Sprint(100 + i), Slug: fmt.Sprintf("extra%d", i), Description: strings.Repeat("does many things ", 20), Enabled: true, Path: fmt.Sprint("/a/", i), Pinned: i == 7,
		})
	}
	got := BuildSystem(in)
	left := 39 + len(in.Skills)
	if !strings.Contains(got.System, fmt.Sprintf("\n(%d more are not listed.", left)) || !strings.Contains(got.System, "\ncoder: ") || strings.Count(got.System, "\nextra") != 1 {
		t.Errorf("roster:\n%s", got.System[strings.Index(got.System, "# Agents"):])
	}
	if got.Cut.Roster != left || len(got.Others) != left || got.Room == 0 {
		t.Errorf("cut %d, others %d, want %d; %d tokens for those that fit", got.Cut.Roster, len(got.Others), left, got.Room)
	}
	for line := range strings.Lines(got.System) {
		if _, description, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "extra") {
			if n := utf8.RuneCountInString(strings.TrimSpace(description)); n > descriptionRunes || !strings.HasSuffix(strings.TrimSpace(description), "…") {
				t.Errorf("description of %d characters: %q", n, description)
			}
		}
	}
}

// trades is a roster too long to list: each name with its purpose and a task.
var trades = [][3]string{
	{"beekeeper", "Keeps bees: hives, swarming, honey, varroa mites.", "My hive is about to swarm, what do I do?"},
	{"bread-baker", "Bakes bread: sourdough starters, proofing, crust.", "The crust of my sourdough comes out soft."},
	{"tax-clerk", "Fills in tax returns and explains deductions for small businesses.", "Can I deduct a desk in my tax return?"},
	{"piano-tuner", "Tunes and repairs pianos and harpsichords.", "One key of my piano sounds off, can it be tuned?"},
	{"bike-mechanic", "Repairs bicycles: gears, brakes, wheels, chains.", "The chain of my bicycle jumps under load."},
	{"map-maker", "Draws maps from coordinates and survey data (GeoJSON, shapefiles).", "Turn this GeoJSON into a printable map."},
	{"wine-steward", "Pairs wine with food and advises on cellars.", "Which wine goes with trout?"},
	{"sailing-coach", "Teaches sailing: knots, trim, tacking, right of way.", "Who has right of way when both boats are tacking?"},
	{"sql-migrator", "Moves databases between PostgreSQL, MySQL and SQLite.", "Move my MySQL tables to PostgreSQL."},
	{"poem-editor", "Edits poems: metre, rhyme, line breaks.", "The metre limps in the third line of this poem."},
	{"chess-analyst", "Analyses chess games and openings.", "Where did I lose this chess game?"},
	{"roof-gardener", "Plans gardens on roofs and balconies: soil, water, wind.", "Which plants survive the wind on my balcony?"},
}

func tradesAndOthers() []Named {
	var all []Named
	for i := range 120 {
		all = append(all, Named{Name: fmt.Sprintf("clerk-%d", i), Description: fmt.Sprintf("Files forms of department %d and answers letters.", i)})
	}
	for i, trade := range trades {
		all = append(all, Named{Name: trade[0], Description: trade[1], Skill: i%3 == 0})
	}
	return all
}

func TestAgentsThatSuitAMessageAreNamed(t *testing.T) {
	all := tradesAndOthers()
	for _, trade := range trades {
		text, named := NameRelevant(trade[2], System{Others: all, Room: 200}, transcript.EstimateTokens)
		if !strings.Contains(text, "\n"+trade[0]+": ") || named > maxNamed || transcript.EstimateTokens(text) > 200 {
			t.Errorf("%q: %d named:\n%s", trade[2], named, text)
		}
	}
	for _, c := range []struct {
		message string
		room    int
	}{{"Good morning!", 200}, {"", 200}, {"My hive is about to swarm", 5}} {
		if text, named := NameRelevant(c.message, System{Others: all, Room: c.room}, transcript.EstimateTokens); text != "" || named != 0 {
			t.Errorf("%q with %d tokens: %d named:\n%s", c.message, c.room, named, text)
		}
	}
}

func TestLoadGuides_givenMissingOrEmptyFile_fails(t *testing.T) {
	for _, name := range []string{"directives", "native-tools", "limit", "nudge", "near-miss", "compact", "title", "judge", "untrusted", "attached"} {
		assets := fstest.MapFS{}
		for _, n := range []string{"directives", "native-tools", "limit", "nudge", "near-miss", "compact", "title", "judge", "untrusted", "attached"} {
			assets["prompts/"+n+".md"] = &fstest.MapFile{Data: []byte("text")}
		}
		if _, err := LoadGuides(assets); err != nil {
			t.Fatal(err)
		}
		assets["prompts/"+name+".md"].Data = []byte(" \n")
		if _, err := LoadGuides(assets); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("empty %s: %v", name, err)
		}
		delete(assets, "prompts/"+name+".md")
		if _, err := LoadGuides(assets); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("no %s: %v", name, err)
		}
	}
}

func TestQuote_givenTextThatPretendsToEnd_cannotKnowTheMark(t *testing.T) {
	g := Guides{Untrusted: "From {{source}}."}
	inner := g.Quote("a web page", "page")
	if !strings.HasPrefix(inner, "From a web page.\n<<<quoted ") || inner != g.Quote("a web page", "page") {
		t.Errorf("frame %q", inner)
	}
	outer := g.Quote("a web page", inner) // a page that contains an earlier frame
	last := outer[strings.LastIndex(outer, "<<<end "):]
	if strings.Count(outer, last) != 1 {
		t.Errorf("the text closes its own frame:\n%s", outer)
	}
}

// The registry and the reader of tests must accept the shipped agents.
func TestShippedAgents(t *testing.T) {
	root := t.TempDir()
	r := registry.New(registry.Config{Root: root, Defaults: os.DirFS("../../assets")})
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	slugs := map[string]string{"000": "orchestrator", "002": "coder", "003": "doctor", "004": "memory-keeper"}
	list := r.Agents()
	if len(list) != len(slugs) {
		t.Fatalf("%d agents, want %d", len(list), len(slugs))
	}
	for _, a := range list {
		if a.Slug != slugs[a.ID] || !a.Usable() || len(a.Warnings) > 0 || a.Entry != (a.ID == "000") || a.Soul == "" {
			t.Errorf("agent %+v", a)
		}
		if n := utf8.RuneCountInString(a.Description); n == 0 || n > descriptionRunes {
			t.Errorf("%s: description of %d characters", a.Slug, n)
		}
		cases, err := agenttest.Read(r, a)
		if err != nil || len(cases) < 2 {
			t.Errorf("%s: %d tests, %v", a.Slug, len(cases), err)
		}
		for _, c := range cases {
			for _, e := range c.Expects {
				slug, delegates := strings.CutPrefix(e.String(), "delegates to ")
				if _, err := r.Find(slug); delegates && err != nil {
					t.Errorf("%s: %v", a.Slug, err)
				}
			}
		}
	}
	for _, s := range r.Skills() {
		if s.Err != nil || len(s.Warnings) > 0 || utf8.RuneCountInString(s.Description) > descriptionRunes {
			t.Errorf("skill %+v", s)
		}
	}
	if tools := list[2].Tools; len(tools) != 1 || tools[0] != "SYSTEM_STATS" {
		t.Errorf("the doctor's tools: %q", tools)
	}
	if _, err := os.Stat(filepath.Join(root, "prompts")); err == nil {
		t.Error("prompts were written to the data folder")
	}
}

// BenchmarkBuildSystem measures the worst case of a prompt: a full memory cut to 4k.
func BenchmarkBuildSystem(b *testing.B) {
	in := shippedInput(b)
	in.ContextTokens, in.Global = 4096, memoryOf(b, globalTarget, manyBullets(8000))
	for b.Loop() {
		BuildSystem(in)
	}
}
