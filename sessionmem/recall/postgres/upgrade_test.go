package postgres_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// TestAServerFilledByVersion2GoesOn: what the machines copied there is found until each of them
// has copied it anew, and old tables leave nothing behind.
func TestAServerFilledByVersion2GoesOn(t *testing.T) {
	t.Parallel()
	address := recalltest.SharedPostgres(t).Database(t)
	statements, err := os.ReadFile("testdata/version2.sql")
	if err != nil {
		t.Fatal(err)
	}
	text := string(statements)
	for _, name := range []string{"lap", "desk"} {
		id := sha256.Sum256([]byte("mac-stats machine id\x00" + name))
		text = strings.ReplaceAll(text, "$"+name, hex.EncodeToString(id[:16]))
	}
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	if _, err := c.Exec(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.New(postgres.Config{Address: address, Secret: []byte("desk")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Search(t.Context(), otter)
	says(t, err, "it has no tables of this version yet")

	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	a.finds("otter", "an old otter @lap, likes otters @lap, the otter swims, the otter's sleeping @lap")
	if left := holding(t, address, "is gone"); left != nil {
		t.Errorf("what this machine's files no longer hold is in %v", left)
	}
	b := newMachine(t, address, "lap")
	b.say("cpu-two", "the otter sleeps")
	a.finds("otter", "the otter sleeps @lap, the otter swims")
	var n int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE tableowner = current_user AND tablename NOT LIKE 'mirror%'").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d tables are left, %v: want that of the version", n, err)
	}
	if st, err := a.server.Status(t.Context()); err != nil || len(st.Machines) != 2 || st.Machines[0].Name != "desk" || !st.Machines[0].Mine {
		t.Errorf("%+v, %v", st, err)
	}
}
