package transcript

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTopics(t *testing.T) {
	for text, want := range map[string]string{
		"": "chat", "?!": "chat", "Hi": "hi", "\n\n  two  words ": "two-words", "../../etc/passwd": "etc-passwd",
		"猫はなぜ鳴くの": "猫はなぜ鳴くの", strings.Repeat("é", 60): strings.Repeat("é", 40), strings.Repeat("猫", 60): strings.Repeat("猫", 39),
		"a\xffb": "a-b",
	} {
		if got := TopicOf(text); got != want {
			t.Errorf("topicOf(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPartNames(t *testing.T) {
	for base, want := range map[string]FileNameParts{
		"session-memory-cpu-a-20260102-030405-chat.md":           {Session: "cpu-a", Topic: "chat", Part: 1, Stem: "session-memory-cpu-a-20260102-030405-chat"},
		"session-memory-cpu-a-20260102-030405-chat.part2.md":     {Session: "cpu-a", Topic: "chat", Part: 2, Stem: "session-memory-cpu-a-20260102-030405-chat"},
		"session-memory-cpu-a-20260102-030405-chat.part12.md":    {Session: "cpu-a", Topic: "chat", Part: 12, Stem: "session-memory-cpu-a-20260102-030405-chat"},
		"session-memory-cpu-a-20260102-030405-chat-part2.md":     {Session: "cpu-a", Topic: "chat-part2", Part: 1, Stem: "session-memory-cpu-a-20260102-030405-chat-part2"},
		"session-memory-cpu-a-20260102-030405-chat.part1.md":     {Session: "cpu-a", Topic: "chat.part1", Signed: true, Part: 1, Stem: "session-memory-cpu-a-20260102-030405-chat.part1"},
		"session-memory-cpu-a-20260102-030405-chat.part02.md":    {Session: "cpu-a", Topic: "chat.part02", Signed: true, Part: 1, Stem: "session-memory-cpu-a-20260102-030405-chat.part02"},
		"session-memory-topic-99887766-20260102-030405.part3.md": {Session: "99887766", Topic: "topic", Part: 3, Stem: "session-memory-topic-99887766-20260102-030405"},
		"notes.part2.md": {Session: "notes", Part: 2, Stem: "notes"},
		".part2.md":      {Session: ".part2", Part: 1, Stem: ".part2"},
	} {
		got := ParseFileName(base)
		got.Stamp = ""
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(FileNameParts{})); diff != "" {
			t.Errorf("%s: %s", base, diff)
		}
		if back := PartFile(got.Stem, got.Part); back != base {
			t.Errorf("%s is written as %s", base, back)
		}
	}
}

func TestSessionNames(t *testing.T) {
	for _, name := range []string{"cli-notes", "cpu-k3x9qa", "1234567890", "a", "my_session-2", strings.Repeat("a", MaxNameLen)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for why, list := range map[string][]string{
		"is empty":                       {""},
		"is longer than 64 characters":   {strings.Repeat("a", MaxNameLen+1)},
		"is a device's name on Windows":  {"nul", "con"},
		"begins or ends with a dash":     {"-a", "a-"},
		"holds a date and time":          {"cli-20261121-101500", "a-20261121-101500-b"},
		"use lower-case letters, digits": {".", "..", "../x", "a/b", `a\b`, "A-b", "a b", "cli-ä", "a.md", "a\x00", "a:b", "~"},
	} {
		for _, name := range list {
			if err := CheckName(name); !errors.Is(err, ErrBadName) || !strings.Contains(err.Error(), why) {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

func TestFileNames(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	name := FileName("cli-notes", at, "fan-noise")
	if name != "session-memory-cli-notes-20260102-030405-fan-noise.md" {
		t.Errorf("a new file is called %s", name)
	}
	for base, want := range map[string]struct {
		session, topic  string
		stamped, copied bool
	}{
		name: {"cli-notes", "fan-noise", true, false},
		"Copy of session-memory-cli-notes-20260102-030405-fan.md": {"cli-notes", "fan", true, true},
		"session-memory-cli-notes-20260102-030405-fan (2).md":     {"cli-notes", "fan (2)", true, true},
		"session-memory-cli-notes-20260102-030405 (2).md":         {"cli-notes", " (2)", true, true},
		"session-memory-fan-noise-1234567890-20260102-030405.md":  {"1234567890", "fan-noise", true, false},
		"session-memory-cli-20260102-030405-20250102-030405.md":   {"cli", "20250102-030405", true, false},
		"session-memory-1234567890-20260102-030405-lüfter.md":     {"1234567890", "lüfter", true, false},
		"session-memory-cli-notes.md":                             {"session-memory-cli-notes", "", false, false},
		"notes.md":                                                {"notes", "", false, false},
		"session-memory-cli-notes-20269999-030405-fan.md":         {"cli-notes", "fan", false, false},
	} {
		p := ParseFileName(base)
		if p.Session != want.session || p.Topic != want.topic || p.MayBeCopy() != want.copied || p.Started().Equal(at) != want.stamped {
			t.Errorf("%s is read as %+v, begun %s", base, p, p.Started())
		}
	}
}

func TestRenamingASessionsFile(t *testing.T) {
	for base, want := range map[string]string{
		"session-memory-cli-a-20260102-030405-x.md":       "session-memory-cpu-b-20260102-030405-x.md",
		"session-memory-cli-a-20260102-030405-x.part2.md": "session-memory-cpu-b-20260102-030405-x.part2.md",
		"session-memory-cli-a-c-20260102-030405-x.md":     "session-memory-cli-a-c-20260102-030405-x.md", // of cli-a-c
		"cli-a.md": "cli-a.md",
	} {
		if got := RenameFile(base, "cli-a", "cpu-b"); got != want {
			t.Errorf("%s becomes %s", base, got)
		}
	}
}

func TestSourceAndIDOfASession(t *testing.T) {
	for name, want := range map[string][2]string{"cpu-k3x9qa": {"cpu", "k3x9qa"}, "CLI-notes-2": {"cli", "notes-2"}, "99887766": {"discord", "99887766"}, "notes": {"", "notes"}, "1234": {"", "1234"}} {
		if source, id := SplitName(name); source != want[0] || id != want[1] {
			t.Errorf("%s is %s of %s", name, id, source)
		}
	}
}

func TestFilesOfASession(t *testing.T) {
	for name, c := range map[string]struct {
		info Info
		want []string
	}{
		"in memory": {Info{}, nil}, "one": {Info{Path: "a"}, []string{"a"}}, "several": {Info{Path: "b", Parts: []string{"a", "b"}}, []string{"a", "b"}},
	} {
		if diff := cmp.Diff(c.want, c.info.Files()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
