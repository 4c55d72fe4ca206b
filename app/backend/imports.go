package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mac-stats/app/transfer"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// ErrMemoryOnly means that nothing can be imported, because transcripts are not written to
// disk.
var ErrMemoryOnly = errors.New("transcripts are kept in memory only")

// Imported counts what an import did or would do.
type Imported struct {
	Conversations int // new
	Continued     int // conversations that were here and have new messages
	Messages      int // new
	Present       int // conversations without anything new
	Deleted       int // conversations that were imported before and deleted here
	Busy          int // conversations with new messages in which an answer is being written
	Empty         int // conversations without messages
	Unreadable    int
	LeftOut       map[transfer.Left]int // of the new messages
	From, To      time.Time             // dates of the new messages
}

// ImportWatch is told what an import does. Its functions may be nil.
type ImportWatch struct {
	Bad      func(place int, err error)                   // a conversation can't be read
	Progress func(read, of int64, conversations, new int) // bytes of the file; conversations read, and new ones
}

// The size of a batch of new conversations, which become safe on disk together.
const (
	batchSessions = 64
	batchBytes    = 16 << 20
)

// Import writes a transcript for each conversation of another assistant's export, with its
// original dates, and adds new messages to those that were imported before. With dry it only
// counts. What was deleted or forgotten here isn't brought back. When it returns, also with an
// error, what it counts as imported is on disk.
func (b *Backend) Import(ctx context.Context, file string, dry bool, watch ImportWatch) (got Imported, err error) {
	if b.Config().Session.InMemoryOnly && !dry {
		return got, ErrMemoryOnly
	}
	record, err := b.Store.Imports(ctx)
	if err != nil {
		return got, err
	}
	defer record.Close()
	i := &importing{b: b, dry: dry, record: record, got: &got, waiting: map[string]int{}}
	conversations := 0
	err = transfer.EachConversation(ctx, file, func(c transfer.Conversation) error {
		conversations++
		return i.add(ctx, c)
	}, transfer.Watch{
		Bad: func(place int, err error) {
			if got.Unreadable++; watch.Bad != nil {
				watch.Bad(place, err)
			}
		},
		Read: func(read, of int64) {
			if watch.Progress != nil {
				watch.Progress(read, of, conversations, got.Conversations+len(i.batch))
			}
		},
	})
	return got, errors.Join(err, i.flush())
}

// importing is a running import.
type importing struct {
	b      *Backend
	dry    bool
	record *sessionmem.Imports
	got    *Imported

	batch   []imported     // new conversations that aren't written yet
	waiting map[string]int // their names
	bytes   int
}

// imported is what is written of a conversation.
type imported struct {
	session.NewSession
	messages []string // the IDs of the conversation's messages in the record
	count    Imported // what it adds to the counts
}

// add imports a conversation, or adds to one that is here.
func (i *importing) add(ctx context.Context, c transfer.Conversation) error {
	if _, twice := i.waiting[c.Session]; twice {
		if err := i.flush(); err != nil {
			return err
		}
	}
	live, deleted, known := i.record.Of(c.Session)
	switch {
	case deleted:
		i.got.Deleted++
		return nil
	case live:
		return i.addTo(ctx, c, known)
	}
	all := map[string]bool{}
	for _, m := range c.Messages {
		all[m.ID] = true
	}
	out := i.written(ctx, newTree(nil), c, all)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if out.count.Messages == 0 && len(out.Blocks) == 0 {
		i.got.Empty++
		return nil
	}
	if c.Title != "" {
		out.Blocks = append(out.Blocks, transcript.Block{Kind: transcript.KindNote, Time: out.count.To, Note: transcript.NoteTitle, Text: c.Title})
	}
	out.count.Conversations = 1
	if i.dry {
		i.record.Add(c.Session, out.messages)
		i.got.add(out.count)
		return nil
	}
	i.waiting[c.Session] = len(i.batch)
	i.batch = append(i.batch, out)
	for _, b := range out.Blocks {
		i.bytes += len(b.Text)
	}
	if len(i.batch) >= batchSessions || i.bytes >= batchBytes {
		return i.flush()
	}
	return nil
}

// flush writes the new conversations that wait. A person who stops an import waits for it: it
// takes a moment, and leaves nothing half done.
func (i *importing) flush() error {
	if i.dry {
		return nil
	}
	sessions := make([]session.NewSession, len(i.batch))
	for n, c := range i.batch {
		sessions[n] = c.NewSession
	}
	errs := i.b.Store.Sessions().Create(context.Background(), sessions)
	for n, c := range i.batch {
		if errs[n] == nil {
			i.record.Add(c.Name, c.messages)
			i.got.add(c.count)
		}
	}
	i.batch, i.bytes = nil, 0
	clear(i.waiting)
	var first error
	if at := slices.IndexFunc(errs, func(err error) bool { return err != nil }); at >= 0 {
		first = fmt.Errorf("after %d conversations: %w", i.got.Conversations, errs[at])
	}
	return errors.Join(first, i.record.Save())
}

// addTo adds the messages to a conversation that have come since it was imported. The record only
// saves reading the transcript: it may be lost or lag behind, so what it doesn't know is looked
// up there, and recorded if it is found.
func (i *importing) addTo(ctx context.Context, c transfer.Conversation, known map[string]bool) error {
	if !slices.ContainsFunc(c.Messages, func(m transfer.Message) bool { return !known[recordID(m.ID)] && m.Shows() }) {
		i.got.Present++
		return nil
	}
	s := i.b.Store.Session(c.Session)
	if held, _ := s.Held(); !held { // nobody has it open
		defer s.Release()
	}
	_, fresh, err := i.load(ctx, c, known)
	if err != nil {
		return err
	}
	var unrecorded []string
	for _, m := range c.Messages {
		if !known[recordID(m.ID)] {
			unrecorded = append(unrecorded, recordID(m.ID))
		}
	}
	switch {
	case !slices.ContainsFunc(c.Messages, func(m transfer.Message) bool { return fresh[m.ID] && m.Shows() }):
		i.got.Present++
		i.record.Add(c.Session, unrecorded)
		return nil
	case i.dry:
		out := i.written(ctx, newTree(nil), c, fresh)
		out.count.Continued = 1
		i.got.add(out.count)
		return nil
	}
	turn, err := s.TryTurn(ctx, "import")
	if errors.Is(err, session.ErrBusy) {
		i.got.Busy++
		return nil
	}
	if err != nil {
		return err
	}
	defer turn.Unlock()
	t, fresh, err := i.load(ctx, c, known) // now it stays as it is
	if err != nil {
		return err
	}
	here := t.lastMessage()
	out := i.written(ctx, t, c, fresh)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if here.ID != "" && !t.imported[here.ID] && !slices.ContainsFunc(t.line, func(b transcript.Block) bool { return b.ID == here.ID }) {
		// The person went on here: that stays the current branch.
		out.Blocks = append(out.Blocks, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteVersion, Text: here.ID})
	}
	if _, err := s.Append(ctx, out.Blocks...); err != nil {
		return fmt.Errorf("after %d conversations: %w", i.got.Conversations, err)
	}
	i.record.Add(c.Session, unrecorded)
	out.count.Continued = 1
	i.got.add(out.count)
	return i.record.Save()
}

// load reads a session to which messages are added, and returns the IDs of those that are new: no
// block is the message, and the record doesn't know it as one that was deleted. Without a record
// a message from before the last imported one counts as deleted.
func (i *importing) load(ctx context.Context, c transfer.Conversation, known map[string]bool) (t *tree, fresh map[string]bool, err error) {
	read, err := i.b.Store.Load(ctx, c.Session)
	if err != nil {
		return nil, nil, err
	}
	ids := map[string]bool{}
	for _, m := range c.Messages {
		ids[recordID(m.ID)] = true
	}
	type words struct {
		kind transcript.Kind
		text string
	}
	t = newTree(read.Blocks)
	there := map[string]bool{}
	old := map[string]bool{}   // blocks of a version that didn't name them after their messages
	unnamed := map[words]int{} // their text, and how often it is there
	var until time.Time        // of the last message imported
	saidHere := false          // from here on, only a name tells what was imported
	for _, b := range read.Blocks {
		id := blockID(b)
		there[id] = true
		saidHere = saidHere || b.Kind == transcript.KindUser && b.TextSources(c.Session) != transcript.FromFile
		named := known[id] || ids[id]
		if !b.IsMessage() || !named && saidHere {
			continue
		}
		t.imported[b.ID] = true
		if b.Time.After(until) {
			until = b.Time
		}
		if !named {
			old[b.ID] = true
			unnamed[words{b.Kind, strings.TrimSpace(b.Text)}]++
		}
	}
	for n, b := range t.line {
		if old[b.ID] {
			t.base = n + 1
		}
	}
	until = until.Truncate(time.Second) // as transcripts hold it
	fresh = map[string]bool{}
	for _, m := range c.Messages {
		id := recordID(m.ID)
		if known[id] || there[id] {
			continue
		}
		if len(known) == 0 {
			if w := (words{m.Kind, strings.TrimSpace(m.Text)}); unnamed[w] > 0 {
				unnamed[w]--
				continue
			}
			// An earlier version may have written the same message in other words.
			if at := m.Time.Truncate(time.Second); at.Before(until) || len(old) > 0 && at.Equal(until) {
				continue
			}
		}
		fresh[m.ID] = true
	}
	return t, fresh, nil
}

// written returns what is written of a conversation's new messages. Without a message that a
// person saw there are no blocks.
func (i *importing) written(ctx context.Context, t *tree, c transfer.Conversation, fresh map[string]bool) imported {
	out := imported{NewSession: session.NewSession{Name: c.Session}}
	out.count.LeftOut = map[transfer.Left]int{}
	for _, m := range c.Messages {
		t.link(m)
		if !fresh[m.ID] {
			continue
		}
		out.messages = append(out.messages, recordID(m.ID))
		if !m.Shows() {
			continue
		}
		if !i.dry {
			i.attach(ctx, c.Session, &m)
		}
		out.Blocks = append(out.Blocks, t.write(m)...)
		for _, what := range m.LeftOut {
			out.count.LeftOut[what]++
		}
		if m.Text != "" || len(m.Files) > 0 {
			out.count.Messages++
		}
		if out.count.From.IsZero() || m.Time.Before(out.count.From) {
			out.count.From = m.Time
		}
		if m.Time.After(out.count.To) {
			out.count.To = m.Time
		}
	}
	return out
}

// attach keeps the pictures and files of a message and links them from its text. What can't be
// kept is named in it.
func (i *importing) attach(ctx context.Context, session string, m *transfer.Message) {
	var links []transcript.Attachment
	for _, f := range m.Files {
		data, err := f.Data()
		var kept transcript.Attachment
		if err == nil {
			var made attach.File
			if made, err = attach.New(ctx, f.Name, data); err == nil {
				kept, err = i.b.Store.Attach(ctx, session, made)
			}
		}
		if err == nil {
			links = append(links, kept)
			continue
		}
		if ctx.Err() != nil {
			return // the conversation isn't written
		}
		what := transfer.LeftFiles
		if f.Picture {
			what = transfer.LeftPictures
		}
		m.LeftOut = append(slices.Clone(m.LeftOut), what)
		named := f.Named(transcript.OneLine(err.Error()))
		if errors.Is(err, attach.ErrRefused) { // a sentence with the file's name
			named = "(" + transcript.OneLine(err.Error()) + ")"
		}
		m.Text = strings.TrimLeft(m.Text+"\n\n"+named, "\n")
	}
	m.Text = transcript.WithLinks(m.Text, links...)
}

// recordID returns a message's ID in the record, which is its block's too.
func recordID(message string) string {
	sum := sha256.Sum256([]byte(message))
	return hex.EncodeToString(sum[:6])
}

// blockID returns the record's ID of a block's message: the blocks of thoughts and calls before
// the message have numbers behind it.
func blockID(b transcript.Block) string {
	id, _, _ := strings.Cut(b.ID, "-")
	return id
}

// tree writes the messages of a tree one behind the other, as a transcript holds branches: where
// a message doesn't follow the last one, a Note says where its branch begins.
type tree struct {
	line    []transcript.Block // the branch as it stands
	at      map[string]int     // where the line ended behind a message, by its block
	shown   map[string]string  // of a message: itself, or the one before it that shows something
	parents map[string]string  // of a message: the one before it that shows something
	users   map[string]string  // of a message: the block of the question it belongs to

	// Of a session that exists.
	all      []transcript.Block
	there    map[string]string // a block of each message that is no Note
	imported map[string]bool   // the blocks of messages that were imported
	base     int               // where the line ends behind those of which it isn't known which is which
}

func newTree(all []transcript.Block) *tree {
	t := &tree{at: map[string]int{}, shown: map[string]string{}, parents: map[string]string{}, users: map[string]string{}, there: map[string]string{}, imported: map[string]bool{}}
	if len(all) > 0 {
		t.follow(all...)
	}
	return t
}

// follow adds blocks of a session that exists, and finds its current branch.
func (t *tree) follow(blocks ...transcript.Block) {
	t.all = append(t.all, blocks...)
	t.line = (&transcript.Transcript{Blocks: t.all}).Branch()
	for _, b := range blocks {
		if b.Kind != transcript.KindNote {
			t.there[blockID(b)] = b.ID
		}
	}
	for n, b := range t.line {
		t.at[blockID(b)] = n + 1
	}
}

// link records a message's place in the tree.
func (t *tree) link(m transfer.Message) {
	t.parents[m.ID] = t.shown[m.Parent]
	t.shown[m.ID] = t.shown[m.Parent]
	t.users[m.ID] = t.users[m.Parent]
	if m.Shows() {
		t.shown[m.ID] = m.ID
	}
	if m.Kind == transcript.KindUser {
		t.users[m.ID] = recordID(m.ID)
	}
}

// end returns where the line ends behind the message before m. If that stands on another branch,
// a Note returns to it.
func (t *tree) end(m transfer.Message) (end int, notes []transcript.Block) {
	for p := t.parents[m.ID]; p != ""; p = t.parents[p] {
		id := recordID(p)
		for range 2 {
			if n := t.at[id]; n > 0 && n <= len(t.line) && blockID(t.line[n-1]) == id {
				return n, notes
			}
			if t.there[id] == "" { // it was deleted here
				break
			}
			note := transcript.Block{ID: transcript.RandomID(8), Kind: transcript.KindNote, Note: transcript.NoteVersion, Time: m.Time.Local(), Text: t.there[id]}
			notes = append(notes, note)
			t.follow(note)
		}
	}
	return t.base, notes
}

// write returns the blocks of a message, behind the Note that begins its branch if it needs one.
func (t *tree) write(m transfer.Message) []transcript.Block {
	end, blocks := t.end(m)
	if at := slices.IndexFunc(t.line[end:], func(b transcript.Block) bool { return b.Kind != transcript.KindNote }); at >= 0 {
		blocks = append(blocks, transcript.Block{ID: transcript.RandomID(8), Kind: transcript.KindNote, Note: transcript.NoteRewind, Time: m.Time.Local(), Text: t.line[end+at].ID})
		if len(t.all) > 0 {
			t.all = append(t.all, blocks[len(blocks)-1])
		}
		t.line = t.line[:end]
	}
	id := recordID(m.ID)
	said := slices.Clone(m.Work)
	for n := range said {
		said[n].ID = fmt.Sprintf("%s-%d", id, n+1)
	}
	if m.Text != "" {
		b := transcript.Block{ID: id, Kind: m.Kind, Text: m.Text}
		if m.Kind == transcript.KindAssistant {
			b.Model = m.Model
		}
		said = append(said, b)
	}
	for _, b := range said {
		if b.Time = m.Time.Local(); b.Kind != transcript.KindUser {
			b.Parent = t.users[m.ID]
		}
		b = b.WithSources(transcript.FromFile)
		blocks, t.line = append(blocks, b), append(t.line, b)
		if len(t.all) > 0 {
			t.all = append(t.all, b)
		}
	}
	t.at[id] = len(t.line)
	return blocks
}

// lastMessage returns the last message of the branch.
func (t *tree) lastMessage() transcript.Block {
	for _, b := range slices.Backward(t.line) {
		if b.IsMessage() {
			return b
		}
	}
	return transcript.Block{}
}

// add adds the counts of one conversation.
func (g *Imported) add(o Imported) {
	g.Conversations += o.Conversations
	g.Continued += o.Continued
	g.Messages += o.Messages
	for what, n := range o.LeftOut {
		if g.LeftOut == nil {
			g.LeftOut = map[transfer.Left]int{}
		}
		g.LeftOut[what] += n
	}
	if g.From.IsZero() || !o.From.IsZero() && o.From.Before(g.From) {
		g.From = o.From
	}
	if o.To.After(g.To) {
		g.To = o.To
	}
}
