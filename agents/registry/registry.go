// Package registry reads agents and skills from the data folder.
//
// An agent is a folder agents/agent-<id> with agent.json and skill.md, or a single
// markdown file with front matter; a skill is a folder in the Agent Skills format.
// Every call compares the files with their last known state, so an edit takes effect at
// once. What the app ships lies below the person's folder, file by file, and isn't copied
// into it until the person customises it (overlay.go). The package also creates, edits,
// resets and deletes agents.
//
// It never runs an agent, never calls a model, and never overwrites a person's file:
// Reset moves it to the trash. Reading writes nothing. A name from a model or a person is
// only compared with the names in the folders; it never becomes a path.
//
// The turn, the commands and the window's Agents page call it.
package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrNoAgent means that no enabled agent matches the selector.
var ErrNoAgent = errors.New("no such agent")

// Agent is one agent as its files describe it now.
type Agent struct {
	ID          string // "002", or the file's name for a single-file agent
	Slug        string // lower case; used by people and directives
	Name        string
	Description string
	Model       string // explicit model; "": by role
	Role        string // general | code | small | thinking | vision
	Entry       bool   // agent.json "orchestrator": sees the conversation, may delegate
	Enabled     bool
	MaxRounds   int      // max_tool_iterations: 1 … 200, default 15
	Tools       []string // tool names it may use; nil: the default for its position; empty: none
	Temperature *float64 // 0 … 2; nil: the model's default
	Think       *bool    // whether it thinks before it answers, if its model can; nil: the model's default
	PromptTier  string   // size of the prompt: large, middle, plain; "": to suit the model
	ToolsTier   string   // number of tools, in the same words
	Pinned      bool     // always named in the roster; the default for shipped agents
	Path        string   // its folder or file; a shipped agent may have none until it is customised
	AsShipped   bool     // nothing of it is the person's: Customise copies it
	Texts
	Warnings []string // misspelled keys and the like
	Err      error    // why it can't be used; it is listed nonetheless
}

// Texts are the parts of a prompt that an agent's files hold.
type Texts struct {
	Soul     string // the agent's own, else the shared agents/soul.md
	Mood     string
	Skill    string // its instructions
	Examples string // worked examples, only for models of the middle tier
}

// HasFolder reports whether the agent is a folder, which may hold a memory of its own, and
// not a single file.
func (a Agent) HasFolder() bool { return !strings.HasSuffix(a.Path, ".md") }

// Usable reports whether the agent may be called: enabled and without error.
func (a Agent) Usable() bool { return a.Enabled && a.Err == nil }

// Registry reads agents and skills from the data folder. Its results are always as
// fresh as the files: each call first compares the size, time and identity of every
// file, and reads the folder again if one changed. Safe for concurrent use; the lists and
// pointers in its results are shared and mustn't be changed.
type Registry struct {
	root    string
	shipped func() map[string]file // agents/ and skills/ of the assets, which don't change
	clean   func(path string, text []byte) []byte
	logger  *slog.Logger

	mu     sync.Mutex // guards known
	known  *folder
	failed atomic.Bool // a file couldn't be read since the last look
}

// Config holds what a Registry needs. Root and Defaults are required.
type Config struct {
	Root     string // data folder
	Defaults fs.FS  // assets: agents/…, skills/…, the layer below the folder
	Logger   *slog.Logger
	// Clean returns the text of a file without what was forgotten; optional. It is
	// called whenever a file is read.
	Clean func(path string, text []byte) []byte
}

// New returns the registry; it writes nothing. It panics if Root or Defaults is
// missing.
func New(cfg Config) *Registry {
	if cfg.Root == "" || cfg.Defaults == nil {
		panic("registry: New needs Root and Defaults")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	shipped := sync.OnceValue(func() map[string]file { return shippedFiles(cfg.Defaults) })
	return &Registry{root: cfg.Root, shipped: shipped, clean: cfg.Clean, logger: cfg.Logger}
}

// Agents returns all agents, including broken and disabled ones, sorted by ID.
func (r *Registry) Agents() []Agent { return slices.Clone(r.current().agents) }

// NotAgents returns a note for each markdown file in the agents folder that looks like
// an agent but isn't one, with the reason: "plain.md is not an agent: …".
func (r *Registry) NotAgents() []string { return r.current().notes }

// readAll reads the folder.
func (r *Registry) readAll() *folder {
	dir := r.agentsDir()
	out := &folder{skills: r.readSkills()}
	if phrases, err := r.read(filepath.Join(dir, "reset-phrases.md")); err == nil {
		out.resets = phrases.text
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.logger.Warn("agents folder cannot be read", "path", dir, "err", err)
		return out
	}
	soul, soulWarning := "", ""
	switch file, err := r.read(filepath.Join(dir, "soul.md")); {
	case err == nil:
		soul = file.text
	case !errors.Is(err, fs.ErrNotExist):
		soulWarning = err.Error()
	}
	var list []Agent
	for _, e := range entries {
		a, note := r.readEntry(dir, e)
		if a.Path != "" {
			list = append(list, a)
		} else if note != "" {
			out.notes = append(out.notes, e.Name()+" is not an agent: "+note)
		}
	}
	for _, id := range r.shippedIDs() {
		path := filepath.Join(dir, "agent-"+id)
		if !slices.ContainsFunc(list, func(a Agent) bool { return a.Path == path }) {
			list = append(list, r.readFolder(path, id))
		}
	}
	for i := range list {
		if a := &list[i]; a.Soul == "" {
			a.Soul = soul
			if soulWarning != "" {
				a.Warnings = append(a.Warnings, soulWarning)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Agent) int { // a folder before a single file of the same ID
		return cmp.Or(
			strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)),
			strings.Compare(filepath.Ext(a.Path), filepath.Ext(b.Path)),
		)
	})
	markDuplicates(list)
	out.agents = list
	return out
}

func (r *Registry) agentsDir() string { return filepath.Join(r.root, "agents") }

// agentFolder matches the name of an agent's folder, and keptFolder one that Reset set
// aside, or a copy of it by an editor or a sync service.
var (
	agentFolder = regexp.MustCompile(`^agent-([A-Za-z0-9][A-Za-z0-9_-]*)$`)
	keptFolder  = regexp.MustCompile(`\.old(-|$)`)
)

// readEntry reads one entry of the agents folder. The agent is empty if it isn't one; note
// is why, if it looks like one.
func (r *Registry) readEntry(dir string, e fs.DirEntry) (a Agent, note string) {
	name, path := e.Name(), filepath.Join(dir, e.Name())
	folder := e.IsDir() || !e.Type().IsRegular() && isDir(path)
	if m := agentFolder.FindStringSubmatch(name); m != nil && folder {
		a := r.readFolder(path, m[1])
		left := a.Err != nil && isMissing(a.SettingsFile()) && isMissing(filepath.Join(path, "skill.md")) && !isMissing(filepath.Join(path, "memory.md"))
		if left { // what an agent learnt may stay behind when it goes
			return Agent{}, ""
		}
		return a, ""
	}
	if strings.HasPrefix(name, "agent-") && !keptFolder.MatchString(name) && folder {
		return Agent{
			ID: strings.TrimPrefix(name, "agent-"), Name: name, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral,
			Err: fmt.Errorf("folder %s: an agent's folder is agent-<id>, the id of letters, digits, - and _; rename it to use it", name),
		}, ""
	}
	if !mayBeAgentFile(name) || folder {
		return Agent{}, ""
	}
	a, note = r.readSingleFile(path, strings.TrimSuffix(name, ".md"))
	if strings.EqualFold(name, "readme.md") {
		note = ""
	}
	return a, note
}

// isDir follows symlinks, because people keep their agents in a dotfiles folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// mayBeAgentFile reports whether a single-file agent may have that name.
func mayBeAgentFile(name string) bool {
	if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".md") {
		return false
	}
	switch strings.ToLower(name) {
	case "soul.md", "reset-phrases.md":
		return false
	}
	rest, isMemory := strings.CutPrefix(strings.ToLower(name), "memory") // also a copy: "memory 2.md"
	return !isMemory || rest[0] >= 'a' && rest[0] <= 'z'
}

// readFolder reads agents/agent-<id>.
func (r *Registry) readFolder(path, id string) Agent {
	a := Agent{ID: id, Slug: strings.ToLower(id), Name: "agent-" + id, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
	a.Pinned, a.AsShipped = r.Ships(id), true
	part := func(name string) (file, error) {
		file, err := r.layered(filepath.Join(path, name))
		a.AsShipped = a.AsShipped && (err != nil || file.raw != nil)
		return file, err
	}
	settings, err := part("agent.json")
	if err != nil {
		a.Err = missingMeans(err, "agent.json", "an agent needs agent.json and skill.md")
		return a
	}
	if a.Err = parseAgentJSON(settings.text, &a); a.Err != nil {
		salvageNames(&a, settings.text)
		return a
	}
	for name, to := range map[string]*string{"soul.md": &a.Soul, "mood.md": &a.Mood, "examples.md": &a.Examples} {
		switch file, err := part(name); {
		case err == nil:
			*to = file.text
		case !errors.Is(err, fs.ErrNotExist):
			a.Warnings = append(a.Warnings, err.Error())
		}
	}
	skill, err := part("skill.md")
	if err != nil {
		a.Err = missingMeans(err, "skill.md", "write there what the agent is to do")
		return a
	}
	if a.Skill = skill.text; a.Skill == "" {
		a.Err = errors.New("skill.md is empty: write there what the agent is to do")
	}
	return a
}

// writtenName finds a name or slug in an agent.json that isn't valid JSON.
var writtenName = regexp.MustCompile(`"(name|slug)"\s*:\s*"([^"\\\n]{1,100})"`)

// salvageNames sets on a broken agent the names that can still be read in its agent.json,
// so that Find finds it by them and reports the mistake.
func salvageNames(a *Agent, text string) {
	written := map[string]string{}
	for _, m := range writtenName.FindAllStringSubmatch(text, -1) {
		written[m[1]] = strings.TrimSpace(m[2])
	}
	a.Name = cmp.Or(written["name"], a.Name)
	a.Slug = cmp.Or(slugify(written["slug"]), slugify(written["name"]), a.Slug)
}

// readSingleFile reads agents/<name>.md. The agent is empty if it has no front matter with
// a name; note is why.
func (r *Registry) readSingleFile(path, id string) (a Agent, note string) {
	file, err := r.read(path)
	if err != nil { // a dangling link, or a file that was just removed
		return Agent{}, "it can't be read: " + err.Error()
	}
	front := parseFrontMatter(file.text)
	if !front.Found || !front.hasName() {
		return Agent{}, "it has no front matter with a name"
	}
	a = Agent{ID: id, Slug: slugify(id), Name: id, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
	if a.Err = front.Err; a.Err != nil {
		return a, ""
	}
	front.apply(&a)
	if a.Skill = front.Body; a.Skill == "" {
		a.Err = errors.New("there is nothing below the front matter: write there what the agent is to do")
	}
	return a, ""
}

// missingMeans returns an error that says what to do if a required file is missing.
func missingMeans(err error, name, hint string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: %s", name, hint)
	}
	return err
}

// markDuplicates sets an error on every usable agent whose ID an earlier one has. One with
// the slug of an earlier one is called by its ID.
func markDuplicates(list []Agent) {
	ids, slugs := map[string]string{}, map[string]string{}
	for i := range list {
		a := &list[i]
		if !a.Usable() {
			continue
		}
		if first, ok := ids[strings.ToLower(a.ID)]; ok {
			a.Err = fmt.Errorf("id %q is already used by %s: rename one of them", a.ID, first)
			continue
		}
		if first, ok := slugs[a.Slug]; ok {
			was := a.Slug
			if a.Slug = slugify(a.ID); slugs[a.Slug] != "" {
				a.Err = fmt.Errorf("slug %q is already used by %s: give one of them another slug", was, first)
				continue
			}
			a.Warnings = append(a.Warnings, fmt.Sprintf("slug %s: another agent has it, so this one is called by its id", was))
		}
		ids[strings.ToLower(a.ID)], slugs[a.Slug] = filepath.Base(a.Path), filepath.Base(a.Path)
	}
}

// BeginsAnew reports whether a message is one of the phrases in agents/reset-phrases.md and
// nothing else, and returns what to ask in the new conversation: what follows a phrase that
// ends in a colon, or else the message.
func (r *Registry) BeginsAnew(message string) (text string, ok bool) {
	plain := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	whole := strings.TrimRight(plain(message), ".!。 ")
	head, rest, colon := strings.Cut(message, ":")
	for line := range strings.Lines(r.current().resets) {
		line = strings.TrimSpace(line)
		bullet := strings.TrimLeft(line, "-*• \t")
		phrase := plain(bullet)
		switch {
		case phrase == "" || bullet == line: // no bullet
		case phrase == whole:
			return message, true
		case colon && phrase == plain(head+":") && strings.TrimSpace(rest) != "":
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}
