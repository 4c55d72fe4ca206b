package monitor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// nets returns the files of network interfaces, each written as its name and what sysfs has
// of it: "eth0 device master=br0 lower=eth1 down".
func nets(interfaces ...string) map[string]string {
	files := map[string]string{}
	for _, one := range interfaces {
		words := strings.Fields(one)
		dir := "sys/class/net/" + words[0] + "/"
		files[dir+"ifindex"], files[dir+"operstate"] = "2\n", "up\n"
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "device":
				files["link "+dir+"device"] = "/sys/devices/not/in/this/tree"
			case "backend":
				files["link "+dir+"device/subsystem"] = "sys/bus/xen-backend"
			case "master":
				files["link "+dir+"master"] = "sys/class/net/" + value
			case "lower":
				files["link "+dir+"lower_"+value] = "sys/class/net/" + value
			case "type":
				files[dir+"type"] = value + "\n"
			case "down":
				files[dir+"operstate"] = "down\n"
			default:
				files[dir+word] = "x\n"
			}
		}
	}
	return files
}

// routes returns /proc/net/route; each is an interface, its destination, mask and metric.
func routes(rows ...string) map[string]string {
	text := "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
	for _, row := range rows {
		f := strings.Fields(row)
		text += fmt.Sprintf("%s\t%s\t010200C0\t0003\t0\t0\t%s\t%s\t0\t0\t0\n", f[0], f[1], f[3], f[2])
	}
	return map[string]string{"proc/net/route": text}
}

func TestNetworkCountsWhatLeavesTheMachineOnce(t *testing.T) {
	const any6 = "00000000000000000000000000000000"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"one card", nets("lo", "eth0 device"), "eth0"},
		{"EC2", nets("lo", "ens5 device", "docker0 bridge/bridge_id"), "ens5"},
		{"s390", nets("lo", "encbdf0 device"), "encbdf0"},
		{"Wi-Fi, a cable that was unplugged and a telephone by USB", nets("lo", "wlp3s0 device", "enp0s31f6 device down", "enx0a1b device"), "enp0s31f6, enx0a1b, wlp3s0"},
		{"a bridge of one card, with taps of virtual machines", nets("lo", "eno1 device master=vmbr0", "vmbr0 bridge/bridge_id lower=eno1", "tap100i0 tun_flags master=fwbr100i0", "fwbr100i0 bridge/bridge_id", "fwpr100p0 master=vmbr0", "fwln100i0 master=fwbr100i0"), "eno1"},
		{"a bond in a bridge", nets("lo", "ens1f0 device master=bond0", "ens1f1 device master=bond0", "bond0 bonding/mode master=br0 lower=ens1f0 lower=ens1f1", "br0 bridge/bridge_id lower=bond0"), "ens1f0, ens1f1"},
		{"VLANs by any name", nets("lo", "eth0 device", "eth0.10 lower=eth0", "guests lower=eth0", "macvlan0 lower=eth0"), "eth0"},
		{"four VPNs", files(nets("lo", "eth0 device", "wg-home", "nordlynx", "tailscale0 tun_flags", "proton0 tun_flags"), routes("nordlynx 00000000 00000000 50", "eth0 00000000 00000000 100")), "eth0"},
		{"Docker, podman and libvirt", nets("lo", "eth0 device", "docker0 bridge/bridge_id", "br-1f2e bridge/bridge_id", "veth12ab master=docker0", "podman1 bridge/bridge_id", "cni-podman0 bridge/bridge_id", "virbr0 bridge/bridge_id", "vnet3 tun_flags master=virbr0"), "eth0"},
		{"shaping, a dummy and a mirror", nets("lo", "eth0 device", "ifb4eth0", "dummy0", "nlmon0"), "eth0"},
		{"a virtual machine with a function of the card below its own", nets("lo", "eth0 device lower=enP1s1", "enP1s1 device master=eth0"), "eth0"},
		{"ports of a switch behind one card", nets("lo", "eth0 device", "lan1 device lower=eth0 master=br-lan", "lan2 device lower=eth0 master=br-lan", "br-lan bridge/bridge_id"), "eth0"},
		{"a host of Xen", nets("lo", "eth0 device master=xenbr0", "xenbr0 bridge/bridge_id", "vif1.0 backend master=xenbr0"), "eth0"},
		{"a second Wi-Fi interface that listens to the first", nets("lo", "wlan0 device type=1", "wlan0mon device type=803"), "wlan0"},
		{"a VLAN on a bond below a VRF, and a team", nets("lo", "eth0 device master=bond0", "bond0 bonding/mode lower=eth0", "bond0.7 lower=bond0 master=blue", "blue", "eth1 device master=uplink", "uplink lower=eth1"), "eth0, eth1"},
		{"routes by two VPNs in a container", files(nets("lo", "eth0", "wg0"), routes("wg0 00000000 00000000 50", "eth0 00000000 00000000 100")), "wg0"},
		{"a container", files(nets("lo", "eth0"), routes("eth0 00000000 00000000 0", "eth0 000011AC 0000FFFF 0")), "eth0"},
		{"a container without a way out", files(nets("lo", "eth0"), routes("eth0 000011AC 0000FFFF 0")), "eth0"},
		{"a container with a VPN that takes everything", files(nets("lo", "eth0", "tun0"), routes("eth0 00000000 00000000 0", "tun0 00000000 00000080 0", "tun0 00000080 00000080 0")), "eth0"},
		{"only a VPN", files(nets("lo", "wg-work"), routes("wg-work 0000000A 000000FF 0")), "wg-work"},
		{"a container with IPv6 only", files(nets("lo", "net1"), map[string]string{
			"proc/net/route": "Iface\tDestination\n",
			"proc/net/ipv6_route": any6 + " 00 " + any6 + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     net1\n" +
				any6 + " 00 " + any6 + " 00 " + any6 + " ffffffff 00000001 00000000 00200200       lo\n",
		}), "net1"},
		{"a modem that dials, beside a card without a cable", files(nets("lo", "eth0 device down", "ppp0"), routes("ppp0 00000000 00000000 0")), "ppp0"},
		{"asleep: nothing is up", nets("lo", "wlan0 device down", "eth0 device down"), "eth0, wlan0"},
		{"nothing but loopback", nets("lo"), ""},
		{"nothing but a bridge of its own", nets("lo", "docker0 bridge/bridge_id down"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var names []string
			for name := range c.files {
				if of, ok := strings.CutSuffix(name, "/ifindex"); ok {
					names = append(names, strings.TrimPrefix(of, "sys/class/net/"))
				}
			}
			dev := func(n uint64) string {
				rows := map[string][2]uint64{}
				for _, name := range names {
					rows[name] = [2]uint64{n, n}
				}
				return netDev(rows)
			}
			tr := newTree(t, files(c.files, map[string]string{"proc/net/dev": dev(1)}))
			s, err := readings(t, &networkReader{host: tr.host()}, func() { tr.write("proc/net/dev", dev(1001)) }, time.Second)
			if c.want == "" {
				expect(t, err, "no network interface", NetworkReading{}, s.Network)
				return
			}
			counted := strings.Join(s.Network.Interfaces, ", ")
			each := float64(len(s.Network.Interfaces)) * 1000
			if err != nil || counted != c.want || s.Network.Down != each || s.Network.Up != each {
				t.Errorf("%v: counts %q, want %q; %+v", err, counted, c.want, s.Network)
			}
		})
	}
}

// supply returns the files of a power supply, each written as "file=content".
func supply(name string, attributes ...string) map[string]string {
	files := map[string]string{}
	for _, a := range attributes {
		file, content, _ := strings.Cut(a, "=")
		files["sys/class/power_supply/"+name+"/"+file] = content + "\n"
	}
	return files
}

func TestBattery(t *testing.T) {
	mains := func(online string) map[string]string { return supply("AC", "type=Mains", "online="+online) }
	cell := func(name, now, status string) map[string]string {
		return supply(name, "type=Battery", "present=1", "energy_now="+now, "energy_full=50000000", "status="+status)
	}
	mouse := supply("hidpp_battery_0", "type=Battery", "scope=Device", "capacity=3", "status=Discharging")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  BatteryReading
		na    string
	}{
		{"charging", files(cell("BAT0", "25000000", "Charging"), mains("1")), BatteryReading{Percent: 50, Charging: true}, ""},
		{"on battery", files(cell("BAT0", "25000000", "Discharging"), mains("0")), BatteryReading{Percent: 50, OnBattery: true}, ""},
		{"two, one empties", files(cell("BAT0", "50000000", "Full"), cell("BAT1", "0", "Discharging")), BatteryReading{Percent: 50, OnBattery: true}, ""},
		{"two of different size", files(cell("BAT0", "50000000", "Full"), supply("BAT1", "type=Battery", "charge_now=0", "charge_full=2500000", "voltage_now=10000000", "status=Full")), BatteryReading{Percent: 66.6667}, ""},
		{"held at 80 % on mains", files(cell("BAT0", "40000000", "Not charging"), mains("1")), BatteryReading{Percent: 80}, ""},
		{"emptied although on mains, to condition it", files(cell("BAT0", "40000000", "Discharging"), mains("1")), BatteryReading{Percent: 80}, ""},
		{"a charger at a USB port", files(cell("BAT0", "40000000", "Not charging"), supply("ucsi-source-psy-1", "type=USB", "online=1"), supply("ucsi-source-psy-2", "type=USB", "online=0")), BatteryReading{Percent: 80}, ""},
		{"no charger at the USB ports, and no word of the battery's state", files(cell("BAT0", "40000000", "Unknown"), supply("ucsi-source-psy-1", "type=USB", "online=0")), BatteryReading{Percent: 80, OnBattery: true}, ""},
		{"fuller than full", cell("BAT0", "51000000", "Full"), BatteryReading{Percent: 100}, ""},
		{"capacity only", supply("cw2015-battery", "type=Battery", "capacity=73", "status=Discharging"), BatteryReading{Percent: 73, OnBattery: true}, ""},
		{"a full charge that isn't known", supply("BAT0", "type=Battery", "energy_now=10", "energy_full=0", "capacity=41", "status=Full"), BatteryReading{Percent: 41}, ""},
		{"a faulty one beside a good one", files(cell("BAT0", "25000000", "Full"), supply("BAT1", "type=Battery", "status=Unknown", "capacity=garbage")), BatteryReading{Percent: 50, Without: "BAT1"}, ""},
		{"an empty bay", files(cell("BAT0", "25000000", "Full"), supply("BAT1", "type=Battery", "present=0")), BatteryReading{Percent: 50}, ""},
		{"a laptop with a mouse", files(cell("BAT0", "25000000", "Full"), mouse, mains("1")), BatteryReading{Percent: 50}, ""},
		{"a desktop PC with a mouse and a keyboard", files(mouse, supply("hid-00:11-battery", "type=Battery", "scope=Device", "present=1", "capacity=40", "status=Discharging")), BatteryReading{}, "no battery"},
		{"a UPS", supply("ups", "type=UPS", "capacity=40", "status=Discharging"), BatteryReading{}, "no battery"},
		{"mains alone", mains("1"), BatteryReading{}, "no battery"},
		{"none", nil, BatteryReading{}, "no battery"},
		{"one that tells nothing", supply("BAT0", "type=Battery", "present=1"), BatteryReading{}, "the battery doesn't report its charge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Snapshot
			apply, err := newBatteryReader(newTree(t, c.files).host()).read(t.Context())
			if err == nil {
				apply(&s)
			}
			expect(t, err, c.na, c.want, s.Battery)
		})
	}
}

// mounts returns /proc/self/mountinfo; each row is device number, root, mount point, kind,
// source and options of the file system.
func mounts(rows ...string) map[string]string {
	files, text := map[string]string{}, ""
	for i, row := range rows {
		f := strings.Fields(row)
		text += fmt.Sprintf("%d 1 %s %s %s rw,relatime shared:1 - %s %s %s\n", 20+i, f[0], f[1], f[2], f[3], f[4], f[5])
		path := "root" + strings.ReplaceAll(f[2], `\040`, " ")
		if !strings.HasPrefix(f[2], "/etc/h") { // a file is mounted there
			path += "/.kept"
		}
		files[path] = ""
	}
	files["proc/self/mountinfo"] = text
	return files
}

func TestEachFileSystemIsOneVolume(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"partitions", mounts("259:2 / / ext4 /dev/nvme0n1p2 rw", "259:1 / /boot vfat /dev/nvme0n1p1 rw", "0:21 / /proc proc proc rw", "0:5 / /dev devtmpfs devtmpfs rw", "0:30 / /run tmpfs tmpfs rw"), []string{"/ nvme0n1p2", "/boot nvme0n1p1"}},
		{"two pools with datasets of one name", mounts("0:40 / /tank zfs tank rw", "0:41 / /tank/data zfs tank/data rw", "0:42 / /backup/data zfs backup/data rw", "0:43 / /backup/more zfs backup/more rw"), []string{"/tank ", "/backup/data "}},
		{"subvolumes of btrfs", mounts("0:33 /@ / btrfs /dev/sda2 rw,subvolid=256,subvol=/@", "0:33 /@home /home btrfs /dev/sda2 rw,subvolid=257,subvol=/@home", "0:33 /@/var /srv/var btrfs /dev/sda2 rw,subvol=/@"), []string{"/ sda2"}},
		{"images of snap and a CD", mounts("8:1 / / ext4 /dev/sda1 rw", "7:3 / /snap/core/1 squashfs /dev/loop3 ro", "7:4 / /mnt/cd iso9660 /dev/loop4 ro", "7:5 / /var/lib/snapd/snap/x/2 squashfs /dev/loop5 ro", "254:1 / /usr/image erofs /dev/dm-1 ro"), []string{"/ sda1"}},
		{"a container", mounts("0:50 / / overlay overlay rw", "8:1 /var/lib/c/hosts /etc/hosts ext4 /dev/sda1 rw", "8:1 /var/lib/c/hostname /etc/hostname ext4 /dev/sda1 rw", "8:1 /vol/_data /data ext4 /dev/sda1 rw"), []string{"/data sda1"}},
		{"a bind with a shorter path than the whole", mounts("8:1 /x /m ext4 /dev/sda1 rw", "8:1 / /mnt/disk ext4 /dev/sda1 rw"), []string{"/mnt/disk sda1"}},
		{"shares and what fuse makes", mounts("8:1 / / ext4 /dev/sda1 rw", "0:60 / /net nfs4 server:/x rw", "0:61 / /smb cifs //server/x rw", "0:62 / /etc/pve fuse /dev/fuse rw", "0:63 / /ssh fuse.sshfs me@host: rw", "0:64 / /host 9p host rw"), []string{"/ sda1"}},
		{"a disk of Windows through fuse", mounts("8:17 / /media/a\\040disk fuseblk /dev/sdb1 rw"), []string{"/media/a disk sdb1"}},
		{"encrypted, by the device's number", files(mounts("253:0 / / ext4 /dev/mapper/luks-1 rw"), map[string]string{"link sys/dev/block/253:0": "sys/devices/virtual/block/dm-0"}), []string{"/ dm-0"}},
		{"btrfs on two disks", files(mounts("0:33 / /pool btrfs /dev/sdb rw,subvol=/"), map[string]string{"sys/fs/btrfs/1-2/devices/sdb/size": "1", "sys/fs/btrfs/1-2/devices/sdc/size": "1", "sys/fs/btrfs/3-4/devices/sdd/size": "1"}), []string{"/pool sdb sdc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, c.files)
			var got []string
			for _, v := range findVolumes(t.Context(), tr.host()) {
				got = append(got, v.path+" "+strings.Join(v.devices, " "))
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// blocks returns the entries of /sys/block, each written as its name and what sysfs has of
// it: "dm-0 slave=sda2".
func blocks(devices ...string) map[string]string {
	files := map[string]string{}
	for _, one := range devices {
		words := strings.Fields(one)
		dir := "sys/block/" + words[0] + "/"
		files[dir+"size"] = "1000\n"
		for _, word := range words[1:] {
			if of, isSlave := strings.CutPrefix(word, "slave="); isSlave {
				files[dir+"slaves/"+of+"/size"] = "1000\n"
			} else {
				files[dir+word] = "1\n"
			}
		}
	}
	return files
}

func TestDiskRatesCountWholeDisksOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		counted string // of the devices of diskstats, one after the other
		devices string // all of diskstats
	}{
		{"partitions, a mapping, a RAID and an image", blocks("sda device/x", "nvme0n1 device/x", "dm-0 slave=sda1", "md0 slave=sda1 slave=nvme0n1p2", "loop3"), "sda nvme0n1", "sda sda1 nvme0n1 nvme0n1p2 dm-0 loop3 md0"},
		{"EC2 with a disk named as a partition", blocks("xvda1 device/x", "xvdb device/x"), "xvda1 xvdb", "xvda1 xvdb"},
		{"s390", blocks("dasda device/x", "dasdb device/x"), "dasda dasdb", "dasda dasda1 dasdb dasdb1"},
		{"a disk over the network", blocks("nbd0 pid", "zram0", "ram0"), "nbd0", "nbd0 nbd0p1 zram0 ram0"},
		{"a cache before a disk", blocks("sdb device/x", "nvme0n1 device/x", "bcache0 slave=sdb slave=nvme0n1"), "sdb nvme0n1", "sdb nvme0n1 bcache0"},
		{"a card", blocks("mmcblk0 device/x", "mmcblk0boot0 device/x"), "mmcblk0", "mmcblk0 mmcblk0p1"},
		{"disks of virtual machines in a pool", blocks("sda device/x", "zd0", "zd16"), "sda", "sda sda1 zd0 zd0p1 zd16"},
		{"a path below a disk of several", blocks("nvme0n1 device/x", "nvme0c0n1 device/x hidden"), "nvme0n1", "nvme0n1 nvme0c0n1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stats := func(sectors int) string {
				text := ""
				for i, name := range strings.Fields(c.devices) {
					text += fmt.Sprintf("8 %d %s 1 0 %d 1 1 0 %d 1 0 1 1\n", i, name, sectors, 2*sectors)
				}
				return text
			}
			tr := newTree(t, files(c.files, map[string]string{"proc/diskstats": stats(0)}))
			s, err := readings(t, &diskReader{host: tr.host()}, func() { tr.write("proc/diskstats", stats(1000)) }, time.Second)
			n := float64(len(strings.Fields(c.counted)))
			if err != nil || s.Disk.RateNA != "" || s.Disk.ReadRate != n*512*1000 || s.Disk.WriteRate != n*512*2000 {
				t.Errorf("%v, want %s: %+v", err, c.counted, s.Disk)
			}
			if s.Disk.Total == 0 || s.Disk.Free == 0 {
				t.Errorf("no space: %+v", s.Disk)
			}
		})
	}
}

func TestAVolumeHasTheRateOfItsDevices(t *testing.T) {
	stats := func(n int) string {
		return fmt.Sprintf("8 16 sdb 1 0 %[1]d 1 1 0 0 1 0 1 1\n8 32 sdc 1 0 %[1]d 1 1 0 0 1 0 1 1\n252 0 bcache0 1 0 %[1]d 1 1 0 0 1 0 1 1\n", n)
	}
	tr := newTree(t, files(
		mounts("252:0 / / ext4 /dev/bcache0 rw", "0:33 / /pool btrfs /dev/sdb rw,subvol=/", "0:40 / /tank zfs tank rw"),
		map[string]string{"sys/fs/btrfs/1-2/devices/sdb/size": "1", "sys/fs/btrfs/1-2/devices/sdc/size": "1", "proc/diskstats": stats(0)},
	))
	s, err := readings(t, &diskReader{host: tr.host()}, func() { tr.write("proc/diskstats", stats(1000)) }, time.Second)
	got := map[string]float64{}
	for _, v := range s.Disk.Volumes {
		if v.RateNA == "" {
			got[v.Path] = v.ReadRate
		}
	}
	if diff := cmp.Diff(map[string]float64{"/": 512000, "/pool": 2 * 512000}, got); err != nil || diff != "" || len(s.Disk.Volumes) != 3 {
		t.Errorf("%v (-want +got):\n%s\n%+v", err, diff, s.Disk.Volumes)
	}
}

// hwmon returns the files of a chip of sensors, each written as "file=content".
func hwmon(n int, name string, attributes ...string) map[string]string {
	dir := fmt.Sprintf("sys/class/hwmon/hwmon%d/", n)
	files := map[string]string{dir + "name": name + "\n"}
	for _, a := range attributes {
		file, content, _ := strings.Cut(a, "=")
		files[dir+file] = content + "\n"
	}
	return files
}

func TestTemperature(t *testing.T) {
	reading := func(all ...Sensor) TemperatureReading {
		return TemperatureReading{Sensor: all[0].Name, Celsius: all[0].Celsius, All: all}
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  TemperatureReading
		na    string
	}{
		{"the hottest, by its label", hwmon(0, "coretemp", "temp1_input=81500", "temp1_label=Package id 0", "temp2_input=60000", "temp2_label=Core 0"), reading(Sensor{"coretemp Package id 0", 81.5}, Sensor{"coretemp Core 0", 60}), ""},
		{"a real one at its limit", hwmon(0, "coretemp", "temp1_input=100000", "temp1_max=100000", "temp1_crit=100000"), reading(Sensor{"coretemp", 100}), ""},
		{"unconnected inputs", hwmon(0, "nct6775", "temp1_input=-128000", "temp2_input=0", "temp3_input=255000", "temp4_input=127000", "temp5_input=125500", "temp6_input=-61000", "temp7_input=38000"), reading(Sensor{"nct6775", 38}), ""},
		{"a fault that the chip reports", hwmon(0, "adt7475", "temp1_input=96000", "temp1_fault=1", "temp2_input=41000", "temp2_fault=0"), reading(Sensor{"adt7475", 41}), ""},
		{"an input that is switched off", hwmon(0, "nct6687", "temp1_input=96000", "temp1_enable=0", "temp2_input=41000", "temp2_enable=1"), reading(Sensor{"nct6687", 41}), ""},
		{"far beyond its own limit", files(hwmon(0, "nct6798", "temp1_input=118000", "temp1_label=AUXTIN1", "temp1_max=80000", "temp2_input=44000", "temp2_label=SYSTIN", "temp2_max=80000"), hwmon(1, "nvme", "temp1_input=88000", "temp1_max=81850", "temp1_crit=84850")), reading(Sensor{"nvme", 88}, Sensor{"nct6798 SYSTIN", 44}), ""},
		{"a limit that is nonsense", hwmon(0, "acpitz", "temp1_input=51000", "temp1_crit=20800"), reading(Sensor{"acpitz", 51}), ""},
		{"Tdie, not Tctl, which has an offset", hwmon(0, "k10temp", "temp1_input=95000", "temp1_label=Tctl", "temp2_input=68000", "temp2_label=Tdie", "temp3_input=61000", "temp3_label=Tccd1"), reading(Sensor{"k10temp Tdie", 68}, Sensor{"k10temp Tccd1", 61}), ""},
		{"Tctl where there is no Tdie", hwmon(0, "k10temp", "temp1_input=65000", "temp1_label=Tctl"), reading(Sensor{"k10temp Tctl", 65}), ""},
		{"two chips of one kind", files(hwmon(0, "nvme", "temp1_input=40000", "temp1_label=Composite"), hwmon(1, "nvme", "temp1_input=50000", "temp1_label=Composite"), map[string]string{"link sys/class/hwmon/hwmon0/device": "sys/devices/nvme0", "link sys/class/hwmon/hwmon1/device": "sys/devices/nvme1"}), reading(Sensor{"nvme1 Composite", 50}, Sensor{"nvme0 Composite", 40}), ""},
		{"two cards", files(hwmon(0, "amdgpu", "temp1_input=40000", "temp1_label=edge"), hwmon(1, "amdgpu", "temp1_input=50000", "temp1_label=edge"), map[string]string{"link sys/class/hwmon/hwmon0/device": "sys/devices/0000:03:00.0", "link sys/class/hwmon/hwmon1/device": "sys/devices/0000:0a:00.0"}), reading(Sensor{"amdgpu 0000:0a:00.0 edge", 50}, Sensor{"amdgpu 0000:03:00.0 edge", 40}), ""},
		{"zones where the chips' inputs are unconnected", files(hwmon(0, "nct6775", "temp1_input=127500"), map[string]string{"sys/class/thermal/thermal_zone0/type": "cpu\n", "sys/class/thermal/thermal_zone0/temp": "50000\n"}), reading(Sensor{"cpu", 50}), ""},
		{"files of an old kernel", map[string]string{"sys/class/hwmon/hwmon0/device/name": "w83627\n", "sys/class/hwmon/hwmon0/device/temp1_input": "39000\n"}, reading(Sensor{"w83627", 39}), ""},
		{"a sleeping card isn't read", files(hwmon(0, "amdgpu", "temp1_input=90000", "device/power/runtime_status=suspended"), hwmon(1, "k10temp", "temp1_input=40000")), reading(Sensor{"k10temp", 40}), ""},
		{"a broken sensor doesn't hide the others", hwmon(0, "k10temp", "temp1_input=garbage", "temp2_input=52000"), reading(Sensor{"k10temp", 52}), ""},
		{"thermal zones where no chip has one", files(hwmon(0, "BAT0", "in0_input=12000"), map[string]string{
			"sys/class/thermal/thermal_zone0/type": "cpu-thermal\n", "sys/class/thermal/thermal_zone0/temp": "48312\n",
		}), reading(Sensor{"cpu-thermal", 48.312}), ""},
		{"none", nil, TemperatureReading{}, "no temperature sensor"},
		{"only unconnected ones", hwmon(0, "x", "temp1_input=127000"), TemperatureReading{}, "no temperature sensor"},
		{"only broken ones", hwmon(0, "x", "temp1_input=garbage"), TemperatureReading{}, "could not be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Snapshot
			apply, err := (&temperatureReader{host: newTree(t, c.files).host()}).read(t.Context())
			if err == nil {
				apply(&s)
			}
			expect(t, err, c.na, c.want, s.Temperature)
		})
	}
}

func TestAnIdleCardMayFallAsleepBetweenTwoTemperatures(t *testing.T) {
	for name, c := range map[string]struct {
		device map[string]string
		want   float64
	}{
		"a card that may sleep":    {map[string]string{"sys/devices/gpu/power/control": "auto\n"}, 60},
		"one that may not":         {map[string]string{"sys/devices/gpu/power/control": "on\n"}, 70},
		"one that shows something": {map[string]string{"sys/devices/gpu/power/control": "auto\n", "sys/devices/gpu/drm/card0/card0-eDP-1/status": "connected\n"}, 70},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, files(hwmon(0, "amdgpu", "temp1_input=60000"), c.device, map[string]string{
				"sys/devices/gpu/drm/card0/dev": "226:0\n", "link sys/class/hwmon/hwmon0/device": "sys/devices/gpu",
			}))
			r := &temperatureReader{host: tr.host()}
			hotter := func() { tr.write("sys/class/hwmon/hwmon0/temp1_input", "70000\n") }
			if s, err := readings(t, r, hotter, 5*time.Second); err != nil || s.Temperature.Celsius != c.want {
				t.Errorf("after 5 s: %v, %+v", err, s.Temperature)
			}
			tr.write("sys/class/hwmon/hwmon0/temp1_input", "60000\n")
			if s, err := readings(t, &temperatureReader{host: tr.host()}, hotter, restTime+time.Second); err != nil || s.Temperature.Celsius != 70 {
				t.Errorf("after a minute: %v, %+v", err, s.Temperature)
			}
		})
	}
}

func TestTheCacheOfZFSIsAvailable(t *testing.T) {
	const meminfo = "MemTotal: 33554432 kB\nMemFree: 2097152 kB\nMemAvailable: 4194304 kB\nBuffers: 0 kB\nCached: 1048576 kB\n"
	arc := func(size, least uint64) string {
		return fmt.Sprintf("13 1 0x01 123 33456 1 2\nname type data\nhits 4 9\nc_min 4 %d\nc_max 4 99\nsize 4 %d\n", least, size)
	}
	for _, c := range []struct {
		name      string
		files     map[string]string
		available uint64
		cached    uint64
	}{
		{"none", nil, 4 << 30, 1 << 30},
		{"above its minimum", map[string]string{"proc/spl/kstat/zfs/arcstats": arc(16<<30, 1<<30)}, 19 << 30, 16 << 30},
		{"below its minimum", map[string]string{"proc/spl/kstat/zfs/arcstats": arc(1<<29, 1<<30)}, 4 << 30, 1 << 30},
		{"larger than the memory", map[string]string{"proc/spl/kstat/zfs/arcstats": arc(1<<40, 1<<30)}, 32 << 30, 32 << 30},
		{"damaged", map[string]string{"proc/spl/kstat/zfs/arcstats": "c_min 4 x\nsize\n"}, 4 << 30, 1 << 30},
		{"of the host, in a container with numbers of its own", files(mounts("0:70 /proc/meminfo /proc/meminfo fuse.lxcfs lxcfs rw"), map[string]string{"proc/spl/kstat/zfs/arcstats": arc(16<<30, 1<<30)}), 4 << 30, 1 << 30},
	} {
		tr := newTree(t, files(c.files, map[string]string{"proc/meminfo": meminfo, "proc/vmstat": "pswpin 0\npswpout 0\n"}))
		apply, err := (&memoryReader{host: tr.host()}).read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var s Snapshot
		apply(&s)
		if m := s.Memory; m.Available != c.available || m.Used != 32<<30-c.available || m.Cached != c.cached {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}

func TestAllOf256Cores(t *testing.T) {
	of := func(busy int) string {
		cores := make([]string, 256)
		for i := range cores {
			cores[i] = fmt.Sprintf("%d 0 0 1000 0 0 0 0 0 0", 1000+busy)
		}
		return stat(cores...)
	}
	tr := newTree(t, map[string]string{"proc/stat": of(0), "proc/loadavg": "0.52 0.40 0.31 1/200 4321\n"})
	s, err := readings(t, &cpuReader{host: tr.host()}, func() { tr.write("proc/stat", of(100)) }, time.Second)
	if err != nil || len(s.CPU.Cores) != 256 || s.CPU.Percent != 100 || s.CPU.Cores[255] != 100 {
		t.Errorf("%v: %d cores, %v %%", err, len(s.CPU.Cores), s.CPU.Percent)
	}
}
