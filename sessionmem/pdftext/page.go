package pdftext

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium gives divider for a hyphen that divides a word at the end of a line, and then no line
// end. hyphen stands for it in the words here.
const (
	divider = '\ufffe'
	hyphen  = '\x02'
)

// content is what a page has.
type content int

const (
	blank content = iota
	pictures
	letters
)

// readPage returns a page of a PDF with its mark.
func readPage(lib pdfium.Pdfium, doc references.FPDF_DOCUMENT, n int) (string, content) {
	loaded, err := lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: n - 1})
	if err != nil {
		return fmt.Sprintf("[page %d can't be read]\n\n", n), blank
	}
	page := requests.Page{ByReference: &loaded.Page}
	defer func() { _, _ = lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()

	more := formValues(lib, page) + notes(lib, page)
	mergeStamps(lib, page)
	words, guessed := pageWords(lib, page)
	body := layOut(words)
	stacked := 0 // words whose letters stand on each other
	for _, w := range words {
		if w.stacked {
			stacked++
		}
	}
	if guessed > 0 {
		more += fmt.Sprintf("[%d letters of this page are guessed or left out: the file has their shapes and doesn't say which letters they are]\n", guessed)
	}
	if 2*stacked > min(len(words), sampled) { // PDFium takes equal letters at one place for one
		more += "[the file gives this page's letters no width: double letters can be missing]\n"
	}
	if body != "" || more != "" {
		return fmt.Sprintf("[page %d]\n%s%s\n", n, body, more), letters
	}
	objects, err := lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil || objects.Count == 0 {
		return fmt.Sprintf("[page %d is empty]\n\n", n), blank
	}
	for i := range objects.Count {
		object, err := lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			break
		}
		kind, err := lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err == nil && (kind.Type == enums.FPDF_PAGEOBJ_IMAGE || kind.Type == enums.FPDF_PAGEOBJ_FORM) {
			return fmt.Sprintf("[page %d is a picture]\n\n", n), pictures
		}
	}
	return fmt.Sprintf("[page %d is a drawing]\n\n", n), pictures
}

// sampled is how many words of a page are asked whether their letters stand on each other.
const sampled = 50

// pageWords returns the words of a page in the order in which they are drawn, each with its
// box and the line that PDFium put it in, and for how many letters the
// file has no code.
func pageWords(lib pdfium.Pdfium, page requests.Page) (words []word, guessed int) {
	loaded, err := lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return nil, 0
	}
	text := loaded.TextPage
	defer func() { _, _ = lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text}) }()
	count, err := lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return nil, 0
	}
	var letters []rune
	first, last, line := 0, 0, 0
	end := func() {
		if len(letters) == 0 {
			return
		}
		w := word{text: ligatures.Replace(string(letters)), line: line}
		w.box, w.turn, w.stacked = wordBox(lib, text, first, last, len(words) < sampled)
		if bad, err := lib.FPDFText_HasUnicodeMapError(&requests.FPDFText_HasUnicodeMapError{TextPage: text, Index: first}); err == nil && bad.HasUnicodeMapError {
			guessed += len(letters) // its first one speaks for the word
		}
		words = append(words, w)
		letters = letters[:0]
	}
	whole := []rune(nil)
	if got, err := lib.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text, Count: count.Count}); err == nil {
		whole = []rune(got.Text)
	}
	for i := range count.Count {
		var r rune
		if len(whole) == count.Count {
			r = whole[i]
		} else { // it leaves something out, such as letters of two halves
			if got, err := lib.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i}); err == nil {
				r = rune(got.Unicode) //nolint:gosec // a code point, or half of one
			}
			if r == '-' {
				if got, err := lib.FPDFText_IsHyphen(&requests.FPDFText_IsHyphen{TextPage: text, Index: i}); err == nil && got.IsHyphen {
					r = divider
				}
			}
		}
		if n := len(letters); n > 0 && utf16.IsSurrogate(letters[n-1]) {
			letters[n-1] = utf16.DecodeRune(letters[n-1], r)
			continue
		}
		switch {
		case r == '\r' || r == '\n':
			end()
			line++
		case unicode.IsSpace(r):
			end()
		case r == divider:
			letters = append(letters, hyphen)
			end()
			line++
		case r == 0 || unicode.IsControl(r):
			guessed++
		default:
			if len(letters) == 0 {
				first = i
			}
			letters, last = append(letters, r), i
		}
	}
	end()
	return words, guessed
}

// wordBox returns the box from the first to the last letter of a word, turned so that the word
// reads from left to right, by how many quarters it was turned, and whether its last letter
// stands on the one before.
func wordBox(lib pdfium.Pdfium, text references.FPDF_TEXTPAGE, first, last int, sample bool) (b box, turn int, flat bool) {
	if angle, err := lib.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: text, Index: first}); err == nil {
		turn = int(math.Round(-float64(angle.CharAngle)/(math.Pi/2))) & 3 // the angle is measured clockwise
	}
	b = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, i := range []int{first, last} {
		r, err := lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: i})
		if err != nil {
			continue
		}
		for _, at := range [][2]float32{{r.Rect.Left, r.Rect.Bottom}, {r.Rect.Right, r.Rect.Top}} {
			x, y := float64(at[0]), float64(at[1])
			for range turn {
				x, y = y, -x
			}
			b = b.union(box{x, y, x, y})
		}
	}
	if sample && last > first {
		before, err := lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: last - 1})
		at, err2 := lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: last})
		flat = err == nil && err2 == nil && before.X == at.X && before.Y == at.Y
	}
	return b, turn, flat
}

// formValues returns the fields of a page's form that have a value, a line each.
func formValues(lib pdfium.Pdfium, page requests.Page) string {
	var out strings.Builder
	annotations, err := lib.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil || annotations.Count == 0 {
		return ""
	}
	form, err := lib.GetForm(&requests.GetForm{Page: page})
	if err != nil {
		return ""
	}
	empty := 0
	for _, f := range form.Fields {
		value := strings.Join(f.Values, ", ")
		switch {
		case f.Value != nil:
			value = *f.Value
		case f.IsChecked != nil && *f.IsChecked:
			value = "yes"
		case f.Type == enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
			value = "no"
		}
		name := oneLine(f.Name)
		if tip := oneLine(f.ToolTip); tip != "" && tip != name {
			name += " (" + tip + ")"
		}
		switch value = oneLine(value); {
		case f.Type == enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON, f.Type == enums.FPDF_FORMFIELD_TYPE_SIGNATURE:
		case value == "":
			empty++
		default:
			fmt.Fprintf(&out, "[field %s: %s]\n", name, value)
		}
	}
	if empty > 0 {
		fmt.Fprintf(&out, "[fields of a form without a value: %d]\n", empty)
	}
	return out.String()
}

// notes returns the notes on a page, a line each: comments, text written onto it, remarks of
// highlights.
func notes(lib pdfium.Pdfium, page requests.Page) string {
	var out strings.Builder
	annotations, err := lib.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return ""
	}
	for i := range annotations.Count {
		note, err := lib.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: i})
		if err != nil {
			continue
		}
		kind, err := lib.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: note.Annotation})
		shows := err == nil && kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_POPUP && kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET && kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_LINK
		if shows {
			if got, err := lib.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: note.Annotation, Key: "Contents"}); err == nil && oneLine(got.Value) != "" {
				fmt.Fprintf(&out, "[note: %s]\n", oneLine(got.Value))
			}
		}
		_, _ = lib.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: note.Annotation})
	}
	return out.String()
}

// mergeStamps makes what signatures and stamps show a part of the page, as PDFium doesn't give
// the text of what is drawn over it. Fields and notes, which are named, go.
func mergeStamps(lib pdfium.Pdfium, page requests.Page) {
	annotations, err := lib.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return
	}
	var others []int
	for i := range annotations.Count {
		if !isStamp(lib, page, i) {
			others = append(others, i)
		}
	}
	if len(others) == annotations.Count {
		return
	}
	for _, i := range slices.Backward(others) {
		_, _ = lib.FPDFPage_RemoveAnnot(&requests.FPDFPage_RemoveAnnot{Page: page, Index: i})
	}
	_, _ = lib.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
}

// isStamp reports whether an annotation is a stamp or a signature: the field whose value is
// neither a text nor a list.
func isStamp(lib pdfium.Pdfium, page requests.Page, i int) bool {
	a, err := lib.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: i})
	if err != nil {
		return false
	}
	defer func() { _, _ = lib.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.Annotation}) }()
	kind, err := lib.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.Annotation})
	if err != nil || kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET {
		return err == nil && kind.Subtype == enums.FPDF_ANNOT_SUBTYPE_STAMP
	}
	value, err := lib.FPDFAnnot_GetValueType(&requests.FPDFAnnot_GetValueType{Annotation: a.Annotation, Key: "V"})
	if err != nil || value.ValueType != enums.FPDF_OBJECT_TYPE_DICTIONARY && value.ValueType != enums.FPDF_OBJECT_TYPE_REFERENCE {
		return false
	}
	text, err := lib.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: a.Annotation, Key: "V"})
	return err != nil || text.Value == ""
}

// signatures says how many signatures a PDF has, and how many places for one are empty.
func signatures(lib pdfium.Pdfium, doc references.FPDF_DOCUMENT) string {
	places, err := lib.FPDF_GetSignatureCount(&requests.FPDF_GetSignatureCount{Document: doc})
	if err != nil || places.Count <= 0 {
		return ""
	}
	signed := 0
	for i := range places.Count {
		one, err := lib.FPDF_GetSignatureObject(&requests.FPDF_GetSignatureObject{Document: doc, Index: i})
		if err != nil {
			continue
		}
		if got, err := lib.FPDFSignatureObj_GetContents(&requests.FPDFSignatureObj_GetContents{Signature: one.Signature}); err == nil && len(got.Contents) > 0 {
			signed++
		}
	}
	out := ""
	if signed > 0 {
		out = fmt.Sprintf("[signatures in the PDF: %d, not checked]\n", signed)
	}
	if empty := places.Count - signed; empty > 0 {
		out += fmt.Sprintf("[empty places for a signature: %d]\n", empty)
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// ligatures are letters that a font joins but people search separately.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "ft", "ﬆ", "st", "\u00ad", "")
