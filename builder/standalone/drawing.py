"""Helpers for random numbers and noise, which give what Warp's do, bit for bit where no libm is in it."""

from __future__ import annotations

from .helpers import WRITERS, Helpers
from .types import FLOAT, vector

_STATE = "unsigned int &state"
_TWO_PI = "6.28318530717958647692f"


def _text(name: str, text: str, *needs: str, kinds: tuple[object, ...] = ()) -> None:
    def write(h: Helpers) -> str:
        for needed in needs:
            h.need(needed)
        for kind in kinds:
            h.type(kind)  # type: ignore[arg-type]
        return text.replace("STATE", _STATE).replace("TWO_PI", _TWO_PI)

    WRITERS[name] = write


_text(
    "rand_pcg",
    """// Jarzynski and Olano, Hash Functions for GPU Rendering, JCGT 9(3), 2020.
__device__ inline unsigned int rand_pcg(unsigned int state) {
  const unsigned int b = state * 747796405u + 2891336453u;
  const unsigned int c = ((b >> ((b >> 28u) + 4u)) ^ b) * 277803737u;
  return (c >> 22u) ^ c;
}
""",
)
_text(
    "rand_init",
    """__device__ inline unsigned int rand_init(int seed) {
  return rand_pcg((unsigned int)seed);
}
""",
    "rand_pcg",
)
_text(
    "rand_init_2",
    """__device__ inline unsigned int rand_init(int seed, int offset) {
  return rand_pcg((unsigned int)seed + rand_pcg((unsigned int)offset));
}
""",
    "rand_pcg",
)


def _drawn(name: str, result: str, params: str, value: str, *needs: str) -> None:
    comma = ", " if params else ""
    body = f"  state = rand_pcg(state);\n  return {value};\n"
    _text(
        name, f"__device__ inline {result} {name.rstrip('_3')}(STATE{comma}{params}) {{\n{body}}}\n", "rand_pcg", *needs
    )


_drawn("randi", "int", "", "(int)state")
_drawn("randi_3", "int", "int low, int high", "(int)(state % (unsigned int)(high - low) + (unsigned int)low)")
_drawn("randu", "unsigned int", "", "state")
_drawn("randu_3", "unsigned int", "unsigned int low, unsigned int high", "state % (high - low) + low")
_drawn("randf", "float", "", "(float)(state >> 8) * (1.0f / 16777216.0f)")
_text(
    "randf_3",
    """__device__ inline float randf(STATE, float low, float high) {
  return (high - low) * randf(state) + low;
}
""",
    "randf",
)
_text(
    "randn",
    """// Box and Muller.
__device__ inline float randn(STATE) {
  const float r = sqrtf(-2.0f * logf(randf(state) + 5.96e-8f));
  return r * cosf(TWO_PI * randf(state));
}
""",
    "randf",
)


def _sample(name: str, size: int, lines: str) -> None:
    body = "".join(f"  {line.strip()}\n" for line in lines.strip().splitlines())
    text = f"__device__ inline float{size} {name}(STATE) {{\n{body}}}\n"
    _text(name, text, "randf", "randf_3", kinds=(vector(size, FLOAT),))


_BALL = """const float theta = randf(state, 0.0f, TWO_PI);
    {r}return make_float3({s}cosf(theta) * sinf(phi), {s}sinf(theta) * sinf(phi), {s}cosf(phi));"""
_RADIUS = "const float r = powf(randf(state), 1.0f / 3.0f);\n    "
_FULL, _UPPER = (
    "const float phi = acosf(fminf(fmaxf(1.0f - 2.0f * randf(state), -1.0f), 1.0f));\n    ",
    "const float phi = acosf(fminf(fmaxf(1.0f - randf(state), -1.0f), 1.0f));\n    ",
)
_sample("sample_triangle", 2, """const float r = sqrtf(randf(state));
    return make_float2(1.0f - r, randf(state) * r);""")  # fmt: skip
_sample("sample_unit_ring", 2, """const float theta = randf(state, 0.0f, TWO_PI);
    return make_float2(cosf(theta), sinf(theta));""")  # fmt: skip
_sample("sample_unit_disk", 2, """const float r = sqrtf(randf(state));
    const float theta = randf(state, 0.0f, TWO_PI);
    return make_float2(r * cosf(theta), r * sinf(theta));""")  # fmt: skip
_sample("sample_unit_sphere_surface", 3, _FULL + _BALL.format(r="", s=""))
_sample("sample_unit_sphere", 3, _FULL + _BALL.format(r=_RADIUS, s="r * "))
_sample("sample_unit_hemisphere_surface", 3, _UPPER + _BALL.format(r="", s=""))
_sample("sample_unit_hemisphere", 3, _UPPER + _BALL.format(r=_RADIUS, s="r * "))
for _name, _size, _letters in (("square", 2, "xy"), ("cube", 3, "xyz"), ("hypercube", 4, "xyzw")):
    _lines = [f"const float {letter} = randf(state) - 0.5f;" for letter in _letters]
    _sample(f"sample_unit_{_name}", _size, "\n".join([*_lines, f"return make_float{_size}({', '.join(_letters)});"]))

_text(
    "poisson",
    """// Knuth's products for small rates, Hoermann's transformed rejection for large ones.
__device__ inline float log_gamma(float x) {
  const float a[10] = {8.333333333333333e-02f, -2.777777777777778e-03f, 7.936507936507937e-04f, -5.952380952380952e-04f,
                       8.417508417508418e-04f, -1.917526917526918e-03f, 6.410256410256410e-03f, -2.955065359477124e-02f,
                       1.796443723688307e-01f, -1.39243221690590e+00f};
  if (x == 1.0f || x == 2.0f)
    return 0.0f;
  const unsigned int n = x < 7.0f ? (unsigned int)(7.0f - x) : 0u;
  float x0 = x + (float)n;
  const float x2 = (1.0f / x0) * (1.0f / x0);
  float sum = a[9];
  for (int i = 8; i >= 0; --i)
    sum = sum * x2 + a[i];
  float value = sum / x0 + 0.5f * 1.8378770664093453f + (x0 - 0.5f) * logf(x0) - x0;
  if (x < 7.0f) {
    for (unsigned int k = 1; k <= n; ++k) {
      value -= logf(x0 - 1.0f);
      x0 -= 1.0f;
    }
  }
  return value;
}

__device__ inline unsigned int poisson(STATE, float rate) {
  if (rate == 0.0f)
    return 0u;
  if (rate < 10.0f) {
    const float limit = expf(-rate);
    float product = 1.0f;
    for (unsigned int count = 0u;; ++count) {
      product *= randf(state);
      if (!(product > limit))
        return count;
    }
  }
  const float root = sqrtf(rate), log_rate = logf(rate);
  const float b = 0.931f + 2.53f * root, a = -0.059f + 0.02483f * b;
  const float inverse_alpha = 1.1239f + 1.1328f / (b - 3.4f), vr = 0.9277f - 3.6224f / (b - 2.0f);
  while (true) {
    const float u = randf(state) - 0.5f;
    const float v = randf(state);
    const float us = 0.5f - fabsf(u);
    const float k = floorf((2.0f * a / us + b) * u + rate + 0.43f);
    if (us >= 0.07f && v <= vr)
      return (unsigned int)k;
    if (k < 0.0f || (us < 0.013f && v > us))
      continue;
    if (logf(v) + logf(inverse_alpha) - logf(a / (us * us) + b) <= -rate + k * log_rate - log_gamma(k + 1.0f))
      return (unsigned int)k;
  }
}
""",
    "randf",
)
