package registry

import (
	"cmp"
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

	"mac-stats/sessionmem/excerpt"
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
	enabled     bool   // enabled: false switches it off, and it isn't listed
	Warnings    []string
	Err         error // why it can't be used; it is listed nonetheless
}

// skillKeys are the front matter keys of a SKILL.md.
const skillKeys = "name description license compatibility metadata allowed-tools pinned enabled"

var oldSkill = regexp.MustCompile(`^skill-([0-9]+)-(.+)\.md$`)

// Skills returns all skills, including broken ones, sorted by name: those in skills/
// and those in agents/skills/, where the Rust app keeps them.
func (r *Registry) Skills() []Skill { return slices.Clone(r.current().skills) }

func (r *Registry) readSkills() []Skill {
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
	list = slices.DeleteFunc(list, func(s Skill) bool { return s.Number == "" && !s.enabled })
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
	s = Skill{Name: name, Path: filepath.Join(dir, "SKILL.md"), enabled: true}
	file, err := r.layered(s.Path)
	if err != nil {
		s.Err = err
		return s, !errors.Is(err, fs.ErrNotExist) && isDir(dir)
	}
	s.AsShipped = file.raw != nil
	s.setFront(parseFrontMatter(file.text))
	return s, true
}

// setFront sets the skill's fields from the front matter. What the format doesn't allow is
// cut or replaced, and named by a warning; the folder's name stands in for a missing one.
func (s *Skill) setFront(front frontMatter) {
	s.Body = front.Body
	if s.Err = front.Err; s.Err != nil {
		return
	}
	if s.Body == "" {
		s.Err = errors.New("there is nothing below the front matter: write there what to do")
	}
	warn := func(format string, args ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...)) }
	if front.Warning != "" {
		warn("%s", front.Warning)
	}
	s.Warnings = append(s.Warnings, keyWarnings(front.keys(), skillKeys, true)...)
	folder := s.Name
	name, _ := front.field("name")
	written := strings.TrimSpace(name.Text)
	whole := []rune(cmp.Or(slugify(written), slugify(folder), folder))
	s.Name = string(whole[:min(len(whole), maxSkillName)])
	switch {
	case written == "":
		warn("%s: there is no name, the folder's is used", s.Name)
	case s.Name != written:
		warn("name %q is read as %s: want at most %d of a-z, 0-9 and hyphens", excerpt.Shorten(written, 100), s.Name, maxSkillName)
	case written != folder:
		warn("folder %s: the skill's name is another, which counts", folder)
	}
	description, _ := front.field("description")
	s.Description = strings.TrimSpace(description.Text)
	if s.Description == "" {
		s.Description = firstLine(s.Body)
		warn("no description: the first line is used")
	}
	if n := utf8.RuneCountInString(s.Description); n > maxSkillDescription {
		s.Description = excerpt.Shorten(s.Description, maxSkillDescription)
		warn("description of %d characters: cut to %d", n, maxSkillDescription)
	}
	var raw rawSettings
	for _, key := range []string{"pinned", "enabled"} {
		if field, ok := front.field(key); ok && !field.Null && !field.decode(key, &raw) {
			warn("%s in line %d: the value isn't understood", field.Key, field.Line)
		}
	}
	s.Pinned, s.enabled = raw.Pinned != nil && *raw.Pinned, raw.Enabled == nil || *raw.Enabled
}

// readOldSkill reads skill-<n>-<topic>.md; the whole file is the skill.
func (r *Registry) readOldSkill(path, number, topic string) Skill {
	s := Skill{Name: strings.ToLower(topic), Number: number, Path: path}
	file, err := r.read(path)
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
