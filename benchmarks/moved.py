"""What is moved on each screen, for all that measures a change."""

SLIDER, NUMBER, SWITCH = ("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown"), ("Space", "Space")
# The control of each screen, the keys that move it to and fro, and the state in which it is there.
MOVED: dict[str, tuple[str, tuple[str, str], dict[str, str]]] = {
    "overview": ("turn", SLIDER, {}),
    "playground": ("T", SLIDER, {}),
    "step_by_step": ("step", SLIDER, {"step": "divide"}),
    "temperature": ("T", SLIDER, {}),
    "scaling": ("d_k", SLIDER, {}),
    "saturation": ("d_k", SLIDER, {}),
    "self_attention": ("positions", SWITCH, {}),
    "multi_head": ("d_model", SLIDER, {}),
    "masks": ("left", NUMBER, {"mask": "window"}),
    "cross_attention": ("output", SLIDER, {}),
    "encoder_block": ("depth", SLIDER, {}),
    "cost": ("cost_n", SLIDER, {}),
    "claims": ("T", SLIDER, {}),
}
