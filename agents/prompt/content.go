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

// FilesAttr is the attribute of a User block that says how many raw tokens of its files
// were sent. It is written once, so that a later turn, a restart and another calibration
// send the same bytes.
const FilesAttr = "files_tokens"

// Content is what is sent for a message. The same block, files and model give the same
// bytes.
type Content struct {
	Text   string
	Images []api.ImageData
	Cut    int      // characters of its files that were left out
	Lost   []string // why a file could not be read
	Unseen int      // images that the model can't look at
	Quoted []string // the texts of its files
}

// Contents makes what is sent for the messages of a turn: each file is read once.
type Contents struct {
	Guides Guides
	Read   func(transcript.Attachment) ([]byte, error)
	AsSent func(transcript.Block) transcript.Block // a message as the model is told it
	Sees   bool                                    // the model can look at images
	Limit  int                                     // raw tokens of a message's files, where FilesAttr says nothing

	by map[string]Content
}

// Of gives the content of a message.
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

// Forget has a message rendered anew the next time.
func (c *Contents) Forget(id string) { delete(c.by, id) }

// Cost is what a message counts for in the caps of the history, in raw tokens.
func (c *Contents) Cost(b transcript.Block) int {
	in := c.Of(b)
	return transcript.EstimateTokens(in.Text) + ImageTokens*len(in.Images) + MessageTokens
}

// render makes a message's content: its words, the texts of its files quoted below
// them, its images beside them, then what was attached when it was sent.
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
			parts = append(parts, "[attached image: "+FileName(f)+"]")
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

// limit is how many raw tokens of a message's files are sent.
func (c *Contents) limit(b transcript.Block) int {
	if n, err := strconv.Atoi(b.Attrs[FilesAttr]); err == nil && n > 0 {
		return n
	}
	return c.Limit
}

// share gives each text the raw tokens it may take: short ones whole, long ones
// share what is left alike.
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

// UserText is what is sent for a User block without files: always the same, from the
// block.
func UserText(b transcript.Block) string {
	if b.Context == "" {
		return b.Text
	}
	return b.Text + "\n\n" + b.Context
}

// maxFileName is how much of a file's name a model is told, in characters.
const maxFileName = 80

// FileName is the name of a file as a model is told it: others may have chosen it.
func FileName(f transcript.Attachment) string { return PlainName(path.Base(f.Name), maxFileName) }

// PlainName is a name that others chose, also a file's, as it may stand in a prompt
// outside a quote: one short line without marks.
func PlainName(name string, most int) string {
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(":<>[]`", r)
	}), " ")
	return excerpt.Shorten(name, most)
}
