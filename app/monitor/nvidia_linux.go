package monitor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"
)

// NVIDIA's driver is asked through its library, NVML. A process that has loaded it holds
// some 20 MB until it ends, so a child of this program loads it and answers one line of
// JSON for each line that it is sent. It ends by itself when nobody has asked for a while:
// an open window keeps one child busy, and a single reading costs one start.
const (
	nvmlArg = "__nvml"
	// nvmlIdle ends a child that nobody asks. It is longer than the interval of an open
	// window, and short enough that a laptop's card falls asleep soon after a reading.
	nvmlIdle = 8 * time.Second
)

// nvmlAnswer is a line of the child.
type nvmlAnswer struct {
	Cards []GPUCard `json:"cards"`
	Error string    `json:"error,omitempty"`
	// Missing says that the library can't be loaded, so that another way is needed.
	Missing bool `json:"missing,omitempty"`
}

// Child answers as the child of a reading if the program's arguments ask for it; otherwise
// it returns at once. main must call it early.
func Child() {
	if len(os.Args) != 2 || os.Args[1] != nvmlArg {
		return
	}
	idle := time.AfterFunc(nvmlIdle, func() { os.Exit(0) })
	lib, err := openNVML()
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		idle.Reset(nvmlIdle)
		answer := nvmlAnswer{}
		if err == nil {
			answer.Cards, err = lib.read()
		}
		if err != nil {
			answer.Error = err.Error()
			answer.Missing = errors.Is(err, errNoNVML)
		}
		if out.Encode(answer) != nil {
			break // nobody listens any more
		}
		err = lib.err(err)
	}
	os.Exit(0)
}

// errNoNVML means that NVIDIA's library can't be loaded.
var errNoNVML = errors.New("NVIDIA's library (libnvidia-ml.so.1) can't be loaded")

// nvidiaCards are the cards of NVIDIA's driver.
type nvidiaCards struct {
	host      host
	log       *slog.Logger
	last      []GPUCard // of the last reading
	restUntil time.Time
	child     *nvmlChild
	smi       gpuSource // in place of the library, where that can't be loaded
}

// read reads the cards if all are awake, because the library wakes all of them.
func (n *nvidiaCards) read(ctx context.Context) ([]GPUCard, error) {
	if !n.host.exists("nvidiactl") && !n.host.exists("dxg") { // the driver's device; that of Windows below Linux
		return nil, nil
	}
	var devices []string
	for _, device := range n.host.glob("bus", "pci", "devices", "*") {
		if driverOf(device) != nvidiaDriver || !strings.HasPrefix(line(device, "class"), "0x03") { // a display controller
			continue
		}
		if isAsleep(device) {
			n.drop()
			why := asleep
			if len(n.last) > 1 {
				why = "one of the GPUs is asleep, and reading any wakes them all"
			}
			return []GPUCard{{Name: "NVIDIA", PercentNA: why}}, nil
		}
		devices = append(devices, device)
	}
	if time.Now().Before(n.restUntil) {
		n.drop()
		return n.last, nil
	}
	cards, err := n.ask(ctx)
	if err != nil {
		return nil, err
	}
	for i := range cards {
		for p := range cards[i].Processes {
			if process := &cards[i].Processes[p]; process.Name == "" {
				process.Name = n.host.processName(process.PID)
			}
		}
	}
	n.last, n.restUntil = cards, restUntil(devices, cards)
	return cards, nil
}

// exists reports whether a device is there.
func (h host) exists(name string) bool {
	_, err := os.Stat(h.dev(name))
	return err == nil
}

// ask reads the cards with the library, else with the tool.
func (n *nvidiaCards) ask(ctx context.Context) ([]GPUCard, error) {
	if n.smi != nil {
		return n.smi(ctx)
	}
	answer, err := n.askChild(ctx)
	if err != nil {
		return nil, err
	}
	if answer.Missing {
		n.drop()
		tool, err := exec.LookPath("nvidia-smi")
		if err != nil {
			return nil, unavailableError(answer.Error)
		}
		n.log.Debug("reading NVIDIA's cards with a tool", "tool", tool, "why", answer.Error)
		n.smi = atMost(gpuToolPace, func(ctx context.Context) ([]GPUCard, error) { return askSMI(ctx, tool) })
		return n.smi(ctx)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error) //nolint:err113 // the driver's own words
	}
	return answer.Cards, nil
}

// askChild sends a request to the running child, or to a new one if it has ended.
func (n *nvidiaCards) askChild(ctx context.Context) (nvmlAnswer, error) {
	if n.child != nil {
		if answer, err := n.child.ask(ctx); err == nil || ctx.Err() != nil {
			return answer, err
		}
		n.drop()
	}
	child, err := startNVML()
	if err != nil {
		return nvmlAnswer{}, err
	}
	n.child = child
	answer, err := child.ask(ctx)
	if err != nil {
		n.drop()
	}
	return answer, err
}

// drop ends the child.
func (n *nvidiaCards) drop() {
	if n.child != nil {
		n.child.end()
		n.child = nil
	}
}

// nvmlChild is a running child.
type nvmlChild struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	end func()
}

// startNVML starts a child. It ends when this process does, because its input ends.
func startNVML() (*nvmlChild, error) {
	cmd := exec.Command("/proc/self/exe", nvmlArg) //nolint:noctx // it outlives the reading, and ends by itself
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the reader of NVIDIA's cards: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the reader of NVIDIA's cards: %w", err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		_, _ = r.Close(), w.Close() // never used
		return nil, fmt.Errorf("starting the reader of NVIDIA's cards: %w", err)
	}
	_ = w.Close()                  // the child has its own
	go func() { _ = cmd.Wait() }() // its answers tell how it went
	return &nvmlChild{cmd: cmd, in: in, out: bufio.NewReader(r), end: func() {
		_ = cmd.Process.Kill() // may have ended already
		_, _ = in.Close(), r.Close()
	}}, nil
}

// ask returns the child's answer. When ctx is done, the child is killed.
func (c *nvmlChild) ask(ctx context.Context) (answer nvmlAnswer, err error) {
	defer context.AfterFunc(ctx, c.end)()
	if _, err = io.WriteString(c.in, "\n"); err == nil {
		var raw []byte
		if raw, err = c.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(raw, &answer)
		}
	}
	if err != nil {
		return answer, fmt.Errorf("asking the reader of NVIDIA's cards: %w", errors.Join(ctx.Err(), err))
	}
	return answer, nil
}

// askSMI reads the cards with NVIDIA's tool. It costs a hundred times as much processor time.
func askSMI(ctx context.Context, tool string) ([]GPUCard, error) {
	cards, err := run(ctx, tool, "--query-gpu="+smiQuery, "--format=csv,noheader,nounits")
	if err != nil {
		return nil, err
	}
	processes, err := run(ctx, tool, "--query-compute-apps=gpu_uuid,pid,used_memory,process_name", "--format=csv,noheader,nounits")
	if err != nil {
		processes = nil // the cards matter more
	}
	return parseNvidiaSMI(cards, processes), nil
}
