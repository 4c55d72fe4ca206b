package desktop

// Look is what the desktop's own settings say about the look of windows.
type Look struct {
	Theme        string  // light or dark; "" if they say nothing of it
	HighContrast bool    // stronger text and lines
	TextScale    float64 // of text; 1 means as designed
}
