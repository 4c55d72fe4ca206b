package conversation

import (
	"fmt"
	"strings"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// File is a file that goes with the next message: one that was read and checked, or one of
// an earlier message that is sent again.
type File struct {
	Upload attach.File
	Stored *transcript.Attachment // already in session/files
}

// Attachment returns the attachment that a block links to.
func (p File) Attachment() transcript.Attachment {
	if p.Stored != nil {
		return *p.Stored
	}
	return p.Upload.Attachment()
}

// Label returns the chip's label: "notes.txt · 12 KB".
func (p File) Label() string {
	a := p.Attachment()
	if p.Stored != nil {
		return a.Name
	}
	words := a.Name
	switch n, read := p.Upload.Pages, p.Upload.PagesRead; {
	case read > 0:
		words += " · " + i18n.With("the first {{.Read}} of {{.Pages}} pages", i18n.Places{"Read": read, "Pages": n})
	case n > 0:
		words += " · " + i18n.Count("{{.N}} pages", n)
	}
	if n := p.Upload.Files; n > 0 {
		words += " · " + i18n.Count("{{.N}} files", n)
	}
	return words + " · " + sizeWords(len(p.Upload.Data))
}

func sizeWords(n int) string {
	switch {
	case n < 1000:
		return i18n.Count("{{.N}} bytes", n)
	case n < 1<<20:
		return i18n.Thousands((n+1023)>>10) + " KB"
	}
	return i18n.Number(fmt.Sprintf("%.1f MB", float64(n)/(1<<20)))
}

// AddTo adds files to a request.
func AddTo(req *agents.Request, files []File) {
	var kept []transcript.Attachment
	for _, f := range files {
		if f.Stored != nil {
			kept = append(kept, *f.Stored)
		} else {
			req.Files = append(req.Files, f.Upload)
		}
	}
	req.Text = transcript.WithLinks(req.Text, kept...)
}

// Attachments returns the attachments of pending files.
func Attachments(list []File) []transcript.Attachment {
	var files []transcript.Attachment
	for _, p := range list {
		files = append(files, p.Attachment())
	}
	return files
}

// DropSentFiles releases the files of the last message, unless the message didn't reach the
// disk: they are sent with it again.
func (c *Conversation) DropSentFiles() {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if c.lastUserBlock() != "" {
		c.SendFiles(nil)
	}
}

// FileNames returns the names of files in one line.
func FileNames(files []transcript.Attachment) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
