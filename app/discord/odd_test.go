package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

// A field of an unexpected type is ignored; the message is answered.
func TestAMessageWithAFieldOfAnUnexpectedTypeIsAnswered(t *testing.T) {
	author := func(m map[string]any) map[string]any { return m["author"].(map[string]any) }
	tests := map[string]func(m map[string]any){
		"given public_flags as a string": func(m map[string]any) { author(m)["public_flags"] = "0" },
		"given an embed's width in halves": func(m map[string]any) {
			m["embeds"] = []any{map[string]any{"thumbnail": map[string]any{"width": 400.5}}}
		},
		"given a component of a later type": func(m map[string]any) { m["components"] = []any{map[string]any{"type": 99, "components": "x"}} },
		"given attachments of odd sizes": func(m map[string]any) {
			m["attachments"] = []any{map[string]any{"id": 1, "filename": 7, "size": "many", "height": 1.5}, "x", nil}
		},
		"given a member without roles": func(m map[string]any) {
			if m["guild_id"] != nil {
				m["member"] = map[string]any{"roles": "none", "joined_at": 7, "flags": "0"}
			}
		},
		"given ids as numbers":      func(m map[string]any) { author(m)["id"] = jsonNumber(author(m)["id"]) },
		"given times that are none": func(m map[string]any) { m["timestamp"], m["edited_timestamp"] = 17, false },
		"given flags and counts as strings": func(m map[string]any) {
			m["flags"], m["tts"], m["pinned"], m["mention_everyone"], m["nonce"], m["poll"], m["sticker_items"] = "4", "no", 0, "false", 5, "x", map[string]any{}
		},
	}
	for name, odd := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, options{})
			r.mention(general, anna, "the first")
			id := r.answered(general, 1)[0].ID
			r.fake.SetShape(odd) // also in the message replied to, and in the response to a POST
			r.mention(general, ben, "the second")
			r.answered(general, 2)
			r.fake.Say(apptest.Message{Channel: general, Author: anna, Text: "and the third?", Reply: id, Time: time.Now()})
			sent := r.answered(general, 3)
			r.settle()
			if n := len(r.fake.Sent(general)); n != 3 {
				t.Errorf("%d messages, want each answered once: %s", n, fmt.Sprint(sent))
			}
			if logs := r.logs.text(); len(logs) > 0 {
				hasNone(t, logs, "could not be sent", "left out")
			}
		})
	}
}

// A posted message counts as posted, whatever the response looks like.
func TestAnAnswerWithAnUnreadableIDIsPostedOnce(t *testing.T) {
	for name, slow := range map[string]bool{"given an answer at once": false, "given a draft": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, finish := slowly()
			r := start(t, options{script: script})
			r.fake.SetShape(func(m map[string]any) {
				if m["author"].(map[string]any)["id"] == apptest.BotID {
					m["id"] = []any{}
				}
			})
			if slow {
				r.mention(general, anna, "slowly, but once")
				r.await("the draft", func() bool { return len(r.fake.Sent(general)) == 1 })
			} else {
				r.mention(general, anna, "say it once")
			}
			finish()
			r.settle()
			whole := 0
			for _, m := range r.fake.Sent(general) {
				if !strings.HasSuffix(m.Text, " …") {
					whole++
				}
			}
			if whole != 1 || len(r.fake.Sent(general)) > 2 {
				t.Errorf("it wrote %+v", r.fake.Sent(general))
			}
		})
	}
}
