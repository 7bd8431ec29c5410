r"""Formulas with the current numbers in them, as LaTeX; `\Q{}`, `\K{}` and `\V{}` carry the colours of the theme."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

# As blueTextColor, orangeTextColor and greenTextColor of the light theme; ui/style.css turns them in the dark one, so
# that a formula follows a theme that changes under it.
COLOURS = {"Q": "#2F5FD0", "K": "#B5500D", "V": "#1A7246"}

# The whole of attention, with every part that a screen explains.
ATTENTION = (
    r"\mathrm{Attention}(\Q{Q}, \K{K}, \V{V}) = "
    r"\mathrm{softmax}\!\left(\frac{\Q{Q}\K{K}^{\top}}{\sqrt{d_k}\,T} + M\right)\V{V}"
)
# What decides each claim of the screen of claims.
CLAIMS = {
    "sharpen": r"p_i = \frac{e^{s_i/T}}{\sum_j e^{s_j/T}}, \qquad \frac{p_i}{p_j} = e^{(s_i - s_j)/T}",
    "variance": r"\mathrm{Var}(\Q{q}\cdot\K{k}) = \sum_{i=1}^{d_k} \mathrm{Var}(\Q{q_i}\K{k_i}) = d_k",
    "divide": r"\mathrm{Var}\!\left(\frac{\Q{q}\cdot\K{k}}{\sqrt{d_k}}\right) = 1, \qquad "
    r"\mathrm{Var}\!\left(\frac{\Q{q}\cdot\K{k}}{d_k}\right) = \frac{1}{d_k}",
    "match": r"\frac{e^{s_i - c}}{\sum_j e^{s_j - c}} = \frac{e^{-c}\,e^{s_i}}{e^{-c}\sum_j e^{s_j}} = p_i",
    "importance": r"o = \sum_j p_j \V{v_j}, \qquad o - o_{\setminus i} = \frac{p_i}{1 - p_i}\,(\V{v_i} - o)",
    "first": r"p_{11} = \frac{e^{s_{11}/T}}{e^{s_{11}/T}} = 1",
    "multiply": r"e^{0 \cdot s} = 1 \ne 0, \qquad e^{s + (-\infty)} = 0",
    "order": r"\mathrm{Attention}(P\,\Q{Q}, P\,\K{K}, P\,\V{V}) = P\,\mathrm{Attention}(\Q{Q}, \K{K}, \V{V})",
    "width": r"h \cdot n^2 d_k = h \cdot n^2\,\frac{d_\mathrm{model}}{h} = n^2 d_\mathrm{model}",
    "disagree": r"\sqrt{\tfrac12 D(p \| m) + \tfrac12 D(p' \| m)}, \qquad m = \tfrac12 (p + p')",
}


def show(latex: str) -> None:
    """Draw a formula in the colours of query, key and value."""
    for name, colour in COLOURS.items():
        latex = latex.replace(f"\\{name}{{", f"\\textcolor{{{colour}}}{{")
    # st.latex looks for SymPy anew at every call, which costs more than the rest of the screen's widgets.
    st.markdown(f"$$\n{latex}\n$$")


def mixture(weights: np.ndarray, values: np.ndarray, output: np.ndarray) -> str:
    """The output as the weighted sum of values with two components each."""
    terms = [rf"{w:.2f}\,\V{{\binom{{{x:g}}}{{{y:g}}}}}" for w, (x, y) in zip(weights, values, strict=True)]
    x, y = output
    return rf"\sum_j p_j \V{{v_j}} = {' + '.join(terms)} = \binom{{{x:.2f}}}{{{y:.2f}}}"


def number(value: float, digits: int = 2) -> str:
    """A number in LaTeX."""
    if value in (float("inf"), float("-inf")):
        return r"\infty" if value > 0 else r"-\infty"
    return f"{value:.{digits}f}"


def divisor(name: str, d_k: int) -> str:
    """What the scores are divided by, as a name of `ui.controls` with d_k filled in; empty for 1."""
    return {"1": "", "sqrt": rf"\sqrt{{{d_k}}}", "d_k": str(d_k)}[name]


def attention(divided_by: str, d_k: int, temperature: float, *, masked: bool) -> str:
    """The formula of attention with the current divisor and temperature."""
    below = r"\cdot".join(
        part for part in (divisor(divided_by, d_k), "" if temperature == 1 else rf"{temperature:g}") if part
    ).replace("inf", r"\infty")
    product = r"\Q{Q}\K{K}^{\top}"
    scores = rf"\frac{{{product}}}{{{below}}}" if below else product
    mask = r" + M" if masked else ""
    return rf"\mathrm{{softmax}}\!\left({scores}{mask}\right)\V{{V}}"


def mask(allowed: str, blocked: str) -> str:
    """What is added to a score, by words for the two kinds of cells."""
    return rf"M_{{ij}} = \begin{{cases}} 0 & \text{{{allowed}}} \\ -\infty & \text{{{blocked}}} \end{{cases}}"


def self_attention(n: int, d_model: int, d_k: int, d_v: int, *, one_matrix: bool, identity_v: bool) -> tuple[str, str]:
    """Three projections of one input, and what becomes of them, with the shape of every matrix."""

    def shaped(symbol: str, rows: int, columns: int) -> str:
        return rf"\underbrace{{{symbol}}}_{{{rows}\times{columns}}}"

    h, w_k = shaped("H", n, d_model), "W_Q" if one_matrix else "W_K"
    value = h if identity_v else rf"{h}\,{shaped('W_V', d_model, d_v)}"
    query, key, values = shaped(r"\Q{Q}", n, d_k), shaped(r"\K{K}", n, d_k), shaped(r"\V{V}", n, d_v)
    return (
        rf"{query} = {h}\,{shaped('W_Q', d_model, d_k)}, \quad {key} = {h}\,{shaped(w_k, d_model, d_k)}, \quad "
        rf"{values} = {value}",
        rf"{shaped('S', n, n)} = \frac{{\Q{{Q}}\K{{K}}^{{\top}}}}{{\sqrt{{{d_k}}}}}, \quad "
        rf"{shaped('A', n, n)} = \mathrm{{softmax}}(S), \quad {shaped('O', n, d_v)} = A\,\V{{V}}",
    )


def weight(scores: np.ndarray, allowed: np.ndarray, temperature: float, key: int, result: float) -> str:
    """The weight of one `key` with the numbers of its row filled in: exp(s / T) over the sum of the allowed keys'."""
    general = r"\frac{e^{s/T}}{\sum_j e^{s_j/T}}"
    if temperature in (0, float("inf")):
        return rf"\lim_{{T \to {number(temperature, 0)}}} {general} = {result:.3f}"
    over = "" if temperature == 1 else f"/{temperature:g}"
    terms = [rf"e^{{{score:.2f}{over}}}" for score in scores[allowed]]
    if len(terms) > 6:
        terms[3:-2] = [r"\cdots"]
    return rf"{general} = \frac{{e^{{{scores[key]:.2f}{over}}}}}{{{' + '.join(terms)}}} = {result:.3f}"


def multi_head(d_model: int, n_heads: int, n_kv_heads: int) -> tuple[str, str]:
    """What a multi-head layer returns, and what each of its heads computes with its own width."""
    group = n_heads // n_kv_heads
    shared = "i" if group == 1 else rf"\lceil i/{group} \rceil"
    concat = {1: r"\mathrm{head}_1", 2: r"\mathrm{head}_1, \mathrm{head}_2"}.get(
        n_heads, rf"\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{n_heads}}}"
    )
    score = rf"\frac{{\Q{{Q}}_i \K{{K}}_{{{shared}}}^{{\top}}}}{{\sqrt{{{d_model}/{n_heads}}}}}"
    return (
        rf"\mathrm{{Concat}}({concat})\,W_O",
        rf"\mathrm{{head}}_i = \mathrm{{softmax}}\!\left({score}\right)\V{{V}}_{{{shared}}}",
    )


def attention_products(n: int, d_model: int) -> tuple[str, str, str]:
    """Multiply-adds of the two products of size n by n, those of the four projections, and where they meet."""
    return (
        rf"\Q{{Q}}\K{{K}}^{{\top}}\text{{ + }}A\V{{V}}\text{{: }} 2\,n^2 d = 2 \cdot {n}^2 \cdot {d_model}"
        rf" = {scientific(2 * n**2 * d_model)}",
        rf"W_Q + W_K + W_V + W_O\text{{: }} 4\,n\,d^2 = 4 \cdot {n} \cdot {d_model}^2"
        rf" = {scientific(4 * n * d_model**2)}",
        rf"2\,n^2 d = 4\,n\,d^2 \iff n = 2d = {2 * d_model}",
    )


def cache(n: int, d_model: int, n_layers: int, bytes_per_number: int) -> str:
    """The bytes of the keys and values that a decoder of L layers keeps, b bytes a number."""
    total = 2 * n * d_model * n_layers * bytes_per_number
    return (
        r"\K{K}\text{ + }\V{V}\text{: } 2\,n\,d\,L\,b = "
        rf"2 \cdot {n} \cdot {d_model} \cdot {n_layers} \cdot {bytes_per_number} = {scientific(total)}"
    )


def scientific(value: float) -> str:
    """A number to three digits in LaTeX, large ones as a power of ten."""
    if value < 1e5:
        return f"{value:g}"
    digits, power = f"{value:.2e}".split("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def parameters(d_model: int, n_heads: int, n_kv_heads: int) -> str:
    """How many numbers the four matrices of a multi-head layer hold: all square, unless key heads are shared."""
    if n_heads == n_kv_heads:
        return rf"4\,d_{{\mathrm{{model}}}}^2 = 4 \cdot {d_model}^2 = {4 * d_model**2}"
    d_kv = n_kv_heads * d_model // n_heads
    total = 2 * d_model**2 + 2 * d_model * d_kv
    return (
        r"2\,d_{\mathrm{model}}^2 + 2\,d_{\mathrm{model}}\,h_{kv}\,d_k = "
        rf"2 \cdot {d_model}^2 + 2 \cdot {d_model} \cdot {n_kv_heads} \cdot {d_model // n_heads} = {total}"
    )


def dot_product(d_k: int, mean: float, variance: float, without_means: float, divided_by: str) -> str:
    """Mean and variance of q·k as d_k times those of one product of components, (mean, variance).

    `without_means` is what the variance would be if the components had mean 0.
    """
    q, k, var = r"\Q{q}", r"\K{k}", r"\mathrm{Var}"
    below, total = divisor(divided_by, d_k), d_k * variance
    lines = [
        rf"\mathrm{{E}}[{q}\cdot{k}] &= d_k\,(\mu^2 + \rho\sigma^2) = {d_k} \cdot {mean:.4g} = {d_k * mean:,.6g}",
        rf"{var}({q}_i{k}_i) &= \sigma^4\,(1 + \rho^2(\kappa - 2)) + 2(1 + \rho)\,\mu^2\sigma^2"
        rf" = {without_means:.4g} + {variance - without_means:.4g} = {variance:.4g}",
        rf"{var}({q}\cdot{k}) &= d_k \cdot {var}({q}_i{k}_i) = {d_k} \cdot {variance:.4g} = {total:,.6g}",
    ]
    if below:
        squared, left = (str(d_k), variance) if divided_by == "sqrt" else (f"{d_k}^2", variance / d_k)
        lines.append(
            rf"{var}\!\left(\frac{{{q}\cdot{k}}}{{{below}}}\right) &= \frac{{{total:,.6g}}}{{{squared}}} = {left:.4g}"
        )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def standard_error(variance: float, excess: float, n: int, result: float) -> str:
    """The standard error of a `variance` sampled from n draws of the given excess kurtosis."""
    general = r"\mathrm{SE} = \mathrm{Var}\,\sqrt{\frac{2}{N-1} + \frac{\gamma}{N}}"
    if not np.isfinite(excess):
        return general + r" = \infty"
    root = rf"\sqrt{{\frac{{2}}{{{n - 1}}} + \frac{{{excess:.4g}}}{{{n}}}}}"
    return rf"{general} = {variance:,.5g}\,{root} = {result:,.3g}"


def slopes(p: float, trace: float, norm: float) -> str:
    """The Jacobian of the softmax: its first entry, its trace and its norm with the numbers of the largest weight p."""
    return (
        r"\begin{aligned} J_{ij} = \frac{\partial p_i}{\partial s_j} &= p_i\,(\delta_{ij} - p_j), &"
        rf" J_{{11}} &= {p:.3f}\,(1 - {p:.3f}) = {p * (1 - p):.3f} \\"
        rf" \mathrm{{tr}}\,J &= 1 - \textstyle\sum_i p_i^2 = {trace:.3f}, &"
        rf" \lVert J \rVert_2 &= {norm:.3f} \le \tfrac{{1}}{{2}} \end{{aligned}}"
    )


def spread(divided_by: str, d_k: int, temperature: float, n_keys: int, transition: float) -> str:
    """The deviation of the scores beside the one at which a single key of n_keys begins to take a share of its own."""
    power = {"1": 0.5, "sqrt": 0.0, "d_k": -0.5}[divided_by]
    root = rf"\sqrt{{{d_k}}}"
    below = r"\cdot".join(part for part in (divisor(divided_by, d_k), f"{temperature:g}") if part not in ("", "1"))
    if temperature in (0, float("inf")):
        sigma = float("inf") if temperature == 0 else 0.0
        left = rf"\lim_{{T \to {number(temperature, 0)}}} \sigma = {number(sigma, 0)}"
    else:
        sigma = d_k**power / temperature
        left = rf"\sigma \approx \frac{{{root}}}{{{below or 1}}} = {sigma:.4g}"
    sign = ">" if sigma > transition else "<"
    return rf"{left} \;{sign}\; \sqrt{{2 \ln {n_keys}}} = {transition:.3f}"


def scorer(
    name: str, query: np.ndarray, key: np.ndarray, w: np.ndarray, hidden: np.ndarray, v: np.ndarray, result: float
) -> str:
    """The score of one decoder state `query` (d_q) and one encoder state `key` (d_k) by a named scorer, term by term.

    w (d_q, d_k) is what the general scorer has learned; the additive one's v (d_a) meets `hidden` (d_a), the sum inside
    its tanh.
    """
    s, h = r"\Q{s}_i", r"\K{h}_j"
    if name == "additive":
        left = rf"v^{{\top}} \tanh(W_s {s} + W_h {h})"
        terms = [rf"{a:g}\tanh({b:g})" for a, b in zip(v, hidden, strict=True)]
    elif name == "general":
        left = rf"{s}^{{\top}} W {h}"
        terms = [
            rf"\Q{{{query[a]:g}}} \cdot {w[a, b]:g} \cdot \K{{{key[b]:g}}}"
            for a, b in zip(*np.nonzero(np.outer(query, key) * w), strict=True)
        ]
    else:
        left = rf"{s} \cdot {h}"
        terms = [rf"\Q{{{query[a]:g}}} \cdot \K{{{key[a]:g}}}" for a in np.flatnonzero(query * key)]
    return rf"{left} = {' + '.join(terms)} = {result:.3g}"


def context(weights: np.ndarray) -> str:
    """The context vector of one output as the weighted sum of the states, with its weights (n) filled in."""
    terms = [rf"{weight:.2f}\,\V{{h}}_{{{j}}}" for j, weight in enumerate(weights, 1)]
    return rf"\V{{c}}_i = \sum_j \alpha_{{ij}}\,\V{{h}}_j = {' + '.join(terms)}"


def residual(before: float, answer: float, total: float, *, added: bool) -> str:
    """What attention's answer becomes with the first components filled in; without the residual it stands alone."""
    carried, summed = ("X + ", rf"{before:.3f} {answer:+.3f} = ") if added else ("", "")
    return rf"\begin{{aligned}} Z &= {carried}A \\ Z_1 &= {summed}{total:.3f} \end{{aligned}}"


def normalisation(kind: str, d_model: int, first: float, mean: float, squares: float, result: float) -> str:
    """LayerNorm or RMSNorm of Z written out for its first component.

    `squares` is the mean square of what is divided: of Z, for LayerNorm less its mean.
    """
    over = rf"\frac{{1}}{{{d_model}}}\sum_i"
    if kind == "layer":
        lines = [rf"\mu &= {over} Z_i = {mean:.3f}", rf"\sigma^2 &= {over} (Z_i - \mu)^2 = {squares:.3f}"]
        above, size, numbers = r"Z_1 - \mu", r"\sigma^2", f"{first:.3f} {-mean:+.3f}"
    else:
        lines = [rf"r^2 &= {over} Z_i^2 = {squares:.3f}"]
        above, size, numbers = "Z_1", "r^2", f"{first:.3f}"
    lines.append(
        rf"N_1 &= \frac{{{above}}}{{\sqrt{{{size} + \varepsilon}}}}"
        rf" = \frac{{{numbers}}}{{\sqrt{{{squares:.3f} + 10^{{-5}}}}}} = {result:.3f}"
    )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def scale_laws(names: Sequence[str], depth: int, expected: Sequence[float]) -> str:
    """The scale that is expected after `depth` layers with the norm after, before and nowhere."""
    laws = ("", rf"\sqrt{{1 + 2 \cdot {depth}}} = ", f"2^{{{depth}}} = ")
    rows = [
        rf"\text{{{name}: RMS}} &\approx {law}{scientific(float(f'{scale:.4g}'))}"
        for name, law, scale in zip(names, laws, expected, strict=True)
    ]
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def cosine_laws(names: Sequence[str], depth: int, expected: Sequence[float]) -> str:
    """The cosine to the input that is expected after `depth` layers with the norm after, before and nowhere."""
    laws = (f"2^{{-{depth}}}", rf"\frac{{1}}{{\sqrt{{1 + 2 \cdot {depth}}}}}", f"2^{{-{depth}}}")
    rows = [
        rf"\text{{{name}: }} \cos &\approx {law} \approx {cosine:.3f}"
        for name, law, cosine in zip(names, laws, expected, strict=True)
    ]
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"
