"""The scenarios and the data of all benchmarks: those of the experiments, as rules without their templates."""

from parte.experiments.scenarios import AMOUNTS as AMOUNTS
from parte.experiments.scenarios import DAY as DAY
from parte.experiments.scenarios import DIFFUSION, PASS_THROUGH
from parte.experiments.scenarios import TEMPLATES as TEMPLATES
from parte.experiments.scenarios import transfers as transfers
from parte.experiments.scenarios import uncommon_route as uncommon_route

SCENARIOS = {"A pass-through": PASS_THROUGH, "B diffusion": DIFFUSION}
