package agents

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/delegate"
	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

const (
	// roundingTokens stays free, so that a history trimmed here always passes Window.Fit.
	roundingTokens = 32
	// maxQueryBytes limits the part of the message, in bytes, that is compared with agents and
	// skills.
	maxQueryBytes = 2000
)

// assembly builds the request of a turn's own dialogue, in the order of change: system
// prompt with the memory last, Summary, history, the user's message, and beside it what
// suits this message alone. It knows what fits before the model is called.
type assembly struct {
	parts
	dialogue *dialogue
	window   *prompt.Window // of talk
	to       delegate.Config
	input    prompt.Input   // of the system prompt, with the memory as it is on disk
	whole    prompt.System  // with all of the memory
	system   prompt.System  // as it is sent
	began    beginning      // of the request
	why      string         // why it isn't that of the request before, see ReadBreak; "" if it is
	lines    map[string]int // lines of memory beside the messages, by the file's name
	contents prompt.Contents
	history  int // cap of the history in tokens; set by fill
}

// readFiles reads the files that the system prompt is made of. If it has no room for all
// agents and skills, readFiles offers the tools that find one.
func (a *assembly) readFiles() {
	build := func() {
		a.input = a.parts.input(a.dialogue)
		a.input.Session = a.cast.chosen.Prompt
		if a.input.Delegate = tools.Find(a.window.Tools, registry.ToolAgent) != nil || tools.Find(a.window.Tools, registry.ToolSkill) != nil; a.input.Delegate {
			roster := a.to.Input()
			a.input.Agents, a.input.Skills = roster.Agents, roster.Skills
		}
		a.whole = prompt.BuildSystem(a.input)
		a.system = a.whole
	}
	build()
	if len(a.system.Others) > 0 && tools.Find(a.window.Tools, registry.ToolFindAgent) == nil {
		a.window.Tools = append(a.window.Tools, a.to.Finders()...)
		build()
	}
}

// input returns what every system prompt contains: the agent, its memory, its tools. A
// place has its own memory.
func (p parts) input(d *dialogue) prompt.Input {
	settings := p.cast.settings
	in := prompt.Input{
		Agent: d.agent, GlobalBudget: settings.GlobalBudget, AgentBudget: settings.AgentBudget,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
		Tier: p.cast.promptTier(d.agent, d.model), ContextTokens: d.numCtx, Native: d.window.Native, Tools: tools.Docs(d.window.Tools), Guides: p.cast.base.guides,
		Estimate: d.estimate,
	}
	if p.place == nil || p.place.Global {
		in.Global = p.load(memory.Target{Kind: memory.TargetGlobal})
	}
	if target, ok := registry.OwnMemory(d.agent); ok && (p.place == nil || p.place.OwnMemory) {
		in.Own = p.load(target)
	}
	if p.place != nil {
		in.First = p.place.Prompt
		for _, m := range p.place.Memory {
			in.Shared = append(in.Shared, prompt.SharedMemory{Heading: m.Heading, File: p.load(m.Target), Budget: m.Budget})
		}
	}
	return in
}

// load reads a memory file now, so that an edit saved before Enter is in this prompt. A
// file that can't be read is left out with a warning.
func (p parts) load(target memory.Target) memory.File {
	base := p.cast.base
	f, err := base.p.Memory.LoadStable(context.Background(), target)
	if f.Saving && f.Text == "" {
		p.report.warn(StateReading, filepath.Base(f.Path)+" is being saved by another program; this message goes without it")
	}
	if err != nil {
		base.log.Warn("a memory file could not be read", "path", f.Path, "err", err)
		p.report.warn(StateReading, "the memory could not be read and is left out: "+err.Error())
		return memory.File{Target: target, Missing: true}
	}
	if p.report.silent {
		return f
	}
	if added, removed, changed := base.memoryChanged(f); changed {
		p.report.emit(Event{Type: EventMemoryReloaded, Memory: &MemoryChange{
			Path: f.Path, Target: targetName(target), Added: added, Removed: removed,
		}})
	}
	return f
}

// room returns the tokens left for messages beside the system prompt, the tools and a
// Summary.
func (a *assembly) room(summary int) int {
	return a.window.Room(a.system.System, summary+a.window.Cost(a.cast.rules))
}

// checkRoom refuses a message that doesn't fit beside the system prompt.
func (a *assembly) checkRoom(b transcript.Block) error {
	in := a.contents.Of(b)
	room, need := a.room(0), a.window.Cost(in.Text)+len(in.Images)*prompt.ImageTokens
	if a.window.Budget.Known() && need > room {
		return a.cast.tooLong(need, room)
	}
	return nil
}

// limitFiles decides how much of a new message's files is sent. If the server can't be
// reached, fill decides it.
func (a *assembly) limitFiles(b *transcript.Block) error {
	if !slices.ContainsFunc(b.Attachments(), func(f transcript.Attachment) bool { return !f.Image }) {
		return nil
	}
	limit := a.fileTokens(*b)
	if limit < minFileTokens {
		return a.cast.tooLong(a.window.Cost(prompt.UserText(*b))+minFileTokens, a.room(0))
	}
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[prompt.FilesAttr] = strconv.Itoa(limit)
	return nil
}

// fileTokens returns how much of a new message's files is sent: what the model's context
// leaves beside the system prompt, the message's own words and a Summary, but at most
// filesShare of the history's cap.
func (a *assembly) fileTokens(b transcript.Block) int {
	limit := a.cast.settings.maxTokens() * filesShare / 100
	if !a.window.Budget.Known() {
		return limit
	}
	words := transcript.Block{Text: transcript.WithoutAttachments(b.Text), Context: b.Context}
	room := a.room(a.window.Budget.Summary) - a.window.Cost(prompt.UserText(words))
	for _, f := range b.Attachments() {
		if f.Image {
			room -= prompt.ImageTokens
		}
		room -= a.window.Cost(a.cast.base.guides.QuoteFile(prompt.FileName(f), ""))
	}
	return min(limit, a.window.Raw(room)-roundingTokens)
}

// fill builds the request from the conversation.
func (a *assembly) fill(window transcript.Context) {
	results := a.window.Results() // kept if the request is rebuilt during the turn
	messages := a.upToMessage(window.Messages)
	summary := a.summary(window.Summary)
	if a.cast.model.Tiny() && a.cast.promptTier(a.cast.agent, a.cast.model) == prompt.TierPlain { // not if the agent or the settings chose another tier
		summary, messages, window.Omitted = api.Message{}, lastExchange(messages), 0
	}
	sent, _ := transcript.Trim(messages, a.sentLimits(""), a.contents.Cost)
	around := a.around(sent)
	var before beginning
	for _, b := range messages[:len(messages)-1] {
		if b.Kind == transcript.KindAssistant {
			before = beginningOf(b)
		}
	}
	if a.why = ""; before.hash == "" {
		a.why = ReadBegan
	}
	var beside map[string]string
	var history []transcript.Block
	var left int
	for {
		files, said, began, ok := a.remember(before, messages)
		a.system = a.whole
		if a.began, beside = began, said; ok && len(said) > 0 {
			in := a.input
			in.SetMemories(files)
			a.system = prompt.BuildSystem(in)
		}
		if session.CoversNothing(window.Summary) && window.Omitted == 0 {
			if _, left := transcript.Trim(messages, a.sentLimits(around), a.contents.Cost); left == 0 {
				summary = api.Message{} // the request contains everything it covers, and a small model would use that twice
			}
		}
		limits := a.sentLimits(strings.Join(append(slices.Sorted(maps.Values(beside)), summary.Content, around), "\n"))
		a.history = limits.Tokens
		history, left = transcript.Trim(messages, limits, a.contents.Cost)
		first := a.report.message.ID
		if len(history) > 0 {
			first = history[0].ID
		}
		hash := hashOf(a.cast.model.Name, a.system.Stable, a.window.Schemas().String(), summary.Content, first)
		if ok && hash == before.hash {
			break
		}
		if !ok {
			a.began = a.anew(hash)
			if a.why == "" {
				a.why = ReadMemory
			}
			break
		}
		a.why = ReadBreak
		before = beginning{} // the rest is read again anyway, so the memory moves into the system prompt
	}
	if len(history) == 0 {
		history = []transcript.Block{a.report.message} // checkRoom made sure that it fits
	}
	a.window.Messages = nil
	if a.system.System != "" {
		a.window.Add(api.Message{Role: "system", Content: a.system.System})
	}
	if summary.Content != "" {
		a.window.Add(summary)
		a.consent.quoted = append(a.consent.quoted, reply.Quoted{Text: summary.Content})
	}
	a.window.Fixed = len(a.window.Messages)
	a.addHistory(history, beside)
	cut := a.system.Cut
	cut.Messages = left + window.Omitted
	cut.Roster -= a.addForMessage()
	a.window.History = len(history) - 1
	if around != "" { // it suits this message alone, so the history stands before it
		last := len(a.window.Messages) - 1
		a.window.Messages = slices.Insert(a.window.Messages, last, api.Message{Role: "user", Content: around})
		a.window.History++
	}
	a.window.Add(results...)
	if !a.report.silent {
		a.cast.base.showed(a.report.session, history[0].ID)
	}
	a.report.cut(cut)
	a.reportFiles(history)
}

// anew returns a beginning with all of the memory in the system prompt.
func (a *assembly) anew(hash string) beginning {
	a.lines = nil
	began, key := beginning{hash: hash, marks: map[string]memorytext.Mark{}}, a.cast.base.p.Memory.Key(context.Background())
	for _, m := range a.input.Memories() {
		began.marks[memoryName(m.File)] = memorytext.MarkOf(key, m.File.Text)
	}
	return began
}

// lastExchange returns the new message and the previous one with its answer. A tiny model
// gets only these, because more distracts it from the question. Answers to 25
// questions by SmolLM2-135M took up 23 % of the questions' words with the whole history,
// 22 % with a Summary and the last exchange, 29 % with the last exchange, and 26 % with
// only the question.
func lastExchange(messages []transcript.Block) []transcript.Block {
	for i, b := range slices.Backward(messages[:len(messages)-1]) {
		if b.Kind == transcript.KindUser {
			return messages[i:]
		}
	}
	return messages
}

// upToMessage returns the conversation up to this turn's message, which it includes even
// if an editor removed it from the file.
func (a *assembly) upToMessage(messages []transcript.Block) []transcript.Block {
	at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == a.report.message.ID })
	if at < 0 {
		return append(slices.Clone(messages), a.report.message)
	}
	messages = slices.Clone(messages[:at+1])
	messages[at] = a.report.message
	return messages
}

// summary returns the Summary as it is sent, within its share. A Summary made from other
// people's text is quoted, because it may contain their sentences.
func (a *assembly) summary(b *transcript.Block) api.Message {
	if b == nil {
		return api.Message{}
	}
	quote := func(text string) string {
		return a.cast.base.guides.Quote("a summary of the conversation so far, in which text of others was read", text)
	}
	text, quoted := b.Text, !b.Sources(a.report.session).Typed()
	if a.window.Budget.Known() {
		share := a.window.Raw(a.window.Budget.Summary)
		if quoted {
			share -= transcript.EstimateTokens(quote(""))
		}
		text, _ = prompt.CutResult(text, max(share, 1))
	}
	if quoted {
		return api.Message{Role: "user", Content: quote(text)}
	}
	return api.Message{Role: "system", Content: "# The conversation so far, in short\n" + text}
}

// around returns what others said, quoted and within its share.
func (a *assembly) around(history []transcript.Block) string {
	if a.report.silent {
		return ""
	}
	text := a.place.around(history)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if a.window.Budget.Known() {
		text, _ = prompt.CutResult(text, a.window.Raw(a.cast.numCtx*aroundShare/100))
	}
	a.consent.quoted = append(a.consent.quoted, reply.Quoted{Text: text})
	return a.cast.base.guides.Quote("what people said in this channel", text)
}

// limits returns the caps of the history: the settings, and what the real context leaves
// beside a Summary. They stay the same from turn to turn, so that requests share their
// beginning.
func (a *assembly) limits(summary string) transcript.Limits {
	lim := transcript.Limits{Messages: a.cast.settings.MaxMessages, Tokens: a.cast.settings.maxTokens()}
	if lim.Messages <= 0 {
		lim.Messages = defaultMaxMessages
	}
	if a.window.Budget.Known() {
		room := a.window.Raw(a.room(a.window.Cost(summary))-a.system.Room) - roundingTokens
		lim.Tokens = min(lim.Tokens, max(room, 1))
	}
	return lim
}

// sentLimits is limits with the number of turns that a place allows.
func (a *assembly) sentLimits(summary string) transcript.Limits {
	lim := a.limits(summary)
	if a.place != nil && a.place.Turns >= 0 {
		lim.Messages = min(lim.Messages, 2*a.place.Turns+1)
	}
	return lim
}

// addHistory appends the blocks as messages, with the lines of memory that are sent beside
// them.
func (a *assembly) addHistory(blocks []transcript.Block, beside map[string]string) {
	for i, b := range blocks {
		if b.Kind != transcript.KindUser {
			a.window.Add(api.Message{Role: "assistant", Content: a.place.asSent(b).Text})
			continue
		}
		in := a.contents.Of(b)
		if failed := i+1 < len(blocks) && blocks[i+1].Kind == transcript.KindUser; failed && len(in.Images) > 0 {
			// What made the server refuse that message would make it refuse each later one.
			in.Images, in.Text = nil, strings.ReplaceAll(in.Text, prompt.AttachedImage, "[attached image, not sent again because its message got no answer: ")
		}
		if lines := beside[b.ID]; lines != "" {
			in.Text += "\n\n" + lines
		}
		a.window.Add(api.Message{Role: "user", Content: in.Text, Images: in.Images})
		for _, text := range append(slices.Clone(in.Quoted), b.Context) {
			a.consent.quoted = append(a.consent.quoted, reply.Quoted{Text: text})
		}
		own := b.TextSources(a.report.session).Typed()
		a.consent.quoted = append(a.consent.quoted, reply.Quoted{Text: transcript.WithoutAttachments(b.Text), Own: own})
	}
}

// addForMessage appends to the message what suits it alone and isn't part of the stored
// one: the rules of its skill, and the agents and skills that suit it if the roster has no
// room for all. They come last, after everything that the next request repeats. It returns
// the number of agents and skills.
func (a *assembly) addForMessage() int {
	last := &a.window.Messages[len(a.window.Messages)-1]
	if a.cast.rules != "" {
		last.Content += "\n\n" + a.cast.rules
	}
	asked := transcript.WithoutAttachments(a.report.message.Text)
	asked = strings.ToValidUTF8(asked[:min(len(asked), maxQueryBytes)], "")
	text, named := prompt.NameRelevant(asked, a.system, a.window.Cost)
	if named == 0 || a.window.Total()+a.window.Cost(text) > a.window.Budget.Context-a.window.Budget.Answer {
		return 0
	}
	last.Content += "\n\n" + text
	return named
}

// reportFiles warns about files that the request lacks, cuts or can't show.
func (a *assembly) reportFiles(history []transcript.Block) {
	var unseen int
	for _, b := range history {
		in := a.contents.Of(b)
		if b.ID == a.report.message.ID {
			for _, why := range in.Lost {
				a.report.warn(StateReading, why+"; the model is told that it is missing")
			}
			if in.Cut > 0 {
				a.report.cut(prompt.ContextCut{Attached: in.Cut})
			}
		}
		unseen += in.Unseen
	}
	if unseen > 0 {
		a.report.warn(StateReading, fmt.Sprintf("%s can't look at images: %d of earlier messages not sent", a.cast.model.Name, unseen))
	}
}

// wouldCut reports whether the request would leave out messages that no Summary covers,
// and whether there is something new to cover.
func (a *assembly) wouldCut(snap session.Snapshot) bool {
	if snap.Since < 2 {
		return false
	}
	messages := append(slices.Clone(snap.Messages), a.report.message)
	_, left := transcript.Trim(messages, a.limits(a.summary(snap.Previous).Content), a.contents.Cost)
	return left > 0
}

// filled returns the share of the model's context that the request would take, in
// percent.
func (a *assembly) filled(snap session.Snapshot) float64 {
	if a.cast.numCtx <= 0 {
		return 0
	}
	tokens := a.window.Cost(a.system.System) + a.window.ToolCost() + a.window.Cost(a.summary(snap.Previous).Content)
	for _, m := range snap.Messages {
		in := a.contents.Of(m)
		tokens += a.window.Cost(in.Text) + len(in.Images)*prompt.ImageTokens
	}
	return 100 * float64(tokens) / float64(a.cast.numCtx)
}
