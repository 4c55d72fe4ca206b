package cpuwindow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// pasteLimit is the longest text that is pasted into the composer, in bytes: a
// longer one becomes a file, which keeps the field quick and the message readable.
const pasteLimit = 8 << 10

// pending is a file that goes with the next message of a conversation: read and
// checked, or one of an earlier message that is sent anew.
type pending struct {
	upload sessionmem.Upload
	kept   *sessionmem.Attachment // is in session/files already
}

func (p pending) attachment() sessionmem.Attachment {
	if p.kept != nil {
		return *p.kept
	}
	return p.upload.Attachment()
}

// label is the chip's words: "notes.txt · 12 KB".
func (p pending) label() string {
	a := p.attachment()
	if p.kept != nil {
		return a.Name
	}
	return a.Name + " · " + sizeWords(len(p.upload.Data))
}

func sizeWords(n int) string {
	switch {
	case n < 1000:
		return i18n.Count("{{.N}} bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// bindAttaching makes the window take files.
func (w *Window) bindAttaching() {
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) {
		var paths []string
		for _, u := range uris {
			if u.Scheme() == "file" {
				paths = append(paths, u.Path())
			}
		}
		w.attachPaths(paths)
	})
	w.compose.check = w.tooLong
	w.compose.onAttach = w.chooseFile
	w.compose.onRemove = w.removeFile
	w.compose.keys.onLongPaste = w.attachPasted
	w.compose.keys.onPasteImage = w.pasteImage
}

// attachPaths reads files off the UI goroutine and attaches them to the
// conversation that is shown now.
func (w *Window) attachPaths(paths []string) {
	if len(paths) == 0 {
		return
	}
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	c := w.shown
	go func() {
		var files []pending
		var refused []string
		for _, p := range paths {
			u, err := sessionmem.ReadUpload(p)
			if err != nil {
				refused = append(refused, err.Error())
				continue
			}
			files = append(files, pending{upload: u})
		}
		w.p.Do(func() { w.addFiles(c, files, refused) })
	}()
}

// addFiles puts files beside the conversation's next message; one that is there is
// not added twice. What is refused is said in the composer.
func (w *Window) addFiles(c *conversation, files []pending, refused []string) {
	for _, f := range files {
		same := func(p pending) bool { return p.attachment().File == f.attachment().File }
		switch {
		case slices.ContainsFunc(c.attached, same):
		case len(c.attached) >= sessionmem.MaxUploads:
			refused = append(refused, i18n.With("{{.Name}} is one too many: a message takes {{.MaxUploads}} files.", i18n.Places{"Name": f.attachment().Name, "MaxUploads": sessionmem.MaxUploads}))
		default:
			c.attached = append(c.attached, f)
			w.thumbs.remember(f)
		}
	}
	if w.shown != c {
		return
	}
	w.compose.setFiles(c.attached)
	w.compose.warn(strings.Join(refused, " "))
	w.focusComposer()
}

func (w *Window) removeFile(i int) {
	c := w.shown
	if i < len(c.attached) {
		c.attached = slices.Delete(slices.Clone(c.attached), i, i+1)
		w.compose.setFiles(c.attached)
		w.focusComposer()
	}
}

// attachPasted makes a file of a long text.
func (w *Window) attachPasted(text string) {
	u, err := sessionmem.NewUpload("pasted "+time.Now().Format("15.04.05")+".txt", []byte(text))
	if err != nil {
		w.compose.warn(err.Error())
		return
	}
	w.addFiles(w.shown, []pending{{upload: u}}, nil)
	w.compose.say(i18n.T("the pasted text is long: it goes along as a file"))
}

// pasteImage attaches the image on the clipboard, if there is one.
func (w *Window) pasteImage() {
	c := w.shown
	go func() {
		data, err := w.parts.clipImage(w.ctx)
		var files []pending
		var refused []string
		if err == nil {
			var u sessionmem.Upload
			if u, err = sessionmem.NewUpload("pasted "+time.Now().Format("15.04.05")+".png", data); err == nil {
				files = []pending{{upload: u}}
			}
		}
		if err != nil {
			refused = []string{i18n.Sentence(i18n.Capital(err.Error()))}
		}
		w.p.Do(func() { w.addFiles(c, files, refused) })
	}()
}

// chooseFile opens a dialogue to choose a file with.
func (w *Window) chooseFile() {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			w.compose.warn(i18n.With("The folder can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}))
		case r != nil:
			path := r.URI().Path()
			_ = r.Close() // it is read whole, by its path
			w.attachPaths([]string{path})
		}
	}, w.win)
	w.showChooser(d, i18n.T("Attach a text file or an image"), i18n.T("Attach"))
}

// bring puts files and settings into a request.
func (c *conversation) bring(req *agents.Request, files []pending) {
	var kept []sessionmem.Attachment
	for _, f := range files {
		if f.kept != nil {
			kept = append(kept, *f.kept)
		} else {
			req.Files = append(req.Files, f.upload)
		}
	}
	req.Text = sessionmem.WithLinks(req.Text, kept...)
}

// filesOf is the attachments of pending files.
func filesOf(list []pending) []sessionmem.Attachment {
	var files []sessionmem.Attachment
	for _, p := range list {
		files = append(files, p.attachment())
	}
	return files
}

// dropSent lets go of the files of the last message, unless they reached no disk:
// then they are sent again with it.
func (c *conversation) dropSent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.kind == entryUser {
			if e.block != "" {
				c.sentFiles = nil
			}
			return
		}
	}
}

// heldFile is the content of a file that may be on no disk yet. UI goroutine.
func (c *conversation) heldFile(file string) ([]byte, bool) {
	for _, p := range slices.Concat(c.sentFiles, c.attached) {
		if p.kept == nil && p.attachment().File == file {
			return p.upload.Data, true
		}
	}
	return nil, false
}
