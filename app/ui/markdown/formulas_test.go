package markdown

import "testing"

func TestFormulasAreReadable(t *testing.T) {
	tests := []struct{ in, want string }{
		{`$x^2 + y_1 = \frac{a+b}{2}$`, "x² + y₁ = (a+b)/2"},
		{`cost $5 and $10, or $ 3 $`, "cost $5 and $10, or $ 3 $"},
		{`\(\alpha \leq \sqrt{x}\)`, "α ≤ √x"},
		{`so $$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$$ holds`, "so\n∑ᵢ₌₁ⁿ i = (n(n+1))/2\nholds"},
		{"$$\nE = mc^2\n$$", "E = mc²"},
		{`\[ \int_0^\infty e^{-x}\,dx = 1 \]`, "∫₀^∞ e⁻ˣ dx = 1"},
		{`$\mathbb{R}^n \to \text{some set}$`, "ℝⁿ → some set"},
		{"`$x^2$` and \\$5", "$x^2$ and $5"},
		{`a_b_c and $a_b_c$`, "a_b_c and a_b_c"},
		{`$x`, "$x"},
		{`\[ x`, "[ x"},
	}
	for _, tc := range tests {
		if got := runsText(Parse(tc.in).leaves[0].Runs); got != tc.want {
			t.Errorf("%s gives %q, want %q", tc.in, got, tc.want)
		}
	}
}
