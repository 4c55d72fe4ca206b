package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxBytes limits the size of one conversation, in bytes of JSON.
const maxBytes = 256 << 20

// errTooLarge means that a conversation is skipped for its size.
var errTooLarge = fmt.Errorf("it is larger than %d MB", maxBytes>>20)

// eachValue calls f for each value of a stream of JSON: the elements of the lists at its top, and
// the other values there. It looks at each byte once. Blanks between the parts of a value are
// dropped, and a value that is too large is passed over: f gets errTooLarge. data is valid until
// f returns. ctx ends it between two reads.
func eachValue(ctx context.Context, in io.Reader, f func(data []byte, err error) error) error {
	var (
		value    bytes.Buffer
		chunk    = make([]byte, 64<<10)
		list     bool // within a list at the top
		depth    int  // of the value
		within   bool // a value has begun
		quoted   bool // within a string
		escaped  bool
		tooLarge bool
	)
	keep := func(data []byte) {
		if tooLarge = tooLarge || value.Len()+len(data) > maxBytes; tooLarge {
			value = bytes.Buffer{}
			return
		}
		value.Write(data)
	}
	done := func() error {
		err := error(nil)
		if tooLarge {
			err = errTooLarge
		}
		ferr := f(value.Bytes(), err)
		if value.Reset(); value.Cap() > 8<<20 {
			value = bytes.Buffer{}
		}
		within, tooLarge = false, false
		return ferr
	}
	garbage := errors.New("it isn't JSON")
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, rerr := in.Read(chunk)
		data := chunk[:n]
		for i := 0; i < len(data); {
			c := data[i]
			switch {
			case quoted:
				end := i
				for end < len(data) && quoted {
					switch {
					case escaped:
						escaped = false
					case data[end] == '\\':
						escaped = true
					case data[end] == '"':
						quoted = false
					}
					end++
				}
				keep(data[i:end])
				i = end
				if !quoted && depth == 0 {
					if err := done(); err != nil {
						return err
					}
				}
				continue
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				if within && depth == 0 { // a number or a word ends
					if err := done(); err != nil {
						return err
					}
				}
			case !within && !list && c == '[':
				list = true
			case !within && list && c == ']':
				list = false
			case !within && c == ',':
			case !within && strings.IndexByte("{[\"-0123456789tfn", c) < 0:
				return fmt.Errorf("%w: %w", ErrFormat, garbage)
			case within && depth == 0 && (c == ',' || c == ']'): // a number or a word ends
				if err := done(); err != nil {
					return err
				}
				continue
			default:
				within = true
				keep(data[i : i+1])
				switch c {
				case '"':
					quoted = true
				case '{', '[':
					depth++
				case '}', ']':
					depth--
				}
				if depth == 0 && (c == '}' || c == ']') {
					if err := done(); err != nil {
						return err
					}
				}
			}
			i++
		}
		switch {
		case errors.Is(rerr, io.EOF) && within && depth == 0 && !quoted:
			return done()
		case errors.Is(rerr, io.EOF) && (within || list):
			return io.ErrUnexpectedEOF
		case errors.Is(rerr, io.EOF):
			return nil
		case rerr != nil:
			return rerr
		}
	}
}

// object is an object of JSON, or a row of a table. A missing value, and one of another type than
// is asked for, is the zero value.
type object map[string]any

func objectOf(v any) object {
	switch v := v.(type) {
	case map[string]any:
		return v
	case object:
		return v
	}
	return nil
}

func (o object) object(key string) object { return objectOf(o[key]) }

func (o object) list(key string) []any {
	l, _ := o[key].([]any)
	return l
}

// parts returns the parts of a message's content, of which some programs write one as its text alone.
func (o object) parts(key string) []object {
	list := o.list(key)
	if text := textOf(o[key]); text != "" {
		list = []any{text}
	}
	var out []object
	for _, v := range list {
		if text := textOf(v); text != "" {
			out = append(out, object{"type": "text", "text": text})
		} else if p := objectOf(v); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// text returns the first of the keys that has text; numbers count as text.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		if s := textOf(o[k]); s != "" {
			return s
		}
	}
	return ""
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

func (o object) is(key string) bool {
	switch v := o[key].(type) {
	case bool:
		return v
	case int64:
		return v != 0
	}
	return false
}

// number returns a number; false if there is none.
func (o object) number(key string) (float64, bool) {
	switch v := o[key].(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// has reports whether the value at a path is there. A list stands for its first element, and "*"
// for any value of an object.
func has(v any, keys ...string) bool {
	if len(keys) == 0 {
		return v != nil
	}
	if l, ok := v.([]any); ok {
		return len(l) > 0 && has(l[0], keys...)
	}
	o := objectOf(v)
	if keys[0] != "*" {
		return has(o[keys[0]], keys[1:]...)
	}
	for _, v := range o {
		if has(v, keys[1:]...) {
			return true
		}
	}
	return false
}

// timeForms are the layouts of times in text; one without a zone is in UTC.
var timeForms = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700 MST",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02",
}

// time returns the first of the keys that has a time: text, or seconds, milliseconds, microseconds
// or nanoseconds since 1970.
func (o object) time(keys ...string) time.Time {
	for _, k := range keys {
		if t := timeOf(o[k]); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

func timeOf(v any) time.Time {
	switch v := v.(type) {
	case time.Time:
		return plausible(v)
	case int64:
		return sinceEpoch(float64(v))
	case float64:
		return sinceEpoch(v)
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return sinceEpoch(n)
		}
		v, _, _ = strings.Cut(v, " m=") // as Go prints a time with its clock
		for _, form := range timeForms {
			if t, err := time.Parse(form, v); err == nil {
				return plausible(t)
			}
		}
	}
	return time.Time{}
}

func sinceEpoch(n float64) time.Time {
	if math.IsNaN(n) || n <= 0 || n > 9e18 {
		return time.Time{}
	}
	for n > 1e11 {
		n /= 1000
	}
	return plausible(time.UnixMilli(int64(n * 1000)))
}

// plausible returns a time in which somebody may have talked to a machine.
func plausible(t time.Time) time.Time {
	if t.Year() < 1970 || t.Year() > 9998 {
		return time.Time{}
	}
	return t
}

// readable returns a value as a person reads it: text as it is, anything else as JSON with
// indents.
func readable(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimRight(out.String(), "\n")
}
