package loopback

import "testing"

func TestIs(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:11434": true, "127.9.9.9": true, "LocalHost:1": true, "localhost": true,
		"::1": true, "[::1]": true, "[::1]:11434": true, "::ffff:127.0.0.1": true,
		"": false, ":80": false, "0.0.0.0:1": false, "::": false, "box:11434": false, "10.0.0.2:11434": false,
		"127.0.0.1.example.org": false, "localhost.example.org": false,
	} {
		if got := Is(host); got != want {
			t.Errorf("Is(%q) = %t, want %t", host, got, want)
		}
	}
}
