package session

import (
	"context"
	"errors"
	"fmt"
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
	traces, now := f.forgotten.Traces(), time.Now()
	blocks := make([]transcript.Block, len(s.Blocks))
	for i, b := range s.Blocks {
		if b.ID == "" {
			b.ID = transcript.RandomID(8)
		}
		if b.Time.IsZero() {
			b.Time = now
		}
		blocks[i], _, _ = traces.Clean(s.Name, b.Normalized())
	}
	file, info := newFile(s.Name, blocks)
	data := []byte(transcript.Fence + "\n" + transcript.FrontMatter(info) + transcript.Fence + "\n")
	for _, b := range blocks {
		data = transcript.AppendBlock(data, b)
	}
	out, err := f.dir.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return wholefile.Explain("opening "+file, err)
	}
	if _, err = out.Write(data); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return wholefile.Explain("writing "+file, errors.Join(err, f.dir.Remove(file)))
	}
	return nil
}
