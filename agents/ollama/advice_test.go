package ollama

import "testing"

func TestAdviceByMemory(t *testing.T) {
	for _, tt := range []struct {
		gib   uint64
		model string
	}{{0, "qwen3:4b"}, {4, "qwen3:1.7b"}, {8, "qwen3:4b"}, {16, "qwen3:8b"}, {32, "qwen3:14b"}, {128, "qwen3:14b"}} {
		got := Advice(tt.gib << 30)
		if got[0].Model != tt.model {
			t.Errorf("given %d GiB: %s, want %s", tt.gib, got[0].Model, tt.model)
		}
		if memory := float64(tt.gib << 30); memory > 0 && float64(got[0].Download) > 0.6*memory {
			t.Errorf("given %d GiB: %s takes %d bytes", tt.gib, got[0].Model, got[0].Download)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Download >= got[i-1].Download {
				t.Errorf("given %d GiB: %s is not smaller than %s", tt.gib, got[i].Model, got[i-1].Model)
			}
		}
	}
}
