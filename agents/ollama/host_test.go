package ollama

import (
	"net/http"
	"strings"
	"testing"
)

func TestParseHostReadsAddressesAsOllamaDoes(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", "http://127.0.0.1:11434"},
		{"spaces only", "  ", "http://127.0.0.1:11434"},
		{"address", "1.2.3.4", "http://1.2.3.4:11434"},
		{"address and port", "1.2.3.4:1234", "http://1.2.3.4:1234"},
		{"port only", ":1234", "http://127.0.0.1:1234"},
		{"host name", "example.com", "http://example.com:11434"},
		{"host name and port", "example.com:1234", "http://example.com:1234"},
		{"localhost", "localhost", "http://localhost:11434"},
		{"port zero", "1.2.3.4:0", "http://1.2.3.4:0"},
		{"port too large", "1.2.3.4:66000", "http://1.2.3.4:11434"},
		{"negative port", "1.2.3.4:-1", "http://1.2.3.4:11434"},
		{"port is no number", "1.2.3.4:abc", "http://1.2.3.4:11434"},
		{"colon without a port", "example.com:", "http://example.com:11434"},
		{"a bare number is a host", "8080", "http://8080:11434"},
		{"IPv6", "::1", "http://[::1]:11434"},
		{"IPv6 in brackets", "[::1]", "http://[::1]:11434"},
		{"IPv6 and port", "[::1]:1337", "http://[::1]:1337"},
		{"IPv6 with a scheme", "http://[fe80::2]", "http://[fe80::2]:80"},
		{"IPv6 with a zone", "[fe80::2%eth0]:1337", "http://[fe80::2%25eth0]:1337"},
		{"http", "http://1.2.3.4", "http://1.2.3.4:80"},
		{"http and port", "http://1.2.3.4:4321", "http://1.2.3.4:4321"},
		{"https", "https://1.2.3.4", "https://1.2.3.4:443"},
		{"https and port", "https://1.2.3.4:4321", "https://1.2.3.4:4321"},
		{"https, bad port", "https://1.2.3.4:x", "https://1.2.3.4:443"},
		{"path", "https://example.com/ollama", "https://example.com:443/ollama"},
		{"path and port", "example.com:56789/a/b", "http://example.com:56789/a/b"},
		{"slash at the end", "example.com/", "http://example.com:11434"},
		{"double quotes", `"1.2.3.4"`, "http://1.2.3.4:11434"},
		{"single quotes and spaces", "' 1.2.3.4 '", "http://1.2.3.4:11434"},
		{"spaces around quotes", ` "1.2.3.4:99" `, "http://1.2.3.4:99"},
		{"all interfaces", "0.0.0.0", "http://127.0.0.1:11434"},
		{"all interfaces and port", "0.0.0.0:8080", "http://127.0.0.1:8080"},
		{"all interfaces, IPv6", "[::]:8080", "http://[::1]:8080"},
		{"all interfaces, IPv6, no port", "::", "http://[::1]:11434"},
		{"credentials", "http://ann:secret@host", "http://ann:secret@host:80"},
		{"credentials without a scheme", "ann:secret@host:8080/x", "http://ann:secret@host:8080/x"},
		{"a name alone", "ann@host", "http://ann@host:11434"},
		{"an escaped password", "http://ann:p%40s%2Fs@host", "http://ann:p%40s%2Fs@host:80"},
		{"an @ in the password", "http://ann:p@ss@[::1]:80", "http://ann:p%40ss@[::1]:80"},
		{"a % in the password", "https://ann:100%@host", "https://ann:100%25@host:443"},
		{"ollama's own", "ollama.com", "https://ollama.com:443"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := ParseHost(tt.in)
			if err != nil || u.String() != tt.want {
				t.Errorf("ParseHost(%q) = %v, %v; want %s", tt.in, u, err, tt.want)
			}
		})
	}
}

func TestParseHost_givenBadAddress_showsTheForm(t *testing.T) {
	for _, in := range []string{"ftp://host", "unix:///run/ollama.sock", "two words", "ann:secret@two words", "http://ann:sec/ret@host", "http://ann:sec?ret@host", "ftp://ann:secret@host", "https://host/@ann", "ann:12/34@host", "%zz", "]", "a:b:c", "\xcc", "a\x00b", "host?x=1", "a\nb"} {
		u, err := ParseHost(in)
		if err == nil || !strings.Contains(err.Error(), "127.0.0.1:11434") {
			t.Errorf("ParseHost(%q) = %v, %v; want an error that names the form", in, u, err)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ret@") {
			t.Errorf("ParseHost(%q) shows the password: %v", in, err)
		}
	}
}

func TestLoopbackIsNotReachedThroughAProxy(t *testing.T) {
	for host, proxy := range map[string]bool{
		"": false, "127.0.0.1": false, "127.8.8.8": false, "[::1]": false, "localhost": false, "0.0.0.0": false,
		"gpu.lan": true, "192.168.1.9": true,
	} {
		base, err := ParseHost(host)
		if err != nil {
			t.Fatal(err)
		}
		transport, ok := newHTTPClient(base).Transport.(*http.Transport)
		if !ok || (transport.Proxy != nil) != proxy {
			t.Errorf("%q: want a proxy: %v", host, proxy)
		}
	}
}

// FuzzParseHost checks that every accepted address is parsed as itself again.
func FuzzParseHost(f *testing.F) {
	for _, seed := range []string{"", ":1", "[::1]:2", "https://h/p", "'0.0.0.0'", "http://", "a:b:c", "[", "%zz", "]", "a:b:c", "\xcc", "a\x00b", "http://[::"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseHost(s)
		if err != nil || strings.Contains(u.String(), "%") { // escaped text isn't parsed as itself
			return
		}
		again, err := ParseHost(u.String())
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Errorf("%q reads as %q, that as %v (%v)", s, u, again, err)
		}
	})
}
