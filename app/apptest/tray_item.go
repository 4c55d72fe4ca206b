package apptest

import (
	"context"
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"
)

// Item is a tray icon as the panel sees it.
type Item struct {
	conn   *dbus.Conn
	object dbus.BusObject
	owner  string
}

// Entry is a line of the icon's menu.
type Entry struct {
	ID        int32
	Label     string
	Enabled   bool
	Separator bool
	Checkbox  bool
	Checked   bool
}

// String describes the line as a person would: "[x] Pause", "(Vitals)" if disabled, "—" for
// a separator.
func (e Entry) String() string {
	text := e.Label
	switch {
	case e.Separator:
		return "—"
	case !e.Enabled:
		return "(" + text + ")"
	case e.Checkbox && e.Checked:
		return "[x] " + text
	case e.Checkbox:
		return "[ ] " + text
	}
	return text
}

// Property returns one of the icon's properties: Id, Title, ToolTip, ItemIsMenu …
func (i *Item) Property(ctx context.Context, name string) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var v dbus.Variant
	err := i.object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, itemName, name).Store(&v)
	if err != nil {
		return nil, fmt.Errorf("reading the icon's %s: %w", name, err)
	}
	return v.Value(), nil
}

// Pixmap returns the icon's picture: its size in pixels and its bytes (ARGB, big endian).
func (i *Item) Pixmap(ctx context.Context) (width, height int, argb []byte, err error) {
	v, err := i.Property(ctx, "IconPixmap")
	if err != nil {
		return 0, 0, nil, err
	}
	var maps []struct {
		W, H int32
		Pix  []byte
	}
	if err := dbus.Store([]any{v}, &maps); err != nil {
		return 0, 0, nil, fmt.Errorf("reading the icon's picture: %w", err)
	}
	if len(maps) == 0 {
		return 0, 0, nil, fmt.Errorf("the icon has no picture")
	}
	return int(maps[0].W), int(maps[0].H), maps[0].Pix, nil
}

// Activate left-clicks the icon.
func (i *Item) Activate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := i.object.CallWithContext(ctx, itemName+".Activate", 0, int32(0), int32(0)).Err; err != nil {
		return fmt.Errorf("clicking the icon: %w", err)
	}
	return nil
}

// layout is a menu item in the form of com.canonical.dbusmenu.
type layout struct {
	ID       int32
	Props    map[string]dbus.Variant
	Children []dbus.Variant
}

// Menu reads the menu.
func (i *Item) Menu(ctx context.Context) ([]Entry, error) { return i.below(ctx, 0) }

// Submenu reads the menu below the line with this label.
func (i *Item) Submenu(ctx context.Context, label string) ([]Entry, error) {
	entries, err := i.Menu(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Label == label {
			return i.below(ctx, e.ID)
		}
	}
	return nil, fmt.Errorf("no line %q in the menu", label)
}

// below reads the lines below an item.
func (i *Item) below(ctx context.Context, id int32) ([]Entry, error) {
	menu, err := i.menu(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var revision uint32
	var root layout
	err = menu.CallWithContext(ctx, menuName+".GetLayout", 0, id, int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		return nil, fmt.Errorf("reading the menu: %w", err)
	}
	entries := make([]Entry, 0, len(root.Children))
	for _, child := range root.Children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			return nil, fmt.Errorf("reading a line of the menu: %w", err)
		}
		entries = append(entries, entryOf(l))
	}
	return entries, nil
}

// menu returns the menu's object, at the path that the icon names.
func (i *Item) menu(ctx context.Context) (dbus.BusObject, error) {
	v, err := i.Property(ctx, "Menu")
	if err != nil {
		return nil, err
	}
	path, ok := v.(dbus.ObjectPath)
	if !ok {
		return nil, fmt.Errorf("the icon's menu is at %v, which is no path", v)
	}
	return i.conn.Object(i.owner, path), nil
}

// entryOf reads an item's properties; missing ones have the protocol's defaults.
func entryOf(l layout) Entry {
	e := Entry{ID: l.ID, Enabled: true}
	if v, ok := l.Props["label"].Value().(string); ok {
		e.Label = strings.ReplaceAll(v, "__", "_")
	}
	if v, ok := l.Props["enabled"].Value().(bool); ok {
		e.Enabled = v
	}
	if v, ok := l.Props["type"].Value().(string); ok {
		e.Separator = v == "separator"
	}
	if v, ok := l.Props["toggle-type"].Value().(string); ok {
		e.Checkbox = v == "checkmark"
	}
	if v, ok := l.Props["toggle-state"].Value().(int32); ok {
		e.Checked = v == 1
	}
	return e
}

// Click clicks the enabled line with this label.
func (i *Item) Click(ctx context.Context, label string) error {
	entries, err := i.Menu(ctx)
	if err != nil {
		return err
	}
	var labels []string
	for _, e := range entries {
		labels = append(labels, e.String())
		if e.Label != label {
			continue
		}
		if !e.Enabled {
			return fmt.Errorf("%q is disabled", label)
		}
		return i.click(ctx, e.ID)
	}
	return fmt.Errorf("no line %q in the menu: %s", label, strings.Join(labels, ", "))
}

func (i *Item) click(ctx context.Context, id int32) error {
	menu, err := i.menu(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = menu.CallWithContext(ctx, menuName+".Event", 0, id, "clicked", dbus.MakeVariant(""), uint32(0)).Err
	if err != nil {
		return fmt.Errorf("clicking the menu: %w", err)
	}
	return nil
}
