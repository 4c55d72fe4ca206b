package forget

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// Server is a memory server, which holds texts of a person's machines.
type Server interface {
	// Name returns the name that people know it by.
	Name() string
	// Sweep removes the texts of all machines that were forgotten, and notes what it removed, so
	// that no machine stores it there again and its own machine learns of it. record identifies the
	// forgettings: what was compared with the same ones before needn't be compared again. It returns
	// the names of the other machines.
	Sweep(ctx context.Context, record string, forgotten func(mine bool, session string, b transcript.Block) bool) (others []string, err error)
}

const (
	// serverWait is how long a forgetting waits for a server.
	serverWait = 5 * time.Second
	// copiedOnly says what another machine learns to forget: the ID of a text that it copied. Files,
	// drafts and private sessions stay there.
	copiedOnly = "when it is next online, in messages and memory copied to the server, not in files or drafts"
	// serverCopies names what no forgetting reaches.
	serverCopies = "its log, backups and replicas keep copies until its administrator removes them"
	// placeServer is a memory server as a place of a forgetting.
	placeServer = "server"
)

// servers returns the servers that a forgetting has to reach.
func (f *Forgetter) servers() (all []Server, closeAll func()) {
	if f.p.Servers == nil {
		return nil, func() {}
	}
	return f.p.Servers()
}

// namedServers returns the servers for a plan.
func (f *Forgetter) namedServers() (out []forgotten.Touched) {
	all, closeAll := f.servers()
	defer closeAll()
	for _, s := range all {
		out = append(out, forgotten.Touched{
			Place: placeServer, Action: forgotten.Removed, Path: s.Name(),
			Why: "from its tables; another machine forgets it " + copiedOnly + "; its log, backups and replicas keep copies",
		})
	}
	return out
}

// sweepAll removes what was forgotten from the servers. One that can't be reached is pending: the
// forgetting isn't over before it was reached.
func (f *Forgetter) sweepAll(ctx context.Context) (out []forgotten.Touched) {
	all, closeAll := f.servers()
	defer closeAll()
	for _, s := range all {
		touched := forgotten.Touched{Place: placeServer, Action: forgotten.Removed, Path: s.Name(), Why: serverCopies}
		ctx, stop := context.WithTimeout(ctx, serverWait)
		others, err := f.sweep(ctx, s)
		stop()
		switch {
		case err != nil:
			f.p.Logger.Warn("a memory server is not rid of what was forgotten yet", "error", err)
			touched.Action, touched.Why = forgotten.Pending, fmt.Sprintf("%v; mac-stats goes on trying, and `mac-stats memory status` tells when it worked", err)
		case len(others) > 0:
			touched.Why = strings.Join(others, ", ") + " forgets it " + copiedOnly + "; " + serverCopies
		}
		out = append(out, touched)
	}
	return out
}

func (f *Forgetter) sweep(ctx context.Context, s Server) (others []string, err error) {
	record := f.forgotten.Generation()
	if record == "" { // at most what other machines forgot
		return nil, nil
	}
	return s.Sweep(ctx, record, func(mine bool, session string, b transcript.Block) bool {
		if mine && session != "" {
			return f.forgotten.HasBlock(session, b)
		}
		return f.forgotten.HasElsewhere(session, b)
	})
}

// Sweep removes what was forgotten here from what other machines stored on a server since the last time.
// Call it before anything is stored there.
func (f *Forgetter) Sweep(ctx context.Context, s Server) error {
	_, err := f.sweep(ctx, s)
	return err
}

// Adopt forgets chunks of this machine that another machine forgot. Of a memory the whole piece goes
// that a chunk is, or is a part of: which of its words were meant only the other machine knows.
func (f *Forgetter) Adopt(ctx context.Context, chunks []corpus.Chunk) (Report, error) {
	unlock, err := f.forgotten.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	t, err := f.forgotten.Elsewhere()
	if err != nil {
		return Report{}, err
	}
	known := f.forgotten.Traces()
	pieces := map[string][]memorytext.Piece{}
	for _, c := range chunks {
		switch {
		case c.Session != "" && !known.MatchesBlock(c.Session, c.Block):
			t.AddBlock(c.Session, c.Block)
		case c.Session == "":
			if pieces[c.Path] == nil {
				data, _, err := wholefile.ReadText(filepath.Join(f.p.Root, filepath.FromSlash(c.Path)))
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return Report{}, err
				}
				pieces[c.Path] = memorytext.Pieces(memorytext.Normalize(data))
			}
			for _, p := range pieces[c.Path] {
				if slices.Contains(corpus.Parts(p.Text), c.Text) && !known.IsChosen(p.Text) {
					t.AddLine(p.Text)
				}
			}
		}
	}
	if t.Empty() {
		return Report{}, nil
	}
	p := &Plan{draft: t}
	if _, err := f.look(ctx, p); err != nil {
		return Report{}, err
	}
	if err := f.forgotten.Begin(t); err != nil {
		return Report{}, err
	}
	return f.finish(ctx, t.Traces, p.sessions, p.began)
}
