package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"mac-stats/sessionmem/recall"
)

// explain returns an error that says what happened to the server and what to do about it.
func explain(err error) error {
	if err == nil || errors.Is(err, recall.ErrServer) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", recall.ErrServer, remedy(err), &cause{err})
}

// cause is an error of the driver without the list of tries and the address.
type cause struct{ error }

func (b *cause) Unwrap() error { return b.error }

func (b *cause) Error() string {
	if pgErr := new(pgconn.PgError); errors.As(b.error, &pgErr) {
		return pgErr.Message + ", SQLSTATE " + pgErr.Code
	}
	if failed := new(pgconn.ConnectError); errors.As(b.error, &failed) {
		text := failed.Unwrap().Error()
		return strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:]) // the last try
	}
	return b.error.Error()
}

func remedy(err error) string {
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) {
		return remedyOf(pgErr.Code)
	}
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var dial *net.OpError
	switch {
	case strings.Contains(err.Error(), "server refused TLS connection"): // the driver has no name for it
		return "it offers no TLS; switch it on there (ssl = on)"
	case errors.As(err, &name), errors.As(err, &unknown), errors.As(err, &invalid):
		return "its certificate isn't trusted; name the authority with sslrootcert=FILE in recall.postgres_url"
	case errors.As(err, &alert), errors.As(err, &record):
		return "it doesn't speak TLS as asked; check sslmode in recall.postgres_url"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dial) && dial.Timeout():
		return "it didn't answer in time; mac-stats tries again by itself"
	}
	return "it can't be reached; check that it runs, and recall.postgres_url"
}

// remedyOf returns the advice for an error code of PostgreSQL.
func remedyOf(code string) string {
	switch code {
	case wrongPassword, "28000":
		return "it refused the name or the password; set the password with `mac-stats memory backend password`"
	case "3D000":
		return "the database doesn't exist; create it, or correct recall.postgres_url"
	case "42501", "3F000":
		return "the role may not do this; it needs a schema of its own (see docs/postgresql.md)"
	case "42P07", "42P06", "42703", "42P01":
		return "its schema holds tables of something else; give mac-stats a schema of its own (see docs/postgresql.md)"
	case "53100":
		return "its disk is full; free some space there"
	case "53300":
		return "it has no connection left; raise max_connections or close others"
	case "25006":
		return "it is read-only; name the primary server in recall.postgres_url"
	}
	return "it refused"
}
