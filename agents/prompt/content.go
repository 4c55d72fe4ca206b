package prompt

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/transcript"
)

// FilesAttr is the attribute of a User block with the number of raw tokens of its files
// that were sent. It is written once, so that the same bytes are sent in later turns,
// after a restart, and with another calibration.
const FilesAttr = "files_tokens"

// Content is what is sent for a message. It is the same, byte for byte, for the same
// block, files and model.
type Content struct {
	Text   string
	Images []api.ImageData
	Cut    int      // characters of its files that were left out
	Lost   []string // for each unreadable file, the reason
	Unseen int      // images that the model can't look at
	Quoted []string // the texts of its files
}

// Contents builds what is sent for the messages of a turn. It reads each file once.
type Contents struct {
	Guides Guides
	Read   func(transcript.Attachment) ([]byte, error)
	AsSent func(transcript.Block) transcript.Block // returns a message as the model sees it
	Sees   bool                                    // the model can see images
	Limit  int                                     // raw tokens of a message's files, if it has no FilesAttr

	by map[string]Content
}

// Of returns the content of a message.
func (c *Contents) Of(b transcript.Block) Content {
	files := b.Attachments()
	b = c.AsSent(b)
	if len(files) == 0 {
		return Content{Text: UserText(b)}
	}
	if known, ok := c.by[b.ID]; ok && b.ID != "" {
		return known
	}
	made := c.render(b, files)
	if b.ID != "" {
		if c.by == nil {
			c.by = map[string]Content{}
		}
		c.by[b.ID] = made
	}
	return made
}

// Forget drops the stored content of a message, so that Of renders it again.
func (c *Contents) Forget(id string) { delete(c.by, id) }

// Cost returns what a message counts toward the caps of the history, in raw tokens.
func (c *Contents) Cost(b transcript.Block) int {
	in := c.Of(b)
	return transcript.EstimateTokens(in.Text) + ImageTokens*len(in.Images) + MessageTokens
}

// AttachedImage begins the line of an image that is sent with its message.
const AttachedImage = "[attached image: "

// render builds a message's content: its text, below it the quoted texts of its files,
// its images, and the context that was added when it was sent.
func (c *Contents) render(b transcript.Block, files []transcript.Attachment) Content {
	var out Content
	parts := []string{transcript.WithoutAttachments(b.Text)}
	var texts []string
	for _, f := range files {
		data, err := c.Read(f)
		switch {
		case err != nil:
			out.Lost = append(out.Lost, err.Error())
			parts = append(parts, "[the attached file "+FileName(f)+" is missing]")
		case !f.Image:
			texts = append(texts, string(data))
		case c.Sees:
			out.Images = append(out.Images, data)
			parts = append(parts, AttachedImage+FileName(f)+"]")
		default:
			out.Unseen++
			parts = append(parts, "[attached image, which you can't see: "+FileName(f)+"]")
		}
		if err != nil || f.Image {
			texts = append(texts, "")
		}
	}
	shares := share(texts, c.limit(b))
	for i, f := range files {
		if texts[i] == "" {
			continue
		}
		text, left := CutResult(texts[i], shares[i])
		out.Cut += left
		out.Quoted = append(out.Quoted, text)
		parts = append(parts, c.Guides.QuoteFile(FileName(f), text))
	}
	if b.Context != "" {
		parts = append(parts, b.Context)
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	out.Text = strings.Join(parts, "\n\n")
	return out
}

// limit returns how many raw tokens of a message's files are sent.
func (c *Contents) limit(b transcript.Block) int {
	if n, err := strconv.Atoi(b.Attrs[FilesAttr]); err == nil && n > 0 {
		return n
	}
	return c.Limit
}

// share returns the raw tokens that each text may take: short texts fit whole, long ones
// get equal shares of the rest.
func share(texts []string, limit int) []int {
	need, shares := make([]int, len(texts)), make([]int, len(texts))
	open := 0
	for i, text := range texts {
		if need[i] = transcript.EstimateTokens(text); text != "" {
			open++
		}
	}
	for open > 0 {
		each, settled := limit/open, false
		for i := range texts {
			if texts[i] != "" && shares[i] == 0 && need[i] <= each {
				shares[i], settled = max(need[i], 1), true
				limit -= need[i]
				open--
			}
		}
		if settled {
			continue
		}
		for i := range texts {
			if texts[i] != "" && shares[i] == 0 {
				shares[i] = max(each, 1)
			}
		}
		break
	}
	return shares
}

// UserText returns what is sent for a User block without files, which depends only on the
// block.
func UserText(b transcript.Block) string {
	if b.Context == "" {
		return b.Text
	}
	return b.Text + "\n\n" + b.Context
}

// maxFileName limits a file's name in a prompt, in characters.
const maxFileName = 80

// FileName returns the name of a file for a prompt. Others may have chosen the name.
func FileName(f transcript.Attachment) string { return PlainName(path.Base(f.Name), maxFileName) }

// PlainName returns a name that others chose in a form that is safe in a prompt outside a
// quote: one short line without marks, of at most that many characters.
func PlainName(name string, most int) string {
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(":<>[]`", r)
	}), " ")
	return excerpt.Shorten(name, most)
}
