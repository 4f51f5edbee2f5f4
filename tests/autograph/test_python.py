"""Converted code on Python values is Python to the letter."""

import itertools

import pytest

from tapeviz import autograph

LIMIT = 10


def both(function):
    """The original and the converted function."""
    converted, conversion = autograph.convert(function)
    assert not conversion.reason
    return function, converted


def test_variables_keep_their_values_when_a_loop_raises():
    def count(items):
        n = 0
        try:
            while True:
                next(items)
                n += 1
        except StopIteration:
            pass
        return n

    assert [f(iter("abc")) for f in both(count)] == [3, 3]


def test_closures_made_in_a_loop_share_its_variable():
    def make(n):
        functions = []
        for i in n:
            functions.append(lambda: i)  # noqa: B023, PERF401
        return [function() for function in functions]

    assert [f(range(3)) for f in both(make)] == [[2, 2, 2]] * 2


def test_operands_are_evaluated_as_python_does():
    seen = []

    def say(value):
        seen.append(value)
        return value

    def run(a, b, c):
        return (say(a) and say(b)) or say(c), 0 < say(1) < say(b) < say(9), say(a) or not say(c)

    for arguments in itertools.product((0, 2), repeat=3):
        seen.clear()
        results = []
        for f in both(run):
            results += [f(*arguments), tuple(seen)]
            seen.clear()
        assert results[:2] == results[2:]


def test_and_or_give_the_operand_itself():
    def run(a, b):
        return a and b, a or b

    one, other = [1], []
    for f in both(run):
        assert f(one, other)[0] is other
        assert f(one, other)[1] is one


def test_globals_are_shared_live(monkeypatch):
    def run(x):
        if x > LIMIT:
            return "more"
        return "less"

    _, converted = both(run)
    assert converted(5) == "less"
    monkeypatch.setitem(globals(), "LIMIT", 1)
    assert converted(5) == "more"


def test_closures_are_shared_live():
    count = 0

    def add(n):
        nonlocal count
        if n > 0:
            count += n
        return count

    _, converted = both(add)
    converted(2)
    count += 10
    assert add(1) == 13
    assert converted(1) == 14 == count


def test_globals_can_be_assigned():
    def run(x):
        global _assigned  # noqa: PLW0603
        if x > 0:
            _assigned = x
        return _assigned

    _, converted = both(run)
    assert converted(3) == 3 == _assigned


_assigned = 0


def test_signature_and_defaults_are_those_of_the_original():
    kept = []

    def run(a, /, b=kept, *rest, c=5, **others):
        """What it does."""
        if a:
            b.append(a)
        return b, rest, c, others

    original, converted = both(run)
    assert converted(1, c=2, d=3)[0] is kept
    assert (converted.__defaults__, converted.__kwdefaults__) == (original.__defaults__, original.__kwdefaults__)
    assert (converted.__name__, converted.__qualname__) == (original.__name__, original.__qualname__)
    assert (converted.__doc__, converted.__module__) == (original.__doc__, original.__module__)


def test_a_variable_that_is_not_set_is_still_an_error():
    def run(x):
        if x > 0:
            y = 1
        return y

    for f in both(run):
        assert f(1) == 1
        with pytest.raises(UnboundLocalError, match="'y'"):
            f(-1)


def test_a_deleted_variable_is_gone():
    def run(x):
        y = 1
        if x > 0:
            del y
        return y

    for f in both(run):
        assert f(-1) == 1
        with pytest.raises(UnboundLocalError):
            f(1)


def test_messages_of_assertions_are_made_when_they_fail():
    made = []

    def run(x):
        assert x > 0, made.append(x) or f"{x} is not positive"
        assert x != 3
        return x

    for f in both(run):
        assert f(1) == 1
        with pytest.raises(AssertionError, match="-1 is not positive"):
            f(-1)
        with pytest.raises(AssertionError) as caught:
            f(3)
        assert len(caught.value.args) <= 1
    assert made == [-1, -1]


def test_returns_inside_try_with_and_finally():
    done = []

    class Manager:
        def __enter__(self):
            done.append("enter")
            return self

        def __exit__(self, *_):
            done.append("exit")
            return True

    def run(x, n):
        for k in n:
            try:
                with Manager():
                    if x > k:
                        return k
                    if k == 3:
                        raise ValueError
                    if k == 2:
                        continue
                done.append(k)
            finally:
                done.append("finally")
        return "end"

    results = []
    for f, x in itertools.product(both(run), (-1, 1, 7)):
        done.clear()
        results.append((f(x, range(5)), tuple(done)))
    assert results[:3] == results[3:]


def test_exits_of_nested_loops_with_else():
    def run(n, m):
        out = []
        for i in n:
            for j in m:
                if j == i:
                    break
                if j > 2:
                    continue
                out.append((i, j))
                if i * j == 6:
                    return out, "return"
            else:
                out.append(i)
                continue
            if i > 3:
                break
            out.append("next")
        else:
            out.append("else")
        return out

    original, converted = both(run)
    for n, m in itertools.product(range(6), repeat=2):
        assert converted(range(n), range(m)) == original(range(n), range(m))


def test_exits_under_conditions_that_only_sometimes_leave():  # noqa: C901 - the more the better
    def run(a, b, n):
        out = []
        while n > 0:
            n -= 1
            if a > n:
                if b > n:
                    continue
                if n == 4:
                    return out
            elif b == n:
                if a:
                    break
                out.append("b")
            out.append(n)
            if n == 2:
                if b:
                    return "two"
                out.append("no b")
        out.append("end")
        return out

    original, converted = both(run)
    for arguments in itertools.product(range(6), repeat=3):
        assert converted(*arguments) == original(*arguments)


def test_names_of_ours_are_not_taken_from_the_user():
    def run(ag, if_body, returned_):
        while if_body > 0:
            if_body -= 1
            if ag > if_body:
                return returned_
        break_ = len(range(if_body))
        return break_  # noqa: RET504 - a name of ours

    original, converted = both(run)
    assert converted(1, 5, 7) == original(1, 5, 7) == 7
    assert converted(-1, 5, 7) == original(-1, 5, 7) == 0


def test_what_looks_at_its_frame_stays_where_it_is():
    def run(x):
        y = 1
        if x > 0:
            return sorted(locals())
        return eval("x + y")

    assert [f(1) for f in both(run)] == [["x", "y"]] * 2
    assert [f(-1) for f in both(run)] == [0, 0]


def test_comprehensions_and_walrus():
    def run(items):
        kept = [y for x in items if (y := x * 2) > 2 and x != 3]
        last = y if items and (z := items[0]) else None
        if kept and (w := kept[0]) > 3:
            return kept, last, w, z
        return kept, last

    original, converted = both(run)
    for items in ([], [1], [1, 2, 3], [2, 4], [0, 3]):
        assert converted(items) == original(items)


def test_match_with_conditions_inside():
    def run(value):
        match value:
            case [x, *rest] if x > 0:
                while rest:
                    x += rest.pop()
                return x
            case {"a": a, **others} if a and not others:
                if a > 1:
                    return a
            case str() as text:
                return text * 2
        return None

    original, converted = both(run)
    for value in ([1, 2, 3], [-1], {"a": 3}, {"a": 1}, {"a": 3, "b": 1}, "x", 5):
        assert converted(list(value) if isinstance(value, list) else value) == original(
            list(value) if isinstance(value, list) else value
        )


def test_classes_and_generators_inside():
    def run(n):
        class Local:
            scale = 2 if n > 1 else 3

            def times(self, x):
                if x > 0:
                    return x * self.scale
                return 0

        def squares():
            for k in range(n):
                if k % 2:
                    yield k * k

        return [Local().times(k) for k in squares()]

    assert [f(6) for f in both(run)] == [[2, 18, 50]] * 2


def test_lists_are_the_same_objects():
    def run(items, n):
        same = items
        while n > 0:
            items.append(n)
            n -= 1
        return same is items

    items = []
    _, converted = both(run)
    assert converted(items, 3)
    assert items == [3, 2, 1]


def test_code_that_never_runs():
    def run(items, x):
        out = []
        for k in items:
            try:
                out.append(k)
                break
            finally:
                out.append("finally")
            return "never"
        else:
            if x > 0:
                return "else"
        while x > 0:
            x -= 1
            continue
            return "never"
        return out, x

    original, converted = both(run)
    for items, x in (([], 1), ([], -1), ([1], 1), ([1, 2], 0)):
        assert converted(items, x) == original(items, x)
