package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing is read in advance on battery, on a hot machine, at a server elsewhere unless the
// setting says so, or if it is off.
func TestWhenNothingIsReadInAdvance(t *testing.T) {
	supply := func(status string) map[string]string {
		return map[string]string{
			"class/power_supply/BAT0/type": "Battery", "class/power_supply/BAT0/status": status,
			"class/power_supply/BAT0/energy_now": "25000000", "class/power_supply/BAT0/energy_full": "50000000",
		}
	}
	heat := func(milli string) map[string]string {
		return map[string]string{"class/hwmon/hwmon0/name": "coretemp", "class/hwmon/hwmon0/temp1_label": "Package id 0", "class/hwmon/hwmon0/temp1_input": milli}
	}
	for name, c := range map[string]struct {
		sys     map[string]string // files of /sys
		host    string
		prepare string
		want    string // what the reason says; "" if it may
	}{
		"a desktop":                      {nil, "127.0.0.1:11434", "auto", ""},
		"a charging laptop":              {supply("Charging"), "127.0.0.1:11434", "auto", ""},
		"on battery":                     {supply("Discharging"), "127.0.0.1:11434", "auto", "runs on battery"},
		"on battery, whatever is set":    {supply("Discharging"), "127.0.0.1:11434", "on", "runs on battery"},
		"warm":                           {heat("61000"), "127.0.0.1:11434", "auto", ""},
		"hot":                            {heat("86000"), "127.0.0.1:11434", "auto", "hot: 86 °C"},
		"hot, whatever is set":           {heat("86000"), "127.0.0.1:11434", "on", "hot: 86 °C"},
		"a server elsewhere":             {nil, "box.lan:11434", "auto", "on another machine"},
		"a server elsewhere, as set":     {nil, "box.lan:11434", "on", ""},
		"a server elsewhere, on battery": {supply("Discharging"), "box.lan:11434", "on", "runs on battery"},
		"off":                            {nil, "127.0.0.1:11434", "off", "ollama.prepare is off"},
	} {
		t.Run(name, func(t *testing.T) {
			sys := t.TempDir()
			for file, text := range c.sys {
				path := filepath.Join(sys, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("HOST_SYS", sys)
			b := open(t, Options{Environ: environ(t.TempDir(), "OLLAMA_HOST="+c.host, "MAC_STATS_OLLAMA_PREPARE="+c.prepare)})
			got := b.NotAhead(t.Context())
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
