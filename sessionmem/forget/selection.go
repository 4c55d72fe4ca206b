package forget

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// ErrSelection means that it isn't clear what to forget. The error's text says why.
var ErrSelection = errors.New("not clear what to forget")

const (
	// minText is the minimum number of letters of a text that is forgotten wherever it
	// occurs.
	minText = 3
	// mostShort is the maximum number of messages in which a text may occur that is found
	// only as a whole word (textfold.Phrase.Whole). A text in more of them is a common
	// word.
	mostShort = 50
)

// Selection selects what to forget: one of Chunk, Session, Text, Author, or a span of time.
type Selection struct {
	Chunk   string // "<session>/<block id>/<part>", or "<session>/<block id>"; "memory/<path>/<hash>"
	Session string // the full name
	Text    string // words, wherever they occur together; case and diacritics make no difference
	Author  string // the author on Discord, as in a block's attribute author; the owner's own text doesn't go because it says the same

	Since, Until time.Time // what was said from Since until before Until; zero for no limit

	Copies  bool // with Chunk, Session, Author or a span: also the same sentences that you typed elsewhere
	Lessons bool // also remove what was learned from it, instead of proposing to

	Also []string // offers of a plan for the same selection that go too: Touched.Offer
}

// Check returns an ErrSelection if something is missing.
func (s Selection) Check() error {
	given := 0
	for _, v := range []bool{s.Chunk != "", s.Session != "", s.Text != "", s.Author != "", !s.Since.IsZero() || !s.Until.IsZero()} {
		if v {
			given++
		}
	}
	switch {
	case given != 1:
		return fmt.Errorf("%w: give exactly one of --chunk, --session, --text or --since", ErrSelection)
	case !s.Until.IsZero() && !s.Since.Before(s.Until):
		return fmt.Errorf("%w: it ends before it begins", ErrSelection)
	}
	return nil
}

// seed adds what the selection names to the traces; everything else is found from there.
func (f *Forgetter) seed(ctx context.Context, t *forgotten.Draft, s Selection) error {
	if err := f.seedAlso(ctx, t, s.Also); err != nil {
		return err
	}
	switch {
	case s.Text != "":
		if err := f.checkText(ctx, t, s.Text); err != nil {
			return err
		}
		t.AddWords(s.Text)
	case s.Session != "":
		t.AddSession(s.Session)
		return f.seedLatest(ctx, t, map[string]bool{s.Session: true}, func(session string, _ transcript.Block) bool { return session == s.Session })
	case s.Author != "":
		t.AddAuthor(s.Author)
		t.ForGuest()
		return f.seedLatest(ctx, t, nil, func(_ string, b transcript.Block) bool { return b.WrittenBy(s.Author) })
	case s.Chunk != "":
		return f.seedChunk(ctx, t, s.Chunk)
	default:
		t.AddSpan(s.Since, s.Until)
	}
	return nil
}

// checkText refuses a text that would remove more than anybody means by it.
func (f *Forgetter) checkText(ctx context.Context, t *forgotten.Draft, text string) error {
	phrase := t.Phrase(text)
	switch {
	case phrase.Empty():
		return fmt.Errorf("%w: %q holds no letter and no digit; give words", ErrSelection, text)
	case utf8.RuneCountInString(strings.ReplaceAll(phrase.String(), " ", "")) < minText && len(phrase.String()) < 6:
		return fmt.Errorf("%w: %q is too short to mean one thing only; give at least %d letters or digits, or the words beside it too", ErrSelection, text, minText)
	case phrase.String() == "forgotten":
		return fmt.Errorf("%w: that word stands where something was forgotten; give more words", ErrSelection)
	case !phrase.Whole():
		return nil
	}
	n := 0
	err := f.p.Store.EachForgettable(ctx, nil, func(_, _ string, b transcript.Block) {
		if t.Has(b.Text, phrase) {
			n++
		}
	})
	if err == nil && n > mostShort {
		err = fmt.Errorf("%w: %q stands in %d messages, so it is a common word; give the words beside it too", ErrSelection, text, n)
	}
	return err
}

// seedLatest adds existing blocks that match by their ID if their time doesn't prove that
// they are older: those in the second of the forgetting, or without a time.
func (f *Forgetter) seedLatest(ctx context.Context, t *forgotten.Draft, sessions map[string]bool, matches func(session string, b transcript.Block) bool) error {
	return f.p.Store.EachForgettable(ctx, sessions, func(session, _ string, b transcript.Block) {
		if (b.Time.IsZero() || !b.Time.Before(t.Own().At.Truncate(time.Second))) && matches(session, b) {
			t.AddBlock(session, b.ID)
		}
	})
}

// seedChunk adds a chunk: a short block as a whole, else the words of its part. It also
// adds a model's thoughts about that message, or before that answer, which repeat it in
// other words.
func (f *Forgetter) seedChunk(ctx context.Context, t *forgotten.Draft, id string) error {
	if file, ok := strings.CutPrefix(id, "memory/"); ok {
		return f.seedLine(ctx, t, id, file)
	}
	session, block, part, err := parseChunk(id)
	if err != nil {
		return err
	}
	asked := ""                       // the ID of the message that the block is, or answers
	thoughts := map[string][]string{} // IDs, by the message they are about
	var seedErr error
	err = f.p.Store.EachForgettable(ctx, map[string]bool{session: true}, func(name, _ string, b transcript.Block) {
		switch {
		case name != session:
			return
		case b.Kind == transcript.KindNote && b.Note == transcript.NoteThinking:
			thoughts[b.Parent] = append(thoughts[b.Parent], b.ID)
		}
		if b.ID != block {
			return
		}
		if asked = b.ID; b.Kind == transcript.KindAssistant && b.Parent != "" {
			asked = b.Parent
		}
		parts := corpus.Parts(b.Text)
		switch {
		case part < 0 || len(parts) < 2 && part == 0:
			t.AddBlock(session, block)
		case part >= len(parts):
			seedErr = fmt.Errorf("%w: %s has %d parts, numbered from 0", recall.ErrNoChunk, block, len(parts))
		default:
			t.AddPart(session, block, parts[part])
		}
	})
	switch {
	case err != nil:
		return err
	case asked == "":
		return fmt.Errorf("%w: %s; `mac-stats memory search --json` shows the ids", recall.ErrNoChunk, id)
	}
	for _, thought := range thoughts[asked] {
		t.AddBlock(session, thought)
	}
	return seedErr
}

// seedLine adds a line of a memory file.
func (f *Forgetter) seedLine(ctx context.Context, t *forgotten.Draft, id, file string) error {
	if f.p.Index == nil {
		return fmt.Errorf("%w: %s is a line of a memory; without the search index give its words instead", recall.ErrNoChunk, file)
	}
	c, err := f.p.Index.Chunk(ctx, id)
	if err != nil {
		return err
	}
	t.AddWords(c.Text)
	return nil
}

// parseChunk splits a chunk's ID; part is -1 if it names none.
func parseChunk(id string) (session, block string, part int, err error) {
	bad := fmt.Errorf("%w: %q is not a chunk ID; it looks like cpu-k3x9qa/7f3a/0", ErrSelection, id)
	fields := strings.Split(id, "/")
	if len(fields) < 2 || len(fields) > 3 || fields[0] == "" || fields[1] == "" {
		return "", "", 0, bad
	}
	part = -1
	if len(fields) == 3 {
		n, err := strconv.ParseUint(fields[2], 10, 16)
		if err != nil {
			return "", "", 0, bad
		}
		part = int(n)
	}
	return fields[0], fields[1], part, nil
}

// ParseTime parses a time as people write it: a date (its beginning, in local time), a date
// and a time, "today", "yesterday", or how long ago (90m, 24h, 7d, 2w).
func ParseTime(words string, now time.Time) (time.Time, error) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	words = strings.TrimSpace(words)
	switch strings.ToLower(words) {
	case "today":
		return day, nil
	case "yesterday":
		return day.AddDate(0, 0, -1), nil
	case "now":
		return now, nil
	}
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, time.RFC3339} {
		if t, err := time.ParseInLocation(form, words, now.Location()); err == nil {
			return t, nil
		}
	}
	if n := len(words) - 1; n > 0 {
		if number, err := strconv.ParseUint(words[:n], 10, 16); err == nil {
			switch words[n] {
			case 'd':
				return now.AddDate(0, 0, -int(number)), nil
			case 'w':
				return now.AddDate(0, 0, -7*int(number)), nil
			case 'h':
				return now.Add(-time.Duration(number) * time.Hour), nil
			case 'm':
				return now.Add(-time.Duration(number) * time.Minute), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%w: %q is no time; write a date (2026-11-21), \"2026-11-21 14:30\", yesterday, or how long ago: 90m, 24h, 7d", ErrSelection, words)
}
