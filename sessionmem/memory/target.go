package memory

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// TargetKind is the kind of a memory file.
type TargetKind string

// The kinds of memory files (channel, person and server are for Discord).
const (
	TargetGlobal  TargetKind = "global"
	TargetAgent   TargetKind = "agent"
	TargetChannel TargetKind = "channel"
	TargetPerson  TargetKind = "person"
	TargetServer  TargetKind = "server"
)

// Target is one memory file. Its ID is a number of Discord, but for agents:
//
//	TargetGlobal   agents/memory.md; with the ID "main" agents/memory-main.md, of the Rust app
//	TargetAgent    agents/agent-<id>/memory.md
//	TargetChannel  agents/memory-discord-<id>.md
//	TargetPerson   memory/user-<id>.md
//	TargetServer   memory/server-<id>.md
//
// Nothing else is memory: sync programs, editors and people leave copies beside these files,
// also of the inbox, and what was discarded there must not be remembered. See Copies.
type Target struct {
	Kind TargetKind
	ID   string
}

// String returns the target in words, as the inbox writes it: "global", "agent 002".
func (t Target) String() string {
	if t.ID == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + " " + t.ID
}

// parseTarget parses the result of String.
func parseTarget(words string) (Target, bool) {
	kind, id, _ := strings.Cut(strings.TrimSpace(words), " ")
	t := Target{TargetKind(strings.ToLower(kind)), strings.TrimSpace(id)}
	return t, goodTarget(t)
}

// folder is the data folder. Its methods return the paths of the memory's files.
type folder string

func (f folder) inbox() string { return filepath.Join(string(f), "agents", "memory-inbox.md") }

// undo returns the file with the IDs of changes, in a place where nobody looks for text.
func (f folder) undo() string { return filepath.Join(string(f), "agents", undoFile) }

func (f folder) unsaved() string { return filepath.Join(string(f), "agents", unsavedDir) }

// isMemory reports whether a file is the memory of a target.
func (f folder) isMemory(path string) bool {
	_, ok := f.targetAt(path)
	return ok
}

// isShared reports whether a file is about a channel, a server or a person on Discord.
func (f folder) isShared(path string) bool {
	return filepath.Dir(path) == filepath.Join(string(f), "memory") || strings.HasPrefix(filepath.Base(path), "memory-discord-")
}

// path returns the path of the target's file, whether or not the file exists; "" if the
// target's ID can't be part of a file name.
func (f folder) path(t Target) string {
	if !goodTarget(t) {
		return ""
	}
	switch t.Kind {
	case TargetAgent:
		return filepath.Join(string(f), "agents", "agent-"+t.ID, "memory.md")
	case TargetChannel:
		return filepath.Join(string(f), "agents", "memory-discord-"+t.ID+".md")
	case TargetPerson:
		return filepath.Join(string(f), "memory", "user-"+t.ID+".md")
	case TargetServer:
		return filepath.Join(string(f), "memory", "server-"+t.ID+".md")
	default:
		if t.ID != "" {
			return filepath.Join(string(f), "agents", "memory-"+t.ID+".md")
		}
		return filepath.Join(string(f), "agents", "memory.md")
	}
}

// goodTarget reports whether the target names a file inside its folder and no other.
func goodTarget(t Target) bool {
	switch t.Kind {
	case TargetGlobal:
		return t.ID == "" || t.ID == "main"
	case TargetChannel, TargetPerson, TargetServer:
		return t.ID != "" && len(t.ID) <= 20 && strings.Trim(t.ID, "0123456789") == ""
	case TargetAgent:
	default:
		return false
	}
	if t.ID == "" || len(t.ID) > 100 || strings.Contains(t.ID, "..") {
		return false
	}
	return !strings.ContainsFunc(t.ID, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_. ", r) || r == unicode.ReplacementChar
	})
}

func badTarget(t Target) error {
	return fmt.Errorf("no memory is called %s %q; use the id of an agent, channel, person or server", t.Kind, t.ID)
}

// targetAt returns the target whose memory file has this path.
func (f folder) targetAt(path string) (Target, bool) {
	dir, base := filepath.Split(path)
	name, isText := strings.CutSuffix(base, transcript.FileSuffix)
	dir = filepath.Clean(dir)
	var t Target
	switch agent, isAgent := strings.CutPrefix(filepath.Base(dir), "agent-"); {
	case !isText:
		return Target{}, false
	case isAgent && name == "memory":
		t = Target{TargetAgent, agent}
	case name == "memory":
		t = Target{Kind: TargetGlobal}
	default:
		for prefix, kind := range map[string]TargetKind{"memory-discord-": TargetChannel, "user-": TargetPerson, "server-": TargetServer} {
			if id, ok := strings.CutPrefix(name, prefix); ok {
				t = Target{kind, id}
			}
		}
		if id, ok := strings.CutPrefix(name, "memory-"); ok && t.Kind == "" {
			t = Target{TargetGlobal, id}
		}
	}
	return t, t.Kind != "" && f.path(t) == path
}

// kinds lists the kinds of targets in the order in which they are shown.
var kinds = []TargetKind{TargetGlobal, TargetAgent, TargetChannel, TargetPerson, TargetServer}

// targets returns the targets that may have a file, agents/memory.md first, and those of the
// known files, which may be missing.
func (f folder) targets(known []string) ([]Target, error) {
	targets := []Target{{Kind: TargetGlobal}}
	for _, path := range known {
		if t, ok := f.targetAt(path); ok {
			targets = append(targets, t)
		}
	}
	for _, dir := range []string{"agents", "memory"} {
		entries, err := os.ReadDir(filepath.Join(string(f), dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, wholefile.Explain("listing memories", err)
		}
		for _, e := range entries {
			path := filepath.Join(string(f), dir, e.Name())
			for _, path := range []string{path, filepath.Join(path, "memory.md")} {
				if t, ok := f.targetAt(path); ok && (t.Kind != TargetAgent || !e.Type().IsRegular()) { // an agent may be a single file
					targets = append(targets, t)
				}
			}
		}
	}
	rank := func(t Target) int {
		if t == (Target{Kind: TargetGlobal}) {
			return -1
		}
		return slices.Index(kinds, t.Kind)
	}
	slices.SortFunc(targets, func(a, b Target) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.ID, b.ID)) })
	return slices.Compact(targets), nil
}

// Copies returns the files that lie beside the memory files or the inbox under similar names,
// such as those that sync programs make of two versions. They aren't read.
func (s *store) Copies() []string {
	var copies []string
	for _, pattern := range []string{"agents/*", "agents/agent-*/*", "memory/*"} {
		paths, _ := filepath.Glob(filepath.Join(escapeGlob(string(s.root)), filepath.FromSlash(pattern))) // the pattern is valid
		for _, path := range paths {
			name := strings.ToLower(filepath.Base(path))
			named := strings.Contains(name, "memory") || strings.HasPrefix(pattern, "memory")
			if !named || strings.HasPrefix(name, ".memory-journal") || strings.HasPrefix(name, ".memory-undo") || wholefile.IsTempName(filepath.Base(path)) || path == s.root.inbox() || s.root.isMemory(path) {
				continue
			}
			if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
				copies = append(copies, path)
			}
		}
	}
	return copies
}

// escapeGlob returns a pattern that matches a path literally.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // it can't be escaped on Windows
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}
