package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// entry is a key and its value in a file.
type entry struct {
	key   string // full key, "session.max_messages"
	table string // its table, "" for none, with listMark for a list of tables; inline tables count as keys
	line  int    // 1-based
	text  string // the value without quotes
	whole bool   // a single value; false for arrays
	start int    // byte offset of the value
	end   int
}

// header is a [table] line.
type header struct {
	name  string
	array bool
	end   int // byte offset after the line's bracket
}

// commented is a commented-out key: "#key = value".
type commented struct {
	table string
	key   string // within the table
	start int    // offset of the comment sign
	from  int    // offset of the value
	end   int    // offset after the value
}

// document is a parsed TOML file with the positions of all its parts.
type document struct {
	data     []byte
	entries  []entry
	headers  []header
	inline   []entry // inline tables: the key and the offset after the opening brace
	comments []commented
}

// syntaxError describes where a file is invalid TOML. Line and column count from 1.
type syntaxError struct {
	line, column int
	reason       string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.line, e.column, e.reason)
}

// listMark distinguishes keys of a [[list of tables]] from those of a [table].
const listMark = "[]"

// maxFile is the largest config.toml, in bytes.
const maxFile = 1 << 20

var byteOrderMark = []byte("\uFEFF")

// parse parses a file. Its error is a *syntaxError.
func parse(data []byte) (*document, error) {
	bom := 0
	if bytes.HasPrefix(data, byteOrderMark) {
		bom = len(byteOrderMark)
	}
	var all map[string]any
	if err := toml.Unmarshal(data[bom:], &all); err != nil {
		return nil, explainSyntax(err)
	}
	d := &document{data: data}
	w := walker{doc: d, base: bom}
	w.parser.KeepComments = true
	w.parser.Reset(data[bom:])
	for w.parser.NextExpression() {
		w.expression(w.parser.Expression())
	}
	if err := w.parser.Error(); err != nil { // Unmarshal accepted the file, so this should not happen
		return nil, explainSyntax(err)
	}
	return d, nil
}

func explainSyntax(err error) *syntaxError {
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		return &syntaxError{line: max(line, 1), column: max(column, 1), reason: strings.TrimPrefix(bad.Error(), "toml: ")}
	}
	return &syntaxError{line: 1, column: 1, reason: strings.TrimPrefix(err.Error(), "toml: ")}
}

// walker walks through a file's expressions.
type walker struct {
	parser unstable.Parser
	doc    *document
	base   int    // offset of the parser's data in the file
	table  string // the current table
}

func (w *walker) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		name, _, end := w.key(n.Key())
		w.table = name
		if n.Kind == unstable.ArrayTable {
			w.table += listMark
		}
		closing := bytes.IndexByte(w.doc.data[end:], ']')
		end += closing + 1
		if n.Kind == unstable.ArrayTable {
			end++
		}
		w.doc.headers = append(w.doc.headers, header{name: name, array: n.Kind == unstable.ArrayTable, end: end})
	case unstable.KeyValue:
		w.keyValue(n, w.table)
	case unstable.Comment:
		w.comment(n)
	}
}

// key joins a dotted key and returns its offsets.
func (w *walker) key(it unstable.Iterator) (name string, start, end int) {
	var parts []string
	start = -1
	for it.Next() {
		n := it.Node()
		parts = append(parts, string(n.Data))
		if start < 0 {
			start = w.base + int(n.Raw.Offset)
		}
		end = w.base + int(n.Raw.Offset+n.Raw.Length)
	}
	return strings.Join(parts, "."), start, end
}

func (w *walker) keyValue(n *unstable.Node, table string) {
	name, keyStart, keyEnd := w.key(n.Key())
	value := n.Value()
	start := w.valueStart(keyEnd)
	end := w.base + int(n.Raw.Offset+n.Raw.Length)
	e := entry{
		key: join(table, name), table: w.table, start: start, end: start + len(bytes.TrimRight(w.doc.data[start:end], " \t\r\n")),
		line: 1 + bytes.Count(w.doc.data[:keyStart], []byte{'\n'}), whole: true, text: string(value.Data),
	}
	switch value.Kind {
	case unstable.InlineTable:
		e.start = start + 1
		w.doc.inline = append(w.doc.inline, e)
		for it := value.Children(); it.Next(); {
			if child := it.Node(); child.Kind == unstable.KeyValue {
				w.keyValue(child, e.key)
			}
		}
		return
	case unstable.Array:
		e.whole, e.text = false, string(w.doc.data[e.start:e.end])
	}
	w.doc.entries = append(w.doc.entries, e)
}

// valueStart skips the equals sign between a key and its value.
func (w *walker) valueStart(at int) int {
	data := w.doc.data
	for at < len(data) && (data[at] == ' ' || data[at] == '\t' || data[at] == '=') {
		at++
	}
	return at
}

// comment keeps a comment that is a commented-out key.
func (w *walker) comment(n *unstable.Node) {
	start := w.base + int(n.Raw.Offset)
	text := w.doc.data[start : start+int(n.Raw.Length)]
	body := bytes.TrimLeft(text, "# \t")
	shift := start + len(text) - len(body)
	var p unstable.Parser
	p.Reset(bytes.TrimRight(body, "\r\n"))
	if !p.NextExpression() || p.Expression().Kind != unstable.KeyValue {
		return
	}
	inner := walker{doc: &document{data: body}}
	inner.keyValue(p.Expression(), "")
	if len(inner.doc.entries) != 1 || p.NextExpression() || p.Error() != nil {
		return
	}
	e := inner.doc.entries[0]
	w.doc.comments = append(w.doc.comments, commented{table: w.table, key: e.key, start: start, from: shift + e.start, end: shift + e.end})
}

func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}
