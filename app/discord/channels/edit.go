package channels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/wholefile"
)

// Template is the initial content of the file.
const Template = `# Who may talk to the bot on Discord, where, and what it is there. It is read again
# when you save it. Ids are numbers of about 18 digits: in Discord switch on Settings,
# Advanced, Developer Mode; then right-click a person, role or channel, Copy ID.

[allow]
# People, roles (everybody who has one) and channels (everybody who writes there).
users = []
roles = []
channels = []
# Strangers who speak to the bot are given a code; you let them in with
# "mac-stats discord pair CODE" or in the window. false: they get no answer.
pairing = true

[default]
# mention_only: mentions and replies to the bot. all_messages: whatever people write.
# having_fun: whatever is written, bots included, casually and with delays. The last
# two need the "Message Content Intent" in the developer portal.
mode = "mention_only"
#agent = "orchestrator"
#model = "qwen3:8b"
#prompt = "Answer in short sentences."
# Messages of one person that follow each other this fast are answered as one.
debounce = "2s"
# What the model may use: AGENT, SKILL, MEMORY_APPEND (a lesson waits in the inbox),
# MEMORY_SEARCH, SYSTEM_STATS, FETCH_URL.
tools = ["MEMORY_APPEND"]

# A channel's own settings; what is left out is as in [default]. A thread has those of
# its channel.
#[channel.123456789012345678]
#mode = "all_messages"
#agent = "coder"

[limits]
# How many messages are answered within what time.
person = "20/10m"
channel = "60/10m"

[having_fun]
min_delay = "5m"
max_delay = "1h"
# Answers to other bots in a row, without a person between.
bot_replies = 2

# People who were paired stand below. With owner = true, the memory of all agents may
# be used when this person writes to the bot directly.
`

// Ensure writes the file if it doesn't exist.
func Ensure(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	return replace(file, []byte(Template))
}

// Add lets a person in by adding a section at the end of the file. Somebody who is in stays
// unchanged.
func Add(ctx context.Context, file string, p Person) error {
	return change(ctx, file, p.ID, true, func(data []byte, f *File) ([]byte, error) {
		if !connection.IsID(p.ID) {
			return nil, fmt.Errorf("%q is not the ID of a person on Discord", p.ID)
		}
		if f.paired(p.ID) {
			return data, nil
		}
		var b bytes.Buffer
		b.Write(data)
		if len(data) > 0 && data[len(data)-1] != '\n' {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\n[people.%s]\nname = %s\nsince = %s\n", p.ID, quoted(p.Name), time.Now().Format(time.DateOnly))
		if p.Owner {
			b.WriteString("owner = true\n")
		}
		return b.Bytes(), nil
	})
}

// Remove removes a person's section; everything else stays as it is. If the person is also
// in users, the error says so.
func Remove(ctx context.Context, file, id string) error {
	return change(ctx, file, id, false, func(data []byte, f *File) ([]byte, error) {
		if slices.Contains(f.Users, id) {
			return nil, fmt.Errorf("%s stands in users of [allow] in %s: take it out there", id, file)
		}
		if !f.paired(id) {
			return nil, fmt.Errorf("nobody with the id %s was paired", id)
		}
		return withoutSection(data, "[people."+id+"]"), nil
	})
}

// withoutSection removes a section: its header and what follows, up to the next header or a
// separate comment.
func withoutSection(data []byte, header string) []byte {
	var out []byte
	inside := false
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.ReplaceAll(text, " ", "") == header || strings.HasPrefix(strings.ReplaceAll(text, " ", ""), header+"#"):
			inside = true
			continue
		case inside && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "#")):
			inside = false
		}
		if !inside {
			out = append(out, line...)
		}
	}
	return out
}

// change replaces the file with the result of do, under a lock, so that a person is paired
// or not. It doesn't touch a file that isn't TOML, or wouldn't be that afterwards.
func change(ctx context.Context, file, id string, paired bool, do func(data []byte, f *File) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("changing %s: %w", file, err)
	}
	lock := wholefile.NewLock(filepath.Join(filepath.Dir(file), ".channels.lock"))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("changing %s: another program is at it: %w", file, err)
	}
	defer func() { _ = lock.Unlock() }() // at the latest the end of the process unlocks it
	if err := Ensure(file); err != nil {
		return err
	}
	data, err := wholefile.Read(file, maxFile)
	if err != nil {
		return fmt.Errorf("changing %s: %w", file, err)
	}
	f, _, err := Parse(file, data)
	if err != nil {
		return fmt.Errorf("%w; put that right first", err)
	}
	after, err := do(data, f)
	if err != nil {
		return err
	}
	if f, _, err := Parse(file, after); err != nil || f.paired(id) != paired {
		return errors.New("the file is written in a way that can't be changed automatically; edit " + file + " by hand")
	}
	if bytes.Equal(after, data) {
		return nil
	}
	return replace(file, after)
}

// replace writes a file atomically with mode 0600, following a symbolic link.
func replace(file string, data []byte) error {
	target, err := wholefile.Through(file)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(target), 0o700)
	}
	if err == nil {
		err = wholefile.Write(target, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// quoted returns the TOML string of a name that a stranger chose.
func quoted(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\\' || r == '"' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60])
	}
	return `"` + text + `"`
}
