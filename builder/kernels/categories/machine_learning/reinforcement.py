"""Reinforcement learning: returns and advantages backwards in time, policy losses, value iteration, Q-learning."""

from __future__ import annotations

from ...author import Arr, Author, Var
from ...fusion import coefficient, statistic, varied
from ...fusion.cells import Cells, local, precise, records, settings, settled, transform
from ...fusion.chance import random_state, uniform
from ...fusion.sweeps import extreme, total, winner
from ...terms import Term, cast, number, where, wp
from ...types import FLOAT, INT, Scalar


def advantages(k: Author) -> None:
    """Discounted returns, n-step targets or generalised advantages (Schulman et al. 2016) of each trajectory."""
    c, T = k.c, precise(k)
    kind = c.pick(("gae", "returns", "td_lambda", "vtrace"))
    k.name(f"{kind}|compute_{kind}|{kind}_scan|{kind}_backward_pass")
    e = k.tid("e|env|traj|i")
    time_first = c.chance(1, 2)
    rewards, values = k.input("rewards|rew|r_in", T, 2), k.input("values|v_pred|baseline", T, 2)
    done = k.input("dones|terminal|ended", INT, 2) if c.chance(2, 3) else None
    ratios = k.input("ratios|rho_in|is_weights", T, 2) if kind == "vtrace" else None
    horizon = local(k, "horizon|steps|t_max", rewards.shape(0 if time_first else 1))
    hyper = settings(k, {"gamma": ("gamma|discount", 0.99), "lam": ("lam|gae_lambda|trace", 0.95)}, T)
    gamma, lam = hyper["gamma"], hyper["lam"]
    out = k.output("adv|advantages|targets", T, 2)
    acc = k.var("acc|running|carry", number(0.0, T))
    after = k.var("next_value|v_next|boot", number(0.0, T)) if kind != "returns" else None
    with k.for_("back|rev|q", horizon) as back:
        t = local(k, "t|step_t|now", horizon - 1 - back)
        at = (t, e) if time_first else (e, t)
        reward = varied(k, rewards[at], 0, 1)
        alive = _alive(k, done[at], T) if done is not None else None
        live = gamma if alive is None else local(k, "live|g_live|disc", gamma * alive)
        v = local(k, "v|v_t|base", values[at])
        if after is None:
            acc.set(reward + live * acc if c.chance(1, 2) else live * acc + reward * (1.0 - lam))
            out[at] = varied(k, acc - v if c.chance(1, 2) else acc + lam * v, 0, 2)
            continue_ = False
        else:
            delta = local(k, "delta|td|surprise", reward + live * after - v)
            _carry(k, kind, acc, delta, (live, lam), ratios, at)
            out[at] = varied(k, Term(acc.e), 0, 2)
            after.set(v)
            continue_ = c.chance(1, 3)
        if continue_:
            k.output("returns_out|value_targets|ret", T, 2)[at] = acc + v
    k.summary(f"Runs the {kind.replace('_', ' ')} recursion backwards along each trajectory.")


def _carry(
    k: Author, kind: str, acc: Var, delta: Term, decay: tuple[Term, Term], ratios: Arr | None, at: tuple[Term, Term]
) -> None:
    """Carry the running sum one step back in time."""
    live, lam = decay
    if ratios is not None:
        rho = local(k, "rho|clipped|weight_t", wp.clamp(ratios[at], 0.0, 1.0))
        acc.set(rho * (delta + live * lam * acc))
    elif kind == "td_lambda":
        acc.set(delta + live * lam * wp.clamp(acc, -1.0e6, 1.0e6))
    else:
        acc.set(delta + live * lam * acc)


def _alive(k: Author, done: Term, T: Scalar) -> Term:
    way = k.c.below(3)
    if way == 0:
        return where(done != 0, number(0.0, T), number(1.0, T))
    if way == 1:
        return 1.0 - cast(done, T)
    return local(k, "alive|mask_t|cont", cast(1 - wp.clamp(done, 0, 1), T))


def policy_loss(k: Author) -> None:
    """The clipped surrogate loss of proximal policy optimisation, or a plain policy gradient, for each sample."""
    c, T = k.c, precise(k)
    k.name("ppo_loss|policy_loss|surrogate_loss|clipped_objective|pg_loss")
    cells = Cells(k, 2)
    spec = {"new": ("logp_new|new_logp", T), "old": ("logp_old|old_logp", T), "adv": ("adv|advantage", T)}
    spec |= {"value": ("value|v_new", T), "target": ("target|goal_v", T)} if c.chance(1, 2) else {}
    r = records(k, cells, spec, "Transition|Sample|Step", "batch|rollout|transitions")
    hyper = settings(k, {"clip": ("clip|eps_clip", 0.2), "coef": ("vf_coef|coef|value_weight", 0.5)}, T)
    adv = local(k, "a|adv_n|scaled_adv", varied(k, r["adv"], 0, 2))
    ratio = local(k, "ratio|rho|importance", wp.exp(wp.clamp(r["new"] - r["old"], -10.0, 10.0)))
    bounded = wp.clamp(ratio, 1.0 - hyper["clip"], 1.0 + hyper["clip"])
    way = c.below(3)
    if way == 0:
        loss = -wp.min(ratio * adv, bounded * adv)
    elif way == 1:
        loss = wp.max(-adv * ratio, -adv * bounded)
    else:
        first, second = local(k, "s1|plain_obj", ratio * adv), local(k, "s2|clip_obj", bounded * adv)
        loss = -where(first < second, first, second)
    loss = local(k, "loss|objective|pi_loss", loss)
    if "value" in r:
        d = local(k, "d|v_err|gap", r["target"] - r["value"])
        loss = loss + hyper["coef"] * (d * d if c.chance(1, 2) else wp.abs(d))
    else:
        loss = loss + hyper["coef"] * (ratio - 1.0 - wp.log(ratio + 1.0e-6))
    loss = settled(k, loss, 0, 2)
    cells.output("losses|loss_out|out", T)[cells.place] = loss
    if c.chance(1, 3):
        clipped = k.output("clip_count|n_clipped", INT)
        with k.if_(wp.abs(ratio - 1.0) > hyper["clip"]):
            clipped.add_at(0, 1)
    statistic(k, loss)
    k.summary("Computes the clipped surrogate policy loss of each sample from old and new log-probabilities.")


def value_iteration(k: Author) -> None:
    """One Bellman update of each cell of a grid world, or of each state of a table of transitions."""
    c, T = k.c, precise(k)
    k.name("value_iteration|bellman_update|value_sweep|bellman_backup")
    grid = c.chance(1, 2)
    value = _grid_backup(k, T) if grid else _table_backup(k, T)
    statistic(k, value)
    k.summary(f"Makes one Bellman update of each {'cell of a grid world' if grid else 'state of a table'}.")


def _grid_backup(k: Author, T: Scalar) -> Term:
    c = k.c
    i, j = k.tid("i|row|y", "j|col|x")
    v, reward = k.input("v|values|v_old", T, 2), k.input("reward|cost|r_map", T, 2)
    if c.chance(1, 2):
        wall = k.input("walls|blocked|terminal", INT, 2)
        with k.if_(wall[i, j] != 0):
            k.leave()
    gamma = settings(k, {"gamma": ("gamma|discount", 0.95)}, T)["gamma"]
    wrap, h, w = c.chance(1, 3), v.shape(0), v.shape(1)
    places = []
    for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        row = i if not di else ((i + di + h) % h if wrap else wp.clamp(i + di, 0, h - 1))
        col = j if not dj else ((j + dj + w) % w if wrap else wp.clamp(j + dj, 0, w - 1))
        places.append((row, col))
    sides = ("up|north", "down|south", "left|west", "right|east")
    around = [local(k, word, v[place]) for word, place in zip(sides, places, strict=True)]
    best = _best(k, around)
    slip = coefficient(k, T, 1, 30)
    mean = (around[0] + around[1] + around[2] + around[3]) * number(0.25, T)
    expected = (1.0 - slip) * best + slip * mean if c.chance(1, 2) else best
    value = local(k, "new_v|backup|q_star", varied(k, reward[i, j], 0, 1) + gamma * expected)
    value = settled(k, value, 0, 2)
    k.output("v_new|values_out|out", T, 2)[i, j] = value
    if c.chance(1, 2):
        change = k.output("delta|residual_max|gap", T)
        k.atomic("max", change, 0, wp.abs(value - v[i, j]))
    return value


def _best(k: Author, around: list[Term]) -> Term:
    """Return the best value around: soft, at once, or one by one."""
    c = k.c
    best = around[0]
    soft = c.chance(1, 3)
    if soft:
        top = local(k, "top|m", wp.max(wp.max(around[0], around[1]), wp.max(around[2], around[3])))
        mass = wp.exp(around[0] - top) + wp.exp(around[1] - top) + wp.exp(around[2] - top) + wp.exp(around[3] - top)
        best = top + wp.log(mass)
    elif c.chance(1, 2):
        best = wp.max(wp.max(around[0], around[1]), wp.max(around[2], around[3]))
    else:
        slot = k.var("best|v_max|greedy", around[0])
        for other in around[1:]:
            if c.chance(1, 2):
                with k.if_(other > slot):
                    slot.set(other)
            else:
                slot.set(wp.max(slot, other))
        best = Term(slot.e)
    return best


def _table_backup(k: Author, T: Scalar) -> Term:
    c = k.c
    s = k.tid("s|state|i|tid")
    nexts, reward = k.input("next_state|succ|trans", INT, 2), k.input("reward|r_table|costs", T, 2)
    v = k.input("v|values|v_old", T)
    gamma = settings(k, {"gamma": ("gamma|discount", 0.95)}, T)["gamma"]
    prob = k.input("prob|p_table|weights", T, 2) if c.chance(1, 2) else None
    change = transform(k, "shape_r|utility|adjust", T, 1)

    def q(a: Term) -> Term:
        after = v[wp.clamp(nexts[s, a], 0, v.shape(0) - 1)]
        back = gamma * after if prob is None else gamma * prob[s, a] * after
        return change(reward[s, a]) + back

    if c.chance(1, 3):
        value = total(k, "acc|mean_q|s0", nexts.shape(1), q, T) / cast(wp.max(nexts.shape(1), 1), T)
    elif c.chance(1, 2):
        value, action = winner(k, nexts.shape(1), q, T)
        k.output("policy|greedy|actions", INT)[s] = action
    else:
        value = extreme(k, "best|q_max|top", nexts.shape(1), q, T)
    value = settled(k, value, 0, 2)
    k.output("v_new|values_out|out", T)[s] = value
    return value


def q_learning(k: Author) -> None:
    """The temporal-difference update of a table of action values, and an epsilon-greedy next action."""
    c, T = k.c, precise(k)
    kind = c.pick(("q_learning", "sarsa", "expected_sarsa"))
    k.name(f"{kind}|{kind}_update|{kind}_step|td_{kind}")
    i = k.tid("i|agent|sample|tid")
    table = k.input("q_table|q_old|q_in", T, 2)
    size = local(k, "n_actions|width|n_a", table.shape(1))
    at = {name: local(k, words, wp.clamp(k.input(source, INT)[i], 0, bound - 1)) for name, words, source, bound in (
        ("s", "s|state|s0", "states|obs|s_in", table.shape(0)), ("a", "a|act|a0", "actions|acts|a_in", size),
        ("s1", "s1|after|s_next", "next_states|next_obs", table.shape(0)),
    )}  # fmt: skip
    hyper = settings(k, {"gamma": ("gamma|discount", 0.98), "lr": ("lr|alpha|step_size", 0.1)}, T)
    reward = local(k, "r|rew|gain_r", varied(k, k.input("rewards|rew_in|feedback", T)[i], 0, 2))
    done = k.input("dones|terminal|ended", INT)[i] if c.chance(1, 2) else None
    if kind == "q_learning":
        future = extreme(k, "best|q_max|top", size, lambda a: table[at["s1"], a], T)
    elif kind == "sarsa":
        future = table[at["s1"], wp.clamp(k.input("next_actions|a_next", INT)[i], 0, size - 1)]
    else:
        future = total(k, "acc|mean_q|sum_q", size, lambda a: table[at["s1"], a], T) / cast(wp.max(size, 1), T)
    if done is not None:
        future = where(done != 0, number(0.0, T), future)
    old = local(k, "old|q_sa|before", table[at["s"], at["a"]])
    delta = local(k, "delta|td|err", reward + hyper["gamma"] * future - old)
    step = varied(k, hyper["lr"] * delta, 0, 1)
    if c.chance(1, 2):
        k.atomic("add", k.output("q_delta|updates|dq", T, 2), (at["s"], at["a"]), step, augmented=c.chance(1, 2))
    else:
        k.output("q_new|new_values|out", T)[i] = old + step
    if c.chance(1, 3):
        _epsilon_greedy(k, i, table, at["s1"], size, T)
    statistic(k, delta)
    k.summary(f"Computes the {kind.replace('_', ' ')} update of one state and action for each sample.")


def _epsilon_greedy(k: Author, i: Term, table: Arr, state: Term, size: Term, T: Scalar) -> None:
    rng = random_state(k, i)
    _, arg = winner(k, size, lambda a: table[state, a], T, best="q_best|top_q", which="greedy|arg")
    u = uniform(k, rng, FLOAT)
    any_ = wp.min(cast(u * 7919.0, INT), 1000000) % size
    k.output("next_out|chosen|policy_out", INT)[i] = where(
        u < settings(k, {"e": ("epsilon|explore", 0.1)})["e"], any_, arg
    )
