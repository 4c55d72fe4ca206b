package formula

import "strings"

// latexSigns lists LaTeX's names of signs, each with its character.
const latexSigns = " " +
	"alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ " +
	"nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ varphi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ " +
	"Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω times=× cdot=· div=÷ pm=± mp=∓ ast=∗ " +
	"star=⋆ circ=∘ bullet=• oplus=⊕ otimes=⊗ leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ approx=≈ equiv=≡ sim=∼ " +
	"simeq=≃ cong=≅ propto=∝ ll=≪ gg=≫ sum=∑ prod=∏ int=∫ iint=∬ oint=∮ partial=∂ nabla=∇ infty=∞ in=∈ " +
	"notin=∉ subset=⊂ subseteq=⊆ supset=⊃ supseteq=⊇ cup=∪ cap=∩ emptyset=∅ varnothing=∅ setminus=∖ forall=∀ exists=∃ neg=¬ lnot=¬ " +
	"land=∧ wedge=∧ lor=∨ vee=∨ therefore=∴ because=∵ to=→ rightarrow=→ longrightarrow=→ leftarrow=← leftrightarrow=↔ Rightarrow=⇒ implies=⇒ Leftarrow=⇐ " +
	"iff=⇔ Leftrightarrow=⇔ mapsto=↦ uparrow=↑ downarrow=↓ ldots=… cdots=⋯ dots=… vdots=⋮ prime=′ degree=° angle=∠ perp=⊥ parallel=∥ " +
	"mid=| hbar=ℏ ell=ℓ Re=ℜ Im=ℑ aleph=ℵ langle=⟨ rangle=⟩ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ lbrace={ rbrace=} " +
	"vert=| Vert=‖ colon=: lim=lim square=□ blacksquare=■ checkmark=✓ "

// setSigns lists the letters of sets of numbers.
const setSigns = " N=ℕ Z=ℤ Q=ℚ R=ℝ C=ℂ P=ℙ E=𝔼 "

// signOf returns a name's character from a list, or "".
func signOf(list, name string) string {
	_, rest, ok := strings.Cut(list, " "+name+"=")
	if !ok {
		return ""
	}
	sign, _, _ := strings.Cut(rest, " ")
	return sign
}
