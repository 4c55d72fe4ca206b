package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/discord/botstate"
)

func TestDiscordIsSetUpByCommands(t *testing.T) {
	e := newEnv(t, answering("hello"))
	state, err := botstate.Open(t.Context(), botstate.Config{File: filepath.Join(e.home, "discord", "state.db")})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := state.Pair(context.Background(), "301", "Anna\x1b[31m")
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		args  []string
		stdin string
		code  int
		says  string
	}{
		{args: []string{"discord", "status"}, says: "Discord is switched off. `mac-stats discord on` switches it on."},
		{args: []string{"discord", "token"}, stdin: "my token", code: 1, says: "no bot token: it is one word"},
		{args: []string{"discord", "token"}, stdin: "Bot abc.def.ghi\n", says: "saved in the file"},
		{args: []string{"discord", "on"}, says: "Discord is switched on."},
		{args: []string{"discord", "status"}, says: "waiting to be let in: 1"},
		{args: []string{"discord", "pairings"}, says: p.Code},
		{args: []string{"discord", "pair", "WRONG"}, code: 1, says: "No such code waits: codes hold for 15 minutes"},
		{args: []string{"discord", "pair", strings.ToLower(p.Code), "--owner"}, says: "may talk to the bot now"},
		{args: []string{"discord", "people"}, says: "owner"},
		{args: []string{"discord", "status", "--json"}, says: `"people":1`},
		{args: []string{"discord", "revoke", "301"}, says: "removed"},
		{args: []string{"discord", "revoke", "301"}, code: 1, says: "Nobody with the id 301 was paired."},
		{args: []string{"discord", "token", "--forget"}, says: "removed"},
		{args: []string{"discord", "off"}, says: "switched off"},
		{args: []string{"discord", "status"}, says: "no token"},
	}
	for _, s := range steps {
		o := e.runWith(t.Context(), s.stdin, s.args...)
		said := o.stdout + o.stderr
		if o.code != s.code || !strings.Contains(said, s.says) {
			t.Errorf("%s gave %d, %s; want %d and %q", strings.Join(s.args, " "), o.code, said, s.code, s.says)
		}
		if strings.Contains(said, "abc.def.ghi") || strings.Contains(said, "\x1b") {
			t.Errorf("%s shows what it should not: %q", strings.Join(s.args, " "), said)
		}
	}
	if _, err := os.Stat(filepath.Join(e.home, "discord", "token")); !os.IsNotExist(err) {
		t.Errorf("the token's file: %v", err)
	}
}
