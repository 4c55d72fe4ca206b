//go:build unix

package failuretest

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

// An editor may move a transcript away before it writes the new one. A message in between
// waits for that and comes after the existing text.
func TestAnEditorMovesTheTranscriptAway(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][2]string{
		"written anew":               {`cp "$T" "$T.buf" && mv "$T" "$T~"`, `cat "$T.buf" > "$T"; rm "$T.buf"`},
		"renamed, the copy removed":  {`cp "$T" .new && mv "$T" "$T~"`, `mv .new "$T"; rm "$T~"`},
		"moved out of the folder":    {`mv "$T" ../kept`, `cp ../kept "$T"; rm ../kept`},
		"a pause between the pieces": {`cp "$T" .new && mv "$T" "$T~"`, `head -c 300 .new > "$T"; sleep 0.4; tail -c +301 .new >> "$T"; rm .new`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, testkit.Script{
				Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
				Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
			})
			r := &returning{place: newPlace(t, server.Addr()), server: server}
			r.do("ask", "--session", "s", "one")
			r.do("ask", "--session", "s", "two")
			file := r.file(r.base)
			shell := func(script string) {
				cmd := exec.Command("sh", "-c", "umask 077; cd \"$(dirname \"$T\")\" && "+script)
				cmd.Env = append(cmd.Environ(), "T="+file)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			shell(steps[0])
			asked := r.start(r.command("ask", "--session", "s", "three"))
			time.Sleep(time.Second)
			shell(steps[1])
			if o := asked.wait(); o.code != 0 {
				t.Fatal(o.stderr)
			}
			if r.file(r.base) != file {
				t.Error("it has another name")
			}
			said := strings.Join(r.said("cli-s"), "\n")
			for _, want := range []string{"user: one", "user: two", "user: three"} {
				if strings.Count(said, want) != 1 {
					t.Errorf("%q stands there %d times:\n%s", want, strings.Count(said, want), said)
				}
			}
		})
	}
}
