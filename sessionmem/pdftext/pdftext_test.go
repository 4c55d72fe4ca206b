package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium/requests"
)

// cacheVar names the folder for the compiled PDFium of the test's children.
const cacheVar = "PDFTEXT_TEST_CACHE"

// TestMain lets the test program be its own child.
func TestMain(m *testing.M) {
	Child(func() string {
		if dir := os.Getenv(cacheVar); dir != "" {
			return dir
		}
		return usualCache()
	})
	os.Exit(m.Run())
}

// usualCache is kept, as compiling takes seconds.
func usualCache() string { return filepath.Join(os.TempDir(), "mac-stats-test-pdfium") }

// file returns a PDF of these objects, of which the first is the catalog.
func file(objects ...string) []byte {
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

func stream(dictionary, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dictionary, len(content), content)
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// document returns a PDF of pages, each given by its content stream.
func document(pages ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", helvetica, stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "x")}
	var kids []string
	for _, content := range pages {
		n := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects = append(objects, fmt.Sprintf("<</Type/Page/MediaBox[0 0 612 792]/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>/XObject<</I 4 0 R>>>>/Contents %d 0 R>>", n+1), stream("", content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), strings.Join(kids, " "))
	return file(objects...)
}

// at returns the drawing of a text at a place of a page.
func at(x, y int, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

// read reads a PDF in a child of its own.
func read(t *testing.T, data []byte, most int) (Document, error) {
	t.Helper()
	var r Reader
	defer r.Close()
	return r.Read(t.Context(), data, most)
}

func TestReadReturnsLinesAndPageMarks(t *testing.T) {
	data := document(
		"BT /F1 10 Tf 72 700 Td [(Hello)-500(world)] TJ 0 -12 Td (second line) Tj 0 -40 Td (a paragraph) Tj ET",
		"q 100 0 0 100 0 0 cm /I Do Q",
		"",
		at(72, 700, "The end."))
	d, err := read(t, data, 1<<20)
	want := "[page 1]\nHello world\nsecond line\n\na paragraph\n\n[page 2 is a picture]\n\n[page 3 is empty]\n\n[page 4]\nThe end.\n"
	if err != nil || d.Pages != 4 || d.Read != 4 || d.Text != want {
		t.Errorf("%d of %d pages, %v:\n%q\nwant\n%q", d.Read, d.Pages, err, d.Text, want)
	}
}

// Files draw their letters in any order.
func TestLinesComeInReadingOrder(t *testing.T) {
	var r Reader
	defer r.Close()
	var upwards, byColumn, byLine, prices, cells, headed string
	for i := range 5 {
		y := 700 - 14*i
		upwards = at(72, y, fmt.Sprintf("line %d from the top", i)) + upwards
		byColumn += at(72, y, fmt.Sprintf("left %d word", i))
		byLine += at(72, y, fmt.Sprintf("left %d word", i)) + at(320, y, fmt.Sprintf("right %d word", i))
		prices += at(72, y, fmt.Sprintf("apples %d", i)) + at(320, y, fmt.Sprintf("%d.50", i)) + at(450, y, "EUR")
	}
	for i := range 5 {
		byColumn += at(320, 700-14*i, fmt.Sprintf("right %d word", i))
	}
	for _, c := range []struct{ x, y int }{{450, 1}, {72, 0}, {320, 1}, {450, 0}, {72, 1}, {320, 0}} {
		cells += at(c.x, 700-14*c.y, fmt.Sprintf("cell%d-%d", c.y, c.x))
	}
	headed = byColumn + at(72, 600, "A line below both columns, which is as wide as the whole page and so ends them") + at(72, 740, "A title above both columns, which is as wide as the whole page, drawn last of all")
	columns := "left 0 word\nleft 1 word\nleft 2 word\nleft 3 word\nleft 4 word\n\nright 0 word\nright 1 word\nright 2 word\nright 3 word\nright 4 word\n"
	for name, tt := range map[string]struct{ content, want string }{
		"upwards":                {upwards, "line 0 from the top\nline 1 from the top\nline 2 from the top\nline 3 from the top\nline 4 from the top\n"},
		"columns by column":      {byColumn, columns},
		"columns line by line":   {byLine, columns},
		"columns with a heading": {headed, "A title above both columns, which is as wide as the whole page, drawn last of all\n\n" + columns + "\nA line below both columns, which is as wide as the whole page and so ends them\n"},
		"a table by rows":        {prices, "apples 0  0.50  EUR\napples 1  1.50  EUR\napples 2  2.50  EUR\napples 3  3.50  EUR\napples 4  4.50  EUR\n"},
		"a table in any order":   {cells, "cell0-72  cell0-320  cell0-450\ncell1-72  cell1-320  cell1-450\n"},
		"a date at the right":    {at(420, 700, "Graz, in May") + at(72, 670, "Dear Ada,") + at(72, 656, "thank you."), "Graz, in May\n\nDear Ada,\nthank you.\n"},
		"text that goes upwards": {"BT /F1 12 Tf 0 1 -1 0 100 100 Tm (The kettle is green.) Tj 0 -14 Td (Bring two cups.) Tj ET", "The kettle is green.\nBring two cups.\n"},
		"text that goes down":    {"BT /F1 12 Tf 0 -1 1 0 300 500 Tm (The kettle is green.) Tj 0 -14 Td (Bring two cups.) Tj ET", "The kettle is green.\nBring two cups.\n"},
		"upside down":            {"BT /F1 12 Tf -1 0 0 -1 300 500 Tm (The kettle is green.) Tj 0 -14 Td (Bring two cups.) Tj ET", "The kettle is green.\nBring two cups.\n"},
		"a stamp at the edge":    {at(72, 700, "The text of the page is long.") + "BT /F1 9 Tf 0 1 -1 0 30 300 Tm (draft) Tj ET", "The text of the page is long.\n\ndraft\n"},
		"a divided word":         {at(72, 700, "They could not com-") + at(72, 688, "pile it at all."), "They could not compile it at all.\n"},
	} {
		d, err := r.Read(t.Context(), document(tt.content), 1<<20)
		if want := "[page 1]\n" + tt.want; err != nil || d.Text != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, d.Text, want)
		}
	}
}

// A table of four times the rows takes four times the work, not the square or the cube of it.
func TestTheWorkGrowsWithTheRows(t *testing.T) {
	allocated := func(rows, columns, words int) float64 {
		var table []word
		for i := range rows * columns {
			x, y := 200*float64(i%columns), -28*float64(i/columns)
			for range words {
				table = append(table, word{text: "cell", line: i, box: box{x, y, x + 20, y + 10}})
				x += 23
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := layOut(table)
		runtime.ReadMemStats(&after)
		if got := strings.Count(text, "cell"); got != rows*columns*words || strings.Count(text, "l  c") != rows*(columns-1) {
			t.Errorf("%d words of %d, not all in rows", got, rows*columns*words)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, columns := range []int{2, 3, 12} {
		for _, words := range []int{1, 4} {
			if times := allocated(240, columns, words) / allocated(60, columns, words); times > 6 {
				t.Errorf("%d columns, cells of %d words: four times the rows take %.1f times the memory", columns, words, times)
			}
		}
	}
}

// The values of a form and notes are no part of a page's text.
func TestFormsAndNotesAreNamed(t *testing.T) {
	data := file("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 5 0 R 6 0 R 7 0 R]/DA(/Helv 0 Tf)>>>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/MediaBox[0 0 612 792]/Parent 2 0 R/Annots[4 0 R 5 0 R 6 0 R 8 0 R 9 0 R 10 0 R]>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/TU(Your name)/V(Ada of Graz)/Rect[72 700 300 720]>>",
		"<</Type/Annot/Subtype/Widget/FT/Btn/T(Member)/V/Yes/AS/Yes/AP<</N<</Yes 11 0 R/Off 11 0 R>>>>/Rect[72 600 90 620]>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(Street)/Rect[72 500 300 520]>>",
		"<</FT/Tx/T(Address)/Kids[8 0 R]>>",
		"<</Type/Annot/Subtype/Widget/Parent 7 0 R/T(Town)/V(Linz)/Rect[72 400 300 420]>>",
		"<</Type/Annot/Subtype/Text/Contents(Ask Bob\nfirst)/Rect[72 300 90 320]>>",
		"<</Type/Annot/Subtype/FreeText/DA(/Helv 9 Tf)/Contents(Written over it)/Rect[72 200 300 220]>>",
		stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", ""))
	d, err := read(t, data, 1<<20)
	want := "[page 1]\n[field Name (Your name): Ada of Graz]\n[field Member: yes]\n[field Address.Town: Linz]\n[fields of a form without a value: 1]\n[note: Ask Bob first]\n[note: Written over it]\n"
	if err != nil || d.Text != want {
		t.Errorf("%v\n%s\nwant\n%s", err, d.Text, want)
	}
}

// What a signature and a stamp show is drawn over the page, at their place on it.
func TestSignaturesAndStampsAreRead(t *testing.T) {
	shown := func(text string) string {
		return stream("/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 10 0 R>>>>", at(2, 5, text))
	}
	data := file("<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[5 0 R 6 0 R 7 0 R]/DA(/Helv 0 Tf)>>>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/MediaBox[0 0 612 792]/Parent 2 0 R/Resources<</Font<</F1 10 0 R>>>>/Contents 4 0 R/Annots[5 0 R 6 0 R 7 0 R 8 0 R]>>",
		stream("", at(72, 700, "The contract")+at(72, 300, "The end")),
		"<</Type/Annot/Subtype/Widget/FT/Sig/F 132/T(Buyer)/V 9 0 R/Rect[72 600 272 620]/AP<</N 11 0 R>>>>",
		"<</Type/Annot/Subtype/Widget/FT/Sig/F 4/T(Seller)/Rect[72 500 272 520]>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/F 4/T(Town)/V(Graz)/Rect[72 400 272 420]/AP<</N 12 0 R>>>>",
		"<</Type/Annot/Subtype/Stamp/F 4/Rect[72 650 272 670]/AP<</N 13 0 R>>>>",
		"<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 10 20 10]/Contents<3080>>>",
		helvetica, shown("Signed by Ada"), shown("Graz"), shown("APPROVED"))
	d, err := read(t, data, 1<<20)
	want := "[signatures in the PDF: 1, not checked]\n[empty places for a signature: 1]\n[page 1]\nThe contract\n\nAPPROVED\n\nSigned by Ada\n\nThe end\n[field Town: Graz]\n"
	if err != nil || d.Text != want {
		t.Errorf("%v\n%s\nwant\n%s", err, d.Text, want)
	}
}

// A font without a table of its letters gives numbers of glyphs, which look like text.
func TestGuessedLettersAreNamed(t *testing.T) {
	data := bytes.Replace(document("BT /F1 10 Tf 72 700 Td <002A0048004F004F0052> Tj ET"), []byte(helvetica),
		[]byte("<</Type/Font/Subtype/Type0/BaseFont/Odd/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Odd/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>"), 1)
	if d, err := read(t, data, 1<<20); err != nil || !strings.Contains(d.Text, "5 letters of this page are guessed or left out") {
		t.Errorf("%q, %v", d.Text, err)
	}
}

// Letters without a width stand on each other, and equal ones are taken for one.
func TestLettersWithoutAWidthAreNamed(t *testing.T) {
	data := bytes.Replace(document(at(72, 700, "The floor of the office")), []byte("/WinAnsiEncoding>>"), []byte("/WinAnsiEncoding/FirstChar 32/LastChar 32/Widths[500]>>"), 1)
	if d, err := read(t, data, 1<<20); err != nil || !strings.Contains(d.Text, "double letters can be missing") {
		t.Errorf("%q, %v", d.Text, err)
	}
}

func TestReadSaysWhyThereIsNoText(t *testing.T) {
	whole := document(at(72, 700, "words"))
	locked := bytes.Replace(whole, []byte("/Root 1 0 R"), []byte("/Root 1 0 R/ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -44/O<"+strings.Repeat("11", 32)+">/U<"+strings.Repeat("22", 32)+">>>"), 1)
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"given pictures alone": {document("q 100 0 0 100 0 0 cm /I Do Q"), ErrPictures},
		"given half a file":    {whole[:len(whole)/4], ErrDamaged},
		"given nothing else":   {[]byte(Header), ErrDamaged},
		"given no pages":       {document(), ErrEmpty},
		"given empty pages":    {document("", "q Q"), ErrEmpty},
		"given drawings":       {document("9 9 9 9 re f"), ErrPictures},
		"given a password":     {locked, ErrLocked},
	} {
		if d, err := read(t, tt.data, 1<<20); !errors.Is(err, tt.want) {
			t.Errorf("%s: %q, %v", name, d.Text, err)
		}
	}
}

// A reader reads many files, also behind one that ends its child.
func TestOneChildReadsSeveralFiles(t *testing.T) {
	var r Reader
	defer r.Close()
	for i := range 3 {
		d, err := r.Read(t.Context(), document(at(72, 700, fmt.Sprintf("file %d", i))), 1<<20)
		if want := fmt.Sprintf("[page 1]\nfile %d\n", i); err != nil || d.Text != want {
			t.Errorf("%q, %v", d.Text, err)
		}
	}
	child := r.child.Process.Pid
	if _, err := r.Read(t.Context(), []byte(Header), 1<<20); !errors.Is(err, ErrDamaged) || r.child.Process.Pid != child {
		t.Errorf("%v; a damaged file ended the child", err)
	}
	if err := r.child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(t.Context(), document(at(72, 700, "lost")), 1<<20); !errors.Is(err, ErrDamaged) {
		t.Errorf("from a dead child: %v", err)
	}
	if d, err := r.Read(t.Context(), document(at(72, 700, "again")), 1<<20); err != nil || d.Text != "[page 1]\nagain\n" {
		t.Errorf("%q, %v", d.Text, err)
	}
}

// What was read is kept when the rest takes too long, is too much, or can't be read.
func TestTheFirstPagesAreKept(t *testing.T) {
	words := at(72, 700, "words")
	// Each form draws the next one ten times.
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[4 0 R 4 0 R 6 0 R]>>", helvetica,
		"<</Type/Page/MediaBox[0 0 612 792]/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>", stream("", words),
		"<</Type/Page/MediaBox[0 0 612 792]/Parent 2 0 R/Resources<</XObject<</X 8 0 R>>>>/Contents 7 0 R>>", stream("", "/X Do"),
	}
	for i := range 12 {
		objects = append(objects, stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>/XObject<</X %d 0 R>>>>", 9+i), strings.Repeat("/X Do ", 10)+words))
	}
	objects = append(objects, stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>", words))
	endless := file(objects...)

	var r Reader
	defer r.Close()
	r.Progress = func(read, pages int) {
		if read == 2 && pages == 3 {
			r.page = time.Nanosecond // the third page doesn't come
		}
	}
	d, err := r.Read(t.Context(), endless, 1<<20)
	want := "[page 1]\nwords\n\n[page 2]\nwords\n\n[the first 2 of 3 pages: reading it takes too long]\n"
	if err != nil || d.Text != want || d.Read != 2 || d.Pages != 3 {
		t.Errorf("%v, %d of %d:\n%s", err, d.Read, d.Pages, d.Text)
	}
	if d, err := r.Read(t.Context(), endless, 1<<20); !errors.Is(err, ErrTooLong) || d.Text != "" {
		t.Errorf("without a page: %q, %v", d.Text, err)
	}
	d, err = read(t, document(words, words, words), 40)
	want = "[page 1]\nwords\n\n[page 2]\nwords\n\n[the first 2 of 3 pages: it has more text than fits]\n"
	if err != nil || d.Text != want {
		t.Errorf("given forty bytes: %v\n%s", err, d.Text)
	}
	d, err = read(t, document(at(72, 700, strings.Repeat("word ", 100))), 40)
	if err != nil || !strings.HasPrefix(d.Text, "[page 1]\nword word") || !strings.HasSuffix(d.Text, "[the page goes on]\n") || len(d.Text) > 70 {
		t.Errorf("one page, given forty bytes: %v\n%s", err, d.Text)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Read(ctx, endless, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	ctx, stop = context.WithCancel(t.Context())
	during := Reader{Progress: func(int, int) { stop() }}
	if _, err := during.Read(ctx, endless, 1<<20); !errors.Is(err, context.Canceled) || during.child != nil {
		t.Errorf("stopped after a page: %v; the child %v", err, during.child)
	}
}

// A compiled PDFium that is damaged on the disk is made again. Where none can be kept, it is
// made each time.
func TestADamagedCacheIsMadeAgain(t *testing.T) {
	words := document(at(72, 700, "words"))
	if _, err := read(t, words, 1<<20); err != nil { // makes the cache that is copied
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(usualCache())); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "pdfium", "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("compiled files %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[100] ^= 0xff // of a function's place, which wazero doesn't check
	if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(cacheVar, dir)
	if d, err := read(t, words, 1<<20); err != nil || d.Text != "[page 1]\nwords\n" {
		t.Errorf("%q, %v", d.Text, err)
	}
	if again, err := os.ReadFile(files[0]); err != nil || len(again) != len(whole) || again[100] != whole[100] {
		t.Errorf("it stays damaged, %v", err)
	}
	t.Setenv(cacheVar, files[0]) // no folder
	if d, err := read(t, words, 1<<20); err != nil || d.Text != "[page 1]\nwords\n" {
		t.Errorf("without a folder: %q, %v", d.Text, err)
	}
}

// PDFium reaches no file.
func TestPDFiumHasNoFiles(t *testing.T) {
	engine, err := openEngine(usualCache(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	lib, err := engine.GetInstanceWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, document(at(72, 700, "words")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.OpenDocument(&requests.OpenDocument{FilePath: &path}); err == nil {
		t.Error("it opened a file of the disk")
	}
	data := document(at(72, 700, "words"))
	if _, err := lib.OpenDocument(&requests.OpenDocument{File: &data}); err != nil {
		t.Errorf("the same bytes: %v", err)
	}
}

// Junk before the header doesn't count, and neither does the header in another text.
func TestIs(t *testing.T) {
	late := append(bytes.Repeat([]byte("\n"), 900), document(at(72, 700, "words"))...)
	for name, tt := range map[string]struct {
		name string
		data []byte
		want bool
	}{
		"a PDF":                {"x", document(), true},
		"a late header":        {"a.PDF", late, true},
		"a text that names it": {"a.go", []byte("head := \"%PDF-1.4\""), false},
		"a text called a PDF":  {"a.pdf", []byte("hello"), false},
		"a header after a kB":  {"a.pdf", append(bytes.Repeat([]byte("\n"), 1100), Header...), false},
	} {
		if got := Is(tt.name, tt.data); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if d, err := read(t, late, 1<<20); err != nil || d.Text != "[page 1]\nwords\n" {
		t.Errorf("%q, %v", d.Text, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(document("BT /F1 10 Tf 72 700 Td [(Hello)-300(world)] TJ ET"))
	var r Reader
	f.Cleanup(r.Close)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := r.Read(t.Context(), data, 1<<20); errors.Is(err, ErrTooLong) || errors.Is(err, ErrNoReader) {
			t.Error(err)
		}
	})
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
	var r Reader
	defer r.Close()
	for name, dictionary := range map[string]string{
		"a table of a billion entries":   "/Size 1000000000/W[1 2 1]/Index[0 1000000000]",
		"one whose last entry is far":    "/Size 5000000000/W[1 2 1]/Index[4294967295 1]",
		"wide entries":                   "/Size 10/W[1 1000000000 1]",
		"a size that overflows":          "/Size 9223372036854775807/W[1 2 1]",
		"entries with a negative number": "/Size -5/W[1 2 1]/Index[-5 100]",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := r.Read(t.Context(), crossReferences(dictionary), 1<<20)
			if err == nil || d.Text != "" {
				t.Errorf("%q, %v", d.Text, err)
			}
		})
	}
	if d, err := r.Read(t.Context(), document(at(72, 700, "Still here")), 1<<20); err != nil || !strings.Contains(d.Text, "Still here") {
		t.Errorf("afterwards: %q, %v", d.Text, err)
	}
}
