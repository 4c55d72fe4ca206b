package chatpane

import (
	"context"
	"image"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// attachments attaches files to messages and shows those of the conversation.
type attachments struct {
	host    Host
	chats   *chats.Chats
	saved   Files
	compose *compose.Composer
	image   func(ctx context.Context) ([]byte, error) // from the clipboard
	focus   func()
	thumbs  *chat.Thumbs
	send    func(text string)
	reading map[*conversation.Conversation][]*reading // files that are being read
	waiting map[*conversation.Conversation]string     // the message that waits for them
}

// reading is the reading of files for a message.
type reading struct{ stop context.CancelFunc }

// newAttachments lets the composer of a pane attach files.
func newAttachments(p *Pane) *attachments {
	f := &attachments{
		host: p.host, chats: p.Chats, saved: p.parts.Files, compose: p.Compose, image: p.parts.Image, focus: p.Focus, thumbs: chat.NewThumbs(),
		send: p.Send, reading: map[*conversation.Conversation][]*reading{}, waiting: map[*conversation.Conversation]string{},
	}
	p.Compose.OnAttach = f.offer
	p.Compose.OnRemove = f.remove
	p.Compose.Keys.OnLongPaste = f.attachPasted
	p.Compose.Keys.OnPasteImage = f.pasteImage
	return f
}

// ZoomLink shows a picture of an answer in full size. It reports whether the address is that
// of a picture.
func (f *attachments) ZoomLink(address string) bool {
	a, ok := chat.PictureAt(address)
	if ok {
		f.zoom(f.chats.Shown().Name, a)
	}
	return ok
}

// DropThumbs drops pictures that can be read again.
func (f *attachments) DropThumbs() { f.thumbs.Forget() }

// Attach reads files off the UI goroutine and attaches them to the conversation that is shown
// now.
func (f *attachments) Attach(paths []string) {
	if len(paths) == 0 {
		return
	}
	if !f.host.OnChat() {
		f.host.ShowChat()
	}
	f.read(i18n.T("reading…"), func(ctx context.Context, hint func(string)) (read []conversation.File, refused []string) {
		shown := time.Now()
		progress := func(read, pages int) {
			switch {
			case pages == 0:
				hint(i18n.T("preparing to read PDFs, once…"))
			case time.Since(shown) > 200*time.Millisecond:
				shown = time.Now()
				hint(i18n.With("reading page {{.Page}} of {{.Pages}}…", i18n.Places{"Page": read, "Pages": pages}))
			}
		}
		for _, path := range paths {
			u, err := attach.Read(ctx, path, progress)
			switch {
			case ctx.Err() != nil:
				return nil, nil
			case err != nil:
				refused = append(refused, err.Error())
			default:
				read = append(read, conversation.File{Upload: u})
			}
		}
		return read, refused
	})
}

// read gets files off the UI goroutine, by get, and attaches them to the conversation that is
// shown now. Meanwhile the composer shows Stop.
func (f *attachments) read(hint string, get func(ctx context.Context, hint func(string)) (read []conversation.File, refused []string)) {
	c := f.chats.Shown()
	ctx, stop := context.WithCancel(f.host.Context())
	r := &reading{stop: stop}
	f.reading[c] = append(f.reading[c], r)
	f.compose.SetBusy(true)
	f.compose.SetHint(hint)
	go func() {
		defer stop()
		read, refused := get(ctx, func(words string) {
			f.host.Do(func() {
				if f.chats.Shown() == c && slices.Contains(f.reading[c], r) {
					f.compose.SetHint(words)
				}
			})
		})
		f.host.Do(func() {
			if slices.Contains(f.reading[c], r) { // it wasn't stopped
				f.done(c, r, read, refused)
			}
		})
	}()
}

// Reading reports whether files of a conversation are being read.
func (f *attachments) Reading(c *conversation.Conversation) bool { return len(f.reading[c]) > 0 }

// Stop ends the reading of files for the conversation that is shown. What was read is not
// attached, and a message that waits for them stays in the composer.
func (f *attachments) Stop() {
	c := f.chats.Shown()
	for _, r := range f.reading[c] {
		r.stop()
	}
	if f.Reading(c) {
		delete(f.reading, c)
		delete(f.waiting, c)
		f.compose.SetBusy(c.Busy())
		f.compose.SetHint("")
	}
}

// Submit sends the composer's message. While files are being read, it stays in the composer
// and is sent with them.
func (f *attachments) Submit(text string) {
	c := f.chats.Shown()
	if !f.Reading(c) {
		f.send(text)
		return
	}
	f.waiting[c] = text
	f.compose.SetHint(i18n.T("sent once the file is read"))
}

// done adds files that were read, and sends the message that waited for them, unless it was
// changed or one of the files was refused.
func (f *attachments) done(c *conversation.Conversation, r *reading, read []conversation.File, refused []string) {
	f.reading[c] = slices.DeleteFunc(f.reading[c], func(other *reading) bool { return other == r })
	if !f.Reading(c) {
		delete(f.reading, c)
	}
	if f.chats.Shown() == c {
		f.compose.SetBusy(c.Busy() || f.Reading(c))
	}
	f.add(c, read, refused)
	if f.Reading(c) && len(refused) == 0 {
		return
	}
	text, waits := f.waiting[c]
	delete(f.waiting, c)
	if waits && len(refused) == 0 && f.chats.Shown() == c && strings.TrimSpace(f.compose.Entry.Text) == text {
		f.send(text)
	}
}

// add attaches files to the conversation's next message, each file once. The composer shows
// why files were refused.
func (f *attachments) add(c *conversation.Conversation, more []conversation.File, refused []string) {
	attached := c.Attached()
	for _, m := range more {
		same := func(p conversation.File) bool { return p.Attachment().File == m.Attachment().File }
		switch {
		case slices.ContainsFunc(attached, same):
		case len(attached) >= attach.Max:
			refused = append(refused, i18n.With("{{.Name}} is one too many: a message can have {{.MaxUploads}} files.", i18n.Places{"Name": m.Attachment().Name, "MaxUploads": attach.Max}))
		default:
			attached = append(attached, m)
			f.thumbs.Remember(m)
		}
	}
	c.Attach(attached)
	if f.chats.Shown() != c {
		return
	}
	for _, m := range more {
		if set := m.Upload.Charset; set != "" {
			refused = append(refused, i18n.With("{{.Name}} isn't Unicode; it was read as {{.Charset}}. If its letters are wrong, save it as UTF-8.", i18n.Places{"Name": m.Attachment().Name, "Charset": set}))
		}
		if n := m.Upload.LeftOut; n > 0 {
			refused = append(refused, i18n.With("{{.Name}}: {{.What}} left out: no text, hidden, or beyond 1 MB.", i18n.Places{"Name": m.Attachment().Name, "What": i18n.Count("{{.N}} files", n)}))
		}
	}
	if why := f.compose.Check(f.compose.Entry.Text); why != "" {
		refused = append(refused, why)
	}
	f.compose.SetHint("")
	f.compose.SetFiles(attached)
	f.compose.Warn(strings.Join(refused, " "))
	f.focus()
}

func (f *attachments) remove(i int) {
	c := f.chats.Shown()
	if attached := c.Attached(); i < len(attached) {
		attached = slices.Delete(attached, i, i+1)
		c.Attach(attached)
		f.compose.SetFiles(attached)
		f.compose.Warn(f.compose.Check(f.compose.Entry.Text))
		f.focus()
	}
}

// attachPasted attaches a long pasted text as a file.
func (f *attachments) attachPasted(text string) {
	u, err := attach.New(f.host.Context(), "pasted "+time.Now().Format("15.04.05")+".txt", []byte(text))
	if err != nil {
		f.compose.Warn(err.Error())
		return
	}
	f.add(f.chats.Shown(), []conversation.File{{Upload: u}}, nil)
	f.compose.SetHint(i18n.T("the pasted text is long: it is attached as a file"))
}

// pasteImage attaches the image on the clipboard.
func (f *attachments) pasteImage() {
	f.read("", func(ctx context.Context, _ func(string)) (pasted []conversation.File, refused []string) {
		data, err := f.image(ctx)
		var u attach.File
		if err == nil {
			u, err = attach.New(ctx, "pasted "+time.Now().Format("15.04.05")+".png", data)
		}
		if err != nil {
			return nil, []string{i18n.Sentence(i18n.Capital(err.Error()))}
		}
		return []conversation.File{{Upload: u}}, nil
	})
}

// offer opens the menu of Attach: a file or a folder.
func (f *attachments) offer() {
	one := func(path string) { f.Attach([]string{path}) }
	kit.ShowMenu(fyne.NewMenu("",
		fyne.NewMenuItem(i18n.T("File…"), func() {
			f.host.ChooseFile(i18n.T("Attach a text file, a PDF or an image"), i18n.T("Attach"), one)
		}),
		fyne.NewMenuItem(i18n.T("Folder of text files…"), func() {
			f.host.ChooseFolder(i18n.T("Attach the text files of a folder"), i18n.T("Attach"), one)
		}),
	), f.compose.Attach, f.host.Canvas())
}

// reader returns a function that reads a file of a session.
func (f *attachments) reader(session string, a transcript.Attachment) func() ([]byte, error) {
	if data, ok, err := chat.InlineData(a); ok {
		return func() ([]byte, error) { return data, err }
	}
	if c := f.chats.Open(session); c != nil {
		if data, ok := c.UnsentFile(a.File); ok {
			return func() ([]byte, error) { return data, nil }
		}
	}
	return func() ([]byte, error) { return f.saved.ReadAttachment(session, a) }
}

// Actions returns what can be done with the files of a session's messages.
func (f *attachments) Actions(session string) chat.FileActions {
	return chat.FileActions{
		Thumb: func(a transcript.Attachment, done func(image.Image, error)) {
			read := f.reader(session, a)
			if img, ok := f.thumbs.Get(a.File); ok {
				done(img, nil)
				return
			}
			f.thumbs.Load(read, a, func(img image.Image, err error) { f.host.Do(func() { done(img, err) }) })
		},
		Open:      func(a transcript.Attachment) { f.open(session, a) },
		ShowLarge: func(a transcript.Attachment) { f.zoom(session, a) },
	}
}

// open opens a file in the system's program for it.
func (f *attachments) open(session string, a transcript.Attachment) {
	if _, ok, _ := chat.InlineData(a); ok {
		f.host.Notify(i18n.With("{{.Name}} has no file of its own", i18n.Places{"Name": a.Name}), i18n.T("The image is part of the answer's text."))
		return
	}
	path := f.saved.AttachmentPath(session, a)
	if path == "" {
		f.host.Notify(i18n.With("{{.Name}} is in memory only", i18n.Places{"Name": a.Name}), i18n.T("Nothing of a private chat is written, so no other program can open it."))
		return
	}
	go func() {
		_, err := f.saved.ReadAttachment(session, a)
		f.host.Do(func() {
			if err != nil {
				f.host.Notify(i18n.Capital(err.Error()), "")
				return
			}
			f.host.OpenFile(path)
		})
	}()
}

// zoom shows a picture in full size.
func (f *attachments) zoom(session string, a transcript.Attachment) {
	read := f.reader(session, a)
	go func() {
		data, err := read()
		var img image.Image
		if err == nil {
			img, err = chat.DecodeLarge(data)
		}
		f.host.Do(func() {
			if err != nil {
				f.host.Notify(i18n.Capital(err.Error()), "")
				return
			}
			overlay.ShowPicture(f.host.Canvas(), img, a.Name, func() { f.open(session, a) })
		})
	}()
}
