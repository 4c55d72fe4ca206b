package conversation

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
	"mac-stats/agents/lessons"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// Kind says what an entry of a conversation is.
type Kind int

// The kinds of entries.
const (
	User     Kind = iota
	Head          // who answers: agent · model · time · tokens/s
	Thinking      // folded, with its duration
	Answer        // markdown
	Call          // a sub-call or a tool
	Note          // a quiet line
	Summary       // a divider
	Error         // a card
)

// entry is one thing in a conversation, without any screen. Its fields are
// guarded by the conversation's lock.
type entry struct {
	Key   string // unique in the conversation
	Kind  Kind
	Block string // id in the transcript, "" until known
	round int
	Rev   int // grows with every change

	Agent, Model string
	At           time.Time
	Speed        float64                 // tokens/s
	Files        []transcript.Attachment // user
	Text         string                  // user, thinking, call's text, note
	Doc          *markdown.Document

	Task    string // call
	Failed  string
	Unsaved string // call: what became of a line that was not saved
	Live    bool
	Began   time.Time
	Took    time.Duration
	CallID  string
	Tool    bool

	UndoID  string // note: memory that can be taken back
	RetryID string // note: message to ask again
	GoOn    bool   // note: the answer was cut short; in a View only where it can go on
	Fault   *Fault // error

	Proposal string // note: id of a memory that waits for Save or Discard

	Question *agents.Question // note: of the turn, as it was asked
	Asking   bool             // it waits for an answer; also of the call that it is about

	Proposed string // note: its text, where that can be edited
	memory   bool   // note: of the memory
	learnt   string // note: what was remembered, until it is taken back
	Removed  bool   // note: a save removed something, and the user has not decided about it
	Unkept   bool   // note: the answer claims to remember, and nothing was saved
	Count    int    // summary: messages it stands for

	Versions []string              // user, answer: the ids of all that stood in its place, itself among them; nil where it alone did
	Edited   bool                  // user: in the place of an earlier version
	Again    bool                  // head: there was an answer before
	Read     []agents.MemoryRead   // head: what the prompt held of the memory
	Recalled []agents.RecalledNote // head: what the answer was made with of earlier conversations
}

// Fault is an error as the card shows it.
type Fault struct {
	Kind     string // agents.Event.Kind
	Sentence string
	Next     string
	Model    string
	UserID   string // block to run again from; "" where nothing was written
	Text     string // what to send again where UserID is ""
	Offer    string // a model that can do what this one can't
	Again    string // when it was tried again; "" for the first time
	Edit     string // block in whose place the text was to be sent
}

// Conversation is one session as the window knows it. Events of its run go to it
// and nowhere else, whether it is shown or not.
type Conversation struct {
	mu    sync.Mutex
	Name  string
	title string
	path  string
	agent string // chosen for the session; "" is the default
	model string // chosen; "" is the agent's

	temperature *float64 // chosen; nil is the agent's
	think       *bool    // chosen; nil is the agent's
	context     int      // chosen, in tokens; 0 is as for all
	prompt      string   // chosen: instructions for this conversation alone
	unsaved     bool     // what is chosen is in no transcript yet
	private     bool     // in memory only
	turns       int      // that were begun here

	draft    string
	queue    []Queued
	queueSeq int
	held     bool // the queue goes on when the user says so
	now      bool // its first message goes next, however the turn ends

	attached  []File // goes with the next message
	sentFiles []File // went with the last one

	entries []*entry
	older   int    // blocks before the first one here; they are read on demand
	first   string // that block
	// summarised is how many messages the Summary stands for.
	summarised int
	shownID    map[string]bool // blocks that are in entries
	edited     map[string]bool // messages in the place of earlier versions
	anew       map[string]bool // messages that were answered again
	versions   map[string][]string
	parsed     map[string]*markdown.Document // while a transcript is read again: the texts that are here, by block
	seq        int

	loadErr error
	reading bool      // older messages are
	loading bool      // its transcript is being read
	changed time.Time // of the transcript, when read

	run     Run
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

// New is an empty conversation of a session's name.
func New(name string) *Conversation {
	return &Conversation{Name: name, shownID: map[string]bool{}}
}

func (c *Conversation) add(e *entry) *entry {
	c.seq++
	if e.Key == "" {
		e.Key = fmt.Sprintf("%d", c.seq)
	}
	e.Rev = 1
	c.entries = append(c.entries, e)
	if e.Block != "" {
		c.shownID[e.Block] = true
		e.Versions = c.versions[e.Block]
	}
	return e
}

// Begin puts the user's message on the screen, before anything else is known.
func (c *Conversation) Begin(text string, now time.Time, files ...transcript.Attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(&entry{Kind: User, Text: text, Files: files, At: now})
	c.startClock(text, "", now)
	if c.title == "" {
		c.title = titleOf(cmp.Or(text, Names(files)))
	}
}

// BeginAgain takes away what followed a user's message, which is answered anew.
func (c *Conversation) BeginAgain(userID string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e *entry) bool { return e.Kind == User && e.Block == userID })
	if at < 0 {
		return
	}
	had := slices.ContainsFunc(c.entries[at+1:], func(e *entry) bool { return e.Kind == Answer })
	c.entries = c.entries[:at+1]
	c.startClock(c.entries[at].Text, userID, now)
	c.answered = had
}

func (c *Conversation) startClock(text, userID string, now time.Time) {
	c.sent, c.userID, c.again, c.editing, c.answered, c.turnedBack = text, userID, userID != "", "", false, false
	c.endedWell = false
	c.turns++
	c.state, c.detail, c.since, c.working = agents.StateQueued, "", now, ""
}

// titleOf is the first words of a message, 60 characters at most.
func titleOf(text string) string {
	out := ""
	for _, w := range strings.Fields(transcript.TitleOf(text)) {
		if out != "" && utf8.RuneCountInString(out)+utf8.RuneCountInString(w) > 48 {
			return out + "…"
		}
		out = strings.TrimSpace(out + " " + w)
	}
	return i18n.Shorten(out, 60)
}

// Apply takes one event of the conversation's run.
func (c *Conversation) Apply(ev agents.Event) {
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
		e.Doc.Append(ev.Text)
		e.Rev++
	case agents.EventThinking:
		e := c.thinkingFor(ev)
		e.Doc.Append(ev.Text)
		e.Rev++
	case agents.EventSubcallStart, agents.EventSubcallToken, agents.EventSubcallEnd, agents.EventTool:
		c.applyCall(ev)
	case agents.EventMemoryWritten, agents.EventMemoryProposed, agents.EventMemoryReloaded:
		c.applyMemory(ev)
	case agents.EventQuestion:
		c.applyQuestion(ev)
	case agents.EventContextCut:
		c.cut = ev.Cut
		if s := cutLine(ev.Cut); s != "" {
			c.add(&entry{Kind: Note, Text: s, At: ev.Time})
		}
	case agents.EventCompaction:
		c.add(&entry{Kind: Note, Text: cmp.Or(ev.Text, i18n.T("older messages were summarised")), At: ev.Time})
	case agents.EventUsage:
		c.applyUsage(ev)
	case agents.EventDone:
		c.applyDone(ev)
	case agents.EventError:
		c.applyError(ev)
	}
}

func (c *Conversation) applyState(ev agents.Event) {
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
func (c *Conversation) warn(ev agents.Event) {
	told := func(e *entry) bool { return e.Kind == Note && e.Text == ev.Detail }
	if ev.Detail != "" && c.inTurn(told) == nil {
		c.add(&entry{Kind: Note, Text: ev.Detail, At: ev.Time, GoOn: ev.GoOn})
	}
}

func (c *Conversation) setUserID(id string) {
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == User {
			if e.Block == "" && !c.shownID[id] {
				e.Block = id
				c.shownID[id] = true
				c.userID = id
				e.Rev++
			}
			return
		}
	}
}

// turnStart is where the entries of the turn under way begin.
func (c *Conversation) turnStart() int {
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].Kind == User {
			return i + 1
		}
	}
	return 0
}

func (c *Conversation) inTurn(match func(*entry) bool) *entry {
	for _, e := range slices.Backward(c.entries[c.turnStart():]) {
		if match(e) {
			return e
		}
	}
	return nil
}

// head is the badge of the turn's answer.
func (c *Conversation) head(ev agents.Event) *entry {
	e := c.inTurn(func(e *entry) bool { return e.Kind == Head })
	if e == nil {
		e = c.add(&entry{Kind: Head, At: ev.Time, Agent: ev.Agent, Model: ev.Model, Again: c.answered})
	}
	if ev.Agent != "" && e.Agent == "" {
		e.Agent = ev.Agent
		e.Rev++
	}
	if ev.Model != "" && e.Model != ev.Model && (ev.Agent == "" || ev.Agent == e.Agent) {
		e.Model = ev.Model
		e.Rev++
	}
	return e
}

func (c *Conversation) answerFor(ev agents.Event) *entry {
	c.head(ev)
	e := c.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live && e.round == ev.Round })
	if e == nil {
		c.settleRounds(ev.Round, ev.Time)
		e = c.add(&entry{Kind: Answer, round: ev.Round, Doc: markdown.New(), At: ev.Time, Live: true})
	}
	return e
}

// settleThoughts ends thinking: something else has begun.
func (c *Conversation) settleThoughts(at time.Time) {
	for _, e := range c.entries[c.turnStart():] {
		if e.Live && e.Kind == Thinking {
			e.settleThought(at)
		}
	}
}

// settleThought ends one: it took until now.
func (e *entry) settleThought(at time.Time) {
	e.Live, e.Took = false, at.Sub(e.Began)
	e.Rev++
}

// settleRounds ends the answers and thoughts of earlier rounds.
func (c *Conversation) settleRounds(round int, at time.Time) {
	for _, e := range c.entries[c.turnStart():] {
		switch {
		case !e.Live:
		case e.Kind == Thinking:
			e.settleThought(at)
		case e.Kind == Answer && e.round != round:
			e.Live = false
			e.Rev++
		}
	}
}

func (c *Conversation) thinkingFor(ev agents.Event) *entry {
	c.head(ev)
	e := c.inTurn(func(e *entry) bool { return e.Kind == Thinking && e.round == ev.Round })
	if e == nil {
		began := ev.Time
		if c.state == agents.StateThinking {
			began = c.since
		}
		e = c.add(&entry{Kind: Thinking, round: ev.Round, At: ev.Time, Began: began, Doc: markdown.New(), Live: true})
	}
	return e
}

func (c *Conversation) applyCall(ev agents.Event) {
	if ev.Call == nil {
		return
	}
	e := c.inTurn(func(e *entry) bool { return e.Kind == Call && e.CallID == ev.Call.ID && ev.Call.ID != "" })
	if e == nil {
		e = c.add(&entry{Kind: Call, CallID: ev.Call.ID, Began: ev.Time, Live: true, Doc: markdown.New()})
		if ev.Type == agents.EventTool {
			e.Doc = markdown.NewPreformatted()
		}
	}
	c.settleThoughts(ev.Time)
	k := ev.Call
	e.Rev++
	e.Tool = e.Tool || ev.Type == agents.EventTool
	e.Agent, e.Task = cmp.Or(k.Name, e.Agent), cmp.Or(k.Task, e.Task)
	e.Model = cmp.Or(k.Model, e.Model)
	if ev.Type == agents.EventSubcallToken {
		e.Doc.Append(ev.Text)
		return
	}
	if k.Result != "" {
		e.Doc.Replace(k.Result)
		e.Unsaved = unsavedWords(lessons.UnsavedOf(k.Result))
	}
	if ev.Type == agents.EventSubcallEnd || k.Done || k.Failed != "" {
		e.Live, e.Failed, e.Took = false, k.Failed, k.Took
		if e.Took == 0 {
			e.Took = ev.Time.Sub(e.Began)
		}
		c.settleCall(e)
	}
}

// settleCall puts a call that has ended below those that ended before it, as the
// transcript has them: what a specialist did stands above the specialist.
func (c *Conversation) settleCall(e *entry) {
	at := slices.Index(c.entries, e)
	to := at
	for i := at + 1; i < len(c.entries) && c.entries[i].Kind == Call; i++ {
		if !c.entries[i].Live {
			to = i
		}
	}
	if to > at {
		c.entries = slices.Insert(slices.Delete(c.entries, at, at+1), to, e)
	}
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

// BaseName is the last part of a path of any system.
func BaseName(path string) string {
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

func (c *Conversation) applyUsage(ev agents.Event) {
	if ev.Usage == nil {
		return
	}
	h := c.inTurn(func(e *entry) bool { return e.Kind == Head })
	if h != nil && ev.Agent != "" && h.Agent != "" && ev.Agent != h.Agent {
		return // a specialist's call: not this conversation's context
	}
	u := *ev.Usage
	c.usage = &u
	if h != nil && u.TokensPerSecond > 0 {
		h.Speed = u.TokensPerSecond
		h.Rev++
	}
}

func (c *Conversation) applyDone(ev agents.Event) {
	e := c.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live })
	if e == nil && ev.Text != "" {
		e = c.answerFor(ev)
	}
	if e != nil {
		if ev.Text != "" {
			e.Doc.Replace(ev.Text)
		}
		e.Block, e.Live = ev.Block, false
		if ev.Block != "" {
			c.shownID[ev.Block] = true
		}
		e.Rev++
	}
	if h := c.inTurn(func(e *entry) bool { return e.Kind == Head }); h != nil && len(ev.Read)+len(ev.Recalled) > 0 {
		h.Read, h.Recalled = ev.Read, ev.Recalled
		h.Rev++
	}
	if ev.Unkept {
		c.addUnkept(ev.Time)
	}
	c.endRun()
	c.endedWell = true
}

func (c *Conversation) applyError(ev agents.Event) {
	partial := c.inTurn(func(e *entry) bool { return e.Kind == Answer && e.Live })
	if partial != nil {
		partial.Live = false
		partial.Block = cmp.Or(partial.Block, ev.Block)
		if partial.Block != "" && partial.Block != c.userID {
			c.shownID[partial.Block] = true
		}
		partial.Rev++
	}
	if ev.Kind == agents.KindCancelled {
		kept := c.hasAnswer()
		c.add(&entry{Kind: Note, Text: keptLine(kept), At: ev.Time, GoOn: kept})
	} else {
		f := &Fault{Kind: ev.Kind, Sentence: cmp.Or(ev.Text, i18n.T("The turn failed.")), Next: ev.Detail, Model: modelOf(ev), UserID: c.userID, Text: c.sent, Offer: agents.VisionModel(ev.Err)}
		if c.userID == "" {
			f.Edit = c.editing
		}
		c.turnedBack = c.editing != "" || c.again
		if c.again {
			f.Again = i18n.With("tried again at {{.Time}}", i18n.Places{"Time": ev.Time.Format("15:04:05")})
		}
		c.add(&entry{Kind: Error, At: ev.Time, Fault: f})
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
func (c *Conversation) hasAnswer() bool {
	return c.inTurn(func(e *entry) bool { return e.Kind == Answer && strings.TrimSpace(e.Doc.Text()) != "" }) != nil
}

// keptLine is what is left of an answer that was cut off.
func keptLine(kept bool) string {
	if kept {
		return i18n.T("stopped · the partial answer is kept")
	}
	return i18n.T("stopped before anything had arrived")
}

// Stopped is the window's word for what did not come to its end, whoever or whatever
// ended it.
func Stopped() string { return i18n.T("stopped") }

func (c *Conversation) endRun() {
	c.run, c.state, c.detail = nil, "", ""
	for _, e := range c.entries[c.turnStart():] {
		if e.Live {
			e.Live = false
			if e.Kind == Call && e.Failed == "" && e.Took == 0 {
				e.Failed = Stopped()
			}
			e.Rev++
		}
	}
}

// Busy reports whether a run is under way.
func (c *Conversation) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run != nil
}

// stateLine is what to show while nothing is written yet: "loading qwen3:8b… 4 s".
func (c *Conversation) stateLine(now time.Time) string {
	if c.run == nil || c.state == "" {
		return ""
	}
	words := c.detail
	if name, arg, _ := strings.Cut(words, " "); c.state == agents.StateTool {
		words = strings.TrimSpace(ToolWords(name, false) + " " + arg)
	}
	if words == "" {
		words = StateWords(c.state)
	}
	if c.state == agents.StateWriting {
		return ""
	}
	return words + "…" + Since(c.since, now)
}

// Since is " 4 s" for what is under way; nothing in the first second.
func Since(began, now time.Time) string {
	if s := int(now.Sub(began).Seconds()); s > 0 {
		return " " + Clock(s)
	}
	return ""
}

// Clock is seconds as people read them: "42 s", "2:05 min".
func Clock(s int) string {
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return i18n.With("{{.S}}:{{.S2}} min", i18n.Places{"S": s / 60, "S2": fmt.Sprintf("%02d", s%60)})
}

// StateWords says what a turn does.
func StateWords(s agents.State) string {
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

// TookWords is a duration as the rows say it: "3.1 s", "2:05 min".
func TookWords(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond: // no "0.0 s"
		return ""
	case d < 10*time.Second:
		return i18n.Number(fmt.Sprintf("%.1f s", d.Seconds()))
	}
	return Clock(int(d.Seconds()))
}

// SpeedWords is "41 tokens/s".
func SpeedWords(v float64) string {
	switch {
	case v <= 0:
		return ""
	case v < 10:
		return i18n.With("{{.V}} tokens/s", i18n.Places{"V": i18n.Number(fmt.Sprintf("%.1f", v))})
	}
	return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.0f", v)})
}

// LastUser is the block of the newest user message, for Retry, and its text.
func (c *Conversation) LastUser() (id, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == User {
			return e.Block, e.Text
		}
	}
	return "", ""
}

// Ended says that a run gives no more events, however it ended.
func (c *Conversation) Ended(run Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == run {
		c.endRun()
	}
}

// Fail notes that the transcript can't be read; nil that there is none yet.
func (c *Conversation) Fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loadErr, c.loading = err, false
}

// LacksServer reports whether the last turn ended because there was no server or
// no model to answer it.
func (c *Conversation) LacksServer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) == 0 {
		return false
	}
	f := c.entries[len(c.entries)-1].Fault
	return f != nil && (f.Kind == agents.KindDown || f.Kind == agents.KindNoModel || f.Kind == agents.KindModelMissing)
}

// DropFailed takes away a message that never reached the disk and its error: it
// is sent anew.
func (c *Conversation) DropFailed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.turnStart() - 1
	if at >= 0 && c.entries[at].Block == "" {
		c.entries = c.entries[:at]
	}
}
