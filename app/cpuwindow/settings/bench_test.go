package settings

import (
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/ui/screentest"
)

// bench is the page in a window of its own, on a real config.toml; it is the page's host.
type bench struct {
	*screentest.Screen
	t         testing.TB
	page      *Page
	parts     Parts
	index     *stubIndex
	home      string
	environ   []string
	clipboard string
	chosen    string // the file chosen in the dialogue
	tools     int    // how often the page of tools was opened
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t, index: &stubIndex{}, home: t.TempDir()}
	b.Win = test.NewTempWindow(t, nil)
	b.Win.Resize(fyne.NewSize(980, 700))
	b.parts = Parts{
		Config: b.config, Started: config.Default, Environ: func() []string { return b.environ }, Notices: func() []Notice { return []Notice{{Text: "config.toml:3: bad value"}} },
		Actions: []shortcuts.Action{{Name: "new_chat", Title: "New chat"}, {Name: "find", Title: "Find in what is shown"}}, Index: b.index, Home: b.home, File: b.conffile(),
	}
	return b
}

// open shows the page.
func (b *bench) open() {
	b.t.Helper()
	b.page = NewPage(b, b.parts, NewWriter(b, func(key, value string) error { return config.Set(b.conffile(), key, value) }))
	b.Win.SetContent(b.page.View)
	b.page.Load()
	b.Settle()
}

// onPage returns a bench whose page is open.
func onPage(t testing.TB) *bench {
	t.Helper()
	b := newBench(t)
	b.open()
	return b
}

func (b *bench) Visible() bool                                    { return true }
func (b *bench) Notify(words, more string)                        { b.t.Error(words, more) }
func (b *bench) OpenFile(string)                                  {}
func (b *bench) Clipboard() string                                { return b.clipboard }
func (b *bench) ConfigChanged()                                   {}
func (b *bench) ShowTools()                                       { b.tools++ }
func (b *bench) ChooseFile(_, _ string, then func(path string))   { then(b.chosen) }
func (b *bench) ChooseFolder(_, _ string, then func(path string)) { then(b.chosen) }

func (b *bench) conffile() string { return filepath.Join(b.home, "config.toml") }

// set changes a setting in config.toml.
func (b *bench) set(key, value string) {
	b.t.Helper()
	if err := config.Set(b.conffile(), key, value); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) config() config.Config {
	c, _ := config.Load(b.conffile(), b.environ)
	return c
}

// tap presses the button with this label.
func (b *bench) tap(words string) {
	b.t.Helper()
	b.Pushes(b.page.View, words)
}
