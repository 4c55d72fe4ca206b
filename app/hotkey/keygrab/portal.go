//go:build !darwin && !windows

package keygrab

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/hotkey"
	"mac-stats/app/sessionbus"
)

// The portal for global shortcuts (flatpak.github.io/xdg-desktop-portal,
// org.freedesktop.portal.GlobalShortcuts). The desktop may show a dialog in which the user
// agrees or chooses another key.
const (
	portalName      = "org.freedesktop.portal.Desktop"
	portalPath      = dbus.ObjectPath("/org/freedesktop/portal/desktop")
	portalShortcuts = "org.freedesktop.portal.GlobalShortcuts"
	portalRequest   = "org.freedesktop.portal.Request"
	portalSession   = "org.freedesktop.portal.Session"
	portalRegistry  = "org.freedesktop.host.portal.Registry"

	portalTime = 3 * time.Second // for an answer without a dialog
	portalApp  = "mac-stats"     // name of our .desktop file
	shortcutID = "show"

	// sessionToken names our session. It stays, because KDE knows the keys of a program
	// without an app ID by it, and would ask for them again at each start.
	sessionToken = "mac_stats"
)

// Why there is no key.
var (
	errRefused = errors.New("it was refused in the dialog of the desktop")
	errFailed  = errors.New("the desktop could not register it")
	errUnbound = errors.New("the desktop registered no key for it")
)

// shortcut is a key as the portal describes it.
type shortcut struct {
	ID      string
	Options map[string]dbus.Variant
}

// portal is a session with the desktop's portal.
type portal struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal
	session dbus.ObjectPath
	combo   hotkey.Combo
	wanted  []shortcut
	kept    string // see Grab
}

// askPortal asks the desktop for a key. If its dialog is still open after a moment, the key
// counts as registered: it works as soon as the user agrees.
func askPortal(bus string, combo hotkey.Combo, pressed func()) (*Grab, error) {
	p, err := openPortal(bus, combo)
	if err != nil {
		return nil, fmt.Errorf("%w, because it runs on Wayland and has no portal for them (%w): %s", ErrNotHere, err, instead)
	}
	bound := make(chan error, 1) // p.kept is set before
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.serve(pressed, bound)
	}()
	closeAll := func() {
		_ = p.conn.Close() // this ends the session too
		<-ended
	}
	select {
	case err := <-bound:
		if err != nil {
			closeAll()
			return nil, fmt.Errorf("%s: %w; %s", combo, err, instead)
		}
		return &Grab{Kept: p.kept, close: closeAll}, nil
	case <-time.After(portalTime):
	}
	return &Grab{close: closeAll}, nil
}

// openPortal opens a session. It never starts a bus.
func openPortal(bus string, combo hotkey.Combo) (*portal, error) {
	if bus == "" {
		return nil, errors.New("there is no session bus")
	}
	conn, err := sessionbus.ConnectTo(context.Background(), bus)
	if err != nil {
		return nil, err
	}
	p := &portal{conn: conn, combo: combo, signals: make(chan *dbus.Signal, 16)}
	if err := p.begin(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return p, nil
}

// begin opens the session. It names the key there already: KDE binds it then, and answers
// BindShortcuts with its page of settings and without a key.
func (p *portal) begin() error {
	p.wanted = []shortcut{{shortcutID, map[string]dbus.Variant{
		"description": dbus.MakeVariant("Show mac-stats"), "preferred_trigger": dbus.MakeVariant(trigger(p.combo)),
	}}}
	p.conn.Signal(p.signals)
	for _, match := range [][]dbus.MatchOption{
		{dbus.WithMatchInterface(portalRequest), dbus.WithMatchMember("Response")},
		{dbus.WithMatchInterface(portalShortcuts), dbus.WithMatchMember("Activated")},
		{dbus.WithMatchInterface(portalSession), dbus.WithMatchMember("Closed")},
	} {
		if err := p.conn.AddMatchSignal(append(match, dbus.WithMatchSender(portalName))...); err != nil {
			return fmt.Errorf("listen to the portal: %w", err)
		}
	}
	// Newer portals require the app's name; older ones find it themselves.
	_ = p.call(portalRegistry+".Register", nil, portalApp, map[string]dbus.Variant{})
	token := newToken()
	request, err := p.ask("CreateSession", token, map[string]dbus.Variant{
		"handle_token": dbus.MakeVariant(token), "session_handle_token": dbus.MakeVariant(sessionToken),
		"shortcuts": dbus.MakeVariant(p.wanted),
	})
	if err != nil {
		return err
	}
	results, err := p.response(request, portalTime)
	if err != nil {
		return err
	}
	session, ok := results["session_handle"].Value().(string)
	if !ok {
		return errors.New("the portal names no session")
	}
	p.session = dbus.ObjectPath(session)
	return nil
}

// serve binds the key and waits for it until the connection ends.
func (p *portal) serve(pressed func(), bound chan<- error) {
	err := p.bind()
	bound <- err
	if err != nil {
		return
	}
	for s := range p.signals {
		switch {
		case s.Name == portalShortcuts+".Activated" && len(s.Body) >= 2 && s.Body[0] == p.session && s.Body[1] == shortcutID:
			pressed()
		case s.Name == portalSession+".Closed" && s.Path == p.session:
			return
		}
	}
}

// bind asks for the key, unless the session has it already.
func (p *portal) bind() error {
	token := newToken()
	request, err := p.ask("ListShortcuts", token, p.session, map[string]dbus.Variant{"handle_token": dbus.MakeVariant(token)})
	if err == nil {
		results, err := p.response(request, portalTime)
		if err == nil && p.isBound(results) {
			return nil
		}
	}
	token = newToken()
	request, err = p.ask("BindShortcuts", token, p.session, p.wanted, "", map[string]dbus.Variant{"handle_token": dbus.MakeVariant(token)})
	if err != nil {
		return err
	}
	results, err := p.response(request, 0)
	if err == nil && !p.isBound(results) {
		return errUnbound
	}
	return err
}

// isBound reports whether an answer of the portal lists our key, and notes one that isn't the
// wanted one: a desktop keeps the key that it knows from before, or that the user chose there.
// It describes keys in the user's language; what can't be read passes for the wanted one.
func (p *portal) isBound(results map[string]dbus.Variant) bool {
	var bound []shortcut
	if results["shortcuts"].Value() == nil || dbus.Store([]any{results["shortcuts"].Value()}, &bound) != nil {
		return false
	}
	i := slices.IndexFunc(bound, func(s shortcut) bool { return s.ID == shortcutID })
	if i < 0 {
		return false
	}
	described, _ := bound[i].Options["trigger_description"].Value().(string)
	is, err := hotkey.Parse(strings.TrimPrefix(described, "Press ")) // as GNOME says it
	if err == nil && is != p.combo {
		p.kept = is.String()
	}
	return true
}

// ask calls a method that answers with a signal, and returns the object that sends it.
func (p *portal) ask(method, token string, args ...any) (request dbus.ObjectPath, err error) {
	if err := p.call(portalShortcuts+"."+method, &request, args...); err != nil {
		return "", fmt.Errorf("%s: %w", method, err)
	}
	if request == "" { // very old portals
		sender := strings.ReplaceAll(strings.TrimPrefix(p.conn.Names()[0], ":"), ".", "_")
		request = portalPath + "/request/" + dbus.ObjectPath(sender+"/"+token)
	}
	return request, nil
}

func (p *portal) call(method string, result any, args ...any) error {
	ctx, stop := context.WithTimeout(context.Background(), portalTime)
	defer stop()
	call := p.conn.Object(portalName, portalPath).CallWithContext(ctx, method, 0, args...)
	if result == nil {
		return call.Err
	}
	return call.Store(result)
}

// response waits for the answer to a request, for at most wait; 0 means as long as the
// connection lasts.
func (p *portal) response(request dbus.ObjectPath, wait time.Duration) (map[string]dbus.Variant, error) {
	var late <-chan time.Time
	if wait > 0 {
		late = time.After(wait)
	}
	for {
		select {
		case <-late:
			return nil, errors.New("the portal does not answer")
		case s, ok := <-p.signals:
			if !ok || s == nil {
				return nil, dbus.ErrClosed
			}
			if s.Name != portalRequest+".Response" || s.Path != request || len(s.Body) < 2 {
				continue
			}
			switch s.Body[0] {
			case uint32(0):
			case uint32(1):
				return nil, errRefused
			default:
				return nil, errFailed
			}
			results, _ := s.Body[1].(map[string]dbus.Variant)
			return results, nil
		}
	}
}

// newToken returns a unique name for a request.
func newToken() string { return "mac_stats_" + rand.Text() }

// trigger formats a combination for the portal (freedesktop.org, Shortcuts specification):
// modifiers and the key's keysym name.
func trigger(c hotkey.Combo) string {
	var words []string
	for _, m := range []struct {
		on   bool
		name string
	}{{c.Ctrl, "CTRL"}, {c.Alt, "ALT"}, {c.Shift, "SHIFT"}, {c.Super, "LOGO"}} {
		if m.on {
			words = append(words, m.name)
		}
	}
	key := c.Key
	if len(key) == 1 {
		key = strings.ToLower(key)
	}
	if name, ok := map[string]string{
		"Space": "space", "Enter": "Return", "Backspace": "BackSpace", "PageUp": "Prior", "PageDown": "Next",
	}[key]; ok {
		key = name
	}
	return strings.Join(append(words, key), "+")
}
