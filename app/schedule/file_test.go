package schedule

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const peoples = `# mine
[[schedule]] # the morning
name = "Morning"   # what it is called
when = "every weekday at 8"
prompt = """
What is new?
And "what" else?"""
quiet = "22:00-7:00"

# do not lose this
[[schedule]]
enabled = false
name = 'Backup'
when = "0 20 * * 5"
prompt = "Is the backup done?"
on_battery = false
# the end
`

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLoad(t *testing.T) {
	list, problems := Load(write(t, peoples))
	if len(problems) > 0 || len(list) != 2 {
		t.Fatalf("%d schedules, %v", len(list), problems)
	}
	m, b := list[0], list[1]
	if m.Name != "Morning" || m.When.line != "0 8 * * 1-5" || m.Prompt != "What is new?\nAnd \"what\" else?" || !m.Enabled || !m.OnBattery || m.Quiet.String() != "22:00-7:00" || m.Session() != "schedule-morning" {
		t.Errorf("%+v", m)
	}
	if b.Enabled || b.OnBattery {
		t.Errorf("%+v", b)
	}
	if list, problems := Load(filepath.Join(t.TempDir(), "none.toml")); list != nil || problems != nil {
		t.Error(list, problems)
	}
}

func TestProblemsKeepTheirOrder(t *testing.T) {
	text := []byte("a = 1\nb = 2\nc = 3\nd = 4\n")
	_, first := parse(text)
	for range 50 {
		if _, again := parse(text); !slices.Equal(first, again) {
			t.Fatalf("the same file is told anew: %v, then %v", first, again)
		}
	}
}

func TestMistakesAreReportedWithTheirLine(t *testing.T) {
	good := "[[schedule]]\nname = \"Good\"\nwhen = \"every hour\"\nprompt = \"x\"\n"
	for name, test := range map[string]struct{ text, want string }{
		"no TOML":           {"[[schedule]\n", "schedules.toml, line 1: it isn't TOML here"},
		"times":             {good + "[[schedule]]\nname = \"A\"\nwhen = \"noon\"\nprompt = \"x\"\n", `schedules.toml, line 7 (A): when: write it like "every day at 8"`},
		"no prompt":         {good + "\n[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\n", "schedules.toml, line 6 (A): prompt is missing. Add a line prompt"},
		"an unknown key":    {good + "[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"x\"\nquite = \"22-7\"\n", "schedules.toml, line 9 (A): quite: there is no such key; the keys are name"},
		"a wrong kind":      {good + "[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \"x\"\nenabled = \"yes\"\n", "line 9 (A): enabled: it must be true or false"},
		"two of one name":   {good + good, "line 6 (Good): another schedule has this name"},
		"two much alike":    {good + strings.Replace(good, "Good", "good!", 1), "line 6 (good!): another schedule has this name"},
		"a table":           {good + "[schedules]\nx = 1\n", `"schedules" isn't known. Begin each schedule with a line [[schedule]].`},
		"an empty prompt":   {good + "[[schedule]]\nname = \"A\"\nwhen = \"every hour\"\nprompt = \" \"\n", "prompt: it is empty"},
		"a name of 2 lines": {good + "[[schedule]]\nname = \"A\\nB\"\nwhen = \"every hour\"\nprompt = \"x\"\n", "name: it must be one line"},
	} {
		t.Run(name, func(t *testing.T) {
			list, problems := Load(write(t, test.text))
			if len(problems) != 1 || !strings.Contains(problems[0].String(), test.want) {
				t.Errorf("problems %q, want %q", problems, test.want)
			}
			if wanted := name != "no TOML"; wanted != (len(list) == 1 && list[0].Name == "Good") {
				t.Errorf("the good one: %v", list)
			}
		})
	}
}

func TestEveryScheduleHasItsOwnSession(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"Morning", "morning news", "Früh", "Fruh", "Frèh", "早报", "晚报", "!!", "??", strings.Repeat("x", 60), "a b"} {
		s := Schedule{Name: name}.Session()
		if other, taken := seen[s]; taken {
			t.Errorf("%q and %q share %s", name, other, s)
		}
		seen[s] = name
		if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.HasSuffix(s, "-") || len(s) > 60 {
			t.Errorf("%q makes %q", name, s)
		}
	}
}

func TestEditsKeepTheUsersText(t *testing.T) {
	ctx := t.Context()
	file := write(t, peoples)
	list, _ := Load(file)
	m := list[0]

	m.When, m.Agent, m.Enabled = mustWhen(t, "every day at 9:30"), "coder", false
	if err := Put(ctx, file, "Morning", m); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(peoples, `"every weekday at 8"`, `"every day at 9:30"`, 1)
	want = strings.Replace(want, "quiet = \"22:00-7:00\"\n", "quiet = \"22:00-7:00\"\nagent = \"coder\"\nenabled = false\n", 1)
	if diff := cmp.Diff(want, read(t, file)); diff != "" {
		t.Errorf("a change (-want +got):\n%s", diff)
	}

	if err := SetEnabled(ctx, file, "Backup", true); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, "enabled = false\nname = 'Backup'", "enabled = true\nname = 'Backup'", 1)
	if diff := cmp.Diff(want, read(t, file)); diff != "" {
		t.Errorf("a switch (-want +got):\n%s", diff)
	}

	m.Name = "Early"
	if err := Put(ctx, file, "Morning", m); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, `name = "Morning"   # what`, `name = "Early"   # what`, 1)
	if diff := cmp.Diff(want, read(t, file)); diff != "" {
		t.Errorf("a name (-want +got):\n%s", diff)
	}

	if err := Remove(ctx, file, "Early"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, file); !strings.HasPrefix(got, "# mine\n\n# do not lose this\n[[schedule]]\n") || !strings.HasSuffix(got, "# the end\n") {
		t.Errorf("after removing:\n%s", got)
	}
	m.Name, m.Prompt = "Odd \"name\" \\", "tab\there\nand \\ \"\"\" quotes"
	if err := Put(ctx, file, "", m); err != nil {
		t.Fatal(err)
	}
	if list, problems := Load(file); len(problems) > 0 || len(list) != 2 || !equal(list[1], m) {
		t.Errorf("%+v %v", list, problems)
	}
	if err := Remove(ctx, file, m.Name); err != nil {
		t.Error(err)
	}
}

func TestRefusedEditsChangeNothing(t *testing.T) {
	ctx := t.Context()
	s := Schedule{Name: "Backup", When: mustWhen(t, "every hour"), Prompt: "x", Enabled: true, OnBattery: true}
	other := s
	other.Name = ""
	for name, test := range map[string]struct {
		text string
		do   func(file string) error
		want string
	}{
		"a name that is taken": {peoples, func(f string) error { return Put(ctx, f, "", s) }, "another schedule has this name"},
		"renamed to another":   {peoples, func(f string) error { return Put(ctx, f, "Morning", s) }, "another schedule has this name"},
		"no name":              {peoples, func(f string) error { return Put(ctx, f, "", other) }, "name: it is empty"},
		"nobody":               {peoples, func(f string) error { return Remove(ctx, f, "Evening") }, "no schedule of that name"},
		"no TOML":              {"[[schedule]\n", func(f string) error { return Put(ctx, f, "", s) }, "it isn't TOML here"},
		"an inline list":       {"schedule = [{name = \"A\", when = \"every hour\", prompt = \"x\"}]\n", func(f string) error { return Remove(ctx, f, "A") }, "no schedule of that name"},
		"added to one":         {"schedule = [{name = \"A\", when = \"every hour\", prompt = \"x\"}]\n", func(f string) error { return Put(ctx, f, "", s) }, "edit it by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, test.text)
			if err := test.do(file); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if got := read(t, file); got != test.text {
				t.Errorf("the file became\n%s", got)
			}
		})
	}
}

func TestANewFileExplainsItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", FileName)
	s := Schedule{Name: "Morning", When: mustWhen(t, "every day at 8"), Prompt: "What is new?", Enabled: true, OnBattery: true}
	if err := Put(t.Context(), file, "", s); err != nil {
		t.Fatal(err)
	}
	if got := read(t, file); !strings.HasPrefix(got, template) || !strings.HasSuffix(got, "\n[[schedule]]\nname = \"Morning\"\nwhen = \"every day at 8\"\nprompt = \"What is new?\"\n") {
		t.Errorf("%s", got)
	}
	// the examples in the comment are valid
	list, problems := parse(regexp.MustCompile("(?m)^# ").ReplaceAll([]byte(strings.SplitN(template, "#\n", 2)[1]), nil))
	if len(problems) > 0 || len(list) != 1 {
		t.Errorf("the example: %v, %v", list, problems)
	}
}

func TestEditsOfAFileFromAnotherSystem(t *testing.T) {
	ctx := t.Context()
	dos := "\uFEFF" + strings.ReplaceAll(peoples, "\n", "\r\n")
	file := write(t, dos)
	if err := SetEnabled(ctx, file, "Backup", true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(dos, "enabled = false", "enabled = true", 1), read(t, file)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := SetEnabled(ctx, file, "Morning", false); err != nil {
		t.Fatal(err)
	}
	list, problems := Load(file)
	if len(problems) > 0 || len(list) != 2 || list[0].Enabled || !list[1].Enabled {
		t.Errorf("%+v, %v", list, problems)
	}
	for _, name := range []string{"Morning", "Backup"} {
		if err := Remove(ctx, file, name); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, file); !strings.HasPrefix(got, "\uFEFF# mine") || !strings.Contains(got, "# do not lose this") {
		t.Errorf("what is left: %q", got)
	}
}

func TestALinkedFileStaysALink(t *testing.T) {
	file := write(t, peoples)
	link := filepath.Join(t.TempDir(), FileName)
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // Windows
	}
	if err := Remove(t.Context(), link, "Backup"); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if list, _ := Load(file); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}
