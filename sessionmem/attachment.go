package sessionmem

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mac-stats/sessionmem/wholefile"
)

// filesDir holds attachments, below the session folder.
const filesDir = "files"

// ErrAttachment: an attached file can't be read any more. The message says why.
var ErrAttachment = errors.New("the attached file can't be read")

// Attachment is a file that a User block links. The link is markdown that any
// viewer follows from beside the transcript:
//
//	![screenshot.png](files/<random>.png)
//	[notes.txt](files/<random>.txt)
//
// The link is all there is: a person who removes it, or moves it into another
// message, means it.
type Attachment struct {
	Name  string // as the user knows it; words of the link
	File  string // its name in session/files: <random>.<ext>; of versions before, a hash
	Image bool
}

// attachmentLink matches a link to an attachment: an optional !, the name, the file.
var attachmentLink = regexp.MustCompile(`(!?)\[((?:[^\[\]\\\n]|\\.)*)\]\((?:\.\./\.\./)?files/([0-9a-f]{64}(?:-\d{1,3})?\.[a-z0-9]{1,8})\)`)

// imageExts are the pictures a model is sent; others are text.
var imageExts = []string{"png", "jpg", "jpeg"}

// Attachments gives the files that a message's text links, in their order, each once.
func Attachments(text string) []Attachment {
	if !strings.Contains(text, filesDir+"/") {
		return nil
	}
	var list []Attachment
	for _, m := range attachmentLink.FindAllStringSubmatch(text, -1) {
		a := Attachment{Name: unescapeName(m[2]), File: m[3]}
		a.Image = slices.Contains(imageExts, strings.TrimPrefix(path.Ext(a.File), "."))
		if a.Name == "" {
			a.Name = a.File
		}
		if !slices.ContainsFunc(list, func(b Attachment) bool { return b.File == a.File }) {
			list = append(list, a)
		}
	}
	return list
}

// Attachments gives the files that a User block links. Of a block that a stranger
// wrote (on Discord) only those that were attached to it, which its attribute files
// names: what a stranger writes opens no other file here.
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

// WithoutAttachments is a message's words alone: lines that hold nothing but links
// to attachments are gone, a link within a line leaves the file's name.
func WithoutAttachments(text string) string {
	if len(Attachments(text)) == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !attachmentLink.MatchString(line) {
			kept = append(kept, line)
			continue
		}
		if strings.TrimSpace(attachmentLink.ReplaceAllString(line, "")) == "" {
			continue
		}
		kept = append(kept, attachmentLink.ReplaceAllStringFunc(line, func(link string) string {
			return unescapeName(attachmentLink.FindStringSubmatch(link)[2])
		}))
	}
	return trimBlankLines(strings.Join(kept, "\n"))
}

// titleText is what a message's title is made of: its words, or the names of its
// attachments where there are none.
func titleText(text string) string {
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

// Link is the markdown that stands for the attachment in a message.
func (a Attachment) Link() string {
	sign := ""
	if a.Image {
		sign = "!"
	}
	return sign + "[" + escapeName(a.Name) + "](" + filesDir + "/" + a.File + ")"
}

// WithLinks puts the links of attachments below a message's words.
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

// escapeName makes a file's name one that can stand between brackets.
func escapeName(name string) string {
	name = oneLine(strings.ToValidUTF8(name, "\uFFFD"))
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

// nameKey makes the names of attachments random, and the same for the same upload while
// this process runs: a plain hash in a link would let anybody test what a file said that
// was forgotten.
var nameKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
})

// Attachment is what the upload is going to be called where nothing stands in its
// place.
func (u Upload) Attachment() Attachment {
	mac := hmac.New(sha256.New, nameKey())
	mac.Write(u.Data)
	return Attachment{Name: u.Name, File: hex.EncodeToString(mac.Sum(nil)) + "." + u.Ext, Image: u.Image}
}

// Attach keeps an upload: in session/files under a random name, 0600,
// once however often this process attaches it; in memory for a private session. When it
// returns, the file is safe on disk.
func (s *Store) Attach(ctx context.Context, session string, u Upload) (Attachment, error) {
	if err := checkName(session); err != nil {
		return Attachment{}, err
	}
	if err := ctx.Err(); err != nil {
		return Attachment{}, err
	}
	a := u.Attachment()
	if s.IsPrivate(session) {
		ses := s.session(session)
		ses.mu.Lock()
		defer ses.mu.Unlock()
		if ses.files == nil {
			ses.files = map[string][]byte{}
		}
		ses.files[a.File] = u.Data
		return a, nil
	}
	if err := s.root.check(); err != nil {
		return Attachment{}, err
	}
	if err := s.keepFile(&a, u.Data); err != nil {
		return Attachment{}, explainDisk("keeping "+u.Name, err)
	}
	return a, nil
}

// keepFile writes the file unless it is there. One of that name with another
// content was edited by hand: it stays, and the new one gets a number.
func (s *Store) keepFile(a *Attachment, data []byte) error {
	if err := s.root.MkdirAll(filesDir, 0o700); err != nil {
		return err
	}
	stem, ext := strings.TrimSuffix(a.File, path.Ext(a.File)), path.Ext(a.File)
	for n := 2; ; n++ {
		file := path.Join(filesDir, a.File)
		there, err := s.root.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.writeFile(file, data); err != nil {
				return err
			}
			s.syncFolders(filesDir)
			return nil
		}
		if err != nil {
			return err
		}
		if there.Mode().IsRegular() && there.Size() == int64(len(data)) {
			if old, err := s.root.ReadFile(file); err == nil && bytes.Equal(old, data) {
				return nil
			}
		}
		if n > 999 {
			return fmt.Errorf("%s stands in its place; move it away", file)
		}
		a.File = stem + "-" + strconv.Itoa(n) + ext
	}
}

// writeFile writes a whole file: a temporary one of its own beside it, synced,
// renamed.
func (s *Store) writeFile(file string, data []byte) error {
	tmp := path.Join(path.Dir(file), wholefile.TempName(path.Base(file)))
	f, err := s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.root.Rename(tmp, file)
	}
	if err != nil {
		return errors.Join(err, s.removeIfThere(tmp))
	}
	return nil
}

// ReadAttachment reads an attached file. One that is missing, that leads out of the
// session folder, or that is no file, gives ErrAttachment with the reason.
func (s *Store) ReadAttachment(session string, a Attachment) ([]byte, error) {
	bad := func(why string) error { return fmt.Errorf("%w: %s %s", ErrAttachment, a.Name, why) }
	if !attachmentLink.MatchString(a.Link()) {
		return nil, bad("is no name of an attachment")
	}
	if s.IsPrivate(session) {
		ses := s.session(session)
		ses.mu.Lock()
		data, ok := ses.files[a.File]
		ses.mu.Unlock()
		if ok {
			return data, nil
		}
	}
	if s.root == nil {
		return nil, bad("is not kept any more")
	}
	file := path.Join(filesDir, a.File)
	fi, err := s.root.Stat(file) // os.Root follows no link out of the folder
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, bad("is not in session/files any more")
	case err != nil:
		return nil, bad("can't be opened: " + err.Error())
	case !fi.Mode().IsRegular():
		return nil, bad("is no file")
	case fi.Size() > maxImageBytes:
		return nil, bad("has grown beyond what a message may hold")
	}
	f, err := s.root.Open(file)
	if err != nil {
		return nil, bad("can't be opened: " + err.Error())
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxImageBytes))
	if err != nil {
		return nil, bad("can't be read: " + err.Error())
	}
	return data, nil
}

// AttachmentPath is where an attached file is; "" where it is nowhere on disk.
func (s *Store) AttachmentPath(session string, a Attachment) string {
	if s.root == nil || s.IsPrivate(session) {
		return ""
	}
	return filepath.Join(s.dir, filesDir, a.File)
}
