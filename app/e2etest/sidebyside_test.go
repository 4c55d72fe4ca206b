//go:build e2e

package e2etest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

// sideTime is how long all programs run side by side.
const sideTime = time.Minute

// contestant is one program in the table. Its own drawing may be in another process, found
// by a part of that one's command line.
type contestant struct {
	name string
	pids []int
}

// BenchmarkSideBySide compares this app, hidden and open, with Debian's system monitors and
// an empty window of our toolkit, in the same minute on the same screen, all with one
// reading per second. Run it with `make sidebyside`, which installs them.
func BenchmarkSideBySide(b *testing.B) {
	for b.Loop() {
		b.Logf("\n%s", sideBySide(b))
	}
	reportLoad(b)
}

func sideBySide(b *testing.B) string {
	d, _ := benchDesk(b)
	d.screen = startScreenOf(b, 3400, 1600) // no window covers another
	var all []contestant
	add := func(name string, pids ...int) { all = append(all, contestant{name, pids}) }

	all = append(all, others(b, d)...)
	d.screen.shot(b, "monitors")
	empty := d.beside(b, "emptywindow", os.Getenv("MAC_STATS_TEST_EMPTY"))
	add("an empty Fyne window", empty.pid())

	app, icon := d.launch(b)
	add("mac-stats, never opened", app.pid())
	used := d.another(b)
	usedApp, usedIcon := used.launch(b)
	used.use(b, usedApp, usedIcon)
	used.screen.run(b, "xdotool", "key", "--clearmodifiers", "ctrl+w")
	add("mac-stats, opened and closed", usedApp.pid())
	shown := d.another(b)
	shownApp, shownIcon := shown.launch(b)
	shown.use(b, shownApp, shownIcon)
	add("mac-stats, open", shownApp.pid())
	time.Sleep(10 * time.Second) // startup and shutdown work is done
	d.screen.shot(b, "side-by-side")
	table := costs(b, all)
	for app, icon := range map[*process]*apptest.Item{app: icon, usedApp: usedIcon, shownApp: shownIcon} {
		d.click(b, icon, "Quit")
		app.waitExit(b)
	}
	return table
}

// costs measures all programs over the same time and returns a table.
func costs(b *testing.B, all []contestant) string {
	b.Helper()
	before := make([]time.Duration, len(all))
	began := time.Now()
	for i, c := range all {
		before[i] = c.processor(b)
	}
	time.Sleep(sideTime)
	elapsed := time.Since(began)
	var out strings.Builder
	fmt.Fprintf(&out, "| %-30s | %% of a core | anonymous MB |\n|---|---:|---:|\n", "")
	for i, c := range all {
		busy := 100 * float64(c.processor(b)-before[i]) / float64(elapsed)
		memory := 0.0
		for _, pid := range c.pids {
			memory += anonymousOf(b, pid)
		}
		fmt.Fprintf(&out, "| %-30s | %11.2f | %12.1f |\n", c.name, busy, memory)
	}
	return out.String()
}

func (c contestant) processor(b *testing.B) time.Duration {
	var sum time.Duration
	for _, pid := range c.pids {
		sum += processorOf(b, pid)
	}
	return sum
}

// others starts the system monitors, each with one reading per second. (GNOME's counts its
// graphs' interval in hundredths of a second.)
func others(b *testing.B, d *desk) []contestant {
	b.Helper()
	d.write(b, ".config/conky.conf", conkyConfig)
	d.write(b, ".config/glib-2.0/settings/keyfile", "[org/gnome/gnome-system-monitor]\nupdate-interval=1000\ngraph-update-interval=100\ndisks-interval=1000\ncurrent-tab='resources'\n")
	d.write(b, ".gkrellm2/user-config", "update_HZ 1\n")
	d.write(b, ".config/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml", panelConfig)
	conky := d.beside(b, "conky", "conky", "-c", filepath.Join(d.user, ".config/conky.conf"))
	gkrellm := d.beside(b, "gkrellm", "gkrellm")
	gnome := d.beside(b, "gnome-system-monitor", "gnome-system-monitor", "--show-resources-tab")
	d.beside(b, "xfconfd", xfconfd(b))
	panel := d.beside(b, "xfce4-panel", "xfce4-panel", "--disable-wm-check")
	var plugin int
	waitFor(b, 20*time.Second, "the panel's systemload plugin", func() bool {
		plugin = childWith(panel.pid(), "libsystemload.so")
		return plugin != 0
	})
	time.Sleep(3 * time.Second)
	return []contestant{
		{"conky", []int{conky.pid()}},
		{"gkrellm", []int{gkrellm.pid()}},
		{"gnome-system-monitor", []int{gnome.pid()}},
		{"xfce4-systemload-plugin", []int{plugin}},
		{"the same with its panel", []int{plugin, panel.pid()}},
	}
}

const conkyConfig = `conky.config = { update_interval = 1.0, own_window = true, own_window_type = 'normal', double_buffer = true, minimum_width = 240, background = false }
conky.text = [[
CPU $cpu% $cpubar
$cpugraph
RAM $mem of $memmax $membar
Disk ${fs_used /} of ${fs_size /}
Read $diskio_read write $diskio_write
Down ${downspeed eth0} up ${upspeed eth0}
${top name 1} ${top cpu 1}
${top name 2} ${top cpu 2}
]]
`

const panelConfig = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="30"/>
      <property name="size" type="uint" value="26"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systemload">
      <property name="timeout" type="uint" value="1000"/>
    </property>
  </property>
</channel>
`

// xfconfd returns the daemon that keeps the panel's settings, because no bus of ours starts
// it.
func xfconfd(b *testing.B) string {
	b.Helper()
	found, err := filepath.Glob("/usr/lib/*/xfce4/xfconf/xfconfd")
	if err != nil || len(found) == 0 {
		b.Fatal("xfconfd is not installed: run this with: make sidebyside")
	}
	return found[0]
}

// childWith returns the child of pid whose command line contains text; 0 while there is
// none.
func childWith(pid int, text string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err != nil || !strings.Contains(string(line), text) {
			continue // it has ended
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(f), "status"))
		if err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", pid)) {
			if n, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
				return n
			}
		}
	}
	return 0
}

// beside starts another program on the desk's screen.
func (d *desk) beside(b *testing.B, name, program string, args ...string) *process {
	b.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		b.Fatalf("%s is not installed: run this with: make sidebyside", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(d.environ(), "GSETTINGS_BACKEND=keyfile", "NO_AT_BRIDGE=1")
	cmd.Dir = d.user
	p := startProcess(b, name, cmd)
	time.Sleep(time.Second)
	if !p.running() {
		b.Fatalf("%s ended at once: %v\n%s", name, p.err, p.output.tail(20))
	}
	return p
}

// use opens the app's window and has a question answered in it.
func (d *desk) use(b *testing.B, app *process, icon *apptest.Item) {
	b.Helper()
	d.click(b, icon, "Open CPU window")
	d.screen.waitWindow(b, app.pid())
	time.Sleep(2 * time.Second) // as a person who reads first
	askOnce(b, d, app, "Why is my fan loud?")
}

// another returns the same desk with another home folder, for a second copy of the app.
func (d *desk) another(b *testing.B) *desk {
	b.Helper()
	other := *d
	other.user = b.TempDir()
	other.home = filepath.Join(other.user, ".mac-stats")
	other.write(b, ".mac-stats/config.toml", "# nothing is set\n")
	if err := os.MkdirAll(filepath.Join(other.user, "run"), 0o700); err != nil {
		b.Fatal(err)
	}
	return &other
}

// write writes a file in the user's home folder.
func (d *desk) write(b *testing.B, name, text string) {
	b.Helper()
	path := filepath.Join(d.user, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}
