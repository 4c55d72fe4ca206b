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

// Address is an address in its one form: scheme and host in lower case, the host's name
// as the network knows it, no port that goes without saying, no fragment (it is not
// sent). The path and the query stay byte for byte. What is no web address stays as it
// is.
func Address(address string) string {
	u, ok := parseAddress(address)
	if !ok {
		return escaped(address)
	}
	return u.String()
}

// escaped writes what isn't ASCII as it is sent: letters that nobody sees, or that turn a
// line, hide nothing from who is asked about an address.
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
	// bareAddress is how people type an address: example.org/page.
	bareAddress = regexp.MustCompile("(?i)(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}(?::\\d{1,5})?(?:/[^\\s<>\"`\\\\^{}|\\[\\]]*)?")
)

// typedAddresses are the addresses in what a user typed. One without a scheme, or with
// http, stands for https too.
func typedAddresses(text string) []string {
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

// fileEndings are what people's files end with, where a host may end so, too.
var fileEndings = []string{
	"app", "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "doc", "docx", "exe", "go", "gz", "h", "html", "ini", "java", "jpeg", "jpg", "js", "json",
	"log", "md", "mov", "odt", "pdf", "php", "pl", "png", "ps", "py", "rb", "rs", "sh", "so", "sql", "swift", "tar", "toml", "ts", "txt", "vb", "xml", "yaml", "yml", "zip",
}

// namesFile reports whether a bare word rather names a file: a host of that name is read
// where it is typed with its scheme, or the user says yes.
func namesFile(word string) bool {
	word = strings.TrimRight(word, ".")
	return !strings.Contains(word, "/") && slices.Contains(fileEndings, strings.ToLower(word[strings.LastIndexByte(word, '.')+1:]))
}

// listedAddresses are the addresses on a page that are no more than a path: a query is
// where data goes.
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

// spellings are an address as it was found and without the signs that end a sentence
// or close a bracket behind it.
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
