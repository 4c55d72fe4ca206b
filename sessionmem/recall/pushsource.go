package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// serverSource returns a source as the server keeps it, without the texts of its passages;
// nil if the index has no source with this key.
func (u *uploader) serverSource(ctx context.Context, key string) (out *ServerSource, print string, err error) {
	err = u.file.Read(ctx, func(now *index.Snapshot) error {
		out = nil
		k := now.Source(key)
		if k == nil {
			return nil
		}
		out, print = &ServerSource{Name: k.Name}, printOf(k.Stamp)
		n := numbering{session: k.Session != ""}
		err := now.Each(ctx, k, func(at uint32, d *index.Passage) error {
			c, place := corpus.ChunkOf(d, &k.Source)
			out.Passages = append(out.Passages, ServerPassage{ServerPlace: n.next(now.Place(at), d.Part), Chunk: c, Length: d.Words, Marks: d.Marks, Mark: markOf(&c, d), place: place})
			return nil
		})
		setMessageFields(out.Passages)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, print, err
}

// numbering numbers the messages of each strand of a source.
type numbering struct {
	session bool
	strand  index.Strand
	message int
	behind  int // number in the strand after the last passage
}

// next returns the place of the next passage. Each position without a passage counts as a
// message that holds nothing to find.
func (n *numbering) next(at index.Place, part int) ServerPlace {
	if n.behind == 0 || at.Strand != n.strand {
		n.strand, n.message, n.behind = at.Strand, -1, 0
	}
	if !n.session {
		part = 0
	}
	first := at.Number - part // where its message begins
	if beyond := first - n.behind; beyond >= 0 {
		n.message += 1 + beyond
	} else if n.message < 0 {
		n.message = 0
	}
	n.behind = at.Number + 1
	return ServerPlace{Strand: uint8(at.Strand), Message: n.message, Part: part}
}

// setMessageFields fills in the fields of passages that depend on their whole message.
func setMessageFields(all []ServerPassage) {
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].Strand == all[i].Strand && all[end].Message == all[i].Message {
			end++
		}
		asks, parts := all[end-1].Marks&analysis.MarkQuestion != 0, end-i
		for ; i < end; i++ {
			p := &all[i]
			p.Parts, p.Asks = parts, asks
			p.Mark += fmt.Sprintf(" %d %t", p.Parts, asks)
		}
	}
}

// markOf returns a mark that changes whenever the stored passage would.
func markOf(c *corpus.Chunk, d *index.Passage) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %q %q %q %q %d %d %t %x %d", analysis.Version, c.ID, c.Path, c.Kind, c.Agent, c.Turn, d.Time.Unix(), c.Untrusted, d.Hash, d.Words)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// readForServer fills in the texts and search terms of passages. It leaves out those that
// were forgotten or can no longer be read.
func (u *uploader) readForServer(ctx context.Context, all []ServerPassage) ([]ServerPassage, error) {
	r := u.corpus.Texts()
	defer r.Close()
	a := u.analyzers.Get()
	defer u.analyzers.Put(a)
	out := all[:0]
	for i := range all {
		p := all[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := r.Read(ctx, p.Chunk, p.place)
		if err != nil {
			u.cfg.Logger.Debug("a passage can't be read for the memory server", "err", err)
			continue
		}
		if p.Text = text; u.corpus.IsForgotten(&p.Chunk) {
			continue
		}
		p.Sources = r.Sources
		for _, f := range a.Chunk(text, p.Time).Freqs {
			p.Terms = append(p.Terms, f.Term)
		}
		out = append(out, p)
	}
	return out, nil
}
