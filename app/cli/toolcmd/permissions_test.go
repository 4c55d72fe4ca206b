package toolcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/app/cli/clitest"
)

func TestPermissionsAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	if out := e.Must(t, "permissions"); !strings.Contains(out, "Nothing is allowed for good") {
		t.Errorf("%s", out)
	}
	file := filepath.Join(e.Home, "permissions.toml")
	kept := tools.OpenAnswers(file)
	for _, p := range []tools.Permission{
		{Agent: "coder", Tool: tools.RunCmd, Covers: "git", Answer: tools.AnswerAlways},
		{Agent: "orchestrator", Tool: "files.read_file", Answer: tools.AnswerNever},
	} {
		if err := kept.Keep(p, false); err != nil {
			t.Fatal(err)
		}
	}
	list := clitest.Objects(t, e.Must(t, "permissions", "list", "--json"))
	if len(list) != 2 || list[0]["type"] != "permission" || list[0]["covers"] != "git" || list[1]["answer"] != "never" {
		t.Fatalf("%+v", list)
	}
	if out := e.Must(t, "permissions"); !strings.Contains(out, "RUN_CMD git") || !strings.Contains(out, "never") {
		t.Errorf("%s", out)
	}
	id, _ := list[0]["id"].(string)
	e.Must(t, "permissions", "revoke", id)
	if o := e.Run(t, "permissions", "revoke", id); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "permissions list` shows") {
		t.Errorf("%+v", o)
	}
	if out := e.Must(t, "permissions", "clear"); out != "Revoked 1 permission.\n" {
		t.Errorf("%q", out)
	}
	if err := os.WriteFile(file, []byte("[[perm"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"clear"}, {"revoke", id}} {
		if o := e.Run(t, append([]string{"permissions"}, args...)...); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Nothing is allowed until it is put right.") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	e.Refuses(t, "needs one ID; `permissions list` shows them", "permissions", "revoke")
	e.Refuses(t, `no command "give"`, "permissions", "give")
}

func TestPermissionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Write(t, "permissions.toml", "[[permission")
	for _, args := range [][]string{{}, {"list"}, {"revoke", "x"}, {"clear"}} {
		if o := e.Run(t, append([]string{"permissions"}, args...)...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.HasSuffix(o.Stderr, "Nothing is allowed until it is put right.\n") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
