package ollama

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

const (
	defaultAddress = "127.0.0.1"
	defaultPort    = "11434"
)

// ParseHost reads an address as Ollama reads OLLAMA_HOST. Scheme, host, port and path are
// all optional; spaces and quotes around it are ignored. The default port is 11434, or the
// scheme's own if a scheme is given; it also replaces an invalid port. An unspecified
// address (0.0.0.0, ::), which only a server can use, becomes loopback. The rules are those
// of envconfig/config.go in Ollama 0.34, but for a name and a password before the host,
// which Ollama refuses. The error never shows them.
func ParseHost(s string) (*url.URL, error) {
	trimmed := strings.TrimSpace(strings.Trim(strings.TrimSpace(s), `"'`))
	scheme, rest, port := splitScheme(trimmed)
	if scheme != "http" && scheme != "https" {
		return nil, hostError(s, "the scheme must be http or https")
	}
	user, rest, err := splitUser(rest)
	if err != nil {
		return nil, hostError(s, err.Error())
	}
	rest, path, _ := strings.Cut(rest, "/")
	host, port := splitPort(rest, port)
	if !isHostName(host) {
		return nil, hostError(s, "it holds a character that no host name has")
	}
	u := &url.URL{Scheme: scheme, User: user, Host: net.JoinHostPort(connectable(host), port), Path: path}
	if _, err := url.Parse(u.String()); err != nil {
		return nil, hostError(s, "it isn't the address of a server")
	}
	return u, nil
}

// splitUser splits off the name and the password. A character of them may be escaped (%40),
// and / ? # must be.
func splitUser(s string) (*url.Userinfo, string, error) {
	escape := errors.New("write the characters /, ?, # and % of a password as %2F, %3F, %23 and %25")
	authority, path, _ := strings.Cut(s, "/")
	at := strings.LastIndexByte(authority, '@')
	switch {
	case strings.Contains(path, "@"): // it would be a password's, and the name before it the host
		return nil, "", escape
	case at < 0:
		return nil, s, nil
	}
	name, password, has := strings.Cut(authority[:at], ":")
	for _, part := range []*string{&name, &password} {
		if strings.ContainsFunc(*part, unicode.IsControl) || strings.ContainsAny(*part, "?#") {
			return nil, "", escape
		}
		if plain, err := url.PathUnescape(*part); err == nil {
			*part = plain
		}
	}
	if !has {
		return url.User(name), s[at+1:], nil
	}
	return url.UserPassword(name, password), s[at+1:], nil
}

// isHostName is lenient, because the resolver decides in the end. But a host with a colon
// must be an IPv6 address, possibly with a zone (fe80::1%eth0).
func isHostName(host string) bool {
	if strings.Contains(host, ":") {
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	odd := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'<>\\^`{|}?#@%[]", r)
	}
	return !strings.ContainsFunc(host, odd)
}

func hostError(s, why string) error {
	return fmt.Errorf("bad Ollama address %q: %s; write it like 127.0.0.1:11434 or http://host:11434", excerpt.Address(s), why)
}

// splitScheme splits off the scheme and returns its default port.
func splitScheme(s string) (scheme, rest, port string) {
	scheme, rest, ok := strings.Cut(s, "://")
	switch {
	case !ok && s == "ollama.com":
		return "https", "ollama.com:443", defaultPort
	case !ok:
		return "http", s, defaultPort
	case scheme == "http":
		return scheme, rest, "80"
	case scheme == "https":
		return scheme, rest, "443"
	}
	return scheme, rest, defaultPort
}

// splitPort splits host and port. fallback replaces an invalid port.
func splitPort(s, fallback string) (host, port string) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = defaultAddress, fallback
		if ip := net.ParseIP(strings.Trim(s, "[]")); ip != nil {
			host = ip.String()
		} else if s != "" {
			host = s
		}
	}
	if n, err := strconv.ParseInt(port, 10, 32); err != nil || n < 0 || n > 65535 {
		port = fallback
	}
	return host, port
}

// connectable returns the address with which a client reaches a server bound to host. An
// empty host (":8080") binds all interfaces.
func connectable(host string) string {
	ip := net.ParseIP(host)
	switch {
	case host == "":
		return defaultAddress
	case ip == nil || !ip.IsUnspecified():
		return host
	case ip.To4() != nil:
		return defaultAddress
	}
	return "::1"
}
