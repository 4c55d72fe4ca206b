package transcripts

import (
	"context"

	"mac-stats/sessionmem/transcript"
)

// Reader shows a session in a View. It reads the file off the UI goroutine.
type Reader struct {
	*View
	from transcript.Info // the session that is shown or being read
	ctx  context.Context
	do   func(func())
	load func(ctx context.Context, in transcript.Info) (*transcript.Transcript, error)
}

// NewReader returns a Reader that shows nothing yet. do runs a function on the UI goroutine;
// load reads a session off it.
func NewReader(ctx context.Context, act Actions, do func(func()), load func(ctx context.Context, in transcript.Info) (*transcript.Transcript, error)) *Reader {
	return &Reader{View: New(act), ctx: ctx, do: do, load: load}
}

// From returns the session that is shown or being read, or a zero Info if there is none.
func (r *Reader) From() transcript.Info { return r.from }

// Open shows a session at a block and marks a phrase. Both may be "".
func (r *Reader) Open(in transcript.Info, block, phrase string) {
	r.from = in
	r.read(func(t *transcript.Transcript) { r.Show(t, block, phrase) })
}

// Reread reads the session again, if there is one.
func (r *Reader) Reread() {
	if r.from.Name != "" {
		r.read(r.Refresh)
	}
}

// Find opens the find bar if there is a session.
func (r *Reader) Find() {
	if r.from.Name == "" {
		return
	}
	r.read(func(t *transcript.Transcript) {
		if r.Read == nil || r.Name != t.Info.Name {
			r.Show(t, "", "")
		}
		r.openFind()
	})
}

// Empty shows that there is no session to read.
func (r *Reader) Empty() {
	r.from = transcript.Info{}
	r.None()
}

func (r *Reader) read(then func(*transcript.Transcript)) {
	in := r.from
	if in.Err != nil {
		r.Fail(in, in.Err.Error())
		return
	}
	go func() {
		t, err := r.load(r.ctx, in)
		r.do(func() {
			switch {
			case r.from.Name != in.Name || r.from.Path != in.Path: // the user has opened another one
			case err != nil:
				r.Fail(in, err.Error())
			default:
				then(t)
			}
		})
	}()
}
