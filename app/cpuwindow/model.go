package cpuwindow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem"
)

// entryKind says what an entry of a conversation is.
type entryKind int

const (
	entryUser     entryKind = iota
	entryHead               // who answers: agent · model · time · tokens/s
	entryThinking           // folded, with its duration
	entryAnswer             // markdown
	entryCall               // a sub-call or a tool
	entryNote               // a quiet line
	entrySummary            // a divider
	entryError              // a card
)

// entry is one thing in a conversation, without any screen. Its fields are
// guarded by the conversation's lock.
type entry struct {
	key   string // unique in the conversation
	kind  entryKind
	block string // id in the transcript, "" until known
	round int
	rev   int // grows with every change

	agent, model string
	at           time.Time
	speed        float64                 // tokens/s
	files        []sessionmem.Attachment // user
	text         string                  // user, thinking, call's text, note
	doc          *markdown.Document

	task   string // call
	failed string
	live   bool
	began  time.Time
	took   time.Duration
	callID string
	tool   bool

	undoID  string // note: memory that can be taken back
	retryID string // note: message to ask again
	fault   *fault // error

	proposal string // note: id of a memory that waits for Save or Discard

	questionID string // note: a question of the turn
	address    string // what it asks about
	asking     bool   // it waits for an answer

	proposed string // note: its text, where that can be edited
	memory   bool   // note: of the memory
	learnt   string // note: what was remembered, until it is taken back
	removed  bool   // note: a save removed something, and the user has not decided about it
	unkept   bool   // note: the answer claims to remember, and nothing was saved
	count    int    // summary: messages it stands for

	edited   bool                  // user: in the place of an earlier version
	again    bool                  // head: there was an answer before
	read     []agents.MemoryRead   // head: what the prompt held of the memory
	recalled []agents.RecalledNote // head: what the answer was made with of earlier conversations
}

// fault is an error as the card shows it.
type fault struct {
	kind     string // agents.Event.Kind
	sentence string
	next     string
	model    string
	userID   string // block to run again from; "" where nothing was written
	text     string // what to send again where userID is ""
	offer    string // a model that can do what this one can't
	again    string // when it was tried again; "" for the first time
	edit     string // block in whose place the text was to be sent
}

// conversation is one session as the window knows it. Events of its run go to it
// and nowhere else, whether it is shown or not.
type conversation struct {
	mu    sync.Mutex
	name  string
	title string
	path  string
	agent string // chosen for the session; "" is the default
	model string // chosen; "" is the agent's

	temperature *float64 // chosen; nil is the agent's
	prompt      string   // chosen: instructions for this conversation alone
	unsaved     bool     // what is chosen is in no transcript yet
	private     bool     // in memory only

	draft    string
	queue    []queued
	queueSeq int
	held     bool // the queue goes on when the user says so
	now      bool // its first message goes next, however the turn ends

	// UI goroutine alone.
	attached  []pending // goes with the next message
	sentFiles []pending // went with the last one

	entries []*entry
	older   int    // blocks before the first one here; they are read on demand
	first   string // that block
	// summarised is how many messages the Summary stands for.
	summarised int
	shownID    map[string]bool // blocks that are in entries
	edited     map[string]bool // messages in the place of earlier versions
	anew       map[string]bool // messages that were answered again
	seq        int

	loadErr error
	reading bool      // older messages are
	loading bool      // its transcript is being read
	changed time.Time // of the transcript, when read

	run     turnRun
	userID  string // the block the run answers
	sent    string // its text
	state   agents.State
	detail  string
	since   time.Time
	again   bool   // the run answers something anew
	editing string // the block in whose place the run's message stands; "" for none
	// answered: what the run answers anew had an answer. turnedBack: a branch's run
	// failed, and what is on the screen may not be what is on disk.
	answered, turnedBack bool
	endedWell            bool   // the turn before
	working              string // agent at work
	usage                *agents.Usage
	cut                  *prompt.ContextCut
}

func newConversation(name string) *conversation {
	return &conversation{name: name, shownID: map[string]bool{}}
}

func (c *conversation) add(e *entry) *entry {
	c.seq++
	if e.key == "" {
		e.key = fmt.Sprintf("%d", c.seq)
	}
	e.rev = 1
	c.entries = append(c.entries, e)
	if e.block != "" {
		c.shownID[e.block] = true
	}
	return e
}

// begin puts the user's message on the screen, before anything else is known.
func (c *conversation) begin(text string, now time.Time, files ...sessionmem.Attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(&entry{kind: entryUser, text: text, files: files, at: now})
	c.startClock(text, "", now)
	if c.title == "" {
		c.title = titleOf(cmp.Or(text, namesOf(files)))
	}
}

// beginAgain takes away what followed a user's message, which is answered anew.
func (c *conversation) beginAgain(userID string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e *entry) bool { return e.kind == entryUser && e.block == userID })
	if at < 0 {
		return
	}
	had := slices.ContainsFunc(c.entries[at+1:], func(e *entry) bool { return e.kind == entryAnswer })
	c.entries = c.entries[:at+1]
	c.startClock(c.entries[at].text, userID, now)
	c.answered = had
}

func (c *conversation) startClock(text, userID string, now time.Time) {
	c.sent, c.userID, c.again, c.editing, c.answered, c.turnedBack = text, userID, userID != "", "", false, false
	c.endedWell = false
	c.state, c.detail, c.since, c.working = agents.StateQueued, "", now, ""
}

// titleOf is the first words of a message, 60 characters at most.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	out := ""
	for _, w := range strings.Fields(line) {
		if out != "" && utf8.RuneCountInString(out)+utf8.RuneCountInString(w) > 48 {
			return out + "…"
		}
		out = strings.TrimSpace(out + " " + w)
	}
	return i18n.Shorten(out, 60)
}

// apply takes one event of the conversation's run.
func (c *conversation) apply(ev agents.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	switch ev.Type {
	case agents.EventState:
		c.applyState(ev)
	case agents.EventToken:
		e := c.answerFor(ev)
		e.doc.Append(ev.Text)
		e.rev++
	case agents.EventThinking:
		e := c.thinkingFor(ev)
		e.doc.Append(ev.Text)
		e.took = ev.Time.Sub(e.began)
		e.rev++
	case agents.EventSubcallStart, agents.EventSubcallToken, agents.EventSubcallEnd, agents.EventTool:
		c.applyCall(ev)
	case agents.EventMemoryWritten, agents.EventMemoryProposed, agents.EventMemoryReloaded:
		c.applyMemory(ev)
	case agents.EventQuestion:
		c.applyQuestion(ev)
	case agents.EventContextCut:
		c.cut = ev.Cut
		if s := cutLine(ev.Cut); s != "" {
			c.add(&entry{kind: entryNote, text: s, at: ev.Time})
		}
	case agents.EventCompaction:
		c.add(&entry{kind: entryNote, text: cmp.Or(ev.Text, i18n.T("older messages were summarised")), at: ev.Time})
	case agents.EventUsage:
		c.applyUsage(ev)
	case agents.EventDone:
		c.applyDone(ev)
	case agents.EventError:
		c.applyError(ev)
	}
}

func (c *conversation) applyState(ev agents.Event) {
	if ev.State != c.state || ev.Detail != c.detail {
		c.since = ev.Time
	}
	c.state, c.detail = ev.State, ev.Detail
	if ev.Agent != "" {
		c.working = ev.Agent
	}
	if ev.Block != "" && c.userID == "" {
		c.setUserID(ev.Block)
	}
	if ev.Agent != "" && ev.Model != "" {
		c.head(ev)
	}
	if ev.Warning {
		c.warn(ev)
	}
}

// warn keeps what a state says that the user has to see, once a turn.
func (c *conversation) warn(ev agents.Event) {
	told := func(e *entry) bool { return e.kind == entryNote && e.text == ev.Detail }
	if ev.Detail != "" && c.inTurn(told) == nil {
		c.add(&entry{kind: entryNote, text: ev.Detail, at: ev.Time})
	}
}

func (c *conversation) setUserID(id string) {
	for _, e := range slices.Backward(c.entries) {
		if e.kind == entryUser {
			if e.block == "" && !c.shownID[id] {
				e.block = id
				c.shownID[id] = true
				c.userID = id
				e.rev++
			}
			return
		}
	}
}

// turnStart is where the entries of the turn under way begin.
func (c *conversation) turnStart() int {
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].kind == entryUser {
			return i + 1
		}
	}
	return 0
}

func (c *conversation) inTurn(match func(*entry) bool) *entry {
	for _, e := range slices.Backward(c.entries[c.turnStart():]) {
		if match(e) {
			return e
		}
	}
	return nil
}

// head is the badge of the turn's answer.
func (c *conversation) head(ev agents.Event) *entry {
	e := c.inTurn(func(e *entry) bool { return e.kind == entryHead })
	if e == nil {
		e = c.add(&entry{kind: entryHead, at: ev.Time, agent: ev.Agent, model: ev.Model, again: c.answered})
	}
	if ev.Agent != "" && e.agent == "" {
		e.agent = ev.Agent
		e.rev++
	}
	if ev.Model != "" && e.model != ev.Model && (ev.Agent == "" || ev.Agent == e.agent) {
		e.model = ev.Model
		e.rev++
	}
	return e
}

func (c *conversation) answerFor(ev agents.Event) *entry {
	c.head(ev)
	e := c.inTurn(func(e *entry) bool { return e.kind == entryAnswer && e.live && e.round == ev.Round })
	if e == nil {
		c.settleRounds(ev.Round)
		e = c.add(&entry{kind: entryAnswer, round: ev.Round, doc: markdown.New(), at: ev.Time, live: true})
	}
	return e
}

// settleThoughts ends thinking: something else has begun.
func (c *conversation) settleThoughts() {
	for _, e := range c.entries[c.turnStart():] {
		if e.live && e.kind == entryThinking {
			e.live = false
			e.rev++
		}
	}
}

// settleRounds ends the answers and thoughts of earlier rounds.
func (c *conversation) settleRounds(round int) {
	for _, e := range c.entries[c.turnStart():] {
		if e.live && (e.kind == entryThinking || e.kind == entryAnswer && e.round != round) {
			e.live = false
			e.rev++
		}
	}
}

func (c *conversation) thinkingFor(ev agents.Event) *entry {
	c.head(ev)
	e := c.inTurn(func(e *entry) bool { return e.kind == entryThinking && e.round == ev.Round })
	if e == nil {
		began := ev.Time
		if c.state == agents.StateThinking {
			began = c.since
		}
		e = c.add(&entry{kind: entryThinking, round: ev.Round, at: ev.Time, began: began, doc: markdown.New(), live: true})
	}
	return e
}

func (c *conversation) applyCall(ev agents.Event) {
	if ev.Call == nil {
		return
	}
	e := c.inTurn(func(e *entry) bool { return e.kind == entryCall && e.callID == ev.Call.ID && ev.Call.ID != "" })
	if e == nil {
		e = c.add(&entry{kind: entryCall, callID: ev.Call.ID, began: ev.Time, live: true, doc: markdown.New()})
		if ev.Type == agents.EventTool {
			e.doc = markdown.NewPreformatted()
		}
	}
	c.settleThoughts()
	k := ev.Call
	e.rev++
	e.tool = e.tool || ev.Type == agents.EventTool
	e.agent, e.task = cmp.Or(k.Name, e.agent), cmp.Or(k.Task, e.task)
	e.model = cmp.Or(k.Model, e.model)
	if ev.Type == agents.EventSubcallToken {
		e.doc.Append(ev.Text)
		return
	}
	if k.Result != "" {
		e.doc.Replace(k.Result)
	}
	if ev.Type == agents.EventSubcallEnd || k.Done || k.Failed != "" {
		e.live, e.failed, e.took = false, k.Failed, k.Took
		if e.took == 0 {
			e.took = ev.Time.Sub(e.began)
		}
		c.settleCall(e)
	}
}

// settleCall puts a call that has ended below those that ended before it, as the
// transcript has them: what a specialist did stands above the specialist.
func (c *conversation) settleCall(e *entry) {
	at := slices.Index(c.entries, e)
	to := at
	for i := at + 1; i < len(c.entries) && c.entries[i].kind == entryCall; i++ {
		if !c.entries[i].live {
			to = i
		}
	}
	if to > at {
		c.entries = slices.Insert(slices.Delete(c.entries, at, at+1), to, e)
	}
}

func (c *conversation) applyMemory(ev agents.Event) {
	m := ev.Memory
	e := &entry{kind: entryNote, memory: true, at: ev.Time}
	switch {
	case ev.Type == agents.EventMemoryReloaded && m != nil:
		e.text = reloadLine(baseName(m.Path), m.Added, m.Removed)
	case ev.Type == agents.EventMemoryReloaded:
		e.text = i18n.T("memory reloaded")
	case ev.Type == agents.EventMemoryProposed:
		e.text = i18n.With("proposed to remember “{{.Text}}”", i18n.Places{"Text": memoryText(ev)})
		e.proposalNote(m)
	default:
		e.learnt = memoryText(ev)
		e.text = i18n.With("remembered “{{.Text}}”", i18n.Places{"Text": e.learnt})
		if m != nil {
			e.undoID = m.UndoID
		}
	}
	c.add(e)
}

func memoryText(ev agents.Event) string {
	if ev.Memory != nil && ev.Memory.Text != "" {
		return ev.Memory.Text
	}
	return ev.Text
}

// reloadLine is "memory.md reloaded · +2 −1".
func reloadLine(file string, added, removed int) string {
	s := i18n.With("{{.File}} reloaded", i18n.Places{"File": file})
	if added > 0 || removed > 0 {
		s += " ·"
	}
	if added > 0 {
		s += fmt.Sprintf(" +%d", added)
	}
	if removed > 0 {
		s += fmt.Sprintf(" −%d", removed)
	}
	return s
}

func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// cutLine says what did not fit the context.
func cutLine(k *prompt.ContextCut) string {
	if k == nil {
		return ""
	}
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, words)
		}
	}
	add(k.Messages, i18n.Count("{{.N}} older messages", k.Messages))
	add(k.Memory, i18n.Count("{{.N}} memory lines", k.Memory))
	add(k.Roster, i18n.Count("{{.N}} agents and skills", k.Roster))
	add(k.Result, i18n.Count("{{.N}} characters of results", k.Result))
	add(k.Attached, i18n.Count("{{.N}} characters of the attached files", k.Attached))
	if len(parts) == 0 {
		return ""
	}
	return i18n.With("left out, to fit the model's context: {{.Parts}}", i18n.Places{"Parts": strings.Join(parts, ", ")})
}

func (c *conversation) applyUsage(ev agents.Event) {
	if ev.Usage == nil {
		return
	}
	h := c.inTurn(func(e *entry) bool { return e.kind == entryHead })
	if h != nil && ev.Agent != "" && h.agent != "" && ev.Agent != h.agent {
		return // a specialist's call: not this conversation's context
	}
	u := *ev.Usage
	c.usage = &u
	if h != nil && u.TokensPerSecond > 0 {
		h.speed = u.TokensPerSecond
		h.rev++
	}
}

func (c *conversation) applyDone(ev agents.Event) {
	e := c.inTurn(func(e *entry) bool { return e.kind == entryAnswer && e.live })
	if e == nil && ev.Text != "" {
		e = c.answerFor(ev)
	}
	if e != nil {
		if ev.Text != "" {
			e.doc.Replace(ev.Text)
		}
		e.block, e.live = ev.Block, false
		if ev.Block != "" {
			c.shownID[ev.Block] = true
		}
		e.rev++
	}
	if h := c.inTurn(func(e *entry) bool { return e.kind == entryHead }); h != nil && len(ev.Read)+len(ev.Recalled) > 0 {
		h.read, h.recalled = ev.Read, ev.Recalled
		h.rev++
	}
	if ev.Unkept {
		c.addUnkept(ev.Time)
	}
	c.endRun()
	c.endedWell = true
}

func (c *conversation) applyError(ev agents.Event) {
	partial := c.inTurn(func(e *entry) bool { return e.kind == entryAnswer && e.live })
	if partial != nil {
		partial.live = false
		partial.block = cmp.Or(partial.block, ev.Block)
		if partial.block != "" && partial.block != c.userID {
			c.shownID[partial.block] = true
		}
		partial.rev++
	}
	if ev.Kind == agents.KindCancelled {
		c.add(&entry{kind: entryNote, text: keptLine(c.hasAnswer()), at: ev.Time})
	} else {
		f := &fault{kind: ev.Kind, sentence: cmp.Or(ev.Text, i18n.T("The turn failed.")), next: ev.Detail, model: modelOf(ev), userID: c.userID, text: c.sent, offer: agents.VisionModel(ev.Err)}
		if c.userID == "" {
			f.edit = c.editing
		}
		c.turnedBack = c.editing != "" || c.again
		if c.again {
			f.again = i18n.With("tried again at {{.Time}}", i18n.Places{"Time": ev.Time.Format("15:04:05")})
		}
		c.add(&entry{kind: entryError, at: ev.Time, fault: f})
	}
	c.endRun()
}

// modelOf is the model an error is about: also of one that was never resolved.
func modelOf(ev agents.Event) string {
	var e *ollama.Error
	if errors.As(ev.Err, &e) && e.Model != "" {
		return e.Model
	}
	return ev.Model
}

// hasAnswer reports whether the turn has any text of an answer.
func (c *conversation) hasAnswer() bool {
	return c.inTurn(func(e *entry) bool { return e.kind == entryAnswer && strings.TrimSpace(e.doc.Text()) != "" }) != nil
}

// keptLine is what is left of an answer that was cut off.
func keptLine(kept bool) string {
	if kept {
		return i18n.T("stopped · what had arrived is kept")
	}
	return i18n.T("stopped before anything had arrived")
}

// stopped is the window's word for what did not come to its end, whoever or whatever
// ended it.
func stopped() string { return i18n.T("stopped") }

func (c *conversation) endRun() {
	c.run, c.state, c.detail = nil, "", ""
	for _, e := range c.entries[c.turnStart():] {
		if e.live {
			e.live = false
			if e.kind == entryCall && e.failed == "" && e.took == 0 {
				e.failed = stopped()
			}
			e.rev++
		}
	}
}

// busy reports whether a run is under way.
func (c *conversation) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run != nil
}

// stateLine is what to show while nothing is written yet: "loading qwen3:8b… 4 s".
func (c *conversation) stateLine(now time.Time) string {
	if c.run == nil || c.state == "" {
		return ""
	}
	words := c.detail
	if words == "" {
		words = stateWords(c.state)
	}
	if c.state == agents.StateWriting {
		return ""
	}
	return words + "…" + since(c.since, now)
}

// since is " 4 s" for what is under way; nothing in the first second.
func since(began, now time.Time) string {
	if s := int(now.Sub(began).Seconds()); s > 0 {
		return " " + clock(s)
	}
	return ""
}

func clock(s int) string {
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return i18n.With("{{.S}}:{{.S2}} min", i18n.Places{"S": s / 60, "S2": fmt.Sprintf("%02d", s%60)})
}

func stateWords(s agents.State) string {
	switch s {
	case agents.StateQueued:
		return i18n.T("waiting for the model")
	case agents.StateLoading:
		return i18n.T("loading the model")
	case agents.StateReading:
		return i18n.T("reading the prompt")
	case agents.StateThinking:
		return i18n.T("thinking")
	case agents.StateTool:
		return i18n.T("using a tool")
	case agents.StateAsking:
		return i18n.T("waiting for your answer")
	case agents.StateCompacting:
		return i18n.T("summarising older messages")
	}
	return string(s)
}

// tookWords is a duration as the rows say it: "3.1 s", "2:05 min".
func tookWords(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond: // no "0.0 s"
		return ""
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return clock(int(d.Seconds()))
}

// lastUser is the block of the newest user message, for Retry, and its text.
func (c *conversation) lastUser() (id, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.kind == entryUser {
			return e.block, e.text
		}
	}
	return "", ""
}

// ended says that a run gives no more events, however it ended.
func (c *conversation) ended(run turnRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == run {
		c.endRun()
	}
}

// fail notes that the transcript can't be read; nil that there is none yet.
func (c *conversation) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loadErr, c.loading = err, false
}

// lacksServer reports whether the last turn ended because there was no server or
// no model to answer it.
func (c *conversation) lacksServer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) == 0 {
		return false
	}
	f := c.entries[len(c.entries)-1].fault
	return f != nil && (f.kind == agents.KindDown || f.kind == agents.KindNoModel || f.kind == agents.KindModelMissing)
}

// dropFailed takes away a message that never reached the disk and its error: it
// is sent anew.
func (c *conversation) dropFailed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.turnStart() - 1
	if at >= 0 && c.entries[at].block == "" {
		c.entries = c.entries[:at]
	}
}

// undone notes how taking back a memory went.
func (c *conversation) undone(key string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key != key {
			continue
		}
		e.undoID = ""
		e.rev++
		switch lesson := cmp.Or(e.learnt, e.proposed); {
		case err != nil:
			e.text += i18n.With(" · can't be undone: {{.Error}}", i18n.Places{"Error": err.Error()})
		case lesson == "":
			e.text += i18n.T(" · taken back")
		default:
			e.text = i18n.With("forgotten again: “{{.Text}}”", i18n.Places{"Text": lesson})
		}
	}
}
