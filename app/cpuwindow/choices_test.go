package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestAPrivateChatIsMarkedAndReusedWhileEmpty(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		first := b.w.chats().Shown().Name
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift})
		b.Settle()
		name := b.w.chats().Shown().Name
		if name == first || !b.keeper.IsPrivate(name) {
			t.Errorf("the chat %s is not private", name)
		}
		b.Sees("A private chat", "Private: nothing is saved.", "private")
		b.w.chat.NewPrivateChat()
		if b.w.chats().Shown().Name != name {
			t.Error("an empty one is not kept")
		}
		b.w.NewChat()
		b.Settle()
		if b.w.chats().Shown().Private() || b.keeper.IsPrivate(b.w.chats().Shown().Name) {
			t.Error("a new chat is private")
		}
		b.Sees(compose.Placeholder())
		b.SeesNot("A private chat")
	})
}

// choose sets and saves the choice of a conversation.
func (b *bench) choose(c *conversation.Conversation, s transcript.Settings) {
	c.Choose(s)
	b.w.chat.DrawHeader()
	b.w.chats().WriteChoice(c, s)
}
