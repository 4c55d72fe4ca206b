package postgres

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

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
	if u, err := url.Parse(address); err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	return strings.TrimSpace(address + " " + key + "=" + value)
}

// isLocal says whether a host is this machine: a socket's folder, or a loopback address.
func isLocal(host string) bool {
	if strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// HasPassword says whether a password stands in an address.
func HasPassword(address string) bool {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" {
		_, in := u.User.Password()
		return in || u.Query().Has("password")
	}
	return strings.Contains(address, "password")
}

// Redacted is an address without its password.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return strings.TrimSpace(passwordWord.ReplaceAllString(address, ""))
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	if q.Has("password") {
		q.Del("password")
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// passwordWord is a password among keywords, quoted or not.
var passwordWord = regexp.MustCompile(`\s*\bpassword\s*=\s*('(?:[^'\\]|\\.)*'|\S*)`)
