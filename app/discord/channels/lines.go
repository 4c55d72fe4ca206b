package channels

import (
	"bytes"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// linesOf returns the line numbers of all keys and sections.
func linesOf(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		n := p.Expression()
		name, at := keyOf(n.Key())
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = name
		case unstable.KeyValue:
			if table != "" {
				name = table + "." + name
			}
		default:
			continue
		}
		line := 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
		for key := name; key != ""; key = parentOf(key) {
			if _, known := lines[key]; !known {
				lines[key] = line
			}
		}
	}
	return lines
}

func parentOf(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i]
	}
	return ""
}

func keyOf(it unstable.Iterator) (name string, at int) {
	var parts []string
	for it.Next() {
		n := it.Node()
		if len(parts) == 0 {
			at = int(n.Raw.Offset)
		}
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), at
}
