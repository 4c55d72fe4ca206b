package tools

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Address returns an address in canonical form: scheme and host in lower case, the host's
// name in ASCII, no default port, no fragment, which is never sent. The path and the query
// stay byte for byte. It returns text that isn't a web address unchanged.
func Address(address string) string {
	u, ok := parseAddress(address)
	if !ok {
		return escaped(address)
	}
	return u.String()
}

// escaped returns text with its non-ASCII characters escaped, as they are sent, so that
// invisible characters and those that reverse a line hide nothing from the person who is
// asked about an address.
func escaped(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b < utf8.RuneSelf {
			out.WriteByte(b)
			continue
		}
		fmt.Fprintf(&out, "%%%02X", b)
	}
	return out.String()
}

func parseAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, false
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, false
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		host = strings.ToLower(u.Hostname())
	}
	host = strings.TrimSuffix(host, ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	u.Host, u.RawQuery, u.Fragment, u.RawFragment = host, escaped(u.RawQuery), "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, true
}

var (
	webAddress = regexp.MustCompile("(?i)https?://[^\\s<>\"`\\\\^{}|\\[\\]]+")
	// bareAddress matches an address as people type it: example.org/page.
	bareAddress = regexp.MustCompile("(?i)(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}(?::\\d{1,5})?(?:/[^\\s<>\"`\\\\^{}|\\[\\]]*)?")
)

// typedAddresses returns the addresses in text that the user typed. An address without a
// scheme, or with http, also stands for its https form.
func typedAddresses(text string) []string {
	var list []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }) {
		if strings.ContainsAny(word, ".:") { // few words, since the expressions are slow
			list = append(list, addressesIn(word)...)
		}
	}
	return list
}

// addressesIn returns the addresses in text without spaces.
func addressesIn(text string) []string {
	var list []string
	rest := webAddress.ReplaceAllStringFunc(text, func(found string) string {
		for _, f := range spellings(found) {
			list = appendAddress(list, f)
			if _, after, ok := strings.Cut(f, "://"); ok {
				list = appendAddress(list, "https://"+after)
			}
		}
		return " "
	})
	for _, at := range bareAddress.FindAllStringIndex(rest, -1) {
		found := rest[at[0]:at[1]]
		if at[0] > 0 && rest[at[0]-1] == '@' || namesFile(found) {
			continue // a mail address; a file
		}
		for _, f := range spellings(found) {
			list = appendAddress(appendAddress(list, "https://"+f), "http://"+f)
		}
	}
	return list
}

// fileEndings are endings of file names that may also be those of hosts.
var fileEndings = []string{
	"app", "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "doc", "docx", "exe", "go", "gz", "h", "html", "ini", "java", "jpeg", "jpg", "js", "json",
	"log", "md", "mov", "odt", "pdf", "php", "pl", "png", "ps", "py", "rb", "rs", "sh", "so", "sql", "swift", "tar", "toml", "ts", "txt", "vb", "xml", "yaml", "yml", "zip",
}

// namesFile reports whether a bare word more likely names a file. A host with such a name
// is read if the user types its scheme or says yes.
func namesFile(word string) bool {
	word = strings.TrimRight(word, ".")
	return !strings.Contains(word, "/") && slices.Contains(fileEndings, strings.ToLower(word[strings.LastIndexByte(word, '.')+1:]))
}

// listedAddresses returns the addresses on a page that have no query, since a query can
// carry data.
func listedAddresses(text string) []string {
	var list []string
	for _, found := range webAddress.FindAllString(text, -1) {
		for _, f := range spellings(found) {
			if u, ok := parseAddress(f); ok && u.RawQuery == "" && !u.ForceQuery {
				list = append(list, u.String())
			}
		}
	}
	return list
}

func appendAddress(list []string, address string) []string {
	if u, ok := parseAddress(address); ok {
		list = append(list, u.String())
	}
	return list
}

// spellings returns an address as it was found, and without the characters after it that
// end a sentence or close a bracket.
func spellings(found string) []string {
	list := []string{found}
	for {
		shorter := strings.TrimRight(found, ".,;:!?'*_~…”’»")
		if shorter == found {
			shorter = strings.TrimSuffix(found, ")")
		}
		if shorter == found || shorter == "" {
			return list
		}
		found = shorter
		list = append(list, found)
	}
}
