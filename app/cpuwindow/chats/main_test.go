package chats

import (
	"testing"

	"mac-stats/app/ui/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }
