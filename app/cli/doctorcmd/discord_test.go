package doctorcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestDoctorChecksDiscord(t *testing.T) {
	t.Parallel()
	const on = "[discord]\nenabled = true\n"
	const allowed = "[allow]\nusers = [\"301\"]\n"
	status := func(state, text, next string) string {
		return `{"state":"` + state + `","text":"` + text + `","next":"` + next + `","since":"2026-11-21T10:00:00Z","pid":1}`
	}
	tests := map[string]struct {
		config   string
		channels string
		status   string
		token    bool
		runs     bool
		check    string // the line's name
		found    string
		fix      string // "" if it isn't a finding
	}{
		"given it is off":                     {config: "", check: "discord", found: "switched off"},
		"given no token":                      {config: on, channels: allowed, check: "discord token", found: "There is no token", fix: "mac-stats discord token"},
		"given a token and nothing running":   {config: on, channels: allowed, token: true, check: "discord", found: "answers while the app runs"},
		"given it is connected":               {config: on, channels: allowed, token: true, runs: true, status: status("ready", "Connected as luna.", ""), check: "discord", found: "Connected as luna, since 2026-11-21 10:00"},
		"given Discord stopped it":            {config: on, channels: allowed, token: true, runs: true, status: status("stopped", "Discord refused the token.", "Copy it again."), check: "discord", found: "refused the token", fix: "Copy it again."},
		"given no network":                    {config: on, channels: allowed, token: true, runs: true, status: status("waiting", "Discord can't be reached.", ""), check: "discord", found: "can't be reached", fix: "Check the network"},
		"given channels.toml is no TOML":      {config: on, channels: "[allow", token: true, check: "channels", found: "channels.toml", fix: "Edit "},
		"given a mode that is none":           {config: on, channels: allowed + "[default]\nmode = \"loud\"\n", token: true, check: "channels", found: "channels.toml:4: default.mode", fix: "Edit "},
		"given nobody was let in":             {config: on, token: true, check: "channels", found: "nobody may talk to the bot yet"},
		"given nobody can be":                 {config: on, channels: "[allow]\npairing = false\n", token: true, check: "channels", found: "nobody can ask to", fix: "allow.pairing = true"},
		"given a mode that needs an intent":   {config: on + "message_content = \"off\"\n", channels: allowed + "[channel.200]\nmode = \"all_messages\"\n", token: true, check: "channels", found: "message_content", fix: "Message Content Intent"},
		"given an agent that is none":         {config: on, channels: allowed + "[default]\nagent = \"codr\"\n", token: true, check: "channels", found: "channels.toml:4: default.agent: ", fix: "Edit "},
		"given a channels.toml that is right": {config: on, channels: allowed, token: true, check: "channels", found: "channels.toml is fine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := clitest.New(t, clitest.Answering("x"))
			e.AppRuns = tt.runs
			e.Write(t, "config.toml", tt.config)
			e.Write(t, "discord/channels.toml", tt.channels)
			if tt.status != "" {
				e.Write(t, "discord/status.json", tt.status)
			}
			if tt.token {
				e.Write(t, "discord/token", "abc.def.ghi\n")
			}
			o := e.Run(t, "doctor", "--json")
			if strings.Contains(o.Stdout, "abc.def") {
				t.Error("it shows the token")
			}
			for _, line := range clitest.Objects(t, o.Stdout) {
				found, fix := line["found"].(string), line["fix"].(string)
				if line["name"] != tt.check || !strings.Contains(found, tt.found) {
					continue
				}
				if line["ok"] != (tt.fix == "") || !strings.Contains(fix, tt.fix) || tt.fix == "" && fix != "" {
					t.Errorf("found %v", line)
				}
				return
			}
			t.Errorf("%s does not say %q:\n%s", tt.check, tt.found, o.Stdout)
		})
	}
}

func TestDoctorFindsAReadableDiscordFile(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("x"))
	e.Write(t, "config.toml", "[discord]\nenabled = true\n")
	e.Write(t, "discord/token", "abc.def.ghi\n")
	if err := os.Chmod(filepath.Join(e.Home, "discord", "token"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := e.Run(t, "doctor")
	for _, want := range []string{"others may read " + filepath.Join(e.Home, "discord", "token"), "chmod 600"} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, o.Stdout)
		}
	}
}
