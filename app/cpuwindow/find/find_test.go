package find

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

// bench is a search over a column of messages, each with a block "0", "1"…, of which those
// from first on are shown.
type bench struct {
	*screentest.Screen
	t        *testing.T
	find     *Find
	port     *column.Viewport
	messages []string
	first    int
	open     []bool            // what FindShown reported
	asked    []func([]Passage) // requests for older messages that wait
	shown    string            // the block that ShowFrom was called with last
}

func newBench(t *testing.T, messages []string, first int) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t, port: column.NewViewport(), messages: messages, first: first}
	b.find = New(b, b.port)
	b.Win = test.NewTempWindow(t, container.NewBorder(b.find.Bar, nil, nil, nil, b.port))
	b.Win.Resize(fyne.NewSize(500, 400))
	b.lay()
	return b
}

// lay lays out the messages that are shown.
func (b *bench) lay() {
	var rows []*column.Placed
	for _, m := range b.messages[b.first:] {
		rows = append(rows, column.TextRow(m, kit.RoleText, kit.Gap8))
	}
	b.port.SetRows(rows)
	b.find.LaidOut(fmt.Sprint(b.first), b.first == 0)
}

func (b *bench) FindMarks(text, phrase string) (marks []prose.Mark) {
	for at := 0; phrase != ""; {
		i := strings.Index(strings.ToLower(text[at:]), strings.ToLower(phrase))
		if i < 0 {
			break
		}
		marks = append(marks, prose.Mark{From: at + i, To: at + i + len(phrase)})
		at += i + len(phrase)
	}
	return marks
}

func (b *bench) Older(then func([]Passage)) { b.asked = append(b.asked, then) }
func (b *bench) ShowFrom(block string)      { b.shown = block }
func (b *bench) FindShown(on bool)          { b.open = append(b.open, on) }

// answers answers the nth request for older messages.
func (b *bench) answers(n int) {
	b.t.Helper()
	if n >= len(b.asked) {
		b.t.Fatalf("%d requests for older messages", len(b.asked))
	}
	var older []Passage
	for i, m := range b.messages[:b.first] {
		older = append(older, Passage{Block: fmt.Sprint(i), Text: m})
	}
	b.asked[n](older)
	b.Settle()
}

// says fails the test unless the bar shows this count.
func (b *bench) says(want string) {
	b.t.Helper()
	b.Settle()
	if got := b.find.Bar.Count.Text; got != want {
		b.t.Errorf("the bar says %q, want %q", got, want)
	}
}

func (b *bench) press(keys ...fyne.KeyName) {
	for _, k := range keys {
		b.find.Bar.Entry.TypedKey(&fyne.KeyEvent{Name: k})
		b.Settle()
	}
}

func (b *bench) marked() (n int) {
	for _, p := range b.port.Rows {
		n += len(p.Row.(*prose.Text).Marks)
	}
	return n
}

// visible reports whether a message is on the screen.
func (b *bench) visible(i int) bool {
	p := b.port.Rows[i-b.first]
	return p.Top >= b.port.Offset && p.Top+p.Height <= b.port.Offset+b.port.Size().Height
}

// messages returns n messages, some of which hold a zebra.
func messages(n int, zebras ...int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("message %d", i)
	}
	for _, i := range zebras {
		out[i] = fmt.Sprintf("the Zebra of message %d", i)
	}
	return out
}

func TestStepsGoFromMatchToMatchAndAround(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 10, 50, 90), 0)
		b.port.ScrollTo(0)
		b.find.Show()
		if b.Win.Canvas().Focused() != fyne.Focusable(b.find.Bar.Entry) || !b.find.Open() {
			t.Fatalf("the focus is on %s", b.Focus())
		}
		b.says("")
		test.Type(b.find.Bar.Entry, "zebra")
		b.says("1 of 3")
		if b.marked() != 3 || !b.visible(10) {
			t.Errorf("%d places are marked, the first match is visible: %v", b.marked(), b.visible(10))
		}
		for _, step := range []struct {
			key     fyne.KeyName
			count   string
			message int
		}{{fyne.KeyReturn, "2 of 3", 50}, {fyne.KeyDown, "3 of 3", 90}, {fyne.KeyEnter, "1 of 3", 10}, {fyne.KeyUp, "3 of 3", 90}} {
			b.press(step.key)
			b.says(step.count)
			if !b.visible(step.message) {
				t.Errorf("%s: message %d isn't visible", step.count, step.message)
			}
		}
		b.find.Bar.Entry.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		b.press(fyne.KeyReturn)
		b.find.Bar.Entry.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		b.says("2 of 3")
		b.Pushes(b.find.Bar, "↓")
		b.says("3 of 3")
		b.Pushes(b.find.Bar, "↑")
		b.says("2 of 3")
		test.Type(b.find.Bar.Entry, "s")
		b.says("not found")
		b.press(fyne.KeyReturn)
		b.says("not found")
	})
}

// It starts at what the reader sees, not at the beginning.
func TestTheFirstMatchIsTheNextVisibleOne(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 10, 50, 90), 0)
		b.port.ScrollTo(b.port.Rows[30].Top)
		b.find.Show()
		test.Type(b.find.Bar.Entry, "zebra")
		b.says("2 of 3")
		b.find.Close(false)
		b.port.ScrollTo(b.port.Rows[95].Top)
		b.find.Show() // with the last phrase
		b.says("3 of 3")
	})
}

func TestEscapeReturnsToWhereTheReaderWas(t *testing.T) {
	for name, back := range map[string]bool{"Esc": true, "Close": false} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t, messages(100, 10, 90), 0)
				b.port.Follow = false
				b.port.ScrollTo(b.port.Rows[40].Top)
				at := b.port.Offset
				b.find.Show()
				test.Type(b.find.Bar.Entry, "zebra")
				b.Settle()
				if b.port.Offset == at {
					t.Fatal("the match wasn't gone to")
				}
				if back {
					b.press(fyne.KeyEscape)
				} else {
					b.Pushes(b.find.Bar, "Close")
				}
				if b.find.Open() || b.marked() != 0 || (b.port.Offset == at) != back {
					t.Errorf("open %v, %d marks, at %g of %g", b.find.Open(), b.marked(), b.port.Offset, at)
				}
				b.find.Close(true) // it is closed
				if fmt.Sprint(b.open) != "[true false]" {
					t.Errorf("it said that it is open: %v", b.open)
				}
			})
		})
	}
}

func TestOlderMessagesAreCountedAndShownWhenTheReaderGetsThere(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 3, 7, 90), 60)
		b.find.Show()
		test.Type(b.find.Bar.Entry, "zebra")
		b.says("1 of 1")
		b.answers(0)
		b.says("3 of 3")
		b.press(fyne.KeyUp)
		b.says("2 of 3")
		if b.shown != "7" {
			t.Errorf("shown from %q on", b.shown)
		}
		b.first = 5 // as ShowFrom does, in larger steps
		b.lay()
		b.says("2 of 3")
		if !b.visible(7) {
			t.Error("the older match isn't visible")
		}
		b.press(fyne.KeyUp)
		b.says("1 of 3")
		b.first = 0
		b.lay()
		b.says("1 of 3")
		if b.shown != "3" || !b.visible(3) || len(b.asked) != 1 {
			t.Errorf("shown from %q on, asked %d times", b.shown, len(b.asked))
		}
		b.press(fyne.KeyUp)
		b.says("3 of 3")
	})
}

func TestOnlyOlderMessagesMayMatch(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 3), 60)
		b.find.Show()
		test.Type(b.find.Bar.Entry, "zebra")
		b.says("not found")
		b.answers(0)
		b.says("1 of 1")
		if b.shown != "3" {
			t.Errorf("shown from %q on", b.shown)
		}
	})
}

// An answer that comes after the bar was closed, or after a newer request, changes nothing.
func TestALateAnswerChangesNothing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 3, 90), 60)
		b.find.Show()
		test.Type(b.find.Bar.Entry, "zebra")
		b.find.Close(false)
		b.answers(0)
		b.says("1 of 1")
		b.find.Show()
		b.says("1 of 1")
		b.answers(0)
		b.says("1 of 1")
		b.answers(1)
		b.says("2 of 2")
		test.Type(b.find.Bar.Entry, "x") // while older ones are counted
		b.says("not found")
	})
}

// The conversation was read again and begins elsewhere: older messages are asked for anew.
func TestAConversationThatBeginsElsewhereIsAskedAgain(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t, messages(100, 3, 90), 60)
		b.find.Show()
		test.Type(b.find.Bar.Entry, "zebra")
		b.answers(0)
		b.says("2 of 2")
		b.first = 70
		b.lay()
		if len(b.asked) != 2 {
			t.Fatalf("asked %d times", len(b.asked))
		}
		b.says("1 of 1")
		b.answers(1)
		b.says("2 of 2")
		b.messages = append(b.messages, "one zebra more") // an answer arrives
		b.lay()
		b.says("2 of 3")
	})
}
