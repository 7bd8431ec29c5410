"""What probability theory says of dot products and of the softmax weights that random scores lead to."""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Components = Literal["normal", "uniform", "sign", "laplace", "student"]

# E[a²], E[a⁴], E[a⁶], E[a⁸] of the standardised laws, all symmetric; Student's t has 5 degrees of freedom.
_EVEN_MOMENTS: dict[Components, tuple[float, float, float, float]] = {
    "normal": (1, 3, 15, 105),
    "uniform": (1, 9 / 5, 27 / 7, 9),
    "sign": (1, 1, 1, 1),
    "laplace": (1, 6, 90, 2520),
    "student": (1, 9, np.inf, np.inf),
}


def dot_product_moments(
    d_k: int,
    *,
    mean_q: float = 0,
    mean_k: float = 0,
    std_q: float = 1,
    std_k: float = 1,
    correlation: float = 0,
    same: bool = False,
    components: Components = "normal",
) -> tuple[float, float]:
    """Mean and variance of q·k for d_k independent pairs of components that are correlated within a pair.

    q_i = μ_q + σ_q a and k_i = μ_k + σ_k (ρ a + √(1 − ρ²) e), with a and e independent and of kurtosis κ (normal: 3):
    E = d (μ_q μ_k + ρ σ_q σ_k),
    Var = d (σ_q² σ_k² (1 + ρ² (κ − 2)) + μ_q² σ_k² + μ_k² σ_q² + 2 ρ μ_q μ_k σ_q σ_k).
    `same` is k = q, for which mean_k, std_k and correlation do not matter. Zero means, unit deviations, independent: 0
    and d_k (Vaswani et al. 2017, footnote 4).
    """
    check_pair(d_k, correlation, components)
    if same:
        mean_k, std_k, correlation = mean_q, std_q, 1
    kurtosis = _EVEN_MOMENTS[components][1]
    spread = std_q * std_k
    mean = mean_q * mean_k + correlation * spread
    variance = (
        spread**2 * (1 + correlation**2 * (kurtosis - 2))
        + (mean_q * std_k) ** 2
        + (mean_k * std_q) ** 2
        + 2 * correlation * mean_q * mean_k * spread
    )
    return d_k * mean, d_k * variance


def dot_product_excess_kurtosis(
    d_k: int,
    components: Components = "normal",
    *,
    mean_q: float = 0,
    mean_k: float = 0,
    std_q: float = 1,
    std_k: float = 1,
    correlation: float = 0,
    same: bool = False,
) -> float:
    """Excess kurtosis of q·k, by which the standard error of its sampled variance is Var √((2 + excess) / N).

    Arguments as in `dot_product_moments`. For independent components of mean 0 it is (κ² − 3) / d_k, for normal ones
    6 / d_k. It is infinite for Student components that meet themselves (`same`, correlation): t has no 6th moment.
    """
    check_pair(d_k, correlation, components)
    if same:
        mean_k, std_k, correlation = mean_q, std_q, 1
    # One component's product as a polynomial in a and e: coefficient [i, j] belongs to aⁱ eʲ.
    q = np.array([[mean_q, 0], [std_q, 0]])
    k = np.array([[mean_k, std_k * np.sqrt(1 - correlation**2)], [std_k * correlation, 0]])
    centred = _multiply(q, k)
    centred[0, 0] -= mean_q * mean_k + correlation * std_q * std_k
    square = _multiply(centred, centred)
    variance, fourth = (_expect(power, components) for power in (square, _multiply(square, square)))
    if variance == 0:
        return 0.0
    return (fourth / variance**2 - 3) / d_k


def _multiply(left: Array, right: Array) -> Array:
    rows, columns = right.shape
    product = np.zeros((left.shape[0] + rows - 1, left.shape[1] + columns - 1))
    for (i, j), coefficient in np.ndenumerate(left):
        product[i : i + rows, j : j + columns] += coefficient * right
    return product


def _expect(polynomial: Array, components: Components) -> float:
    moments = np.zeros(9)
    moments[::2] = (1, *_EVEN_MOMENTS[components])
    i, j = np.nonzero(polynomial)
    with np.errstate(invalid="ignore"):
        total = float(np.sum(polynomial[i, j] * moments[i] * moments[j]))
    # Terms of both signs with an infinite moment give NaN, but the even powers asked for here are then infinite.
    return total if np.isfinite(total) else np.inf


def _check_d_k(d_k: int) -> None:
    if d_k < 1:
        raise ValueError(f"d_k must be at least 1, got {d_k}")


def check_pair(d_k: int, correlation: float, components: str) -> None:
    """Raise a ValueError by name unless these describe a pair of random vectors."""
    _check_d_k(d_k)
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation must be between -1 and 1, got {correlation}")
    if components not in get_args(Components):
        raise ValueError(f"components must be one of {', '.join(get_args(Components))}, got {components!r}")


def dot_product_density(x: npt.ArrayLike, d_k: int) -> Array:
    """Density of q·k at x for independent standard normal components, a variance-gamma law; same shape as x.

    f(x) = (|x| / 2)^ν K_ν(|x|) / (√π Γ(d_k / 2)), ν = (d_k − 1) / 2, with characteristic function (1 + t²)^(−d_k/2).
    Relative accuracy holds far into the tails. At d_k = 1 the density K_0(|x|) / π is infinite at 0 (like −log|x|).
    Source: Madan and Seneta 1990; K_ν: DLMF 10.32.9.
    """
    from scipy.special import gammaln, kve, xlogy

    _check_d_k(d_k)
    nu = (d_k - 1) / 2
    # Closer to 0 the density no longer changes (but for d_k = 1), while K_ν alone would overflow.
    floor = 10 ** (-200 / np.clip(nu, 1, 25)) if nu else 0
    distance = np.maximum(np.abs(np.asarray(x, dtype=np.float64)), floor)
    log_bessel = np.log(kve(nu, distance)) - distance if nu < 30 else _log_bessel(nu, distance)
    return cast(Array, np.exp(xlogy(nu, distance / 2) + log_bessel - gammaln(d_k / 2)) / np.sqrt(np.pi))


def _log_bessel(nu: float, x: Array) -> Array:
    """log K_ν(x) by the trapezoid rule on K_ν(x) = ½ ∫ exp(ν u − x cosh u) du, centred on the peak of the integrand."""
    peak, width = np.arcsinh(nu / x), (x**2 + nu**2) ** -0.25
    nodes, step = np.linspace(-12, 12, 81, retstep=True)
    u = peak[..., None] + width[..., None] * nodes
    exponents = nu * u - x[..., None] * np.cosh(u)
    largest = exponents.max(axis=-1)
    return cast(Array, largest + np.log(np.exp(exponents - largest[..., None]).sum(axis=-1) * width * step / 2))


def transition_sigma(n_keys: int) -> float:
    """Deviation of the scores beyond which one key keeps a finite share of the weight as n_keys grows: √(2 ln n).

    Beyond it E[Σ p²] → 1 − √(2 ln n) / σ (the random-energy model, Derrida 1981).
    """
    return float(np.sqrt(2 * np.log(n_keys)))


def expected_participation(n_keys: int, sigma: npt.ArrayLike) -> Array:
    """E[Σ p²] of the softmax of n_keys independent normal scores of deviation sigma; same shape as sigma.

    E[Σ p²] = n ∫ t E[e^(2z) e^(−t e^z)] E[e^(−t e^z)]^(n−1) dt over t > 0, from 1/S² = ∫ t e^(−t S) dt. From 1/n to 1;
    1 − Σ p² is the trace of the softmax Jacobian.
    """
    return _over(n_keys, sigma, lambda n, s: _participation_and_entropy(n, s)[0])


def expected_entropy(n_keys: int, sigma: npt.ArrayLike) -> Array:
    """E[−Σ p ln p] of the softmax of n_keys independent normal scores of deviation sigma, in nats; shape of sigma.

    E[H] = E[ln Σ e^z] − n E[z p], with E[ln Σ e^z] = ∫ (e^(−t) − E[e^(−t e^z)]^n) dt / t (Frullani) and
    E[z p] = ∫ E[z e^z e^(−t e^z)] E[e^(−t e^z)]^(n−1) dt, both over t > 0. By Stein's lemma n E[z p] is also
    σ² (1 − E[Σ p²]).
    """
    return _over(n_keys, sigma, lambda n, s: _participation_and_entropy(n, s)[1])


def expected_largest(n_keys: int, sigma: npt.ArrayLike) -> Array:
    """E[max p] of the softmax of n_keys independent normal scores of deviation sigma; same shape as sigma.

    With m the largest score, 1/p = 1 + Σ e^(z_j − m) over the others, which lie below m, and 1/A = ∫ e^(−u A) du:
    E[max p] = n ∫ N(m) ∫ e^(−u) ψ(u, m)^(n−1) du dm, ψ(u, m) = ∫ N(m − y) exp(−u e^(−y)) dy over y > 0,
    where N is the normal density of deviation sigma.
    """
    return _over(n_keys, sigma, _largest)


@lru_cache(maxsize=64)
def curve(expectation: Callable[[int, Array], Array], n_keys: int) -> Callable[[npt.ArrayLike], Array]:
    """Return sigma ↦ expectation(n_keys, sigma) as a fast interpolant for sigma from 1/1000 to 1000.

    expectation is `expected_participation`, `expected_entropy` or `expected_largest`; the error stays below 1e-6.
    """
    low, high = np.log(1e-3), np.log(1e3)
    polynomial = np.polynomial.Chebyshev.interpolate(lambda v: expectation(n_keys, np.exp(v)), 120, (low, high))
    return lambda sigma: cast(Array, polynomial(np.clip(np.log(sigma), low, high)))


def over_query_norm(f: Callable[[Array], Array], d_k: int, divisor: float) -> float:
    """E[f(|q| / divisor)] for a query q of d_k independent standard normal components.

    Given q, its scores with standard normal keys are independent normals of deviation |q|: with `curve` as f, this is
    the average over queries too. The trapezoid rule in v = ln |q|, whose density is proportional to
    exp(d_k v − e^(2v) / 2).
    """
    _check_d_k(d_k)
    width = 1 / np.sqrt(2 * d_k)  # near the peak, at |q|² = d_k, the density is almost normal
    v = np.arange(-6 * width - 20 / d_k, 7 * width, 0.4 * width)
    density = np.exp(d_k * (v - np.expm1(2 * v) / 2))
    return float(density @ f(np.sqrt(d_k) * np.exp(v) / divisor) / density.sum())


def _over(n_keys: int, sigma: npt.ArrayLike, expectation: Callable[[int, float], float]) -> Array:
    if n_keys < 1:
        raise ValueError(f"n_keys must be at least 1, got {n_keys}")
    sigmas = np.asarray(sigma, dtype=np.float64)
    if not (sigmas >= 0).all():
        raise ValueError(f"sigma must not be negative, got {sigmas.min()}")
    return np.array([expectation(n_keys, s) for s in sigmas.ravel()]).reshape(sigmas.shape)


def _participation_and_entropy(n_keys: int, sigma: float) -> tuple[float, float]:
    """Trapezoid rules in s = ln t and in z or w = s + z, where the integrands are analytic and vanish at both ends."""
    from scipy.special import ndtr

    scale = max(sigma, 1.0)
    step = max(1 / 3, 0.12 * sigma)
    s = np.arange(-9 * scale - 35 - np.log(n_keys), 9 * scale + 4, step)
    # E over z of e^(−e^w), e^(2w) e^(−e^w) and z e^w e^(−e^w), on a grid that resolves the smaller scale: sigma or 1.
    if sigma < 1.5:
        x = np.arange(-9, 9.1, 0.25)
        normal = np.exp(-(x**2) / 2) / np.exp(-(x**2) / 2).sum()
        w = s[:, None] + sigma * x
        once = np.exp(-np.exp(w))
        survival = once @ normal
        squares = (np.exp(2 * w) * once) @ normal
        scores = (np.exp(w) * once) @ (sigma * x * normal)
    else:
        w = np.arange(-30, 4, 1 / 3)
        z = w - s[:, None]
        normal = np.exp(-((z / sigma) ** 2) / 2) / (3 * sigma * np.sqrt(2 * np.pi))
        gumbel = np.exp(w - np.exp(w))
        survival = ndtr(z / sigma) @ gumbel / 3
        squares = normal @ (np.exp(w) * gumbel)
        scores = (z * normal) @ gumbel
    others = survival ** (n_keys - 1)
    participation = n_keys * step * others @ squares
    # survival^n belongs to the logarithm of an exponential variable (mean −γ) minus ln Σ e^z; ndtr to one of mean 0.
    log_sum = step * (ndtr(-s / scale) - survival * others).sum() - np.euler_gamma
    return float(participation), float(log_sum - n_keys * step * others @ scores)


_gauss_legendre = lru_cache(np.polynomial.legendre.leggauss)


def _largest(n_keys: int, sigma: float) -> float:
    """Trapezoid rules in ln u and in m / sigma, Gauss-Legendre in y, which starts at a bound."""
    from scipy.special import ndtr

    sigma = max(sigma, 1e-12)  # equal scores without dividing by 0
    step, m_step = 1 / 3, 0.15
    w = np.arange(-24 - np.log(n_keys), 4, step)  # ln u
    m = np.arange(-60, 61) * m_step
    nodes, weights = _gauss_legendre(64)
    # exp(−u e^(−y)) has left its limit 1 only for y up to 4 + 28, N(m − y) has left 0 only for y up to 18 sigma.
    reach = min(18 * sigma, 32)
    y = reach * (nodes + 1) / 2
    normal = np.exp(-((m - y[:, None] / sigma) ** 2) / 2) * (weights * reach / 2 / sigma)[:, None] / np.sqrt(2 * np.pi)
    below = ndtr(m) + np.expm1(-np.exp(w[:, None] - y)) @ normal
    others = np.exp((n_keys - 1) * np.log(np.maximum(below, 1e-300)))
    given_largest = step * np.exp(w - np.exp(w)) @ others
    return float(n_keys * m_step * given_largest @ np.exp(-(m**2) / 2) / np.sqrt(2 * np.pi))
