package cpuwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/app/i18n"
)

// What was written and not sent is kept over a restart, in session/drafts.json:
// the draft in the composer and the messages that wait, by session. Nothing of
// what must stay in memory goes there.

// keptDraft is what is kept of one session.
type keptDraft struct {
	Draft string   `json:"draft,omitempty"`
	Queue []string `json:"queue,omitempty"`
}

// keptDrafts is the file. The session "" is a chat that is not on disk yet.
type keptDrafts struct {
	Format   string               `json:"format"`
	Written  time.Time            `json:"written,omitzero"`
	Sessions map[string]keptDraft `json:"sessions"`
}

const (
	draftsFormat = "mac-stats-drafts/1"
	draftsDelay  = 500 * time.Millisecond
	draftsMax    = 4 << 20 // bytes of the file that are read
)

func (w *Window) draftsPath() string { return filepath.Join(w.parts.home, "session", "drafts.json") }

// readDrafts gives what is kept; nothing where there is no file, or none that can
// be read. A file that came back from before a forgetting is rid of what is gone: a
// text that holds words which were forgotten since the file was written.
func readDrafts(path string, gone func(text string, since time.Time) bool) map[string]keptDraft {
	if fi, err := os.Stat(path); err != nil || fi.Size() > draftsMax {
		return map[string]keptDraft{}
	}
	data, err := os.ReadFile(path)
	var kept keptDrafts
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.Format != draftsFormat || kept.Sessions == nil {
		return map[string]keptDraft{}
	}
	dropped := false
	for name, k := range kept.Sessions {
		queue := slices.DeleteFunc(slices.Clone(k.Queue), func(text string) bool { return gone(text, kept.Written) })
		if draft := gone(k.Draft, kept.Written); !draft && len(queue) == len(k.Queue) {
			continue
		} else if draft {
			k.Draft = ""
		}
		k.Queue, dropped = queue, true
		if kept.Sessions[name] = k; k.Draft == "" && len(k.Queue) == 0 {
			delete(kept.Sessions, name)
		}
	}
	if dropped && writeDrafts(path, kept.Sessions) != nil {
		_ = os.Remove(path) // rather no draft than one that was forgotten
	}
	return kept.Sessions
}

// writeDrafts puts the file in place of the one before, or away where it is empty.
// Its folder is never made: where it is gone, it was moved away and may come back.
func writeDrafts(path string, sessions map[string]keptDraft) error {
	if len(sessions) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove drafts: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(keptDrafts{draftsFormat, time.Now(), sessions}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode drafts: %w", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write drafts: %w", err)
	}
	if err := replaceFile(path, data); err != nil {
		return fmt.Errorf("write drafts: %w", err)
	}
	return nil
}

// mayKeep reports whether anything of a conversation may be written.
func (w *Window) mayKeep(c *conversation) bool {
	return !c.private && !w.parts.config().Session.InMemoryOnly
}

// takeDraft gives a conversation what was kept of it, once.
func (w *Window) takeDraft(c *conversation, name string) {
	kept, ok := w.drafts[name]
	if !ok || !w.mayKeep(c) {
		return
	}
	delete(w.drafts, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draft == "" {
		c.draft = kept.Draft
	}
	for _, text := range kept.Queue {
		c.queueSeq++
		c.queue = append(c.queue, queued{id: c.queueSeq, text: text})
	}
	c.held = len(c.queue) > 0
}

// keepDrafts writes what is not sent, a moment later: keys come fast.
func (w *Window) keepDrafts() {
	if w.draftsTimer == nil {
		w.draftsTimer = time.AfterFunc(draftsDelay, func() { w.p.Do(w.flushDrafts) })
		return
	}
	w.draftsTimer.Reset(draftsDelay)
}

// flushDrafts writes what is not sent. The file is small and not synced to the
// disk: it is worth less than a transcript.
func (w *Window) flushDrafts() { go w.draftsWriter()() }

// draftsWriter takes what is not sent as it is now; what it gives writes it, on any
// goroutine, unless something newer was written.
func (w *Window) draftsWriter() func() {
	all := maps.Clone(w.drafts)
	for name, c := range w.convs {
		if k := c.unsent(); w.mayKeep(c) && (k.Draft != "" || len(k.Queue) > 0) {
			if !c.begun() {
				name = "" // its name is given anew at the next start
			}
			all[name] = k
		}
	}
	path := w.draftsPath()
	w.draftsTaken++
	taken := w.draftsTaken
	return func() {
		w.draftsMu.Lock()
		defer w.draftsMu.Unlock()
		if taken < w.draftsWritten {
			return
		}
		w.draftsWritten = taken
		if err := writeDrafts(path, all); err != nil {
			w.p.Do(func() {
				w.tell(i18n.With("What is written here can't be kept: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It is lost if the app ends before it is sent."))
			})
		}
	}
}

func (c *conversation) unsent() keptDraft {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := keptDraft{Draft: c.draft}
	for _, q := range c.queue {
		k.Queue = append(k.Queue, q.text)
	}
	return k
}

// begun reports whether anything of it may be on disk.
func (c *conversation) begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries) > 0 || c.older > 0 || c.path != "" || c.run != nil || c.loading
}
