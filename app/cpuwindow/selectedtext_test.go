package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
)

// shortcutAt sends a shortcut to the focused widget or the window, as the driver does.
func (b *bench) shortcutAt(key fyne.KeyName) {
	s := &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
	c := b.w.win.Canvas()
	if f, ok := c.Focused().(fyne.Shortcutable); ok {
		f.TypedShortcut(s)
	} else {
		c.(fyne.Shortcutable).TypedShortcut(s)
	}
	b.Settle()
}

// A click on selectable text focuses it, which must not swallow the window's shortcuts.
func TestShortcutsAfterAClickOnText(t *testing.T) {
	onPage := func(p page) func(*bench) {
		return func(b *bench) {
			b.w.goToPage(p)
			b.Settle()
		}
	}
	for name, tt := range map[string]struct {
		open func(b *bench)
		port func(b *bench) *column.Viewport
	}{
		"chat":        {func(*bench) {}, func(b *bench) *column.Viewport { return b.w.chat.View.Port }},
		"session":     {func(*bench) {}, func(b *bench) *column.Viewport { return b.w.side.Port }},
		"settings":    {onPage(pageSettings), func(b *bench) *column.Viewport { return b.w.panes.settings.View }},
		"memory":      {onPage(pageMemory), func(b *bench) *column.Viewport { return b.w.panes.memory.Ports()[1] }},
		"files":       {onPage(pageMemory), func(b *bench) *column.Viewport { return b.w.panes.memory.Ports()[0] }},
		"agents":      {onPage(pageAgents), func(b *bench) *column.Viewport { return b.w.panes.roster.Ports()[1] }},
		"models":      {onPage(pageModels), func(b *bench) *column.Viewport { return b.w.panes.models.View }},
		"schedules":   {func(b *bench) { b.onSchedules() }, func(b *bench) *column.Viewport { return b.w.panes.schedules.View }},
		"vitals":      {onPage(pageVitals), func(b *bench) *column.Viewport { return b.w.panes.details.View }},
		"transcripts": {onPage(pageTranscript), func(b *bench) *column.Viewport { return b.w.panes.reader.Rows.Port }},
		"shortcuts":   {func(b *bench) { b.w.commands.toggleList() }, func(b *bench) *column.Viewport { return b.w.commands.list.Port }},
		"a sheet": {func(b *bench) {
			overlay.ShowModal(b.w.win.Canvas(), column.NewCardRow(kit.RoleNone, column.NewListBox([]*column.Placed{column.TextRow("words", kit.RoleText, 0)}, 100)), 480)
		}, func(b *bench) *column.Viewport {
			return overlay.OpenModal(b.w.win.Canvas()).Card.Parts[0].(*column.ListBox).Port
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for key, done := range map[fyne.KeyName]func(b *bench) bool{
				fyne.KeyK: func(b *bench) bool { return b.w.commands.switcher != nil },
				fyne.KeyL: func(b *bench) bool { return b.w.panes.page == pageChat },
				fyne.KeyN: func(b *bench) bool { return b.w.panes.page == pageChat && !b.w.chats().Shown().Begun() },
			} {
				screentest.InBubble(t, func(t *testing.T) {
					b := newBench(t).shown()
					b.w.chat.Send("q")
					b.run(0).Sent <- token("an answer")
					b.Settle()
					tt.open(b)
					port := tt.port(b)
					port.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(port.Left+4, 20)}, Button: desktop.MouseButtonPrimary})
					port.MouseUp(&desktop.MouseEvent{})
					b.shortcutAt(key)
					if !done(b) {
						t.Errorf("%s does nothing", key)
					}
				})
			}
		})
	}
}
