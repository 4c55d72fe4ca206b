package sessionmem

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// checkpointEvery is how often a streaming answer is written at most.
const checkpointEvery = 2 * time.Second

// slowAppend is how long the append of an answer may take before the answer is checkpointed.
const slowAppend = checkpointEvery / 4

// commitSuffix is the end of the name of a checkpoint while its block is being appended.
const commitSuffix = ".commit" + transcript.FileSuffix

// Checkpoint is the unfinished text of a streaming answer.
type Checkpoint struct {
	store *Store
	ses   *session
	file  string // name below the session folder; "" for an in-memory session

	writing sync.Mutex // held while the file is written; taken before mu
	written bool       // the file exists; guarded by writing

	mu     sync.Mutex       // guards what follows; held for a few instructions, so that a slow disk never holds up the stream
	block  transcript.Block // its ID never changes
	text   string           // newest
	dirty  bool             // text is newer than the file
	last   time.Time
	timer  *time.Timer
	closed bool
}

// Checkpoint opens a streaming checkpoint for the block an answer is going to be:
// SetText may be called for every token, the file in .partial/ is written at most
// every two seconds. The turn lock must be held.
func (s *Store) Checkpoint(ctx context.Context, name string, b transcript.Block) *Checkpoint {
	ses := s.session(name)
	ses.mu.Lock()
	defer ses.mu.Unlock()
	c := &Checkpoint{store: s, ses: ses, block: ses.complete(b, time.Now()), text: b.Text}
	if !ses.private.Load() && transcript.CheckName(name) == nil && ctx.Err() == nil {
		c.file = transcript.PartialDir + "/" + name + "." + fileID(c.block.ID) + transcript.FileSuffix
	}
	return c
}

// fileID makes an id one that can stand in a file name.
func fileID(id string) string {
	if len(id) <= 40 && id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}) {
		return id
	}
	return transcript.DeriveID("", id)
}

// ID is the id that the block has, or is going to have.
func (c *Checkpoint) ID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.block.ID
}

// SetText replaces the text so far; cheap, it writes at most every 2 s, and on a
// goroutine of its own.
func (c *Checkpoint) SetText(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.dirty = text, true
	if c.closed || c.file == "" || c.timer != nil {
		return
	}
	c.timer = time.AfterFunc(max(0, checkpointEvery-time.Since(c.last)), c.flush)
}

// flush writes the newest text.
func (c *Checkpoint) flush() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	c.timer = nil
	wanted := c.dirty && !c.closed
	b := c.newest()
	c.mu.Unlock()
	if !wanted {
		return
	}
	if err := c.write(b); err != nil {
		c.store.logger.Warn("a streaming answer could not be checkpointed: a crash now would lose it", "session", c.ses.name, "err", err)
	}
}

// newest is the block as it is to be written now. The caller holds mu.
func (c *Checkpoint) newest() transcript.Block {
	c.last, c.dirty = time.Now(), false
	b := c.block
	b.Text = c.text
	return b
}

// write replaces the file. The caller holds writing.
func (c *Checkpoint) write(b transcript.Block) error {
	c.ses.mu.Lock()
	b = c.store.guard(c.ses, b, false)
	c.ses.mu.Unlock()
	var buf bytes.Buffer
	t := &transcript.Transcript{Info: transcript.Info{Name: c.ses.name, Started: b.Time}, Blocks: []transcript.Block{b}}
	if err := transcript.Write(&buf, t); err != nil {
		return err
	}
	if err := c.store.root.WriteAtomic(c.file, buf.Bytes(), true); err != nil {
		return wholefile.Explain("writing a checkpoint", err)
	}
	c.written = true
	return nil
}

// Commit appends b (with the checkpoint's ID) to the transcript and removes the
// checkpoint. After an error the checkpoint holds b's text and Commit may be
// called again.
func (c *Checkpoint) Commit(ctx context.Context, b transcript.Block) (transcript.Block, error) {
	b.ID = c.ID()
	if b.Time.IsZero() {
		b.Time = c.block.Time
	}
	c.lastText(b.Text)
	c.writing.Lock()
	c.mark(true)
	c.writing.Unlock()
	out, err := c.store.Append(ctx, c.ses.name, b)
	c.writing.Lock()
	defer c.writing.Unlock()
	c.stop()
	if err == nil && c.store.isUnsaved(c.ses, b.ID) {
		c.mark(false)
		return out, nil // until it is on disk, the checkpoint holds what it can
	}
	if err == nil {
		c.remove()
		return out, nil
	}
	c.mu.Lock()
	c.block, c.text = b.Normalized(), b.Text
	b = c.newest()
	c.mu.Unlock()
	if c.file != "" {
		c.mark(false)
		if werr := c.write(b); werr != nil {
			err = errors.Join(err, werr)
		}
	}
	return transcript.Block{}, err
}

// lastText is SetText for the whole text, which is checkpointed where it takes a while to
// append it: another program may be saving the transcript.
func (c *Checkpoint) lastText(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.dirty = text, true
	if c.closed || c.file == "" || c.timer != nil {
		return
	}
	c.timer = time.AfterFunc(max(slowAppend, checkpointEvery-time.Since(c.last)), c.flush)
}

// mark says in the checkpoint's name whether its block is being appended: then it may be in
// the transcript. The caller holds writing.
func (c *Checkpoint) mark(appending bool) {
	to := strings.TrimSuffix(strings.TrimSuffix(c.file, commitSuffix), transcript.FileSuffix)
	if appending {
		to += commitSuffix
	} else {
		to += transcript.FileSuffix
	}
	if !c.written || to == c.file {
		return
	}
	err := c.store.root.Check() // in a folder that was moved away nothing is going to be appended
	if err == nil {
		err = c.store.root.Rename(c.file, to)
	}
	if err != nil {
		c.store.logger.Debug("a checkpoint has not the name it should have", "session", c.ses.name, "err", err)
		return
	}
	c.file = to
}

// Discard removes the checkpoint without appending anything.
func (c *Checkpoint) Discard() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.stop()
	c.remove()
}

// stop ends the writing of what comes.
func (c *Checkpoint) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// remove removes the file. The caller holds writing.
func (c *Checkpoint) remove() {
	if !c.written {
		return
	}
	c.written = false
	if err := c.store.root.Remove(c.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.store.logger.Warn("a checkpoint stays; its block's id keeps it from being appended again", "session", c.ses.name, "err", err)
	}
}

// recover appends the checkpoints that a holder which died left behind. The
// caller holds the turn. A checkpoint whose block is in the transcript (the
// holder died after appending it) is only removed. One whose holder died while it
// appended the block, which is not there, may have been in the transcript until the user
// took it out: it goes to the journal, and the user decides.
func (s *Store) recover(ctx context.Context, ses *session) error {
	files, err := s.partials(ses.name)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.recoverOne(ctx, ses, file); err != nil {
			return err
		}
	}
	return nil
}

// partialFiles gives the names of all files in .partial/.
func (s *Store) partialFiles() ([]string, error) {
	if err := s.root.Check(); err != nil {
		return nil, err
	}
	d, err := s.root.Open(transcript.PartialDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wholefile.Explain("reading checkpoints", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, wholefile.Explain("reading checkpoints", err)
	}
	return names, nil
}

// partials gives a session's checkpoints, and removes half-written ones.
func (s *Store) partials(name string) ([]string, error) {
	names, err := s.partialFiles()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, name+"."):
		case strings.HasSuffix(n, transcript.FileSuffix):
			files = append(files, transcript.PartialDir+"/"+n)
		default: // a process died while it wrote this one; the one before is whole
			if err := s.root.Remove(transcript.PartialDir + "/" + n); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, wholefile.Explain("removing a half checkpoint", err)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

func (s *Store) recoverOne(ctx context.Context, ses *session, file string) error {
	data, err := s.root.ReadFile(file)
	if err != nil {
		return wholefile.Explain("reading a checkpoint", err)
	}
	t, err := transcript.Parse(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, b := range t.Blocks {
		if b.Text == "" {
			continue
		}
		if s.isUnsaved(ses, b.ID) {
			return nil // this process still holds all of it
		}
		there, err := s.hasBlock(ctx, ses, b.ID)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if strings.HasSuffix(file, commitSuffix) {
			if err := s.journalAlone(ctx, ses, b); err != nil {
				return err
			}
			continue
		}
		if _, err := s.appendIf(ctx, ses.name, nil, b, interruption(b)); err != nil {
			return err
		}
		s.logger.Info("an interrupted answer was put into its transcript", "session", ses.name, "block", b.ID)
	}
	if err := s.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wholefile.Explain("removing a checkpoint", err)
	}
	return nil
}

// isUnsaved says whether this process holds the block, which waits for the disk.
func (s *Store) isUnsaved(ses *session, id string) bool {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.waits(id)
}

// interruption is the Note that marks b as cut off.
func interruption(b transcript.Block) transcript.Block {
	parent := b.Parent
	if parent == "" {
		parent = b.ID
	}
	return transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteInterrupted, Parent: parent, Attrs: map[string]string{"block": b.ID}}
}

// hasBlock says whether the session's transcript holds a block of this id, or held it
// before the user took it out.
func (s *Store) hasBlock(ctx context.Context, ses *session, id string) (bool, error) {
	unlock, err := s.lock(ctx, ses, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := s.refresh(ses); err != nil {
		return false, err
	}
	return s.acknowledged(ses, id)
}
