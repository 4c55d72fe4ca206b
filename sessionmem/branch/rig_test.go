package branch_test

import "mac-stats/sessionmem/storetest"

var openStore = storetest.Open
