package forgotten

import "testing"

// Data from a server may be truncated or forged.
func TestOpenRefusesADamagedBox(t *testing.T) {
	r := newRig(t)
	r.forget("Zebra seven opens my locker", "zebra seven opens")
	record := NewRecord(r.root, nil)
	shared, err := record.Share(func(string) bool { return false }, 0)
	if err != nil || len(shared) != 1 {
		t.Fatal(shared, err)
	}
	for n := range len(shared[0].Box) {
		cut := shared[0]
		cut.Box = cut.Box[:n]
		if _, err := record.Open(cut, 0); err == nil {
			t.Errorf("%d bytes of it were opened", n)
		}
	}
	if _, err := record.Open(shared[0], 0); err != nil {
		t.Error(err)
	}
}
