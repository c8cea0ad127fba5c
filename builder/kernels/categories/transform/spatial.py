"""Twists, wrenches and spatial inertia: six-vectors and six by six matrices."""

from __future__ import annotations

from ...author import Arr, Author, Scope
from ...fusion import coefficient, gate, statistic, varied
from ...terms import Term, make, number, wp
from ...types import DOUBLE, FLOAT, HALF, VEC3, Scalar, mat, transform, vec
from .frames import parts

V6 = vec(6)
X32 = transform(FLOAT)


def halves(k: Scope, s: Term) -> tuple[Term, Term]:
    """Return the two 3-vectors of a spatial vector, by function or by slices."""
    if k.c.chance(2, 3):
        return wp.spatial_top(s), wp.spatial_bottom(s)
    return k.let("ang|top|upper", s[0:3]), k.let("lin0|low|lower", s[3:6])


def six(k: Scope, w: Term, v: Term) -> Term:
    """Return the spatial vector of two 3-vectors."""
    type_ = vec(6, _scalar(w))
    if type_ is V6 and k.c.chance(2, 3):
        return make(V6, w, v)
    return make(type_, *(w[n] for n in range(3)), *(v[n] for n in range(3)))


def _scalar(v: Term) -> Scalar:
    return v.type.dtype  # type: ignore[union-attr,return-value]


def twists(k: Author) -> None:
    """Twists of bodies taken to other frames; velocities of points; poses stepped by twists."""
    c = k.c
    k.name("transform_twists|body_twist|point_velocity|twist_step|propagate_twist")
    twist_in, poses = k.input("twists|vel|qd", V6), k.input("poses|frames|xforms", X32)
    i = gate(k, k.tid("i|tid|body"), twist_in.shape(0))
    X, t = k.let("X|pose|xf", poses[i % poses.shape(0)]), k.let("t|tw|s", twist_in[i])
    way = c.below(4)
    if way == 0:
        moved = k.let("moved|ts|out_t", wp.transform_twist(X if c.chance(1, 2) else wp.transform_inverse(X), t))
        w, v = halves(k, moved)
        k.output("out|twists_out|moved_out", V6)[i] = six(k, varied(k, w, 0, 2), varied(k, v, 0, 2))
    elif way == 1:
        arms = k.input("arms|offsets|r", VEC3)
        speed = wp.velocity_at_point(t, wp.transform_vector(X, varied(k, arms[i % arms.shape(0)], 0, 1)))
        k.output("out|speeds|point_vel", VEC3)[i] = varied(k, speed, 0, 2)
    elif way == 2:
        w, v = halves(k, t)
        where_, rot = parts(k, X)
        dt = k.scalar("dt|h|step", FLOAT)
        turn = wp.quat_rpy(*(w[n] * dt for n in range(3))) if c.chance(1, 2) else wp.normalize(
            rot * make(rot.type, w * (0.5 * dt), 1.0)
        )  # fmt: skip
        moved = varied(k, where_ + v * dt, 0, 1)
        k.output("out|poses_out|stepped", X32)[i] = make(X32, moved, wp.normalize(rot * turn))
    else:
        other = k.let("o|rel|other", twist_in[(i + 1) % twist_in.shape(0)])
        bracket = wp.spatial_cross(t, varied_six(k, other))
        k.output("out|brackets|rates", V6)[i] = bracket if c.chance(1, 2) else wp.transform_twist(X, bracket)
    statistic(k, wp.spatial_dot(t, t) if c.chance(1, 2) else wp.length(X.p))
    what = ("Takes twists to other frames", "Finds velocities of points of moving bodies", "Steps poses by twists",
            "Takes spatial cross products of twists")[way]  # fmt: skip
    k.summary(f"{what}.")


def varied_six(k: Scope, s: Term) -> Term:
    """Return a spatial vector with its halves put through drawn steps."""
    if k.c.chance(1, 3):
        return s * coefficient(k, _scalar(s))
    w, v = halves(k, s)
    return six(k, varied(k, w, 0, 1), varied(k, v, 0, 1))


def _contact_wrench(k: Author, poses: Arr) -> tuple[Term, Term]:
    """Return the thread's index and the sum of the wrenches of forces at points."""
    c, i_words = k.c, "i|tid|body"
    forces, points = k.input("forces|f|push", VEC3), k.input("points|at|contacts", VEC3)
    i = gate(k, k.tid(i_words), poses.shape(0))
    X = k.let("X|pose|xf", poses[i])
    acc = k.var("acc|total|sum_f", make(V6))
    with k.for_("j|n|contact", wp.min(forces.shape(0), c.between(4, 32)) if c.chance(1, 2) else forces.shape(0)) as j:
        push = k.let("push|fj|force", varied(k, forces[j], 0, 2))
        arm = k.let("arm|rj|lever", points[j % points.shape(0)] - X.p)
        acc.set(Term(acc.e) + six(k, wp.cross(arm, push), push))
    return i, Term(acc.e)


def wrenches(k: Author) -> None:
    """Wrenches: taken to other frames, summed over contacts, their power."""
    c = k.c
    k.name("sum_wrenches|contact_wrench|apply_forces|transform_wrenches|joint_load")
    poses = k.input("poses|frames|xforms", X32)
    way = c.below(3)
    i_words = "i|tid|body"
    if way == 0:
        given = k.input("wrenches|loads|f6", V6)
        i = gate(k, k.tid(i_words), given.shape(0))
        f = k.let("f|wr|load", wp.transform_wrench(poses[i % poses.shape(0)], varied_six(k, given[i])))
    elif way == 1:
        i, f = _contact_wrench(k, poses)
    else:
        mass = k.input("mass|m|weights", FLOAT)
        i = gate(k, k.tid(i_words), mass.shape(0))
        g = k.scalar("gravity|g|accel", VEC3)
        weight = k.let("weight|w|fg", varied(k, g * mass[i], 0, 1))
        arm = wp.transform_point(poses[i % poses.shape(0)], make(VEC3, coefficient(k, FLOAT), 0.0, 0.0))
        f = k.let("f|wr|load", six(k, wp.cross(arm, weight), weight))
    if c.chance(1, 2):
        twists_in = k.input("twists|vel|qd", V6)
        t = k.let("t|tw|s", twists_in[i % twists_in.shape(0)])
        if c.chance(1, 2):
            k.output("power|work|out_p", FLOAT)[i] = varied(k, wp.spatial_dot(t, f), 1, 2)
        else:
            k.output("bias|gyro|out_b", V6)[i] = wp.spatial_cross_dual(t, f) + varied_six(k, f)
    else:
        k.output("out|wrenches_out|loads_out", V6)[i] = varied_six(k, f)
    what = ("Takes wrenches to other frames", "Sums the wrenches of contact forces on each body",
            "Finds the wrenches of weights on bodies")[way]  # fmt: skip
    k.summary(f"{what}.")


def motion(k: Author) -> None:
    """Spatial vectors along a chain: velocities and bias accelerations, forwards over joints."""
    c = k.c
    T = c.weighted({FLOAT: 3, DOUBLE: 1, HALF: 1})
    S = vec(6, T)
    k.name("spatial_velocities|bias_accel|recursive_motion|joint_motion|chain_twists")
    axes, rates = k.input("axes|subspace|screws", S), k.input("rates|qd|joint_vel", T, 2)
    i = gate(k, k.tid("i|tid|robot"), rates.shape(0))
    v = k.var("v|twist|vel", make(S))
    a = k.var("a|bias|acc", make(S)) if c.chance(2, 3) else None
    dual = c.chance(1, 3)
    with k.for_("j|joint|n", rates.shape(1) if c.chance(1, 2) else wp.min(rates.shape(1), c.between(3, 12))) as j:
        s = k.let("s|screw|sj", axes[j % axes.shape(0)])
        step = k.let("vj|sv|rel", s * varied(k, rates[i, j], 0, 2))
        if a is not None:
            cross = (wp.spatial_cross_dual if dual else wp.spatial_cross)(Term(v.e), step)
            a.set(Term(a.e) + cross * (coefficient(k, T) if c.chance(1, 2) else 1.0))
        v.set(Term(v.e) + step if c.chance(1, 2) else Term(v.e) * coefficient(k, T, 50, 99) + step)
    energy = varied(k, wp.spatial_dot(Term(v.e), Term(v.e)), 1, 2)
    if c.chance(1, 2):
        k.output("energy|kinetic|out_e", T)[i] = energy
    else:
        w, lin = halves(k, Term(v.e))
        top = k.output("out|angular|w_out", vec(3, T))
        top[i] = varied(k, w, 0, 2)
        k.output("lin_out|linear|v_out", vec(3, T))[i] = varied(k, lin, 0, 2)
    if a is not None:
        k.output("bias_out|acc_out|a_out", S)[i] = Term(a.e)
    k.summary(
        f"Carries {T.name} spatial velocities{' and bias terms' if a is not None else ''} along the joints of a chain."
    )


def inertia(k: Author) -> None:
    """Spatial inertia: six by six matrices from mass and rotation, momenta, congruences."""
    c = k.c
    T = c.weighted({FLOAT: 4, DOUBLE: 1, HALF: 1})
    V, M, S, W = vec(3, T), mat(3, 3, T), vec(6, T), mat(6, 6, T)
    k.name("spatial_inertia|momenta|rotate_inertia|articulated|apply_inertia")
    twists_in = k.input("twists|vel|qd", S)
    i = gate(k, k.tid("i|tid|body"), twists_in.shape(0))
    t = k.let("t|tw|v", twists_in[i])
    way = c.below(3)
    if way == 0:
        rots = k.input("rots|bases|R", M)
        R = k.let("R|rot|basis", rots[i % rots.shape(0)])
        coms = k.input("coms|offsets|r", V)
        A = k.let("A|adj|Ad", wp.spatial_adjoint(R, wp.skew(varied(k, coms[i % coms.shape(0)], 0, 1)) * R))
        made = A * t if c.chance(1, 2) else wp.transpose(A) * t
    elif way == 1:
        given = k.input("inertias|I6|mass6", W)
        I6 = k.let("I|inert|mm", given[i % given.shape(0)])
        h = k.let("h|mom|p", I6 * t)
        made = wp.spatial_cross_dual(t, h) + h * coefficient(k, T)
    else:
        I6 = k.let("I|inert|mm", wp.diag(make(S, *(number(c.between(20, 400) / 100, T) for _ in range(6)))))
        rank = wp.outer(t, t) * coefficient(k, T)
        made = (I6 - rank) * t if c.chance(1, 2) else (I6 + wp.transpose(rank)) * t
    f = k.let("f|res|load", made)
    w, v = halves(k, f)
    if c.chance(1, 3):
        k.output("out|loads|forces", S)[i] = f
    k.output("torques|ang|top_out", V)[i] = varied(k, w, 0, 2)
    if c.chance(1, 2):
        k.output("lin|bottom_out|push", V)[i] = varied(k, v, 0, 2)
    statistic(k, wp.spatial_dot(t, f) if c.chance(1, 2) else wp.dot(w, v))
    what = ("spatial adjoint matrices", "spatial inertia matrices", "diagonal inertia with a correction of rank one")[
        way
    ]
    k.summary(f"Applies {T.name} {what} to twists.")
