//go:build e2e

package e2etest

import (
	"bufio"
	"fmt"
	"image"
	_ "image/png" // screenshots
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screen is a display with only a window manager.
type screen struct {
	display string // ":99"
	server  *process
}

// startScreen starts a virtual display with a window manager.
func startScreen(t testing.TB) *screen {
	t.Helper()
	return startScreenOf(t, 1280, 900)
}

// startScreenOf is startScreen with a size in pixels.
func startScreenOf(t testing.TB, width, height int) *screen {
	t.Helper()
	s := startDisplay(t, width, height)
	manager := exec.Command("openbox", "--sm-disable")
	manager.Env = append(os.Environ(), s.environ()...)
	startProcess(t, "openbox", manager)
	waitFor(t, patience, "the window manager", func() bool {
		out, err := s.try("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
		return err == nil && strings.Contains(out, "window id")
	})
	return s
}

// startDisplay starts a virtual display of a size in pixels, without a window manager. The
// arguments are Xvfb's.
func startDisplay(t testing.TB, width, height int, args ...string) *screen {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height), "-nolisten", "tcp", "-noreset")
	server.Args = append(server.Args, args...)
	server.ExtraFiles = []*os.File{write}
	running := startProcess(t, "Xvfb", server)
	write.Close()
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return &screen{display: ":" + strings.TrimSpace(number), server: running}
}

func (s *screen) environ() []string { return []string{"DISPLAY=" + s.display} }

// try runs a program on the screen.
func (s *screen) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), s.environ()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), err
}

func (s *screen) run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := s.try(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// windows lists the visible windows of a process.
func (s *screen) windows(pid int) []string {
	out, err := s.try("xdotool", "search", "--all", "--onlyvisible", "--pid", fmt.Sprint(pid), "--name", ".")
	if err != nil {
		return nil // xdotool fails if it finds none
	}
	return strings.Fields(out)
}

// waitWindow waits for a process's only window, gives it the keyboard focus and returns its
// ID.
func (s *screen) waitWindow(t testing.TB, pid int) string {
	t.Helper()
	var ids []string
	waitFor(t, patience, "a window", func() bool {
		ids = s.windows(pid)
		return len(ids) > 0
	})
	s.run(t, "xdotool", "windowactivate", "--sync", ids[0])
	return ids[0]
}

// typeLine types into the focused window and presses Enter.
func (s *screen) typeLine(t testing.TB, text string) {
	t.Helper()
	s.run(t, "xdotool", "type", "--clearmodifiers", "--delay", "15", text)
	s.run(t, "xdotool", "key", "--clearmodifiers", "Return")
}

// press presses a key, named as in xdotool, and waits for what it opens.
func (s *screen) press(t testing.TB, key string) {
	t.Helper()
	before := s.still(t)
	s.run(t, "xdotool", "key", "--clearmodifiers", key)
	waitFor(t, patience, "what "+key+" opens", func() bool { return differing(s.picture(t), before) >= 2000 })
	s.still(t)
}

// picture returns the screen as it is now.
func (s *screen) picture(t testing.TB) *image.RGBA {
	t.Helper()
	x, err := connectX(s.display)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	p, err := x.picture(x.root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// still waits until the screen stops changing and returns its picture.
func (s *screen) still(t testing.TB) *image.RGBA {
	t.Helper()
	return untilStill(func() *image.RGBA { return s.picture(t) })
}

// waitDrawn waits until the only window has content.
func (s *screen) waitDrawn(t testing.TB) {
	t.Helper()
	waitFor(t, patience, "something in the window", func() bool { return colours(s.picture(t), fullOfColours) == fullOfColours })
	s.still(t)
}

// fullOfColours is the number of colours on a screen with a drawn window.
const fullOfColours = 100

// shot waits until the screen is still, saves a picture of it among the artifacts and
// returns it.
func (s *screen) shot(t testing.TB, name string) image.Image {
	t.Helper()
	s.still(t)
	path := filepath.Join(artifacts(t), name+".png")
	s.run(t, "import", "-window", "root", path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return picture
}

// colours counts the different colours of a picture, up to limit.
func colours(picture image.Image, limit int) int {
	seen := map[[4]uint32]bool{}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, alpha := picture.At(x, y).RGBA()
			seen[[4]uint32{red, green, blue, alpha}] = true
			if len(seen) == limit {
				return limit
			}
		}
	}
	return len(seen)
}

// differing counts the pixels that differ between two pictures of the same size.
func differing(a, b image.Image) int {
	n := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// artifacts returns the folder for the test's pictures, transcripts and logs.
func artifacts(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("MAC_STATS_TEST_ARTIFACTS")
	if dir == "" {
		return t.ArtifactDir()
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	dir = filepath.Join(dir, test)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// patience is how long something may take on a busy machine.
const patience = 90 * time.Second

// waitFor waits until done returns true; what describes it in the error.
func waitFor(t testing.TB, timeout time.Duration, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", timeout, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// startProcess starts a program, which ends with the test.
func startProcess(t testing.TB, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.WaitDelay = time.Second // what it started may go on, and write to the same pipe
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the end of what %s wrote:\n%s", name, p.output.tail(40))
		}
	})
	return p
}
