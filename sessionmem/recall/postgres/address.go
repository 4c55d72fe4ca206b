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

// parse parses an address by libpq's conventions: a URL or keywords, completed from the
// environment, ~/.pgpass and service files. Connections to any host but this machine use TLS
// with a verified certificate, unless sslmode is require, verify-ca or disable: libpq's default,
// prefer, and allow protect from nobody.
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

// triesOf returns the ways in which a connection is tried, in order.
func triesOf(c *pgx.ConnConfig) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
}

// nameOf returns the server and database of a connection for display.
func nameOf(c *pgx.ConnConfig) string {
	host := c.Host
	if isLocal(host) {
		host = "localhost"
	}
	return host + "/" + c.Database
}

// parseQuietly keeps the address out of the error, because it may contain a password.
func parseQuietly(address string) (*pgxpool.Config, error) {
	if openPassfile(address) != "" { // libpq ignores a file that others can read
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
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") { // a URL that only libpq can parse
		sign := "?"
		if strings.Contains(address, "?") {
			sign = "&"
		}
		return address + sign + key + "=" + url.PathEscape(value)
	}
	return strings.TrimSpace(address + " " + key + "='" + quotedValue.Replace(value) + "'")
}

// parseURL parses an address that is a URL, and its settings: libpq doesn't read a plus as a
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

// quotedValue escapes a keyword's value for use between quotes.
var quotedValue = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// value returns an address's own value for a keyword of libpq; "" if it has none.
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

// openPassfile returns the password file (~/.pgpass) if others can read it; "" if it may be
// used or doesn't exist.
func openPassfile(address string) string {
	home, _ := os.UserHomeDir() // without a home folder there is no such file
	path := cmp.Or(value(address, "passfile"), os.Getenv("PGPASSFILE"), filepath.Join(home, ".pgpass"))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return ""
	}
	return path
}

// Settled returns an address without its password, completed from the environment, so that it
// names the same server when the environment changes.
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

// isLocal reports whether a host is this machine: a socket's folder or a loopback address.
func isLocal(host string) bool {
	return strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || loopback.Is(host)
}

// HasPassword reports whether an address contains a password.
func HasPassword(address string) bool { return Redacted(address) != address }

// Redacted returns an address without its password.
func Redacted(address string) string {
	u, q, ok := parseURL(address)
	switch {
	case !ok: // keywords, or a URL that only libpq can parse
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

// passwordInURL matches the beginning of a URL up to and including its password.
var passwordInURL = regexp.MustCompile(`^(\w+://[^:/?@]*):.*@`)

// passwordWord matches a password among keywords, quoted or not.
var passwordWord = regexp.MustCompile(`[\s&]*\bpassword\s*=\s*('(?:[^'\\]|\\.)*'|\S*)`)
