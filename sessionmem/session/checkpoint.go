package session

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// checkpointEvery is the shortest time between two writes of a streaming answer.
const checkpointEvery = 2 * time.Second

// slowAppend is how long appending an answer may take before the answer is checkpointed.
const slowAppend = checkpointEvery / 4

// commitSuffix ends the name of a checkpoint while its block is being appended. The stamp of the
// session's newest file stands before it.
const commitSuffix = ".commit" + transcript.FileSuffix

// Checkpoint is the unfinished text of a streaming answer.
type Checkpoint struct {
	ses  *Session
	name string // below the session folder, unless its block is being appended; "" for an in-memory session
	file string // its name now

	writing sync.Mutex // held while the file is written; taken before mu
	written bool       // the file exists; guarded by writing

	mu     sync.Mutex       // guards the fields below; held for a few instructions, so that a slow disk never delays the stream
	block  transcript.Block // its ID never changes
	text   string           // newest
	dirty  bool             // text is newer than the file
	last   time.Time
	timer  *time.Timer
	closed bool
}

// Checkpoint opens a checkpoint for the block that a streaming answer becomes. SetText may be
// called for every token; the file in .partial/ is written at most every two seconds. The
// caller holds the turn lock.
func (s *Session) Checkpoint(ctx context.Context, b transcript.Block) *Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Checkpoint{ses: s, block: s.complete(b, time.Now()), text: b.Text}
	if !s.private.Load() && transcript.CheckName(s.name) == nil && ctx.Err() == nil {
		c.name = transcript.PartialDir + "/" + s.name + "." + fileID(c.block.ID) + transcript.FileSuffix
		c.file = c.name
	}
	return c
}

// fileID returns an ID that can be part of a file name.
func fileID(id string) string {
	if len(id) <= 40 && id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}) {
		return id
	}
	return transcript.DeriveID("", id)
}

// ID returns the ID of the block, also before it is appended.
func (c *Checkpoint) ID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.block.ID
}

// SetText replaces the text so far. It is cheap: it writes at most every 2 s, in a
// goroutine.
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
		c.ses.logger.Warn("a streaming answer could not be checkpointed: a crash now would lose it", "session", c.ses.name, "err", err)
	}
}

// newest returns the block with the newest text, for writing. The caller holds mu.
func (c *Checkpoint) newest() transcript.Block {
	c.last, c.dirty = time.Now(), false
	b := c.block
	b.Text = c.text
	return b
}

// write replaces the file. The caller holds writing.
func (c *Checkpoint) write(b transcript.Block) error {
	c.ses.mu.Lock()
	b = c.ses.guard(b, false)
	c.ses.mu.Unlock()
	var buf bytes.Buffer
	t := &transcript.Transcript{Info: transcript.Info{Name: c.ses.name, Started: b.Time}, Blocks: []transcript.Block{b}}
	if err := transcript.Write(&buf, t); err != nil {
		return err
	}
	if err := c.ses.dir.WriteAtomic(c.file, buf.Bytes(), true); err != nil {
		return wholefile.Explain("writing a checkpoint", err)
	}
	c.written = true
	return nil
}

// Commit appends b (with the checkpoint's ID) to the transcript and removes the
// checkpoint. After an error the checkpoint holds b's text, and Commit may be
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
	out, err := c.ses.Append(ctx, b)
	c.writing.Lock()
	defer c.writing.Unlock()
	c.stop()
	if err == nil && (recovery{c.ses}).isUnsaved(b.ID) {
		c.mark(false)
		return out[0], nil // until it is on disk, the checkpoint holds as much as it can
	}
	if err == nil {
		c.remove()
		return out[0], nil
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

// lastText is SetText for the complete text. It is checkpointed only if the append takes a
// while: another program may be saving the transcript.
func (c *Checkpoint) lastText(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.dirty = text, true
	if c.closed || c.file == "" || c.timer != nil {
		return
	}
	c.timer = time.AfterFunc(max(slowAppend, checkpointEvery-time.Since(c.last)), c.flush)
}

// mark renames the checkpoint to say whether its block is being appended: then the block may be
// in the transcript. The caller holds writing.
func (c *Checkpoint) mark(appending bool) {
	if !c.written || appending == (c.file != c.name) {
		return
	}
	to := c.name
	if appending {
		to = strings.TrimSuffix(to, transcript.FileSuffix) + "." + c.ses.stamp() + commitSuffix
	}
	err := c.ses.dir.Check() // nothing will be appended in a folder that was moved away
	if err == nil {
		err = c.ses.dir.Rename(c.file, to)
	}
	if err != nil {
		c.ses.logger.Debug("a checkpoint has not the name it should have", "session", c.ses.name, "err", err)
		return
	}
	c.file = to
}

// stamp identifies the content of the session's newest file by its size in bytes and the
// time of its last change in nanoseconds; "" if there is no file.
func (s *Session) stamp() string {
	s.mu.Lock()
	file := s.file
	s.mu.Unlock()
	if file == "" {
		return ""
	}
	fi, err := s.dir.Stat(file)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(fi.Size(), 10) + "-" + strconv.FormatInt(fi.ModTime().UnixNano(), 10)
}

// Discard removes the checkpoint without appending anything.
func (c *Checkpoint) Discard() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.stop()
	c.remove()
}

// stop prevents further writes.
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
	if err := c.ses.dir.RemoveIfThere(c.file); err != nil {
		c.ses.logger.Warn("a checkpoint stays; its block's id keeps it from being appended again", "session", c.ses.name, "err", err)
	}
}
