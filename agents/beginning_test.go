package agents

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

// say sends a message in the app and waits for all that follows.
func (r *conversing) say(text string) {
	r.t.Helper()
	if _, err := r.app.Start(r.t.Context(), Request{Session: testSession, Text: text, Holder: "window"}).Wait(); err != nil {
		r.t.Fatal(err)
	}
	r.settle()
}

// asked returns the request that the last message made.
func (r *conversing) asked() *api.ChatRequest {
	r.t.Helper()
	chats := r.server.Chats()
	for i := len(chats) - 1; i >= 0; i-- {
		if chats[i].Rule == "chat" && chats[i].Chat.Messages[len(chats[i].Chat.Messages)-1].Role == "user" {
			return chats[i].Chat
		}
	}
	r.t.Fatal("no message was asked")
	return nil
}

func (r *conversing) edit(from, to string) {
	r.t.Helper()
	text := r.read("agents/memory.md")
	if !strings.Contains(text, from) {
		r.t.Fatalf("the memory lacks %q", from)
	}
	r.write("agents/memory.md", strings.Replace(text, from, to, 1))
}

// A line that is added to the memory during a conversation is in the next request, beside
// the message; everything before the message stays as it was, to the byte, also in another
// process. At the next Summary it moves into the system prompt.
func TestAddedMemoryIsSentBesideTheMessage(t *testing.T) {
	const line = "The printer is on the second floor"
	for name, add := range map[string]func(r *conversing){
		"at the end":    func(r *conversing) { r.write("agents/memory.md", r.read("agents/memory.md")+"- "+line+"\n") },
		"in the middle": func(r *conversing) { r.edit("# Memory\n", "# Memory\n\n- "+line+"\n") },
		"in the agent's own memory": func(r *conversing) {
			r.write("agents/agent-000/memory.md", r.read("agents/agent-000/memory.md")+"\n- "+line+"\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newConversing(t)
			r.write("agents/agent-000/memory.md", "# Mine\n\n- Speaks plainly\n")
			r.say("Message 1: hello there")
			before := r.asked()
			add(r)
			r.say("Message 2: and this?")
			now := r.asked()
			if now.Messages[0].Content != before.Messages[0].Content {
				t.Errorf("the system prompt changed:\n%s", now.Messages[0].Content)
			}
			last := now.Messages[len(now.Messages)-1].Content
			if !strings.HasPrefix(last, "Message 2: and this?\n\n[Context, not from the user: remembered since") || strings.Count(last, line) != 1 {
				t.Errorf("the message is sent as %q", last)
			}
			r.inTerminal("Message 3: again")
			r.settle()
			then := r.asked()
			if rendered(then)[:len(rendered(now))] != rendered(now) {
				t.Errorf("the terminal begins otherwise:\n%s\n\n%s", rendered(then), rendered(now))
			}
			for i := 4; !strings.Contains(rendered(r.asked()), "# The conversation so far") && i < 30; i++ {
				r.say(fmt.Sprintf("Message %d: ", i) + words("plan", i, 30))
			}
			if sent := r.asked(); !strings.Contains(sent.Messages[0].Content, line) || strings.Count(rendered(sent), line) != 1 {
				t.Errorf("after a Summary:\n%s", rendered(sent))
			}
		})
	}
}

// calibrated is a catalog that has learned that models count more tokens than estimated.
type calibrated struct {
	background.ModelResolver
	factors map[string]int
}

func (c calibrated) Estimate(model string, raw int) int { return c.factors[model] * raw }

// Each process learns by itself how many tokens a model counts. A conversation goes on with
// what its first request was cut by, in the app and in a terminal.
func TestProcessesWithOtherCalibrationsShareTheBeginning(t *testing.T) {
	r := newConversing(t)
	for i := range 30 { // a roster that has room by the one count alone
		r.write(fmt.Sprintf("agents/clerk%d.md", i), fmt.Sprintf("---\nname: clerk%d\ndescription: %s\n---\nYou are a clerk.\n", i, words("clerk", i, 15)))
	}
	r.params.Models = calibrated{r.params.Models, map[string]int{testModel: 3}}
	r.app = r.process(r.store)
	r.app.Attend(testSession)
	r.inTerminal("Message 1: hello there")
	r.settle()
	before := rendered(r.asked())
	for i := 2; i < 8; i++ {
		text := fmt.Sprintf("Message %d: and this?", i)
		if r.say(text); i%2 == 0 {
			r.inTerminal("again: " + text)
			r.settle()
		}
		now := rendered(r.asked())
		if !strings.HasPrefix(now, before) && !strings.Contains(now, "# The conversation so far") {
			t.Fatalf("request %d begins otherwise from byte %d on:\n%s", i, sharedBytes(now, before), now)
		}
		before = now
	}
}

// Each model counts otherwise, and a conversation that goes on with another one is cut by
// that one's count.
func TestAnotherModelHasItsOwnCalibration(t *testing.T) {
	r := newConversing(t)
	for i := range 30 {
		r.write(fmt.Sprintf("agents/clerk%d.md", i), fmt.Sprintf("---\nname: clerk%d\ndescription: %s\n---\nYou are a clerk.\n", i, words("clerk", i, 15)))
	}
	r.params.Models = calibrated{r.params.Models, map[string]int{testModel: 3, "other:8b": 1}}
	r.app = r.process(r.store)
	ask := func(session, model string) string {
		if _, err := r.app.Start(t.Context(), Request{Session: session, Text: "hello there", Model: model}).Wait(); err != nil {
			t.Fatal(err)
		}
		r.settle()
		return r.asked().Messages[0].Content
	}
	alone := map[string]string{}
	for model, session := range map[string]string{testModel: "cpu-20261125-0800", "other:8b": "cpu-20261125-0900"} {
		alone[model] = ask(session, model)
	}
	for i, model := range []string{testModel, "other:8b", testModel} {
		if got := ask(testSession, model); got != alone[model] {
			t.Errorf("message %d: %s is asked with a system prompt of %d bytes, in a conversation of its own with one of %d", i, model, len(got), len(alone[model]))
		}
	}
}

// A person may edit a transcript, and an earlier version wrote no calibration.
func TestACalibrationThatNoModelHasIsIgnored(t *testing.T) {
	for _, written := range []string{"", "/", "/3", "/NaN/NaN", "/+Inf/3", "/3/-Inf", "/-3/-3", "/0/0", "/1e-300/3", "/3/1e-300", "/0.01/0.01", "/1e300/1e300", "/9/3", "/three/3"} {
		t.Run(url.PathEscape(written), func(t *testing.T) {
			r := newConversing(t)
			for i := range 30 {
				r.write(fmt.Sprintf("agents/clerk%d.md", i), fmt.Sprintf("---\nname: clerk%d\ndescription: %s\n---\nYou are a clerk.\n", i, words("clerk", i, 15)))
			}
			r.params.Models = calibrated{r.params.Models, map[string]int{testModel: 3}}
			r.app = r.process(r.store)
			r.say("Message 1: hello there")
			before := r.asked().Messages[0].Content
			files, err := filepath.Glob(filepath.Join(r.root, "session", "*.md"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			path := filepath.Join("session", filepath.Base(files[0]))
			text := r.read(path)
			if !strings.Contains(text, "/3/3") {
				t.Fatalf("no calibration is in %s", text)
			}
			r.write(path, strings.Replace(text, "/3/3", written, 1))
			r.say("Message 2: and this?")
			if now := r.asked().Messages[0].Content; now != before {
				t.Errorf("the system prompt had %d bytes, and has %d", len(before), len(now))
			}
			if text := r.read(path); !strings.Contains(text, "/3/3") {
				t.Errorf("the next answer keeps no calibration:\n%s", text)
			}
		})
	}
}

// What was removed from the memory, or changed, is in no later request: not in the system
// prompt, beside no earlier message, in no Summary and in nothing that is prepared.
func TestRemovedMemoryIsInNoLaterRequest(t *testing.T) {
	const old, late = "The gate code is tulip nineteen", "The spare key hangs in the shed"
	for name, remove := range map[string]struct {
		gone string
		do   func(r *conversing)
	}{
		"an old line":                 {old, func(r *conversing) { r.edit("- "+old+"\n", "") }},
		"a line added meanwhile":      {late, func(r *conversing) { r.edit("- "+late+"\n", "") }},
		"a changed line":              {"tulip nineteen", func(r *conversing) { r.edit("tulip nineteen", "rose eighty") }},
		"the heading above it":        {"## House", func(r *conversing) { r.edit("## House", "## Home") }},
		"all of it":                   {old, func(r *conversing) { r.write("agents/memory.md", "") }},
		"the file":                    {old, func(r *conversing) { r.removeMemory() }},
		"in exchange for another one": {old, func(r *conversing) { r.edit("- "+old+"\n", "- The gate is open\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newConversing(t)
			r.write("agents/memory.md", "# Memory\n\n- Answers in short sentences\n\n## House\n\n- "+old+"\n- The cellar is damp\n")
			r.say("Message 1: hello there")
			r.write("agents/memory.md", r.read("agents/memory.md")+"- "+late+"\n")
			r.say("Message 2: and this?")
			r.say("Message 3: and then?")
			if text := rendered(r.asked()); !strings.Contains(text, late) || !strings.Contains(text, old) {
				t.Fatalf("not sent at first:\n%s", text)
			}
			first := len(r.server.Chats())
			remove.do(r)
			r.app.MemoryChanged()
			r.settle()
			for i := range 6 { // over a Summary
				r.say(fmt.Sprintf("Message %d: go on, please", 4+i))
			}
			kinds := map[string]bool{}
			for i, c := range r.server.Chats()[first:] {
				kinds[c.Rule] = true
				if text := string(c.Raw); strings.Contains(text, remove.gone) {
					t.Errorf("request %d (%s) holds it:\n%s", i, c.Rule, rendered(c.Chat))
				}
			}
			if !kinds["chat"] || !kinds["summary"] || !kinds["prepare"] {
				t.Errorf("only %v were made", kinds)
			}
		})
	}
}

// patient is a server that reads a beginning until it is ended.
type patient struct {
	reads chan ollama.ChatRequest
	ended chan error
}

func (patient) Expect(ollama.ChatRequest) ollama.Reading { return ollama.Reading{} }

func (patient) Kept(ollama.ChatRequest) {}

func (p patient) Prepare(ctx context.Context, req ollama.ChatRequest, _ ollama.PrepareOptions) (int, error) {
	p.reads <- req
	<-ctx.Done()
	p.ended <- ctx.Err()
	return 0, ctx.Err()
}

// What is being prepared ends as soon as it may hold what was removed, or as nobody looks
// at its conversation.
func TestAPreparationEndsWithItsReason(t *testing.T) {
	const line = "The gate code is tulip nineteen"
	for name, end := range map[string]func(r *conversing){
		"a line was removed":       func(r *conversing) { r.edit("- "+line+"\n", ""); r.app.MemoryChanged() },
		"another conversation":     func(r *conversing) { r.app.Attend("cpu-other") },
		"the window is hidden":     func(r *conversing) { r.app.Attend("") },
		"somebody sends a message": func(r *conversing) { r.app.Start(r.t.Context(), Request{Session: testSession, Text: "Now?"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newConversing(t)
			r.write("agents/memory.md", "# Memory\n\n- "+line+"\n")
			r.settle()
			server := patient{make(chan ollama.ChatRequest, 9), make(chan error, 9)}
			r.app.p.Cache = server
			r.app.MemoryChanged()
			if text := (<-server.reads).Messages[0].Content; !strings.Contains(text, line) {
				t.Fatalf("it is prepared without the line:\n%s", text)
			}
			end(r)
			select {
			case <-server.ended:
			case <-time.After(10 * time.Second):
				t.Fatal("it goes on")
			}
			if name == "a line was removed" {
				if text := (<-server.reads).Messages[0].Content; strings.Contains(text, line) {
					t.Errorf("it is prepared with the line:\n%s", text)
				}
			}
		})
	}
}

// answered counts the requests that a rule answered.
func (r *conversing) answered(rule string) (n int) {
	for _, c := range r.server.Chats() {
		if c.Rule == rule {
			n++
		}
	}
	return n
}

func (r *conversing) removeMemory() {
	if err := os.Remove(r.root + "/agents/memory.md"); err != nil {
		r.t.Fatal(err)
	}
}

// A Summary that is asked as a continuation of the chat must not take over what only the
// memory says: that line may be removed one day.
func TestSummaryTakesNothingFromTheMemory(t *testing.T) {
	r := newConversing(t)
	const line = "The gate code is tulip nineteen"
	r.write("agents/memory.md", "# Memory\n\n- "+line+"\n")
	r.repeats = line
	for i := range 4 {
		r.say(fmt.Sprintf("Message %d: what of the garden in number %d?", i, i))
	}
	for _, b := range r.blocks() {
		if b.Kind == "summary" && strings.Contains(b.Text, line) {
			t.Errorf("the Summary: %s", b.Text)
		}
	}
	if asked := r.answered("summary"); asked != 2 {
		t.Errorf("the model was asked %d times for a Summary, want once more without the memory", asked)
	}
}

// A line that was sent beside a message is sent again if that message leaves the
// conversation, as somebody on Discord deletes it.
func TestAddedMemoryOutlivesItsMessage(t *testing.T) {
	r := newConversing(t)
	const line = "The printer is on the second floor"
	r.say("Message 1: hello there")
	r.write("agents/memory.md", r.read("agents/memory.md")+"- "+line+"\n")
	r.say("Message 2: and this?")
	id := ""
	for _, b := range r.blocks() {
		if b.Kind == transcript.KindUser {
			id = b.ID
		}
	}
	if _, err := r.store.Session(testSession).Append(t.Context(), transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteDeleted, Parent: id}); err != nil {
		t.Fatal(err)
	}
	r.say("Message 3: again")
	if text := rendered(r.asked()); strings.Count(text, line) != 1 || strings.Contains(text, "and this?") {
		t.Errorf("it is sent as:\n%s", text)
	}
}

// Work on a chat that uses the same model continues that chat: the server reads only the
// task. A call in the answer doesn't run.
func TestSmallWorkContinuesTheChat(t *testing.T) {
	r := newConversing(t)
	r.calls = testkit.ToolCall("MEMORY_APPEND", "lesson", "The model did this by itself")
	for i := range 4 {
		r.say(fmt.Sprintf("Message %d: ", i) + words("plan", i, 30))
	}
	seen := map[string]bool{}
	var before *api.ChatRequest
	for _, c := range r.server.Chats() {
		if c.Rule == "summary" || c.Rule == "title" {
			seen[c.Rule] = true
			if again := len(rendered(before)) - sharedBytes(rendered(before), rendered(c.Chat)); again > 0 {
				t.Errorf("the %s drops %d characters that the server has read", c.Rule, again)
			}
			if c.Chat.String() != before.String() || c.Chat.Options["num_ctx"] != before.Options["num_ctx"] || fmt.Sprint(c.Chat.Think) != fmt.Sprint(before.Think) {
				t.Errorf("the %s has other tools, another context or other thinking: %v, %v", c.Rule, c.Chat.Options, c.Chat.Think)
			}
		}
		before = c.Chat
	}
	if !seen["summary"] || !seen["title"] {
		t.Errorf("only %v were asked", seen)
	}
	if text := r.read("agents/memory.md"); strings.Contains(text, "by itself") {
		t.Errorf("the call ran: %s", text)
	}
}

// Nothing is prepared on battery, for a conversation that nobody looks at, while an answer
// is made, or twice.
func TestWhatIsPrepared(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *conversing)
		want   bool
	}{
		"the conversation in view": {func(*conversing) {}, true},
		"on battery":               {func(r *conversing) { r.mayNot = true }, false},
		"none in view":             {func(r *conversing) { r.app.Attend("") }, false},
		"asked in the terminal":    {func(r *conversing) { r.app.Attend(""); r.inTerminal("Message 4: from the terminal") }, true},
		"written to elsewhere":     {func(r *conversing) { r.app.Attend(""); r.app.CompactSoon(testSession) }, false},
		"another model is loaded":  {func(r *conversing) { r.server.Unload(testModel); r.load("other:8b") }, false},
		"the model isn't loaded":   {func(r *conversing) { r.server.Unload(testModel) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newConversing(t)
			for i := range 3 {
				r.say(fmt.Sprintf("Message %d: ", i) + words("plan", i, 30))
			}
			c.change(r)
			r.settle()
			r.edit("- Answers in short sentences\n", "")
			first := len(r.server.Chats())
			for range 2 {
				r.app.MemoryChanged()
				r.settle()
			}
			read := 0
			slot := ""
			for _, c := range r.server.Chats()[first:] {
				if c.Rule == "prepare" {
					read += len(rendered(c.Chat)) - sharedBytes(slot, rendered(c.Chat))
					slot = rendered(c.Chat)
				}
			}
			if (read > 0) != c.want {
				t.Errorf("%d characters were prepared", read)
			}
			if c.want && read > 2*len(slot) {
				t.Errorf("%d characters were read for a beginning of %d", read, len(slot))
			}
		})
	}
}

// The app reads nothing in advance that a command has just had the server read, and nothing
// while a command waits for its answer: either would make the server drop what it keeps.
func TestNothingIsPreparedAgainstACommand(t *testing.T) {
	r := newConversing(t)
	r.app.Attend("")
	r.settle()
	for i := range 3 {
		first := r.answered("prepare")
		r.inTerminal(fmt.Sprintf("Message %d: ", i) + words("plan", i, 60))
		r.settle()
		if n := r.answered("prepare") - first; n > 0 {
			t.Errorf("after message %d of a command, %d requests were made in advance", i, n)
		}
	}
	r.app.Attend(testSession)
	r.settle()
	turn, err := r.store.Session(testSession).LockTurn(t.Context(), "command line", nil)
	if err != nil {
		t.Fatal(err)
	}
	first := r.answered("prepare")
	r.edit("- Answers in short sentences\n", "")
	r.app.MemoryChanged()
	r.settle()
	if n := r.answered("prepare") - first; n > 0 {
		t.Errorf("while a command waits, %d requests were made in advance", n)
	}
	turn.Unlock()
	r.app.MemoryChanged()
	r.settle()
	if n := r.answered("prepare") - first; n == 0 {
		t.Error("afterwards nothing was made in advance")
	}
}

// The next request of a private conversation is prepared as any other, because the server on
// this machine gets it anyway; nothing of it is written.
func TestAPrivateConversationIsPreparedWithoutATrace(t *testing.T) {
	r := newConversing(t)
	r.store.SetPrivate(testSession)
	for i := range 3 {
		r.say(fmt.Sprintf("Message %d: tulip nineteen ", i) + words("plan", i, 30))
	}
	first := r.answered("prepare")
	r.edit("- Answers in short sentences\n", "")
	r.app.MemoryChanged()
	r.settle()
	if n := r.answered("prepare"); n == first {
		t.Error("nothing was prepared")
	}
	err := filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "tulip nineteen") || strings.Contains(string(text)+path, testSession) {
			t.Errorf("%s tells of it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// After an answer in another conversation, the server reads the beginning of the one in view again
// before its next message needs it.
func TestTheConversationInViewIsPreparedAfterAnother(t *testing.T) {
	r := newConversing(t)
	for i := range 3 {
		r.say(fmt.Sprintf("Message %d: ", i) + words("plan", i, 30))
	}
	r.settle()
	if _, err := r.app.Start(t.Context(), Request{Session: "cpu-other", Text: "Message 9: of something else", Holder: "test"}).Wait(); err != nil {
		t.Fatal(err)
	}
	r.settle()
	chats := r.server.Chats()
	last := chats[len(chats)-1]
	if last.Rule != "prepare" || !strings.Contains(rendered(last.Chat), "Message 2: ") || strings.Contains(rendered(last.Chat), "something else") {
		t.Errorf("the server last read for %s:\n%s", last.Rule, rendered(last.Chat))
	}
}
