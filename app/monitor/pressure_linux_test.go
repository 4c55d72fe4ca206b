package monitor

import "testing"

func TestPressure(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       float64
		bad        bool
	}{
		{"as the kernel writes it", "some avg10=1.53 avg60=0.20 avg300=0.00 total=15\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=3\n", 1.53, false},
		{"only full", "full avg10=0.50 avg60=0.00\n", 0, true},
		{"another form", "some 12\n", 0, true},
		{"no number", "some avg10=NaN\n", 0, true},
		{"too much", "some avg10=101\n", 0, true},
		{"nothing", "", 0, true},
	} {
		if got, err := parsePressure(c.text); got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	tr := newTree(t, map[string]string{"proc/pressure/memory": "some avg10=2.04 avg60=0 avg300=0 total=0\n"})
	if got, err := pressure(tr.host()); got != "waiting 2.0 % of the time" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	tr.write("sys/fs/cgroup/memory.pressure", "some avg10=31.50 avg60=0 avg300=0 total=0\n")
	if got, err := pressure(tr.host()); got != "waiting 31.5 % of the time" || err != nil {
		t.Errorf("in a container: %q, %v", got, err)
	}
	if _, err := pressure(newTree(t, nil).host()); err == nil {
		t.Error("a kernel without it has one")
	}
}

func TestOneVolumePerDevice(t *testing.T) {
	got := once([]volume{{path: "/var/lib/x", id: "sda1"}, {path: "/", id: "sda1"}, {path: "/home", id: "sdb1"}})
	if len(got) != 2 || got[0].path != "/" || got[1].path != "/home" {
		t.Errorf("%+v", got)
	}
}
