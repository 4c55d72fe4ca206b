package transfer

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

const chatGPT = `[{"title":"Tea","create_time":1767254400.5,"update_time":null,"current_node":"d","conversation_id":"6f1b-AA","id":null,"mapping":{
 "root":{"id":"root","message":null,"parent":null,"children":["s"]},
 "s":{"id":"s","message":{"author":{"role":"system","name":null},"create_time":null,"content":{"content_type":"text","parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}},"parent":"root","children":["a"]},
 "a":{"id":"a","message":{"author":{"role":"user"},"create_time":1767254401,"content":{"content_type":"text","parts":["How long does green tea steep?"]},"recipient":"all"},"parent":"s","children":["b","b2"]},
 "b2":{"id":"b2","message":{"author":{"role":"assistant"},"create_time":1767254402,"content":{"content_type":"text","parts":["An answer that was taken back."]},"recipient":"all"},"parent":"a","children":[]},
 "b":{"id":"b","message":{"author":{"role":"assistant"},"create_time":1767254403,"content":{"content_type":"code","language":"python","text":"print(2)"},"recipient":"python"},"parent":"a","children":["t"]},
 "t":{"id":"t","message":{"author":{"role":"tool","name":"python"},"create_time":1767254404,"content":{"content_type":"execution_output","text":"2"},"recipient":"all"},"parent":"b","children":["c"]},
 "c":{"id":"c","message":{"author":{"role":"assistant"},"create_time":1767254405,"content":{"content_type":"text","parts":["Two minutes.\n\n## User · a heading"]},"recipient":"all","metadata":{"model_slug":"gpt-4o"}},"parent":"t","children":["d"]},
 "d":{"id":"d","message":{"author":{"role":"user"},"create_time":1767254300,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://x","width":1},"And this one?"]},"recipient":"all"},"parent":"c","children":[]}}}]`

const claude = `[{"uuid":"0b7-ZZ","name":"","created_at":"2026-01-02T08:00:00.123456Z","updated_at":"2026-01-02T08:01:00Z","account":{"uuid":"x"},"chat_messages":[
 {"uuid":"1","text":"","content":[{"type":"text","text":"Read this, please.","citations":[]}],"sender":"human","created_at":"2026-01-02T08:00:01Z","attachments":[{"file_name":"tea\n.txt","file_size":3,"file_type":"txt","extracted_content":"Steep it."}],"files":[{"file_name":"cup.png"}]},
 {"uuid":"2","text":"","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"x","input":{}},{"type":"text","text":"I did."}],"sender":"assistant","created_at":"2026-01-02T08:00:09Z","attachments":[],"files":[]}]},
 {"uuid":"empty","name":"Nothing","created_at":"2026-01-02T08:00:00Z","chat_messages":[]}]`

// write writes an export to a file, zipped if its name says so.
func write(t *testing.T, name string, parts map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".zip") {
		z := zip.NewWriter(f)
		for inside, text := range parts {
			w, err := z.Create(inside)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		err = z.Close()
	} else {
		_, err = f.WriteString(parts[""])
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// all reads a file: the conversations, and the errors of bad ones.
func all(t *testing.T, file string) (list []Conversation, bad []string, err error) {
	t.Helper()
	err = EachConversation(t.Context(), file, func(c Conversation) error {
		list = append(list, c)
		return nil
	}, func(place int, err error) { bad = append(bad, fmt.Sprint(place, " ", err)) })
	return list, bad, err
}

func describe(c Conversation) string {
	var b strings.Builder
	for _, m := range c.Blocks {
		fmt.Fprintf(&b, "%s %s %s: %s\n", m.Time.UTC().Format(time.RFC3339), m.Kind, m.Model, m.Text)
	}
	return b.String()
}

func TestTheShownBranchIsRead(t *testing.T) {
	for name, file := range map[string]string{
		"by itself": write(t, "conversations.json", map[string]string{"": chatGPT}),
		"zipped":    write(t, "export.zip", map[string]string{"chat.html": "<html>", "conversations.json": chatGPT}),
		"in a part": write(t, "export.zip", map[string]string{"data/conversations-000.json": chatGPT, "user.json": "{}"}),
	} {
		list, bad, err := all(t, file)
		if err != nil || len(list) != 1 || len(bad) > 0 {
			t.Fatalf("%s: %d, %v, %v", name, len(list), bad, err)
		}
		const want = "2026-01-01T08:00:01Z user : How long does green tea steep?\n" +
			"2026-01-01T08:00:05Z assistant gpt-4o: Two minutes.\n\n## User · a heading\n" +
			"2026-01-01T08:00:05Z user : (an image)\n\nAnd this one?\n" // none is older than the preceding one
		if got := describe(list[0]); got != want || list[0].Session != "chatgpt-6f1baa" || list[0].Title != "Tea" {
			t.Errorf("%s: %s %q:\n%s", name, list[0].Session, list[0].Title, got)
		}
		for _, b := range list[0].Blocks {
			if !b.TextSources(list[0].Session).Has(transcript.FromFile) {
				t.Errorf("%q counts as typed", b.Text)
			}
		}
	}
}

func TestClaudesMessagesAndFilesAreRead(t *testing.T) {
	list, bad, err := all(t, write(t, "conversations.json", map[string]string{"": claude}))
	if err != nil || len(list) != 2 || len(bad) > 0 {
		t.Fatalf("%d, %v, %v", len(list), bad, err)
	}
	const want = "2026-01-02T08:00:01Z user : Read this, please.\n\n(a file: tea .txt)\n\nSteep it.\n\n(a file: cup.png)\n" +
		"2026-01-02T08:00:09Z assistant : I did.\n"
	if got := describe(list[0]); got != want || list[0].Session != "claude-0b7zz" {
		t.Errorf("%s:\n%s", list[0].Session, got)
	}
	if len(list[1].Blocks) != 0 {
		t.Errorf("nothing was said, got %s", describe(list[1]))
	}
}

func TestUnreadableExportsAreReported(t *testing.T) {
	good := strings.TrimSuffix(strings.TrimPrefix(chatGPT, "["), "]")
	for name, c := range map[string]struct {
		text string
		read int
		bad  int
		err  string
	}{
		"nothing":              {"", 0, 0, "no export"},
		"an empty list":        {"[]", 0, 0, ""},
		"another list":         {`[{"a":1}]`, 0, 0, "no export"},
		"an object":            {`{"conversations":[]}`, 0, 0, "no export"},
		"text":                 {"tea", 0, 0, "no export"},
		"cut":                  {"[" + good + "," + good[:200], 1, 0, "cut or damaged"},
		"a field of odd type":  {`[` + good + `,{"title":3,"mapping":{}},` + good + `]`, 2, 1, ""},
		"one without messages": {`[` + good + `,{"title":"x"}]`, 1, 1, ""},
		"a circle":             {`[{"id":"c","current_node":"a","mapping":{"a":{"parent":"b"},"b":{"parent":"a"}}}]`, 1, 0, ""},
		"no id":                {`[{"current_node":"a","mapping":{}}]`, 1, 0, ""},
		"no end":               {"[" + good, 1, 0, "cut or damaged"},
		"not UTF-8":            {`[{"uuid":"u","name":"` + "\xff\xfe" + `","chat_messages":[]}]`, 1, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list, bad, err := all(t, write(t, "c.json", map[string]string{"": c.text}))
			if len(list) != c.read || len(bad) != c.bad || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%d read, %d not (%v), %v", len(list), len(bad), bad, err)
			}
		})
	}
	if _, _, err := all(t, write(t, "x.zip", map[string]string{"photo.jpg": "x"})); !errors.Is(err, ErrFormat) {
		t.Errorf("a zip of photos: %v", err)
	}
	if _, _, err := all(t, t.TempDir()); !errors.Is(err, ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "cut.zip")
	if err := os.WriteFile(broken, []byte("PK\x03\x04 the rest is missing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := all(t, broken); err == nil {
		t.Error("half a zip is read")
	}
}

func TestEachStopsWhenItsContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	err := EachConversation(ctx, write(t, "c.json", map[string]string{"": claude}), func(Conversation) error {
		n++
		stop()
		return nil
	}, func(int, error) {})
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d read, %v", n, err)
	}
}

func FuzzEach(f *testing.F) {
	f.Add([]byte(chatGPT))
	f.Add([]byte(claude))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = EachConversation(t.Context(), file, func(c Conversation) error {
			if c.Session != "" {
				if err := transcript.CheckName(c.Session); err != nil {
					t.Error(err)
				}
			}
			for _, b := range c.Blocks {
				if strings.TrimSpace(b.Text) == "" || b.Time.IsZero() {
					t.Errorf("a message without words or time: %+v", b)
				}
			}
			return nil
		}, func(int, error) {})
	})
}
