package sessionmem

import (
	"bytes"
	"context"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// EachForgettable gives every block of the sessions' files as a forgetting finds
// them: archive, trash, copies and checkpoints too, a block as often as it stands
// there; of a journal what stands nowhere else. What can't be read is left out: Forget
// tells of it.
// sessions are those to look at, nil is all.
func (s *Store) EachForgettable(ctx context.Context, sessions map[string]bool, each func(session, path string, b transcript.Block)) error {
	for _, ses := range s.all() {
		if ses.private.Load() && (sessions == nil || sessions[ses.name]) {
			ses.mu.Lock()
			blocks := slices.Clone(ses.mem)
			ses.mu.Unlock()
			for _, b := range blocks {
				each(ses.name, "", b)
			}
		}
	}
	if s.root == nil {
		return nil
	}
	all, err := s.forgettable(ForgetOptions{Sessions: sessions})
	if err != nil {
		return wholefile.Explain("looking for what is to be forgotten", err)
	}
	for _, ses := range all {
		told := map[string]bool{} // ids
		for _, group := range ses.groups {
			seen := transcript.NewCollector()
			for _, e := range group {
				if err := ctx.Err(); err != nil {
					return err
				}
				data, err := s.readRegular(e.file)
				if err != nil {
					continue
				}
				data, _ = wholefile.Decode(data)
				from := len(seen.T.Blocks)
				if seen.Read(bytes.NewReader(data)) != nil {
					continue // from memory: does not fail
				}
				path := filepath.Join(s.dir, filepath.FromSlash(e.file))
				for _, b := range seen.T.Blocks[from:] {
					if isJournal(e.file) && (told[b.ID] || b.Note == noteRemoved) {
						continue
					}
					told[b.ID] = true
					each(ses.name, path, b)
				}
			}
		}
	}
	return nil
}

// TitlesOf gives the titles in the front matter of a session's files.
func (s *Store) TitlesOf(name string) []string {
	if s.root == nil {
		return nil
	}
	files, _ := s.filesOf(name) // what can't be listed is told of by Forget
	var titles []string
	for _, e := range files {
		data, err := s.readRegular(e.file)
		if err != nil {
			continue
		}
		front, _ := transcript.CutFrontMatter(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if title := transcript.FrontValue(front, "title"); title != "" && title != ForgottenText {
			titles = append(titles, title)
		}
	}
	return titles
}

// MeansTyped says whether words are meant that the user typed elsewhere, too.
func (t *Traces) MeansTyped() bool { return t.own().Typed }

// MeansSession says whether all that was said in a session is meant.
func (t *Traces) MeansSession(name string) bool {
	return slices.ContainsFunc(t.at, func(g *forgetting) bool { return t.marked(g, traceSession, name) })
}

// MeansTime says whether a span of time is meant that the day from that time on lies in.
func (t *Traces) MeansTime(day time.Time) bool {
	return !day.IsZero() && slices.ContainsFunc(t.spans, func(g *forgetting) bool {
		return day.Before(g.Until) && day.AddDate(0, 0, 1).After(g.Since)
	})
}

// Common are sentences that stand in several sessions: what models always say.
type Common struct {
	t     *Traces
	loose map[[sha256.Size / 2]byte]map[string]bool // of windows that may be left out: the sessions that hold them
}

// commonFrom is in how many other sessions a sentence of a model stands that is
// nobody's in particular.
const commonFrom = 3

// AddTold adds the sentences of a model's text; those that Common finds elsewhere,
// too, are left out again by DropCommon.
func (t *Traces) AddTold(text string, c *Common) {
	if c.t == nil {
		c.t, c.loose = t, map[[sha256.Size / 2]byte]map[string]bool{}
	}
	before := len(t.lines)
	t.AddSentences(text, false)
	for _, l := range t.lines[before:] {
		c.loose[[sha256.Size / 2]byte(l.Sum)] = map[string]bool{}
	}
}

// Empty reports whether there is nothing to count.
func (c *Common) Empty() bool { return len(c.loose) == 0 }

// Count looks at a text of another session.
func (c *Common) Count(session, text string) {
	if c.t == nil || len(c.loose) == 0 {
		return
	}
	for _, w := range c.t.f().read([]byte(text)).all() {
		c.count(session, w)
	}
}

func (c *Common) count(session string, w wordText) {
	for n, set := range c.t.texts {
		r := newRolling(n)
		for i := range w.at {
			tag, full := r.push(w.at[i].hash)
			if !full || set.tags[tag/64]&(1<<(tag%64)) == 0 {
				continue
			}
			sum := [sha256.Size / 2]byte(c.t.own().sum(traceText, string(w.window(i-n+1, n))))
			if in := c.loose[sum]; in != nil {
				in[session] = true
			}
		}
	}
}

// DropCommon leaves out what stands in several sessions, and says how many that are.
func (t *Traces) DropCommon(c *Common) (dropped int) {
	if c.t == nil {
		return 0
	}
	common := func(sum []byte) bool {
		return len(sum) == sha256.Size/2 && len(c.loose[[sha256.Size / 2]byte(sum)]) >= commonFrom
	}
	before := len(t.lines)
	t.lines = slices.DeleteFunc(t.lines, func(l traceLine) bool { return l.Kind == traceText && common(l.Sum) })
	for _, set := range t.texts {
		for tag, list := range set.all {
			set.all[tag] = slices.DeleteFunc(list, func(s traceSum) bool { return common(s.sum[:]) })
		}
	}
	return before - len(t.lines)
}

// WordsOf gives the words of a text that say something, to compare texts by: folded,
// of four letters and more.
func (t *Traces) WordsOf(text string) map[string]bool {
	out := map[string]bool{}
	w := t.f().wordsOf([]byte(text), false)
	for _, a := range w.at {
		if word := w.folded[a.start:a.end]; len(word) > 3 {
			out[string(word)] = true
		}
	}
	return out
}
