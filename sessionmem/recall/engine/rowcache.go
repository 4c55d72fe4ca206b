package engine

import (
	"context"
	"sync"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// rowCache keeps the segment rows read last, without their checksums. It belongs to a view,
// because rows change with the segments that a view knows. It is safe for concurrent use.
type rowCache struct {
	mu         sync.Mutex
	young, old map[rowKey][]byte
	size       int // of young, in bytes
}

type rowKey struct {
	table string
	id    int64
}

// rowCacheSize limits young and old rows, each, in bytes: beyond it the young ones become
// old.
const rowCacheSize = 4 << 20

func (c *rowCache) get(key rowKey) (data []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if data, ok = c.young[key]; ok {
		return data, true
	}
	if data, ok = c.old[key]; ok {
		c.keep(key, data)
	}
	return data, ok
}

func (c *rowCache) put(key rowKey, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, data)
}

// keep stores a row among the young ones. The caller holds mu.
func (c *rowCache) keep(key rowKey, data []byte) {
	if c.young == nil || c.size+len(data) > rowCacheSize {
		c.old, c.young, c.size = c.young, map[rowKey][]byte{}, 0
	}
	if _, ok := c.young[key]; !ok {
		c.young[key] = data
		c.size += len(data)
	}
}

// clear empties the cache.
func (c *rowCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old, c.size = nil, nil, 0
}

// rows returns the data of rows by ID, without their checksums.
func (v *view) rows(ctx context.Context, q tables.Queryer, table string, ids []int64) (map[int64][]byte, error) {
	out := make(map[int64][]byte, len(ids))
	var missing []int64
	for _, id := range ids {
		if data, ok := v.cache.get(rowKey{table, id}); ok {
			out[id] = data
		} else {
			missing = append(missing, id)
		}
	}
	sealed, err := tables.ReadRows(ctx, q, table, missing)
	if err != nil {
		return nil, err
	}
	for id, blob := range sealed {
		data, err := format.Unseal(blob)
		if err != nil {
			return nil, err
		}
		out[id] = data
		v.cache.put(rowKey{table, id}, data)
	}
	return out, nil
}
