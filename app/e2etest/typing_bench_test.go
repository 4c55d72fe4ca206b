//go:build e2e

package e2etest

import (
	"bytes"
	wire "encoding/binary"
	"slices"
	"testing"
	"time"
)

const (
	typedKeys      = 70   // all in one line
	promisedTyping = 16.0 // ms
)

// BenchmarkTyping measures the time from a keystroke to its letter on the screen, in a
// window that shows a conversation.
func BenchmarkTyping(b *testing.B) {
	d, x := benchDesk(b)
	for b.Loop() {
		app, icon := d.launch(b)
		d.use(b, app, icon)
		d.screen.still(b)
		test := x.testExtension(b)
		// the place where it is drawn: what a letter changes in the lower half of the
		// screen
		before := d.screen.still(b)
		x.typeKey(b, test)
		time.Sleep(time.Second)
		after, top, bottom := d.screen.picture(b), 0, 0
		for y := after.Bounds().Dy() / 2; y < after.Bounds().Dy(); y++ {
			if !bytes.Equal(before.Pix[before.PixOffset(0, y):][:before.Stride], after.Pix[after.PixOffset(0, y):][:after.Stride]) {
				if bottom = y; top == 0 {
					top = y
				}
			}
		}
		if top == 0 {
			b.Fatal("the letter isn't on the screen")
		}
		line := func() []byte {
			part, err := x.ask(xGetImage, 2, x.root, int16(0), int16(top), uint16(after.Bounds().Dx()), uint16(bottom-top+1), ^uint32(0))
			if err != nil || part == nil {
				b.Fatalf("the screen can't be read: %v", err)
			}
			return part[32:]
		}
		var times []float64
		for n := range typedKeys {
			time.Sleep(time.Duration(60+n%7*13) * time.Millisecond) // as people type, not at a multiple of a frame
			was, began := line(), time.Now()
			x.typeKey(b, test)
			waitFast(b, "the letter", func() bool { return !bytes.Equal(was, line()) })
			times = append(times, milliseconds(time.Since(began)))
		}
		d.screen.shot(b, "typed")
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2], "ms-median")
		b.ReportMetric(times[len(times)*95/100], "ms-p95")
		d.click(b, icon, "Quit")
		app.waitExit(b)
	}
	b.ReportMetric(promisedTyping, "ms-p95-promised")
	reportLoad(b)
}

// testExtension returns the opcode of XTEST, which simulates a keyboard.
func (x *xserver) testExtension(t testing.TB) byte {
	t.Helper()
	const queryExtension = 98
	answer, err := x.ask(queryExtension, 0, uint16(len("XTEST")), uint16(0), []byte("XTEST\x00\x00\x00"))
	if err != nil || answer == nil || answer[8] == 0 {
		t.Fatalf("the display has no XTEST: %v", err)
	}
	return answer[9]
}

// typeKey presses and releases the key A.
func (x *xserver) typeKey(t testing.TB, test byte) {
	t.Helper()
	const fakeInput, keyA, press, release = 2, 38, 2, 3
	for _, kind := range []byte{press, release} {
		request := make([]byte, 36)
		request[0], request[1], request[4], request[5] = test, fakeInput, kind, keyA
		wire.LittleEndian.PutUint16(request[2:], uint16(len(request)/4))
		if _, err := x.conn.Write(request); err != nil {
			t.Fatal(err)
		}
	}
}
