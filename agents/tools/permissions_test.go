package tools

import (
	"testing"

	"mac-stats/sessionmem/transcript"
)

func TestFetch(t *testing.T) {
	tests := []struct {
		name          string
		typed, listed string
		address       string
		want          Decision
		as            string // "" if unchanged
	}{
		{"typed", "read https://example.org/a?b=c", "", "https://example.org/a?b=c", Allowed, ""},
		{"typed with a stop behind it", "Is it https://example.org/a?", "", "https://example.org/a", Allowed, ""},
		{"typed in brackets", "(see https://example.org/a_(b))", "", "https://example.org/a_(b)", Allowed, ""},
		{"typed without a scheme", "what does example.org say?", "", "https://example.org", Allowed, "https://example.org/"},
		{"typed without a scheme, with a path", "open example.org/a.", "", "http://example.org/a", Allowed, ""},
		{"typed with http", "open http://example.org/a", "", "https://example.org/a", Allowed, ""},
		{"typed, its host in other letters", "open https://Example.ORG/a", "", "HTTPS://eXample.org/a", Allowed, "https://example.org/a"},
		{"typed, the usual port", "open https://example.org/a", "", "https://example.org:443/a", Allowed, "https://example.org/a"},
		{"typed, another port", "open https://example.org/a", "", "https://example.org:8443/a", Ask, ""},
		{"typed, a fragment added", "open https://example.org/a", "", "https://example.org/a#secret", Allowed, "https://example.org/a"},
		{"typed in letters of its language", "open https://bücher.example/a", "", "https://xn--bcher-kva.example/a", Allowed, ""},
		{"in look-alike letters", "open https://example.org/a", "", "https://еxample.org/a", Ask, "https://xn--xample-2of.org/a"},
		{"a stop behind the host", "open https://example.org/a", "", "https://example.org./a", Allowed, "https://example.org/a"},
		{"a sub-domain added", "open https://example.org/a", "", "https://secret.example.org/a", Ask, ""},
		{"a path added", "open https://example.org/a", "", "https://example.org/a/secret", Ask, ""},
		{"a query added", "open https://example.org/a", "", "https://example.org/a?secret", Ask, ""},
		{"a slash added", "open https://example.org/a", "", "https://example.org/a/", Ask, ""},
		{"coded letters", "open https://example.org/a", "", "https://example.org/%61", Ask, ""},
		{"a user's name before it", "open https://example.org/a", "", "https://secret@example.org/a", Ask, ""},
		{"a backslash", "open https://example.org", "", `https://example.org\@evil.example/`, Ask, ""},
		{"a query that turns the line", "open https://example.org/a", "", "https://example.org/a?\u202egpj.a", Ask, "https://example.org/a?%E2%80%AEgpj.a"},
		{"a query in letters of its language", "open https://example.org/a?q=süß", "", "https://example.org/a?q=s%C3%BC%C3%9F", Allowed, ""},
		{"a name that turns the line", "open https://example.org/a", "", "https://\u202eb@example.org/a", Ask, "https://%E2%80%AEb@example.org/a"},
		{"part of what was typed", "open https://example.org/secret/a", "", "https://example.org/", Ask, ""},
		{"listed", "", "see https://example.org/a.", "https://example.org/a", Allowed, ""},
		{"listed as a link", "", "[a](https://example.org/a) [b](https://example.org/b)", "https://example.org/b", Allowed, ""},
		{"listed in a table", "", "|https://example.org/a|x|", "https://example.org/a", Allowed, ""},
		{"listed with a query", "", "see https://example.org/a?b=c", "https://example.org/a?b=c", Ask, ""},
		{"listed with an empty query", "", "see https://example.org/a?x", "https://example.org/a?", Ask, ""},
		{"listed without a scheme", "", "see example.org/a", "https://example.org/a", Ask, ""},
		{"listed with http", "", "see http://example.org/a", "https://example.org/a", Ask, ""},
		{"listed with a name and password", "", "see https://a:b@example.org/a", "https://a:b@example.org/a", Ask, ""},
		{"no address", "", "", "secret", Ask, ""},
		{"a mail address", "mail me at bob@evil.com", "", "https://evil.com/", Ask, ""},
		{"a file's name", "look at notes.md and main.go.", "", "https://notes.md/", Ask, ""},
		{"a file's name, another", "look at notes.md and main.go.", "", "https://main.go/", Ask, ""},
		{"a host that ends like a file, with a path", "look at notes.md/a", "", "https://notes.md/a", Allowed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Permissions
			p.UserTyped(tt.typed)
			p.PageRead(tt.listed)
			if tt.as == "" {
				tt.as = tt.address
			}
			if got, as := p.Fetch(tt.address, p.Sources()); got != tt.want || as != tt.as {
				t.Errorf("%v %q, want %v %q", got, as, tt.want, tt.as)
			}
			if got, as := p.Fetch(tt.address, 0); got != Allowed || as != tt.address {
				t.Errorf("in a turn of typing alone: %v %q", got, as)
			}
		})
	}
}

func TestARefusedActionIsNotAskedAgain(t *testing.T) {
	var p Permissions
	p.Hold(transcript.FromFile)
	_, address := p.Fetch("https://Example.org/a#b", p.Sources())
	act := Action{Tool: FetchURL, What: address}
	p.Denied(act)
	if got, _ := p.Act(act, p.Sources(), nil); got != Refused {
		t.Errorf("%v", got)
	}
}

func TestRemember(t *testing.T) {
	var p Permissions
	for _, s := range []transcript.Sources{transcript.FromFile, transcript.FromPage, transcript.FromAgent, transcript.FromTool, transcript.FromDiscord, transcript.FromUnknown} {
		if p.Remember(s) != Ask {
			t.Errorf("beside %s", s)
		}
	}
	if p.Remember(0) != Allowed {
		t.Error("what was typed")
	}
}
