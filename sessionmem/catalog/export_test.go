package catalog

const (
	CacheAfter  = cacheAfter
	CacheFormat = cacheFormat
)

// CacheFile returns the path of the list cache.
func (c *Catalog) CacheFile() string { return c.cache.file }

// CacheLines counts the entries of the list cache.
func (c *Catalog) CacheLines() (int, error) {
	lines, err := c.cache.read()
	return len(lines), err
}
