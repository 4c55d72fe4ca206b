package recall

import (
	"fmt"
	"strings"
	"testing"
)

// identifiers are kinds of names that are copied letter by letter, each with others that look like it:
// with other digits, another order of the parts, or only a part of it.
func identifiers() [][]string {
	return [][]string{
		{"/etc/nginx/sites-enabled/blog.conf", "/etc/nginx/sites-available/blog.conf", "/etc/nginx/nginx.conf"},
		{`C:\Tools\bin\run.exe`, `C:\Tools\lib\run.exe`, `C:\Tools\bin\stop.exe`},
		{"~/.config/fish/config.fish", "~/.config/fish/functions.fish", "~/.config/foot/foot.ini"},
		{"main.go:42", "main.go:24", "main.go"},
		{"__init__.py", "__main__.py", "init.py"},
		{"backup-2026.tar.gz", "backup-2025.tar.gz", "backup.tar"},
		{"9f3c2ab", "9f3c2ad", "3c9f2ab"},
		{"7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730", "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97731"},
		{"3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3302", "3f2504e0-4f89-11d3-0305e82c3301-9a0c"},
		{"v2.0.0-rc.1", "v2.0.0-rc.2", "v2.0.0"},
		{"6.2.8", "6.2.9", "6.8.2"},
		{"PROJ-1234", "PROJ-1243", "PROJ 1234 5"},
		{"#4512", "#4521", "4521 and 45"},
		{"+43 660 1234567", "+43 660 1234576", "+43 661 1234576"},
		{"(01) 555-0142", "(01) 555-0124", "(02) 555 0143"},
		{"AT61 1904 3002 3457 3201", "AT61 3002 1904 3201 3457", "AT61 1904 3002 3457 3210"},
		{"GIBAATWWXXX", "GIBAATWGXXX", "GIBA ATWW"},
		{"ATU12345678", "ATU12345687", "ATU 1234"},
		{"1Z999AA10123456784", "1Z999AA10123456748"},
		{"0xDEADBEEF", "0xDEADBEE0", "0xBEEFDEAD"},
		{"192.168.10.21", "192.168.21.10", "192.168.10.2"},
		{"2001:db8::ff00:42:8329", "2001:db8::ff00:42:8328", "2001:db8::42:ff00:8329"},
		{"00:1B:44:11:3A:B7", "00:1B:44:11:3A:B8", "00:1B:44:3A:11:B7"},
		{"localhost:8080", "localhost:8081", "localhost"},
		{"anna.berg@post.example", "berg.anna@post.example", "anna.berg@post.test"},
		{"@mira_k", "@mira", "mira k2"},
		{"@types/node", "@types/react", "node types"},
		{"#harbour", "harbours", "harbour-master"},
		{"parseHeader()", "parseFooter()", "parse the header"},
		{"os.ReadFile", "os.ReadDir", "read the os file"},
		{"std::vector", "std::list", "vector"},
		{"com.example.app.MainActivity", "com.example.app.SideActivity", "com.example.main.AppActivity"},
		{"users.created_at", "orders.created_at", "users.updated_at"},
		{"server.tls.minVersion", "server.tls.maxVersion", "server.tls"},
		{"max-old-space-size", "max-new-space-size", "the old max space size"},
		{"$PATH", "the path, a path, one more path", "$PATHS"},
		{"HTTP_PROXY", "HTTPS_PROXY", "http proxy"},
		{"--no-verify", "--verify", "no verify"},
		{"-race", "race", "the race, one more race"},
		{"E0432", "E0433", "E432"},
		{"ENOENT", "EACCES", "no ent"},
		{"CVE-2024-3094", "CVE-2024-3049", "CVE-2023-3094"},
		{"HTTP 502", "HTTP 503", "http and http, 50 2"},
		{"978-3-16-148410-0", "978-3-16-148401-0", "978-3-16-141480-0"},
		{"10.1000/xyz123", "10.1000/xyz132", "10.1001/xyz123"},
		{"2103.00020", "2103.00021", "2103.0002"},
		{"48.2082,16.3738", "48.2083,16.3738", "16.3738,48.2082"},
		{"B-MW 4821", "B-MW 4812", "M-BW 4821"},
		{"OS 417", "OS 471", "the os, 41 7"},
		{"SW1A 1AA", "SW1A 2AA", "SW1 A1A"},
		{"WD40EFRX", "WD40EFZX", "WD 40"},
		{"WVWZZZ1JZXW000001", "WVWZZZ1JZXW000010"},
		{"USB-C", "USB-A", "usb and c"},
		{"Ctrl+Shift+P", "Ctrl+Alt+P", "shift the control"},
		{"x86_64", "x86", "aarch64"},
		{"B12", "B6", "b 12"},
		{"postgres:16.2-alpine", "postgres:16.1-alpine", "postgres:16.2"},
		{"web-6d4b75cb6d-hx2vf", "web-6d4b75cb6d-hx2vg", "web-6d4b75cb6e-hx2vf"},
		{"feature/login-form", "feature/logout-form", "login form feature"},
		{"golang.org/x/text", "golang.org/x/net", "text in golang"},
		{"https://docs.example.org/setup/linux?tab=2", "https://docs.example.org/setup/linux?tab=3", "https://docs.example.org/setup/mac"},
		{"status.example.net", "status.example.org", "the status of example"},
		{".btn-primary", ".btn-secondary", "primary btn"},
		{"#ff8800", "#ff0088", "ff88"},
		{"C++", "C", "C#"},
		{".NET", "net", "nets"},
		{"2026-118-4471", "2026-118-4417", "2026-118"},
	}
}

func TestTheVeryIdentifierComesFirst(t *testing.T) {
	b := newBench(t)
	for i, kind := range identifiers() {
		// What looks like it is newer and says it more often.
		b.talk(fmt.Sprintf("cpu-right%d", i), "I wrote down "+kind[0]+" yesterday, because the people of the harbour office asked for it twice.")
		for n, other := range kind[1:] {
			b.talk(fmt.Sprintf("cpu-other%d-%d", i, n), "Here: "+other+". Again "+other+".")
		}
	}
	b.sync()
	for _, kind := range identifiers() {
		for _, question := range []string{kind[0], "where did I write down " + kind[0] + "?", "What is " + kind[0]} {
			if got := b.first(question); !strings.Contains(got, " "+kind[0]+" ") {
				t.Errorf("%q: %q", question, got)
			}
		}
	}
}
