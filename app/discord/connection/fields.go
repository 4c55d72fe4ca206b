package connection

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// fields are the fields of a JSON object, each decoded on demand. A field that is missing
// or of an unexpected type has its zero value and affects no other. Discord adds fields and
// types without notice, and other servers with its protocol send strings for numbers.
type fields map[string]json.RawMessage

// readFields decodes an object; anything else has no fields.
func readFields(data []byte) fields {
	var f fields
	if json.Unmarshal(data, &f) != nil {
		return nil
	}
	return f
}

// has reports whether a field has a value other than null.
func (f fields) has(name string) bool {
	return len(f[name]) > 0 && !bytes.Equal(f[name], []byte("null"))
}

// isText reports whether a field holds a string.
func (f fields) isText(name string) bool {
	var s string
	return f.has(name) && json.Unmarshal(f[name], &s) == nil
}

// text returns a string.
func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s) // "" if it isn't a string
	return s
}

// id returns an ID: digits, as a string or a number.
func (f fields) id(name string) string { return readID(f[name]) }

func readID(raw json.RawMessage) string {
	id := strings.TrimSpace(strings.Trim(string(raw), `"`))
	if !IsID(id) {
		return ""
	}
	return id
}

// ids returns the IDs in a list.
func (f fields) ids(name string) []string {
	var list []string
	for _, raw := range f.list(name) {
		if id := readID(raw); id != "" {
			list = append(list, id)
		}
	}
	return list
}

// number returns a number, or the number in a string; ok is false for anything else.
func (f fields) number(name string) (n float64, ok bool) {
	text := strings.TrimSpace(strings.Trim(string(f[name]), `"`))
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// whole returns a number without its fraction, or 0. Numbers outside the range of a 32-bit
// int are limited to it.
func (f fields) whole(name string) int {
	n, ok := f.number(name)
	if !ok {
		return 0
	}
	return int(max(math.MinInt32, min(n, math.MaxInt32)))
}

// isTrue reports whether a field is true, "true" or 1.
func (f fields) isTrue(name string) bool {
	switch strings.ToLower(strings.Trim(string(f[name]), `"`)) {
	case "true", "1":
		return true
	}
	return false
}

// object returns an object.
func (f fields) object(name string) fields { return readFields(f[name]) }

// list returns the elements of a list, of any type.
func (f fields) list(name string) []json.RawMessage { return readList(f[name]) }

func readList(data []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// objects returns the objects in a list and leaves out everything else.
func (f fields) objects(name string) []fields { return objectsIn(f.list(name)) }

func objectsIn(list []json.RawMessage) []fields {
	var out []fields
	for _, raw := range list {
		if o := readFields(raw); o != nil {
			out = append(out, o)
		}
	}
	return out
}

// time returns a time in Discord's format, or zero.
func (f fields) time(name string) time.Time {
	t, err := time.Parse(time.RFC3339, f.text(name))
	if err != nil {
		return time.Time{}
	}
	return t
}

// discordEpoch is the start of the times in IDs: 2015, in milliseconds since 1970.
const discordEpoch = 1420070400000

// timeOf returns when an ID was assigned; zero if it holds no time.
func timeOf(id string) time.Time {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil || n>>22 == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + discordEpoch) //nolint:gosec // 42 bits
}

// valid returns text with invalid UTF-8 replaced.
func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }
