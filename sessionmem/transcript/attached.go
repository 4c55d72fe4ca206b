package transcript

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// SessionDir holds the transcripts, below the data folder. LocksDir holds the lock files for
// everything written there and for the memory files, below the session folder.
const (
	SessionDir = "session"
	LocksDir   = ".locks"

	// PartialDir holds the checkpoints of streaming answers, JournalDir the journals; both are
	// below the session folder.
	PartialDir = ".partial"
	JournalDir = ".journal"
)

// FilesDir holds attachments, below the session folder.
const FilesDir = "files"

// Attachment is a file that a User block links. The link is markdown that any
// viewer can follow from the transcript's folder:
// ![screenshot.png](files/<random>.png)
// [notes.txt](files/<random>.txt)
// The link is all there is: whoever removes it, or moves it to another message, removes
// or moves the attachment.
type Attachment struct {
	Name  string // as the user knows it; the text of the link
	File  string // its name in session/files: <random>.<ext>; older versions used a hash
	Image bool
}

// AttachmentLink matches a link to an attachment: an optional !, the name, the file.
var AttachmentLink = regexp.MustCompile(`(!?)\[((?:[^\[\]\\\n]|\\.)*)\]\((?:\.\./\.\./)?files/([0-9a-f]{64}(?:-\d{1,3})?\.[a-z0-9]{1,8})\)`)

// ImageExts are the picture formats that models get; other files are text.
var ImageExts = []string{"png", "jpg", "jpeg"}

// Attachments returns the files that a message's text links, in order, each once.
func Attachments(text string) []Attachment {
	if !strings.Contains(text, FilesDir+"/") {
		return nil
	}
	var list []Attachment
	for _, m := range AttachmentLink.FindAllStringSubmatch(text, -1) {
		a := Attachment{Name: unescapeName(m[2]), File: m[3]}
		a.Image = slices.Contains(ImageExts, strings.TrimPrefix(path.Ext(a.File), "."))
		if a.Name == "" {
			a.Name = a.File
		}
		if !slices.ContainsFunc(list, func(b Attachment) bool { return b.File == a.File }) {
			list = append(list, a)
		}
	}
	return list
}

// Attachments returns the files that a User block links. For a block that a stranger wrote (on
// Discord) it returns only the files attached to it, which its attribute files names: a
// stranger's text can't open any other file.
func (b Block) Attachments() []Attachment {
	if b.Kind != KindUser {
		return nil
	}
	all := Attachments(b.Text)
	if b.Attrs["author"] == "" && b.Attrs["msg"] == "" {
		return all
	}
	var list []Attachment
	for _, a := range all {
		if slices.Contains(strings.Fields(b.Attrs["files"]), a.File) {
			list = append(list, a)
		}
	}
	return list
}

// WithoutAttachments returns only a message's words: lines that hold nothing but links to
// attachments are removed, and a link within a line becomes the file's name.
func WithoutAttachments(text string) string {
	if len(Attachments(text)) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !AttachmentLink.MatchString(line) {
			kept = append(kept, line)
			continue
		}
		if strings.TrimSpace(AttachmentLink.ReplaceAllString(line, "")) == "" {
			continue
		}
		kept = append(kept, AttachmentLink.ReplaceAllStringFunc(line, func(link string) string {
			return unescapeName(AttachmentLink.FindStringSubmatch(link)[2])
		}))
	}
	return TrimBlankLines(strings.Join(kept, "\n"))
}

// TitleText returns what a message's title is made from: its words, or the names of its
// attachments if it has no words.
func TitleText(text string) string {
	list := Attachments(text)
	if len(list) == 0 {
		return text
	}
	if words := WithoutAttachments(text); strings.TrimSpace(words) != "" {
		return words
	}
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// Link returns the markdown link to the attachment.
func (a Attachment) Link() string {
	sign := ""
	if a.Image {
		sign = "!"
	}
	return sign + "[" + escapeName(a.Name) + "](" + FilesDir + "/" + a.File + ")"
}

// WithLinks adds the links of attachments below a message's words.
func WithLinks(text string, list ...Attachment) string {
	if len(list) == 0 {
		return text
	}
	var links []string
	for _, a := range list {
		links = append(links, a.Link())
	}
	if strings.TrimSpace(text) == "" {
		return strings.Join(links, "\n")
	}
	return text + "\n\n" + strings.Join(links, "\n")
}

// escapeName returns a file's name so that it can stand between brackets.
func escapeName(name string) string {
	name = OneLine(strings.ToValidUTF8(name, "\uFFFD"))
	for _, c := range []string{`\`, "[", "]"} {
		name = strings.ReplaceAll(name, c, `\`+c)
	}
	return name
}

func unescapeName(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+1 < len(name) {
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String()
}
