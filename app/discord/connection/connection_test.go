package connection_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mac-stats/app/apptest"
	"mac-stats/app/discord/connection"
)

// rig is a connection to the fake Discord.
type rig struct {
	t    *testing.T
	fake *apptest.Discord
	c    *connection.Connection
	done chan error

	mu     sync.Mutex
	events []connection.Event
}

func connect(t *testing.T, change func(*connection.Config)) *rig {
	t.Helper()
	fake := apptest.StartDiscord(t)
	return connectTo(t, fake, change)
}

func connectTo(t *testing.T, fake *apptest.Discord, change func(*connection.Config)) *rig {
	t.Helper()
	r := &rig{t: t, fake: fake, done: make(chan error, 1)}
	r.fake.AddGuild("100", "Home")
	r.fake.AddChannel(apptest.Channel{ID: "200", Guild: "100", Name: "general"})
	cfg := connection.Config{Token: apptest.Token, Content: true, Base: r.fake.URL(), Handle: func(e connection.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	}}
	if change != nil {
		change(&cfg)
	}
	c, err := connection.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.c = c
	ctx, stop := context.WithCancel(t.Context())
	go func() { r.done <- c.Run(ctx) }()
	t.Cleanup(func() { stop(); <-r.done })
	return r
}

func (r *rig) of(kind connection.EventKind) []connection.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []connection.Event
	for _, e := range r.events {
		if e.Kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// await waits until holds returns true; the test's own time limit ends it otherwise.
func (r *rig) await(what string, holds func() bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s; the status is %+v", what, r.c.Status())
		}
	}
}

func (r *rig) awaitReady() {
	r.t.Helper()
	r.await("the connection", func() bool { return r.c.Status().State == connection.StateReady && r.fake.Connected() })
}

var anna = apptest.User{ID: "301", Name: "Anna"}

func TestMessagesArriveInOrderAcrossADroppedSocket(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	first := r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "one"})
	r.await("the first message", func() bool { return len(r.of(connection.EventMessage)) == 1 })
	r.fake.Drop()
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "two"})
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "three", Reply: first})
	r.await("three messages", func() bool { return len(r.of(connection.EventMessage)) == 3 })
	got := r.of(connection.EventMessage)
	if got[0].Message.Text != "one" || got[1].Message.Text != "two" || got[2].Message.Text != "three" {
		t.Errorf("they came as %q, %q, %q", got[0].Message.Text, got[1].Message.Text, got[2].Message.Text)
	}
	if m := got[2].Message; m.Reply != first || m.Answered == nil || m.Answered.Text != "one" || m.Author.Name != "Anna" || m.Guild != "100" {
		t.Errorf("the reply was read as %+v", m)
	}
	if n := len(r.fake.Identifies()); n != 1 {
		t.Errorf("%d identifies, want 1: the rest is resumed", n)
	}
	if res := r.fake.Resumes(); len(res) != 1 || !res[0].OK {
		t.Errorf("the resumes were %+v", res)
	}
}

func TestTextIsWithheldWithoutTheIntent(t *testing.T) {
	r := connect(t, func(c *connection.Config) { c.Content = false })
	r.awaitReady()
	if got := r.fake.Identifies()[0].Intents; got&apptest.IntentMessageContent != 0 {
		t.Errorf("it asked for a privileged intent (%b)", got)
	}
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "not for the bot"})
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "for it", Mentions: []apptest.User{{ID: apptest.BotID, Name: "luna", Bot: true}}})
	r.await("both messages", func() bool { return len(r.of(connection.EventMessage)) == 2 })
	if got := r.of(connection.EventMessage); got[0].Message.Text != "" || got[1].Message.Text != "for it" || !got[1].Message.Mentioned(apptest.BotID) {
		t.Errorf("they came as %+v", got)
	}
}

func TestDisallowedIntentNamesItself(t *testing.T) {
	fake := apptest.StartDiscord(t)
	fake.SetPrivileged(false)
	c, err := connection.New(connection.Config{Token: apptest.Token, Content: true, Base: fake.URL(), Handle: func(connection.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	var stop *connection.StopError
	if err := c.Run(t.Context()); !errors.As(err, &stop) || stop.Code != 4014 || !strings.Contains(stop.Next, "Message Content Intent") {
		t.Errorf("Run gave %v", err)
	}
}

func TestWrongTokenStops(t *testing.T) {
	fake := apptest.StartDiscord(t)
	c, err := connection.New(connection.Config{Token: "wrong", Base: fake.URL(), Handle: func(connection.Event) {}})
	if err != nil {
		t.Fatal(err)
	}
	var stop *connection.StopError
	if err := c.Run(t.Context()); !errors.As(err, &stop) || stop.Code != 4004 || strings.Contains(err.Error(), "wrong") {
		t.Errorf("Run gave %v", err)
	}
	if n := len(fake.Requests()); n != 1 {
		t.Errorf("%d requests, want no second try", n)
	}
}

func TestRateLimitsAreWaitedFor(t *testing.T) {
	t.Parallel()
	tests := map[string]apptest.Fault{
		"given a full bucket":    {Path: "/messages", Status: 429, RetryAfter: 0.2, Times: 2},
		"given the global limit": {Path: "/messages", Status: 429, RetryAfter: 0.2, Global: true, Times: 2},
		"given a broken server":  {Path: "/messages", Status: 502, Times: 2},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			r := connect(t, nil)
			r.awaitReady()
			r.fake.Fail(fault)
			began := time.Now()
			if _, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "hello", Nonce: "1"}); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); fault.Status == 429 && took < 400*time.Millisecond {
				t.Errorf("it took %s, sooner than it was allowed", took)
			}
			if sent := r.fake.Sent("200"); len(sent) != 1 {
				t.Errorf("%d messages were posted, want 1", len(sent))
			}
		})
	}
}

func TestWaitingForALimitEndsWithTheContext(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.Fail(apptest.Fault{Path: "/messages", Status: 429, RetryAfter: 3600})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := r.c.Send(ctx, "200", connection.Outgoing{Text: "hello"}); !errors.Is(err, connection.ErrBusy) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send gave %v", err)
	}
	if n := len(r.fake.Sent("200")); n != 0 {
		t.Errorf("%d messages were posted", n)
	}
}

func TestMessagesPingNobody(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	id, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "@everyone", Files: []connection.File{{Name: "a.md", Data: []byte("x")}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.c.Edit(t.Context(), "200", id, "@here"); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, q := range r.fake.Requests() {
		if q.Method != "POST" && q.Method != "PATCH" {
			continue
		}
		seen++
		allowed, _ := q.Body["allowed_mentions"].(map[string]any)
		if parse, ok := allowed["parse"].([]any); !ok || len(parse) != 0 || allowed["replied_user"] != false {
			t.Errorf("%s %s allows %v", q.Method, q.Path, q.Body["allowed_mentions"])
		}
	}
	if seen != 2 {
		t.Errorf("%d messages were looked at, want 2", seen)
	}
}

func TestRefusalsByDiscord(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.AddChannel(apptest.Channel{ID: "201", Guild: "100", Name: "quiet", NoSend: true})
	r.fake.AddChannel(apptest.Channel{ID: "202", Guild: "100", Name: "hidden", NoRead: true})
	r.fake.AddChannel(apptest.Channel{ID: "203", Guild: "100", Parent: "200", Name: "old", Type: apptest.Thread, Archived: true, Locked: true})
	r.fake.AddChannel(apptest.Channel{ID: "204", Guild: "100", Name: "unread", NoHistory: true})
	tests := map[string]struct {
		do   func() error
		want error
	}{
		"given a channel without permission to write": {func() error { _, err := r.c.Send(t.Context(), "201", connection.Outgoing{Text: "x"}); return err }, connection.ErrPermission},
		"given a channel that can't be read":          {func() error { _, err := r.c.Messages(t.Context(), "202", "", 5); return err }, connection.ErrPermission},
		"given an archived thread that is locked":     {func() error { _, err := r.c.Send(t.Context(), "203", connection.Outgoing{Text: "x"}); return err }, connection.ErrArchived},
		"given what was written before, unreadable":   {func() error { _, err := r.c.Messages(t.Context(), "204", "", 5); return err }, connection.ErrPermission},
		"given a deleted message":                     {func() error { _, err := r.c.Message(t.Context(), "200", "5"); return err }, connection.ErrGone},
		"given an unknown channel":                    {func() error { _, err := r.c.Place(t.Context(), "999"); return err }, connection.ErrGone},
		"given a name in the place of a channel's id": {func() error { _, err := r.c.Place(t.Context(), "../users/@me"); return err }, connection.ErrGone},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := tt.do()
			if !errors.Is(err, tt.want) {
				t.Errorf("it gave %v, want %v", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), apptest.Token) {
				t.Error("the token is in the error")
			}
		})
	}
}

func TestReplyToADeletedMessageIsPostedWithoutTheReference(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	if _, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "x", Reply: "5"}); err != nil {
		t.Fatal(err)
	}
	if sent := r.fake.Sent("200"); len(sent) != 1 || sent[0].Reply != "" {
		t.Errorf("posted %+v", sent)
	}
}

func TestReplyWithoutReadPermissionIsPostedWithoutTheReference(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.AddChannel(apptest.Channel{ID: "204", Guild: "100", Name: "unread", NoHistory: true})
	to := r.fake.Say(apptest.Message{Channel: "204", Author: anna, Text: "hello"})
	if _, err := r.c.Send(t.Context(), "204", connection.Outgoing{Text: "x", Reply: to, Nonce: "1"}); err != nil {
		t.Fatal(err)
	}
	if sent := r.fake.Sent("204"); len(sent) != 1 || sent[0].Reply != "" {
		t.Errorf("posted %+v", sent)
	}
}

func TestAnArchivedThreadIsOpenedByAMessage(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.AddChannel(apptest.Channel{ID: "205", Guild: "100", Parent: "200", Name: "old", Type: apptest.Thread, Archived: true})
	if _, err := r.c.Send(t.Context(), "205", connection.Outgoing{Text: "x"}); err != nil {
		t.Error(err)
	}
}

func TestASendWhoseResponseIsLostIsNotPostedTwice(t *testing.T) {
	t.Parallel()
	r := connect(t, nil)
	r.awaitReady()
	r.fake.Fail(apptest.Fault{Method: "POST", Path: "/messages", Status: 502, Done: true, Times: 2})
	id, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "once", Nonce: "1"})
	sent := r.fake.Sent("200")
	if err != nil || len(sent) != 1 || sent[0].ID != id {
		t.Errorf("Send gave %s, %v; posted is %+v", id, err, sent)
	}
}

func TestMessagesDuringAnOutageArriveLater(t *testing.T) {
	t.Parallel()
	r := connect(t, nil)
	r.awaitReady()
	r.fake.SetDown(true)
	r.fake.Drop()
	r.await("a try in vain", func() bool { return r.c.Status().State == connection.StateWaiting })
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "meanwhile"})
	tries := r.fake.Refused()
	r.await("more tries in vain", func() bool { return r.fake.Refused() > tries+1 })
	r.fake.SetDown(false)
	r.await("the message", func() bool { return len(r.of(connection.EventMessage)) == 1 })
	if n := len(r.fake.Identifies()); n != 1 {
		t.Errorf("%d identifies, want the session to be resumed", n)
	}
}

func TestDeletedPlacesAreReported(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.AddChannel(apptest.Channel{ID: "201", Guild: "100", Name: "other"})
	r.fake.AddChannel(apptest.Channel{ID: "220", Guild: "100", Parent: "201", Name: "thread", Type: apptest.Thread})
	gone := func() string {
		var ids []string
		for _, e := range r.of(connection.EventGone) {
			ids = append(ids, e.Channel)
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	r.fake.DeleteChannel("201")
	r.await("the channel's end", func() bool { return gone() == "201 220" })          // its threads too
	r.fake.Dispatch("GUILD_DELETE", map[string]any{"id": "100", "unavailable": true}) // an outage
	r.fake.RemoveGuild("100")
	r.await("the server's end", func() bool { return gone() == "200 201 220" })
	if _, err := r.c.Place(t.Context(), "200"); !errors.Is(err, connection.ErrGone) {
		t.Errorf("Place gave %v", err)
	}
}

// sessions returns how often a session was started or resumed.
func (r *rig) sessions() int {
	n := len(r.of(connection.EventReady))
	for _, resume := range r.fake.Resumes() {
		if resume.OK {
			n++
		}
	}
	return n
}

func TestTheGatewayRecoversFrom(t *testing.T) {
	tests := map[string]struct {
		end        func(f *apptest.Discord)
		identifies int // in all: 1 if the session is resumed
	}{
		"a dropped socket":         {func(f *apptest.Discord) { f.Drop() }, 1},
		"op 7":                     {func(f *apptest.Discord) { f.AskReconnect() }, 1},
		"op 9 to resume":           {func(f *apptest.Discord) { f.Invalidate(true) }, 1},
		"op 9":                     {func(f *apptest.Discord) { f.Invalidate(false) }, 2},
		"a session that is over":   {func(f *apptest.Discord) { f.Expire(); f.Drop() }, 2},
		"heartbeats in vain":       {func(f *apptest.Discord) { f.SetDeaf(true) }, 1},
		"the close code 4000":      {func(f *apptest.Discord) { f.CloseWith(4000) }, 1},
		"the close code 4009":      {func(f *apptest.Discord) { f.CloseWith(4009) }, 2},
		"a close code of a server": {func(f *apptest.Discord) { f.CloseWith(1012) }, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := apptest.NewDiscord()
			if name == "heartbeats in vain" {
				fake.Interval = 2 * time.Second
			}
			if err := fake.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(fake.Close)
			r := connectTo(t, fake, nil)
			r.awaitReady()
			tt.end(r.fake)
			r.await("the end", func() bool {
				return r.sessions() > 1 || r.c.Status().State != connection.StateReady
			})
			r.fake.SetDeaf(false)
			r.await("the next connection", func() bool { return r.sessions() > 1 })
			r.awaitReady()
			r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "still there?"})
			r.await("the message", func() bool { return len(r.of(connection.EventMessage)) == 1 })
			list := r.fake.Identifies()
			if len(list) != tt.identifies {
				t.Errorf("%d identifies, want %d", len(list), tt.identifies)
			}
			// The exact time is tested in a bubble; here the first may have taken a while
			// to arrive.
			if len(list) > 1 && list[1].Time.Sub(list[0].Time) < 3*time.Second {
				t.Errorf("two identifies within %s", list[1].Time.Sub(list[0].Time))
			}
		})
	}
}

func TestTheGatewayStopsAt(t *testing.T) {
	for _, code := range []int{4004, 4010, 4011, 4012, 4013, 4014} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			fake := apptest.StartDiscord(t)
			fake.CloseNext(code)
			c, err := connection.New(connection.Config{Token: apptest.Token, Base: fake.URL(), Handle: func(connection.Event) {}})
			if err != nil {
				t.Fatal(err)
			}
			var stop *connection.StopError
			if err := c.Run(t.Context()); !errors.As(err, &stop) || stop.Code != code {
				t.Fatalf("Run gave %v", err)
			}
			st := c.Status()
			if st.State != connection.StateStopped || st.Code != code {
				t.Errorf("the status is %+v", st)
			}
			for _, text := range []string{st.Text, st.Next} {
				if !slices.Contains(connection.Sentences(), text) {
					t.Errorf("%q is no sentence that windows can translate", text)
				}
			}
			if n := len(fake.Identifies()); n != 1 {
				t.Errorf("%d identifies, want no second try", n)
			}
		})
	}
}

func TestWithoutAnIdentifyLeftTheConnectionWaits(t *testing.T) {
	t.Parallel()
	r := connect(t, nil)
	r.awaitReady()
	r.fake.SetRemaining(0)
	r.fake.Expire()
	r.fake.Drop()
	r.await("word of it", func() bool { return r.c.Status().Text == "Discord allows no more new sessions for now." })
	if n := len(r.fake.Identifies()); n != 1 {
		t.Errorf("%d identifies, want none after the last was used", n)
	}
}

func TestARevokedTokenStopsARunningBot(t *testing.T) {
	var stopped atomic.Pointer[connection.Status]
	r := connect(t, func(c *connection.Config) {
		c.Changed = func(st connection.Status) {
			if st.State == connection.StateStopped {
				stopped.Store(&st)
			}
		}
	})
	r.awaitReady()
	r.fake.Revoke()
	r.await("the stop", func() bool { return stopped.Load() != nil })
	if st := stopped.Load(); st.Code != 4004 || !strings.Contains(st.Next, "Reset Token") {
		t.Errorf("the status is %+v", st)
	}
	var said *connection.Error
	if _, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "x"}); !errors.As(err, &said) || said.Status != 401 {
		t.Errorf("Send gave %v", err)
	}
}

func TestNamesHoldNoMisleadingCharacters(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	tests := map[string]string{
		"\u202eannA\u202c":           "annA",
		"Anna\u200b\u2060":           "Anna",
		"\u200b":                     "",
		"An\x00na\nB":                "An na B",
		"\u05d0\u05e0\u05d4":         "\u05d0\u05e0\u05d4", // written from right to left, unchanged
		"\U0001f469\u200d\U0001f4bb": "\U0001f469\u200d\U0001f4bb",
	}
	n := 0
	for name, want := range tests {
		n++
		r.fake.Say(apptest.Message{Channel: "200", Author: apptest.User{ID: "301", Name: name}, Text: "x"})
		r.await("the message", func() bool { return len(r.of(connection.EventMessage)) == n })
		if got := r.of(connection.EventMessage)[n-1].Message.Author.Name; got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func TestBucketsAreRespected(t *testing.T) {
	t.Parallel()
	r := connect(t, nil)
	r.awaitReady()
	r.fake.AddChannel(apptest.Channel{ID: "201", Guild: "100", Name: "other"})
	r.fake.AddChannel(apptest.Channel{ID: "202", Guild: "100", Name: "third"})
	const span = 400 * time.Millisecond
	r.fake.SetLimits(
		apptest.Limit{Method: "POST", Path: "/202/", Count: 1, Window: time.Hour},
		apptest.Limit{Path: "/messages", Count: 5, Window: span}, // posts and edits share one bucket here
	)
	began := time.Now()
	var first string
	var all sync.WaitGroup
	send := func(i int) {
		id, err := r.c.Send(t.Context(), "200", connection.Outgoing{Text: "x", Nonce: strconv.Itoa(i)})
		if err != nil {
			t.Error(err)
		}
		if i == 0 {
			first = id
		}
	}
	edit := func() {
		if err := r.c.Edit(t.Context(), "200", first, "y"); err != nil {
			t.Error(err)
		}
	}
	send(0) // the first answers name the bucket
	edit()
	for i := 1; i < 16; i++ {
		all.Go(func() { send(i) })
		if i%5 == 0 {
			all.Go(edit)
		}
	}
	all.Wait()
	if took := time.Since(began); took < 3*span {
		t.Errorf("20 calls took %s, sooner than 5 in %s", took, span)
	}
	for _, q := range r.fake.Requests() {
		if q.Status == 429 {
			t.Errorf("%s %s was refused: its bucket was empty", q.Method, q.Path)
		}
	}
	// A bucket that stays empty for long delays only its own channel, and reports that at
	// once.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for channel, want := range map[string]error{"202": connection.ErrBusy, "201": nil} {
		var err error
		for range 2 {
			_, err = r.c.Send(ctx, channel, connection.Outgoing{Text: "x"})
		}
		if !errors.Is(err, want) {
			t.Errorf("the second message into %s: %v, want %v", channel, err, want)
		}
	}
}

func TestDownload(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	r.fake.Say(apptest.Message{Channel: "200", Author: anna, Text: "look", Attachments: []apptest.Attachment{{Name: "a.txt", Type: "text/plain", Data: []byte("hello")}}})
	r.await("the message", func() bool { return len(r.of(connection.EventMessage)) == 1 })
	file := r.of(connection.EventMessage)[0].Message.Attachments[0]
	if data, err := r.c.Download(t.Context(), file.URL, 100); err != nil || string(data) != "hello" {
		t.Errorf("it gave %q, %v", data, err)
	}
	if _, err := r.c.Download(t.Context(), file.URL, 4); err == nil {
		t.Error("a file of more than the most was read")
	}
	for _, address := range []string{"http://cdn.discordapp.com/a", "https://evil.example/a", "file:///etc/passwd", "https://cdn.discordapp.com.evil.example/a"} {
		if _, err := r.c.Download(t.Context(), address, 100); err == nil || !strings.Contains(err.Error(), "none of Discord's hosts") {
			t.Errorf("%s gave %v", address, err)
		}
	}
}

func TestSlashCommands(t *testing.T) {
	r := connect(t, nil)
	r.awaitReady()
	if err := r.c.SetCommands(t.Context(), []connection.SlashCommand{{Name: "stop", Description: "Stop"}}); err != nil {
		t.Fatal(err)
	}
	r.fake.Slash("200", "stop", anna)
	r.await("the command", func() bool { return len(r.of(connection.EventCommand)) == 1 })
	cmd := r.of(connection.EventCommand)[0].Command
	if cmd.Name != "stop" || cmd.User.ID != anna.ID || cmd.Channel != "200" {
		t.Errorf("it came as %+v", cmd)
	}
	if err := r.c.Answer(t.Context(), cmd, "stopped"); err != nil {
		t.Fatal(err)
	}
	if got := r.fake.Answers(); len(got) != 1 || got[0] != "stopped" {
		t.Errorf("the answers were %q", got)
	}
}

// The token goes to Discord, or in tests to this machine, whatever a variable says.
func TestNoOtherAddressGetsTheToken(t *testing.T) {
	for base, ok := range map[string]bool{
		"http://127.0.0.1:8080": true, "http://localhost:8080": true, "http://[::1]:1": true, "http://127.9.9.9": true,
		"https://example.org": false, "http://127.0.0.1.example.org": false, "http://127.0.0.1@example.org": false, "http://10.0.0.1": false,
		"http://0.0.0.0:80": false, "//127.0.0.1": true, "http://localhost.example.org": false, "http://[::ffff:127.0.0.1]": true, "nonsense": false, "http://": false,
	} {
		_, err := connection.New(connection.Config{Token: apptest.Token, Base: base, Handle: func(connection.Event) {}})
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), apptest.Token) {
			t.Errorf("%s: %v", base, err)
		}
	}
}
