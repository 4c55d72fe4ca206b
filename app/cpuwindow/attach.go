package cpuwindow

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/attach"
)

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
	w.compose.Check = w.tooLong
	w.compose.OnAttach = w.offerToAttach
	w.compose.OnRemove = w.removeFile
	w.compose.Keys.OnLongPaste = w.attachPasted
	w.compose.Keys.OnPasteImage = w.pasteImage
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
	w.compose.Say(i18n.T("reading…"))
	go func() {
		var files []conversation.File
		var refused []string
		for _, p := range paths {
			u, err := attach.Read(p)
			if err != nil {
				refused = append(refused, err.Error())
				continue
			}
			files = append(files, conversation.File{Upload: u})
		}
		w.p.Do(func() { w.addFiles(c, files, refused) })
	}()
}

// addFiles puts files beside the conversation's next message; one that is there is
// not added twice. What is refused is said in the composer.
func (w *Window) addFiles(c *conversation.Conversation, files []conversation.File, refused []string) {
	attached := c.Attached()
	for _, f := range files {
		same := func(p conversation.File) bool { return p.Attachment().File == f.Attachment().File }
		switch {
		case slices.ContainsFunc(attached, same):
		case len(attached) >= attach.Max:
			refused = append(refused, i18n.With("{{.Name}} is one too many: a message takes {{.MaxUploads}} files.", i18n.Places{"Name": f.Attachment().Name, "MaxUploads": attach.Max}))
		default:
			attached = append(attached, f)
			w.thumbs.Remember(f)
		}
	}
	c.Attach(attached)
	if w.shown != c {
		return
	}
	for _, f := range files {
		if n := f.Upload.LeftOut; n > 0 {
			refused = append(refused, i18n.With("{{.Name}}: {{.What}} left out: no text, hidden, or beyond 1 MB.", i18n.Places{"Name": f.Attachment().Name, "What": i18n.Count("{{.N}} files", n)}))
		}
	}
	w.compose.Say("")
	w.compose.SetFiles(attached)
	w.compose.Warn(strings.Join(refused, " "))
	w.focusComposer()
}

func (w *Window) removeFile(i int) {
	c := w.shown
	if files := c.Attached(); i < len(files) {
		files = slices.Delete(files, i, i+1)
		c.Attach(files)
		w.compose.SetFiles(files)
		w.focusComposer()
	}
}

// attachPasted makes a file of a long text.
func (w *Window) attachPasted(text string) {
	u, err := attach.New("pasted "+time.Now().Format("15.04.05")+".txt", []byte(text))
	if err != nil {
		w.compose.Warn(err.Error())
		return
	}
	w.addFiles(w.shown, []conversation.File{{Upload: u}}, nil)
	w.compose.Say(i18n.T("the pasted text is long: it goes along as a file"))
}

// pasteImage attaches the image on the clipboard, if there is one.
func (w *Window) pasteImage() {
	c := w.shown
	go func() {
		data, err := w.parts.clipImage(w.ctx)
		var files []conversation.File
		var refused []string
		if err == nil {
			var u attach.File
			if u, err = attach.New("pasted "+time.Now().Format("15.04.05")+".png", data); err == nil {
				files = []conversation.File{{Upload: u}}
			}
		}
		if err != nil {
			refused = []string{i18n.Sentence(i18n.Capital(err.Error()))}
		}
		w.p.Do(func() { w.addFiles(c, files, refused) })
	}()
}

// offerToAttach asks whether a file or a folder is to be attached, then which.
func (w *Window) offerToAttach() {
	attach := func(path string) { w.attachPaths([]string{path}) }
	kit.ShowMenu(fyne.NewMenu("",
		fyne.NewMenuItem(i18n.T("File…"), func() {
			windowHost{w}.ChooseFile(i18n.T("Attach a text file, a PDF or an image"), i18n.T("Attach"), attach)
		}),
		fyne.NewMenuItem(i18n.T("Folder of text files…"), func() {
			d := dialog.NewFolderOpen(func(l fyne.ListableURI, err error) {
				tellUnread(w, err)
				if err == nil && l != nil {
					attach(l.Path())
				}
			}, w.win)
			w.showChooser(d, i18n.T("Attach the text files of a folder"), i18n.T("Attach"))
		}),
	), w.compose.Attach, w.win.Canvas())
}

// tellUnread says what a dialogue could not read.
func tellUnread(w *Window, err error) {
	if err != nil {
		w.tell(i18n.With("The folder can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
	}
}

// ChooseFile implements settings.Host.
func (w windowHost) ChooseFile(title, confirm string, then func(path string)) {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if tellUnread(w.Window, err); err == nil && r != nil {
			path := r.URI().Path()
			_ = r.Close() // it is read whole, by its path
			then(path)
		}
	}, w.win)
	w.showChooser(d, title, confirm)
}
