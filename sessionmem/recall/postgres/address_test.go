package postgres

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// TestEveryHostButThisMachineIsChecked compares what the driver parsed for each host.
func TestEveryHostButThisMachineIsChecked(t *testing.T) {
	for _, c := range []struct{ address, env, want string }{
		{"postgres://ada@db.example.org/memory", "", "db.example.org checked"},
		{"postgres://ada@localhost/memory", "", "localhost prefer, localhost plain"},
		{"postgres:///memory?host=/run/postgresql", "", "/run/postgresql plain"},
		{"postgres://ada@localhost,db.example.org/memory", "", "localhost prefer, localhost plain, db.example.org checked"},
		{"postgres://ada@a.example.org,b.example.org/memory", "", "a.example.org checked, b.example.org checked"},
		{"postgres://ada@db.example.org/memory?application_name=sslmode", "", "db.example.org checked"},
		{"host=db.example.org dbname=sslmode", "", "db.example.org checked"},
		{"postgres://ada@db.example.org/memory?sslmode=prefer", "", "db.example.org checked"},
		{"postgres://ada@db.example.org/memory?sslmode=require", "", "db.example.org prefer"},
		{"postgres://ada@db.example.org/memory?sslmode=disable", "", "db.example.org plain"},
		{"postgres://ada@db.example.org/memory", "disable", "db.example.org plain"},
		{"postgres://ada:se#cret@db.example.org/memory", "", "db.example.org checked"}, // net/url can't parse it
		{"postgres://ada@db.example.org/memory?options=-c%20x%3D1", "", "db.example.org checked"},
	} {
		t.Setenv("PGSSLMODE", c.env)
		cfg, err := parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, try := range triesOf(cfg.ConnConfig) {
			how := "checked"
			switch {
			case try.TLSConfig == nil:
				how = "plain"
			case try.TLSConfig.InsecureSkipVerify:
				how = "prefer"
			}
			if got != "" {
				got += ", "
			}
			got += try.Host + " " + how
		}
		if got != c.want {
			t.Errorf("%s (%s): %s, want %s", c.address, c.env, got, c.want)
		}
	}
}

func TestRedactedRemovesThePassword(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ada:secret@db.example.org/memory":                          "postgres://ada@db.example.org/memory",
		"postgres://ada@db.example.org/memory?password=secret&sslmode=require": "postgres://ada@db.example.org/memory?sslmode=require",
		"host=db password='se \\' cret' dbname=memory":                         "host=db dbname=memory",
		"password=secret host=db":                                              "host=db",
		"postgres://ada@db.example.org/memory":                                 "postgres://ada@db.example.org/memory",
		"postgres://ada:se#cret@db.example.org/memory":                         "postgres://ada@db.example.org/memory", // libpq parses it
		"postgres://ada:se%cret@db.example.org/memory":                         "postgres://ada@db.example.org/memory",
		"postgres://ada:se:c@ret@db.example.org/memory":                        "postgres://ada@db.example.org/memory",
		"postgres://ada:secret@a.example.org,b.example.org:5433/memory":        "postgres://ada@a.example.org,b.example.org:5433/memory",
		"postgres://ada@db.example.org/m?options=-c%20x%3D1+2&password=secret": "postgres://ada@db.example.org/m?options=-c%20x%3D1%2B2",
		"postgres://ada@db.example.org/m?options=-c%20x%3D1+2":                 "postgres://ada@db.example.org/m?options=-c%20x%3D1+2",
	} {
		if HasPassword(address) != (address != want) {
			t.Errorf("%s: HasPassword is wrong", address)
		}
		if got := Redacted(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// TestAnAddressKeepsWhatTheEnvironmentSays so that it names the same server later.
func TestAnAddressKeepsWhatTheEnvironmentSays(t *testing.T) {
	services := filepath.Join(t.TempDir(), "services")
	if err := os.WriteFile(services, []byte("[mem]\nhost=db.example.org\ndbname=memory\nuser=ada\npassword=secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address string
		env     map[string]string
		want    string
	}{
		{"", map[string]string{"PGHOST": "db.example.org", "PGDATABASE": "memory", "PGUSER": "ada", "PGPASSWORD": "secret"}, "host='db.example.org' dbname='memory' user='ada'"},
		{"", map[string]string{"PGSERVICE": "mem", "PGSERVICEFILE": services}, "host='db.example.org' port='5432' dbname='memory' user='ada'"},
		{"postgres://ada@db.example.org/memory", map[string]string{"PGHOST": "other", "PGUSER": "eve", "PGSSLMODE": "require"}, "postgres://ada@db.example.org/memory?sslmode=require"},
		{"postgres:///memory", map[string]string{"PGHOST": "db.example.org", "PGPORT": "5433"}, "postgres:///memory?host=db.example.org&port=5433"},
		{"postgres://ada:secret@db.example.org/memory", nil, "postgres://ada@db.example.org/memory"},
		{"host=db.example.org user=ada password='se cret'", map[string]string{"PGDATABASE": "o'r"}, `host=db.example.org user=ada dbname='o\'r'`},
	} {
		t.Run(c.want, func(t *testing.T) {
			for key, is := range c.env {
				t.Setenv(key, is)
			}
			got := Settled(c.address)
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.address, got, c.want)
			}
			with, err := parse(c.address)
			if err != nil {
				t.Fatal(err)
			}
			for key := range c.env {
				t.Setenv(key, "")
			}
			without, err := parse(got)
			if err != nil {
				t.Fatal(err)
			}
			a, b := with.ConnConfig, without.ConnConfig
			if a.Host != b.Host || a.Port != b.Port || a.Database != b.Database || a.User != b.User && c.env["PGUSER"] != "" {
				t.Errorf("%s names another server than %s did", got, c.address)
			}
		})
	}
}

// TestAPasswordFileThatOthersCanReadIsIgnored, as in libpq.
func TestAPasswordFileThatOthersCanReadIsIgnored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pass word")
	if err := os.WriteFile(file, []byte("db.example.org:*:memory:ada:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const address = "postgres://ada@db.example.org/memory"
	for by, address := range map[string]string{"environment": address, "address": address + "?passfile=" + url.PathEscape(file), "keywords": "host=db.example.org dbname=memory user=ada passfile='" + file + "'"} {
		if by == "environment" {
			t.Setenv("PGPASSFILE", file)
		} else {
			t.Setenv("PGPASSFILE", "")
		}
		for mode, want := range map[os.FileMode]string{0o600: "secret", 0o640: "", 0o604: ""} {
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
			cfg, err := parse(address)
			if err != nil || cfg.ConnConfig.Password != want || (openPassfile(address) == file) != (want == "") {
				t.Errorf("%s, %o: %q, %v", by, mode, cfg.ConnConfig.Password, err)
			}
		}
	}
	t.Setenv("PGPASSWORD", "of the environment")
	if cfg, err := parse(address); err != nil || cfg.ConnConfig.Password != "of the environment" {
		t.Errorf("PGPASSWORD: %q, %v", cfg.ConnConfig.Password, err)
	}
}
