//go:build e2e

package e2etest

import (
	"bytes"
	wire "encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
)

// xserver queries a display over X11's own protocol: a round trip takes some hundredths of
// a millisecond, while a program such as xdotool would take longer to start than what it
// measures.
type xserver struct {
	conn net.Conn
	root uint32
}

// Requests and constants of the X11 protocol.
const (
	xGetWindowAttributes = 3
	xGetGeometry         = 14
	xQueryTree           = 15
	xGetImage            = 73
	xViewable            = 2 // the window and all its parents are mapped
)

// connectX connects to a local display such as ":99", which must not require a key.
func connectX(display string) (*xserver, error) {
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+strings.TrimPrefix(display, ":"))
	if err != nil {
		return nil, fmt.Errorf("connect to display %s: %w", display, err)
	}
	hello := []byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0} // little endian, protocol 11.0, no key
	if _, err := conn.Write(hello); err != nil {
		return nil, fmt.Errorf("greet display %s: %w", display, err)
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, fmt.Errorf("read the greeting of display %s: %w", display, err)
	}
	body := make([]byte, 4*int(wire.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(conn, body); err != nil || head[0] != 1 {
		return nil, fmt.Errorf("display %s refuses: %q, %w", display, body, err)
	}
	vendor := int(wire.LittleEndian.Uint16(body[16:]))
	formats := int(body[21])
	screen := body[32+(vendor+3)/4*4+8*formats:]
	return &xserver{conn: conn, root: wire.LittleEndian.Uint32(screen)}, nil
}

func (x *xserver) close() { _ = x.conn.Close() } // it is only read

// ask sends a request about a window; nil if the server answers with an error, as for a
// window that has just closed.
func (x *xserver) ask(opcode, detail byte, args ...any) ([]byte, error) {
	var b bytes.Buffer
	for _, a := range args {
		if err := wire.Write(&b, wire.LittleEndian, a); err != nil {
			return nil, fmt.Errorf("build an X11 request: %w", err)
		}
	}
	request := wire.LittleEndian.AppendUint16([]byte{opcode, detail}, uint16(1+b.Len()/4))
	if _, err := x.conn.Write(append(request, b.Bytes()...)); err != nil {
		return nil, fmt.Errorf("ask the display: %w", err)
	}
	for {
		head := make([]byte, 32)
		if _, err := io.ReadFull(x.conn, head); err != nil {
			return nil, fmt.Errorf("read the display's answer: %w", err)
		}
		switch head[0] {
		case 0: // an error
			return nil, nil
		case 1:
			rest := make([]byte, 4*int(wire.LittleEndian.Uint32(head[4:])))
			if _, err := io.ReadFull(x.conn, rest); err != nil {
				return nil, fmt.Errorf("read the display's answer: %w", err)
			}
			return append(head, rest...), nil
		}
	}
}

// shown returns an app's window on the screen: the innermost viewable one in a window
// manager's frame that is at least atLeast pixels wide and high. 0 means none.
func (x *xserver) shown(atLeast uint16) (uint32, error) {
	frames, err := x.children(x.root)
	if err != nil {
		return 0, err
	}
	for _, frame := range frames {
		window, err := x.innermost(frame, atLeast)
		if err != nil {
			return 0, err
		}
		if window != 0 && window != frame {
			return window, nil
		}
	}
	return 0, nil
}

// innermost follows the large viewable windows inwards; 0 if the window itself isn't one.
func (x *xserver) innermost(window uint32, atLeast uint16) (uint32, error) {
	shape, err := x.ask(xGetGeometry, 0, window)
	if err != nil || shape == nil || wire.LittleEndian.Uint16(shape[16:]) < atLeast || wire.LittleEndian.Uint16(shape[18:]) < atLeast {
		return 0, err
	}
	about, err := x.ask(xGetWindowAttributes, 0, window)
	if err != nil || about == nil || about[26] != xViewable {
		return 0, err
	}
	children, err := x.children(window)
	if err != nil {
		return 0, err
	}
	deepest := window
	for _, child := range children {
		inner, err := x.innermost(child, atLeast)
		if err != nil {
			return 0, err
		}
		if inner != 0 {
			deepest = inner
		}
	}
	return deepest, nil
}

func (x *xserver) children(window uint32) ([]uint32, error) {
	tree, err := x.ask(xQueryTree, 0, window)
	if err != nil || tree == nil {
		return nil, err
	}
	list := make([]uint32, wire.LittleEndian.Uint16(tree[16:]))
	for i := range list {
		list[i] = wire.LittleEndian.Uint32(tree[32+4*i:])
	}
	return list, nil
}

// colours counts the different pixels in a part of a window.
func (x *xserver) colours(window uint32, left, top int16, width, height uint16) (int, error) {
	const zPixmap, allPlanes = 2, ^uint32(0)
	image, err := x.ask(xGetImage, zPixmap, window, left, top, width, height, allPlanes)
	if err != nil || image == nil {
		return 0, err
	}
	seen := map[uint32]bool{}
	for p := image[32:]; len(p) >= 4; p = p[4:] {
		seen[wire.LittleEndian.Uint32(p)&0xffffff] = true
	}
	return len(seen), nil
}
