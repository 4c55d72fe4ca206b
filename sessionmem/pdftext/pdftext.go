// Package pdftext reads the text of a PDF: line by line as the pages show it, with a
// mark before each page. It draws nothing and runs nothing that a PDF contains.
//
// A PDF can come from anywhere: some make the library that parses them panic, run for ever,
// or ask for more memory than there is, which no Go program survives. So a child of the
// program reads it, with limits of memory and time (see Child), and whatever happens to the
// child is an error here. Only a program that doesn't offer itself as the child, such as a
// test of another package, reads in its own process.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// Why a PDF has no text.
var (
	ErrDamaged  = errors.New("the PDF is damaged, or of a kind that can't be read")
	ErrLocked   = errors.New("the PDF is protected by a password")
	ErrPictures = errors.New("its pages are pictures, without text")
	ErrTooLong  = errors.New("reading it takes too long")
)

// Header is the beginning of a PDF.
const Header = "%PDF-"

// patience is how long reading a PDF may take.
const patience = time.Minute

// Read returns the text of a PDF, with "[page 3]" before each page with text, and the number
// of pages. It stops after most bytes of text.
func Read(data []byte, most int) (text string, pages int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if !hasChild {
		return readHere(ctx, data, most)
	}
	return readInChild(ctx, data, most)
}

// readHere reads in this process until ctx is done.
func readHere(ctx context.Context, data []byte, most int) (string, int, error) {
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if recover() != nil {
				a.err = ErrDamaged
			}
			done <- a
		}()
		a.Text, a.Pages, a.err = read(data, most, ctx.Done())
	}()
	select {
	case a := <-done:
		return a.Text, a.Pages, a.err
	case <-ctx.Done(): // the current page is the last
		return "", 0, ErrTooLong
	}
}

// limited is a file that can be read until the time is up: a file that refers to itself would
// be read forever.
type limited struct {
	*bytes.Reader
	late <-chan struct{}
}

// ReadAt implements io.ReaderAt. It panics when the time is up: the library goes on after
// errors.
func (l limited) ReadAt(p []byte, off int64) (int, error) {
	select {
	case <-l.late:
		panic(ErrTooLong)
	default:
		return l.Reader.ReadAt(p, off)
	}
}

func read(data []byte, most int, late <-chan struct{}) (string, int, error) {
	r, err := pdf.NewReader(limited{bytes.NewReader(data), late}, int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return "", 0, ErrLocked
	case err != nil:
		return "", 0, fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	var out strings.Builder
	pages := r.NumPage()
	for n := 1; n <= pages && out.Len() <= most; n++ {
		select {
		case <-late:
			return "", 0, ErrTooLong
		default:
		}
		page := r.Page(n)
		if page.V.IsNull() { // the file claims more pages than it has
			pages = n - 1
			break
		}
		if drawingSize(page) > maxPage {
			fmt.Fprintf(&out, "[page %d: too large to read]\n\n", n)
			continue
		}
		if text := pageText(page); text != "" {
			fmt.Fprintf(&out, "[page %d]\n%s\n\n", n, text)
		}
	}
	if out.Len() == 0 {
		return "", pages, ErrPictures
	}
	return strings.TrimRight(out.String(), "\n") + "\n", pages, nil
}

// maxPage is the limit of a page's unpacked drawing instructions in bytes. The library keeps
// about 340 bytes for each character, and a few kB of file can unpack to a thousand times as
// much.
const maxPage = 2 << 20

// drawingSize returns the size of a page's unpacked drawing instructions, counting no further than
// needed to see that it exceeds maxPage.
func drawingSize(p pdf.Page) (n int64) {
	defer func() { _ = recover() }() // pageText hits the same panic
	parts := []pdf.Value{p.V.Key("Contents")}
	if list := parts[0]; list.Kind() == pdf.Array {
		parts = parts[:0]
		for i := range list.Len() {
			parts = append(parts, list.Index(i))
		}
	}
	for _, part := range parts {
		if n > maxPage {
			break
		}
		r := part.Reader()
		m, _ := io.Copy(io.Discard, io.LimitReader(r, maxPage+1)) // damaged data ends here
		n += m
		_ = r.Close()
	}
	return n
}

// pageText returns a page's text, "" if it can't be read.
func pageText(p pdf.Page) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return lines(p.Content().Text, lineEnds(p))
}

// lineEnds returns what a line end becomes in each font of a page: the library ends each
// shown text with one, in the font's own encoding.
func lineEnds(p pdf.Page) map[string]string {
	signs := map[string]string{}
	for _, name := range p.Fonts() {
		f := p.Font(name)
		base := f.BaseFont()
		if _, after, ok := strings.Cut(base, "+"); ok {
			base = after
		}
		signs[base] = f.Encoder().Decode("\n")
	}
	return signs
}

// Gaps between characters, relative to the font size.
const (
	wordGap      = 0.15 // from the end of one character to the next: a space
	charGap      = 1.2  // from the beginning of one character to the next, if widths are unknown
	paragraphGap = 1.7  // from one line to the next: an empty line
)

// font describes how a page uses one of its fonts.
type font struct {
	wide    bool // its characters have widths
	stacked bool // characters without a width stand on each other: their positions show only the gaps
}

// fonts derives the properties of a page's fonts from its characters.
func fonts(signs []pdf.Text) map[string]*font {
	known := map[string]*font{}
	for i, s := range signs {
		f := known[s.Font]
		if f == nil {
			f = &font{}
			known[s.Font] = f
		}
		f.wide = f.wide || s.W > 0
		f.stacked = f.stacked || i > 0 && s.W == 0 && s.X == signs[i-1].X && s.Font == signs[i-1].Font
	}
	return known
}

// lines assembles the characters of a page, which have positions but no spaces, into lines.
func lines(signs []pdf.Text, ends map[string]string) string {
	var out strings.Builder
	var line []byte
	var last pdf.Text
	known := fonts(signs)
	end := func() {
		out.Write(bytes.TrimRight(line, " "))
		out.WriteByte('\n')
		line = line[:0]
	}
	for _, s := range signs {
		f := known[s.Font]
		if s.W == 0 && s.S == ends[s.Font] || strings.ContainsFunc(s.S, unprintable) {
			continue
		}
		size := math.Max(math.Abs(s.FontSize), 1)
		gap, least := s.X-last.X-last.W, wordGap*size
		if !f.wide && !f.stacked {
			least = charGap * size
		}
		switch {
		case last.S == "":
		case math.Abs(s.Y-last.Y) > size/2:
			end()
			if last.Y-s.Y > paragraphGap*size {
				out.WriteByte('\n')
			}
		case gap > least && last.S != " " && s.S != " ":
			line = append(line, ' ')
		}
		line = append(line, s.S...)
		last = s
	}
	end()
	return ligatures.Replace(strings.TrimSpace(out.String()))
}

func unprintable(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

// ligatures are letters that a font joins but people search separately.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "\u00a0", " ", "\u00ad", "")
