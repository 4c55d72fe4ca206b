package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mac-stats/sessionmem/loopback"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// parse reads an address by libpq's conventions: a URL or keywords, with the environment,
// ~/.pgpass and service files for what they leave open. To any host but this machine it goes
// by TLS with a checked certificate, unless sslmode says require, verify-ca or disable: prefer,
// which is what libpq does where nothing is said, and allow protect from nobody.
func parse(address string) (*pgxpool.Config, error) {
	cfg, err := parseQuietly(address)
	if err != nil {
		return nil, err
	}
	c := cfg.ConnConfig
	tries := triesOf(c)
	optional := func(t *pgconn.FallbackConfig) bool {
		return !isLocal(t.Host) && slices.ContainsFunc(tries, func(o *pgconn.FallbackConfig) bool {
			return o.Host == t.Host && o.Port == t.Port && (o.TLSConfig == nil) != (t.TLSConfig == nil)
		})
	}
	if !slices.ContainsFunc(tries, optional) {
		return cfg, nil
	}
	checked, err := parseQuietly(with(address, "sslmode", "verify-full"))
	if err != nil {
		return nil, err
	}
	var out []*pgconn.FallbackConfig
	for _, t := range tries {
		if optional(t) {
			at := slices.IndexFunc(triesOf(checked.ConnConfig), func(o *pgconn.FallbackConfig) bool { return o.Host == t.Host && o.Port == t.Port })
			if t = triesOf(checked.ConnConfig)[at]; slices.ContainsFunc(out, func(o *pgconn.FallbackConfig) bool { return o.Host == t.Host && o.Port == t.Port }) {
				continue
			}
		}
		out = append(out, t)
	}
	c.Host, c.Port, c.TLSConfig, c.Fallbacks = out[0].Host, out[0].Port, out[0].TLSConfig, out[1:]
	return cfg, nil
}

// triesOf are the ways in which a connection is tried, in their order.
func triesOf(c *pgx.ConnConfig) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
}

// nameOf is where a connection goes, as people know it.
func nameOf(c *pgx.ConnConfig) string {
	host := c.Host
	if isLocal(host) {
		host = "localhost"
	}
	return host + "/" + c.Database
}

// parseQuietly keeps the address out of the error: a password may stand in it.
func parseQuietly(address string) (*pgxpool.Config, error) {
	if openPassfile(address) != "" { // libpq passes over one that others can read
		address = with(address, "passfile", os.DevNull)
	}
	cfg, err := pgxpool.ParseConfig(address)
	if err == nil {
		return cfg, nil
	}
	why := err
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		why = inner
	}
	if parsed := new(url.Error); errors.As(err, &parsed) || why == err { //nolint:errorlint // the very same
		why = errors.New("it can't be read")
	}
	return nil, fmt.Errorf("recall.postgres_url is no address of a PostgreSQL server, such as postgres://ada@db.example.org/memory: %w", why)
}

// with adds a setting to an address.
func with(address, key, value string) string {
	if u, q, ok := parseURL(address); ok {
		q.Set(key, value)
		return urlOf(u, q)
	}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") { // one that only libpq reads
		sign := "?"
		if strings.Contains(address, "?") {
			sign = "&"
		}
		return address + sign + key + "=" + url.PathEscape(value)
	}
	return strings.TrimSpace(address + " " + key + "='" + quotedValue.Replace(value) + "'")
}

// parseURL reads an address that is a URL, with its settings: to libpq a plus is none for a
// space.
func parseURL(address string) (*url.URL, url.Values, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Fragment != "" {
		return nil, nil, false
	}
	q, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B"))
	return u, q, err == nil
}

func urlOf(u *url.URL, q url.Values) string {
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return u.String()
}

// quotedValue writes a value of keywords between quotes.
var quotedValue = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// value is what an address itself says for a keyword of libpq; "" where that is left open.
func value(address, key string) string {
	if u, q, ok := parseURL(address); ok {
		in := map[string]string{"host": u.Hostname(), "port": u.Port(), "user": u.User.Username(), "dbname": strings.TrimPrefix(u.Path, "/")}
		return cmp.Or(in[key], q.Get(key))
	}
	if m := regexp.MustCompile(`(?:^|\s)` + key + `\s*=\s*('(?:[^'\\]|\\.)*'|\S+)`).FindStringSubmatch(address); m != nil {
		return strings.Trim(m[1], "'")
	}
	return ""
}

// openPassfile is the file of passwords (~/.pgpass) if others can read it; "" where it may
// be used, or isn't there.
func openPassfile(address string) string {
	home, _ := os.UserHomeDir() // without one there is no such file
	path := cmp.Or(value(address, "passfile"), os.Getenv("PGPASSFILE"), filepath.Join(home, ".pgpass"))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return ""
	}
	return path
}

// Settled is an address without its password, and with what the environment says for what it
// leaves open: it names the same server when that says something else.
func Settled(address string) string {
	out := Redacted(address)
	cfg, err := parseQuietly(address)
	if err != nil {
		return out
	}
	c := cfg.ConnConfig
	service := os.Getenv("PGSERVICE") != "" && value(address, "service") == ""
	for _, s := range []struct{ key, env, is string }{
		{"host", "PGHOST", c.Host},
		{"port", "PGPORT", strconv.Itoa(int(c.Port))},
		{"dbname", "PGDATABASE", c.Database},
		{"user", "PGUSER", c.User},
		{"sslmode", "PGSSLMODE", os.Getenv("PGSSLMODE")},
		{"sslrootcert", "PGSSLROOTCERT", os.Getenv("PGSSLROOTCERT")},
	} {
		if value(address, s.key) == "" && s.is != "" && (service || os.Getenv(s.env) != "") {
			out = with(out, s.key, s.is)
		}
	}
	return out
}

// isLocal reports whether a host is this machine: a socket's folder, or a loopback address.
func isLocal(host string) bool {
	return strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || loopback.Is(host)
}

// HasPassword says whether a password stands in an address.
func HasPassword(address string) bool { return Redacted(address) != address }

// Redacted is an address without its password.
func Redacted(address string) string {
	u, q, ok := parseURL(address)
	switch {
	case !ok: // keywords, or a URL that only libpq reads
		return strings.TrimSpace(passwordWord.ReplaceAllString(passwordInURL.ReplaceAllString(address, "$1@"), ""))
	case q.Has("password"):
		q.Del("password")
		u.RawQuery = ""
		address = urlOf(u, q)
	}
	if _, in := u.User.Password(); in {
		u.User = url.User(u.User.Username())
		address = u.String()
	}
	return address
}

// passwordInURL is the beginning of a URL up to its password, and that.
var passwordInURL = regexp.MustCompile(`^(\w+://[^:/?@]*):.*@`)

// passwordWord is a password among keywords, quoted or not.
var passwordWord = regexp.MustCompile(`[\s&]*\bpassword\s*=\s*('(?:[^'\\]|\\.)*'|\S*)`)
