package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Conversation is a conversation of another assistant: a tree of messages, in which an edited
// message or a repeated answer is another branch.
type Conversation struct {
	Session  string // its name here: chatgpt-<id>
	Title    string
	Messages []Message // a message comes after the one it answers
	Current  string    // the ID of the last message of the branch that was shown; "" for the newest
}

// Left is a kind of content that isn't imported.
type Left string

// What can be left out.
const (
	LeftPictures Left = "pictures"
	LeftFiles    Left = "files"
	LeftSounds   Left = "sounds"
	LeftOthers   Left = "parts" // of a kind that isn't known
)

// Message is a message of a Conversation, or a step of an answer.
type Message struct {
	ID     string
	Parent string // the message before it; "" for the first
	Kind   transcript.Kind
	Time   time.Time
	Model  string
	Text   string
	Work   []transcript.Block // thoughts and calls of tools before the text
	Files  []File             // pictures and files shown with it

	LeftOut []Left // what isn't imported and is named in Text
}

// Shows reports whether a message has something that a person saw.
func (m *Message) Shows() bool { return m.Text != "" || len(m.Work) > 0 || len(m.Files) > 0 }

// File is a picture or file of a message.
type File struct {
	Name    string
	Picture bool
	Data    func() ([]byte, error) // valid until the function that got the Conversation returns
}

// Named returns the line that names a file which couldn't be kept.
func (f File) Named(why string) string {
	what := "a file"
	if f.Picture {
		what = "a picture"
	}
	if f.Name != "" {
		what += ": " + transcript.OneLine(f.Name)
	}
	return "(" + what + "; " + why + ")"
}

// notIncluded says why most of what is missing is missing.
const notIncluded = "it isn't in the export"

// draft is a message while it is read. It collects the parts in the order in which they were shown.
type draft struct {
	Message
	r       *reading
	in      *Conversation
	parts   []string
	sources []string // "[title](address)"
}

func (r *reading) draft(c *Conversation, id, parent string, kind transcript.Kind, at time.Time, model string) *draft {
	if kind == transcript.KindUser {
		model = ""
	}
	return &draft{Message: Message{ID: id, Parent: parent, Kind: kind, Time: at, Model: model}, r: r, in: c}
}

// say adds text. Thoughts and calls that a program wrote into its text become what they are.
func (d *draft) say(text string) {
	if d.Kind == transcript.KindAssistant {
		text = d.cutThoughts(text)
	}
	if text = strings.TrimSpace(text); text != "" {
		d.parts = append(d.parts, text)
	}
}

func (d *draft) think(text string) {
	if text = strings.TrimSpace(text); text != "" {
		d.Work = append(d.Work, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteThinking, Text: text})
	}
}

// call adds a tool's call, its result, or both.
func (d *draft) call(tool string, texts ...string) {
	texts = slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" })
	if tool = transcript.OneLine(tool); tool == "" {
		tool = "tool"
	}
	if len(texts) > 0 {
		d.Work = append(d.Work, transcript.Block{Kind: transcript.KindTool, Agent: tool, Text: strings.Join(texts, "\n\n")})
	}
}

// document adds a document that stood beside the conversation.
func (d *draft) document(title, language, text string) {
	title = cmp.Or(transcript.OneLine(title), "Document")
	d.parts = append(d.parts, "**"+title+"**\n\n"+fenced(language, text))
}

// changed adds a change of such a document.
func (d *draft) changed(title, old, now string) {
	mark := func(sign, text string) string {
		if text == "" {
			return ""
		}
		return sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n"
	}
	d.document(cmp.Or(title, "Document")+" (changed)", "diff", strings.TrimSuffix(mark("-", old)+mark("+", now), "\n"))
}

// fenced returns a block of code, with a fence that is longer than any in it.
func fenced(language, text string) string {
	fence, run := "```", 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		if run >= len(fence) {
			fence += "`"
		}
	}
	language = strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && r != '`' {
			return r
		}
		return -1
	}, language)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// source adds an address that the answer refers to, and returns its mark.
func (d *draft) source(title, address string) string {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return ""
	}
	title = strings.NewReplacer("[", "(", "]", ")").Replace(transcript.OneLine(title))
	line := "[" + cmp.Or(title, address) + "](" + strings.NewReplacer(" ", "%20", ")", "%29", "(", "%28", "\n", "").Replace(address) + ")"
	at := slices.Index(d.sources, line)
	if at < 0 {
		at = len(d.sources)
		d.sources = append(d.sources, line)
	}
	return "[" + strconv.Itoa(at+1) + "]"
}

// missing names something that isn't imported, where it stood.
func (d *draft) missing(what Left, name, why string) {
	d.LeftOut = append(d.LeftOut, what)
	switch what {
	case LeftPictures, LeftFiles:
		d.parts = append(d.parts, File{Name: name, Picture: what == LeftPictures}.Named(why))
	case LeftSounds:
		d.parts = append(d.parts, "(a sound; it isn't imported)")
	default:
		d.parts = append(d.parts, "(something that mac-stats doesn't know: "+cmp.Or(transcript.OneLine(name), "without a name")+")")
	}
}

// asset adds a file by the names under which the container may hold it.
func (d *draft) asset(picture bool, name string, ids ...string) {
	for _, id := range ids {
		if e, ok := d.r.in.find(id); ok && id != "" {
			d.Files = append(d.Files, File{Name: cmp.Or(transcript.OneLine(name), e.base()), Picture: picture, Data: e.data})
			return
		}
	}
	what := LeftFiles
	if picture {
		what = LeftPictures
	}
	d.missing(what, cmp.Or(name, ids[0]), notIncluded)
}

// picture adds a picture by its address, which may hold its bytes.
func (d *draft) picture(name, address string) {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		kind, data, _ := strings.Cut(rest, ",")
		d.inline(cmp.Or(name, "picture."+pictureExt(kind)), strings.HasPrefix(kind, "image/"), data)
		return
	}
	d.asset(true, name, address)
}

// inline adds a file whose bytes are in base64.
func (d *draft) inline(name string, picture bool, data string) {
	d.Files = append(d.Files, File{Name: name, Picture: picture, Data: func() ([]byte, error) {
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
		if err != nil {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		return data, nil
	}})
}

func pictureExt(kind string) string {
	_, ext, _ := strings.Cut(strings.TrimSuffix(kind, ";base64"), "/")
	if ext == "jpeg" {
		return "jpg"
	}
	return cmp.Or(ext, "png")
}

// finish adds the message to its conversation. A message without content stays as a place in the
// tree.
func (d *draft) finish() {
	if len(d.sources) > 0 {
		lines := "Sources:"
		for i, s := range d.sources {
			lines += fmt.Sprintf("\n%d. %s", i+1, s)
		}
		d.parts = append(d.parts, lines)
	}
	d.Text = transcript.TrimBlankLines(strings.Join(d.parts, "\n\n"))
	d.in.Messages = append(d.in.Messages, d.Message)
}

var (
	reasoning  = regexp.MustCompile(`(?s)<details type="(reasoning|tool_calls|code_interpreter)"([^>]*)>\s*(?:<summary>[^<]*</summary>)?(.*?)</details>`)
	attributes = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
)

// cutThoughts takes the thoughts and calls out of an answer's text, where programs keep them in
// marks: <think> at its beginning, and <details> in Open WebUI.
func (d *draft) cutThoughts(text string) string {
	for _, mark := range []string{"think", "thinking"} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<"+mark+">"); ok {
			if thought, rest, closed := strings.Cut(rest, "</"+mark+">"); closed {
				d.think(thought)
				text = rest
			}
		}
	}
	if !strings.Contains(text, "<details type=") {
		return text
	}
	return reasoning.ReplaceAllStringFunc(text, func(found string) string {
		m := reasoning.FindStringSubmatch(found)
		var lines []string
		for line := range strings.Lines(m[3]) {
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(line, "\r\n"), ">"), " "))
		}
		inside := html.UnescapeString(strings.Join(lines, "\n"))
		if m[1] == "reasoning" {
			d.think(inside)
			return ""
		}
		attrs := map[string]string{}
		for _, a := range attributes.FindAllStringSubmatch(m[2], -1) {
			attrs[a[1]] = html.UnescapeString(a[2])
		}
		d.call(cmp.Or(attrs["name"], m[1]), attrs["arguments"], cmp.Or(attrs["result"], inside, attrs["output"]))
		return ""
	})
}

// sessionName returns a session's name made of an ID's letters and digits. A long ID ends with
// its hash, so that no two conversations share a name.
func sessionName(source, id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	name := b.String()
	if len(name) > 40 || name == "" {
		name = name[:min(len(name), 24)] + hashOf(id)
	}
	return source + "-" + name
}

// hashOf returns 12 letters and digits for a text.
func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// complete names a conversation after its ID, or after its first words if it has none, and gives
// each message an ID and a place in the tree.
func (c *Conversation) complete(source, id, title string, made time.Time) Conversation {
	seen := map[string]bool{}
	last := ""
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.ID == "" || seen[m.ID] {
			m.ID = hashOf(m.ID, last, string(m.Kind), m.Text)
		}
		for seen[m.ID] {
			m.ID = hashOf(m.ID)
		}
		seen[m.ID] = true
		last = m.ID
	}
	c.inOrder()
	times := map[string]time.Time{}
	for i := range c.Messages { // none is older than the one before it
		m := &c.Messages[i]
		before := times[m.Parent]
		if before.IsZero() {
			before = made
		}
		if m.Time.IsZero() || m.Time.Before(before) && !times[m.Parent].IsZero() {
			m.Time = before
		}
		times[m.ID] = m.Time
	}
	if id == "" {
		for _, m := range c.Messages {
			if id += m.Text; id != "" {
				id = hashOf(title, id)
				break
			}
		}
	}
	c.Session, c.Title = sessionName(source, id), transcript.OneLine(title)
	return *c
}

// inOrder sorts the messages so that each comes after the one it answers, and of several answers
// the one that was shown last comes last. A message that answers nothing known begins the
// conversation; so does one of a circle.
func (c *Conversation) inOrder() {
	at := make(map[string]int, len(c.Messages))
	for i, m := range c.Messages {
		at[m.ID] = i
	}
	shown := make([]bool, len(c.Messages))
	newest := func() int {
		parents := map[string]bool{}
		for _, m := range c.Messages {
			parents[m.Parent] = true
		}
		best := -1
		for i, m := range c.Messages {
			if !parents[m.ID] && (best < 0 || !m.Time.Before(c.Messages[best].Time)) {
				best = i
			}
		}
		return best
	}
	i, ok := at[c.Current]
	if !ok {
		i, ok = newest(), len(c.Messages) > 0
	}
	for ok && i >= 0 && !shown[i] {
		shown[i] = true
		i, ok = at[c.Messages[i].Parent]
	}
	answers := map[int][]int{}
	var roots []int
	for i, m := range c.Messages {
		if p, ok := at[m.Parent]; ok && p != i {
			answers[p] = append(answers[p], i)
		} else {
			c.Messages[i].Parent = ""
			roots = append(roots, i)
		}
	}
	shownLast := func(list []int) []int {
		slices.SortStableFunc(list, func(a, b int) int {
			switch {
			case shown[a] == shown[b]:
				return 0
			case shown[a]:
				return 1
			}
			return -1
		})
		return list
	}
	out := make([]Message, 0, len(c.Messages))
	done := make([]bool, len(c.Messages))
	var stack []int // the next is the last
	walk := func(from []int) {
		slices.Reverse(from)
		for stack = append(stack, from...); len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if done[i] {
				continue
			}
			done[i] = true
			out = append(out, c.Messages[i])
			next := shownLast(answers[i])
			slices.Reverse(next)
			stack = append(stack, next...)
		}
	}
	walk(shownLast(roots))
	for i := range c.Messages {
		if !done[i] {
			c.Messages[i].Parent = ""
			walk([]int{i})
		}
	}
	c.Messages = out
}
