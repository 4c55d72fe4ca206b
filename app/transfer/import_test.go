package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/transcript"
)

// A conversation of ChatGPT in which an answer was taken back, code ran, and a picture was sent.
const chatGPT = `[{"title":"Tea","create_time":1767254400.5,"update_time":null,"current_node":"d","conversation_id":"6f1b-AA","id":null,"mapping":{
 "root":{"id":"root","message":null,"parent":null,"children":["s"]},
 "s":{"id":"s","message":{"author":{"role":"system","name":null},"create_time":null,"content":{"content_type":"text","parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}},"parent":"root","children":["a"]},
 "a":{"id":"a","message":{"author":{"role":"user"},"create_time":1767254401,"content":{"content_type":"text","parts":["How long does green tea steep?"]},"recipient":"all"},"parent":"s","children":["b","b2"]},
 "b2":{"id":"b2","message":{"author":{"role":"assistant"},"create_time":1767254402,"content":{"content_type":"text","parts":["An answer that was taken back."]},"recipient":"all"},"parent":"a","children":[]},
 "b":{"id":"b","message":{"author":{"role":"assistant"},"create_time":1767254403,"content":{"content_type":"code","language":"python","text":"print(2)"},"recipient":"python"},"parent":"a","children":["t"]},
 "t":{"id":"t","message":{"author":{"role":"tool","name":"python"},"create_time":1767254404,"content":{"content_type":"execution_output","text":"2"},"recipient":"all"},"parent":"b","children":["c"]},
 "c":{"id":"c","message":{"author":{"role":"assistant"},"create_time":1767254405,"content":{"content_type":"text","parts":["Two minutes.\n\n## User · a heading"]},"recipient":"all","metadata":{"model_slug":"gpt-4o"}},"parent":"t","children":["d"]},
 "d":{"id":"d","message":{"author":{"role":"user"},"create_time":1767254300,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-Cup1","width":1},"And this one?"]},"recipient":"all"},"parent":"c","children":[]}}}]`

const claude = `[{"uuid":"0b7-ZZ","name":"","created_at":"2026-01-02T08:00:00.123456Z","updated_at":"2026-01-02T08:01:00Z","account":{"uuid":"x"},"chat_messages":[
 {"uuid":"1","text":"","content":[{"type":"text","text":"Read this, please.","citations":[]}],"sender":"human","created_at":"2026-01-02T08:00:01Z","attachments":[{"file_name":"tea\n.txt","file_size":3,"file_type":"txt","extracted_content":"Steep it."}],"files":[{"file_name":"cup.png"}]},
 {"uuid":"2","text":"","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"web_search","input":{"query":"tea"}},{"type":"text","text":"I did."}],"sender":"assistant","created_at":"2026-01-02T08:00:09Z","attachments":[],"files":[]}]},
 {"uuid":"empty","name":"Nothing","created_at":"2026-01-02T08:00:00Z","chat_messages":[]}]`

// write writes files into a folder, or one file, or a zip file, as the name says.
func write(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	put := func(file string, data []byte) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case strings.HasSuffix(name, ".zip"):
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for inside, text := range files {
			w, err := z.Create(inside)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		put(root, out.Bytes())
	case files[""] != "" || len(files) < 2 && files == nil:
		put(root, []byte(files[""]))
	default:
		for inside, text := range files {
			put(filepath.Join(root, filepath.FromSlash(inside)), []byte(text))
		}
	}
	return root
}

// one writes a file.
func one(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "export")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// all reads a file: the conversations, and the errors of bad ones.
func all(t *testing.T, file string) (list []Conversation, bad []string, err error) {
	t.Helper()
	err = EachConversation(t.Context(), file, func(c Conversation) error {
		for i, m := range c.Messages { // a file's bytes are there only now
			for k, f := range m.Files {
				data, err := f.Data()
				if err != nil {
					data = []byte("error: " + err.Error())
				}
				c.Messages[i].Files[k].Data = func() ([]byte, error) { return data, nil }
			}
		}
		list = append(list, c)
		return nil
	}, Watch{Bad: func(place int, err error) { bad = append(bad, fmt.Sprint(place, " ", err)) }})
	return list, bad, err
}

// describe writes a conversation as a tree: a message, indented below the one that it answers
// unless it follows that directly.
func describe(c Conversation) string {
	var b strings.Builder
	level, last := map[string]int{}, ""
	for _, m := range c.Messages {
		level[m.ID] = level[m.Parent]
		if !m.Shows() {
			if last == m.Parent {
				last = m.ID
			}
			continue
		}
		if m.Parent != last {
			fmt.Fprintln(&b, "---")
		}
		last = m.ID
		for _, w := range m.Work {
			fmt.Fprintf(&b, "%s%s: %s\n", w.Kind, w.Agent, strings.ReplaceAll(w.Text, "\n", "⏎"))
		}
		if m.Text != "" || len(m.Files) > 0 {
			fmt.Fprintf(&b, "%s %s: %s", m.Kind, m.Model, strings.ReplaceAll(m.Text, "\n", "⏎"))
			for _, f := range m.Files {
				data, _ := f.Data()
				fmt.Fprintf(&b, " [%s: %s]", f.Name, data)
			}
			b.WriteString("\n")
		}
		for _, what := range m.LeftOut {
			fmt.Fprintf(&b, "left out: %s\n", what)
		}
	}
	return b.String()
}

const cup = "\x89PNG a cup"

func utf16Of(text string, order binary.ByteOrder, mark bool) string {
	var out bytes.Buffer
	if mark {
		_ = binary.Write(&out, order, uint16(0xfeff))
	}
	_ = binary.Write(&out, order, utf16.Encode([]rune(text)))
	return out.String()
}

// given an export in any wrapping, then its branches come in, the shown one last
func TestAnExportIsReadInAnyWrapping(t *testing.T) {
	const want = "user : How long does green tea steep?\n" +
		"assistant : An answer that was taken back.\n---\n" +
		"toolpython: print(2)\ntoolpython: 2\n" +
		"assistant gpt-4o: Two minutes.⏎⏎## User · a heading\n"
	shown := want + "user : And this one? [%s: " + cup + "]\n"
	missing := want + "user : (a picture: file-Cup1; it isn't in the export)⏎⏎And this one?\nleft out: pictures\n"
	for name, c := range map[string]struct{ file, want string }{
		"by itself":         {one(t, chatGPT), missing},
		"with a mark":       {one(t, "\xef\xbb\xbf"+chatGPT), missing},
		"UTF-16":            {one(t, utf16Of(chatGPT, binary.LittleEndian, true)), missing},
		"UTF-16, big":       {one(t, utf16Of(chatGPT, binary.BigEndian, true)), missing},
		"UTF-16, no mark":   {one(t, utf16Of(chatGPT, binary.LittleEndian, false)), missing},
		"in an object":      {one(t, `{"version":3,"tags":["a"],"conversations":`+chatGPT+`}`), missing},
		"alone":             {one(t, strings.Trim(chatGPT, "[]")), missing},
		"a line":            {one(t, strings.ReplaceAll(strings.Trim(chatGPT, "[]"), "\n", " ")+"\n"), missing},
		"zipped":            {write(t, "export.zip", map[string]string{"chat.html": "<html>", "conversations.json": chatGPT, "user.json": "{}"}), missing},
		"under other names": {write(t, "export.zip", map[string]string{"data/part-000.txt": chatGPT, "user.json": "{}", "file-Cup1-cup.png": cup}), fmt.Sprintf(shown, "file-Cup1-cup.png")},
		"in a folder":       {write(t, "export", map[string]string{"conversations.json": chatGPT, "pictures/file-Cup1.dat": cup, "file-Cup12.png": "x"}), fmt.Sprintf(shown, "file-Cup1.dat")},
	} {
		t.Run(name, func(t *testing.T) {
			list, bad, err := all(t, c.file)
			if err != nil || len(list) != 1 || len(bad) > 0 {
				t.Fatalf("%d, %v, %v", len(list), bad, err)
			}
			if diff := cmp.Diff(c.want, describe(list[0])); diff != "" || list[0].Session != "chatgpt-6f1baa" || list[0].Title != "Tea" {
				t.Errorf("%s %q:\n%s", list[0].Session, list[0].Title, diff)
			}
			for _, m := range list[0].Messages {
				if m.ID == "d" && m.Time.Unix() != 1767254405 {
					t.Errorf("a message is older than the one before it: %v", m.Time)
				}
			}
		})
	}
}

// given a conversation of any assistant that is read, then all that a person saw comes in, and
// what doesn't is named where it stood
func TestEachAssistantIsRead(t *testing.T) {
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(cup))
	for name, c := range map[string]struct {
		file                 map[string]string
		session, title, want string
	}{
		"ChatGPT, canvas": {
			map[string]string{"": `{"conversation_id":"c1","title":"Letter","current_node":"6","mapping":{
			"1":{"message":{"author":{"role":"user"},"create_time":1,"content":{"content_type":"text","parts":["Write a letter."]}},"children":["2"]},
			"2":{"parent":"1","message":{"author":{"role":"assistant"},"create_time":2,"recipient":"canmore.create_textdoc","content":{"content_type":"code","text":"{\"name\":\"letter\",\"type\":\"document\",\"content\":\"Dear Ann,\\nhello.\"}"}}},
			"3":{"parent":"2","message":{"author":{"role":"assistant"},"create_time":3,"recipient":"canmore.update_textdoc","content":{"content_type":"code","text":"{\"updates\":[{\"pattern\":\"hello\",\"multiple\":false,\"replacement\":\"good day\"}]}"}}},
			"4":{"parent":"3","message":{"author":{"role":"assistant"},"create_time":4,"recipient":"canmore.comment_textdoc","content":{"content_type":"text","parts":["{\"comments\":[{\"pattern\":\"Ann\",\"comment\":\"Which one?\"}]}"]}}},
			"5":{"parent":"4","message":{"author":{"role":"assistant"},"create_time":5,"recipient":"canmore.create_textdoc","content":{"content_type":"code","text":"{\"name\":\"job\",\"type\":\"code/python\",\"content\":\"print(1)\"}"}}},
			"6":{"parent":"5","message":{"author":{"role":"assistant"},"create_time":6,"recipient":"all","content":{"content_type":"text","parts":["Done."]}}}}}`},
			"chatgpt-c1", "Letter", "user : Write a letter.\n" +
				"assistant : **letter**⏎⏎```markdown⏎Dear Ann,⏎hello.⏎```\n" +
				"assistant : **letter (changed)**⏎⏎```diff⏎-hello⏎+good day⏎```\n" +
				"assistant : Comments on letter:⏎- Which one? (at “Ann”)\n" +
				"assistant : **job**⏎⏎```python⏎print(1)⏎```\nassistant : Done.\n",
		},
		"ChatGPT, sources, thoughts, sounds, unknown kinds": {
			map[string]string{"": `[{"id":"c2","mapping":{
			"1":{"message":{"author":{"role":"user"},"create_time":1,"content":{"content_type":"multimodal_text","parts":[{"content_type":"audio_transcription","text":"What is new?"},{"content_type":"audio_asset_pointer","asset_pointer":"sediment://file_9"}]},"metadata":{"attachments":[{"id":"file-7","name":"plan.pdf","mime_type":"application/pdf"}]}},"children":["2"]},
			"2":{"message":{"author":{"role":"assistant"},"create_time":2,"content":{"content_type":"thoughts","thoughts":[{"summary":"Looking","content":"I look."}]}},"children":["3"]},
			"3":{"message":{"author":{"role":"assistant"},"create_time":3,"content":{"content_type":"text","parts":["It rains \ue200cite\ue202turn0search1\ue201 today."]},"metadata":{"content_references":[{"matched_text":"\ue200cite\ue202turn0search1\ue201","type":"grouped_webpages","items":[{"title":"Weather [now]","url":"https://weather.test/a(1)"}]}]}},"children":["4"]},
			"4":{"message":{"author":{"role":"assistant"},"create_time":4,"content":{"content_type":"text","parts":["Ä see【1†source】."]},"metadata":{"citations":[{"start_ix":5,"end_ix":15,"metadata":{"title":"B","url":"https://b.test"}}]}},"children":["5"]},
			"5":{"message":{"author":{"role":"assistant"},"create_time":5,"content":{"content_type":"super_widget","data":{}}}}}}]`},
			"chatgpt-c2", "", "user : What is new?⏎⏎(a sound; it isn't imported)⏎⏎(a file: plan.pdf; it isn't in the export)\nleft out: sounds\nleft out: files\n" +
				"note: Looking⏎⏎I look.\n" +
				"assistant : It rains [1] today.⏎⏎Sources:⏎1. [Weather (now)](https://weather.test/a%281%29)\n" +
				"assistant : Ä see[1].⏎⏎Sources:⏎1. [B](https://b.test)\n" +
				"assistant : (something that mac-stats doesn't know: super_widget)\nleft out: parts\n",
		},
		"ChatGPT, odd nodes": {
			map[string]string{"": `[{"id":"c3","mapping":{
			"1":{"message":{"author":{"role":"user"},"create_time":1,"content":"A bare question."},"children":["2"]},
			"2":{"message":{"author":{"role":"critic"},"create_time":2,"content":{"content_type":"text","parts":"Bare parts."}},"children":["3"]},
			"3":{"message":{"author":{"role":"tool","name":"computer"},"create_time":3,"content":{"content_type":"computer_output","screenshot":{"asset_pointer":"sediment://s1"}}},"children":["4"]},
			"4":{"message":{"author":{"role":"assistant"},"create_time":4,"content":{"content_type":"multimodal_text","parts":[{"content_type":"hologram","caption":"A cup."},null,{"content_type":"smell"}]}},"children":["5"]},
			"5":{"message":{"author":{"role":"assistant"},"create_time":5,"content":{"content_type":"super_widget","payload":{"text":"Inside."}}}}}}]`},
			"chatgpt-c3", "", "user : A bare question.\nassistant : Bare parts.\nassistant : (a picture: s1; it isn't in the export)\nleft out: pictures\n" +
				"assistant : A cup.⏎⏎(something that mac-stats doesn't know: smell)\nleft out: parts\nassistant : Inside.\n",
		},
		"Claude, odd parts": {
			map[string]string{"": `[{"uuid":"o","chat_messages":[
			{"uuid":"1","sender":"human","content":"Bare content."},
			{"uuid":"2","sender":"reviewer","content":["A bare part.",{"type":"voice_note","transcript":"I said so."},{"type":"tool_result","name":"search","content":"A bare result."},{"type":"new","value":{"text":"Deeper."}}]}]}]`},
			"claude-o", "", "user : Bare content.\ntoolsearch: A bare result.\nassistant : A bare part.⏎⏎I said so.⏎⏎(a sound; it isn't imported)⏎⏎Deeper.\nleft out: sounds\n",
		},
		"Claude": {
			map[string]string{"": claude},
			"claude-0b7zz", "",
			"user : Read this, please.⏎⏎**tea .txt**⏎⏎```⏎Steep it.⏎```⏎⏎(a picture: cup.png; it isn't in the export)\nleft out: pictures\n" +
				"note: hm\ntoolweb_search: {⏎  \"query\": \"tea\"⏎}\nassistant : I did.\n",
		},
		"Claude, branches and artifacts": {
			map[string]string{"c.json": `[{"uuid":"b","name":"Page","created_at":"yesterday","chat_messages":[
			{"uuid":"1","sender":"human","text":"A page.","created_at":"2026-01-02T08:00:01Z","parent_message_uuid":"00000000-0000-4000-8000-000000000000"},
			{"uuid":"2","sender":"assistant","parent_message_uuid":"1","created_at":"","content":[{"type":"text","text":"Here:"},{"type":"tool_use","name":"artifacts","input":{"id":"p","command":"create","title":"Page","type":"text/html","content":"<b>"}},{"type":"tool_result","name":"artifacts","content":[{"type":"text","text":"OK"}]}]},
			{"uuid":"3","sender":"human","text":"Bigger.","parent_message_uuid":"2"},
			{"uuid":"4","sender":"assistant","parent_message_uuid":"3","content":[{"type":"tool_use","name":"artifacts","input":{"id":"p","command":"update","old_str":"<b>","new_str":"<h1>"}},{"type":"text","text":"So.","citations":[{"url":"https://a.test","title":"A"}]},{"type":"hologram"}]},
			{"uuid":"5","sender":"human","text":"Smaller.","parent_message_uuid":"2","files":[{"file_uuid":"f1","file_name":"cup.png","file_kind":"image"}]}]}]`, "f1-cup.png": cup},
			"claude-b", "Page", "user : A page.\nassistant : Here:⏎⏎**Page**⏎⏎```html⏎<b>⏎```\n" +
				"user : Bigger.\nassistant : **Page (changed)**⏎⏎```diff⏎-<b>⏎+<h1>⏎```⏎⏎So. [1]⏎⏎(something that mac-stats doesn't know: hologram)⏎⏎Sources:⏎1. [A](https://a.test)\nleft out: parts\n---\n" +
				"user : Smaller. [cup.png: " + cup + "]\n",
		},
		"Open WebUI": {
			map[string]string{"": `[{"id":"o1","title":"Tea","chat":{"title":"Tea","history":{"currentId":"d","messages":{
			"a":{"id":"a","parentId":null,"role":"user","content":"Hi","timestamp":1767254400,"files":[{"type":"image","url":"` + data + `"},{"type":"file","name":"n.txt","file":{"data":{"content":"notes"}}}]},
			"b":{"id":"b","parentId":"a","role":"assistant","model":"qwen3:8b","content":"<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n&gt; hm\n</details>\nHello","timestamp":1767254401,"sources":[{"source":{"name":"A","url":"https://a.test"}}]},
			"c":{"id":"c","parentId":"a","role":"assistant","content":"Old hello","timestamp":1767254402},
			"d":{"id":"d","parentId":"b","role":"user","content":"Bye","timestamp":1767254403}}}}}]`},
			"openwebui-o1", "Tea", "user : Hi⏎⏎**n.txt**⏎⏎```⏎notes⏎``` [picture.png: " + cup + "]\nassistant : Old hello\n---\nnote: > hm\n" +
				"assistant qwen3:8b: Hello⏎⏎Sources:⏎1. [A](https://a.test)\nuser : Bye\n",
		},
		"LibreChat": {
			map[string]string{"": `{"conversationId":"l1","title":"Tea","recursive":true,"messages":[{"messageId":"a","parentMessageId":"00000000-0000-0000-0000-000000000000","isCreatedByUser":true,"sender":"User","text":"Hi","createdAt":"2026-01-02T08:00:01Z","files":[{"filename":"a.pdf","type":"application/pdf"}],"children":[
			{"messageId":"b","sender":"GPT","model":"gpt-4o","content":[{"type":"think","think":"hm"},{"type":"text","text":{"value":"Hello"}},{"type":"tool_call","tool_call":{"name":"calc","args":"1+1","output":"2"}}],"createdAt":"2026-01-02T08:00:03Z","children":[]},
			{"messageId":"c","sender":"GPT","text":"Hello again","createdAt":"2026-01-02T08:00:02Z","children":[]}]}]}`},
			"librechat-l1", "Tea", "user : Hi⏎⏎(a file: a.pdf; it isn't in the export)\nleft out: files\nassistant GPT: Hello again\n---\nnote: hm\ntoolcalc: 1+1⏎⏎2\nassistant gpt-4o: Hello\n",
		},
		"LM Studio": {
			map[string]string{"conversations/17.conversation.json": `{"name":"Tea","createdAt":1767254400000,"messages":[
			{"versions":[{"type":"singleStep","role":"user","content":[{"type":"text","text":"Hi"},{"type":"file","fileIdentifier":"17 - cup.png","fileType":"image"}]}],"currentlySelected":0},
			{"versions":[{"type":"multiStep","role":"assistant","senderInfo":{"senderName":"qwen"},"steps":[{"type":"contentBlock","content":[{"type":"text","text":"hm"}],"style":{"type":"thinking"}},{"type":"contentBlock","content":[{"type":"toolCallRequest","name":"calc","parameters":{"a":1}}]},{"type":"contentBlock","content":[{"type":"text","text":"Hello"}]},{"type":"debugInfoBlock"}]},
				{"type":"multiStep","role":"assistant","steps":[{"type":"contentBlock","content":[{"type":"text","text":"Hello two"}]}]}],"currentlySelected":0},
			{"versions":[{"type":"singleStep","role":"user","content":[{"type":"text","text":"Bye"}]}],"currentlySelected":0}]}`, "user-files/17 - cup.png": cup},
			"lmstudio-1767254400000", "Tea", "user : Hi [17 - cup.png: " + cup + "]\nassistant : Hello two\n---\nnote: hm\ntoolcalc: {⏎  \"a\": 1⏎}\nassistant qwen: Hello\nuser : Bye\n",
		},
		"LibreChat, odd parts": {
			map[string]string{"": `{"conversationId":"l2","messages":[{"messageId":"a","sender":"User","isCreatedByUser":true,"content":"Bare."},{"messageId":"b","parentMessageId":"a","sender":"GPT","content":["Bare part.",{"type":"novel","novel":"New.","text":"Its text."},{"type":"video"}]}]}`},
			"librechat-l2", "", "user : Bare.\nassistant GPT: Bare part.⏎⏎Its text.⏎⏎(something that mac-stats doesn't know: video)\nleft out: parts\n",
		},
		"Jan": {map[string]string{
			"threads/j1/thread.json":    `{"id":"j1","object":"thread","title":"Tea","assistants":[{}],"created":1767254400}`,
			"threads/j1/messages.jsonl": `{"id":"a","object":"thread.message","thread_id":"j1","role":"user","content":[{"type":"text","text":{"value":"Hi","annotations":[]}},{"type":"image_url","image_url":{"url":"` + data + `"}}],"created_at":1767254400000}` + "\n" + `{"id":"b","thread_id":"j1","role":"assistant","content":[{"type":"text","text":{"value":"<think>hm</think>Hello"}}],"created_at":1767254401000,"metadata":{"modelId":"qwen"}}` + "\n",
		}, "jan-j1", "Tea", "user : Hi [picture.png: " + cup + "]\nnote: hm\nassistant qwen: Hello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var file string
			if text := c.file[""]; text != "" {
				file = one(t, text)
			} else {
				file = write(t, "folder", c.file)
			}
			list, bad, err := all(t, file)
			if err != nil || len(list) == 0 || len(bad) > 0 {
				t.Fatalf("%d, %v, %v", len(list), bad, err)
			}
			if diff := cmp.Diff(c.want, describe(list[0])); diff != "" || list[0].Session != c.session || list[0].Title != c.title {
				t.Errorf("%s %q:\n%s", list[0].Session, list[0].Title, diff)
			}
		})
	}
}

// given the file of an assistant that isn't read, or of none, then it is named
func TestWhatIsNotReadIsNamed(t *testing.T) {
	zipped := func(name, text string) string {
		data, err := os.ReadFile(write(t, name+".zip", map[string]string{name: text}))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for want, text := range map[string]string{
		"an export of Grok":          `{"conversations":[{"conversation":{"id":"x"},"responses":[]}]}`,
		"a conversation of DeepSeek": `[{"id":"x","title":"T","mapping":{"root":{"message":null},"1":{"parent":"root","message":{"model":"deepseek-chat","fragments":[{"type":"REQUEST","content":"Hi"}]}}}}]`,
		"an export of Gemini":        `[{"header":"Gemini Apps","title":"Prompted Hi","time":"2026-01-02T08:00:01Z","products":["Gemini Apps"]}]`,
		"an export of Copilot":       "Conversation,Time,Author,Message\n\"Hi\",\"2026\",\"Human\",\"Hi\"\n",
		"a list of messages":         `{"messages":[{"role":"user","content":"Hi"}]}`,
		"a session of Claude Code":   `{"parentUuid":null,"sessionId":"x","type":"user","message":{"role":"user","content":"Hi"},"uuid":"y"}` + "\n",
		"ShareGPT":                   `[{"conversations":[{"from":"human","value":"Hi"}]}]`,
		"a web page":                 "<!DOCTYPE html><html>",
		"a packed file (gzip":        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00\x43\xbe\xb7\xe8\x01\x00\x00\x00",
		"another zip file":           zipped("a.zip", zipped("conversations.json", chatGPT)),
		"":                           "tea",
	} {
		_, _, err := all(t, one(t, text))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
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
		"nothing":                 {"", 0, 0, "no conversations"},
		"blanks":                  {"  \n ", 0, 0, "no conversations"},
		"an empty list":           {"[]", 0, 0, ""},
		"another list":            {`[{"a":1}]`, 0, 0, "no conversations"},
		"an object":               {`{"conversations":[]}`, 0, 0, "no conversations"},
		"cut":                     {"[" + good + "," + good[:200], 1, 0, "cut or damaged"},
		"a field of odd type":     {`[` + good + `,{"title":3,"create_time":"soon","mapping":{"a":{"message":{"author":"me","create_time":{}}},"b":7}},` + good + `]`, 3, 0, ""},
		"one without messages":    {`[` + good + `,{"title":"x"}]`, 1, 1, ""},
		"the first isn't one":     {`[{"title":"x"},` + good + `]`, 1, 1, ""},
		"entries of other kinds":  {`[1,"a",null,` + good + `,true,[2],-3.5e2]`, 1, 6, ""},
		"a broken one":            {`[` + good + `,{"title":"x",,"mapping":{}},` + good + `]`, 2, 1, ""},
		"a circle":                {`[{"id":"c","current_node":"a","mapping":{"a":{"parent":"b"},"b":{"parent":"a"}}}]`, 1, 0, ""},
		"no id":                   {`[{"current_node":"a","mapping":{}}]`, 1, 0, ""},
		"no end":                  {"[" + good, 1, 0, "cut or damaged"},
		"not UTF-8":               {`[{"uuid":"u","name":"` + "\xff\xfe" + `","chat_messages":[]}]`, 1, 0, ""},
		"one time that isn't one": {`[{"uuid":"u","created_at":"","chat_messages":[{"sender":"human","text":"Hi","created_at":""}]},{"uuid":"v","chat_messages":[{"sender":"human","text":"Hi"}]}]`, 2, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list, bad, err := all(t, one(t, c.text))
			if len(list) != c.read || len(bad) != c.bad || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%d read, %d not (%v), %v", len(list), len(bad), bad, err)
			}
			for _, c := range list {
				for _, m := range c.Messages {
					if m.Time.IsZero() {
						t.Error("a message has no time")
					}
				}
			}
		})
	}
	for name, file := range map[string]string{
		"a zip of photos":   write(t, "x.zip", map[string]string{"photo.jpg": "x"}),
		"an empty folder":   t.TempDir(),
		"half a zip":        one(t, "PK\x03\x04 the rest is missing"),
		"a folder of notes": write(t, "notes", map[string]string{"a.md": "# Tea", "b.json": `{"a":[1,2]}`}),
	} {
		if _, _, err := all(t, file); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// given a folder or a zip file with a conversation in each file, then one that is cut or broken is
// named, and the others are read; files that hold something else aren't named
func TestAnUnreadableFileOfAFolderIsNamed(t *testing.T) {
	good := strings.TrimSuffix(strings.TrimPrefix(chatGPT, "["), "]")
	for what, text := range map[string]string{
		"cut":                  good[:200],
		"cut within a list":    "[" + good[:200],
		"cut to nothing":       "",
		"broken in its middle": strings.Replace(good, ",", ",,", 1),
	} {
		for _, name := range []string{"folder", "x.zip"} {
			list, bad, err := all(t, write(t, name, map[string]string{
				"a.json": text, "b.json": good, "deep/c.json": text,
				"settings.json": `{"dark":true}`, "notes.md": "[1] {tea", "d.txt": text,
			}))
			if err != nil || len(list) != 1 || len(bad) != 2 || !strings.Contains(fmt.Sprint(bad), " a.json: ") || !strings.Contains(fmt.Sprint(bad), " deep/c.json: ") {
				t.Errorf("%s, %s: %d read, %q, %v", what, name, len(list), bad, err)
			}
		}
	}
	// Of a file with several conversations, those before the cut are read.
	for _, name := range []string{"folder", "x.zip"} {
		list, bad, err := all(t, write(t, name, map[string]string{"a.json": "[" + good + "," + good[:200], "b.json": "[" + good + "]"}))
		if err != nil || len(list) != 2 || len(bad) != 1 || !strings.Contains(bad[0], " a.json: ") {
			t.Errorf("cut behind one, %s: %d read, %q, %v", name, len(list), bad, err)
		}
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	locked, err := z.CreateRaw(&zip.FileHeader{Name: "a.json", Method: 99}) // no method that is known
	if err == nil {
		_, err = locked.Write([]byte(good))
	}
	open, oerr := z.Create("b.json")
	if oerr == nil {
		_, oerr = open.Write([]byte(good))
	}
	if err := errors.Join(err, oerr, z.Close()); err != nil {
		t.Fatal(err)
	}
	list, bad, err := all(t, one(t, out.String()))
	if err != nil || len(list) != 1 || len(bad) != 1 || !strings.Contains(bad[0], " a.json: ") {
		t.Errorf("can't be opened: %d read, %q, %v", len(list), bad, err)
	}
}

// given conversations with long IDs, or without any, then no two share a name
func TestNamesOfSessions(t *testing.T) {
	long := strings.Repeat("a", 60)
	list, _, err := all(t, one(t, `[{"uuid":"`+long+`b","chat_messages":[]},{"uuid":"`+long+`c","chat_messages":[]},{"chat_messages":[{"sender":"human","text":"Hi"}]},{"chat_messages":[{"sender":"human","text":"Ho"}]}]`))
	names := map[string]bool{}
	for _, c := range list {
		names[c.Session] = true
		if err := transcript.CheckName(c.Session); err != nil {
			t.Error(err)
		}
	}
	if err != nil || len(names) != 4 {
		t.Errorf("%v, %v", names, err)
	}
}

// given a stop, then reading ends at once: between two conversations, and within three gigabytes
// of blanks
func TestReadingStops(t *testing.T) {
	t.Run("between conversations", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		err := EachConversation(ctx, one(t, claude), func(Conversation) error {
			n++
			stop()
			return nil
		}, Watch{})
		if !errors.Is(err, context.Canceled) || n != 1 {
			t.Errorf("%d read, %v", n, err)
		}
	})
	for name, begin := range map[string]string{"blanks in a list": "[", "blanks in a text": `["a`, "blanks in a conversation": `[{"a":`} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			reads := 0
			err := eachValue(ctx, &endless{[]byte(begin), ' ', func() {
				if reads++; reads == 100 {
					stop()
				}
			}}, func([]byte, error) error { return nil })
			if !errors.Is(err, context.Canceled) || reads > 101 {
				t.Errorf("%d reads, %v", reads, err)
			}
		})
	}
}

// endless is a stream with a beginning and no end.
type endless struct {
	begin []byte
	fill  byte
	each  func()
}

func (e *endless) Read(p []byte) (int, error) {
	e.each()
	for i := range p {
		p[i] = e.fill
	}
	copy(p, e.begin)
	e.begin = nil
	return len(p), nil
}

// given blanks between the parts of a conversation, then they are not kept
func TestBlanksAreNotKept(t *testing.T) {
	var got []string
	err := eachValue(t.Context(), strings.NewReader(" [ { \"a b\" : [ 1 ,\n2 ] } , \"x y\",3 ,4]\n{}\t5 \"z\"7"), func(data []byte, err error) error {
		got = append(got, string(data))
		return err
	})
	if diff := cmp.Diff([]string{`{"a b":[1,2]}`, `"x y"`, "3", "4", "{}", "5", `"z"`, "7"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// given a conversation of 20,000 messages, one below the other, then each is looked at once
func TestADeepConversation(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"id":"deep","current_node":"n19999","mapping":{`)
	for i := range 20000 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"n%d":{"parent":"n%d","message":{"author":{"role":"user"},"create_time":%d,"content":{"content_type":"text","parts":["m%d"]}}}`, i, i-1, 1767254400+i, i)
	}
	b.WriteString("}}]")
	list, _, err := all(t, one(t, b.String()))
	if err != nil || len(list) != 1 || len(list[0].Messages) != 20000 {
		t.Fatal(err)
	}
	for i, m := range list[0].Messages {
		if m.Text != fmt.Sprintf("m%d", i) {
			t.Fatalf("%d is %q", i, m.Text)
		}
	}
}

func TestTimes(t *testing.T) {
	want := time.Date(2026, 1, 2, 8, 0, 1, 0, time.UTC)
	for _, v := range []any{
		1767340801.0, 1767340801000.0, 1767340801000000.0, 1767340801000000000.0, "1767340801", int64(1767340801), "2026-01-02T08:00:01Z", "2026-01-02T09:00:01+01:00",
		"2026-01-02T08:00:01.000000", "2026-01-02 08:00:01", "2026-01-02 08:00:01+00:00", "2026-01-02 08:00:01 +0000 UTC m=+0.5", want,
	} {
		if got := timeOf(v); !got.Equal(want) {
			t.Errorf("%v is %v", v, got)
		}
	}
	for _, v := range []any{-5.0, 0.0, "", "soon", nil, true, 1e300, "NaN", "0001-01-01T00:00:00Z"} {
		if got := timeOf(v); !got.IsZero() {
			t.Errorf("%v is %v", v, got)
		}
	}
}

func FuzzEach(f *testing.F) {
	for _, text := range []string{chatGPT, claude, `{"chat":{"messages":[{"role":"user","content":"x"}]}}`, `{"conversationId":1,"messages":[{"children":[{}]}]}`, `{"messages":[{"versions":[{"role":"user"}]}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = EachConversation(t.Context(), one(t, string(data)), func(c Conversation) error {
			if err := transcript.CheckName(c.Session); err != nil {
				t.Error(err)
			}
			seen := map[string]bool{"": true}
			for _, m := range c.Messages {
				if m.Time.IsZero() || seen[m.ID] || !seen[m.Parent] || m.Shows() && m.Kind == "" {
					t.Errorf("a message without a time or a place: %+v", m)
				}
				seen[m.ID] = true
			}
			return nil
		}, Watch{})
	})
}
