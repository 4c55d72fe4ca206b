package appearance

import "testing"

func TestZoomSteps(t *testing.T) {
	for _, tt := range []struct{ now, up, down int }{{100, 110, 90}, {300, 300, 250}, {50, 60, 50}, {135, 150, 130}} {
		if up, down := NextZoom(tt.now, 1), NextZoom(tt.now, -1); up != tt.up || down != tt.down {
			t.Errorf("from %d: %d and %d, want %d and %d", tt.now, up, down, tt.up, tt.down)
		}
	}
}
