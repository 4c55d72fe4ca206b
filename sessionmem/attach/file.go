package attach

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoded here, sent as PNG
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"mac-stats/sessionmem/pdftext"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// The limits of an attachment. A model reads far less of a text; the rest is kept, and the
// message says how much was sent.
const (
	maxTextBytes  = 1 << 20
	MaxImageBytes = 10 << 20
	maxPDFBytes   = 50 << 20
	maxPixels     = 50_000_000 // of an image, decoded
	Max           = 10         // attachments per message
)

// ErrRefused means that something can't be attached. The message says why, in words for people.
var ErrRefused = errors.New("can't be attached")

// uploadError is ErrRefused with the whole sentence.
type uploadError struct{ sentence string }

func (e *uploadError) Error() string        { return e.sentence }
func (e *uploadError) Is(target error) bool { return target == ErrRefused }

func refuse(name, why string) error {
	return &uploadError{fmt.Sprintf("%s can't be attached: %s.", transcript.OneLine(name), why)}
}

// File is a file to attach: text in UTF-8, or an image in a format that models read. For a PDF
// and for a folder it holds their text: what is stored is what is sent, and can be searched
// and forgotten.
type File struct {
	Name  string // the file's name, without folders
	Ext   string // of the stored file: png, jpg, or the text's own, "txt" if it has none
	Image bool
	Data  []byte

	Pages     int // of the PDF, if it was one
	PagesRead int // the first of them, if not all were read; the text ends with the reason
	Files     int // of the folder, if it was one
	LeftOut   int // files of the folder that aren't included

	Charset string // in which the text was read, if it wasn't Unicode; it is a guess
}

// Read reads a file to attach, or the text files of a folder. What can't be attached (too
// large, neither text nor an image, unreadable) returns ErrRefused with a sentence that says so.
// progress, if it isn't nil, is called as pdftext.Reader says. When ctx ends, Read returns its
// error at once.
func Read(ctx context.Context, file string, progress func(read, pages int)) (File, error) {
	name := filepath.Base(file)
	fi, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, refuse(name, "it isn't there any more")
	case errors.Is(err, fs.ErrPermission):
		return File{}, refuse(name, "you may not read it")
	case err != nil:
		return File{}, refuse(name, err.Error())
	case fi.IsDir():
		return readFolder(ctx, file, progress)
	case !fi.Mode().IsRegular():
		return File{}, refuse(name, "it is no ordinary file")
	case fi.Size() > maxPDFBytes:
		return File{}, refuse(name, tooLarge(fi.Size()))
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrPermission) {
		return File{}, refuse(name, "you may not read it")
	}
	if err != nil {
		return File{}, refuse(name, err.Error())
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPDFBytes+1))
	if err != nil {
		return File{}, refuse(name, err.Error())
	}
	return read(ctx, name, data, progress)
}

// New checks data to be attached and converts it: text becomes UTF-8, an image PNG or JPEG.
// When ctx ends, it returns its error.
func New(ctx context.Context, name string, data []byte) (File, error) {
	return read(ctx, name, data, nil)
}

func read(ctx context.Context, name string, data []byte, progress func(read, pages int)) (File, error) {
	name = transcript.OneLine(strings.ToValidUTF8(filepath.Base(name), "\uFFFD"))
	switch {
	case len(data) == 0:
		return File{}, refuse(name, "it is empty")
	case pdftext.Is(name, data) && len(data) <= maxPDFBytes:
		return pdfUpload(ctx, name, data, progress)
	case len(data) > MaxImageBytes:
		return File{}, refuse(name, tooLarge(int64(len(data))))
	}
	if format, ok := ImageFormat(data); ok {
		return imageUpload(name, format, data)
	}
	text, charset, ok := decodeText(data)
	if !ok {
		return File{}, refuse(name, "it is neither text nor a PDF, nor a PNG, JPEG or GIF image")
	}
	if len(text) > maxTextBytes {
		return File{}, refuse(name, fmt.Sprintf("it has %s of text, and 1 MB is the most; attach the part the question is about", megabytes(int64(len(text)))))
	}
	return File{Name: name, Ext: textExt(name), Data: []byte(text), Charset: charset}, nil
}

func tooLarge(n int64) string {
	return fmt.Sprintf("it has %s; PDFs may have 50 MB, images 10 MB, text 1 MB", megabytes(n))
}

// pdfUpload returns the text of a PDF.
func pdfUpload(ctx context.Context, name string, data []byte, progress func(read, pages int)) (File, error) {
	r := pdftext.Reader{Progress: progress}
	defer r.Close()
	d, err := r.Read(ctx, data, maxTextBytes)
	switch {
	case ctx.Err() != nil:
		return File{}, err
	case errors.Is(err, pdftext.ErrPictures):
		return File{}, refuse(name, err.Error()+"; attach a picture of the page, for a model that sees images")
	case errors.Is(err, pdftext.ErrDamaged):
		return File{}, refuse(name, pdftext.ErrDamaged.Error())
	case err != nil:
		return File{}, refuse(name, err.Error())
	}
	u := File{Name: name, Ext: "txt", Data: []byte(d.Text), Pages: d.Pages}
	if d.Read < d.Pages {
		u.PagesRead = d.Read
	}
	return u, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// ImageFormat returns the format of image data, by its first bytes.
func ImageFormat(data []byte) (format string, ok bool) {
	for _, f := range []struct{ format, magic string }{{"png", "\x89PNG\r\n\x1a\n"}, {"jpeg", "\xff\xd8\xff"}, {"gif", "GIF8"}} {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return f.format, true
		}
	}
	return "", false
}

// imageUpload decodes an image completely before anything is sent.
func imageUpload(name, format string, data []byte) (File, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return File{}, refuse(name, "the image is damaged")
	}
	if cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > maxPixels/cfg.Height {
		return File{}, refuse(name, fmt.Sprintf("%d × %d pixels are too many; make it smaller", cfg.Width, cfg.Height))
	}
	first, _, err := image.Decode(bytes.NewReader(data)) // all of it: a cut one has a header, too
	var oddPNG png.UnsupportedError
	var oddJPEG jpeg.UnsupportedError
	switch {
	case errors.As(err, &oddPNG), errors.As(err, &oddJPEG):
		return File{}, refuse(name, "this kind of "+format+" can't be checked; save it as a usual PNG or JPEG")
	case err != nil:
		return File{}, refuse(name, "the image is damaged")
	}
	switch format {
	case "png":
		return File{Name: name, Ext: "png", Image: true, Data: data}, nil
	case "jpeg":
		return File{Name: name, Ext: "jpg", Image: true, Data: data}, nil
	}
	var out bytes.Buffer
	if err := png.Encode(&out, first); err != nil || out.Len() > MaxImageBytes {
		return File{}, refuse(name, "it can't be made a PNG of less than 10 MB")
	}
	return File{Name: name, Ext: "png", Image: true, Data: out.Bytes()}, nil
}

// decodeText returns data as UTF-8 with LF line ends; ok is false if it isn't text. Text that
// isn't Unicode is read in the character set that its bytes speak for, which is returned.
func decodeText(data []byte) (text, guessed string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		data, _ = wholefile.Decode(data[:len(data)&^1])
	}
	if bytes.ContainsRune(data, 0) {
		return "", "", false
	}
	if !utf8.Valid(data) {
		// Text has no control characters but for those that divide it and those of terminals.
		if bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", r) || r == 0x7f }) {
			return "", "", false
		}
		if data, guessed, ok = wholefile.Guess(data); !ok {
			return "", "", false
		}
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), guessed, true
}

// textExt returns the file's own extension if a name can contain it.
func textExt(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	if ext == "" || len(ext) > 8 || strings.ContainsFunc(ext, func(r rune) bool { return !plain(r) }) {
		return "txt"
	}
	for _, image := range transcript.ImageExts { // it claims to be an image and is text
		if ext == image {
			return "txt"
		}
	}
	return ext
}

// Attachment returns how the upload will be named if nothing else has its name.
func (u File) Attachment() transcript.Attachment {
	mac := hmac.New(sha256.New, nameKey())
	mac.Write(u.Data)
	return transcript.Attachment{Name: u.Name, File: hex.EncodeToString(mac.Sum(nil)) + "." + u.Ext, Image: u.Image}
}

// nameKey makes the names of attachments random, but the same for the same upload while
// this process runs: with a plain hash in a link, anybody could test what a forgotten file
// said.
var nameKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
})
