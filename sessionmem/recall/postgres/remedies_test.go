package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// status asks the server at an address for its status.
func status(t *testing.T, address, password string) (recall.ServerStatus, error) {
	t.Helper()
	s, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk"), Password: func() string { return password }})
	if err != nil {
		return recall.ServerStatus{}, err
	}
	defer s.Close()
	return s.Status(t.Context())
}

// says checks that an error means an unusable server, and names the next step.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if !errors.Is(err, recall.ErrServer) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func withQuery(t *testing.T, address string, pairs ...string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func TestErrorsNameTheNextStep(t *testing.T) {
	cluster := recalltest.SharedPostgres(t)
	t.Run("password", func(t *testing.T) {
		address := cluster.Database(t)
		u, _ := url.Parse(address)
		cluster.Require(t, u.Query().Get("user"), "right")
		_, err := status(t, address, "wrong")
		says(t, err, "set the password with `mac-stats memory backend password`")
		if strings.Contains(err.Error(), "failed to connect") {
			t.Errorf("%v: nobody asked for the driver's tries", err)
		}
		open := filepath.Join(t.TempDir(), "pass")
		if err := os.WriteFile(open, []byte("*:*:*:*:right\n"), 0o644); err != nil { //nolint:gosec // intended
			t.Fatal(err)
		}
		_, err = status(t, withQuery(t, address, "passfile", open), "")
		says(t, err, open+" isn't used because others can read it; run `chmod 600 "+open+"`")
		if _, err := status(t, address, "right"); err != nil { // as from the keychain
			t.Error(err)
		}
		if _, err := status(t, withQuery(t, address, "password", "right"), ""); err != nil {
			t.Error(err)
		}
	})
	t.Run("no database", func(t *testing.T) {
		_, err := status(t, cluster.URL("nowhere"), "")
		says(t, err, "create it, or correct recall.postgres_url")
	})
	t.Run("no schema of its own", func(t *testing.T) {
		t.Parallel()
		address := cluster.Database(t)
		name := database(address)
		cluster.Do(t, name, "DROP SCHEMA "+name, "REVOKE CREATE ON SCHEMA public FROM PUBLIC") // before version 15 it may
		_, err := status(t, address, "")
		says(t, err, "it needs a schema of its own")
	})
	t.Run("tables of something else", func(t *testing.T) {
		address := cluster.Database(t)
		name := database(address)
		cluster.Do(t, name, "CREATE TABLE "+name+".mirror(id int)")
		_, err := status(t, address, "")
		says(t, err, "give mac-stats a schema of its own")
	})
	t.Run("no pgvector", func(t *testing.T) {
		address := cluster.Database(t)
		name := database(address)
		cluster.Do(t, name, "DROP EXTENSION IF EXISTS vector", "REVOKE CREATE ON DATABASE "+name+" FROM "+name)
		a := newMachine(t, address, "desk")
		a.say("cpu-one", "the otter swims")
		a.finds("otter", "the otter swims")
		if st, err := status(t, address, ""); err != nil || st.Vectors != "" {
			t.Errorf("%+v, %v: want words alone", st, err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		_, err := status(t, "postgres:///x?user=x&host="+url.QueryEscape(t.TempDir()), "")
		says(t, err, "check that it runs, and recall.postgres_url")
	})
}

// selfSigned writes a certificate for an address, signed by an unknown authority.
func selfSigned(t *testing.T, dir string, ip net.IP) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nobody"}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: bits}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// overTLS listens in front of a server and speaks TLS with a certificate, or refuses TLS.
func overTLS(t *testing.T, cluster *recalltest.Postgres, config *tls.Config) (port string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{to: cluster.Socket()}
	t.Cleanup(p.drop)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				if _, err := io.ReadFull(c, make([]byte, 8)); err != nil { // the request for TLS
					_ = c.Close()
					return
				}
				if config == nil {
					_, _ = c.Write([]byte("N"))
					p.serve(t, c)
					return
				}
				_, _ = c.Write([]byte("S"))
				p.serve(t, tls.Server(c, config))
			}()
		}
	}()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port) //nolint:forcetypeassert // it is TCP
}

func TestTLSMustMatchTheSettings(t *testing.T) {
	cluster := recalltest.SharedPostgres(t)
	cert, key := selfSigned(t, t.TempDir(), net.IPv4(127, 0, 0, 1))
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	address := withQuery(t, cluster.Database(t), "host", "127.0.0.1")
	_, err = status(t, withQuery(t, address, "port", overTLS(t, cluster, nil), "sslmode", "require"), "")
	says(t, err, "it offers no TLS")
	address = withQuery(t, address, "port", overTLS(t, cluster, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}))
	_, err = status(t, withQuery(t, address, "sslmode", "verify-full"), "")
	says(t, err, "its certificate isn't trusted; name the authority with sslrootcert")
	for _, pairs := range [][]string{{"sslmode", "require"}, {"sslmode", "verify-full", "sslrootcert", cert}} {
		if _, err := status(t, withQuery(t, address, pairs...), ""); err != nil {
			t.Errorf("%v: %v", pairs, err)
		}
	}
}

// TestAFullDiskLosesNothing: what doesn't fit waits, and a search says why it is partial.
func TestAFullDiskLosesNothing(t *testing.T) {
	cluster := recalltest.StartPostgres(t)
	dir := cluster.Folder(t, "small")
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=14m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.CommandContext(context.WithoutCancel(t.Context()), "umount", "-l", dir).Run() }) // otherwise it ends with the container
	if err := recalltest.Own(dir); err != nil {
		t.Fatal(err)
	}
	address := cluster.Database(t)
	cluster.Do(t, "postgres", "CREATE TABLESPACE small LOCATION '"+dir+"'", "ALTER DATABASE "+database(address)+" SET TABLESPACE small")
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 14<<20), 0o600); err == nil {
		t.Fatal("the disk isn't full")
	}
	a.offline = true // say without a push
	for i := range 40 {
		a.say(fmt.Sprint("cpu-many-", i), strings.Repeat(fmt.Sprint("quokka", i, " "), 4000))
	}
	a.offline = false
	_, err := a.Copy(t.Context())
	says(t, err, "its disk is full; free some space there")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Copy(t.Context()); err != nil {
		t.Error(err)
	}
	if st, err := a.server.Status(t.Context()); err != nil || st.Machines[0].Passages < 41 {
		t.Errorf("%+v, %v: want all of it", st, err)
	}
}

// database returns the name in an address.
func database(address string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(address, "postgres:///"), "?")
	return name
}
