package postgres_test

import "time"

// patience is how long a search of a test waits for the server: on a busy machine longer
// than a turn does.
const patience = 30 * time.Second
