package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem/loopback"
)

const (
	tokenFile  = "api-token" // in the data folder
	leastToken = 20          // characters
	mostToken  = 1 << 10     // bytes of the file
)

// Token reads the token from the data folder, and creates one (mode 0600) if there is none.
// It first removes other users' access to the file.
func Token(home string) (string, error) {
	path := filepath.Join(home, tokenFile)
	data, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("read the token of the local API: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < leastToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("%s holds no token: one word of at least %d characters; delete the file to get a new one", path, leastToken)
	}
	return token, nil
}

func readToken(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostToken {
		return nil, fmt.Errorf("%s is not a file with a token", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, fmt.Errorf("close the token to others: %w", err)
		}
	}
	return os.ReadFile(path)
}

func makeToken(path string) (string, error) {
	token := rand.Text()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make the token of the local API: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write the token of the local API: %w", errors.Join(err, os.Remove(path)))
	}
	return token, nil
}

// refused explains why a request is refused; nil if it isn't.
func (a *API) refused(r *http.Request) *problem {
	switch {
	case r.Header.Get("Origin") != "", crossSite(r.Header.Get("Sec-Fetch-Site")):
		return &problem{http.StatusForbidden, codeForbidden, "Web pages may not use this API.", "Call it from a program of yours."}
	case !localHost(r):
		return &problem{http.StatusForbidden, codeForbidden, "The request is for another host.", "Call it by 127.0.0.1 or localhost, or by its socket."}
	case !a.knows(r.Header.Get("Authorization")):
		return &problem{http.StatusUnauthorized, codeUnauthorized, "The token is missing or wrong.", "Send `Authorization: Bearer TOKEN`; the token is in the file api-token in the data folder."}
	}
	return nil
}

// crossSite reports whether, according to the browser, a web page sent the request.
func crossSite(fetch string) bool { return fetch != "" && fetch != "none" }

// localHost reports whether the request is addressed to this machine. A page whose domain
// was made to resolve to this machine sends that domain.
func localHost(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		return true
	}
	return loopback.Is(r.Host)
}

// knows compares in constant time, which reveals nothing about the token.
func (a *API) knows(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	want, got := sha256.Sum256([]byte(a.token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
