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

// Send posts a message and gives its id. A reply to a message that is gone is
// posted without the reference.
func (c *Connection) Send(ctx context.Context, channel string, out Outgoing) (id string, err error) {
	body := outgoing{Content: out.Text, Nonce: out.Nonce, Enforce: out.Nonce != "", Mentions: noMentions()}
	if out.Reply != "" {
		body.Reference = &reference{Message: out.Reply}
	}
	endpoint := discordgo.EndpointChannelMessages(channel)
	var data []byte
	if len(out.Files) == 0 {
		data, err = c.rest.RequestWithBucketID(http.MethodPost, endpoint, body, endpoint, discordgo.WithContext(ctx))
	} else {
		data, err = c.sendFiles(ctx, endpoint, body, out.Files)
	}
	if err != nil {
		return "", restError("sending a message", err)
	}
	var sent discordgo.Message
	if err := json.Unmarshal(data, &sent); err != nil {
		return "", fmt.Errorf("reading what Discord says of a message: %w", err)
	}
	return sent.ID, nil
}

func (c *Connection) sendFiles(ctx context.Context, endpoint string, body outgoing, files []File) ([]byte, error) {
	var list []*discordgo.File
	for i, f := range files {
		body.Files = append(body.Files, fileEntry{ID: i, Name: f.Name})
		list = append(list, &discordgo.File{Name: f.Name, ContentType: "text/markdown; charset=utf-8", Reader: bytes.NewReader(f.Data)})
	}
	contentType, data, err := discordgo.MultipartBodyWithJSON(body, list)
	if err != nil {
		return nil, err
	}
	return c.rest.RequestRaw(http.MethodPost, endpoint, contentType, data, endpoint, 0, discordgo.WithContext(ctx))
}

// Edit replaces the text of a message of the bot's own.
func (c *Connection) Edit(ctx context.Context, channel, message, text string) error {
	body := struct {
		Content  string   `json:"content"`
		Mentions mentions `json:"allowed_mentions"`
	}{text, noMentions()}
	_, err := c.rest.RequestWithBucketID(http.MethodPatch, discordgo.EndpointChannelMessage(channel, message), body,
		discordgo.EndpointChannelMessage(channel, ""), discordgo.WithContext(ctx))
	return restError("editing a message", err)
}

// Delete takes a message away.
func (c *Connection) Delete(ctx context.Context, channel, message string) error {
	return restError("deleting a message", c.rest.ChannelMessageDelete(channel, message, discordgo.WithContext(ctx)))
}

// Typing shows for ten seconds that the bot is writing.
func (c *Connection) Typing(ctx context.Context, channel string) error {
	return restError("typing", c.rest.ChannelTyping(channel, discordgo.WithContext(ctx)))
}

// Message reads one message.
func (c *Connection) Message(ctx context.Context, channel, id string) (Message, error) {
	m, err := c.rest.ChannelMessage(channel, id, discordgo.WithContext(ctx))
	if err != nil {
		return Message{}, restError("reading a message", err)
	}
	return messageOf(m), nil
}

// Messages reads up to 100 messages before one ("" for the newest), oldest first.
func (c *Connection) Messages(ctx context.Context, channel, before string, limit int) ([]Message, error) {
	list, err := c.rest.ChannelMessages(channel, min(limit, 100), before, "", "", discordgo.WithContext(ctx))
	if err != nil {
		return nil, restError("reading messages", err)
	}
	out := make([]Message, 0, len(list))
	for _, m := range list {
		out = append(out, messageOf(m))
	}
	slices.Reverse(out) // they come newest first
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
	endpoint := discordgo.EndpointInteractionResponse(cmd.ID, cmd.Token)
	_, err := c.rest.RequestWithBucketID(http.MethodPost, endpoint, body, endpoint, discordgo.WithContext(ctx))
	return restError("answering a command", err)
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
	endpoint := discordgo.EndpointApplicationGlobalCommands(app)
	_, err := c.rest.RequestWithBucketID(http.MethodPut, endpoint, list, endpoint, discordgo.WithContext(ctx))
	return restError("offering commands", err)
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
