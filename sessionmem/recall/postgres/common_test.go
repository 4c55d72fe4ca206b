package postgres_test

import "time"

// patience is how long a search in tests waits for the server: longer than a turn would, for
// busy machines.
const patience = 30 * time.Second
