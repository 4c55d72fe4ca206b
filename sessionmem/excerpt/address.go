package excerpt

import (
	"regexp"
	"strings"
	"sync"
)

// Address returns an address for display: without its query and its fragment, which may
// hold a key, and with … for the name and the password before its host. The address may
// lack its scheme, and needn't be valid.
func Address(address string) string {
	scheme := schemes().FindString(address)
	rest := address[len(scheme):]
	// The credentials end at the last @ of the host's part, or of all if they hold a slash:
	// then what is before it is no host with a port. Without a whole scheme nothing tells
	// where the host begins.
	end := strings.IndexAny(rest, "/?#")
	if end < 0 || !strings.Contains(scheme, "://") {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 && strings.Contains(rest[:end], ":") && !hostAndPort().MatchString(rest[:end]) {
		at = strings.LastIndexByte(rest, '@')
	}
	if at >= 0 {
		rest = "…@" + rest[at+1:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i] + "?…"
	}
	return scheme + rest
}

// Addresses returns a text whose addresses with a scheme are those of Address, and whose
// Authorization headers are without their value.
func Addresses(text string) string {
	if strings.Contains(text, "://") {
		text = addresses().ReplaceAllStringFunc(text, func(address string) string {
			whole := strings.TrimRight(address, ".,:;!)]}")
			return Address(whole) + address[len(whole):]
		})
	}
	return authorization().ReplaceAllString(text, "$1 …")
}

var (
	addresses = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)\\b[a-z][a-z0-9+.-]*://([^\\s/@]*@)?[^\\s\"'`<>|]+")
	})
	authorization = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(bearer|authorization: *basic)\s+[\w.~+/=-]{6,}`)
	})
	// schemes matches the scheme, mistyped ones too ("http:/", "//"), and a second one behind it.
	schemes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*:)?/+([a-z][a-z0-9+.-]*:/+)*|^`)
	})
	hostAndPort = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\[.*\]|[^:]*)(:\d*)?$`) })
)
