package monitor

import "encoding/binary"

// The macOS message if_msghdr2 (net/if.h, net/if_var.h): one per interface, with 64-bit
// counters, followed by a sockaddr_dl with the name.
const (
	ifInfo2       = 0x12 // RTM_IFINFO2
	ifBytesIn     = 96
	ifBytesOut    = 104
	ifHead        = 160
	linkNameLen   = 5 // in sockaddr_dl
	linkNameStart = 8
)

// parseIFList2 parses the routing socket's list of interfaces (sysctl NET_RT_IFLIST2) and
// returns bytes received and sent by interface. It ignores incomplete messages.
func parseIFList2(data []byte) counters {
	c := counters{}
	for len(data) >= 4 {
		size := int(binary.LittleEndian.Uint16(data))
		if size < 4 || size > len(data) {
			break
		}
		message := data[:size]
		data = data[size:]
		if message[3] != ifInfo2 || size < ifHead+linkNameStart {
			continue
		}
		link := message[ifHead:]
		length := int(link[linkNameLen])
		if length == 0 || linkNameStart+length > len(link) {
			continue
		}
		c[string(link[linkNameStart:linkNameStart+length])] = [2]uint64{
			binary.LittleEndian.Uint64(message[ifBytesIn:]), binary.LittleEndian.Uint64(message[ifBytesOut:]),
		}
	}
	return c
}
