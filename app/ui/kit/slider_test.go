package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"
)

func TestASliderIsMovedByKeyAndByMouse(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewTheme(Look{}))
	var chosen []string
	s := NewSlider(50, 300, 10, func(v string) { chosen = append(chosen, v) })
	w := test.NewTempWindow(t, s)
	w.Resize(fyne.NewSize(236, 60))
	s.SetValue("100", false)
	for _, k := range []fyne.KeyName{fyne.KeyRight, fyne.KeyLeft, fyne.KeyHome, fyne.KeyLeft, fyne.KeyEnd} {
		s.TypedKey(&fyne.KeyEvent{Name: k})
	}
	s.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(s.track()/2, 5)}})
	s.DragEnd()
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(-3, 5)})
	s.SetValue("120", true)
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(80, 5)})
	if diff := cmp.Diff([]string{"110", "100", "50", "300", "180", "50"}, chosen); diff != "" {
		t.Errorf("chosen (-want +got):\n%s", diff)
	}
}
