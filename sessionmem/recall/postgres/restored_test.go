package postgres_test

import (
	"strings"
	"testing"

	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// backup saves a server's database; the function it returns restores it.
func backup(t *testing.T, cluster *recalltest.Postgres, address string) (restore func()) {
	t.Helper()
	name := database(address)
	stop := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'"
	cluster.Do(t, "postgres", stop, "CREATE DATABASE "+name+"_backup TEMPLATE "+name)
	return func() {
		t.Helper()
		cluster.Do(t, "postgres", stop, "DROP DATABASE "+name+" WITH (FORCE)", "ALTER DATABASE "+name+"_backup RENAME TO "+name)
	}
}

// TestAServerFromAnOldBackupForgetsAgain: its record of forgettings is old as well.
func TestAServerFromAnOldBackupForgetsAgain(t *testing.T) {
	t.Parallel()
	cluster := recalltest.SharedPostgres(t)
	address := cluster.Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "my locker code is otter zanzibar", "the weather is fine")
	b.say("cpu-two", "otter zanzibar is what I need", "a walk by the sea")
	meet(a, b)
	restore := backup(t, cluster, address)
	a.forget(forget.Selection{Text: "otter zanzibar"})
	meet(b, a)
	restore()
	if holding(t, address, "zanzibar") == nil {
		t.Fatal("the backup doesn't hold it: this proves nothing")
	}
	late := newMachine(t, address, "late") // it is the first to see the backup, and knows nothing
	late.say("cpu-three", "otter zanzibar once more", "a cup of tea")
	a.sync()
	if left := holding(t, address, "zanzibar"); left != nil {
		t.Errorf("it is back in %v", left)
	}
	meet(late, b, a)
	meet(late, b, a)
	for _, m := range []*machine{a, b, late} {
		if in := m.holds("zanzibar"); in != nil {
			t.Errorf("it is in %v", in)
		}
	}
	if left := holding(t, address, "zanzibar"); left != nil {
		t.Errorf("it is back in %v", left)
	}
	a.finds("walk", "a walk by the sea @lap")
	a.finds("tea", "a cup of tea @late")
}

// TestARestoredServerReusesNumbers: a machine that the backup doesn't know must not continue
// under the number that another machine has meanwhile got.
func TestARestoredServerReusesNumbers(t *testing.T) {
	t.Parallel()
	cluster := recalltest.SharedPostgres(t)
	address := cluster.Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	restore := backup(t, cluster, address)
	b := newMachine(t, address, "lap")
	b.say("cpu-two", "the otter sleeps")
	restore()
	c := newMachine(t, address, "late")
	c.say("cpu-three", "the otter eats")
	for range 2 {
		meet(b, a, c)
		a.finds("otter", "the otter eats @late, the otter sleeps @lap, the otter swims")
		b.finds("otter", "the otter eats @late, the otter sleeps, the otter swims @desk")
	}
}

// TestADropElsewhereIsNoEnd: the running program puts everything there again.
func TestADropElsewhereIsNoEnd(t *testing.T) {
	t.Parallel()
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "the otter swims")
	b.say("cpu-two", "the otter sleeps")
	drop := func() {
		t.Helper()
		command, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk"), Name: "desk"})
		if err == nil {
			defer command.Close()
			err = command.DropMachine(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	drop()
	a.say("cpu-one", "an otter dives")
	b.finds("otter", "an otter dives @desk, the otter sleeps, the otter swims @desk")

	for range 5 { // and while it puts something
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = a.Copy(t.Context()) // it may fail
		}()
		drop()
		<-done
	}
	a.sync()
	b.finds("otter", "an otter dives @desk, the otter sleeps, the otter swims @desk")
	a.forget(forget.Selection{Text: "otter dives"})
	if left := holding(t, address, "dives"); left != nil {
		t.Errorf("it is left in %v", left)
	}
}

// TestARenamedMachineStaysTheSame, and is shown by its latest name.
func TestARenamedMachineStaysTheSame(t *testing.T) {
	t.Parallel()
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "the otter swims")
	renamed, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk"), Name: "study"})
	if err != nil {
		t.Fatal(err)
	}
	defer renamed.Close()
	for range 2 { // like a command, and an app that still has the old name
		if _, err := renamed.Status(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.finds("otter", "the otter swims @study")
		a.sync()
		b.finds("otter", "the otter swims @desk")
	}
}

// TestMissingTablesAreMadeAgain while the program runs.
func TestMissingTablesAreMadeAgain(t *testing.T) {
	t.Parallel()
	cluster := recalltest.SharedPostgres(t)
	address := cluster.Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	name := database(address)
	cluster.Do(t, name, "DROP SCHEMA "+name+" CASCADE", "CREATE SCHEMA AUTHORIZATION "+name)
	a.sync()
	a.finds("otter", "the otter swims")
	if got := dumped(t, address, "mirror_machine"); strings.Count(got, "desk") == 0 {
		t.Error("the machine isn't there")
	}
}
