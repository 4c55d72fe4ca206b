package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNoSkill means that no usable skill matches the name.
var ErrNoSkill = errors.New("no such skill")

// Limits of the Agent Skills format (agentskills specification), in characters.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
)

// Skill is an Agent Skills folder (skills/<name>/SKILL.md) or an older
// skills/skill-<n>-<topic>.md.
type Skill struct {
	Name        string
	Number      string // <n> of the older form; "" for a folder
	Description string
	Body        string
	Path        string // the file
	Pinned      bool   // always named in the roster
	AsShipped   bool   // it isn't the person's: Customise copies it
	off         bool   // switched off (enabled: false): it isn't listed
	Warnings    []string
	Err         error // why it can't be used; it is listed nonetheless
}

// skillKeys are the front matter keys of a SKILL.md.
const skillKeys = "name description license compatibility metadata allowed-tools pinned enabled"

var (
	skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	oldSkill  = regexp.MustCompile(`^skill-([0-9]+)-(.+)\.md$`)
)

// Skills returns all skills, including broken ones, sorted by name: those in skills/
// and those in agents/skills/, where the Rust app keeps them.
func (r *Registry) Skills() []Skill {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := filepath.Join(r.root, "skills")
	list := r.skillsIn(dir)
	for name := range r.shipped() {
		path := filepath.Join(r.root, filepath.FromSlash(name))
		if filepath.Dir(filepath.Dir(path)) != dir || slices.ContainsFunc(list, func(s Skill) bool { return s.Path == path }) {
			continue
		}
		if s, ok := r.readSkillFolder(filepath.Dir(path), filepath.Base(filepath.Dir(path))); ok {
			list = append(list, s)
		}
	}
	list = slices.DeleteFunc(list, func(s Skill) bool { return s.off })
	list = append(list, r.skillsIn(filepath.Join(r.agentsDir(), "skills"))...)
	markDuplicateSkills(list)
	slices.SortStableFunc(list, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (r *Registry) skillsIn(dir string) []Skill {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.logger.Warn("skills folder cannot be read", "path", dir, "err", err)
		}
		return nil
	}
	var list []Skill
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if m := oldSkill.FindStringSubmatch(e.Name()); m != nil {
			list = append(list, r.readOldSkill(path, m[1], m[2]))
			continue
		}
		if s, ok := r.readSkillFolder(path, e.Name()); ok {
			list = append(list, s)
		}
	}
	return list
}

// readSkillFolder reads <dir>/SKILL.md; ok is false if there is none.
func (r *Registry) readSkillFolder(dir, name string) (s Skill, ok bool) {
	if strings.HasPrefix(name, ".") || keptFolder.MatchString(name) {
		return Skill{}, false
	}
	s = Skill{Name: name, Path: filepath.Join(dir, "SKILL.md")}
	file, err := r.layered(s.Path)
	if err != nil {
		s.Err = err
		return s, !errors.Is(err, fs.ErrNotExist) && isDir(dir)
	}
	if file.front == nil {
		front := parseFrontMatter(file.text)
		file.front = &front
	}
	s.Body, s.AsShipped = file.front.Body, file.raw != nil
	s.Err = s.setFront(*file.front)
	return s, true
}

// setFront sets the skill's fields from the front matter and checks them against the
// format.
func (s *Skill) setFront(front frontMatter) error {
	if !front.Found {
		return errors.New("SKILL.md has no front matter: begin it with ---, name, description, ---")
	}
	if front.Err != nil {
		return front.Err
	}
	s.Warnings = keyWarnings(front.keys(), skillKeys, "")
	name, _ := front.field("name")
	description, _ := front.field("description")
	s.Description = strings.TrimSpace(description.Text)
	if field, ok := front.field("pinned"); ok {
		var pinned *bool
		if err := field.boolean(&pinned); err != nil {
			return err
		}
		s.Pinned = pinned != nil && *pinned
	}
	if field, ok := front.field("enabled"); ok {
		var enabled *bool
		if err := field.boolean(&enabled); err != nil {
			return err
		}
		s.off = enabled != nil && !*enabled
	}
	if err := checkSkillName(name.Text, s.Name); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(s.Description); n == 0 || n > maxSkillDescription {
		return fmt.Errorf("description has %d characters: want 1 to %d", n, maxSkillDescription)
	}
	if s.Body == "" {
		return errors.New("there is nothing below the front matter: write there what to do")
	}
	return nil
}

// checkSkillName applies the name rules of the format.
func checkSkillName(name, folder string) error {
	if name == "" {
		return errors.New("name is missing in the front matter")
	}
	if len(name) > maxSkillName || !skillName.MatchString(name) {
		return fmt.Errorf("name %q: want 1 to %d of a-z, 0-9 and single hyphens inside", name, maxSkillName)
	}
	if name != folder {
		return fmt.Errorf("name %q and folder %q differ: they must be the same", name, folder)
	}
	return nil
}

// readOldSkill reads skill-<n>-<topic>.md; the whole file is the skill.
func (r *Registry) readOldSkill(path, number, topic string) Skill {
	s := Skill{Name: strings.ToLower(topic), Number: number, Path: path}
	file, err := r.files.read(path)
	if err != nil {
		s.Err = err
		return s
	}
	front := parseFrontMatter(file.text)
	s.Body = front.Body
	if front.Err != nil {
		s.Body = file.text
	}
	if d, ok := front.field("description"); ok {
		s.Description = d.Text
	} else {
		s.Description = firstLine(s.Body)
	}
	if s.Body == "" {
		s.Err = errors.New("the file is empty: write there what to do")
	}
	return s
}

// firstLine returns the first line that isn't empty, without heading signs.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# \t")); line != "" {
			return line
		}
	}
	return ""
}

func markDuplicateSkills(list []Skill) {
	seen := map[string]string{}
	for i := range list {
		s := &list[i]
		if s.Err != nil {
			continue
		}
		if first, ok := seen[s.Name]; ok {
			s.Err = fmt.Errorf("skill %q is already defined by %s", s.Name, first)
			continue
		}
		seen[s.Name] = filepath.Join(filepath.Base(filepath.Dir(s.Path)), filepath.Base(s.Path))
	}
}

// FindSkill resolves a skill by name, or by number for the older form, ignoring case.
// An error wraps ErrNoSkill and suggests the nearest name.
func (r *Registry) FindSkill(name string) (Skill, error) {
	wanted := strings.TrimSpace(name)
	list := r.Skills()
	var broken *Skill
	known := make([]string, 0, len(list))
	for i, s := range list {
		hit := wanted != "" && (strings.EqualFold(s.Name, wanted) || s.Number != "" && sameNumber(s.Number, wanted))
		if hit && s.Err == nil {
			return s, nil
		}
		if hit && broken == nil {
			broken = &list[i]
		}
		if s.Err == nil {
			known = append(known, s.Name)
		}
	}
	if broken != nil {
		return Skill{}, fmt.Errorf("%w: %s can't be used: %w", ErrNoSkill, broken.Name, broken.Err)
	}
	return Skill{}, noMatch(ErrNoSkill, name, known)
}

func sameNumber(a, b string) bool {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return errX == nil && errY == nil && x == y
}
