package reply

import "testing"

func TestPartsOfPlainTextAreTheReply(t *testing.T) {
	const whole = "The answer is 42.\n\nIndeed."
	parts := Parse(whole, "stop", Marks{}, nil, nil)
	if len(parts) != 1 || parts[0].Kind != KindText || whole[parts[0].From:parts[0].To] != whole {
		t.Errorf("parts are %+v, want all as text", parts)
	}
}
