package monitor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// findClientsEvery is how often the processes are searched for new clients of graphics
// cards. A look at one that is known costs a small fraction of that.
const findClientsEvery = 15 * time.Second

// drmClients reads what the kernel knows of the programs that use a graphics card: the
// time that their work took and the memory that they hold. The format of
// /proc/<pid>/fdinfo/<fd> is in the kernel's documentation, "DRM client usage stats". Other
// users' programs are visible to root only.
type drmClients struct {
	host   host
	files  []string // fdinfo files of open cards
	hidden bool     // other users' processes couldn't be searched
	found  time.Time
	last   map[drmClient]drmUse
	at     time.Time // of last
}

// drmClient identifies one opening of a card by a program.
type drmClient struct{ card, id string }

// drmUse is the use of a card by one client.
type drmUse struct {
	pid    int
	memory uint64
	busy   map[string]uint64 // by engine: ns since it was opened
	cycles map[string]uint64 // by engine, and for "total-<engine>" the card's
	share  map[string]uint64 // by engine: how many of it the card has
}

// add fills in who uses the cards, and for cards without a load how busy these programs
// keep them; again means that this takes a second look. The cards' device folders are named
// by their PCI address.
func (d *drmClients) add(devices []string, cards []GPUCard) (again bool) {
	if time.Since(d.found) >= findClientsEvery {
		d.find()
	}
	uses, now := map[drmClient]drmUse{}, time.Now()
	for _, file := range d.files {
		client, use, ok := readClient(file)
		if !ok {
			continue // closed meanwhile
		}
		if _, twice := uses[client]; !twice { // a duplicated or inherited descriptor
			uses[client] = use
		}
	}
	for i, device := range devices {
		address, err := filepath.EvalSymlinks(device)
		if err != nil || cards[i].PercentNA == asleep {
			continue
		}
		address = filepath.Base(address)
		load := map[string]float64{}
		byPID, known := map[int]uint64{}, false
		for client, use := range uses {
			if client.card != address {
				continue
			}
			byPID[use.pid] += use.memory
			again = again || d.last == nil && cards[i].PercentNA != ""
			if before, ok := d.last[client]; ok {
				known = true
				addLoad(load, before, use, now.Sub(d.at))
			}
		}
		cards[i].Processes = nil
		for pid, memory := range byPID {
			cards[i].Processes = append(cards[i].Processes, GPUProcess{PID: pid, Name: d.host.processName(pid), Memory: memory})
		}
		slices.SortFunc(cards[i].Processes, func(a, b GPUProcess) int { return a.PID - b.PID })
		sortByMemory(cards[i].Processes)
		if d.hidden {
			cards[i].ProcessesNA = "other users' programs aren't visible"
		}
		if cards[i].PercentNA != "" && known {
			cards[i].PercentNA = ""
			for _, percent := range load {
				cards[i].Percent = max(cards[i].Percent, min(100, percent))
			}
		}
	}
	d.last, d.at = uses, now
	return again
}

// addLoad adds the load that a client put on each engine between two readings, in percent.
func addLoad(load map[string]float64, before, after drmUse, elapsed time.Duration) {
	for engine, busy := range after.busy {
		if was := before.busy[engine]; busy > was && elapsed > 0 {
			load[engine] += 100 * float64(busy-was) / float64(elapsed) / float64(max(1, after.share[engine]))
		}
	}
	for engine, cycles := range after.cycles {
		was, total := before.cycles[engine], after.cycles["total-"+engine]-before.cycles["total-"+engine]
		if cycles > was && total > 0 && !strings.HasPrefix(engine, "total-") {
			load[engine] += 100 * float64(cycles-was) / float64(total) / float64(max(1, after.share[engine]))
		}
	}
}

// find searches all processes for open cards.
func (d *drmClients) find() {
	d.found, d.files, d.hidden = time.Now(), nil, false
	root := d.host.proc()
	names, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, name := range names {
		if _, err := strconv.Atoi(name.Name()); err != nil {
			continue
		}
		fds := filepath.Join(root, name.Name(), "fd")
		open, err := os.ReadDir(fds)
		if errors.Is(err, fs.ErrPermission) {
			d.hidden = true
		}
		for _, fd := range open {
			if target, err := os.Readlink(filepath.Join(fds, fd.Name())); err == nil && strings.HasPrefix(target, "/dev/dri/") {
				d.files = append(d.files, filepath.Join(root, name.Name(), "fdinfo", fd.Name()))
			}
		}
	}
}

// readClient reads one fdinfo file; false if it isn't a card's.
func readClient(file string) (drmClient, drmUse, bool) {
	raw, err := readKernelFile(file)
	if err != nil {
		return drmClient{}, drmUse{}, false
	}
	pid, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(file))))
	if err != nil {
		return drmClient{}, drmUse{}, false
	}
	var client drmClient
	use := drmUse{pid: pid, busy: map[string]uint64{}, cycles: map[string]uint64{}, share: map[string]uint64{}}
	own, shared := map[string]uint64{}, map[string]uint64{} // by region: of the card, of the machine
	for l := range strings.Lines(string(raw)) {
		key, value, ok := strings.Cut(strings.TrimSpace(l), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		amount, unit, _ := strings.Cut(value, " ")
		n, err := strconv.ParseUint(amount, 10, 64)
		switch {
		case key == "drm-pdev":
			client.card = value
		case key == "drm-client-id":
			client.id = value
		case err != nil:
		case strings.HasPrefix(key, "drm-engine-capacity-"):
			use.share[strings.TrimPrefix(key, "drm-engine-capacity-")] = n
		case strings.HasPrefix(key, "drm-engine-"):
			use.busy[strings.TrimPrefix(key, "drm-engine-")] = n
		case strings.HasPrefix(key, "drm-cycles-"):
			use.cycles[strings.TrimPrefix(key, "drm-cycles-")] = n
		case strings.HasPrefix(key, "drm-total-cycles-"):
			use.cycles["total-"+strings.TrimPrefix(key, "drm-total-cycles-")] = n
		default:
			region, isMemory := memoryRegion(key)
			if !isMemory {
				continue
			}
			switch unit {
			case "KiB":
				n <<= 10
			case "MiB":
				n <<= 20
			}
			where := shared
			if strings.HasPrefix(region, "vram") || strings.HasPrefix(region, "local") {
				where = own
			}
			where[region] = max(where[region], n)
		}
	}
	for _, regions := range []map[string]uint64{own, shared} {
		for _, n := range regions {
			use.memory += n
		}
		if use.memory > 0 { // a card with memory of its own: what the program has in the machine's isn't the card's
			break
		}
	}
	return client, use, client.card != "" && client.id != ""
}

// memoryRegion returns the region of a key that says how much memory is there now:
// "drm-resident-vram0" and, of older kernels, "drm-memory-vram".
func memoryRegion(key string) (string, bool) {
	for _, prefix := range []string{"drm-resident-", "drm-memory-"} {
		if region, ok := strings.CutPrefix(key, prefix); ok {
			return strings.TrimRight(region, "0123456789"), true
		}
	}
	return "", false
}
