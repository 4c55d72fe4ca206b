package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// MaxText is how long a message may be, in characters as Discord counts them
// (UTF-16 units at most).
const MaxText = 2000

// outgoing is the body of a message. The library's own type has no nonce.
type outgoing struct {
	Content   string      `json:"content"`
	Nonce     string      `json:"nonce,omitempty"`
	Enforce   bool        `json:"enforce_nonce,omitempty"`
	Mentions  mentions    `json:"allowed_mentions"`
	Reference *reference  `json:"message_reference,omitempty"`
	Files     []fileEntry `json:"attachments,omitempty"`
}

// mentions are none: nobody is rung by a message of ours.
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

// codeReplyUnread: a reply needs the permission to read what it answers to.
const codeReplyUnread = 160002

// Send posts a message and gives its id. A reply to a message that is gone, or that
// the bot may not read, is posted without the reference.
func (c *Connection) Send(ctx context.Context, channel string, out Outgoing) (id string, err error) {
	body := outgoing{Content: out.Text, Nonce: out.Nonce, Enforce: out.Nonce != "", Mentions: noMentions()}
	if out.Reply != "" {
		body.Reference = &reference{Message: out.Reply}
	}
	sent, err := c.post(ctx, channel, body, out.Files)
	var said *Error
	if errors.As(err, &said) && said.Code == codeReplyUnread && body.Reference != nil {
		body.Reference = nil
		sent, err = c.post(ctx, channel, body, out.Files)
	}
	return sent.ID, err
}

// post sends a message, with its files where it has some.
func (c *Connection) post(ctx context.Context, channel string, body outgoing, files []File) (sent discordgo.Message, err error) {
	const what = "sending a message"
	endpoint := discordgo.EndpointChannelMessages(channel)
	if len(files) == 0 {
		return sent, c.call(ctx, what, http.MethodPost, endpoint, body, &sent)
	}
	var list []*discordgo.File
	for i, f := range files {
		body.Files = append(body.Files, fileEntry{ID: i, Name: f.Name})
		list = append(list, &discordgo.File{Name: f.Name, ContentType: "text/markdown; charset=utf-8", Reader: bytes.NewReader(f.Data)})
	}
	contentType, data, err := discordgo.MultipartBodyWithJSON(body, list)
	if err != nil {
		return sent, fmt.Errorf("%s: %w", what, err)
	}
	return sent, c.exchange(ctx, what, http.MethodPost, endpoint, contentType, data, &sent)
}

// call sends a body as JSON (nil: none) and reads the answer (into nil: it is not
// wanted).
func (c *Connection) call(ctx context.Context, what, method, endpoint string, body, into any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return c.exchange(ctx, what, method, endpoint, "application/json", data, into)
}

// exchange is a request and its answer. The library's own buckets are passed by, each
// call has one of its own: they hold up all calls of a route until the one before is
// answered, whatever the context says. The transport waits for Discord's limits.
func (c *Connection) exchange(ctx context.Context, what, method, endpoint, contentType string, data []byte, into any) error {
	own := discordgo.NewRatelimiter().LockBucket(endpoint)
	answer, err := c.rest.RequestWithLockedBucket(method, endpoint, contentType, data, own, 0, discordgo.WithContext(ctx))
	if err != nil {
		return restError(what, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s: Discord's answer can't be read: %w", what, err)
	}
	return nil
}

// Edit replaces the text of a message of the bot's own.
func (c *Connection) Edit(ctx context.Context, channel, message, text string) error {
	body := struct {
		Content  string   `json:"content"`
		Mentions mentions `json:"allowed_mentions"`
	}{text, noMentions()}
	return c.call(ctx, "editing a message", http.MethodPatch, discordgo.EndpointChannelMessage(channel, message), body, nil)
}

// Typing shows for ten seconds that the bot is writing.
func (c *Connection) Typing(ctx context.Context, channel string) error {
	return c.call(ctx, "typing", http.MethodPost, discordgo.EndpointChannelTyping(channel), nil, nil)
}

// Message reads one message.
func (c *Connection) Message(ctx context.Context, channel, id string) (Message, error) {
	var m discordgo.Message
	if err := c.call(ctx, "reading a message", http.MethodGet, discordgo.EndpointChannelMessage(channel, id), nil, &m); err != nil {
		return Message{}, err
	}
	return messageOf(&m), nil
}

// Messages reads up to 100 messages before one ("" for the newest), oldest first.
func (c *Connection) Messages(ctx context.Context, channel, before string, limit int) ([]Message, error) {
	query := url.Values{"limit": {strconv.Itoa(min(limit, 100))}}
	if before != "" {
		query.Set("before", before)
	}
	var list []*discordgo.Message
	if err := c.call(ctx, "reading messages", http.MethodGet, discordgo.EndpointChannelMessages(channel)+"?"+query.Encode(), nil, &list); err != nil {
		return nil, err
	}
	out := make([]Message, 0, len(list))
	for _, m := range slices.Backward(list) { // they come newest first
		if m != nil {
			out = append(out, messageOf(m))
		}
	}
	return out, nil
}

// cdnHosts are where files of messages are.
var cdnHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// Download fetches a file of a message, at most so many bytes.
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

// Answer answers a slash command so that only who used it sees it.
func (c *Connection) Answer(ctx context.Context, cmd Command, text string) error {
	const toOneOnly = 1 << 6
	body := map[string]any{"type": 4, "data": map[string]any{"content": text, "flags": toOneOnly, "allowed_mentions": noMentions()}}
	return c.call(ctx, "answering a command", http.MethodPost, discordgo.EndpointInteractionResponse(cmd.ID, cmd.Token), body, nil)
}

// SlashCommand is a command that Discord offers people.
type SlashCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// SetCommands tells Discord which slash commands there are, in the place of those
// of before.
func (c *Connection) SetCommands(ctx context.Context, list []SlashCommand) error {
	c.mu.Lock()
	app := c.app
	c.mu.Unlock()
	return c.call(ctx, "offering commands", http.MethodPut, discordgo.EndpointApplicationGlobalCommands(app), list, nil)
}

// restError is an error of the library without the request, whose header holds the
// token.
func restError(what string, err error) error {
	if err == nil {
		return nil
	}
	var said *discordgo.RESTError
	if errors.As(err, &said) {
		e := &Error{What: what}
		if said.Response != nil {
			e.Status = said.Response.StatusCode
		}
		if said.Message != nil {
			e.Code, e.Message = said.Message.Code, said.Message.Message
		}
		return e
	}
	var limited *discordgo.RateLimitError
	if errors.As(err, &limited) {
		return fmt.Errorf("%s: %w", what, ErrBusy)
	}
	if errors.Is(err, discordgo.ErrUnauthorized) {
		return &Error{Status: http.StatusUnauthorized, What: what}
	}
	return fmt.Errorf("%s: %w", what, scrubbed(err))
}
