package postgres

import "testing"

// TestEveryHostButThisMachineIsChecked: by what the driver read, for each host of an address.
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

func TestAPasswordIsNotKept(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ada:secret@db.example.org/memory":                          "postgres://ada@db.example.org/memory",
		"postgres://ada@db.example.org/memory?password=secret&sslmode=require": "postgres://ada@db.example.org/memory?sslmode=require",
		"host=db password='se \\' cret' dbname=memory":                         "host=db dbname=memory",
		"password=secret host=db":                                              "host=db",
		"postgres://ada@db.example.org/memory":                                 "postgres://ada@db.example.org/memory",
	} {
		if got := Redacted(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
