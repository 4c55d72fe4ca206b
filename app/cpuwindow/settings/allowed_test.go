package settings

import (
	"path/filepath"
	"testing"

	"mac-stats/agents/tools"
	"mac-stats/app/ui/screentest"
)

func TestPermissionsAreRevokedOnThePage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		kept := tools.OpenAnswers(filepath.Join(b.home, "permissions.toml"))
		for _, p := range []tools.Permission{
			{Agent: "coder", Tool: tools.RunCmd, Covers: "git", Answer: tools.AnswerAlways},
			{Agent: "coder", Tool: "files.read_file", Answer: tools.AnswerNever},
		} {
			if err := kept.Keep(p, false); err != nil {
				t.Fatal(err)
			}
		}
		b.parts.Allowed = kept
		b.open()
		b.page.search.Field.OnChange("revoke")
		b.Settle()
		b.Sees("coder may always use RUN_CMD git", "coder may never use files.read_file", "Open permissions.toml")
		b.tap("Revoke")
		b.Settle()
		b.SeesNot("RUN_CMD git")
		b.Sees("coder may never use files.read_file")
		if list, err := kept.List(); err != nil || len(list) != 1 {
			t.Errorf("%+v %v", list, err)
		}
	})
}
