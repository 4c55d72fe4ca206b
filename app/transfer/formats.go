package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mac-stats/sessionmem/transcript"
)

// formats are the kinds of conversations in JSON, each with the shape that makes it one. The
// first that fits reads it.
var formats = []struct {
	fits func(o object) bool
	read func(r *reading, o object) Conversation
}{
	{func(o object) bool {
		return objectOf(o["mapping"]) != nil && !has(o, "mapping", "*", "message", "fragments")
	}, (*reading).chatGPT},
	{func(o object) bool { _, ok := o["chat_messages"].([]any); return ok }, (*reading).claude},
	{func(o object) bool {
		return has(o, "chat", "history", "messages") || has(o, "history", "messages") || has(o, "chat", "messages", "role")
	}, (*reading).openWebUI},
	{func(o object) bool { _, ok := o["messages"].([]any); return ok && has(o, "conversationId") }, (*reading).libreChat},
	{func(o object) bool {
		return has(o, "messages", "versions") || has(o, "messages") && has(o, "usePerChatPredictionConfig")
	}, (*reading).lmStudio},
}

// others are kinds that aren't read, with the values that they have.
var others = []struct {
	name  string
	paths [][]string
}{
	{"a conversation of DeepSeek", [][]string{{"mapping", "*", "message", "fragments"}}},
	{"an export of Grok", [][]string{{"conversations", "conversation"}, {"conversations", "responses"}}},
	{"an export of Gemini from Google Takeout", [][]string{{"header"}, {"title"}, {"time"}, {"products"}}},
	{"a conversation of Mistral's Le Chat", [][]string{{"chatId"}, {"contentChunks"}}},
	{"a conversation of Mistral's Le Chat", [][]string{{"chatId"}, {"role"}}},
	{"a session of Claude Code", [][]string{{"sessionId"}, {"parentUuid"}}},
	{"a session of Claude Code", [][]string{{"sessionId"}, {"uuid"}, {"message"}}},
	{"a session of Codex", [][]string{{"payload"}, {"timestamp"}, {"type"}}},
	{"a session of Continue", [][]string{{"sessionId"}, {"history", "message"}}},
	{"a chat of SillyTavern", [][]string{{"user_name"}, {"character_name"}}},
	{"a chat of text-generation-webui", [][]string{{"internal"}, {"visible"}}},
	{"an export of AnythingLLM", [][]string{{"prompt"}, {"response"}, {"workspace"}}},
	{"an export of Chatbox", [][]string{{"chat-sessions-list"}}},
	{"an export of Chatbox", [][]string{{"chat-sessions"}}},
	{"a backup of Cherry Studio", [][]string{{"indexedDB"}, {"localStorage"}}},
	{"an export of TypingMind", [][]string{{"data", "chats"}}},
	{"an export of TypingMind", [][]string{{"chatID"}, {"messages"}}},
	{"an export of big-AGI", [][]string{{"conversations", "systemPurposeId"}}},
	{"a conversation of HuggingChat", [][]string{{"messages", "from"}, {"messages", "content"}}},
	{"a dataset of ShareGPT's kind", [][]string{{"conversations", "from"}, {"conversations", "value"}}},
	{"a list of messages as the OpenAI API takes it", [][]string{{"messages", "role"}, {"messages", "content"}}},
	{"a list of messages as the OpenAI API takes it", [][]string{{"role"}, {"content"}}},
	{"a thread of Jan without its messages (choose the folder that holds the threads)", [][]string{{"assistants"}, {"title"}}},
}

// textLooks names a file that isn't read, by its beginning.
func textLooks(head []byte) string {
	lower := bytes.ToLower(head)
	switch {
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "a web page (of an export as HTML: choose its zip file, or the JSON in it)"
	case bytes.HasPrefix(lower, []byte("conversation,time,author,message")):
		return "an export of Copilot"
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "a packed file (gzip; unpack it first)"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "another zip file in it (unpack it first)"
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return "a PDF"
	}
	return ""
}

// maxWithin is how many objects may stand around a list of conversations.
const maxWithin = 3

// conversations returns the conversations of a value: itself, or those of the lists within it.
// looks names a kind that isn't read.
func (r *reading) conversations(v any, depth int) (list []Conversation, looks string) {
	o := objectOf(v)
	if o == nil || depth == 0 {
		return nil, ""
	}
	for _, f := range formats {
		if f.fits(o) {
			return []Conversation{f.read(r, o)}, ""
		}
	}
	for _, f := range others {
		if !slices.ContainsFunc(f.paths, func(p []string) bool { return !has(o, p...) }) {
			return nil, f.name
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		within := o.list(key)
		if inner := o.object(key); inner != nil {
			within = []any{inner}
		}
		for i, v := range within {
			more, kind := r.conversations(v, depth-1)
			if list, looks = append(list, more...), cmp.Or(looks, kind); i == 0 && len(more) == 0 {
				break // a list of something else
			}
		}
	}
	return list, looks
}

// kindOf returns the kind of a role's messages; "" for those that a person doesn't see.
func kindOf(role string) transcript.Kind {
	switch strings.ToLower(role) {
	case "user", "human":
		return transcript.KindUser
	case "", "system", "developer":
		return ""
	}
	return transcript.KindAssistant // or a tool, or a part of the assistant that is new
}

// pictureName matches the name of a picture.
var pictureName = regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|heic|bmp|svg)$`)

func isPicture(kind, name string) bool {
	return strings.HasPrefix(kind, "image") || kind == "" && pictureName.MatchString(name)
}

// citeMark matches a mark of ChatGPT's for a source, or another thing, that its text refers to.
var citeMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\ue200[^\ue201]*\ue201|【[^】\n]{1,80}†[^】\n]{0,80}】")
})

// chatGPT reads a conversation of ChatGPT: a tree of nodes, one for each step of an answer.
func (r *reading) chatGPT(o object) Conversation {
	c := Conversation{Current: o.text("current_node")}
	mapping := o.object("mapping")
	parents := map[string]string{}
	for id, n := range mapping {
		for _, child := range objectOf(n).list("children") {
			parents[textOf(child)] = id
		}
	}
	type node struct {
		id      string
		message object
		object
	}
	nodes := make([]node, 0, len(mapping))
	for id, n := range mapping {
		nodes = append(nodes, node{id, objectOf(n).object("message"), objectOf(n)})
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(a.message.time("create_time").Compare(b.message.time("create_time")), strings.Compare(a.id, b.id))
	})
	title := new(string) // of the last document
	for _, n := range nodes {
		m := n.message
		meta := m.object("metadata")
		kind := kindOf(m.object("author").text("role"))
		d := r.draft(&c, n.id, cmp.Or(n.text("parent"), parents[n.id]), kind, m.time("create_time"), meta.text("model_slug"))
		if kind != "" && !meta.is("is_visually_hidden_from_conversation") {
			d.chatGPT(m, meta, title)
		}
		d.finish()
	}
	return c.complete("chatgpt", o.text("id", "conversation_id"), o.text("title"), cmp.Or(o.time("create_time"), r.in.made))
}

// chatGPT reads a node's message.
func (d *draft) chatGPT(m, meta object, title *string) {
	content, to := m.object("content"), m.text("recipient")
	tool := ""
	switch {
	case m.object("author").text("role") == "tool":
		tool = cmp.Or(m.object("author").text("name"), "tool")
	case to != "" && to != "all":
		tool = to
	}
	kind := content.text("content_type")
	var texts []string // of a tool
	say := func(text string) {
		if tool != "" {
			texts = append(texts, text)
		} else {
			d.say(d.cited(text, meta))
		}
	}
	names := map[string]string{}
	for _, a := range meta.list("attachments") {
		names[objectOf(a).text("id")] = objectOf(a).text("name")
	}
	say(m.text("content"))
	for _, part := range content.parts("parts") {
		pointer := part.text("asset_pointer")
		_, id, _ := strings.Cut(pointer, "://")
		switch k := part.text("content_type"); {
		case strings.Contains(k, "image"):
			d.asset(true, names[id], id)
			delete(names, id)
		case strings.Contains(k, "audio") && pointer != "" || strings.Contains(k, "video"):
			d.missing(LeftSounds, "", "")
		case part.text("text") != "":
			say(part.text("text"))
		case k != "" && pointer == "" && k != "audio_transcription":
			d.unknown(k, part)
		}
	}
	switch kind {
	case "thoughts":
		for _, t := range content.list("thoughts") {
			d.think(strings.TrimSpace(objectOf(t).text("summary") + "\n\n" + objectOf(t).text("content")))
		}
	case "reasoning_recap":
		d.think(content.text("content"))
	case "user_editable_context", "model_editable_context": // settings, not said
		return
	case "text", "multimodal_text":
	default: // code, execution_output, tether_quote and whatever comes
		say(content.text("text", "result", "content"))
		if address := content.text("url"); address != "" {
			say(content.text("title"))
			say(address)
		}
		for _, key := range slices.Sorted(maps.Keys(content)) {
			if _, id, ok := strings.Cut(content.object(key).text("asset_pointer"), "://"); ok { // such as a screenshot
				d.asset(true, names[id], id)
			}
		}
		if len(d.parts) == 0 && tool == "" && kind != "" {
			d.unknown(kind, content)
		}
	}
	if text := strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n\n"); !strings.HasPrefix(tool, "canmore.") || !d.canvas(text, title) {
		d.call(tool, text)
	}
	for _, a := range meta.list("attachments") {
		if id := objectOf(a).text("id"); names[id] != "" || id == "" {
			name := objectOf(a).text("name")
			d.asset(isPicture(objectOf(a).text("mime_type", "mimeType"), name), name, id, name)
		}
	}
}

// canvas reads the call that made or changed a document beside the conversation. It returns false
// for the answer to such a call, which is a tool's.
func (d *draft) canvas(text string, title *string) bool {
	var o object
	if json.Unmarshal([]byte(text), &o) != nil {
		return false
	}
	switch {
	case o.text("content") != "":
		*title = o.text("name")
		language, code := strings.CutPrefix(o.text("type"), "code/")
		if !code {
			language = "markdown"
		}
		d.document(*title, language, o.text("content"))
	case len(o.list("updates")) > 0:
		for _, u := range o.list("updates") {
			if pattern := objectOf(u).text("pattern"); pattern == ".*" {
				d.document(cmp.Or(*title, "Document")+" (rewritten)", "", objectOf(u).text("replacement"))
			} else {
				d.changed(*title, pattern, objectOf(u).text("replacement"))
			}
		}
	case len(o.list("comments")) > 0:
		lines := "Comments on " + cmp.Or(transcript.OneLine(*title), "the document") + ":"
		for _, u := range o.list("comments") {
			lines += "\n- " + transcript.OneLine(objectOf(u).text("comment"))
			if at := transcript.OneLine(objectOf(u).text("pattern")); at != "" {
				lines += " (at “" + at + "”)"
			}
		}
		d.say(lines)
	default:
		return false
	}
	return true
}

// cited replaces the marks of an answer's text by numbers of its sources.
func (d *draft) cited(text string, meta object) string {
	runes := []rune(text)
	for _, v := range slices.Backward(meta.list("citations")) { // older: by place
		ref := objectOf(v)
		mark := d.source(ref.object("metadata").text("title"), ref.object("metadata").text("url"))
		from, ok := ref.number("start_ix")
		to, _ := ref.number("end_ix")
		if i, j := int(from), int(to); mark != "" && ok && 0 <= i && i < j && j <= len(runes) && citeMark().MatchString(string(runes[i:j])) {
			runes = slices.Replace(runes, i, j, []rune(mark)...)
		}
	}
	if text = string(runes); len(meta.list("content_references")) == 0 {
		return citeMark().ReplaceAllString(text, "")
	}
	marks := map[string]string{}
	for _, v := range meta.list("content_references") {
		ref := objectOf(v)
		mark := d.source(ref.text("title"), ref.text("url"))
		for _, key := range []string{"items", "sources", "fallback_items"} {
			for _, v := range ref.list(key) {
				item := objectOf(v)
				mark += d.source(item.text("title", "attribution"), item.text("url"))
				for _, v := range item.list("supporting_websites") {
					mark += d.source(objectOf(v).text("title"), objectOf(v).text("url"))
				}
			}
		}
		if name := ref.text("name"); mark == "" && ref.text("type") == "file" && name != "" {
			mark = "(" + transcript.OneLine(name) + ")"
		}
		if at := ref.text("matched_text"); strings.TrimSpace(at) != "" {
			marks[at] = mark
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(marks), func(a, b string) int { return len(b) - len(a) }) {
		text = strings.ReplaceAll(text, at, marks[at])
	}
	return citeMark().ReplaceAllString(text, "")
}

// claude reads a conversation of Claude.
func (r *reading) claude(o object) Conversation {
	c := Conversation{Current: o.text("current_leaf_message_uuid")}
	titles := map[string]string{} // of documents
	before := ""
	for i, v := range o.list("chat_messages") {
		m := objectOf(v)
		parent, branches := m["parent_message_uuid"].(string)
		if !branches {
			parent = before
		}
		kind := kindOf(m.text("sender", "role"))
		d := r.draft(&c, cmp.Or(m.text("uuid"), hashOf(before, textOf(float64(i)))), parent, kind, m.time("created_at"), m.text("model"))
		before = d.ID
		if kind == "" {
			d.finish()
			continue
		}
		shown := false
		for _, p := range m.parts("content") {
			shown = d.claudePart(p, titles) || shown
		}
		if !shown {
			d.say(m.text("text"))
		}
		for _, a := range m.list("attachments") {
			a := objectOf(a)
			if text := a.text("extracted_content"); text != "" {
				d.document(cmp.Or(a.text("file_name"), "a file"), "", text)
			} else {
				d.asset(isPicture(a.text("file_type"), a.text("file_name")), a.text("file_name"), a.text("id", "file_uuid"), a.text("file_name"))
			}
		}
		had := map[string]bool{}
		for _, f := range append(m.list("files"), m.list("files_v2")...) {
			f := objectOf(f)
			id, name := f.text("file_uuid", "uuid"), f.text("file_name")
			if key := cmp.Or(id, name); !had[key] {
				had[key] = true
				d.asset(isPicture(f.text("file_kind"), name), name, id, name)
			}
		}
		d.finish()
	}
	return c.complete("claude", o.text("uuid"), o.text("name"), cmp.Or(o.time("created_at"), r.in.made))
}

// claudePart adds a part of a message. It returns whether a person saw it as the message itself.
func (d *draft) claudePart(p object, titles map[string]string) (shown bool) {
	switch kind := p.text("type"); kind {
	case "text":
		text := p.text("text")
		for _, v := range p.list("citations") {
			cite := objectOf(v)
			mark := d.source(cmp.Or(cite.text("title"), cite.object("metadata").text("title"), cite.object("details").text("title")), cmp.Or(cite.text("url"), cite.object("details").text("url")))
			if mark != "" && !strings.HasSuffix(text, mark) {
				text = strings.TrimRight(text, " ") + " " + mark
			}
		}
		d.say(text)
		return strings.TrimSpace(text) != ""
	case "thinking":
		d.think(p.text("thinking"))
	case "tool_use", "server_tool_use":
		in, name := p.object("input"), p.text("name")
		id := in.text("id", "path")
		title := cmp.Or(in.text("title"), titles[id], in.text("path"))
		titles[id] = title
		old, replaced := in["old_str"].(string)
		switch body := in.text("content", "file_text"); {
		case title != "" && body != "":
			d.document(title, languageOf(in), body)
			return true
		case title != "" && replaced:
			d.changed(title, old, in.text("new_str"))
			return true
		case len(in) > 0:
			d.call(name, readable(p["input"]))
		default:
			d.call(name, p.text("partial_json"))
		}
	case "tool_result", "web_search_tool_result":
		if p.text("name") == "artifacts" { // only that it was done
			return false
		}
		var texts []string
		for _, part := range p.parts("content") {
			switch {
			case part.text("type") == "image":
				d.picture(part.text("file_name"), cmp.Or(part.object("source").text("url"), part.text("file_uuid", "file_name")))
			case part.text("text") != "":
				texts = append(texts, part.text("text"))
			default:
				texts = append(texts, readable(map[string]any(part)))
			}
		}
		d.call(p.text("name"), texts...)
	case "image":
		d.picture(p.text("file_name"), cmp.Or(p.object("source").text("url"), p.text("file_uuid", "file_name")))
	case "voice_note", "audio":
		text := p.text("transcript", "text")
		d.say(text)
		d.missing(LeftSounds, "", "")
		return text != ""
	case "redacted_thinking", "token_budget", "flag", "": // nothing that was seen
	default:
		return d.unknown(kind, p)
	}
	return false
}

// unknown adds the text of a part of an unknown kind, or names it. It returns whether it has text.
func (d *draft) unknown(kind string, part object) bool {
	keys := []string{"text", "caption", "transcript", "value", "content"}
	text := part.text(keys...)
	for _, key := range slices.Sorted(maps.Keys(part)) {
		text = cmp.Or(text, part.object(key).text(keys...))
	}
	if text == "" {
		d.missing(LeftOthers, kind, "")
	} else {
		d.say(text)
	}
	return text != ""
}

// languageOf returns the language of a document's fence.
func languageOf(in object) string {
	kind := in.text("type")
	switch {
	case in.text("language") != "":
		return in.text("language")
	case strings.HasSuffix(kind, "react"):
		return "jsx"
	case strings.Contains(kind, "/"):
		_, kind, _ = strings.Cut(kind, "/")
		return strings.TrimSuffix(strings.TrimPrefix(kind, "vnd.ant."), "+xml")
	}
	return strings.TrimPrefix(path.Ext(in.text("path")), ".")
}

// openWebUI reads a conversation of Open WebUI.
func (r *reading) openWebUI(o object) Conversation {
	chat := o.object("chat")
	if chat == nil {
		chat = o
	}
	c := Conversation{Current: chat.object("history").text("currentId", "current_id")}
	byID := chat.object("history").object("messages")
	list := chat.list("messages")
	if len(byID) > 0 {
		list = slices.SortedFunc(maps.Values(byID), func(a, b any) int {
			return cmp.Or(objectOf(a).time("timestamp").Compare(objectOf(b).time("timestamp")), strings.Compare(objectOf(a).text("id"), objectOf(b).text("id")))
		})
	}
	before := ""
	for _, v := range list {
		m := objectOf(v)
		parent := m.text("parentId")
		if len(byID) == 0 && parent == "" {
			parent = before
		}
		kind := kindOf(m.text("role"))
		d := r.draft(&c, m.text("id"), parent, kind, m.time("timestamp"), m.text("model", "modelName"))
		before = d.ID
		if kind != "" {
			d.openWebUI(m)
		}
		d.finish()
	}
	return c.complete("openwebui", o.text("id", "chat_id"), cmp.Or(o.text("title"), chat.text("title")), cmp.Or(o.time("created_at"), chat.time("timestamp"), r.in.made))
}

func (d *draft) openWebUI(m object) {
	d.think(m.text("reasoning_content"))
	d.openAIParts(m.parts("content"))
	for _, v := range m.list("files") {
		f := objectOf(v)
		file := f.object("file")
		name := cmp.Or(f.text("name"), file.text("filename"))
		switch text := cmp.Or(file.object("data").text("content"), f.text("content")); {
		case text != "":
			d.document(cmp.Or(name, "a file"), "", text)
		case isPicture(f.text("type"), ""):
			d.picture(name, f.text("url"))
		default:
			d.asset(isPicture(file.object("meta").text("content_type"), name), name, f.text("id"), name)
		}
	}
	for _, v := range append(m.list("sources"), m.list("citations")...) {
		s := objectOf(v)
		d.source(s.object("source").text("name"), s.object("source").text("url"))
		for _, v := range s.list("metadata") {
			d.source(objectOf(v).text("title", "name"), objectOf(v).text("source", "url"))
		}
	}
	if why := cmp.Or(m.object("error").text("content", "detail"), m.text("error")); why != "" {
		d.parts = append(d.parts, "(The answer failed: "+transcript.OneLine(why)+")")
	}
}

// openAIParts adds the parts of a message as many programs keep them.
func (d *draft) openAIParts(list []object) {
	for _, p := range list {
		switch kind := p.text("type"); kind {
		case "text", "output_text", "input_text":
			d.say(cmp.Or(p.text("text"), p.object("text").text("value")))
			for _, v := range p.object("text").list("annotations") {
				d.source(objectOf(v).text("title"), objectOf(v).text("url"))
			}
		case "reasoning", "think", "thinking":
			d.think(cmp.Or(p.text("think", "text", "reasoning", "content", "thinking"), p.object("text").text("value")))
		case "tool_call":
			call := p.object("tool_call")
			d.call(call.text("name"), cmp.Or(call.text("args"), readable(call["args"])), call.text("output"))
		case "image_url", "image", "image_file":
			at := p.object(kind)
			d.picture(at.text("filename", "name"), cmp.Or(at.text("url", "file_id", "filepath"), p.text("url"), at.text("filename")))
		case "error":
			d.parts = append(d.parts, "(The answer failed: "+transcript.OneLine(p.text("error", "text"))+")")
		case "agent_update", "":
		default:
			d.unknown(kind, p)
		}
	}
}

// libreChat reads a conversation of LibreChat, whose messages stand in a list or within each other.
func (r *reading) libreChat(o object) Conversation {
	c := Conversation{}
	type place struct {
		message object
		parent  string
	}
	var stack []place // the next is the last
	push := func(list []any, parent string) {
		for _, v := range slices.Backward(list) {
			stack = append(stack, place{objectOf(v), parent})
		}
	}
	push(o.list("messages"), "")
	before := ""
	for len(stack) > 0 {
		m, within := stack[len(stack)-1].message, stack[len(stack)-1].parent
		stack = stack[:len(stack)-1]
		parent, linked := m["parentMessageId"].(string)
		switch {
		case within != "":
			parent = within
		case !linked:
			parent = before
		}
		kind := transcript.KindAssistant
		if m.is("isCreatedByUser") || strings.EqualFold(m.text("sender"), "user") {
			kind = transcript.KindUser
		}
		d := r.draft(&c, m.text("messageId", "id"), parent, kind, m.time("createdAt", "updatedAt"), m.text("model", "sender"))
		before = d.ID
		if d.openAIParts(m.parts("content")); len(d.parts) == 0 {
			d.say(m.text("text"))
		}
		for _, v := range append(m.list("files"), m.list("attachments")...) {
			f := objectOf(v)
			name := f.text("filename", "name")
			for _, v := range f.object("web_search").list("organic") {
				d.source(objectOf(v).text("title"), objectOf(v).text("link"))
			}
			if name != "" {
				d.asset(isPicture(f.text("type"), name), name, f.text("file_id"), path.Base(f.text("filepath")), name)
			}
		}
		d.finish()
		push(m.list("children"), d.ID)
	}
	return c.complete("librechat", o.text("conversationId"), o.text("title"), cmp.Or(o.time("createdAt"), r.in.made))
}

// lmStudio reads a conversation of LM Studio: a list of places, each with the versions of its
// message.
func (r *reading) lmStudio(o object) Conversation {
	c := Conversation{}
	before := ""
	for i, v := range o.list("messages") {
		m := objectOf(v)
		selected, _ := m.number("currentlySelected")
		next := before
		for n, v := range m.list("versions") {
			version := objectOf(v)
			kind := kindOf(version.text("role"))
			d := r.draft(&c, "", before, kind, version.time("createdAt"), version.object("senderInfo").text("senderName"))
			if kind != "" {
				d.lmStudio(version)
			}
			d.ID = hashOf(textOf(float64(i)), string(kind), strings.Join(d.parts, "\n"))
			for d.in.has(d.ID) {
				d.ID = hashOf(d.ID)
			}
			d.finish()
			if n == int(selected) || n == 0 {
				next = d.ID
			}
		}
		before = next
	}
	c.Current = before
	return c.complete("lmstudio", o.text("id", "createdAt"), o.text("name"), cmp.Or(o.time("createdAt"), r.in.made))
}

// has reports whether the last messages of a conversation have an ID: versions of one place may
// be equal.
func (c *Conversation) has(id string) bool {
	for i := len(c.Messages) - 1; i >= max(0, len(c.Messages)-100); i-- {
		if c.Messages[i].ID == id {
			return true
		}
	}
	return false
}

func (d *draft) lmStudio(version object) {
	content := func(list []object, thought bool) {
		for _, p := range list {
			switch kind := p.text("type"); {
			case kind == "text" && thought:
				d.think(p.text("text"))
			case kind == "text":
				d.say(p.text("text"))
			case kind == "file":
				id := p.text("fileIdentifier")
				d.asset(isPicture(p.text("fileType"), id), p.text("name"), id)
			case kind == "toolCallRequest":
				d.call(p.text("name"), readable(p["parameters"]))
			case kind == "toolCallResult":
				d.call(p.text("name"), readable(p["content"]))
			case kind != "":
				d.unknown(kind, p)
			}
		}
	}
	content(version.parts("content"), false)
	for _, v := range version.list("steps") {
		step := objectOf(v)
		if d.Model == "" {
			d.Model = cmp.Or(step.object("genInfo").text("identifier"), step.object("genInfo").text("indexedModelIdentifier"))
		}
		switch step.text("type") {
		case "contentBlock":
			content(step.parts("content"), step.object("style").text("type") == "thinking")
		case "toolStatus", "debugInfoBlock", "": // no part of the answer
		}
	}
}

// janMessages collects the messages of Jan, which keeps a thread's messages in a file of their
// own, one a line.
type janMessages struct {
	order []string
	by    map[string][]object // by thread
}

// add takes a message; it returns false for anything else.
func (j *janMessages) add(v any) bool {
	o := objectOf(v)
	thread := o.text("thread_id")
	if thread == "" || o.text("role") == "" || !has(o, "content") {
		return false
	}
	if j.by == nil {
		j.by = map[string][]object{}
	}
	if _, known := j.by[thread]; !known {
		j.order = append(j.order, thread)
	}
	j.by[thread] = append(j.by[thread], o)
	return true
}

// conversations returns the threads of the messages of an entry. Their titles stand in a file
// beside it.
func (j *janMessages) conversations(r *reading, e *item) []Conversation {
	var out []Conversation
	for _, thread := range j.order {
		c := Conversation{}
		info := r.in.janThread(path.Dir(e.name), thread)
		before := ""
		for _, m := range j.by[thread] {
			kind := kindOf(m.text("role"))
			meta := m.object("metadata")
			d := r.draft(&c, m.text("id"), before, kind, m.time("created_at"), cmp.Or(m.text("model"), meta.text("modelId", "model")))
			if kind != "" {
				d.openAIParts(m.parts("content"))
				for _, v := range meta.list("tool_calls") {
					call := objectOf(v)
					d.call(call.object("tool").object("function").text("name"), call.object("tool").object("function").text("arguments"), readable(call["response"]))
				}
				for _, v := range m.list("attachments") {
					name := objectOf(v).text("name", "filename")
					d.asset(isPicture("", name), name, objectOf(v).text("file_id", "id"), name)
				}
			}
			d.finish()
			before = c.Messages[len(c.Messages)-1].ID
		}
		out = append(out, c.complete("jan", thread, info.text("title"), cmp.Or(info.time("created"), r.in.made)))
	}
	return out
}

// janThread returns what a file in a folder says of a thread.
func (c *container) janThread(dir, thread string) object {
	for _, i := range c.folders[dir] {
		e := &c.entries[i]
		if e.kind != kindJSON || e.size > 1<<20 {
			continue
		}
		var o object
		if data, err := e.data(); err == nil && json.Unmarshal(data, &o) == nil && o.text("id") == thread {
			return o
		}
	}
	return nil
}
