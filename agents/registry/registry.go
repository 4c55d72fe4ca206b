// Package registry reads agents and skills from the data folder.
//
// An agent is a folder agents/agent-<id> with agent.json and skill.md, or a single
// markdown file with front matter; a skill is a folder in the Agent Skills format.
// Every call compares the files with what was read before, so an edit counts at
// once. The package also installs the agents the app ships, creates, edits, resets
// and deletes agents, and parses their tests.
//
// It never runs an agent, never calls a model, and never overwrites a person's file:
// Reset sets the old one aside. A name that comes from a model or a person is only
// compared with what the folders hold; it never becomes a path.
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
)

// ErrNoAgent: no enabled agent matches the selector.
var ErrNoAgent = errors.New("no such agent")

// Agent is one agent as its files say now.
type Agent struct {
	ID          string // "002", or the file's name for a single-file agent
	Slug        string // lower case, what people and directives use
	Name        string
	Description string
	Model       string // explicit model; "" = by role
	Role        string // general | code | small | thinking | vision
	Entry       bool   // agent.json "orchestrator": sees the conversation, may delegate
	Enabled     bool
	MaxRounds   int      // max_tool_iterations: 1 … 200, 15 where not set
	Tools       []string // tool names it may use; nil = the default for its place, empty = none
	Temperature *float64 // 0 … 2; nil: the model's own
	Think       *bool    // whether it thinks before it answers, where its model can; nil: as the model does
	PromptTier  string   // how much its model is told: large, middle, plain; "" as fits the model
	ToolsTier   string   // how many tools it gets, the same words
	Pinned      bool     // always named in the roster; so are those that come with the app, unless they say no
	Path        string   // its folder or file
	Soul        string   // the agent's own, else the shared agents/soul.md
	Mood        string
	Skill       string   // what it is told to do
	Examples    string   // worked examples, for models of the middle tier alone
	Warnings    []string // misspelled keys and the like
	Err         error    // why it can't be used; it is listed all the same
}

// Usable reports whether the agent may be called: switched on and without error.
func (a Agent) Usable() bool { return a.Enabled && a.Err == nil }

// Registry reads agents and skills from the data folder. Its answers are always
// as fresh as the files: each call compares size, time and identity of every
// file first and reads again what changed. Safe for concurrent use.
//
// A name that comes from a model or a person never becomes a path: it is only
// compared with what the folders hold.
type Registry struct {
	root     string
	defaults fs.FS
	logger   *slog.Logger

	mu    sync.Mutex // guards files and what their entries have parsed
	files fileCache
}

// Config is what a Registry needs. Root and Defaults are required.
type Config struct {
	Root     string // data folder
	Defaults fs.FS  // assets: agents/…, skills/…, copied where missing
	Logger   *slog.Logger
	// Clean gives the text of a file without what was forgotten; optional. It is called
	// once for each state of a file.
	Clean func(path string, text []byte) []byte
}

// New returns the registry; it writes nothing. It panics where Root or
// Defaults is missing.
func New(cfg Config) *Registry {
	if cfg.Root == "" || cfg.Defaults == nil {
		panic("registry: New needs Root and Defaults")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Registry{root: cfg.Root, defaults: cfg.Defaults, logger: cfg.Logger, files: newFileCache(cfg.Clean)}
}

// Agents lists all agents, broken and disabled ones included, by id. A data
// folder without agents gives none.
func (r *Registry) Agents() []Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.agentsDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.logger.Warn("agents folder cannot be read", "path", dir, "err", err)
		}
		return nil
	}
	soul, soulErr := r.optional(filepath.Join(dir, "soul.md"))
	var list []Agent
	for _, e := range entries {
		a, ok := r.readEntry(dir, e.Name())
		if !ok {
			continue
		}
		if a.Soul == "" {
			a.Soul = soul
			a.Warnings = appendErr(a.Warnings, soulErr)
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, byID)
	markDuplicates(list)
	return list
}

// byID sorts by id, a folder before a single file of the same id.
func byID(a, b Agent) int {
	return cmp.Or(
		strings.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)),
		strings.Compare(filepath.Ext(a.Path), filepath.Ext(b.Path)),
	)
}

func (r *Registry) agentsDir() string { return filepath.Join(r.root, "agents") }

// agentFolder is the name of an agent's folder; keptFolder one that Reset set
// aside or an editor's or a sync service's copy of such a name.
var (
	agentFolder = regexp.MustCompile(`^agent-([A-Za-z0-9][A-Za-z0-9_-]*)$`)
	keptFolder  = regexp.MustCompile(`\.old(-|$)`)
)

// readEntry reads one entry of the agents folder; false where it is no agent.
func (r *Registry) readEntry(dir, name string) (Agent, bool) {
	path := filepath.Join(dir, name)
	if m := agentFolder.FindStringSubmatch(name); m != nil && isDir(path) {
		return r.readFolder(path, m[1]), true
	}
	if strings.HasPrefix(name, "agent-") && !keptFolder.MatchString(name) && isDir(path) {
		return Agent{
			ID: strings.TrimPrefix(name, "agent-"), Name: name, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral,
			Err: fmt.Errorf("folder %s: an agent's folder is agent-<id>, the id of letters, digits, - and _; rename it to use it", name),
		}, true
	}
	if !mayBeAgentFile(name) || isDir(path) {
		return Agent{}, false
	}
	return r.readSingleFile(path, strings.TrimSuffix(name, ".md"))
}

// inDefaults reports whether an agent of that id comes with the app.
func (r *Registry) inDefaults(id string) bool {
	_, err := fs.Stat(r.defaults, "agents/agent-"+id+"/agent.json")
	return err == nil
}

// isDir follows symlinks: people keep their agents in a folder of dot files.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// mayBeAgentFile rules out the names that are never single-file agents.
func mayBeAgentFile(name string) bool {
	if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".md") {
		return false
	}
	switch strings.ToLower(name) {
	case "memory.md", "soul.md", "reset-phrases.md":
		return false
	}
	return !strings.HasPrefix(strings.ToLower(name), "memory-")
}

// readFolder reads agents/agent-<id>.
func (r *Registry) readFolder(path, id string) Agent {
	a := Agent{ID: id, Slug: strings.ToLower(id), Name: "agent-" + id, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral, Pinned: r.inDefaults(id)}
	file, err := r.files.read(filepath.Join(path, "agent.json"))
	if err != nil {
		a.Err = missingMeans(err, "agent.json", "an agent needs agent.json and skill.md")
		return a
	}
	if file.settings == nil && file.settingsErr == nil {
		file.settings, file.settingsErr = parseAgentJSON(file.text)
	}
	if file.settingsErr != nil {
		a.Err = file.settingsErr
		salvageNames(&a, file.text)
		return a
	}
	file.settings.apply(&a)
	a.Soul, a.Warnings = r.optionalInto(filepath.Join(path, "soul.md"), a.Warnings)
	a.Mood, a.Warnings = r.optionalInto(filepath.Join(path, "mood.md"), a.Warnings)
	a.Examples, a.Warnings = r.optionalInto(filepath.Join(path, "examples.md"), a.Warnings)
	skill, err := r.files.read(filepath.Join(path, "skill.md"))
	if err != nil {
		a.Err = missingMeans(err, "skill.md", "write there what the agent is to do")
		return a
	}
	if a.Skill = skill.text; a.Skill == "" {
		a.Err = errors.New("skill.md is empty: write there what the agent is to do")
	}
	return a
}

// writtenName finds a name or slug in an agent.json that is no JSON.
var writtenName = regexp.MustCompile(`"(name|slug)"\s*:\s*"([^"\\\n]{1,100})"`)

// salvageNames gives a broken agent the names that are still to be read in its
// agent.json, so that it is found under them and its mistake is told.
func salvageNames(a *Agent, text string) {
	written := map[string]string{}
	for _, m := range writtenName.FindAllStringSubmatch(text, -1) {
		written[m[1]] = strings.TrimSpace(m[2])
	}
	a.Name = cmp.Or(written["name"], a.Name)
	a.Slug = cmp.Or(slugify(written["slug"]), slugify(written["name"]), a.Slug)
}

// NotAgents names the markdown files of the agents folder that look as if they
// were meant as agents and are none, with why: "plain.md is not an agent: …".
func (r *Registry) NotAgents() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.agentsDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // Agents says so
	}
	var notes []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !mayBeAgentFile(e.Name()) || isDir(path) || strings.EqualFold(e.Name(), "readme.md") {
			continue
		}
		if _, ok := r.readSingleFile(path, strings.TrimSuffix(e.Name(), ".md")); ok {
			continue
		}
		why := "it has no front matter with a name"
		if _, err := r.files.read(path); err != nil {
			why = "it can't be read: " + err.Error()
		}
		notes = append(notes, e.Name()+" is not an agent: "+why)
	}
	return notes
}

// readSingleFile reads agents/<name>.md; false where its front matter has no name.
func (r *Registry) readSingleFile(path, id string) (Agent, bool) {
	file, err := r.files.read(path)
	if err != nil {
		return Agent{}, false // a dangling link or a file just removed; it never was an agent to us
	}
	if file.front == nil {
		front := parseFrontMatter(file.text)
		file.front = &front
	}
	front := file.front
	if !front.Found || !front.hasKey("name") {
		return Agent{}, false
	}
	a := Agent{ID: id, Slug: slugify(id), Name: id, Path: path, Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
	if front.Err != nil {
		a.Err = front.Err
		return a, true
	}
	if file.settings == nil && file.settingsErr == nil {
		file.settings, file.settingsErr = front.agentSettings()
	}
	if file.settingsErr != nil {
		a.Err = file.settingsErr
		return a, true
	}
	file.settings.apply(&a)
	if a.Skill = front.Body; a.Skill == "" {
		a.Err = errors.New("there is nothing below the front matter: write there what the agent is to do")
	}
	return a, true
}

// optional reads a file that need not be there.
func (r *Registry) optional(path string) (string, error) {
	file, err := r.files.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return file.text, nil
}

func (r *Registry) optionalInto(path string, warnings []string) (string, []string) {
	text, err := r.optional(path)
	return text, appendErr(warnings, err)
}

func appendErr(warnings []string, err error) []string {
	if err == nil {
		return warnings
	}
	return append(warnings, err.Error())
}

// missingMeans says what to do where a required file is missing.
func missingMeans(err error, name, hint string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: %s", name, hint)
	}
	return err
}

// markDuplicates gives an error to every usable agent whose id or slug an
// earlier one has. The earlier one stays usable.
func markDuplicates(list []Agent) {
	ids, slugs := map[string]string{}, map[string]string{}
	for i := range list {
		a := &list[i]
		if !a.Usable() {
			continue
		}
		id := strings.ToLower(a.ID)
		if first, ok := ids[id]; ok {
			a.Err = fmt.Errorf("id %q is already used by %s: rename one of them", a.ID, first)
			continue
		}
		if first, ok := slugs[a.Slug]; ok {
			a.Err = fmt.Errorf("slug %q is already used by %s: give one of them another slug", a.Slug, first)
			continue
		}
		ids[id], slugs[a.Slug] = filepath.Base(a.Path), filepath.Base(a.Path)
	}
}
