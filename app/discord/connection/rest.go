package connection

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
)

const (
	apiBase = "https://discord.com/api/v10"
	// userAgent names the program in the form that Discord asks bots for.
	userAgent = "DiscordBot (mac-stats, 0.1)"
	// maxAnswer is the maximum length of a REST answer, in bytes: 100 messages with
	// everything attached to them.
	maxAnswer = 16 << 20
)

// outgoing is the body of a message.
type outgoing struct {
	Content   string      `json:"content"`
	Nonce     string      `json:"nonce,omitempty"`
	Enforce   bool        `json:"enforce_nonce,omitempty"`
	Mentions  mentions    `json:"allowed_mentions"`
	Reference *reference  `json:"message_reference,omitempty"`
	Files     []fileEntry `json:"attachments,omitempty"`
}

// mentions is empty: messages of the bot ping nobody.
type mentions struct {
	Parse   []string `json:"parse"`
	Replied bool     `json:"replied_user"`
}

type reference struct {
	Message string `json:"message_id"`
	Fail    bool   `json:"fail_if_not_exists"`
}

type fileEntry struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

func noMentions() mentions { return mentions{Parse: []string{}} }

// codeReplyUnread means that a reply needs permission to read the message it replies to.
const codeReplyUnread = 160002

// Send posts a message and returns its ID. A reply to a message that is gone, or that the
// bot may not read, is posted without the reference.
func (c *Connection) Send(ctx context.Context, channel string, out Outgoing) (id string, err error) {
	body := outgoing{Content: out.Text, Nonce: c.nonce(out.Nonce), Enforce: out.Nonce != "", Mentions: noMentions()}
	if out.Reply != "" {
		body.Reference = &reference{Message: out.Reply}
	}
	id, err = c.post(ctx, channel, body, out.Files)
	var said *Error
	if errors.As(err, &said) && said.Code == codeReplyUnread && body.Reference != nil {
		body.Reference = nil
		id, err = c.post(ctx, channel, body, out.Files)
	}
	return id, err
}

// nonce returns what Discord takes as a message's nonce: at most 25 characters. It begins with
// the mark of this program, so that another one with the same token neither shares its messages
// nor passes for it.
func (c *Connection) nonce(of string) string { return c.mark() + digest(of, 18) }

func (c *Connection) mark() string { return digest(c.cfg.Program, 6) + "-" }

// digest returns size characters that stand for a text.
func digest(text string, size int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:size]
}

// post sends a message and its files. It reads only the ID from the answer, or returns ""
// if it can't: the message is posted anyway.
func (c *Connection) post(ctx context.Context, channel string, body outgoing, files []File) (id string, err error) {
	const what = "sending a message"
	path, contentType := messagesPath(channel), "application/json"
	for i, f := range files {
		body.Files = append(body.Files, fileEntry{ID: i, Name: f.Name})
	}
	data, err := json.Marshal(body)
	if err == nil && len(files) > 0 {
		contentType, data, err = withFiles(data, files)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	answer, err := c.exchange(ctx, what, http.MethodPost, path, contentType, data)
	return readFields(answer).id("id"), err
}

// withFiles returns a multipart body: the JSON, then the files.
func withFiles(body []byte, files []File) (contentType string, data []byte, err error) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	add := func(disposition, contentType string, data []byte) {
		part, partErr := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {contentType}})
		if partErr == nil {
			_, partErr = part.Write(data)
		}
		err = errors.Join(err, partErr)
	}
	add(`form-data; name="payload_json"`, "application/json", body)
	for i, f := range files {
		add(fmt.Sprintf(`form-data; name="files[%d]"; filename=%q`, i, f.Name), "text/markdown; charset=utf-8", f.Data)
	}
	err = errors.Join(err, w.Close())
	return w.FormDataContentType(), buf.Bytes(), err
}

// messagesPath returns the path of a channel's messages, below apiBase.
func messagesPath(channel string) string { return "/channels/" + url.PathEscape(channel) + "/messages" }

func messagePath(channel, id string) string { return messagesPath(channel) + "/" + url.PathEscape(id) }

// call sends a body as JSON (nil for none) and returns the answer.
func (c *Connection) call(ctx context.Context, what, method, path string, body any) (answer []byte, err error) {
	var data []byte
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
	return c.exchange(ctx, what, method, path, "application/json", data)
}

// exchange sends a request within Discord's limits and returns the answer. A refusal is an
// *Error.
func (c *Connection) exchange(ctx context.Context, what, method, path, contentType string, data []byte) (answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, apiBase+path, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, scrubbed(err))
	}
	req.Header.Set("Authorization", "Bot "+c.cfg.Token)
	req.Header.Set("User-Agent", userAgent)
	if len(data) > 0 {
		req.Header.Set("Content-Type", contentType)
	}
	status, answer, err := c.rest.send(req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, scrubbed(err))
	case status >= 200 && status < 300:
		return answer, nil
	case status == http.StatusTooManyRequests:
		return nil, fmt.Errorf("%s: %w", what, ErrBusy)
	}
	said := readFields(answer)
	return nil, &Error{Status: status, What: what, Code: said.whole("code"), Message: said.text("message")}
}

// Edit replaces the text of one of the bot's own messages.
func (c *Connection) Edit(ctx context.Context, channel, message, text string) error {
	body := struct {
		Content  string   `json:"content"`
		Mentions mentions `json:"allowed_mentions"`
	}{text, noMentions()}
	_, err := c.call(ctx, "editing a message", http.MethodPatch, messagePath(channel, message), body)
	return err
}

// Typing shows for ten seconds that the bot is typing.
func (c *Connection) Typing(ctx context.Context, channel string) error {
	_, err := c.call(ctx, "typing", http.MethodPost, "/channels/"+url.PathEscape(channel)+"/typing", nil)
	return err
}

// Message reads one message.
func (c *Connection) Message(ctx context.Context, channel, id string) (Message, error) {
	answer, err := c.call(ctx, "reading a message", http.MethodGet, messagePath(channel, id), nil)
	if err != nil {
		return Message{}, err
	}
	return messageOf(readFields(answer)), nil
}

// Messages reads up to 100 messages before one ("" for the newest), oldest first.
func (c *Connection) Messages(ctx context.Context, channel, before string, limit int) ([]Message, error) {
	query := url.Values{"limit": {strconv.Itoa(min(limit, 100))}}
	if before != "" {
		query.Set("before", before)
	}
	answer, err := c.call(ctx, "reading messages", http.MethodGet, messagesPath(channel)+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	var out []Message
	for _, f := range slices.Backward(objectsIn(readList(answer))) { // Discord returns them newest first
		if m := messageOf(f); m.ID != "" {
			out = append(out, m)
		}
	}
	return out, nil
}

// cdnHosts are the hosts of files in messages.
var cdnHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// Download fetches a file of a message, at most most bytes.
func (c *Connection) Download(ctx context.Context, address string, most int) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", err)
	}
	own := c.base != nil && u.Host == c.base.Host
	if !own && (u.Scheme != "https" || !slices.Contains(cdnHosts, u.Hostname())) {
		return nil, fmt.Errorf("fetching an attachment: %s is none of Discord's hosts", u.Hostname())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", scrubbed(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &Error{Status: resp.StatusCode, What: "fetching an attachment"}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("fetching an attachment: %w", err)
	}
	if len(data) > most {
		return nil, fmt.Errorf("fetching an attachment: it has more than %d bytes", most)
	}
	return data, nil
}

// Answer answers a slash command, visible only to the person who used it.
func (c *Connection) Answer(ctx context.Context, cmd Command, text string) error {
	const toOneOnly = 1 << 6
	body := map[string]any{"type": 4, "data": map[string]any{"content": text, "flags": toOneOnly, "allowed_mentions": noMentions()}}
	path := "/interactions/" + url.PathEscape(cmd.ID) + "/" + url.PathEscape(cmd.Token) + "/callback"
	_, err := c.call(ctx, "answering a command", http.MethodPost, path, body)
	return err
}

// SlashCommand is a command that Discord offers people.
type SlashCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// SetCommands replaces the slash commands registered with Discord.
func (c *Connection) SetCommands(ctx context.Context, list []SlashCommand) error {
	c.mu.Lock()
	app := c.app
	c.mu.Unlock()
	_, err := c.call(ctx, "offering commands", http.MethodPut, "/applications/"+url.PathEscape(app)+"/commands", list)
	return err
}
