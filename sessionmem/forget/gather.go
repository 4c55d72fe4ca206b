package forget

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

const (
	// maxSearched is the maximum size of a file that is searched, in bytes.
	maxSearched = 512 << 20

	// similarTexts is the number of forgotten messages for which the index is asked for
	// texts that say the same in other words; similarFrom is the similarity that these
	// need.
	similarTexts = 3
	similarHits  = 10
	similarFrom  = 0.6
)

// gathered holds what is known about the matching blocks.
type gathered struct {
	words map[string]map[string]bool // by session: the words of the texts that go
	order map[string][]string        // by session: all block IDs
	gone  map[string]map[string]bool // by session: the IDs of blocks that go
	since map[string]time.Time       // by session: the time of the first block that goes
	typed []string                   // what the user wrote
	texts map[string]string          // by ID: the texts that go
	sets  []map[string]bool          // the words of single texts that go, of the first ones
}

// gather adds the content of the matching blocks: their sentences in all forms, the titles
// made from them, the Summaries that cover them, and what was learned from them.
func (f *Forgetter) gather(ctx context.Context, p *Plan) (*gathered, error) {
	g := &gathered{
		words: map[string]map[string]bool{}, order: map[string][]string{},
		gone: map[string]map[string]bool{}, since: map[string]time.Time{}, texts: map[string]string{},
	}
	t, common := p.draft, &forgotten.Common{}
	phrase := t.Phrase(p.Selection.Text)
	err := f.p.Store.EachForgettable(ctx, nil, func(session, _ string, b transcript.Block) {
		g.order[session] = append(g.order[session], b.ID)
		if !phrase.Empty() && addForms(t, b, phrase) {
			g.add(t, session, b)
		}
		if b.Text == forgotten.Text || !t.Selects(session, b) && !t.SelectsPart(session, b.ID) && !matchesElsewhere(t, session, b) {
			return
		}
		g.add(t, session, b)
		if t.Selects(session, b) && (!t.MatchesSession(session) || len(g.gone[session]) <= proofBlocks) {
			t.AddBlock(session, b.ID) // others may quote it by its ID
		}
		switch {
		case !t.Selects(session, b) || b.Kind == transcript.KindNote:
		case b.Kind == transcript.KindUser || b.Kind == transcript.KindText:
			t.AddSentences(transcript.WithoutAttachments(b.Text), true)
		default:
			t.AddModelText(b.Text, common)
		}
	})
	if err != nil {
		return nil, err
	}
	if !phrase.Empty() {
		f.addFormsOfFiles(t, phrase)
	}
	if phrase.Empty() || len(p.Selection.Also) > 0 {
		if err := f.gatherForks(ctx, t, g); err != nil {
			return nil, err
		}
	}
	if err := f.gatherDerived(ctx, t, g, common); err != nil {
		return nil, err
	}
	if !common.Empty() {
		err = f.p.Store.EachForgettable(ctx, nil, func(session, _ string, b transcript.Block) {
			if g.gone[session] == nil && b.Kind != transcript.KindTool {
				common.Count(session, b.Text)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	p.Common = t.DropCommon(common)
	for _, l := range f.p.Memory.Learned() {
		if (t.Own().Guest || !t.Holds(l.Text)) && (g.comesFrom(t, l) || f.isAbout(p.Selection.Author, l)) {
			t.AddLesson(l.Text)
		}
	}
	return g, nil
}

// proofBlocks is the number of blocks to name of a session that is forgotten as a whole.
// With these, another machine tells a copy of it from a session that only has its name.
const proofBlocks = 8

// matchesElsewhere reports whether the words that another machine forgot match in a block.
// Here they are in the phrase.
func matchesElsewhere(t *forgotten.Draft, session string, b transcript.Block) bool {
	if !t.Own().Elsewhere {
		return false
	}
	_, _, changed := t.Clean(session, b)
	return changed
}

// addForms adds the forms of a phrase in a block, and reports whether the block's text has
// it.
func addForms(t *forgotten.Draft, b transcript.Block, phrase textfold.Phrase) bool {
	for _, text := range []string{b.Task, b.Context} {
		t.AddPhrase(text, phrase)
	}
	for _, text := range b.Attrs {
		t.AddPhrase(text, phrase)
	}
	return t.AddPhrase(b.Text, phrase)
}

func (g *gathered) add(t *forgotten.Draft, session string, b transcript.Block) {
	if g.gone[session] == nil {
		g.gone[session], g.words[session] = map[string]bool{}, map[string]bool{}
	}
	g.gone[session][b.ID], g.texts[b.ID] = true, b.Text
	words := t.WordsOf(b.Text)
	for w := range words {
		g.words[session][w] = true
	}
	if len(g.sets) < maxSets {
		g.sets = append(g.sets, words)
	}
	if at := g.since[session]; at.IsZero() || b.Time.Before(at) {
		g.since[session] = b.Time
	}
	if b.Kind == transcript.KindUser {
		g.typed = append(g.typed, b.Text)
	}
}

// gatherForks adds the copies of blocks in forks: those with the same ID and text.
func (f *Forgetter) gatherForks(ctx context.Context, t *forgotten.Draft, g *gathered) error {
	if len(g.texts) == 0 {
		return nil
	}
	return f.p.Store.EachForgettable(ctx, nil, func(session, _ string, b transcript.Block) {
		text, found := g.texts[b.ID]
		if !found || g.gone[session][b.ID] || text != b.Text || b.Text == "" || b.Kind == transcript.KindNote {
			return
		}
		for name, ids := range g.gone { // copied completely, or in part
			if ids[b.ID] && name != session && t.Selects(name, b) {
				t.AddBlock(session, b.ID)
				g.add(t, session, b)
				return
			}
			if ids[b.ID] && t.SelectsPart(name, b.ID) {
				t.AddPart(session, b.ID, "")
				g.add(t, session, b)
				return
			}
		}
	})
}

// gatherDerived adds what was made from the matching blocks: Summaries and titles.
func (f *Forgetter) gatherDerived(ctx context.Context, t *forgotten.Draft, g *gathered, common *forgotten.Common) error {
	in := map[string]bool{}
	for name := range g.gone {
		in[name] = true
	}
	found, err := f.p.Store.Forget(ctx, t.Traces, sessionmem.ForgetOptions{Dry: true, Sessions: in})
	if err != nil {
		return err
	}
	derived := map[string]bool{}
	for _, touched := range found {
		switch {
		case touched.Place == "title" && touched.Block == "":
			for _, title := range f.p.Store.Catalog().Titles(touched.Session) {
				t.AddSentences(title, true)
			}
		case touched.Place == "title", touched.Place == string(transcript.KindSummary):
			derived[touched.Session+"/"+touched.Block] = true
		}
	}
	if len(derived) == 0 {
		return nil
	}
	return f.p.Store.EachForgettable(ctx, in, func(session, _ string, b transcript.Block) {
		switch {
		case !derived[session+"/"+b.ID] || b.Text == forgotten.Text:
		case b.Kind == transcript.KindSummary:
			t.AddModelText(b.Text, common)
		case b.By != "":
			t.AddSentences(b.Text, true)
		}
	})
}

// comesFrom reports whether a lesson or a proposal comes from matching text: from a session or
// a time that goes as a whole; else from the session since then, from those blocks or in
// the same words.
func (g *gathered) comesFrom(t *forgotten.Draft, l memory.Learned) bool {
	if l.Session == "" {
		return false
	}
	if t.MatchesSession(l.Session) || t.MatchesTime(l.Day) {
		return true
	}
	gone := g.gone[l.Session]
	if gone == nil || !l.Day.IsZero() && l.Day.AddDate(0, 0, 1).Before(g.since[l.Session]) {
		return false
	}
	if ids := g.order[l.Session]; l.From != "" {
		from, to := slices.Index(ids, l.From), slices.Index(ids, l.To)
		if from >= 0 && to >= from {
			return slices.ContainsFunc(ids[from:to+1], func(id string) bool { return gone[id] })
		}
	}
	words, same := t.WordsOf(l.Text), 0
	for w := range words {
		if g.words[l.Session][w] {
			same++
		}
	}
	return same >= 2 && 2*same >= len(words)
}

// isAbout reports whether a lesson was learned on Discord about a person there, and is in
// the file about them. The owner's own lines in it aren't lessons.
func (f *Forgetter) isAbout(author string, l memory.Learned) bool {
	return author != "" && strings.HasPrefix(l.Session, "discord-") &&
		l.Path == f.p.Memory.Path(memory.Target{Kind: memory.TargetPerson, ID: author})
}

// addFormsOfFiles adds the forms of a phrase in files other than transcripts.
func (f *Forgetter) addFormsOfFiles(t *forgotten.Draft, phrase textfold.Phrase) {
	for _, root := range []string{f.p.Root, f.p.CacheDir} {
		eachFile(root, func(path string, d fs.DirEntry) {
			if isIndex(d.Name()) || strings.HasPrefix(path, filepath.Join(f.p.Root, "session")) && strings.HasSuffix(path, ".md") {
				return
			}
			data, err := readSmall(path)
			if err == nil && t.AddPhraseRaw(wholefile.DecodeText(data), phrase) && t.Own().Typed && filepath.Dir(path) == filepath.Join(f.p.Root, "session", "files") {
				t.AddWords("files/" + d.Name()) // the links to an attached file that goes
			}
		})
	}
}

// readSmall reads a file that is no link, unless it is huge.
func readSmall(path string) ([]byte, error) {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSearched {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(path)
}

// eachFile visits the files below a folder, and skips those that can't be read.
func eachFile(root string, each func(path string, d fs.DirEntry)) {
	if root == "" {
		return
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			each(path, d)
		}
		return nil //nolint:nilerr // a folder that can't be read holds none of the app's files
	})
}

// similar asks the index for texts that say the same in other words.
func (f *Forgetter) similar(ctx context.Context, p *Plan, g *gathered) []forgotten.Touched {
	if f.p.Index == nil {
		return nil
	}
	texts := slices.Clone(g.typed)
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	if p.Selection.Text != "" {
		texts = append([]string{p.Selection.Text}, texts...)
	}
	listed := map[string]bool{}
	for _, t := range p.Found {
		listed[t.Session+"/"+t.Block] = true
		listed[t.Offer] = t.Offer != ""
		listed[t.Text] = true
	}
	var out []forgotten.Touched
	for _, text := range texts[:min(len(texts), similarTexts)] {
		hits, err := f.p.Index.Similar(ctx, text, similarHits)
		if err != nil {
			f.p.Logger.Debug("what says the same in other words is not looked for", "err", err)
			return out
		}
		for _, h := range hits {
			offer, why := h.Session+"/"+h.Block, "it may tell of the same in other words"
			if h.Kind == corpus.KindMemory {
				if p.draft.Holds(h.Text) || p.draft.IsLesson(h.Text) || p.draft.IsChosen(h.Text) {
					continue // it goes, or its removal is proposed
				}
				if offer = f.lineOf(h); offer == "" {
					why += "; forget it by its chunk, " + h.ID
				}
			}
			if h.Relevance < similarFrom || listed[offer] || listed[h.ID] || listed[h.Text] || p.draft.MatchesSession(h.Session) {
				continue
			}
			listed[offer], listed[h.ID] = offer != "", true
			out = append(out, forgotten.Touched{
				Place: string(h.Kind), Action: forgotten.Kept, Path: filepath.Join(f.p.Root, filepath.FromSlash(h.Path)), Session: h.Session,
				Block: h.Block, Time: h.Time, Text: short(h.Text), Why: why, Offer: offer,
			})
		}
	}
	return out
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return text
}
