//go:build linux

package keygrab

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
)

// fakePortal is a desktop portal that answers as documented.
type fakePortal struct {
	conn  *dbus.Conn
	bound chan string // the triggers of bound keys

	mu       sync.Mutex
	code     uint32            // what it answers to BindShortcuts
	binds    string            // the method that binds keys: BindShortcuts; on KDE CreateSession
	sessions map[string]string // the keys of the sessions, by their token
	token    string            // the last session's
}

const fakeSession = portalPath + "/session/1_1/test"

func (p *fakePortal) answer(sender dbus.Sender, options map[string]dbus.Variant, code uint32, results map[string]dbus.Variant) dbus.ObjectPath {
	token, _ := options["handle_token"].Value().(string)
	request := portalPath + "/request/" + dbus.ObjectPath(strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_")+"/"+token)
	time.AfterFunc(10*time.Millisecond, func() { _ = p.conn.Emit(request, portalRequest+".Response", code, results) })
	return request
}

func (p *fakePortal) set(binds string, code uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.binds, p.code, p.sessions = binds, code, map[string]string{}
}

func triggerOf(s []shortcut) string {
	text, _ := s[0].Options["preferred_trigger"].Value().(string)
	return text
}

func (p *fakePortal) CreateSession(sender dbus.Sender, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, _ = options["session_handle_token"].Value().(string)
	var named []shortcut
	if _, known := p.sessions[p.token]; !known && p.binds == "CreateSession" && dbus.Store([]any{options["shortcuts"].Value()}, &named) == nil {
		p.sessions[p.token] = triggerOf(named)
	}
	return p.answer(sender, options, 0, map[string]dbus.Variant{"session_handle": dbus.MakeVariant(string(fakeSession))}), nil
}

// shortcuts is the answer to the methods that list keys.
func (p *fakePortal) shortcuts() map[string]dbus.Variant {
	list := []shortcut{}
	if key, ok := p.sessions[p.token]; ok {
		list = append(list, shortcut{shortcutID, map[string]dbus.Variant{"trigger_description": dbus.MakeVariant(key)}})
		p.bound <- key
	}
	return map[string]dbus.Variant{"shortcuts": dbus.MakeVariant(list)}
}

func (p *fakePortal) ListShortcuts(sender dbus.Sender, _ dbus.ObjectPath, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer(sender, options, 0, p.shortcuts()), nil
}

func (p *fakePortal) BindShortcuts(sender dbus.Sender, session dbus.ObjectPath, wanted []shortcut, _ string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if session != fakeSession {
		return p.answer(sender, options, 2, nil), nil
	}
	if p.binds == "BindShortcuts" && p.code == 0 {
		p.sessions[p.token] = triggerOf(wanted)
	}
	return p.answer(sender, options, p.code, p.shortcuts()), nil
}

// wayland returns the environment of a Wayland desktop with a session bus, and its portal.
func wayland(t *testing.T) (getenv func(string) string, p *fakePortal) {
	t.Helper()
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	conn, err := dbus.Connect(bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p = &fakePortal{conn: conn, bound: make(chan string, 8), binds: "BindShortcuts", sessions: map[string]string{}}
	return func(key string) string {
		return map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": bus.Address}[key]
	}, p
}

func (p *fakePortal) appear(t *testing.T) {
	t.Helper()
	if err := p.conn.Export(p, portalPath, portalShortcuts); err != nil {
		t.Fatal(err)
	}
	if reply, err := p.conn.RequestName(portalName, 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("%v, %v", reply, err)
	}
}

func TestThePortalOnWayland(t *testing.T) {
	getenv, portal := wayland(t)
	// given a desktop without the portal
	if _, err := Take(getenv, combo(t, "Ctrl+Alt+Space"), func() {}); !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "keyboard settings") {
		t.Errorf("without a portal: %v", err)
	}
	portal.appear(t)

	// when it has one, then it is asked, and the presses arrive
	pressed := make(chan struct{}, 16)
	grab, err := Take(getenv, combo(t, "Ctrl+Alt+Space"), func() { pressed <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	if got := <-portal.bound; got != "CTRL+ALT+space" {
		t.Errorf("it was asked for %s", got)
	}
	for _, name := range []string{"another", shortcutID} {
		if err := portal.conn.Emit(portalPath, portalShortcuts+".Activated", fakeSession, name, uint64(1), map[string]dbus.Variant{}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-pressed:
	case <-time.After(time.Minute):
		t.Fatal("pressed, and nothing came")
	}
	grab.Close()
	if len(pressed) != 0 {
		t.Error("another program's key came, too")
	}

	// when there is no key, then the error says why
	for _, c := range []struct {
		name  string
		binds string
		code  uint32
		want  error
	}{
		{"the user refuses", "BindShortcuts", 1, errRefused},
		{"the desktop fails", "BindShortcuts", 2, errFailed},
		{"the desktop answers with an empty list", "", 0, errUnbound},
	} {
		portal.set(c.binds, c.code)
		if _, err := Take(getenv, combo(t, "Super+F5"), func() {}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), "keyboard settings") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// KDE binds the keys that a session is created with, and knows a session by its token. It
// answers BindShortcuts with an empty list, and opens its page of settings for that.
func TestThePortalOfKDE(t *testing.T) {
	getenv, portal := wayland(t)
	portal.set("CreateSession", 0)
	portal.appear(t)
	for _, start := range []string{"first", "second"} {
		grab, err := Take(getenv, combo(t, "Ctrl+Alt+Space"), func() {})
		if err != nil {
			t.Fatalf("%s start: %v", start, err)
		}
		if got := <-portal.bound; got != "CTRL+ALT+space" {
			t.Errorf("%s start: bound to %s", start, got)
		}
		grab.Close()
	}
	if len(portal.sessions) != 1 || len(portal.bound) != 0 {
		t.Errorf("sessions %v; %d keys were listed again", portal.sessions, len(portal.bound))
	}
}

// A desktop keeps the key that it knows from before.
func TestAKeyThatTheDesktopKeptIsTold(t *testing.T) {
	for _, c := range []struct{ described, wanted, kept string }{
		{"Ctrl+Alt+Space", "Ctrl+Alt+Space", ""},
		{"Ctrl+Alt+Space", "Ctrl+Alt+M", "Ctrl+Alt+Space"},
		{"Meta+F5", "Super+F5", ""},
		{"Meta+F5", "Super+F6", "Super+F5"},
		{"Press Alt+Ctrl+K", "Ctrl+Alt+L", "Ctrl+Alt+K"},
		{"Strg+Alt+Leertaste", "Ctrl+Alt+Space", ""}, // in the user's language
		{"", "Ctrl+Alt+Space", ""},
	} {
		t.Run(c.described+" for "+c.wanted, func(t *testing.T) {
			getenv, portal := wayland(t)
			portal.set("CreateSession", 0)
			portal.sessions[sessionToken] = c.described
			portal.appear(t)
			grab, err := Take(getenv, combo(t, c.wanted), func() {})
			if err != nil {
				t.Fatal(err)
			}
			if grab.Kept != c.kept {
				t.Errorf("kept %q, want %q", grab.Kept, c.kept)
			}
			grab.Close()
		})
	}
}

// A session bus that hangs must not hang the app.
func TestABusThatNeverAnswersIsLeft(t *testing.T) {
	t.Parallel()
	silent := filepath.Join(t.TempDir(), "bus")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	left := make(chan error, 1)
	go func() {
		_, err := Take(func(key string) string {
			return map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + silent}[key]
		}, combo(t, "Ctrl+Alt+Space"), func() {})
		left <- err
	}()
	select {
	case err := <-left:
		if !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the bus")
	}
}

func TestTriggersForThePortal(t *testing.T) {
	for text, want := range map[string]string{
		"Ctrl+Shift+A": "CTRL+SHIFT+a", "Super+PageDown": "LOGO+Next", "F12": "F12", "Alt+7": "ALT+7",
	} {
		if got := trigger(combo(t, text)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
