package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/wholefile"
)

// ErrBadName means that an agent can't have that name. The wrapping text gives the
// reason.
var ErrBadName = errors.New("the agent can't be called so")

// maxAgentName limits the length of an agent's name, in characters.
const maxAgentName = 60

// plainSkill is the skill.md of a new agent until its owner edits it.
const plainSkill = `# Your part

You are %s. Say here in a few lines what you do, and how:

- what you are asked for
- what a good answer looks like
- what you leave to others
`

// folderID matches a slug that can be used as it is in a folder name.
var folderID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// CheckName checks the name for a new agent and returns the slug it would get. Errors
// wrap ErrBadName.
func (r *Registry) CheckName(name string) (slug string, err error) {
	name = strings.TrimSpace(name)
	slug = slugify(name)
	switch {
	case name == "":
		return "", fmt.Errorf("%w: give it a name", ErrBadName)
	case utf8.RuneCountInString(name) > maxAgentName:
		return "", fmt.Errorf("%w: at most %d characters", ErrBadName, maxAgentName)
	case slug == "":
		return "", fmt.Errorf("%w: it takes a letter or a digit", ErrBadName)
	case strings.ContainsAny(name, "\n\r\t"):
		return "", fmt.Errorf("%w: one line", ErrBadName)
	}
	for _, a := range r.Agents() {
		for _, taken := range []string{a.Slug, a.ID, slugify(a.Name)} {
			if taken != "" && strings.EqualFold(taken, slug) {
				return "", fmt.Errorf("%w: %s is there already (%s)", ErrBadName, slug, filepath.Base(a.Path))
			}
		}
	}
	return slug, nil
}

// Create makes a new agent's folder with agent.json and skill.md. It copies the agent
// that like selects, without its memory; if like is "", the agent is a plain one. The
// folder appears complete or not at all.
func (r *Registry) Create(ctx context.Context, name, like string) (Agent, error) {
	name = strings.TrimSpace(name)
	slug, err := r.CheckName(name)
	if err != nil {
		return Agent{}, err
	}
	if err := ctx.Err(); err != nil {
		return Agent{}, err
	}
	files, err := r.templateFiles(name, slug, like)
	if err != nil {
		return Agent{}, fmt.Errorf("make the agent %s: %w", slug, err)
	}
	path, err := r.newFolder(slug, files)
	if err != nil {
		return Agent{}, fmt.Errorf("make the agent %s: %w", slug, err)
	}
	for _, a := range r.Agents() {
		if a.Path == path {
			return a, nil
		}
	}
	return Agent{}, fmt.Errorf("make the agent %s: it is not in %s after writing it; try again", slug, r.agentsDir())
}

// templateFiles returns a new agent's files by name.
func (r *Registry) templateFiles(name, slug, like string) (map[string]string, error) {
	settings := map[string]any{"name": name, "slug": slug, "description": "", "model_role": RoleGeneral, "enabled": true}
	if like == "" {
		text, err := json.MarshalIndent(settings, "", "  ")
		return map[string]string{"agent.json": string(text) + "\n", "skill.md": fmt.Sprintf(plainSkill, name)}, err
	}
	a, err := r.Find(like)
	if err != nil {
		return nil, err
	}
	files := map[string]string{"skill.md": a.Skill + "\n"}
	if a.HasFolder() {
		for _, f := range []string{"skill.md", "soul.md", "mood.md", "examples.md"} {
			text, err := r.Text(filepath.Join(a.Path, f))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("copy %s: %w", a.Slug, err)
			}
			files[f] = text + "\n"
		}
	}
	settings["description"], settings["model_role"] = a.Description, a.Role
	if a.Model != "" {
		settings["model"] = a.Model
	}
	if a.Temperature != nil {
		settings["temperature"] = *a.Temperature
	}
	for key, tier := range map[string]string{"prompt_tier": a.PromptTier, "tools_tier": a.ToolsTier} {
		if tier != "" {
			settings[key] = tier
		}
	}
	if a.Think != nil {
		settings["think"] = *a.Think
	}
	if a.Tools != nil {
		settings["tools"] = a.Tools
	}
	if a.MaxRounds != DefaultRounds {
		settings["max_tool_iterations"] = a.MaxRounds
	}
	text, err := json.MarshalIndent(settings, "", "  ")
	files["agent.json"] = string(text) + "\n"
	return files, err
}

// newFolder writes an agent's files to a hidden folder and renames it into place.
func (r *Registry) newFolder(slug string, files map[string]string) (path string, err error) {
	if err := os.MkdirAll(r.agentsDir(), 0o700); err != nil {
		return "", err
	}
	fresh := filepath.Join(r.agentsDir(), wholefile.TempName(slug))
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }() // after the rename there is nothing left to remove
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	path = filepath.Join(r.agentsDir(), "agent-"+slug)
	for n := 5; !folderID.MatchString(slug) || !isMissing(path); n++ {
		path = filepath.Join(r.agentsDir(), fmt.Sprintf("agent-%03d", n))
		if isMissing(path) {
			break
		}
	}
	return path, os.Rename(fresh, path)
}

// Delete moves an agent's folder or file to the trash in the agents folder and returns
// its path there, for Restore. It refuses to delete the last usable entry agent and those
// that came with the app, which can be turned off.
func (r *Registry) Delete(ctx context.Context, a Agent) (trash string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if filepath.Dir(a.Path) != r.agentsDir() {
		return "", fmt.Errorf("delete %s: it is not in %s", a.Slug, r.agentsDir())
	}
	if r.Ships(a.ID) && a.HasFolder() {
		return "", fmt.Errorf("delete %s: it came with mac-stats; turn it off instead", a.Slug)
	}
	if a.Entry && a.Usable() {
		others := 0
		for _, o := range r.Agents() {
			if o.Entry && o.Usable() && o.Path != a.Path {
				others++
			}
		}
		if others == 0 {
			return "", fmt.Errorf("delete %s: it is the only agent that sees the conversation; make another one first", a.Slug)
		}
	}
	trash, err = r.trashFor(filepath.Base(a.Path))
	if err == nil {
		err = os.Rename(a.Path, trash)
	}
	if err != nil {
		return "", fmt.Errorf("delete %s: %w", a.Slug, err)
	}
	return trash, nil
}

// Restore moves what Delete put into the trash back to path.
func (r *Registry) Restore(trash, path string) error {
	if filepath.Dir(trash) != filepath.Join(r.agentsDir(), trashFolder) || filepath.Dir(path) != r.agentsDir() {
		return fmt.Errorf("bring back %s: it is not in the trash", filepath.Base(path))
	}
	if !isMissing(path) {
		return fmt.Errorf("bring back %s: its place is taken; it is kept in %s", filepath.Base(path), trash)
	}
	if err := os.Rename(trash, path); err != nil {
		return fmt.Errorf("bring back %s: %w", filepath.Base(path), err)
	}
	return nil
}
