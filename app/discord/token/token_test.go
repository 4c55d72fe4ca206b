package token

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"mac-stats/app/secret"
)

// chain is a keychain in memory; refuse makes it unusable.
type chain struct {
	secret string
	refuse error
	hangs  bool
}

func (c *chain) Get(string, string) (string, error) {
	if c.hangs {
		time.Sleep(time.Hour)
	}
	if c.refuse == nil && c.secret == "" {
		return "", keyring.ErrNotFound
	}
	return c.secret, c.refuse
}

func (c *chain) Set(_, _, secret string) error {
	if c.refuse == nil {
		c.secret = secret
	}
	return c.refuse
}

func (c *chain) Delete(string, string) error {
	if c.refuse == nil {
		c.secret = ""
	}
	return c.refuse
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFind(t *testing.T) {
	tests := map[string]struct {
		env     map[string]string
		chain   *chain
		file    string
		mode    os.FileMode
		want    Token
		from    string
		message string
	}{
		"given our variable":                     {env: map[string]string{EnvOwn: "a.b.c", EnvUsual: "x.y.z"}, chain: &chain{secret: "k.k.k"}, want: "a.b.c", from: EnvOwn},
		"given the usual variable with its word": {env: map[string]string{EnvUsual: " Bot x.y.z\n"}, want: "x.y.z", from: EnvUsual},
		"given a keychain and a file":            {chain: &chain{secret: "k.k.k"}, file: "f.f.f", mode: 0o600, want: "k.k.k", from: "keychain"},
		"given a keychain that can't be used":    {chain: &chain{refuse: errors.New("no bus")}, file: "f.f.f\n", mode: 0o600, want: "f.f.f", from: "file"},
		"given a file for all to read":           {file: "f.f.f", mode: 0o644, message: "chmod 600"},
		"given a file for the group to read":     {file: "f.f.f", mode: 0o640, message: "chmod 600"},
		"given nothing":                          {message: "developer portal"},
		"given two words":                        {env: map[string]string{EnvOwn: "my token"}, message: "no bot token"},
		"given a file with more than a token":    {file: "one\ntwo", mode: 0o600, message: "no bot token"},
		"given a file that is far too long":      {file: strings.Repeat("x", 5000), mode: 0o600, message: "no file with a token"},
		"given a variable that can't be one":     {env: map[string]string{EnvUsual: "tökén"}, message: "no bot token"},
		"given an empty file":                    {file: "\n", mode: 0o600, message: "developer portal"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Place{Getenv: func(k string) string { return tt.env[k] }, File: filepath.Join(t.TempDir(), "none")}
			if tt.file != "" {
				p.File = write(t, tt.file, tt.mode)
			}
			if tt.chain != nil {
				p.Keychain = tt.chain
			}
			if runtime.GOOS == "windows" && tt.message == "chmod 600" {
				return // Windows has no such permissions
			}
			got, from, err := Find(p)
			if tt.message != "" {
				if err == nil || !strings.Contains(err.Error(), tt.message) {
					t.Fatalf("Find gave %v, want an error that says %q", err, tt.message)
				}
				return
			}
			want := tt.from
			if want == "file" {
				want = p.File
			}
			if err != nil || got != tt.want || from != want {
				t.Errorf("Find gave %q from %s, %v", got.Reveal(), from, err)
			}
		})
	}
}

func TestSaveAndForget(t *testing.T) {
	for name, k := range map[string]*chain{"with a keychain": {}, "without one": {refuse: errors.New("no bus")}} {
		t.Run(name, func(t *testing.T) {
			p := Place{Getenv: func(string) string { return "" }, File: filepath.Join(t.TempDir(), "discord", "token"), Keychain: k}
			if _, err := Save(p, "a.b.c"); err != nil {
				t.Fatal(err)
			}
			info, statErr := os.Stat(p.File)
			if (k.refuse == nil) == (statErr == nil) {
				t.Errorf("the file: %v", statErr)
			}
			if statErr == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the file's mode is %v", info.Mode())
			}
			if got, _, err := Find(p); err != nil || got != "a.b.c" {
				t.Errorf("Find gave %q, %v", got.Reveal(), err)
			}
			if err := Forget(p); err != nil {
				t.Fatal(err)
			}
			if _, _, err := Find(p); !errors.Is(err, ErrNone) {
				t.Errorf("after Forget Find gave %v", err)
			}
		})
	}
}

func TestTokenHidesItself(t *testing.T) {
	tok := Token("a.b.c")
	if text := fmt.Sprintf("%v %s %+v", tok, tok, []Token{tok}); strings.Contains(text, "a.b.c") {
		t.Errorf("printed: %s", text)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("found", "token", tok)
	if !strings.Contains(log.String(), "token=[token]") {
		t.Errorf("logged: %s", log.String())
	}
}

func TestAKeychainThatDoesNotAnswerTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Place{Getenv: func(string) string { return "" }, File: write(t, "f.f.f", 0o600), Keychain: &chain{hangs: true}}
		if got, _, err := Find(p); err != nil || got != "f.f.f" {
			t.Errorf("Find gave %q, %v", got.Reveal(), err)
		}
		time.Sleep(time.Hour) // the keychain's own goroutine ends
	})
}

func TestALongTokenIsAccepted(t *testing.T) {
	long := strings.Repeat("a", 400) + "." + strings.Repeat("b", 400) + ".c-_"
	if got, err := Parse(long + "\n"); err != nil || got.Reveal() != long {
		t.Errorf("a token of %d characters gave %v", len(long), err)
	}
	if _, err := Parse(strings.Repeat("a", 5000)); err == nil {
		t.Error("one of 5,000 characters was taken")
	}
}

// A keychain takes the token over from the file, and says so if it can't.
func TestSaveLeavesOneCopy(t *testing.T) {
	k := &chain{}
	p := Place{Getenv: func(string) string { return "" }, File: write(t, "f.f.f", 0o600), Keychain: k}
	if to, err := Save(p, "a.b.c"); err != nil || to != "keychain" || k.secret != "a.b.c" {
		t.Errorf("Save gave %s, %v", to, err)
	}
	if _, err := os.Stat(p.File); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old file: %v", err)
	}
	p.File = filepath.Join(blockedFolder(t), "x")
	if to, err := Save(p, "a.b.c"); to != "keychain" || err == nil || !strings.Contains(err.Error(), "the old one stays in "+p.File) {
		t.Errorf("with an old file that stays: %s, %v", to, err)
	}
	if err := Forget(p); err == nil || !strings.HasPrefix(err.Error(), "removing the token: ") {
		t.Errorf("forgetting it: %v", err)
	}
}

// blockedFolder returns a path where no file can be made, read or removed, not even by
// root: it is a loop of links.
func blockedFolder(t *testing.T) string {
	t.Helper()
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	return loop
}

func TestAFileThatCannotBeUsedIsReported(t *testing.T) {
	p := Place{Getenv: func(string) string { return "" }, File: filepath.Join(blockedFolder(t), "token")}
	if _, from, err := Find(p); err == nil || errors.Is(err, ErrNone) || from != p.File {
		t.Errorf("Find gave %s, %v", from, err)
	}
	if _, err := Save(p, "a.b.c"); err == nil || !strings.HasPrefix(err.Error(), "saving the token: ") {
		t.Errorf("Save gave %v", err)
	}
	p.File = t.TempDir()
	if _, _, err := Find(p); err == nil || !strings.Contains(err.Error(), "no file with a token") {
		t.Errorf("given a folder Find gave %v", err)
	}
	if err := os.WriteFile(filepath.Join(p.File, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(p, "a.b.c"); err == nil {
		t.Error("a folder was replaced with the token")
	}
}

// stubborn is a keychain that gives its secret but doesn't delete it.
type stubborn struct{ chain }

func (stubborn) Delete(string, string) error { return errors.New("locked") }

func TestForgetReportsATokenThatStays(t *testing.T) {
	p := Place{Getenv: func(string) string { return "" }, File: filepath.Join(t.TempDir(), "none"), Keychain: &stubborn{chain{secret: "a.b.c"}}}
	if err := Forget(p); err == nil || err.Error() != "taking the token out of the keychain: locked" {
		t.Errorf("Forget gave %v", err)
	}
}

func TestTheSystemsKeychain(t *testing.T) {
	if runtime.GOOS == "linux" {
		if k := secret.NewKeychain(func(string) string { return "" }); k != nil {
			t.Errorf("without a session bus there is a keychain: %v", k)
		}
	}
	keyring.MockInit() // the library's keychain in memory
	p := Place{Getenv: func(string) string { return "" }, File: filepath.Join(t.TempDir(), "none"), Keychain: secret.NewKeychain(func(string) string { return "unix:path=/x" })}
	if to, err := Save(p, "a.b.c"); err != nil || to != "keychain" {
		t.Fatalf("Save gave %s, %v", to, err)
	}
	if got, from, err := Find(p); err != nil || got != "a.b.c" || from != "keychain" {
		t.Errorf("Find gave %s from %s, %v", got.Reveal(), from, err)
	}
	for range 2 { // the second time there is none
		if err := Forget(p); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Find(p); !errors.Is(err, ErrNone) {
		t.Errorf("after Forget Find gave %v", err)
	}
}

func TestLooksRight(t *testing.T) {
	for token, want := range map[Token]bool{"a.b.c": true, "a.b": false, "a..c": false, "a.b.c.d": false, "": false} {
		if got := token.LooksRight(); got != want {
			t.Errorf("%q: %v", token.Reveal(), got)
		}
	}
}
