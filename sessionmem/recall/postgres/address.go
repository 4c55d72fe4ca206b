package postgres

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// parse reads an address by libpq's conventions: a URL or keywords, with the environment,
// ~/.pgpass and service files for what they leave open. To anything but this machine it
// goes by TLS with a checked certificate, unless the address or PGSSLMODE says otherwise.
func parse(address string) (*pgxpool.Config, error) {
	cfg, err := parseQuietly(address)
	if err != nil {
		return nil, err
	}
	if !isLocal(cfg.ConnConfig.Host) && !strings.Contains(address, "sslmode") && os.Getenv("PGSSLMODE") == "" {
		if cfg, err = parseQuietly(with(address, "sslmode", "verify-full")); err != nil {
			return nil, err
		}
	}
	return cfg, nil
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
