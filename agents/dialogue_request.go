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

// readFiles reads the files that the system prompt is made of. If it has no room for all
// agents and skills, readFiles offers the tools that find one.
func (d *dialogue) readFiles() {
	d.window.Tools = d.tools
	build := func() {
		d.input = d.readInput()
		d.input.Session = d.turn.chosen.Prompt
		if d.input.Delegate = tools.Find(d.window.Tools, registry.ToolAgent) != nil || tools.Find(d.window.Tools, registry.ToolSkill) != nil; d.input.Delegate {
			d.input.Agents, d.input.Skills = d.turn.roster, d.turn.engine.p.Registry.Skills()
		}
		d.whole = prompt.BuildSystem(d.input)
		d.system = d.whole
	}
	build()
	if len(d.system.Others) > 0 && tools.Find(d.window.Tools, registry.ToolFindAgent) == nil {
		d.window.Tools = append(d.window.Tools, d.turn.finders()...)
		build()
	}
}

// readInput returns what every system prompt contains: the agent, its memory, its tools. A
// place has its own memory.
func (d *dialogue) readInput() prompt.Input {
	t := d.turn
	tier, _ := t.tiers(d.agent, d.model)
	in := prompt.Input{
		Agent: d.agent, GlobalBudget: t.settings.GlobalBudget, AgentBudget: t.settings.AgentBudget,
		Global: memory.File{Missing: true}, Own: memory.File{Missing: true},
		Tier: tier, ContextTokens: d.numCtx, Native: d.window.Native, Tools: tools.Docs(d.window.Tools), Guides: t.engine.guides,
		Factor: d.window.Factor,
	}
	place := t.req.Place
	if place == nil || place.Global {
		in.Global = t.load(memory.Target{Kind: memory.TargetGlobal})
	}
	if target, ok := registry.OwnMemory(d.agent); ok && (place == nil || place.OwnMemory) {
		in.Own = t.load(target)
	}
	if place != nil {
		in.First = place.Prompt
		for _, m := range place.Memory {
			in.Shared = append(in.Shared, prompt.SharedMemory{Heading: m.Heading, File: t.load(m.Target), Budget: m.Budget})
		}
	}
	return in
}

// load reads a memory file now, so that an edit saved before Enter is in this prompt. A
// file that can't be read is left out with a warning.
func (t *turn) load(target memory.Target) memory.File {
	f, err := t.engine.p.Memory.LoadStable(context.Background(), target)
	if f.Saving && f.Text == "" {
		t.warn(StateReading, filepath.Base(f.Path)+" is being saved by another program; this message goes without it")
	}
	if err != nil {
		t.engine.log.Warn("a memory file could not be read", "path", f.Path, "err", err)
		t.warn(StateReading, "the memory could not be read and is left out: "+err.Error())
		return memory.File{Target: target, Missing: true}
	}
	if t.silent {
		return f
	}
	if added, removed, changed := t.engine.memoryChanged(f); changed {
		t.emit(Event{Type: EventMemoryReloaded, Memory: &MemoryChange{
			Path: f.Path, Target: targetName(target), Added: added, Removed: removed,
		}})
	}
	return f
}

// room returns the tokens left for messages beside the system prompt, the tools and a
// Summary.
func (d *dialogue) room(summary int) int {
	return d.window.Room(d.system.System, summary+d.window.Cost(d.turn.rules))
}

// checkRoom refuses a message that doesn't fit beside the system prompt.
func (d *dialogue) checkRoom(b transcript.Block) error {
	in := d.contents.Of(b)
	room, need := d.room(0), d.window.Cost(in.Text)+len(in.Images)*prompt.ImageTokens
	if d.window.Budget.Known() && need > room {
		return d.turn.tooLong(need, room)
	}
	return nil
}

// limitFiles decides how much of a new message's files is sent. If the server can't be
// reached, fill decides it.
func (d *dialogue) limitFiles(b *transcript.Block) error {
	if !slices.ContainsFunc(b.Attachments(), func(f transcript.Attachment) bool { return !f.Image }) {
		return nil
	}
	limit := d.fileTokens(*b)
	if limit < minFileTokens {
		return d.turn.tooLong(d.window.Cost(prompt.UserText(*b))+minFileTokens, d.room(0))
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
func (d *dialogue) fileTokens(b transcript.Block) int {
	limit := d.turn.settings.FilesTokens()
	if !d.window.Budget.Known() {
		return limit
	}
	words := transcript.Block{Text: transcript.WithoutAttachments(b.Text), Context: b.Context}
	room := d.room(d.window.Budget.Summary) - d.window.Cost(prompt.UserText(words))
	for _, f := range b.Attachments() {
		if f.Image {
			room -= prompt.ImageTokens
		}
		room -= d.window.Cost(d.turn.engine.guides.QuoteFile(prompt.FileName(f), ""))
	}
	return min(limit, d.window.Raw(room)-roundingTokens)
}

// fill builds the request from the conversation.
func (d *dialogue) fill(window transcript.Context) {
	results := d.window.Results()             // kept if the request is rebuilt during the turn
	messages := slices.Clone(window.Messages) // up to this turn's message, even if an editor removed it from the file
	if at := slices.IndexFunc(messages, func(b transcript.Block) bool { return b.ID == d.turn.message.ID }); at >= 0 {
		messages = messages[:at]
	}
	messages = append(messages, d.turn.message)
	summary := d.summary(window.Summary)
	if d.model.Tiny() && d.input.Tier == prompt.TierPlain { // not if the agent or the settings chose another tier
		summary, messages, window.Omitted = api.Message{}, lastExchange(messages), 0
	}
	place := d.turn.req.Place
	sent, _ := transcript.Trim(messages, d.limits("", place), d.contents.Cost)
	around := d.around(sent)
	var before beginning
	model := "" // that gave the answer before
	for _, b := range messages[:len(messages)-1] {
		if b.Kind == transcript.KindAssistant {
			before, model = beginningOf(b), b.Model
		}
	}
	if d.why = ""; before.hash == "" {
		d.why = ReadBegan
	}
	var beside map[string]string
	var history []transcript.Block
	var left int
	for {
		files, said, began, ok := d.remember(before, messages)
		d.system = d.whole
		if d.began, beside = began, said; ok && len(said) > 0 {
			in := d.input
			in.SetMemories(files)
			d.system = prompt.BuildSystem(in)
		}
		if session.CoversNothing(window.Summary) && window.Omitted == 0 {
			if _, left := transcript.Trim(messages, d.limits(around, place), d.contents.Cost); left == 0 {
				summary = api.Message{} // the request contains everything it covers, and a small model would use that twice
			}
		}
		limits := d.limits(strings.Join(append(slices.Sorted(maps.Values(beside)), summary.Content, around), "\n"), place)
		d.history = limits.Tokens
		history, left = transcript.Trim(messages, limits, d.contents.Cost)
		first := d.turn.message.ID
		if len(history) > 0 {
			first = history[0].ID
		}
		hash := hashOf(d.turn.model.Name, d.system.Stable, d.window.Schemas().String(), summary.Content, first)
		if ok && hash == before.hash {
			break
		}
		if !ok {
			d.began, d.lines = beginning{hash: hash, marks: map[string]memorytext.Mark{}}, nil
			key := d.turn.engine.p.Memory.Key(context.Background())
			for _, m := range d.input.Memories() { // all of the memory is in the system prompt
				d.began.marks[memoryName(m.File)] = memorytext.MarkOf(key, m.File.Text)
			}
			if d.why == "" {
				d.why = ReadMemory
			}
			break
		}
		d.why = ReadBreak
		if model == d.model.Name && before.learned > 0 && before.learned != d.window.Factor && !d.turn.shrunk {
			d.window.Factor = before.learned
			d.readFiles()
		}
		before = beginning{} // the rest is read again anyway, so the memory moves into the system prompt
	}
	d.began.factor = d.window.Factor
	if len(history) == 0 {
		history = []transcript.Block{d.turn.message} // checkRoom made sure that it fits
	}
	d.window.Messages = nil
	if d.system.System != "" {
		d.window.Add(api.Message{Role: "system", Content: d.system.System})
	}
	if summary.Content != "" {
		d.window.Add(summary)
		d.turn.quoted = append(d.turn.quoted, reply.Quoted{Text: summary.Content})
	}
	d.window.Fixed = len(d.window.Messages)
	d.addHistory(history, beside)
	cut := d.system.Cut
	cut.Messages = left + window.Omitted
	cut.Roster -= d.addForMessage()
	d.window.History = len(history) - 1
	if around != "" { // it suits this message alone, so the history stands before it
		last := len(d.window.Messages) - 1
		d.window.Messages = slices.Insert(d.window.Messages, last, api.Message{Role: "user", Content: around})
		d.window.History++
	}
	d.window.Add(results...)
	if !d.turn.silent {
		d.turn.engine.lastTurn(d.turn.req.Session, func(last *lastTurn) { last.first = history[0].ID })
	}
	d.turn.cut(cut)
	d.reportFiles(history)
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

// summary returns the Summary as it is sent, within its share. A Summary made from other
// people's text is quoted, because it may contain their sentences.
func (d *dialogue) summary(b *transcript.Block) api.Message {
	if b == nil {
		return api.Message{}
	}
	quote := func(text string) string {
		return d.turn.engine.guides.Quote("a summary of the conversation so far, in which text of others was read", text)
	}
	text, quoted := b.Text, !b.Sources(d.turn.req.Session).Typed()
	if d.window.Budget.Known() {
		share := d.window.Raw(d.window.Budget.Summary)
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
func (d *dialogue) around(history []transcript.Block) string {
	place := d.turn.req.Place
	if d.turn.silent || place == nil || place.Around == nil {
		return ""
	}
	text := place.Around(history)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if d.window.Budget.Known() {
		text, _ = prompt.CutResult(text, d.window.Raw(d.turn.numCtx*aroundShare/100))
	}
	d.turn.quoted = append(d.turn.quoted, reply.Quoted{Text: text})
	return d.turn.engine.guides.Quote("what people said in this channel", text)
}

// limits returns the caps of the history: the settings, what the real context leaves beside a
// Summary and other parts, and the number of turns that a place allows. They stay the same
// from turn to turn, so that requests share their beginning.
func (d *dialogue) limits(beside string, place *Place) transcript.Limits {
	lim := transcript.Limits{Messages: d.turn.settings.MaxMessages, Tokens: d.turn.settings.maxTokens()}
	if lim.Messages <= 0 {
		lim.Messages = defaultMaxMessages
	}
	if d.window.Budget.Known() {
		room := d.window.Raw(d.room(d.window.Cost(beside))-d.system.Room) - roundingTokens
		lim.Tokens = min(lim.Tokens, max(room, 1))
	}
	if place != nil && place.Turns >= 0 {
		lim.Messages = min(lim.Messages, 2*place.Turns+1)
	}
	return lim
}

// addHistory appends the blocks as messages, with the lines of memory that are sent beside
// them.
func (d *dialogue) addHistory(blocks []transcript.Block, beside map[string]string) {
	for i, b := range blocks {
		if b.Kind != transcript.KindUser {
			d.window.Add(api.Message{Role: "assistant", Content: d.turn.req.Place.asSent(b).Text})
			continue
		}
		in := d.contents.Of(b)
		if failed := i+1 < len(blocks) && blocks[i+1].Kind == transcript.KindUser; failed && len(in.Images) > 0 {
			// What made the server refuse that message would make it refuse each later one.
			in.Images, in.Text = nil, strings.ReplaceAll(in.Text, prompt.AttachedImage, "[attached image, not sent again because its message got no answer: ")
		}
		if lines := beside[b.ID]; lines != "" {
			in.Text += "\n\n" + lines
		}
		d.window.Add(api.Message{Role: "user", Content: in.Text, Images: in.Images})
		for _, text := range append(slices.Clone(in.Quoted), b.Context) {
			d.turn.quoted = append(d.turn.quoted, reply.Quoted{Text: text})
		}
		own := b.TextSources(d.turn.req.Session).Typed()
		d.turn.quoted = append(d.turn.quoted, reply.Quoted{Text: transcript.WithoutAttachments(b.Text), Own: own})
	}
}

// addForMessage appends to the message what suits it alone and isn't part of the stored
// one: the rules of its skill, and the agents and skills that suit it if the roster has no
// room for all. They come last, after everything that the next request repeats. It returns
// the number of agents and skills.
func (d *dialogue) addForMessage() int {
	last := &d.window.Messages[len(d.window.Messages)-1]
	if d.turn.rules != "" {
		last.Content += "\n\n" + d.turn.rules
	}
	if len(d.system.Others) == 0 {
		return 0
	}
	asked := transcript.WithoutAttachments(d.turn.message.Text)
	asked = strings.ToValidUTF8(asked[:min(len(asked), maxQueryBytes)], "")
	text, named := prompt.NameRelevant(asked, d.system, d.window.Cost)
	if named == 0 || d.window.Total()+d.window.Cost(text) > d.window.Budget.Context-d.window.Budget.Answer {
		return 0
	}
	last.Content += "\n\n" + text
	return named
}

// reportFiles warns about files that the request lacks, cuts or can't show.
func (d *dialogue) reportFiles(history []transcript.Block) {
	var unseen int
	for _, b := range history {
		in := d.contents.Of(b)
		if b.ID == d.turn.message.ID {
			for _, why := range in.Lost {
				d.turn.warn(StateReading, why+"; the model is told that it is missing")
			}
			if in.Cut > 0 {
				d.turn.cut(prompt.ContextCut{Attached: in.Cut})
			}
		}
		unseen += in.Unseen
	}
	if unseen > 0 {
		d.turn.warn(StateReading, fmt.Sprintf("%s can't look at images: %d of earlier messages not sent", d.turn.model.Name, unseen))
	}
}

// share returns the share of the model's context that the request would take, in
// percent.
func (d *dialogue) share(snap session.Snapshot) float64 {
	if d.turn.numCtx <= 0 {
		return 0
	}
	tokens := d.window.Cost(d.system.System) + d.window.ToolCost() + d.window.Cost(d.summary(snap.Previous).Content)
	for _, m := range snap.Messages {
		in := d.contents.Of(m)
		tokens += d.window.Cost(in.Text) + len(in.Images)*prompt.ImageTokens
	}
	return 100 * float64(tokens) / float64(d.turn.numCtx)
}
