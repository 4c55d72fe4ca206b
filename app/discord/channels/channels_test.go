package channels

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, text string) *File {
	t.Helper()
	f, found, err := Parse("channels.toml", []byte(text))
	if err != nil || len(found) > 0 {
		t.Fatalf("Parse gave %v, %v", found, err)
	}
	return f
}

func TestTemplateShowsTheDefaults(t *testing.T) {
	f := mustParse(t, Template)
	if diff := cmp.Diff(defaults().For("1", ""), f.For("1", "")); diff != "" {
		t.Error(diff)
	}
	if f.May("301", nil, "200", "") || !f.Pairing || f.PerPerson != (Limit{20, 10 * time.Minute}) || f.Fun != defaults().Fun || f.ReadsAll() {
		t.Errorf("the template is read as %+v", f)
	}
}

const sample = `
[allow]
users = ["301"]
roles = ["401"]
channels = ["201"]

[default]
agent = "helper"
tools = []

[channel.200]
mode = "all_messages"
agent = "coder"
debounce = "500ms"

[channel.250]
prompt = "Be brief."

[people.302]
name = "Ben"
owner = true
`

func TestSettingsOfAPlace(t *testing.T) {
	f := mustParse(t, sample)
	tests := map[string]struct {
		id, parent string
		want       Settings
	}{
		"given a channel of its own":          {"200", "", Settings{Mode: AllMessages, Agent: "coder", Debounce: 500 * time.Millisecond, Tools: []string{}}},
		"given a thread of it":                {"999", "200", Settings{Mode: AllMessages, Agent: "coder", Debounce: 500 * time.Millisecond, Tools: []string{}}},
		"given a thread with its own section": {"250", "200", Settings{Mode: AllMessages, Agent: "coder", Prompt: "Be brief.", Debounce: 500 * time.Millisecond, Tools: []string{}}},
		"given any other":                     {"777", "", Settings{Mode: MentionOnly, Agent: "helper", Debounce: 2 * time.Second, Tools: []string{}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := f.For(tt.id, tt.parent)
			if diff := cmp.Diff(tt.want, got, cmp.Transformer("tools", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
				t.Error(diff)
			}
		})
	}
	if !f.Mapped("200", "") || !f.Mapped("9", "200") || f.Mapped("250", "") || !f.ReadsAll() {
		t.Error("which channels have an agent of their own is read wrongly")
	}
}

func TestWhoMayTalk(t *testing.T) {
	f := mustParse(t, sample)
	tests := map[string]struct {
		user            string
		roles           []string
		channel, parent string
		want            bool
	}{
		"given a user of the list":        {user: "301", channel: "1", want: true},
		"given a paired person":           {user: "302", channel: "1", want: true},
		"given somebody with the role":    {user: "9", roles: []string{"5", "401"}, channel: "1", want: true},
		"given an open channel":           {user: "9", channel: "201", want: true},
		"given a thread of it":            {user: "9", channel: "7", parent: "201", want: true},
		"given a stranger":                {user: "9", roles: []string{"5"}, channel: "1"},
		"given a stranger in a DM":        {user: "9", channel: "800"},
		"given an id that only begins so": {user: "30", channel: "20"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := f.May(tt.user, tt.roles, tt.channel, tt.parent); got != tt.want {
				t.Errorf("May is %v", got)
			}
		})
	}
	if !f.Owner("302") || f.Owner("301") {
		t.Error("the owner is read wrongly")
	}
}

func TestUnusableEntriesAreNamedAndLetNobodyIn(t *testing.T) {
	tests := map[string]struct {
		text string
		want string // place and text
	}{
		"given a name for an id":       {"[allow]\nusers = [\"anna\"]", `channels.toml:2: allow.users: "anna" is not an ID`},
		"given no list":                {"[allow]\n\nusers = \"301\"", "channels.toml:3: allow.users: it must be a list"},
		"given a mode":                 {"[default]\nmode = \"loud\"", "channels.toml:2: default.mode: \"loud\" is no mode: it must be mention_only, all_messages or having_fun"},
		"given a tool":                 {"[channel.200]\ntools = [\"SHELL\"]", `channels.toml:2: channel.200.tools: "SHELL" is no tool`},
		"given a path as a channel":    {"[channel.\"../../etc\"]\nmode = \"all_messages\"", "channels.toml:1: channel.../../etc: write [channel.<id>]"},
		"given a key":                  {"[channel.200]\nmod = \"x\"", "channels.toml:2: channel.200.mod: there is no such key"},
		"given a section":              {"[chanel.200]\nmode = \"x\"", "channels.toml:1: chanel: there is no such section"},
		"given a key outside":          {"mode = \"x\"", "channels.toml:1: mode: there is no such key"},
		"given a limit":                {"[limits]\nperson = \"many\"", `channels.toml:2: limits.person: "many" can't be used: write how many messages within what time, like "20/10m"; 20/10m is used`},
		"given a time":                 {"[default]\ndebounce = \"2 days\"", "channels.toml:2: default.debounce: \"2 days\" can't be used"},
		"given pairing as a word":      {"[allow]\npairing = \"yes\"", "channels.toml:2: allow.pairing: it must be true or false; false is used"},
		"given an owner as a word":     {"[people.302]\nowner = \"yes\"", "channels.toml:2: people.302.owner: it must be true or false"},
		"given no list of tools":       {"[default]\ntools = \"AGENT\"", "channels.toml:2: default.tools: it must be a list of AGENT, SKILL"},
		"given a number for a prompt":  {"[default]\nprompt = 7", "channels.toml:2: default.prompt: it must be a text of at most 4000 characters"},
		"given a prompt that is long":  {"[default]\nprompt = \"" + strings.Repeat("x", 4001) + "\"", "channels.toml:2: default.prompt: it must be a text"},
		"given a key of allow":         {"[allow]\nuser = [\"301\"]", "channels.toml:2: allow.user: there is no such key; [allow] has"},
		"given a key of a person":      {"[people.302]\nadmin = true", "channels.toml:2: people.302.admin: there is no such key"},
		"given a key of the limits":    {"[limits]\nserver = \"1/1m\"", "channels.toml:2: limits.server: there is no such key"},
		"given a key of having fun":    {"[having_fun]\ndelay = \"1m\"", "channels.toml:2: having_fun.delay: there is no such key"},
		"given too many bot replies":   {"[having_fun]\nbot_replies = 101", "channels.toml:2: having_fun.bot_replies: it must be a whole number from 0 to 100; 2 is used"},
		"given a limit below":          {"[limits]\nchannel = \"0/10m\"", `channels.toml:2: limits.channel: "0/10m" can't be used`},
		"given a person as a text":     {"[people]\n302 = \"Ben\"", "channels.toml:2: people.302: write [people.<id>]"},
		"given delays that are turned": {"[having_fun]\nmin_delay = \"1h\"\nmax_delay = \"1m\"", "channels.toml:3: having_fun.max_delay: it is less than min_delay"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, found, err := Parse("channels.toml", []byte(tt.text))
			if err != nil || len(found) != 1 || !strings.HasPrefix(found[0].String(), tt.want) {
				t.Fatalf("Parse found %v, %v; want %s", found, err, tt.want)
			}
			if f.May("9", nil, "1", "") || f.Owner("302") || f.ReadsAll() {
				t.Error("a bad entry lets somebody in")
			}
		})
	}
	if _, _, err := Parse("channels.toml", []byte("[allow\nusers = []")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a file that is no TOML gave %v", err)
	}
}

func TestAddAndRemoveKeepEverythingElse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discord", "channels.toml")
	own := "# mine\n[allow]\nusers = [] # nobody yet\n\n# a comment of mine\n"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"301": "Anna", "302": "\"]\nowner = true\n[allow]\npairing=\\u0000 \xff", "303": strings.Repeat("x", 500)}
	for _, id := range []string{"301", "302", "303", "301"} {
		if err := Add(t.Context(), file, Person{ID: id, Name: names[id]}); err != nil {
			t.Fatal(err)
		}
	}
	f, found, err := Load(file)
	if err != nil || len(found) > 0 || len(f.People) != 3 || f.Owner("302") || !f.May("302", nil, "1", "") {
		t.Fatalf("after Add: %+v, %v, %v", f, found, err)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), own) {
		t.Errorf("the file is now %s (%v)", data, err)
	}
	if err := Remove(t.Context(), file, "302"); err != nil {
		t.Fatal(err)
	}
	f, found, err = Load(file)
	if err != nil || len(found) > 0 || len(f.People) != 2 || f.May("302", nil, "1", "") || !f.May("303", nil, "1", "") {
		t.Errorf("after Remove: %+v, %v, %v", f, found, err)
	}
	for _, id := range []string{"302", "../x"} {
		if err := Remove(t.Context(), file, id); err == nil {
			t.Errorf("removing %s gave no error", id)
		}
	}
	if err := Add(t.Context(), file, Person{ID: "../../x"}); err == nil {
		t.Error("a path was taken for an id")
	}
}

func TestAFileThatIsNotTOMLIsLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "channels.toml")
	if err := os.WriteFile(file, []byte("[allow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Add(t.Context(), file, Person{ID: "301"}); err == nil || !strings.Contains(err.Error(), "put that right first") {
		t.Errorf("Add gave %v", err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "[allow\n" {
		t.Errorf("the file is now %q (%v)", data, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{Template, sample, "[people.1]\nname=\"x\"", "[channel.\"\"]", "a.b.c = 1", "[[channel]]\nid=1", "[allow]\nusers=[1, [2]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, _, err := Parse("channels.toml", []byte(text))
		if err != nil {
			return
		}
		if s := file.For("1", "2"); s.Mode != MentionOnly && s.Mode != AllMessages && s.Mode != HavingFun {
			t.Errorf("the mode is %q", s.Mode)
		}
		for _, id := range append(append(file.Users, file.Roles...), file.Channels...) {
			if strings.ContainsAny(id, "./\\ ") || id == "" {
				t.Errorf("%q passed for an id", id)
			}
		}
	})
}

func TestLimitsDelaysAndTools(t *testing.T) {
	f := mustParse(t, "[default]\ntools = [\"agent\", \"FETCH_URL\"]\ndebounce = 0\n[limits]\nperson = \"3 / 90s\"\nchannel = \"5/2h\"\n[having_fun]\nmin_delay = \"1m\"\nmax_delay = \"2m\"\nbot_replies = 0\n")
	if f.PerPerson.String() != "3/1m30s" || f.PerChannel.String() != "5/2h" || f.Fun != (Fun{time.Minute, 2 * time.Minute, 0}) {
		t.Errorf("read as %v, %v and %+v", f.PerPerson, f.PerChannel, f.Fun)
	}
	if s := f.For("1", ""); strings.Join(s.Tools, " ") != "AGENT FETCH_URL" || s.Debounce != 0 {
		t.Errorf("a channel has %+v", s)
	}
}

func TestDoubts(t *testing.T) {
	f := mustParse(t, "[default]\nagent = \"helper\"\n\n[channel.123456789012345678]\nagent = \"gone\"\n[channel.42]\nmode = \"all_messages\"\nagent = \"\"\n")
	var asked []string
	find := func(agent string) error {
		asked = append(asked, agent)
		if agent == "gone" {
			return errors.New("there is no agent called gone")
		}
		return nil
	}
	var got []string
	for _, d := range f.Doubts(find) {
		got = append(got, d.String())
	}
	want := []string{"channels.toml:5: channel.123456789012345678.agent: there is no agent called gone", `channels.toml:6: channel.42: "42" is hardly an id`}
	if len(got) != 2 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) || strings.Join(asked, " ") != "helper gone" {
		t.Errorf("doubts:\n%s\nasked about %q", strings.Join(got, "\n"), asked)
	}
	if f.For("42", "").Mode != AllMessages {
		t.Error("a doubted section isn't in force")
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "channels.toml")
	if err := os.WriteFile(file, bytes.Repeat([]byte("#"), 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a folder": dir, "a file of more than 1 MB": file, "a path below a file": filepath.Join(file, "x")} {
		if f, _, err := Load(path); err == nil || f != nil {
			t.Errorf("%s is read as %+v, %v", name, f, err)
		}
		if err := Add(t.Context(), path, Person{ID: "301"}); err == nil {
			t.Errorf("%s: a person was added", name)
		}
	}
	if f, found, err := Load(filepath.Join(dir, "none")); err != nil || len(found) > 0 || f.May("301", nil, "1", "") || !f.Pairing {
		t.Errorf("a missing file is read as %+v, %v, %v", f, found, err)
	}
}

// A person who isn't in a section of their own can't be removed by cutting one out: the
// error says what to do.
func TestPeopleWhoAreNotInASectionStay(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"in the list of users": {"[allow]\nusers = [\"301\"]\n[people.301]\nname = \"Anna\"\n", "301 stands in users of [allow] in "},
		"not at all":           {"[allow]\n", "nobody with the id 301 was paired"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "channels.toml")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Remove(t.Context(), file, "301"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Remove gave %v", err)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != tt.text {
				t.Errorf("the file is now %q (%v)", data, err)
			}
		})
	}
	for _, text := range []string{
		"people = { 302 = { name = \"Ben\" } }",
		"[people.\"302\"]\nname = \"Ben\"\n",
		"[people]\n302.name = \"Ben\"\n",
		"[people.302.name]\n",
	} {
		file := filepath.Join(t.TempDir(), "channels.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Remove(t.Context(), file, "302"); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("Remove from %q gave %v", text, err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != text {
			t.Errorf("the file is now %q (%v)", data, err)
		}
	}
}
