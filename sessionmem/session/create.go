package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// NewSession is a session that Create writes.
type NewSession struct {
	Name   string
	Blocks []transcript.Block // at least one
}

// createAtOnce is how many files Create writes at the same time: a disk confirms several in one
// go.
const createAtOnce = 8

// Create writes the transcripts of sessions that don't exist yet, each whole or not at all. When
// it returns, they are safe on disk. The caller has looked at the folder once, so that the cost
// of a session doesn't grow with the number of others. What was forgotten is left out, whenever
// the blocks were made. It returns an error for each session, nil for those that are written.
func (f *Folder) Create(ctx context.Context, sessions []NewSession) []error {
	errs := make([]error, len(sessions))
	next := make(chan int)
	var work sync.WaitGroup
	for range min(createAtOnce, len(sessions)) {
		work.Go(func() {
			for i := range next {
				if errs[i] = f.create(ctx, sessions[i]); errs[i] != nil {
					errs[i] = fmt.Errorf("writing to %s: %w", sessions[i].Name, errs[i])
				}
			}
		})
	}
	for i := range sessions {
		next <- i
	}
	close(next)
	work.Wait()
	if f.dir != nil {
		f.dir.Sync("")
	}
	return errs
}

func (f *Folder) create(ctx context.Context, s NewSession) error {
	if err := errors.Join(ctx.Err(), transcript.CheckName(s.Name), f.dir.Check()); err != nil {
		return err
	}
	if f.dir == nil {
		_, err := f.Session(s.Name).Append(ctx, s.Blocks...)
		return err
	}
	now := time.Now()
	blocks := make([]transcript.Block, len(s.Blocks))
	for i, b := range s.Blocks {
		if b.ID == "" {
			b.ID = transcript.RandomID(8)
		}
		if b.Time.IsZero() {
			b.Time = now
		}
		blocks[i] = b.Normalized()
	}
	f.clean(s.Name, blocks)
	for {
		file, err := f.createFile(s.Name, blocks)
		// A forgetting records what it removes, then looks through the folder. If it looked before
		// this file was there, its record is there now.
		if err != nil || !f.clean(s.Name, blocks) {
			return err
		}
		switch err := f.dir.Remove(file); {
		case errors.Is(err, fs.ErrNotExist):
			return nil // the forgetting was here, and gave it another name
		case err != nil:
			return wholefile.Explain("writing "+file, err)
		}
	}
}

// clean removes from blocks what was forgotten. It reports whether there was any.
func (f *Folder) clean(name string, blocks []transcript.Block) (any bool) {
	traces := f.forgotten.Traces()
	for i, b := range blocks {
		changed := false
		blocks[i], _, changed = traces.Clean(name, b)
		any = any || changed
	}
	return any
}

// createFile writes the transcript of a new session.
func (f *Folder) createFile(name string, blocks []transcript.Block) (file string, err error) {
	file, info := newFile(name, blocks)
	data := []byte(transcript.Fence + "\n" + transcript.FrontMatter(info) + transcript.Fence + "\n")
	for _, b := range blocks {
		data = transcript.AppendBlock(data, b)
	}
	out, err := f.dir.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return file, wholefile.Explain("opening "+file, err)
	}
	if _, err = out.Write(data); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return file, wholefile.Explain("writing "+file, errors.Join(err, f.dir.Remove(file)))
	}
	return file, nil
}
