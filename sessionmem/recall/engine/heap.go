package engine

// heap keeps the items with the best scores.
type heap struct {
	limit int
	items []heapItem // a binary heap, worst first
}

type heapItem struct {
	at    uint32
	score float64
}

func (i heapItem) worse(j heapItem) bool {
	return i.score < j.score || i.score == j.score && i.at > j.at
}

func (h *heap) push(at uint32, score float64) {
	item := heapItem{at, score}
	if len(h.items) < h.limit {
		h.items = append(h.items, item)
		for i := len(h.items) - 1; i > 0; {
			up := (i - 1) / 2
			if !h.items[i].worse(h.items[up]) {
				break
			}
			h.items[i], h.items[up] = h.items[up], h.items[i]
			i = up
		}
		return
	}
	if !h.items[0].worse(item) {
		return
	}
	h.items[0] = item
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h.items) {
			return
		}
		if down+1 < len(h.items) && h.items[down+1].worse(h.items[down]) {
			down++
		}
		if !h.items[down].worse(h.items[i]) {
			return
		}
		h.items[i], h.items[down] = h.items[down], h.items[i]
		i = down
	}
}

// worst returns the score that an item has to beat; below zero while there is room.
func (h *heap) worst() float64 {
	if len(h.items) < h.limit {
		return -1
	}
	return h.items[0].score
}
