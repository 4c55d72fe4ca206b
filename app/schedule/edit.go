package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// template is the start of a new schedules.toml.
const template = `# What mac-stats asks at fixed times. Edit it as you like: it is read again when it is
# saved, and a line that can't be used is named in the window and in the log.
#
# [[schedule]]
# name = "Morning"
# when = "every weekday at 8"      # or a cron line: "0 8 * * 1-5"
# prompt = "What should I know about this machine today?"
# agent = "orchestrator"           # left out: the default agent
# enabled = true
# quiet = "22:00-7:00"             # waits until they are over
# on_battery = false               # waits for the mains
# permissions = "…"                # written by mac-stats: which entries of permissions.toml are for this one
`

// ErrNoSchedule means that no schedule has this name.
var ErrNoSchedule = errors.New("there is no schedule of that name")

// errByHand means that the file is valid TOML but can't be edited in place.
var errByHand = errors.New("schedules.toml is written in a way that can't be changed automatically; edit it by hand")

// Put writes a schedule. If old is "", it adds one at the end of the file; otherwise it
// changes the one called old, and only the keys that differ. Comments stay.
func Put(ctx context.Context, file, old string, s Schedule) error {
	for key, err := range map[string]error{"name": checkName(s.Name), "prompt": checkPrompt(s.Prompt)} {
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if s.When.times == nil {
		return fmt.Errorf("when: %w", errWhen)
	}
	return change(ctx, file, func(data []byte) ([]byte, error) {
		if old == "" {
			return added(data, s), nil
		}
		at, err := sectionOf(data, old)
		if err != nil {
			return nil, err
		}
		return rewritten(data, at, s), nil
	}, func(list []Schedule) bool {
		return slices.ContainsFunc(list, func(o Schedule) bool { return equal(o, s) })
	})
}

// SetEnabled switches a schedule on or off.
func SetEnabled(ctx context.Context, file, name string, on bool) error {
	return change(ctx, file, func(data []byte) ([]byte, error) {
		at, err := sectionOf(data, name)
		if err != nil {
			return nil, err
		}
		return withKey(data, at, "enabled", strconv.FormatBool(on), on), nil
	}, func(list []Schedule) bool {
		return slices.ContainsFunc(list, func(o Schedule) bool { return o.Name == name && o.Enabled == on })
	})
}

// Remove removes a schedule, valid or not, from the file.
func Remove(ctx context.Context, file, name string) error {
	return change(ctx, file, func(data []byte) ([]byte, error) {
		at, err := sectionOf(data, name)
		if err != nil {
			return nil, err
		}
		before, after := data[:at.header], data[at.end:]
		if bytes.HasSuffix(before, []byte("\n\n")) && (len(after) == 0 || after[0] == '\n') {
			before = before[:len(before)-1]
		}
		return slices.Concat(before, after), nil
	}, func(list []Schedule) bool {
		return !slices.ContainsFunc(list, func(o Schedule) bool { return o.Name == name })
	})
}

// equal compares everything that the file holds.
func equal(a, b Schedule) bool {
	return a.Name == b.Name && a.When.line == b.When.line && a.Prompt == b.Prompt && a.Agent == b.Agent && a.Enabled == b.Enabled &&
		a.Quiet == b.Quiet && a.OnBattery == b.OnBattery && a.Permissions == b.Permissions
}

// sectionOf finds a schedule by its name.
func sectionOf(data []byte, name string) (section, error) {
	for _, at := range sectionsOf(data) {
		if p, ok := at.keys["name"]; ok {
			var got []Schedule
			got, _ = parse([]byte("[[schedule]]\nwhen = \"every hour\"\nprompt = \"-\"\nname = " + string(data[p.start:p.end]) + "\n"))
			if len(got) == 1 && got[0].Name == name {
				return at, nil
			}
		}
	}
	return section{}, ErrNoSchedule
}

// added returns the file with a schedule at its end.
func added(data []byte, s Schedule) []byte {
	b := bytes.NewBuffer(slices.Clone(data))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString("\n[[schedule]]\n")
	for _, kv := range s.lines() {
		if !kv.usual {
			fmt.Fprintf(b, "%s = %s\n", kv.key, kv.value)
		}
	}
	return b.Bytes()
}

// rewritten returns the file with new values in a section.
func rewritten(data []byte, at section, s Schedule) []byte {
	was, _ := parse(slices.Concat([]byte("[[schedule]]\n"), data[at.headerEnd:at.end]))
	for i, kv := range s.lines() {
		if len(was) == 1 && was[0].lines()[i].value == kv.value {
			continue // the user's own notation stays
		}
		data = withKey(data, at, kv.key, kv.value, kv.usual)
		for _, now := range sectionsOf(data) {
			if now.header == at.header {
				at = now
			}
		}
	}
	return data
}

// line is a key with its value in TOML; usual means that the value is the default.
type line struct {
	key, value string
	usual      bool
}

func (s Schedule) lines() []line {
	return []line{
		{"name", quoted(s.Name), false},
		{"when", quoted(s.When.text), false},
		{"prompt", quoted(s.Prompt), false},
		{"agent", quoted(s.Agent), s.Agent == ""},
		{"enabled", strconv.FormatBool(s.Enabled), s.Enabled},
		{"quiet", quoted(s.Quiet.String()), s.Quiet == Quiet{}},
		{"on_battery", strconv.FormatBool(s.OnBattery), s.OnBattery},
		{"permissions", quoted(s.Permissions), s.Permissions == ""},
	}
}

// withKey sets a key of a section. A missing key isn't added for a default value.
func withKey(data []byte, at section, key, value string, usual bool) []byte {
	if p, ok := at.keys[key]; ok {
		return slices.Concat(data[:p.start], []byte(value), data[p.end:])
	}
	if usual {
		return data
	}
	text := key + " = " + value + "\n"
	if at.end > 0 && data[at.end-1] != '\n' {
		text = "\n" + text
	}
	return slices.Concat(data[:at.end], []byte(text), data[at.end:])
}

// quoted returns a TOML string; a multi-line text stays multi-line.
func quoted(text string) string {
	var b strings.Builder
	sign := `"`
	if strings.Contains(text, "\n") {
		sign = `"""`
		b.WriteString(sign + "\n")
	} else {
		b.WriteString(sign)
	}
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n' || r == '\t' || r >= ' ' && r != 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String() + sign
}

// change replaces the file with do's version of it, under a lock. The result is parsed
// before it is written; done reports whether it is as intended.
func change(ctx context.Context, file string, do func(data []byte) ([]byte, error), done func([]Schedule) bool) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return wholefile.Explain("changing schedules.toml", err)
	}
	lock := wholefile.NewLock(filepath.Join(dir, ".schedules.lock"))
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return wholefile.Explain("changing schedules.toml", err)
	}
	defer func() { _ = lock.Unlock() }() // released when the process ends at the latest
	data, err := wholefile.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte(template), nil
	}
	if err != nil {
		return wholefile.Explain("changing schedules.toml", err)
	}
	_, before := parse(data)
	if len(before) == 1 && before[0].kind == notTOML {
		return errors.New(before[0].String())
	}
	after, err := do(data)
	if err != nil {
		return err
	}
	list, problems := parse(after)
	if len(problems) > len(before) && slices.ContainsFunc(problems, func(p Problem) bool { return p.kind == sameName }) {
		return errors.New("another schedule has this name, or one much like it: choose another name")
	}
	if len(problems) > len(before) || !done(list) {
		return errByHand
	}
	target, err := wholefile.Through(file)
	if err == nil {
		err = wholefile.Write(target, after, 0o600)
	}
	return wholefile.Wrap("writing schedules.toml", err)
}
