// Package transfer takes conversations in from other assistants and out to other people.
//
// EachConversation reads the export files of ChatGPT and Claude: one conversation at a time, so
// an export of any size takes only the memory of its largest conversation. HTML writes a
// conversation as a single file to read, send or print. Its style and its pictures are inside,
// for light and dark screens and for paper.
//
// Rules:
//   - Reading only reads. The caller writes the transcripts.
//   - Nothing in a file is trusted: names and IDs contain only characters that are safe in a
//     file name, and everything is marked as text from a file (transcript.FromFile), so that
//     nothing is learned from it without the user.
//   - Of an edited conversation, it reads the branch that was shown last.
//   - Content that isn't text is named in one line if it is an image, and left out if the
//     user never saw it, as with a tool call.
//   - A written file shows what the window shows: the same messages, thoughts, calls and notes,
//     with their text as markdown parses it. All of it goes through html/template as text;
//     nothing of a conversation becomes markup. A browser only shows the file: it loads no
//     address. The only script opens the print dialogue, in a file made for printing. That
//     dialogue also saves PDFs, because a browser handles every script and font, which no small
//     library does.
//
// The formats are those of conversations.json in the exports from 2024 to 2026. Neither
// company documents them.
package transfer

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// maxBytes limits the size of one conversation, in bytes of JSON.
const maxBytes = 256 << 20

// The errors for a file that can't be imported.
var (
	ErrFormat  = errors.New("it is no export of ChatGPT or Claude")
	ErrDamaged = errors.New("the export is cut or damaged")
)

// Conversation is a conversation of an export.
type Conversation struct {
	Session string // its name here: chatgpt-<id> or claude-<id>; "" if it has no ID
	Title   string
	Blocks  []transcript.Block // User and Assistant, in order; empty if nothing was said
}

// EachConversation calls f for each conversation of an export file, in order, until f returns an error or
// ctx ends. It skips conversations that it can't read and reports them to bad, with their
// place counted from 1.
func EachConversation(ctx context.Context, file string, f func(Conversation) error, bad func(place int, err error)) error {
	files, err := open(file)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // read only
	place := 0
	for i := range files.parts {
		part, err := files.parts[i]()
		if err != nil {
			return formatError(err)
		}
		err = eachOf(ctx, part, &place, files.made, f, bad)
		if err = errors.Join(err, part.Close()); err != nil {
			return err
		}
	}
	return nil
}

// eachOf reads one conversations.json. place counts across the whole export.
func eachOf(ctx context.Context, in io.Reader, place *int, made time.Time, f func(Conversation) error, bad func(place int, err error)) error {
	limited := &limit{r: in}
	dec := json.NewDecoder(limited)
	if t, err := dec.Token(); err == nil && t != json.Delim('[') || errors.As(err, new(*json.SyntaxError)) {
		return ErrFormat
	} else if err != nil {
		return formatError(err)
	}
	for dec.More() {
		*place++
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		limited.read = 0
		var one conversation
		var wrong *json.UnmarshalTypeError
		if err := dec.Decode(&one); errors.As(err, &wrong) {
			bad(*place, fmt.Errorf("%q holds a JSON %s", wrong.Field, wrong.Value))
			continue
		} else if err != nil {
			return formatError(err)
		}
		if one.Mapping == nil && one.Messages == nil {
			if *place == 1 {
				return ErrFormat
			}
			bad(*place, errors.New("it holds no messages"))
			continue
		}
		if err := f(one.conversation(made)); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); errors.Is(err, io.EOF) {
		return formatError(io.ErrUnexpectedEOF)
	} else if err != nil {
		return formatError(err)
	}
	return nil
}

// formatError explains why a file can't be read to its end.
func formatError(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset > 1:
		return fmt.Errorf("%w: at byte %d: %w", ErrDamaged, syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err == nil, errors.Is(err, io.EOF), syntax != nil:
		return ErrFormat
	}
	return err
}

// export is an open export file. Large ones hold their conversations in several
// parts.
type export struct {
	file  *os.File
	made  time.Time // when the file was written: the time of messages without one
	parts []func() (io.ReadCloser, error)
}

func (e *export) Close() error { return e.file.Close() }

// open opens conversations.json, alone or in a zip file.
func open(file string) (*export, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close(), ErrFormat)
	}
	e := &export{file: f, made: fi.ModTime()}
	head := make([]byte, 2)
	n, _ := f.ReadAt(head, 0) // a shorter file isn't a zip
	if string(head[:n]) != "PK" {
		e.parts = append(e.parts, func() (io.ReadCloser, error) { return io.NopCloser(f), nil })
		return e, nil
	}
	archive, err := zip.NewReader(f, fi.Size())
	if err != nil {
		return nil, errors.Join(formatError(err), f.Close())
	}
	for _, entry := range archive.File {
		if ok, _ := path.Match("conversations*.json", path.Base(entry.Name)); ok {
			e.parts = append(e.parts, entry.Open)
		}
	}
	if len(e.parts) == 0 {
		return nil, errors.Join(fmt.Errorf("there is no conversations.json in it: %w", ErrFormat), f.Close())
	}
	return e, nil
}

// limit stops at a conversation that is too large to hold in memory.
type limit struct {
	r    io.Reader
	read int64 // since the conversation began
}

func (l *limit) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.read += int64(n); l.read > maxBytes {
		return 0, fmt.Errorf("a conversation in it is larger than %d MB", maxBytes>>20)
	}
	return n, err
}

// conversation is a conversation in either company's format.
type conversation struct {
	// ChatGPT
	ID      string              `json:"id"`
	Other   string              `json:"conversation_id"`
	Title   string              `json:"title"`
	Created float64             `json:"create_time"` // seconds since 1970
	Current string              `json:"current_node"`
	Mapping map[string]chatNode `json:"mapping"`

	// Claude
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Began    time.Time       `json:"created_at"`
	Messages []claudeMessage `json:"chat_messages"`
}

// chatNode is a message of ChatGPT in the tree of a conversation.
type chatNode struct {
	Parent  string `json:"parent"`
	Message *struct {
		Author struct {
			Role string `json:"role"`
		} `json:"author"`
		Created float64 `json:"create_time"`
		Content struct {
			Type  string            `json:"content_type"`
			Parts []json.RawMessage `json:"parts"`
			Text  string            `json:"text"`
		} `json:"content"`
		Recipient string `json:"recipient"`
		Metadata  struct {
			Hidden bool   `json:"is_visually_hidden_from_conversation"`
			Model  string `json:"model_slug"`
		} `json:"metadata"`
	} `json:"message"`
}

// claudeMessage is a message of Claude.
type claudeMessage struct {
	Sender  string    `json:"sender"` // human or assistant
	Text    string    `json:"text"`
	Created time.Time `json:"created_at"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Attachments []attached `json:"attachments"`
	Files       []attached `json:"files"`
}

type attached struct {
	Name string `json:"file_name"`
	Text string `json:"extracted_content"`
}

// conversation converts c. made is the time of messages without one.
func (c conversation) conversation(made time.Time) Conversation {
	out := c.claude
	if c.Mapping != nil {
		out = c.chatGPT
	}
	return out(made)
}

// chatGPT follows the branch that was shown last from its end to the root.
func (c conversation) chatGPT(made time.Time) Conversation {
	out := Conversation{Session: sessionName("chatgpt", cmp.Or(c.ID, c.Other)), Title: transcript.OneLine(c.Title)}
	var branch []chatNode
	seen := map[string]bool{}
	for at := c.Current; at != "" && !seen[at]; { // a cycle ends
		seen[at] = true
		n, ok := c.Mapping[at]
		if !ok {
			break
		}
		branch = append(branch, n)
		at = n.Parent
	}
	last := cmp.Or(seconds(c.Created), made)
	for i := len(branch) - 1; i >= 0; i-- {
		m := branch[i].Message
		if m == nil || m.Metadata.Hidden || m.Recipient != "" && m.Recipient != "all" {
			continue
		}
		kind, ok := kindOf(m.Author.Role)
		if text := strings.TrimSpace(partsOf(m.Content.Parts, m.Content.Type)); ok && text != "" {
			last = notBefore(last, seconds(m.Created))
			out.add(kind, m.Metadata.Model, text, last)
		}
	}
	return out
}

// partsOf returns the text of a message, naming images.
func partsOf(parts []json.RawMessage, kind string) string {
	if kind != "text" && kind != "multimodal_text" {
		return ""
	}
	var out []string
	for _, p := range parts {
		var text string
		if json.Unmarshal(p, &text) == nil {
			out = append(out, text)
			continue
		}
		var other struct {
			Type string `json:"content_type"`
			Text string `json:"text"` // transcribed speech
		}
		if json.Unmarshal(p, &other) != nil {
			continue
		}
		switch {
		case other.Text != "":
			out = append(out, other.Text)
		case strings.Contains(other.Type, "image"):
			out = append(out, "(an image)")
		}
	}
	return strings.Join(out, "\n\n")
}

func (c conversation) claude(made time.Time) Conversation {
	out := Conversation{Session: sessionName("claude", c.UUID), Title: transcript.OneLine(c.Name)}
	last := cmp.Or(c.Began, made)
	for _, m := range c.Messages {
		kind, ok := kindOf(m.Sender)
		text := m.Text
		if text == "" {
			var parts []string
			for _, p := range m.Content {
				if p.Type == "text" {
					parts = append(parts, p.Text)
				}
			}
			text = strings.Join(parts, "\n\n")
		}
		for _, a := range append(m.Attachments, m.Files...) {
			if name := transcript.OneLine(a.Name); name != "" {
				text += "\n\n(a file: " + name + ")"
			}
			if a.Text != "" {
				text += "\n\n" + a.Text
			}
		}
		if text = strings.TrimSpace(text); ok && text != "" {
			last = notBefore(last, m.Created)
			out.add(kind, "", text, last)
		}
	}
	return out
}

func (c *Conversation) add(kind transcript.Kind, model, text string, at time.Time) {
	b := transcript.Block{Kind: kind, Time: at.Local(), Text: text}
	if kind == transcript.KindAssistant {
		b.Model = model
	}
	c.Blocks = append(c.Blocks, b.WithSources(transcript.FromFile))
}

func kindOf(role string) (transcript.Kind, bool) {
	switch role {
	case "user", "human":
		return transcript.KindUser, true
	case "assistant":
		return transcript.KindAssistant, true
	}
	return "", false
}

// notBefore returns a message's own time, but none before the preceding message's.
func notBefore(last, own time.Time) time.Time {
	if own.IsZero() || own.Before(last) {
		return last
	}
	return own
}

func seconds(s float64) time.Time {
	if s <= 0 || s > 1e11 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s * 1000))
}

// sessionName returns a session's name made of an ID's letters and digits.
func sessionName(source, id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		if (r >= 'a' && r <= 'z' || r >= '0' && r <= '9') && b.Len() < 40 {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return source + "-" + b.String()
}
