package chatpane

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/screentest"
)

func TestEditingAMessageStartsABranchInItsPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		test.Tap(b.button("Edit", 0))
		b.Settle()
		b.Sees("Send again", "3 messages after it leave the conversation")
		entry, ok := b.Win.Canvas().Focused().(*kit.Field)
		if !ok || entry.Text != "question one" {
			t.Fatalf("the focus is in %T", b.Win.Canvas().Focused())
		}
		entry.SetText("a better question")
		entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		if r := b.turns.requests[0]; r.Edit != "u1" || r.Text != "a better question" {
			t.Fatalf("the request is %+v", r)
		}
		b.finish(0, "u3")
		b.Sees("a better question", "answer u3", "edited")
		b.SeesNot("question one", "answer one", "question two")
	})
}

func TestEscapeLeavesAMessageAsItWas(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.pane.Focus()
		b.pane.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
		b.Settle()
		b.Win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.Settle()
		b.Sees("question two", "answer two")
		b.SeesNot("Send again")
		if b.Win.Canvas().Focused() != fyne.Focusable(b.pane.Compose.Entry) || len(b.turns.requests) != 0 {
			t.Errorf("the focus is in %s, %d sent", b.Focus(), len(b.turns.requests))
		}
	})
}

func TestABranchThatCouldNotBeginChangesNothing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.pane.View.Act.EditMessage("u1", "a better question")
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: "internal", Text: "The message is no longer part of the conversation.", Err: errors.New("x")}
		close(b.run(0).Sent)
		b.Settle()
		b.Sees("answer one", "question two", "answer two", "no longer part")
		b.pane.View.Act.Retry(lastFault(b.pane.Chats.Shown()))
		b.Settle()
		if r := b.turns.requests[1]; r.Edit != "u1" || r.Text != "a better question" {
			t.Errorf("the retry is %+v", r)
		}
	})
}

func TestAnsweringAgainSaysSo(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		test.Tap(b.button("Answer again", 1))
		b.Settle()
		if r := b.turns.requests[0]; r.Retry != "u2" {
			t.Fatalf("the request is %+v", r)
		}
		b.run(0).Sent <- token("another answer")
		b.Settle()
		b.Sees("answered again", "another answer", "answer one")
		b.SeesNot("answer two")
	})
}

func TestAnsweringAnOlderMessageIsAskedAbout(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.pane.View.Act.AnswerAgain("u1")
		if len(b.turns.requests) != 0 {
			t.Fatal("it was not asked about")
		}
		b.Sees("Answer this message again?", "3 messages after it leave the conversation.", "Cancel")
	})
}

func TestLinksAndMemoryOfAnAnswerAreReached(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.Sees("Used memory.md · 12 lines", "Links")
		var got []string
		for _, leaves := range b.pane.Chats.Shown().AnswerLeaves(entriesNow(b.pane.Chats.Shown())[1].Key) {
			markdown.EachLink(leaves, func(words, url string) { got = append(got, words+" "+url) })
		}
		if strings.Join(got, "|") != "a page http://example.org/p" {
			t.Errorf("links: %v", got)
		}
		test.Tap(b.button("Links", 0))
		b.Sees("a page  ·  http://example.org/p")
	})
}
