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
			case "type", "phys_port_name":
				files[dir+key] = value + "\n"
			case "down":
				files[dir+"operstate"] = "down\n"
			default:
				files[dir+word] = "x\n"
			}
		}
	}
	return files
}

// routes returns /proc/net/route; each is an interface, its destination, mask and metric, and
// "on-link" if it leads to neighbours, not to a gateway.
func routes(rows ...string) map[string]string {
	text := "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
	for _, row := range rows {
		f := strings.Fields(row)
		gateway, flags := "010200C0", "0003"
		if len(f) > 4 {
			gateway, flags = "00000000", "0001"
		}
		text += fmt.Sprintf("%s\t%s\t%s\t%s\t0\t0\t%s\t%s\t0\t0\t0\n", f[0], f[1], gateway, flags, f[3], f[2])
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
		{"a laptop in a dock, with two VPNs and a guest of its own", files(nets("lo", "wlan0 device type=1", "enx00e04c680001 device type=1", "wg0 type=65534", "tailscale0 tun_flags type=65534", "vnet0 tun_flags master=virbr0", "virbr0 bridge/bridge_id"), routes("enx00e04c680001 00000000 00000000 100", "wlan0 00000000 00000000 600")), "enx00e04c680001, wlan0"},
		{"a node of Kubernetes", files(nets("lo", "ens192 device", "docker0 bridge/bridge_id down", "cni0 bridge/bridge_id", "flannel.1 lower=ens192", "vxlan.calico", "cali12ab34cd56e", "tunl0", "cilium_net", "cilium_host", "lxc0a1b", "kube-ipvs0 down", "nodelocaldns"), routes("ens192 00000000 00000000 100", "cni0 0000F40A 0000FFFF 0")), "ens192"},
		{"a card that switches: what its guests send goes through its port", nets("lo", "enp3s0f0np0 device phys_switch_id phys_port_name=p0", "enp3s0f0npf0vf0 device phys_switch_id phys_port_name=pf0vf0", "eth4 device phys_switch_id phys_port_name=pf0vf1", "eth5 device phys_switch_id phys_port_name=c1pf0vf2", "enp3s0f0v0 device"), "enp3s0f0np0, enp3s0f0v0"},
		{"a port of a card with several", nets("lo", "enp1s0f0np0 device phys_port_name=p0", "enp1s0f1np1 device phys_port_name=p1"), "enp1s0f0np0, enp1s0f1np1"},
		{"macvlan, ipvlan, MACsec and a VXLAN", nets("lo", "eno2 device", "mv0 lower=eno2", "iv0 lower=eno2", "macsec0 lower=eno2", "vx42"), "eno2"},
		{"a container of OpenVZ", files(nets("lo", "venet0 type=65535"), routes("venet0 00000000 00000000 0")), "venet0"},
		{"a container without root", files(nets("lo", "tap0 tun_flags"), routes("tap0 00000000 00000000 0", "tap0 0002000A 00FFFFFF 0")), "tap0"},
		{"a guest of Hyper-V without its function of the card", nets("lo", "eth0 device type=1", "docker0 bridge/bridge_id"), "eth0"},
		{"a modem that dials, beside a card for the network at home", files(nets("lo", "eth0 device type=1", "ppp0 type=512"), routes("ppp0 00000000 00000000 0", "eth0 0001A8C0 00FFFFFF 0 on-link")), "eth0, ppp0"},
		{"DSL by PPPoE", files(nets("lo", "eth0 device type=1", "lan0 device type=1", "ppp0 type=512"), routes("ppp0 00000000 00000000 0", "lan0 0001A8C0 00FFFFFF 0 on-link"), map[string]string{"proc/net/pppoe": "Id       Address              Device\n0000B201 00:1b:21:3c:4d:5e     eth0\n"}), "eth0, lan0"},
		{"a VPN by PPP that takes everything", files(nets("lo", "wlan0 device type=1", "ppp0 type=512"), routes("ppp0 00000000 00000000 0", "wlan0 0A0200C0 FFFFFFFF 0")), "wlan0"},
		{"a VPN by PPP over an LTE modem, whose routes name no gateway", files(nets("lo", "wwan0 device type=65534", "ppp0 type=512"), routes("wwan0 00000000 00000000 700 on-link", "ppp0 00000000 00000000 0 on-link", "wwan0 0A0200C0 FFFFFFFF 0 on-link")), "wwan0"},
		{"an LTE modem by its own driver", files(nets("lo", "wwan0 device type=65534", "qmimux0 lower=wwan0"), routes("qmimux0 00000000 00000000 0")), "wwan0"},
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
		{"a tablet, a stylus, a game controller and a UPS at a desktop PC", files(
			supply("wacom_battery_0", "type=Battery", "scope=Device", "capacity=55", "status=Discharging"), supply("wacom_ac_0", "type=Mains", "scope=Device", "online=0"),
			supply("ps-controller-battery-a0:5a:5c:12:34:56", "type=Battery", "scope=Device", "capacity=10", "present=1", "status=Discharging"), supply("PCHG0", "type=Battery", "scope=Device", "capacity=80", "status=Charging"),
			supply("ups0", "type=UPS", "online=0", "capacity=90")), BatteryReading{}, "no battery"},
		{"a Chromebook at its charger by USB", files(supply("sbs-9-000b", "type=Battery", "scope=System", "charge_now=3000000", "charge_full=4000000", "voltage_now=8000000", "status=Charging"), supply("CROS_USBPD_CHARGER0", "type=USB", "online=1"), supply("CROS_USBPD_CHARGER1", "type=USB", "online=0")), BatteryReading{Percent: 75, Charging: true}, ""},
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
// source and options of the file system, with "over" if it covers the one before.
func mounts(rows ...string) map[string]string {
	files, text := map[string]string{}, ""
	for i, row := range rows {
		f := strings.Fields(row)
		parent := 1
		options, over := strings.CutSuffix(f[5], ",over")
		if over {
			parent = 20 + i - 1
		}
		text += fmt.Sprintf("%d %d %s %s %s rw,relatime shared:1 - %s %s %s\n", 20+i, parent, f[0], f[1], f[2], f[3], f[4], options)
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
		{"bcachefs on three disks", mounts("0:29 / / bcachefs /dev/sda2:/dev/sdb:/dev/nvme0n1p3 rw"), []string{"/ sda2 sdb nvme0n1p3"}},
		{"two disks as one, in volumes that are encrypted", files(mounts("253:2 / / ext4 /dev/mapper/vg-root rw", "253:3 / /home xfs /dev/mapper/vg-home rw", "259:1 / /boot/efi vfat /dev/nvme0n1p1 rw", "0:55 / /media/nas nfs4 nas:/x rw", "0:56 / /mnt/share cifs //nas/share rw", "0:57 / /home/u/remote fuse.sshfs u@nas:/x rw"),
			map[string]string{"link sys/dev/block/253:2": "sys/devices/virtual/block/dm-2", "link sys/dev/block/253:3": "sys/devices/virtual/block/dm-3"}), []string{"/ dm-2", "/home dm-3", "/boot/efi nvme0n1p1"}},
		{"a Raspberry Pi with a root that forgets", mounts("0:22 / / overlay overlayroot rw", "179:2 / /media/root-ro ext4 /dev/mmcblk0p2 ro", "0:21 / /media/root-rw tmpfs tmpfs-root rw", "179:1 / /boot/firmware vfat /dev/mmcblk0p1 rw"), []string{"/boot/firmware mmcblk0p1"}},
		{"a router with flash memory", mounts("31:5 / /rom squashfs /dev/root ro", "0:17 / /overlay ubifs /dev/ubi0_1 rw", "0:18 / / overlay overlayfs:/overlay rw"), []string{"/overlay ubi0_1"}},
		{"Fedora without a root of its own", mounts("0:30 / / overlay composefs ro", "0:33 /root /sysroot btrfs /dev/sda3 rw,subvol=/root", "0:33 /root/ostree/deploy/fedora/var /var btrfs /dev/sda3 rw,subvol=/root", "0:33 /home /var/home btrfs /dev/sda3 rw,subvol=/home", "8:2 / /boot ext4 /dev/sda2 rw"), []string{"/sysroot sda3", "/boot sda2"}},
		{"WSL", mounts("8:32 / / ext4 /dev/sdc rw", "0:50 / /mnt/c 9p C:\\134 rw", "0:51 / /usr/lib/wsl/drivers 9p drivers ro", "8:32 / /mnt/wslg/distro ext4 /dev/sdc rw", "0:24 / /mnt/wsl tmpfs none rw"), []string{"/ sdc"}},
		{"an encrypted home over another one", files(mounts("8:2 / / ext4 /dev/sda2 rw", "8:3 / /home ext4 /dev/sda3 rw", "253:0 / /home ext4 /dev/mapper/home rw,over"), map[string]string{"link sys/dev/block/253:0": "sys/devices/virtual/block/dm-0"}), []string{"/ sda2", "/home dm-0"}},
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
		{"two disks as one, in a volume that is encrypted, and swap in memory", blocks("nvme0n1 device/x", "nvme1n1 device/x", "md127 slave=nvme0n1p2 slave=nvme1n1p2", "dm-0 slave=md127", "dm-1 slave=dm-0", "dm-2 slave=dm-1", "zram0"), "nvme0n1 nvme1n1", "nvme0n1 nvme0n1p1 nvme0n1p2 nvme1n1 nvme1n1p2 md127 dm-0 dm-1 dm-2 zram0"},
		{"two ways to a disk of a network", blocks("sdb device/x", "sdc device/x", "dm-0 slave=sdb slave=sdc"), "sdb sdc", "sdb sdc dm-0"},
		{"flash memory, a controller with a long name and a disk of User-mode Linux", blocks("mtdblock5 device/x", "cciss!c0d0 device/x", "ubda device/x"), "mtdblock5 cciss/c0d0 ubda", "mtdblock5 cciss/c0d0 cciss/c0d0p1 ubda"},
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
		{"a Raspberry Pi", hwmon(0, "cpu_thermal", "temp1_input=47718", "temp1_crit=110000"), reading(Sensor{"cpu_thermal", 47.718}), ""},
		{"a board's chip with inputs of which one is connected, beside a processor", files(hwmon(0, "it8665", "temp1_input=-128000", "temp2_input=39000", "temp3_input=-55000", "temp4_input=255000", "temp5_input=0"), hwmon(1, "k10temp", "temp1_input=61250", "temp1_label=Tctl")), reading(Sensor{"k10temp Tctl", 61.25}, Sensor{"it8665", 39}), ""},
		{"a card that is switched off, and a network card that is down", files(hwmon(0, "amdgpu", "temp1_input=511000"), hwmon(1, "iwlwifi_1", "temp1_input="), hwmon(2, "coretemp", "temp1_input=44000", "temp1_label=Package id 0")), reading(Sensor{"coretemp Package id 0", 44}), ""},
		{"clusters of ARM, of which one is off", map[string]string{
			"sys/class/thermal/thermal_zone0/type": "cpu0-thermal\n", "sys/class/thermal/thermal_zone0/temp": "51200\n",
			"sys/class/thermal/thermal_zone1/type": "cpu4-thermal\n", "sys/class/thermal/thermal_zone1/temp": "-274000\n",
		}, reading(Sensor{"cpu0-thermal", 51.2}), ""},
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

func TestMemoryByWhatTheKernelSays(t *testing.T) {
	const gb = 1 << 30
	meminfo := "MemTotal: 67108864 kB\nMemFree: 8388608 kB\nMemAvailable: 41943040 kB\nCached: 33554432 kB\nSwapTotal: 8388608 kB\nSwapFree: 6291456 kB\n"
	whole := MemoryReading{Used: 24 * gb, Total: 64 * gb, Available: 40 * gb, Cached: 32 * gb, SwapUsed: 2 * gb, SwapTotal: 8 * gb}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  MemoryReading
	}{
		{"a machine with swap in its memory", nil, whole},
		{"the machine's own group", map[string]string{"sys/fs/cgroup/cgroup.controllers": "cpu memory\n", "sys/fs/cgroup/memory.stat": "anon 1\n"}, whole},
		{"a container without a limit", map[string]string{"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "1073741824\n"}, whole},
		{"a container with a limit", map[string]string{
			"sys/fs/cgroup/memory.max": "2147483648\n", "sys/fs/cgroup/memory.current": "1610612736\n", "sys/fs/cgroup/memory.swap.max": "1073741824\n", "sys/fs/cgroup/memory.swap.current": "268435456\n",
			"sys/fs/cgroup/memory.stat": "anon 500\nfile 805306368\nshmem 268435456\ninactive_file 402653184\nactive_file 134217728\nslab_reclaimable 0\nslab_unreclaimable 4096\n",
		}, MemoryReading{Used: gb, Total: 2 * gb, Available: gb, Cached: gb / 2, SwapUsed: gb / 4, SwapTotal: gb}},
		{"a container with a limit and without swap", map[string]string{
			"sys/fs/cgroup/memory.max": "2147483648\n", "sys/fs/cgroup/memory.current": "1073741824\n", "sys/fs/cgroup/memory.swap.max": "0\n", "sys/fs/cgroup/memory.swap.current": "0\n",
		}, MemoryReading{Used: gb, Total: 2 * gb, Available: gb, SwapNA: "no swap"}},
		{"a container with a limit, by the first version of groups", map[string]string{
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "4294967296\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "3221225472\n",
			"sys/fs/cgroup/memory/memory.stat": "cache 1\ninactive_file 7\nactive_file 7\ntotal_inactive_file 1073741824\ntotal_active_file 1073741824\n",
		}, MemoryReading{Used: gb, Total: 4 * gb, Available: 3 * gb, Cached: 2 * gb, SwapUsed: 2 * gb, SwapTotal: 8 * gb}},
		{"the first version, without a limit", map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "3221225472\n"}, whole},
		{"a limit without its use", map[string]string{"sys/fs/cgroup/memory.max": "2147483648\n"}, whole},
		{"a container that is full", map[string]string{
			"sys/fs/cgroup/memory.max": "2147483648\n", "sys/fs/cgroup/memory.current": "2147487744\n", "sys/fs/cgroup/memory.stat": "inactive_file 0\nactive_file 0\n", "sys/fs/cgroup/memory.swap.max": "0\n",
		}, MemoryReading{Used: 2 * gb, Total: 2 * gb, SwapNA: "no swap"}},
		{"a limit above the machine's memory", map[string]string{"sys/fs/cgroup/memory.max": "1099511627776\n", "sys/fs/cgroup/memory.current": "1073741824\n"}, whole},
		{
			"OpenVZ, with a kernel that doesn't tell what is available",
			map[string]string{"proc/meminfo": "MemTotal: 2097152 kB\nMemFree: 1048576 kB\nCached: 524288 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"},
			MemoryReading{Used: gb / 2, Total: 2 * gb, Available: gb + gb/2, Cached: gb / 2, SwapNA: "no swap"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, files(map[string]string{"proc/meminfo": meminfo, "proc/vmstat": "pswpin 0\npswpout 0\n", "proc/pressure/memory": "some avg10=0.00 avg60=0 avg300=0 total=0\n"}, c.files))
			var s Snapshot
			apply, err := (&memoryReader{host: tr.host()}).read(t.Context())
			if err == nil {
				apply(&s)
			}
			c.want.Pressure = s.Memory.Pressure
			expect(t, err, "", c.want, s.Memory)
		})
	}
}
