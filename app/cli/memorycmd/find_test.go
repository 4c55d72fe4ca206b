package memorycmd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

// best returns the text of the best hit.
func best(t *testing.T, e *clitest.Env, query string) string {
	t.Helper()
	hits := hitsOf(t, e.Must(t, "memory", "search", "--json", "--limit", "3", "--", query))
	if len(hits) == 0 {
		return ""
	}
	text, _ := hits[0]["text"].(string)
	return text
}

// Text that people paste comes first, whatever else there is.
func TestSearchFindsPastedText(t *testing.T) {
	t.Parallel()
	said := map[string][]string{
		"error[E0502]: cannot borrow `x` as mutable":            {"E0502", "error[E0502]", "e0502", "what was E0502 about?"},
		"The router is at 192.168.178.23 now":                   {"192.168.178.23"},
		"It listens on fe80::1ff:fe23:4567:890a":                {"fe80::1ff:fe23:4567:890a"},
		"The card is 00:1A:2B:3C:4D:5E":                         {"00:1A:2B:3C:4D:5E", "00:1a:2b:3c:4d:5e"},
		"Job 550e8400-e29b-41d4-a716-446655440000 failed":       {"550e8400-e29b-41d4-a716-446655440000", "550e8400"},
		"getUserByEmailAddress returns nil":                     {"getUserByEmailAddress", "getuserbyemailaddress", "user by email address"},
		"HTTPServerConfig lacks a field":                        {"HTTPServerConfig"},
		"see app.config.production.yaml for it":                 {"app.config.production.yaml", "production.yaml"},
		"It is in /var/lib/postgresql/16/main/pg_hba.conf":      {"/var/lib/postgresql/16/main/pg_hba.conf", "pg_hba.conf"},
		`Open C:\Users\anna\notes\todo.txt`:                     {`C:\Users\anna\notes\todo.txt`, "todo.txt"},
		"ERR_SSL_PROTOCOL_ERROR in the browser":                 {"ERR_SSL_PROTOCOL_ERROR", "err_ssl_protocol_error"},
		"Windows says 0x80070005":                               {"0x80070005", "0X80070005"},
		"Commit 9f8b7c6d broke it":                              {"9f8b7c6d"},
		"We run v2.14.3-rc1 there":                              {"v2.14.3-rc1", "2.14.3", "v2.14.3"},
		"ABC-1234 and CVE-2024-3094 are open":                   {"ABC-1234", "CVE-2024-3094", "cve-2024-3094"},
		"Ask anna.schmidt@example.org":                          {"anna.schmidt@example.org"},
		"https://docs.example.org/guide/setup.html?lang=de#top": {"https://docs.example.org/guide/setup.html", "docs.example.org"},
		"use std::vec::Vec::with_capacity":                      {"std::vec::Vec::with_capacity", "with_capacity"},
		"kubectl apply --dry-run=client":                        {"--dry-run=client", "dry-run"},
		"C++ and C# and .NET are ours":                          {"C++", "C#", ".NET"},
		"The party 🎉 was good":                                  {"🎉"},
		"main.go:42 panics":                                     {"main.go:42", "main.go"},
	}
	e := clitest.New(t, clitest.Answering(""))
	start, n := time.Now().Add(-48*time.Hour), 0
	for text := range said {
		n++
		e.Transcript(t, fmt.Sprintf("cpu-s%d", n), start.Add(time.Duration(n)*time.Minute), text, "Noted.")
	}
	for i := range 40 { // other conversations with the same words and numbers
		e.Transcript(t, fmt.Sprintf("cpu-f%d", i), start.Add(time.Duration(-i)*time.Hour),
			fmt.Sprintf("The user sees an error in file %d of the server config, version %d.%d.9 at port 2%d", i, i, 14, i), "Look into the log of the host, the card and the party.")
	}
	e.Must(t, "memory", "reindex")
	for text, queries := range said {
		for _, query := range queries {
			if got := best(t, e, query); got != text {
				t.Errorf("%q finds %q first, want %q", query, got, text)
			}
		}
	}
}

// This smoke test covers five languages that English models and tools handle worst: the
// exact word, and the word in another form.
func TestSearchFindsWordsInFiveLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		language, text string
		queries        []string
	}{
		{"Arabic", "المروحة تصدر صوتا عاليا عندما يعمل المعالج", []string{"المروحة", "مروحة", "معالج"}},
		{"Arabic", "اشتريت كتابا جديدا من المكتبة القديمة", []string{"كتاب", "مكتبة", "الكتاب الجديد"}},
		{"Chinese", "我昨天在图书馆借了三本历史书", []string{"图书馆", "历史书", "在图书馆借书"}},
		{"Chinese", "电脑的风扇声音太大了", []string{"风扇", "风扇为什么声音大"}},
		{"German", "Die Häuser am Wald wurden verkauft", []string{"Häuser", "Haus", "Haeuser", "Wälder"}},
		{"German", "Straßenbahnen fahren hier nachts nicht", []string{"Straßenbahn", "strassenbahnen"}},
		{"Japanese", "昨日は新しいレストランで寿司を食べました", []string{"寿司", "食べる", "レストラン"}},
		{"Japanese", "パソコンのファンがうるさいです", []string{"ファン", "ﾌｧﾝ", "パソコン"}},
		{"Russian", "Вчера я купила новую книгу о космосе", []string{"книгу", "книги", "космос", "НОВАЯ КНИГА"}},
		{"Russian", "Вентилятор шумит, когда процессор нагружен", []string{"вентиляторы", "процессора"}},
	}
	e := clitest.New(t, clitest.Answering(""))
	start := time.Now().Add(-48 * time.Hour)
	for i, tt := range tests {
		e.Transcript(t, fmt.Sprintf("cpu-s%d", i), start.Add(time.Duration(i)*time.Minute), tt.text, "OK")
	}
	e.Must(t, "memory", "reindex")
	for _, tt := range tests {
		for _, query := range tt.queries {
			if got := best(t, e, query); got != tt.text {
				t.Errorf("%s: %q finds %q first, want %q", tt.language, query, got, tt.text)
			}
		}
	}
}

// Every query gets an answer, whatever it consists of.
func TestSearchWithOddQueries(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering(""))
	e.Transcript(t, "cpu-a", time.Now().Add(-time.Hour), "the and of to is", "Fine.")
	e.Must(t, "memory", "reindex")
	for _, tt := range []struct {
		query string
		found bool
	}{
		{"the of and", true},
		{`" OR *`, false},
		{"NEAR(a b)", false},
		{"'; DROP TABLE source; --", false},
		{"(", false},
		{"*", false},
		{"--", false},
		{"\x00\x1b[31m", false},
		{"🦊", false},
		{strings.Repeat("fine ", 20_000), true},
		{strings.Repeat("x", 100_000), false},
	} {
		o := e.Run(t, "memory", "search", "--", tt.query)
		if o.Code != clitest.Done || !strings.Contains(o.Stdout, "Index: fresh.") || strings.Contains(o.Stdout, "Nothing found") == tt.found {
			t.Errorf("%.20q: %+v", tt.query, o)
		}
	}
}

// A query with only a time returns the messages of that time.
func TestSearchByTimeAlone(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering(""))
	now := time.Now()
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.Local)
	said := func(days int) string { return fmt.Sprintf("Lamp %d is broken.", days) }
	for _, days := range []int{0, 1, 11, 40} {
		e.Transcript(t, fmt.Sprintf("cpu-d%d", days), noon.AddDate(0, 0, -days), said(days), "Noted.")
	}
	e.Transcript(t, "cpu-n", noon.Add(-time.Minute), "I counted 11 lamps.", "Noted.")
	e.Must(t, "memory", "reindex")
	for query, days := range map[string]int{
		"yesterday": 1, "gestern": 1, "what did we talk about yesterday": 1, "today": 0, "11 days ago": 11,
		noon.AddDate(0, 0, -11).Format(time.DateOnly): 11, "broken lamp on " + noon.AddDate(0, 0, -40).Format(time.DateOnly): 40,
	} {
		if got := best(t, e, query); got != said(days) {
			t.Errorf("%q finds %q first, want %q", query, got, said(days))
		}
	}
}

// Every state of the index appears in answers for people and for programs.
func TestEverySearchReportsTheIndexState(t *testing.T) {
	t.Parallel()
	embed := testkit.Model{Name: "nomic-embed-text:latest", ParameterSize: "137M", Family: "nomic-bert", Capabilities: []string{"embedding"}, ContextLength: 512}
	script := clitest.Answering("")
	script.Models = append(script.Models, embed)
	e := clitest.New(t, script)
	says := func(when, want string, args ...string) {
		t.Helper()
		args = append([]string{"memory", "search"}, append(args, "automobile")...)
		if got := e.Must(t, args...); !strings.Contains(got, "Index: "+want+".") {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		if got := clitest.Objects(t, e.Must(t, append(args, "--json")...))[0]["state"]; got != want {
			t.Errorf("%s: state %q, want %q", when, got, want)
		}
	}
	e.Transcript(t, "cpu-new", time.Now().Add(-time.Hour), "The automobile is red.", "Fine.")
	says("before the first indexing", "behind by 2 files")
	e.Server.SetEmbedFault(&testkit.Fault{Kind: testkit.FaultStatus, Status: http.StatusInternalServerError})
	if r := e.Run(t, "memory", "reindex"); r.Code != 0 || !strings.Contains(r.Stderr, "The vectors could not all be made: ") || !strings.Contains(r.Stderr, "Searches go by words; the next reindex goes on with them.") {
		t.Errorf("reindex without the server: %+v", r)
	}
	e.Server.SetEmbedFault(nil)
	says("without vectors yet", "fresh, vectors building")
	e.Must(t, "memory", "reindex", "--changed")
	says("with all", "fresh")
	if got := best(t, e, "vehicle"); got != "The automobile is red." {
		t.Errorf("by meaning: %q", got)
	}
	e.Transcript(t, "cpu-old", time.Now().AddDate(0, -6, 0), "The automobile was blue.", "Fine.")
	says("when a file came", "behind by 1 file")
	e.Must(t, "memory", "reindex", "--changed")
	says("with what is cold", "fresh, 2 cold chunks excluded")
	if got := e.Must(t, "memory", "search", "--strategy", "lexical", "xylophone"); !strings.Contains(got, "Nothing found. Index: fresh, 2 cold chunks excluded. --include-cold looks there too.") {
		t.Errorf("nothing found beside what is cold: %q", got)
	}
	says("with what is cold, when it is asked for", "fresh", "--include-cold")
	e.Server.SetEmbedFault(&testkit.Fault{Kind: testkit.FaultDown})
	says("while the server is down", "fresh, vectors partial, 2 cold chunks excluded")
	says("by words alone", "fresh, 2 cold chunks excluded", "--strategy", "lexical")
}
