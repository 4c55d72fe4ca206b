package config

import (
	"strings"

	"mac-stats/sessionmem/excerpt"
)

// nearest returns the known name most like name, or "" if none is close: as a whole, or by its
// last part, in another section.
func nearest(name string, known []string) string {
	if near := excerpt.Nearest(name, known); near != "" {
		return near
	}
	var parts []string
	by := map[string]string{}
	for _, k := range known {
		last := lastPart(k)
		if parts = append(parts, last); by[last] == "" {
			by[last] = k
		}
	}
	return by[excerpt.Nearest(lastPart(name), parts)]
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
