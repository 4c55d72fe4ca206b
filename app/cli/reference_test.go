package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mac-stats/app/cli/cmdline"
	"mac-stats/app/config"
)

// These tests write the reference in docs/commands.md and docs/settings.md, and check that the
// documents name commands, flags and settings that exist.

var update = flag.Bool("update", false, "write the reference in docs/commands.md and docs/settings.md")

// A reference begins behind this line. What is above it is written by hand.
const referenceMark = "<!-- generated: `go test ./app/cli -run TestReference -update` writes everything below this line -->\n"

func TestReference(t *testing.T) {
	for name, want := range map[string]string{"commands.md": commandReference(), "settings.md": settingReference()} {
		file := filepath.Join("../../docs", name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, got, found := strings.Cut(string(data), referenceMark)
		if !found {
			t.Fatalf("%s lacks the line %q", file, referenceMark)
		}
		if *update {
			got = "\n" + want
			if err := os.WriteFile(file, []byte(before+referenceMark+got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff("\n"+want, got); diff != "" {
			t.Errorf("docs/%s is out of date; run this test with -update:\n%s", name, diff)
		}
	}
}

// Every command explains itself, and every list and state is there for programs too.
func TestEveryCommandHasHelpAndEveryListHasJSON(t *testing.T) {
	checked := 0
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		var out bytes.Buffer
		root := testRoot()
		root.SetOut(&out)
		root.SetArgs(append(path, "--help"))
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), cmd.UseLine()) {
			t.Errorf("%q: %v, %q", path, err, out.String())
		}
		checked++
		if slices.Contains([]string{"list", "status", "show", "search"}, cmd.Name()) && cmd.Flag("json") == nil {
			t.Errorf("%q has no --json", path)
		}
		for _, child := range cmd.Commands() {
			if child.Name() != "help" {
				each(child)
			}
		}
	}
	each(testRoot())
	if checked < 60 {
		t.Errorf("only %d commands were found", checked)
	}
}

// The keys of the table in docs/chat.md are the defaults of [shortcuts].
func TestKeysInTheDocumentsAreTheDefaults(t *testing.T) {
	data, err := os.ReadFile("../../docs/chat.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "\n## Keys\n")
	for action, does := range map[string]string{
		"new_chat": "new chat", "new_private_chat": "new private chat", "search": "search all conversations", "find": "find in the chat",
		"next_session": "next, previous session", "previous_session": "next, previous session", "answer_again": "answer again",
		"write": "to the composer", "settings": "settings", "shortcuts": "all shortcuts", "close": "hide the window", "quit": "quit",
	} {
		setting, ok := config.Lookup("shortcuts." + action)
		if !ok {
			t.Fatalf("there is no setting shortcuts.%s", action)
		}
		key := strings.ReplaceAll(strings.Fields(setting.Default)[0], "Mod+", "Cmd/Ctrl+")
		named := slices.ContainsFunc(strings.Split(table, "\n"), func(row string) bool {
			keys, words, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
			return strings.Contains(words, does) && strings.Contains(keys, key)
		})
		if !named {
			t.Errorf("docs/chat.md doesn't say that %s is %q", key, does)
		}
	}
}

// testRoot returns the root command as the program has it.
func testRoot() *cobra.Command {
	p := Params{Params: cmdline.Params{Stdin: &bytes.Buffer{}, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Version: "1"}}
	root := newRoot(cmdline.New(p.Params, nil), p, nil)
	root.InitDefaultVersionFlag()
	return root
}

// commandReference describes all commands in the order of the help.
func commandReference() string {
	var b strings.Builder
	root := testRoot()
	column := regexp.MustCompile(`(\S)( {3,})(\S)`)
	var list func(cmd *cobra.Command)
	list = func(cmd *cobra.Command) {
		if cmd.Name() == "help" {
			return
		}
		fmt.Fprintf(&b, "%s `%s`\n\n%s.\n\n", strings.Repeat("#", max(2, 1+len(strings.Fields(cmd.CommandPath())))), cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."))
		fmt.Fprintf(&b, "    %s\n\n", cmd.UseLine())
		if len(cmd.Aliases) > 0 {
			fmt.Fprintf(&b, "Also called `%s`.\n\n", strings.Join(cmd.Aliases, "`, `"))
		}
		if cmd.Long != "" && (!cmd.HasParent() || cmd.Parent().Name() != "completion") { // cobra's, about each shell's files
			fmt.Fprintf(&b, "```text\n%s\n```\n\n", cmd.Long)
		}
		var flags []string
		add := func(f *pflag.Flag) {
			if f.Name != "help" {
				flags = append(flags, "| `"+typedFlag(f)+"` | "+cell(flagHelp(f))+" |\n")
			}
		}
		cmd.LocalFlags().VisitAll(add)
		if cmd != root && takesDemo(cmd) {
			add(root.PersistentFlags().Lookup("demo"))
		}
		if len(flags) > 0 {
			b.WriteString("| flag | what it does |\n|---|---|\n" + strings.Join(flags, "") + "\n")
		}
		if cmd.Example != "" {
			var lines []string
			for line := range strings.Lines(cmd.Example) {
				lines = append(lines, column.ReplaceAllString(strings.TrimSpace(line), "$1$2# $3"))
			}
			b.WriteString("```sh\n" + strings.Join(lines, "\n") + "\n```\n\n")
		}
		for _, child := range cmd.Commands() {
			list(child)
		}
	}
	list(root)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// typedFlag returns a flag as people type it: "-o, --output FILE".
func typedFlag(f *pflag.Flag) string {
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	if kind, _ := pflag.UnquoteUsage(f); kind != "" {
		text += " " + kind
	}
	return text
}

func flagHelp(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && f.DefValue != "0s" {
		text += " (default `" + f.DefValue + "`)"
	}
	return text
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func settingReference() string {
	var b strings.Builder
	section := ""
	for _, s := range config.Settings() {
		table, name, _ := strings.Cut(s.Key, ".")
		if table != section {
			section = table
			fmt.Fprintf(&b, "\n### `[%s]`\n\n| key | default | what it does |\n|---|---|---|\n", section)
		}
		text := s.Help
		if s.Kind != config.KindSwitch && s.Kind != config.KindShortcut {
			text += " Allowed: " + strings.Replace(s.Allowed, ", written like 30s, 30m, 12h or 30d", "", 1) + "." // the page says it once
		}
		for _, other := range s.Also {
			name, unit, _ := strings.Cut(other, " ")
			text += " Also read from " + strings.TrimSpace("`"+name+"` "+unit) + "."
		}
		if s.Strict != "" {
			text += " If it can't be read: `" + s.Strict + "`."
		}
		if s.Restart {
			text += " Takes effect after a restart."
		}
		def := "`" + s.Default + "`"
		if s.Default == "" {
			def = "empty"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, def, cell(text))
	}
	return strings.TrimLeft(b.String(), "\n")
}

// document is a page that people read.
type document struct{ name, text string }

func documents(t *testing.T) []document {
	t.Helper()
	names, err := fs.Glob(os.DirFS("../.."), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []document
	for _, name := range append(names, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, document{name, string(data)})
	}
	return list
}

var (
	codeBlock  = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	inlineCode = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")
	planned    = regexp.MustCompile(`(?m)^.*\| planned \|$`) // what the program doesn't promise yet
	// A command in a line of a shell: at its start or behind a pipe.
	typed = regexp.MustCompile(`(?:^|[|&;(] *)(?:\w+=\S+ )*(?:bin/)?mac-stats((?: [^|;#)]*)?)`)
)

// Every command line in the documents is one that the program accepts: the command and its
// flags exist. Arguments are not checked.
func TestCommandsInTheDocumentsExist(t *testing.T) {
	checked := 0
	for _, d := range documents(t) {
		prose := planned.ReplaceAllString(d.text, "")
		var lines []string
		for _, m := range codeBlock.FindAllStringSubmatch(d.text, -1) {
			prose = strings.Replace(prose, m[0], "", 1)
			if m[1] == "sh" {
				lines = append(lines, strings.Split(m[2], "\n")...)
			}
		}
		for _, m := range inlineCode.FindAllStringSubmatch(prose, -1) {
			lines = append(lines, strings.ReplaceAll(m[1], "\n", " "))
		}
		for _, line := range lines {
			for _, m := range typed.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
				checked++
				if err := checkCommand(m[1]); err != nil {
					t.Errorf("%s: %s: %v", d.name, line, err)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d commands were found", checked)
	}
}

var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// checkCommand parses what follows the program's name.
func checkCommand(line string) error {
	root := testRoot()
	args := strings.Fields(quoted.ReplaceAllString(line, "TEXT"))
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if left := cmd.Flags().Args(); cmd.HasSubCommands() && len(left) > 0 {
		return fmt.Errorf("%s has no command %q", cmd.CommandPath(), left[0])
	}
	return nil
}

// Every key of config.toml that the documents name exists.
func TestSettingsInTheDocumentsExist(t *testing.T) {
	sections := map[string]bool{}
	for _, s := range config.Settings() {
		section, _, _ := strings.Cut(s.Key, ".")
		sections[section] = true
	}
	key := regexp.MustCompile("`([a-z_]+)\\.([a-z_]+)(?: = [^`]+)?`")
	checked := 0
	for _, d := range documents(t) {
		for _, m := range key.FindAllStringSubmatch(d.text, -1) {
			if !sections[m[1]] || slices.Contains([]string{"db", "json", "md", "toml"}, m[2]) { // a file
				continue
			}
			checked++
			if _, ok := config.Lookup(m[1] + "." + m[2]); !ok {
				t.Errorf("%s names the setting %s, which doesn't exist", d.name, m[0])
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d settings were found", checked)
	}
}
