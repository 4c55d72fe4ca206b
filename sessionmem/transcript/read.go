package transcript

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// readBuffer is the reader's buffer in bytes: the longest front matter that it recognises.
	// Longer lines are read too.
	readBuffer = 64 << 10

	// BlockLimit is how many bytes of a block are ever held for a context, a list or an ID
	// derived from the text: no model gets more.
	BlockLimit = 4 << 20
)

// heading is a line "## Kind · time · agent · model".
type heading struct {
	Kind  Kind
	Known bool // the kind's word is known
	Time  time.Time
	Agent string
	Model string
}

// parseHeading reads a full heading. It alone decides what starts a block in a file with a
// format; ok is false for every other line.
func parseHeading(line string) (h heading, ok bool) {
	rest, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return h, false
	}
	word, rest, ok := strings.Cut(strings.TrimRight(rest, " \t\r"), headingSep)
	if !ok || word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return h, false
	}
	stamp, rest, _ := strings.Cut(rest, headingSep)
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return h, false
	}
	h.Kind, h.Known = kindOf(word)
	h.Time = normalizeTime(t)
	h.Agent, h.Model, _ = strings.Cut(rest, headingSep)
	h.Agent, h.Model = strings.TrimSpace(h.Agent), strings.TrimSpace(h.Model)
	return h, true
}

// bareHeading returns the kind of a heading of the older form, "## User" or
// "## Assistant" alone on its line, otherwise "".
func bareHeading(line string) Kind {
	switch strings.TrimRight(line, " \t\r") {
	case "## User":
		return KindUser
	case "## Assistant":
		return KindAssistant
	}
	return ""
}

// RawBlock is a block as it is in the file. Its bytes are valid until the next block is
// read.
type RawBlock struct {
	Heading   heading
	Headed    bool // has a heading; false for text before the first one
	Offset    int64
	Raw       []byte // the whole block, or as much as the reader's limit allows
	Size      int64  // of the whole block
	BodyStart int    // where the text begins in Raw
	attrs     []Attr
}

// Reader reads a transcript block by block in constant memory (apart from
// the largest block, unless it has a limit), in any form of the format.
type Reader struct {
	br     *bufio.Reader
	Limit  int    // bytes to keep of a block; 0 means all
	Front  string // front matter, without the fences
	Bare   bool   // older form: bare headings start a block too
	offset int64  // of what is read next
	buf    []byte // the block being collected
	size   int64  // of it
	spare  []byte // the last block returned: its memory is used for the one after the next
	line   []byte // a line longer than the reader's buffer
	next   *heading
	nextAt int64
	done   bool
}

// NewReader returns a Reader of a whole file, with its front matter read.
func NewReader(r io.Reader) *Reader { return NewSizedReader(r, readBuffer) }

// NewSizedReader is NewReader for a file of that many bytes: most are small, and a list reads
// thousands.
func NewSizedReader(r io.Reader, fileSize int64) *Reader {
	br := &Reader{br: bufio.NewReaderSize(r, int(min(max(fileSize+1, 4096), readBuffer)))}
	head, _ := br.br.Peek(readBuffer) // a short file returns what it has, with an error that the next read repeats
	skip := 0
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		skip = 3
	}
	front, size := CutFrontMatter(head[skip:])
	br.Front = strings.ToValidUTF8(front, "\uFFFD")
	br.Bare = FrontValue(br.Front, "format") == ""
	n, _ := br.br.Discard(skip + size) // peeked before, so it can't fail
	br.offset = int64(n)
	return br
}

// NewTailReader returns a Reader that continues at an offset of a file whose form is known.
func NewTailReader(r io.Reader, offset int64, bare bool) *Reader {
	return &Reader{br: bufio.NewReaderSize(r, readBuffer), offset: offset, Bare: bare}
}

// Read returns the next block, io.EOF after the last.
func (r *Reader) Read() (RawBlock, error) {
	if r.done {
		return RawBlock{}, io.EOF
	}
	b := RawBlock{Offset: r.offset}
	if r.next != nil {
		b.Heading, b.Headed, b.Offset = *r.next, true, r.nextAt
		r.next = nil
	}
	for {
		at := r.offset
		line, err := r.readLine()
		if len(line) > 0 {
			h, boundary := r.boundary(line)
			if boundary && len(r.buf) == 0 && !b.Headed { // the file begins with a heading
				b.Heading, b.Headed, b.Offset = h, true, at
			} else if boundary {
				b.Raw, b.Size = r.buf, r.size
				r.buf, r.spare = append(r.spare[:0], line...), r.buf
				r.size = r.offset - at
				if r.finish(&b) {
					r.next, r.nextAt = &h, at
					return b, nil
				}
				b = RawBlock{Heading: h, Headed: true, Offset: at} // blank lines before the first heading
				continue
			}
			r.collect(line, r.offset-at)
		}
		if err == nil {
			continue
		}
		r.done = true
		if !errors.Is(err, io.EOF) {
			return RawBlock{}, err
		}
		b.Raw, b.Size = r.buf, r.size
		if !r.finish(&b) {
			return RawBlock{}, io.EOF
		}
		return b, nil
	}
}

// collect adds a line to the block, as far as the limit allows. size is that of the whole line.
func (r *Reader) collect(line []byte, size int64) {
	r.size += size
	if r.Limit > 0 {
		line = line[:max(0, min(len(line), r.Limit-len(r.buf)))]
	}
	r.buf = append(r.buf, line...)
}

// finish finds the block's comment line and text. It reports false for a text of blank lines
// only.
func (r *Reader) finish(b *RawBlock) bool {
	if !b.Headed {
		return len(bytes.TrimSpace(b.Raw)) > 0
	}
	head := bytes.IndexByte(b.Raw, '\n') + 1
	if head == 0 {
		head = len(b.Raw)
	}
	b.BodyStart = head
	rest := bytes.TrimLeft(b.Raw[head:], "\r\n")
	blank := len(b.Raw) - head - len(rest)
	if !bytes.HasPrefix(rest, []byte("<!--")) {
		return true
	}
	n := bytes.IndexByte(rest, '\n') + 1
	if n == 0 {
		n = len(rest)
	}
	// A formatter puts a blank line below the heading. Behind it, only a comment with an ID is
	// the block's: a text never begins with one (see AppendEscaped).
	if attrs, ok := parseComment(strings.TrimRight(string(rest[:n]), "\n")); ok && (blank == 0 || attrs[0].key == "id") {
		b.attrs = attrs
		b.BodyStart += blank + n
	}
	return true
}

// boundary reports whether a line starts a block in this file.
func (r *Reader) boundary(line []byte) (heading, bool) {
	if !bytes.HasPrefix(line, []byte("## ")) {
		return heading{}, false
	}
	text := string(bytes.TrimRight(line, "\n"))
	if h, ok := parseHeading(text); ok {
		return h, true
	}
	if k := bareHeading(text); r.Bare && k != "" {
		return heading{Kind: k, Known: true}, true
	}
	return heading{}, false
}

// readLine returns the next line with its end, as far as the limit allows; at the end of the
// file it returns the rest with io.EOF.
func (r *Reader) readLine() ([]byte, error) {
	line, err := r.br.ReadSlice('\n')
	r.offset += int64(len(line))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	r.line = append(r.line[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.br.ReadSlice('\n')
		r.offset += int64(len(line))
		if r.Limit > 0 {
			line = line[:max(0, min(len(line), r.Limit-len(r.line)))]
		}
		r.line = append(r.line, line...)
	}
	return r.line, err
}

// Decode returns the Block. Its ID is empty if the file has none.
func (b RawBlock) Decode() Block {
	if !b.Headed || !b.Heading.Known {
		out := Block{Kind: KindText, Time: b.Heading.Time, Text: normalizeText(string(b.Raw))}
		for _, a := range b.attrs {
			if a.key == "id" {
				out.ID = strings.ToValidUTF8(a.value, "\uFFFD")
			}
		}
		return out
	}
	out := Block{
		Kind: b.Heading.Kind, Time: b.Heading.Time,
		Agent: strings.ToValidUTF8(b.Heading.Agent, "\uFFFD"), Model: strings.ToValidUTF8(b.Heading.Model, "\uFFFD"),
		Text: b.text(),
	}
	for _, a := range b.attrs {
		out.setAttr(a.key, strings.ToValidUTF8(a.value, "\uFFFD"))
	}
	if out.Kind == KindNote && out.Note == "" {
		out.Note, out.Text = splitNote(out.Text)
	}
	return out
}

// text returns the block's text.
func (b RawBlock) text() string { return normalizeText(string(unescapeBody(b.Raw[b.BodyStart:]))) }

func (b *Block) setAttr(key, value string) {
	if field := b.field(key); field != nil {
		*field = value
		return
	}
	if b.Attrs == nil {
		b.Attrs = map[string]string{}
	}
	b.Attrs[key] = value
}

// field returns the field that holds an attribute; nil for an attribute without one.
func (b *Block) field(key string) *string {
	switch key {
	case "id":
		return &b.ID
	case "agent":
		return &b.Agent
	case "model":
		return &b.Model
	case "parent":
		return &b.Parent
	case "task":
		return &b.Task
	case "context":
		return &b.Context
	case "through":
		return &b.Through
	case "by":
		return &b.By
	case "note":
		return &b.Note
	}
	return nil
}

// Head returns what a block's heading and attributes say. ok is false for a block that must
// be decoded for that: a note, or one without an ID.
func (b RawBlock) Head() (head Block, ok bool) {
	if !b.Headed || !b.Heading.Known || b.Heading.Kind == KindNote {
		return Block{}, false
	}
	head = Block{Kind: b.Heading.Kind, Time: b.Heading.Time, Agent: b.Heading.Agent}
	for _, a := range b.attrs {
		switch a.key {
		case "id", "agent", "parent", "through", "task", AttrFingerprint, AttrAgain, AttrSources, AttrRecalledFrom: // what branch.Fold needs
			head.setAttr(a.key, strings.ToValidUTF8(a.value, "\uFFFD"))
		}
	}
	head.Agent = strings.ToValidUTF8(head.Agent, "\uFFFD")
	return head, head.ID != ""
}

// Derived returns the ID derived from the block's text. For a very long text only the
// beginning counts, so that the ID can be computed without holding all of it.
func (b RawBlock) Derived() string {
	if len(b.Raw) > BlockLimit {
		b.Raw = b.Raw[:BlockLimit]
		b.BodyStart = min(b.BodyStart, BlockLimit)
	}
	out := b.Decode()
	return DeriveID(out.Kind, out.Text)
}

// Copies holds, for each derived ID, the last number appended to it: so ten thousand blocks
// with the same words and no IDs are numbered without trying all numbers for each.
type Copies map[string]int

// Identify sets the ID of a block that has none, or one that is taken: it is derived from the
// content, so it stays the same as long as the text does. It returns 0 for the block's own ID,
// 1 for the derived one, otherwise the number appended to that.
func (c Copies) Identify(b *Block, derive func() string, taken func(id string) bool) (number int) {
	if b.ID != "" && !taken(b.ID) {
		return 0
	}
	base := derive()
	b.ID, number = base, 1
	for n := max(c[base], 1) + 1; taken(b.ID); n++ {
		b.ID, number = NumberedID(base, n), n
		c[base] = n
	}
	return number
}

// NumberedID returns the ID of the n-th of several blocks with the same content.
func NumberedID(base string, n int) string {
	if n < 2 {
		return base
	}
	return base + "-" + strconv.Itoa(n)
}

// DeriveID returns an ID made from a block's content.
func DeriveID(k Kind, text string) string {
	sum := sha256.Sum256([]byte(string(k) + "\x00" + text))
	return "t" + hex.EncodeToString(sum[:5])
}

// sortedKeys returns the keys of m in order.
func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// ParseBlock parses a single block in raw.
func ParseBlock(raw []byte, offset, size int64, bare bool) RawBlock {
	r := Reader{Bare: bare}
	line := raw
	if i := bytes.IndexByte(raw, '\n'); i >= 0 {
		line = raw[:i+1]
	}
	b := RawBlock{Raw: raw, Size: size, Offset: offset}
	b.Heading, b.Headed = r.boundary(line)
	r.finish(&b)
	return b
}
