package config

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write assets/config.toml from the table of settings")

const shippedFile = "../../assets/config.toml"

// exampleFile returns the required content of the default file, made from the table of
// settings.
func exampleFile() string {
	var b strings.Builder
	b.WriteString(`# Settings of mac-stats.
#
# Every key is listed with its default and commented out: remove the # in front of
# it and change the value. The file is reloaded when you save it. If a value is bad,
# the default is used, and the window and ` + "`mac-stats doctor`" + ` name its line and
# what is allowed.
#
# Environment variables override this file: MAC_STATS_<SECTION>_<KEY>, for instance
# MAC_STATS_OLLAMA_MODEL=qwen3:8b. "Also" lists other names that a key is read from.
# Times are written like 30s, 30m, 12h or 30d.
`)
	section := ""
	for _, s := range Settings() {
		table, name, _ := strings.Cut(s.Key, ".")
		if table != section {
			section = table
			b.WriteString("\n[" + section + "]\n")
		}
		b.WriteString("\n")
		wrapComment(&b, s.Help)
		wrapComment(&b, "Allowed: "+s.Allowed+".")
		if len(s.Also) > 0 {
			wrapComment(&b, "Also: "+strings.Join(s.Also, ", ")+".")
		}
		b.WriteString("#" + name + " = " + s.literal(s.Default) + "\n")
	}
	return b.String()
}

func wrapComment(b *strings.Builder, text string) {
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 100 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

func TestDefaultFileFollowsTheTable(t *testing.T) {
	if *update {
		if err := os.WriteFile(shippedFile, []byte(exampleFile()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(shippedFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exampleFile(), string(got)); diff != "" {
		t.Errorf("assets/config.toml has drifted; run this test with -update:\n%s", diff)
	}
}

func TestDefaultFileParsesToDefault(t *testing.T) {
	shipped, err := os.ReadFile(shippedFile)
	if err != nil {
		t.Fatal(err)
	}
	switchedOn := regexp.MustCompile(`(?m)^#([a-z_]+ = )`).ReplaceAll(shipped, []byte("$1"))
	doc, err := parse(switchedOn)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.entries) != len(Settings()) {
		t.Errorf("the file has %d keys, the table %d", len(doc.entries), len(Settings()))
	}
	for name, data := range map[string][]byte{"as shipped": shipped, "with every key switched on": switchedOn} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			got, findings := Load(file, nil)
			if len(findings) > 0 {
				t.Errorf("findings: %v", findings)
			}
			if diff := cmp.Diff(Default(), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
