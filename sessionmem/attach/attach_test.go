package attach_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/pdftext"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test program be the child that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.Child(func() string { return filepath.Join(os.TempDir(), "mac-stats-test-pdfium") })
	os.Exit(m.Run())
}

// pngBytes is a small picture.
func pngBytes(t testing.TB, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// onePagePDF is a PDF that says Hello.
var onePagePDF = pdfOf("BT /F 9 Tf 9 9 Td (Hello) Tj ET")

// pdfOf returns a PDF of one page with this content. Its table of contents is where startxref
// says.
func pdfOf(content string) []byte {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
	}
	text, table := "%PDF-1.4\n", "0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", len(text))
		text += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return fmt.Appendf(nil, "%sxref\n0 6\n%strailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", text, table, len(text))
}

func jpegBytes(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	filetest.Must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil))
	return b.Bytes()
}

// widePNG is the beginning of a picture that would need gigabytes.
func widePNG() []byte {
	head := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x00\x00\x00\x00")
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(head))
}

func TestAttachableFiles(t *testing.T) {
	var gifData bytes.Buffer
	if err := gif.Encode(&gifData, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White}), nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file string
		data []byte
		want attach.File // Data only if it differs
		err  string
	}{
		"text":            {file: "notes.md", data: []byte("one\n"), want: attach.File{Name: "notes.md", Ext: "md"}},
		"no ending":       {file: "Makefile", data: []byte("all:\n"), want: attach.File{Name: "Makefile", Ext: "txt"}},
		"an odd ending":   {file: "a.Ta r", data: []byte("x"), want: attach.File{Name: "a.Ta r", Ext: "txt"}},
		"text as image":   {file: "a.png", data: []byte("no image"), want: attach.File{Name: "a.png", Ext: "txt"}},
		"with a mark":     {file: "a.txt", data: []byte("\xef\xbb\xbfone\r\ntwo"), want: attach.File{Name: "a.txt", Ext: "txt", Data: []byte("one\ntwo")}},
		"UTF-16":          {file: "a.csv", data: []byte("\xff\xfeh\x00i\x00"), want: attach.File{Name: "a.csv", Ext: "csv", Data: []byte("hi")}},
		"an image":        {file: "dir/a.PNG", data: pngBytes(t, 2), want: attach.File{Name: "a.PNG", Ext: "png", Image: true}},
		"empty":           {file: "a.txt", err: "a.txt can't be attached: it is empty."},
		"binary":          {file: "a.out", data: []byte("\x7fELF\x00\x00"), err: "a.out can't be attached: it is neither text nor a PDF, nor a PNG, JPEG or GIF image."},
		"a damaged image": {file: "a.png", data: pngBytes(t, 2)[:12], err: "a.png can't be attached: the image is damaged."},
		"too much text":   {file: "a.log", data: bytes.Repeat([]byte("x"), 2<<20), err: "a.log can't be attached: it has 2.0 MB of text, and 1 MB is the most; attach the part the question is about."},
		"a PDF":           {file: "a.pdf", data: onePagePDF, want: attach.File{Name: "a.pdf", Ext: "txt", Data: []byte("[page 1]\nHello\n"), Pages: 1}},
		"a scanned PDF":   {file: "a.pdf", data: pdfOf("9 9 9 9 re f"), err: "a.pdf can't be attached: " + pdftext.ErrPictures.Error() + "; attach a picture of the page, for a model that sees images."},
		"no whole PDF":    {file: "a.pdf", data: []byte("%PDF-1.4\n"), err: "a.pdf can't be attached: the PDF is damaged, or of a kind that can't be read."},
		"a JPEG":          {file: "a.jpeg", data: jpegBytes(t), want: attach.File{Name: "a.jpeg", Ext: "jpg", Image: true}},
		"too many pixels": {file: "a.png", data: widePNG(), err: "a.png can't be attached: 60000 × 60000 pixels are too many; make it smaller."},
		"a damaged GIF":   {file: "a.gif", data: gifData.Bytes()[:20], err: "a.gif can't be attached: the image is damaged."},
		"Windows-1252":    {file: "a.csv", data: []byte("Stra\xdfe;Preis\r\nM\xfcller \x96 Graz;10 \x80\r\n"), want: attach.File{Name: "a.csv", Ext: "csv", Charset: "windows-1252", Data: []byte("Straße;Preis\nMüller – Graz;10 €\n")}},
		"one odd letter":  {file: "a.txt", data: []byte("caf\xe9"), want: attach.File{Name: "a.txt", Ext: "txt", Charset: "windows-1252", Data: []byte("café")}},
		"a price":         {file: "a.csv", data: []byte("Stra\xdfe;10 \x80\n"), want: attach.File{Name: "a.csv", Ext: "csv", Charset: "windows-1252", Data: []byte("Straße;10 €\n")}},
		"French":          {file: "a.txt", data: []byte("L'\xe9t\xe9 o\xf9 tu es n\xe9, \xe7a va bient\xf4t"), want: attach.File{Name: "a.txt", Ext: "txt", Charset: "windows-1252", Data: []byte("L'été où tu es né, ça va bientôt")}},
		"Windows-1251":    {file: "a.txt", data: []byte("\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0 \xf3 \xf2\xe5\xe1\xff \xf1\xe5\xe3\xee\xe4\xed\xff?"), want: attach.File{Name: "a.txt", Ext: "txt", Charset: "windows-1251", Data: []byte("Привет, как дела у тебя сегодня?")}},
		"Shift JIS":       {file: "a.txt", data: []byte("\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B"), want: attach.File{Name: "a.txt", Ext: "txt", Charset: "shift_jis", Data: []byte("これは日本語の文章です。")}},
		"no text":         {file: "a.bin", data: []byte("\x01\xe9\x02\xff\x03"), err: "a.bin can't be attached: it is neither text nor a PDF, nor a PNG, JPEG or GIF image."},
		"too large":       {file: "a.bin", data: make([]byte, 11<<20), err: "a.bin can't be attached: it has 11.0 MB; PDFs may have 50 MB, images 10 MB, text 1 MB."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := attach.New(t.Context(), c.file, c.data)
			if c.err != "" {
				if !errors.Is(err, attach.ErrRefused) || err.Error() != c.err {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			if c.want.Data == nil {
				c.want.Data = c.data
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
	moving, err := attach.New(t.Context(), "a.gif", gifData.Bytes())
	if format, _ := attach.ImageFormat(moving.Data); err != nil || format != "png" || !moving.Image || moving.Ext != "png" {
		t.Errorf("a GIF becomes a PNG: %v %s", err, format)
	}
}

func TestRefusedFilesSayWhy(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.txt")
	filetest.Write(t, secret, "x")
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.pdf")
	filetest.Write(t, large, "%PDF-")
	filetest.Must(t, os.Truncate(large, 51<<20))
	cases := map[string]string{
		large:                           "it has 51.0 MB; PDFs may have 50 MB, images 10 MB, text 1 MB",
		t.TempDir():                     "the folder holds no text files of less than 1 MB",
		filepath.Join(dir, "gone.txt"):  "it isn't there any more",
		filepath.Join(dir, "gone/x.go"): "it isn't there any more",
	}
	if _, err := os.ReadFile(secret); err != nil { // root reads everything
		cases[secret] = "you may not read it"
	}
	if runtime.GOOS != "windows" {
		cases[os.DevNull] = "it is no ordinary file"
	}
	for file, why := range cases {
		_, err := attach.Read(t.Context(), file, nil)
		if want := filepath.Base(file) + " can't be attached: " + why + "."; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// The text of PDFs comes along; one that can't be read is left out.
func TestPDFsInAFolderAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "papers")
	for name, text := range map[string]string{"a.pdf": string(onePagePDF), "b.PDF": string(onePagePDF), "c.pdf": "%PDF-1.4 and no more", "d.pdf": "no PDF at all"} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	u, err := attach.Read(t.Context(), dir, nil)
	want := attach.File{Name: "papers", Ext: "txt", Files: 3, LeftOut: 1, Data: []byte("===== a.pdf =====\n[page 1]\nHello\n\n===== b.PDF =====\n[page 1]\nHello\n\n===== d.pdf =====\nno PDF at all\n")}
	if diff := cmp.Diff(want, u); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Stop ends the reading of a folder of PDFs at once: no page is read after it.
func TestReadingStops(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "papers")
	for name, text := range map[string]string{"a.pdf": string(onePagePDF), "b.pdf": string(onePagePDF), "c.pdf": string(onePagePDF), "d.txt": "more"} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	for _, path := range []string{dir, filepath.Join(dir, "b.pdf")} {
		ctx, stop := context.WithCancel(t.Context())
		pages := 0
		u, err := attach.Read(ctx, path, func(read, _ int) {
			if stop(); read > 0 {
				pages++
			}
		})
		if path == dir && !errors.Is(err, context.Canceled) || errors.Is(err, attach.ErrRefused) || pages > 1 {
			t.Errorf("%s: %d pages, %q, %v", filepath.Base(path), pages, u.Data, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := attach.New(ctx, "a.pdf", onePagePDF); !errors.Is(err, context.Canceled) || errors.Is(err, attach.ErrRefused) {
		t.Errorf("a stopped reading of a PDF: %v", err)
	}
}

func TestReadTheWholeFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.md")
	filetest.Write(t, file, "# one\n")
	got, err := attach.Read(t.Context(), file, nil)
	if diff := cmp.Diff(attach.File{Name: "notes.md", Ext: "md", Data: []byte("# one\n")}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestAttachmentIsStoredOnceAndReadBack(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	a := storetest.Attach(t, s, "cpu-a", "notes.txt", "one")
	again := storetest.Attach(t, s, "cpu-b", "copy.txt", "one")
	if a.File != again.File || a.Name == again.Name {
		t.Errorf("%+v and %+v", a, again)
	}
	if got := storetest.Attached(t, root); len(got) != 1 || got[0] != a.File {
		t.Fatalf("files %v", got)
	}
	fi, err := os.Stat(s.AttachmentPath("cpu-a", a))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if data, err := storetest.Open(t, root).ReadAttachment("cpu-a", a); string(data) != "one" || err != nil {
		t.Errorf("%q, %v", data, err)
	}

	filetest.Write(t, s.AttachmentPath("cpu-a", a), "edited by hand")
	other := storetest.Attach(t, s, "cpu-a", "notes.txt", "one")
	if other.File == a.File {
		t.Error("what was edited by hand is overwritten")
	}
	for att, want := range map[transcript.Attachment]string{a: "edited by hand", other: "one"} {
		if data, err := s.ReadAttachment("cpu-a", att); string(data) != want || err != nil {
			t.Errorf("%s: %q, %v", att.File, data, err)
		}
	}
}

func TestUnreadableAttachmentSaysWhy(t *testing.T) {
	root := t.TempDir()
	s := storetest.Open(t, root)
	dir := filepath.Join(root, "session", "files")
	filetest.Must(t, os.MkdirAll(filepath.Join(dir, strings.Repeat("b", 64)+".txt"), 0o700))
	outside := filepath.Join(t.TempDir(), "secret")
	filetest.Write(t, outside, "a secret")
	filetest.Must(t, os.Symlink(outside, filepath.Join(dir, strings.Repeat("c", 64)+".txt")))
	for file, why := range map[string]string{
		strings.Repeat("a", 64) + ".txt": "is not in session/files any more",
		strings.Repeat("b", 64) + ".txt": "is no file",
		strings.Repeat("c", 64) + ".txt": "can't be opened",
		"../../config.toml":              "is no name of an attachment",
	} {
		data, err := s.ReadAttachment("cpu-a", transcript.Attachment{Name: "x.txt", File: file})
		if !errors.Is(err, attach.ErrKept) || !strings.Contains(err.Error(), why) || data != nil {
			t.Errorf("%s: %q, %v", file, data, err)
		}
	}
}

// A picture is decoded to its end before it is accepted: a server that gets half of one
// refuses it, and with it each later message.
func TestDamagedPicturesAreRefused(t *testing.T) {
	whole, photo := pngBytes(t, 64), jpegBytes(t)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-20] ^= 0xff
	bomb := bytes.Clone(whole)
	copy(bomb[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 pixels each way
	for name, data := range map[string][]byte{
		"cut.png": whole[:len(whole)/2], "header.png": whole[:33], "signature.png": whole[:8], "flipped.png": flipped, "bomb.png": bomb,
		"cut.jpg": photo[:len(photo)*2/3], "header.jpg": photo[:20], "cut.gif": []byte("GIF89a\x40\x00\x40\x00"),
	} {
		if _, err := attach.New(t.Context(), name, data); err == nil || !strings.Contains(err.Error(), name+" can't be attached: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string][]byte{"whole.png": whole, "whole.jpg": photo, "more.png": append(bytes.Clone(whole), "and a trailer"...)} {
		if _, err := attach.New(t.Context(), name, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
