"""Makes gbstats.jsonl, a case a line: what gbstats 0.8.0 says of proportions, means, adjusted means and splits.

    python3 -m venv v && v/bin/pip install gbstats==0.8.0 && v/bin/python make-gbstats.py > gbstats.jsonl

gbstats takes p-values as one minus the rest, which leaves no digit of small ones; `tail` is the same p-value as scipy's own tail.
Sums are handed to it as it wants them; the moments beside them are exact ones of the same numbers (fractions).
A case is null where gbstats gives its default for "cannot be said".
"""

import json
import random
import sys
import warnings
from fractions import Fraction

from scipy.stats import t

from gbstats.bayesian.tests import EffectBayesianABTest, EffectBayesianConfig
from gbstats.frequentist.tests import (
    FrequentistConfig,
    SequentialConfig,
    SequentialTwoSidedTTest,
    TwoSidedTTest,
)
from gbstats.models.statistics import (
    ProportionStatistic,
    RegressionAdjustedStatistic,
    SampleMeanStatistic,
)
from gbstats.utils import check_srm

warnings.filterwarnings("ignore")
random.seed(20_080)


def compare(make_a, make_b):
    test = TwoSidedTTest(make_a(), make_b(), FrequentistConfig())
    plain = test.compute_result()
    if plain.error_message is not None:
        return None
    sequential = SequentialTwoSidedTTest(make_a(), make_b(), SequentialConfig()).compute_result()
    up = EffectBayesianABTest(make_a(), make_b(), EffectBayesianConfig()).compute_result()
    down = EffectBayesianABTest(make_a(), make_b(), EffectBayesianConfig(inverse=True)).compute_result()
    return numbers(
        {
            "lift": plain.expected,
            "liftCi": plain.ci,
            "pValue": plain.p_value,
            "tail": 2 * t.sf(abs(test.critical_value), test.dof),
            "sequentialCi": sequential.ci,
            "sequentialPValue": sequential.p_value,
            "chanceToWin": up.chance_to_win,
            "risk": up.risk[1],
            "chanceToWinDecrease": down.chance_to_win,
            "riskDecrease": down.risk[1],
        }
    )


def numbers(value):
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    number = float(value)
    return number if number == number and abs(number) != float("inf") else None


def proportions():
    pairs = [
        ((n, s), (m, r))
        for n, s in [(1, 0), (1, 1), (2, 1), (100, 0), (100, 1), (100, 50), (100, 99), (100, 100)]
        for m, r in [(1, 0), (1, 1), (2, 1), (100, 0), (100, 7), (100, 100), (1000, 77)]
    ]
    billion = 10**9
    for s in [1, 10, 5_000, billion // 2, billion - 10, billion - 1]:
        for r in [1, 12, 5_200, billion // 2 + 40_000, billion // 2 + 900_000, billion - 9]:
            pairs.append(((billion, s), (billion, r)))
    pairs += [((billion, 1000), (10, 1)), ((10, 1), (billion, 10**8 + 1)), ((5000, 500), (5000, 900))]
    for _ in range(120):
        n, m = (int(10 ** random.uniform(0.5, 7)) for _ in range(2))
        rate = 10 ** random.uniform(-3, -0.01)
        s, r = (sum_of(size, rate * random.uniform(0.7, 1.3)) for size in (n, m))
        pairs.append(((n, s), (m, r)))
    return [
        [*a, *b, compare(lambda a=a: ProportionStatistic(n=a[0], sum=a[1]), lambda b=b: ProportionStatistic(n=b[0], sum=b[1]))]
        for a, b in pairs
    ]


def sum_of(n, rate):
    return max(0, min(n, round(n * min(1, rate) + random.gauss(0, 1) * (n * rate) ** 0.5)))


def moments(values, before):
    exact, early = [Fraction(v) for v in values], [Fraction(v) for v in before]
    n = len(exact)
    mean, mean_before = sum(exact) / n, sum(early) / n
    divisor = max(1, n - 1)
    return [
        n,
        float(mean),
        float(sum((v - mean) ** 2 for v in exact) / divisor),
        float(mean_before),
        float(sum((v - mean_before) ** 2 for v in early) / divisor),
        float(sum((v - mean) * (w - mean_before) for v, w in zip(exact, early)) / divisor),
    ]


def means():
    cases = []
    for index in range(90):
        sizes = [random.choice([1, 2, 3, 10, 60, 300]), random.choice([2, 5, 40, 300])]
        scale = 10 ** random.uniform(-3, 6)
        link = random.choice([0, 0.3, 0.9, 1.4])
        arms = []
        for arm, size in enumerate(sizes):
            before = [0 if random.random() < 0.4 else random.expovariate(1) * scale for _ in range(size)]
            effect = 1 + 0.3 * arm * random.random()
            values = [
                max(0, w * link + (random.expovariate(1) if random.random() < 0.5 else 0) * scale * effect) for w in before
            ]
            if index % 15 == 0:
                values = [scale] * size
            arms.append((values, before))
        if index % 15 == 1:
            arms = [(values, [0] * len(values)) for values, _ in arms]

        def plain(arm):
            values, _ = arms[arm]
            return SampleMeanStatistic(n=len(values), sum=sum(values), sum_squares=sum(v * v for v in values))

        def with_before(arm):
            values, before = arms[arm]
            return RegressionAdjustedStatistic(
                n=len(values),
                post_statistic=plain(arm),
                pre_statistic=SampleMeanStatistic(n=len(values), sum=sum(before), sum_squares=sum(v * v for v in before)),
                post_pre_sum_of_products=sum(v * w for v, w in zip(values, before)),
                theta=0,
            )

        spread = index % 15 != 0
        cases.append(
            [
                moments(*arms[0]),
                moments(*arms[1]),
                compare(lambda: plain(0), lambda: plain(1)) if spread else None,
                compare(lambda: with_before(0), lambda: with_before(1)) if spread else None,
            ]
        )
    return cases


def splits():
    cases = []
    for _ in range(40):
        arms = random.randint(2, 8)
        weights = [random.choice([1, 10, 25, 33.3]) for _ in range(arms)]
        size = 10 ** random.uniform(1, 9)
        skew = random.choice([0.001, 0.02, 0.2])
        users = [round(size * w / sum(weights) * random.uniform(1 - skew, 1 + skew)) for w in weights]
        cases.append([users, weights, float(check_srm(users, weights))])
    cases.append([[0, 0], [50, 50], 1.0])
    cases.append([[10**9, 10**9 + 90_000], [50, 50], float(check_srm([10**9, 10**9 + 90_000], [50, 50]))])
    return cases


for kind, cases in [("proportion", proportions()), ("mean", means()), ("split", splits())]:
    for case in cases:
        json.dump([kind, *case], sys.stdout, separators=(",", ":"))
        print()
