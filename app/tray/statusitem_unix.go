//go:build !darwin && !windows

package tray

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
	"github.com/godbus/dbus/v5/prop"

	"mac-stats/app/sessionbus"
)

// The names of the icon and its menu on the bus (freedesktop.org, StatusNotifierItem;
// com.canonical.dbusmenu).
const (
	itemName = "org.kde.StatusNotifierItem"
	itemPath = dbus.ObjectPath("/StatusNotifierItem")
	menuName = "com.canonical.dbusmenu"
	menuPath = dbus.ObjectPath("/StatusNotifierItem/menu")

	menuVersion = uint32(3) // of the protocol
)

// statusItem is the icon on a desktop of freedesktop.org: a StatusNotifierItem with its
// menu, over a connection of its own.
//
// The layout of the menu never changes. What changes is told as a property of its item,
// because for a new layout a host builds the menu again: an open submenu closes, and the
// highlight is lost.
type statusItem struct {
	onTap   func()
	onClick func(label)
	conn    *dbus.Conn
	props   *prop.Properties

	mu    sync.Mutex // the bus reads the items while they change
	items []menuItem // items[0] is the menu itself; a parent stands before its children
}

// menuItem is an item of the menu; its ID is its place in statusItem.items.
type menuItem struct {
	label  label
	parent int
	props  map[string]dbus.Variant
}

// pixmap is a picture as hosts read it: 32 bits a pixel, alpha first, not premultiplied.
type pixmap struct {
	Width, Height int32
	ARGB          []byte
}

// hint is the tooltip as hosts read it.
type hint struct {
	Icon  string
	Icons []pixmap
	Title string
	Text  string
}

// menuNode is an item with the items below it, menuProps one without them.
type (
	menuNode struct {
		ID       int32
		Props    map[string]dbus.Variant
		Children []dbus.Variant
	}
	menuProps struct {
		ID    int32
		Props map[string]dbus.Variant
	}
)

func newShell() shell { return &statusItem{} }

func (s *statusItem) start(first look, menu []entry, onTap func(), onClick func(label)) error {
	s.onTap, s.onClick = onTap, onClick
	s.build(menu)
	conn, err := sessionbus.Connect(context.Background())
	if err != nil {
		return err
	}
	s.conn = conn
	if err := s.export(first); err != nil {
		return errors.Join(fmt.Errorf("putting the icon on the session bus: %w", err), conn.Close())
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	err = conn.AddMatchSignal(dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName))
	if err != nil {
		return errors.Join(fmt.Errorf("watching for tray hosts: %w", err), conn.Close())
	}
	s.register()
	go func() { // until the connection ends
		for change := range signals {
			if len(change.Body) == 3 && change.Body[2] != "" {
				s.register()
			}
		}
	}()
	return nil
}

// register registers the icon with the host of the moment. If there is none any more, the
// next one is told.
func (s *statusItem) register() {
	s.conn.Object(watcherName, watcherPath).Go(watcherName+".RegisterStatusNotifierItem", dbus.FlagNoReplyExpected, nil, string(itemPath))
}

func (s *statusItem) build(menu []entry) {
	s.items = []menuItem{{props: map[string]dbus.Variant{"children-display": dbus.MakeVariant("submenu")}}}
	for _, e := range menu {
		item := menuItem{label: e.label, props: map[string]dbus.Variant{}}
		if e.label == separator {
			item.props["type"] = dbus.MakeVariant("separator")
		} else {
			item.props["label"] = menuText(e.text)
			item.props["enabled"] = dbus.MakeVariant(!e.disabled)
		}
		if e.checkbox {
			item.props["toggle-type"] = dbus.MakeVariant("checkmark")
			item.props["toggle-state"] = toggleState(e.checked)
		}
		if e.below != separator {
			item.parent = s.find(e.below)
			s.items[item.parent].props["children-display"] = dbus.MakeVariant("submenu")
		}
		s.items = append(s.items, item)
	}
}

// find returns the ID of an item, or 0.
func (s *statusItem) find(name label) int {
	return max(0, slices.IndexFunc(s.items, func(i menuItem) bool { return i.label == name && name != separator }))
}

// menuText returns a text of the menu, in which a single underscore would mark a key.
func menuText(text string) dbus.Variant { return dbus.MakeVariant(strings.ReplaceAll(text, "_", "__")) }

func toggleState(on bool) dbus.Variant {
	if on {
		return dbus.MakeVariant(int32(1))
	}
	return dbus.MakeVariant(int32(0))
}

// export puts the icon, its menu and their properties on the bus. No property tells of its
// change: hosts follow the signals of the icon and the menu, and SetMust panics when it
// can't tell because the bus has ended.
func (s *statusItem) export(first look) error {
	var err error
	s.props, err = prop.Export(s.conn, itemPath, prop.Map{itemName: {
		"Id":         {Value: first.title},
		"Title":      {Value: first.title},
		"Category":   {Value: "ApplicationStatus"},
		"Status":     {Value: "Active"},
		"IconName":   {Value: ""},
		"IconPixmap": {Value: []pixmap{pixmapOf(first.icon)}},
		"ToolTip":    {Value: hint{Title: first.tooltip}},
		"ItemIsMenu": {Value: false}, // we handle clicks on the icon
		"Menu":       {Value: menuPath},
	}})
	if err != nil {
		return err
	}
	ofMenu, err := prop.Export(s.conn, menuPath, prop.Map{menuName: {
		"Version":       {Value: menuVersion},
		"TextDirection": {Value: "ltr"},
		"Status":        {Value: "normal"},
		"IconThemePath": {Value: []string{}},
	}})
	if err != nil {
		return err
	}
	for _, o := range []struct {
		path    dbus.ObjectPath
		name    string
		methods any
		props   *prop.Properties
	}{
		{itemPath, itemName, itemMethods{s}, s.props},
		{menuPath, menuName, menuMethods{s}, ofMenu},
	} {
		if err := s.conn.Export(o.methods, o.path, o.name); err != nil {
			return err
		}
		about := introspect.NewIntrospectable(&introspect.Node{Name: string(o.path), Interfaces: []introspect.Interface{
			introspect.IntrospectData, prop.IntrospectData,
			{Name: o.name, Methods: introspect.Methods(o.methods), Properties: o.props.Introspection(o.name)},
		}})
		if err := s.conn.Export(about, o.path, "org.freedesktop.DBus.Introspectable"); err != nil {
			return err
		}
	}
	_, err = s.conn.RequestName(fmt.Sprintf("%s-%d-1", itemName, os.Getpid()), dbus.NameFlagDoNotQueue)
	return err
}

// pixmapOf decodes an icon of ours.
func pixmapOf(data []byte) pixmap {
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		panic(fmt.Sprintf("tray: decoding an icon of ours: %v", err))
	}
	pixels := image.NewNRGBA(picture.Bounds())
	draw.Draw(pixels, pixels.Rect, picture, picture.Bounds().Min, draw.Src)
	argb := make([]byte, 0, len(pixels.Pix))
	for p := range slices.Chunk(pixels.Pix, 4) {
		argb = append(argb, p[3], p[0], p[1], p[2])
	}
	return pixmap{int32(pixels.Rect.Dx()), int32(pixels.Rect.Dy()), argb}
}

func (s *statusItem) setIcon(data []byte) {
	s.props.SetMust(itemName, "IconPixmap", []pixmap{pixmapOf(data)})
	s.emit(itemPath, itemName+".NewIcon")
}

func (s *statusItem) setTooltip(text string) {
	s.props.SetMust(itemName, "ToolTip", hint{Title: text})
	s.emit(itemPath, itemName+".NewToolTip")
}

// setTitle does nothing: hosts show no text beside an icon.
func (s *statusItem) setTitle(string) {}

func (s *statusItem) setText(item label, text string) { s.change(item, "label", menuText(text)) }

func (s *statusItem) setChecked(item label, on bool) { s.change(item, "toggle-state", toggleState(on)) }

// change changes one property of an item.
func (s *statusItem) change(item label, name string, value dbus.Variant) {
	s.mu.Lock()
	id := s.find(item)
	s.items[id].props[name] = value
	s.mu.Unlock()
	s.emit(menuPath, menuName+".ItemsPropertiesUpdated",
		[]menuProps{{int32(id), map[string]dbus.Variant{name: value}}}, []struct {
			ID    int32
			Names []string
		}{})
}

// emit tells hosts of a change. It fails only when the bus has gone, which the watch of
// hosts reports.
func (s *statusItem) emit(path dbus.ObjectPath, signal string, values ...any) {
	_ = s.conn.Emit(path, signal, values...)
}

func (s *statusItem) stop() { _ = s.conn.Close() } // hosts see that the connection ended

// itemMethods are what hosts call of the icon. They show the menu by themselves.
type itemMethods struct{ *statusItem }

// Activate handles a click on the icon.
func (m itemMethods) Activate(_, _ int32) *dbus.Error {
	m.onTap()
	return nil
}

// menuMethods are what hosts call of the menu.
type menuMethods struct{ *statusItem }

// GetLayout returns an item and depth levels of items below it, all of them if depth is
// negative.
func (m menuMethods) GetLayout(parent, depth int32, _ []string) (revision uint32, node menuNode, err *dbus.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if parent < 0 || int(parent) >= len(m.items) {
		return 0, menuNode{}, dbus.MakeFailedError(fmt.Errorf("the menu has no item %d", parent))
	}
	return 1, m.node(int(parent), depth), nil
}

func (s *statusItem) node(id int, depth int32) menuNode {
	n := menuNode{ID: int32(id), Props: maps.Clone(s.items[id].props), Children: []dbus.Variant{}}
	for child := id + 1; child < len(s.items) && depth != 0; child++ {
		if s.items[child].parent == id {
			n.Children = append(n.Children, dbus.MakeVariant(s.node(child, depth-1)))
		}
	}
	return n
}

// GetGroupProperties returns the properties of items, of all if none is named. They are in
// the menu's order: libdbusmenu (Xfce, Cinnamon, MATE) asks for children first, and
// drops those whose parent it doesn't know yet.
func (m menuMethods) GetGroupProperties(ids []int32, _ []string) ([]menuProps, *dbus.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	result := []menuProps{}
	for id, item := range m.items {
		if len(ids) == 0 || slices.Contains(ids, int32(id)) {
			result = append(result, menuProps{int32(id), maps.Clone(item.props)})
		}
	}
	return result, nil
}

// GetProperty returns one property of an item.
func (m menuMethods) GetProperty(id int32, name string) (dbus.Variant, *dbus.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id >= 0 && int(id) < len(m.items) {
		if value, ok := m.items[id].props[name]; ok {
			return value, nil
		}
	}
	return dbus.Variant{}, dbus.MakeFailedError(fmt.Errorf("item %d has no property %s", id, name))
}

// Event handles a click on an item.
func (m menuMethods) Event(id int32, event string, _ dbus.Variant, _ uint32) *dbus.Error {
	if event != "clicked" || id <= 0 || int(id) >= len(m.items) {
		return nil
	}
	m.onClick(m.items[id].label) // the labels never change
	return nil
}

// EventGroup handles several events.
func (m menuMethods) EventGroup(events []struct {
	ID    int32
	Event string
	Data  dbus.Variant
	Time  uint32
},
) (unknown []int32, err *dbus.Error) {
	for _, e := range events {
		_ = m.Event(e.ID, e.Event, e.Data, e.Time) // it never fails
	}
	return []int32{}, nil
}

// AboutToShow answers that the host knows the menu as it is.
func (m menuMethods) AboutToShow(int32) (changed bool, err *dbus.Error) { return false, nil }

// AboutToShowGroup answers the same for several items.
func (m menuMethods) AboutToShowGroup([]int32) (changed, unknown []int32, err *dbus.Error) {
	return []int32{}, []int32{}, nil
}
