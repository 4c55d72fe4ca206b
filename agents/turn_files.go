package agents

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

const (
	// imageTokens is what an image counts for in the caps, as in the time its
	// reading is given: models differ between 250 and 3,000.
	imageTokens = 1000
	// filesShare is what attached text may take of the history's cap, in percent: the
	// next questions about it need room beside it.
	filesShare = 60
	// leastFile is how much of a file has to fit, in raw tokens, to be worth sending.
	leastFile = 64
	// filesAttr is the attribute of a User block that says how many raw tokens of its
	// files were sent. It is written once, so that a later turn, a restart and another
	// calibration send the same bytes.
	filesAttr = "files_tokens"
)

// ErrNoVision: the message holds an image and the model takes none.
var ErrNoVision = errors.New("the model can't look at images")

// noVisionError is ErrNoVision with the model and, where one is installed, one that
// can.
type noVisionError struct{ model, other string }

func (e *noVisionError) Error() string        { return ErrNoVision.Error() + ": " + e.model }
func (e *noVisionError) Is(target error) bool { return target == ErrNoVision }

// VisionModel is the installed model that an ErrNoVision offers; "" where there is
// none.
func VisionModel(err error) string {
	var blind *noVisionError
	if errors.As(err, &blind) {
		return blind.other
	}
	return ""
}

// content is what is sent for a message. The same block, files and model give the
// same bytes.
type content struct {
	text   string
	images []api.ImageData
	cut    int      // characters of its files that were left out
	lost   []string // why a file could not be read
	unseen int      // images that the model can't look at
	quoted []string // the texts of its files
}

// contents remembers what is sent for the messages of a turn: each file is read once.
type contents struct {
	t  *turn
	by map[string]content
}

// of gives the content of a message.
func (c *contents) of(b transcript.Block) content {
	files := b.Attachments()
	b = c.t.asSent(b)
	if len(files) == 0 {
		return content{text: userText(b)}
	}
	if known, ok := c.by[b.ID]; ok && b.ID != "" {
		return known
	}
	made := c.t.render(b, files)
	if b.ID != "" {
		c.by[b.ID] = made
	}
	return made
}

// forget renders a message anew the next time.
func (c *contents) forget(id string) { delete(c.by, id) }

// cost is what a message counts for in the caps, in raw tokens.
func (c *contents) cost(b transcript.Block) int {
	in := c.of(b)
	return transcript.EstimateTokens(in.text) + imageTokens*len(in.images) + prompt.MessageTokens
}

// render makes a message's content: its words, the texts of its files quoted below
// them, its images beside them, then what was attached when it was sent.
func (t *turn) render(b transcript.Block, files []transcript.Attachment) content {
	var out content
	parts := []string{transcript.WithoutAttachments(b.Text)}
	var texts []string
	for _, f := range files {
		data, err := t.readFile(f)
		switch {
		case err != nil:
			out.lost = append(out.lost, err.Error())
			parts = append(parts, "[the attached file "+fileName(f)+" is missing]")
		case !f.Image:
			texts = append(texts, string(data))
		case t.model.Can(visionCapability):
			out.images = append(out.images, data)
			parts = append(parts, "[attached image: "+fileName(f)+"]")
		default:
			out.unseen++
			parts = append(parts, "[attached image, which you can't see: "+fileName(f)+"]")
		}
		if err != nil || f.Image {
			texts = append(texts, "")
		}
	}
	shares := share(texts, t.filesLimit(b))
	for i, f := range files {
		if texts[i] == "" {
			continue
		}
		text, left := prompt.CutResult(texts[i], shares[i])
		out.cut += left
		out.quoted = append(out.quoted, text)
		parts = append(parts, t.engine.guides.QuoteFile(fileName(f), text))
	}
	if b.Context != "" {
		parts = append(parts, b.Context)
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	out.text = strings.Join(parts, "\n\n")
	return out
}

// readFile reads a file of a message; one that is not kept yet is at hand.
func (t *turn) readFile(f transcript.Attachment) ([]byte, error) {
	for _, u := range t.req.Files {
		if u.Attachment().File == f.File {
			return u.Data, nil
		}
	}
	return t.engine.p.Store.ReadAttachment(t.req.Session, f)
}

const visionCapability = "vision"

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

// filesLimit is how many raw tokens of a message's files are sent: what was found
// when it was written, else what surely fits the model.
func (t *turn) filesLimit(b transcript.Block) int {
	if n, err := strconv.Atoi(b.Attrs[filesAttr]); err == nil && n > 0 {
		return n
	}
	limit := t.maxTokens() * filesShare / 100
	if t.numCtx > 0 {
		limit = min(limit, t.numCtx/6)
	}
	return max(limit, leastFile)
}

func (t *turn) maxTokens() int {
	if t.settings.MaxTokens <= 0 {
		return defaultMaxTokens
	}
	return t.settings.MaxTokens
}

// fileTokens is how much of a new message's files is sent: what the model's context
// leaves beside the system prompt, the message's own words and a Summary, and no more
// than filesShare of the history's cap.
func (t *turn) fileTokens(b transcript.Block) int {
	limit := t.maxTokens() * filesShare / 100
	if !t.talk.budget.Known() {
		return limit
	}
	images := 0
	for _, f := range b.Attachments() {
		if f.Image {
			images++
		}
	}
	words := transcript.Block{Text: transcript.WithoutAttachments(b.Text), Context: b.Context}
	room := t.room(t.talk.budget.Summary) - t.talk.cost(userText(words)) - t.talk.images(images)
	for _, f := range b.Attachments() {
		room -= t.talk.cost(t.engine.guides.QuoteFile(fileName(f), ""))
	}
	return min(limit, t.talk.raw(room)-roundingTokens)
}

// linked is a message's text with links to what is going to be attached.
func (t *turn) linked(text string) (string, error) {
	if n := len(t.req.Files) + len(transcript.Attachments(text)); n > attach.Max {
		return "", fmt.Errorf("%w: %d files are attached, and %d is the most for one message", ErrRequest, n, attach.Max)
	}
	return transcript.WithLinks(text, t.uploads()...), nil
}

// uploads are what is going to be attached.
func (t *turn) uploads() []transcript.Attachment {
	var list []transcript.Attachment
	for _, u := range t.req.Files {
		list = append(list, u.Attachment())
	}
	return list
}

// keepFiles keeps what is attached, once the message is going to be written, and
// links it below the message's text.
func (t *turn) keepFiles(ctx context.Context, text string) (string, error) {
	var list []transcript.Attachment
	for _, u := range t.req.Files {
		a, err := t.engine.p.Store.Attach(ctx, t.req.Session, u)
		if err != nil {
			return "", saveProblem("The attached file", err)
		}
		list = append(list, a)
	}
	return transcript.WithLinks(text, list...), nil
}

// weighFiles looks whether the model can do something with a new message's files,
// and decides how much of them it is sent. Where the server can't be asked, that is
// decided when the request is made.
func (t *turn) weighFiles(ctx context.Context, b *transcript.Block) error {
	if err := t.mustSee(ctx, *b); err != nil {
		return err
	}
	limit := t.fileTokens(*b)
	if limit < leastFile && hasText(b.Attachments()) {
		return &tooLongError{model: t.model.Name, need: t.talk.cost(userText(*b)) + leastFile, room: t.room(0)}
	}
	if hasText(b.Attachments()) {
		if b.Attrs == nil {
			b.Attrs = map[string]string{}
		}
		b.Attrs[filesAttr] = strconv.Itoa(limit)
	}
	return nil
}

func hasText(files []transcript.Attachment) bool {
	for _, f := range files {
		if !f.Image {
			return true
		}
	}
	return false
}

// mustSee refuses an image for a model that takes none.
func (t *turn) mustSee(ctx context.Context, b transcript.Block) error {
	if t.model.Can(visionCapability) {
		return nil
	}
	for _, f := range b.Attachments() {
		if !f.Image {
			continue
		}
		e := &noVisionError{model: t.model.Name}
		if other, err := t.engine.p.Models.Resolve(ctx, "", ollama.RoleVision); err == nil && other.Can(visionCapability) {
			e.other = other.Name
		}
		return e
	}
	return nil
}

// tellFiles says what of the files in the request is not as the user may think.
func (t *turn) tellFiles(history []transcript.Block) {
	var unseen int
	for _, b := range history {
		in := t.contents.of(b)
		if b.ID == t.user.ID {
			for _, why := range in.lost {
				t.warn(StateReading, why+"; the model is told that it is missing")
			}
			if in.cut > 0 {
				t.tellCut(prompt.ContextCut{Attached: in.cut})
			}
		}
		unseen += in.unseen
	}
	if unseen > 0 {
		t.warn(StateReading, fmt.Sprintf("%s can't look at images: %d of earlier messages not sent", t.model.Name, unseen))
	}
}

// images is what so many images take of the context, in calibrated tokens.
func (d *dialogue) images(n int) int { return n * imageTokens }

// maxFileName is how much of a file's name a model is told, in characters.
const maxFileName = 80

// fileName is the name of a file as a model is told it: others may have chosen it.
func fileName(f transcript.Attachment) string { return plainName(path.Base(f.Name), maxFileName) }
