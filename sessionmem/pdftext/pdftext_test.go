package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test program be its own child.
func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// document returns a PDF of pages, each given by its content stream.
func document(pages ...string) []byte {
	widths := strings.Repeat("500 ", 96)
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 127/Widths[" + widths + "]>>"}
	var kids []string
	for _, content := range pages {
		n := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", n+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), strings.Join(kids, " "))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

func TestReadReturnsLinesAndPageMarks(t *testing.T) {
	data := document(
		"BT /F1 10 Tf 72 700 Td [(Hello)-300(world)] TJ 0 -12 Td (second line) Tj 0 -40 Td (a paragraph) Tj ET",
		"", // a picture
		"BT /F1 10 Tf 72 700 Td (The end.) Tj ET")
	text, pages, err := Read(data, 1<<20)
	if err != nil || pages != 3 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	if want := "[page 1]\nHello world\nsecond line\n\na paragraph\n\n[page 3]\nThe end.\n"; text != want {
		t.Errorf("got %q\nwant %q", text, want)
	}
	if text, _, err := Read(data, 10); err != nil || strings.Contains(text, "The end") {
		t.Errorf("given ten bytes at most: %q, %v", text, err)
	}
}

func TestReadSaysWhyThereIsNoText(t *testing.T) {
	whole := document("BT /F1 10 Tf 72 700 Td (words) Tj ET")
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"given pictures alone": {document(""), ErrPictures},
		"given half a file":    {whole[:len(whole)/2], ErrDamaged},
		"given nothing else":   {[]byte(Header), ErrDamaged},
	} {
		if text, _, err := Read(tt.data, 1<<20); !errors.Is(err, tt.want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(document("BT /F1 10 Tf 72 700 Td [(Hello)-300(world)] TJ ET"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			t.Skip()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, _, err := readHere(ctx, data, 1<<20); errors.Is(err, ErrTooLong) {
			t.Error("it takes too long")
		}
	})
}

// A page that unpacks to a huge size would need hundreds of MB of memory.
func TestTooLargePageIsNamed(t *testing.T) {
	large := "BT /F1 12 Tf 72 700 Td (" + strings.Repeat("a", maxPage) + ") Tj ET"
	text, pages, err := Read(document(large, "BT /F1 12 Tf 72 700 Td (Second) Tj ET"), 1<<20)
	if err != nil || pages != 2 || !strings.Contains(text, "[page 1: too large to read]") || !strings.Contains(text, "[page 2]\nSecond") {
		t.Errorf("%d pages, %v: %.80q", pages, err, text)
	}
}

// crossReferences returns a PDF whose cross-reference stream has this dictionary.
func crossReferences(dictionary string) []byte {
	head := "%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\nendobj\n"
	return fmt.Appendf(nil, "%s3 0 obj\n<</Type/XRef/Root 1 0 R/Length 8 %s>>\nstream\n\x01\x00\x00\x00\x01\x00\x09\x00\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		head, dictionary, len(head))
}

// A file of some hundred bytes can ask for more memory than there is, or for endless work.
// The program that reads it goes on.
func TestAPDFThatAsksForTooMuchEndsOnlyItsReader(t *testing.T) {
	for name, dictionary := range map[string]string{
		"a table of a billion entries":   "/Size 1000000000/W[1 2 1]/Index[0 1000000000]",
		"one whose last entry is far":    "/Size 5000000000/W[1 2 1]/Index[4294967295 1]",
		"wide entries":                   "/Size 10/W[1 1000000000 1]",
		"a size that overflows":          "/Size 9223372036854775807/W[1 2 1]",
		"entries with a negative number": "/Size -5/W[1 2 1]/Index[-5 100]",
	} {
		t.Run(name, func(t *testing.T) {
			text, _, err := Read(crossReferences(dictionary), 1<<20)
			if err == nil || text != "" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	table := bytes.Replace(document("BT /F1 10 Tf 72 700 Td (words) Tj ET"), []byte("xref\n0 6\n0000000000 65535 f \n"), []byte("xref\n0 1\n0000000000 65535 f \n4294967296 5\n"), 1)
	if text, _, err := Read(table, 1<<20); !errors.Is(err, ErrDamaged) {
		t.Errorf("a table that begins at four billion: %q, %v", text, err)
	}
	if text, _, err := Read(document("BT /F1 10 Tf 72 700 Td (Still here) Tj ET"), 1<<20); err != nil || !strings.Contains(text, "Still here") {
		t.Errorf("afterwards: %q, %v", text, err)
	}
}
