r"""Formulas with the current numbers in them, as LaTeX; `\Q{}`, `\K{}` and `\V{}` carry the colours of the theme."""

import numpy as np
import streamlit as st

# As blueTextColor, orangeTextColor and greenTextColor in .streamlit/config.toml.
COLOURS = {
    "light": {"Q": "#2F5FD0", "K": "#B5500D", "V": "#1E7F4F"},
    "dark": {"Q": "#8FAEFF", "K": "#F0A368", "V": "#6FD3A0"},
}


def show(latex: str) -> None:
    """Draw a formula in the visitor's theme."""
    theme = COLOURS["dark" if st.context.theme.type == "dark" else "light"]
    for name, colour in theme.items():
        latex = latex.replace(f"\\{name}{{", f"\\textcolor{{{colour}}}{{")
    # st.latex looks for SymPy anew at every call, which costs more than the rest of the screen's widgets.
    st.markdown(f"$$\n{latex}\n$$")


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


def multi_head(d_model: int, n_heads: int, n_kv_heads: int) -> str:
    """The formula of a multi-head layer: what each head computes, and how its own width comes about."""
    group = n_heads // n_kv_heads
    shared = "i" if group == 1 else rf"\lceil i/{group} \rceil"
    below = rf"\sqrt{{d_k}}\,{{=}}\sqrt{{{d_model}/{n_heads}}}"
    concat = {1: r"\mathrm{head}_1", 2: r"\mathrm{head}_1, \mathrm{head}_2"}.get(
        n_heads, rf"\mathrm{{head}}_1, \ldots, \mathrm{{head}}_{{{n_heads}}}"
    )
    return (
        rf"\mathrm{{Concat}}({concat})\,W_O, \quad \mathrm{{head}}_i = "
        rf"\mathrm{{softmax}}\!\left(\frac{{\Q{{Q}}_i \K{{K}}_{{{shared}}}^{{\top}}}}{{{below}}}\right)"
        rf"\V{{V}}_{{{shared}}}"
    )


def attention_products(n: int, d_model: int) -> str:
    """Multiply-adds of the two products of size n by n beside those of the four projections, and where they meet."""
    return (
        rf"\underbrace{{2\,n^2 d}}_{{\Q{{Q}}\K{{K}}^{{\top}}\text{{, }}A\V{{V}}}} = 2 \cdot {n}^2 \cdot {d_model}"
        rf" = {scientific(2 * n**2 * d_model)}, \qquad \underbrace{{4\,n\,d^2}}_{{W_Q, W_K, W_V, W_O}}"
        rf" = 4 \cdot {n} \cdot {d_model}^2 = {scientific(4 * n * d_model**2)}"
        rf", \qquad 2\,n^2 d = 4\,n\,d^2 \iff n = 2d = {2 * d_model}"
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


def dot_product(d_k: int, mean: float, variance: float, of_means: float, divided_by: str, divided: float) -> str:
    """Mean and variance of q·k as d_k times those of one product of components, (mean, variance).

    `of_means` is the part of that variance that the means of the components add, `divided` the variance that is left.
    """
    q, k, var = r"\Q{q}", r"\K{k}", r"\mathrm{Var}"
    below = divisor(divided_by, d_k)
    lines = [
        rf"\mathrm{{E}}[{q}\cdot{k}] &= d_k\,(\mu^2 + \rho\sigma^2) = {d_k} \cdot {mean:.4g} = {d_k * mean:,.6g}",
        rf"{var}({q}_i{k}_i) &= \sigma^4\,(1 + \rho^2(\kappa - 2)) + 2(1 + \rho)\,\mu^2\sigma^2"
        rf" = {variance - of_means:.4g} + {of_means:.4g} = {variance:.4g}",
        rf"{var}({q}\cdot{k}) &= d_k \cdot {var}({q}_i{k}_i) = {d_k} \cdot {variance:.4g} = {d_k * variance:,.6g}",
    ]
    if below:
        squared = {"sqrt": str(d_k), "d_k": f"{d_k}^2"}[divided_by]
        lines.append(
            rf"{var}\!\left(\frac{{{q}\cdot{k}}}{{{below}}}\right)"
            rf" &= \frac{{{d_k * variance:,.6g}}}{{{squared}}} = {divided:.4g}"
        )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def standard_error(variance: float, excess: float, n: int, result: float) -> str:
    """The standard error of a `variance` sampled from n draws of the given excess kurtosis."""
    general = r"\mathrm{SE} = \mathrm{Var}\,\sqrt{\frac{2}{N-1} + \frac{\gamma}{N}}"
    if not np.isfinite(excess):
        return general + r" = \infty"
    root = rf"\sqrt{{\frac{{2}}{{{n - 1}}} + \frac{{{excess:.4g}}}{{{n}}}}}"
    return rf"{general} = {variance:,.5g}\,{root} = {result:,.3g}"
