package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// SavedDraft holds the unsent text of one session.
type SavedDraft struct {
	Draft string   `json:"draft,omitempty"`
	Queue []string `json:"queue,omitempty"`
}

// draftsFile is the content of the file. Session "" is a chat that isn't on disk yet.
type draftsFile struct {
	Format   string                `json:"format"`
	Written  time.Time             `json:"written,omitzero"`
	Sessions map[string]SavedDraft `json:"sessions"`
}

const draftsFormat = "mac-stats-drafts/1"

const draftsMax = 4 << 20 // bytes of the file that are read at most

// ReadDrafts returns the saved drafts, or none if there is no readable file. If the file
// was restored from before a forgetting, texts that contain forgotten words are removed,
// also from the file. isForgotten reports whether a text contains words forgotten since a time.
func ReadDrafts(path string, isForgotten func(text string, since time.Time) bool) map[string]SavedDraft {
	data, err := wholefile.Read(path, draftsMax)
	var kept draftsFile
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.Format != draftsFormat || kept.Sessions == nil {
		return map[string]SavedDraft{}
	}
	dropped := false
	for name, k := range kept.Sessions {
		queue := slices.DeleteFunc(slices.Clone(k.Queue), func(text string) bool { return isForgotten(text, kept.Written) })
		if draft := isForgotten(k.Draft, kept.Written); !draft && len(queue) == len(k.Queue) {
			continue
		} else if draft {
			k.Draft = ""
		}
		k.Queue, dropped = queue, true
		if kept.Sessions[name] = k; k.Draft == "" && len(k.Queue) == 0 {
			delete(kept.Sessions, name)
		}
	}
	if dropped && WriteDrafts(path, kept.Sessions) != nil {
		_ = os.Remove(path) // rather no draft than a forgotten one
	}
	return kept.Sessions
}

// WriteDrafts replaces the file, or removes it if there are no drafts. It never creates the
// folder: a missing folder was moved away and may come back.
func WriteDrafts(path string, sessions map[string]SavedDraft) error {
	if len(sessions) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove drafts: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(draftsFile{draftsFormat, time.Now(), sessions}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode drafts: %w", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write drafts: %w", err)
	}
	if err := wholefile.WriteQuick(path, data, 0o600); err != nil {
		return fmt.Errorf("write drafts: %w", err)
	}
	return nil
}

// Without returns k without the texts for which holds is true, and whether that changed it.
func (k SavedDraft) Without(holds func(string) bool) (SavedDraft, bool) {
	out := SavedDraft{Draft: k.Draft}
	if holds(k.Draft) {
		out.Draft = ""
	}
	for _, text := range k.Queue {
		if !holds(text) {
			out.Queue = append(out.Queue, text)
		}
	}
	return out, out.Draft != k.Draft || len(out.Queue) != len(k.Queue)
}
