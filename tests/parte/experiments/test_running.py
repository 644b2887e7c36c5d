"""Running experiments: rows are kept as they are measured, an interrupted run goes on, parameters are checked."""

from __future__ import annotations

import base64
import json
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import parte
from parte.experiments import catalogue, running
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import in_markdown, span
from parte.experiments.parameters import ParametersError, read_parameters, to_toml
from parte.experiments.plots import plain_axes
from parte.experiments.running import run_experiment
from parte.experiments.store import Store
from tests.parte.examples import Command

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Parameters:
    numbers: tuple[int, ...] = (1, 2, 3)
    factor: float = 2.0
    seed: int = 1


class Interrupting:
    """Measures, and is interrupted at one of the numbers until told otherwise."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.measured: list[int] = []

    def __call__(self, parameters: Parameters, unit: Unit) -> Sequence[Row]:
        number = unit["number"]
        assert isinstance(number, int)
        if number == self.at:
            raise KeyboardInterrupt
        self.measured.append(number)
        return [{"result": number * parameters.factor}]


def drawn() -> Figure:
    figure, axes = plain_axes()
    axes.plot([1, 2], [1, 2])
    return figure


def present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    return Presentation([Table("All", rows)], [Plot("line", "A line.", drawn)], f"{len(rows)} rows.")


def experiment(measure: Interrupting) -> Experiment[Parameters]:
    return Experiment(
        name="doubling",
        title="Doubling",
        question="What is twice a number?",
        data="Numbers.",
        scales={scale: Parameters() for scale in Scale},
        units=lambda parameters: [{"number": number} for number in parameters.numbers],
        measure=measure,
        present=present,
        alone=True,
    )


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    measure = Interrupting()
    measure.at = 3
    with pytest.raises(KeyboardInterrupt):
        run_experiment(experiment(measure), Parameters(), tmp_path)
    # As if it had been killed while it wrote a line.
    with (tmp_path / "rows.jsonl").open("a", encoding="utf-8") as rows:
        rows.write('{"unit": {"numb')
    measure.at = None
    result = run_experiment(experiment(measure), Parameters(), tmp_path)
    assert measure.measured == [1, 2, 3]
    assert list(result.rows["result"]) == [2.0, 4.0, 6.0]
    assert [json.loads(line)["unit"] for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()] == [
        {"number": 1},
        {"number": 2},
        {"number": 3},
    ]
    # Lines that are whole stay as they are, in whatever layout: were they written anew, a kill could lose them.
    stored = (tmp_path / "rows.jsonl").read_text("utf-8").replace(": ", ":")
    (tmp_path / "rows.jsonl").write_text(stored, "utf-8")
    run_experiment(experiment(measure), Parameters(), tmp_path)
    assert measure.measured == [1, 2, 3]
    assert (tmp_path / "rows.jsonl").read_text("utf-8") == stored
    run_experiment(experiment(measure), Parameters(), tmp_path, fresh=True)
    assert measure.measured == [1, 2, 3, 1, 2, 3]


def test_a_unit_that_does_not_fit_the_disk_is_not_kept_in_part(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.prepare("", fresh=True)
    store.add({"number": 1}, [{"result": "x" * 50}])
    before = (tmp_path / "rows.jsonl").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 40, limits[1]))
    try:
        with pytest.raises(ParametersError, match="File too large"):
            store.add({"number": 2}, [{"result": "y" * 50}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "rows.jsonl").read_bytes() == before
    store.add({"number": 2}, [])
    assert list(store.measured()) == ['{"number": 1}', '{"number": 2}']


def test_files_that_are_no_text_are_explained(tmp_path: Path) -> None:
    run_experiment(experiment(Interrupting()), Parameters(), tmp_path)
    with (tmp_path / "rows.jsonl").open("ab") as rows:
        rows.write(b"\xff\n")
    with pytest.raises(ParametersError, match="--fresh begins anew"):
        run_experiment(experiment(Interrupting()), Parameters(), tmp_path)
    (tmp_path / "parameters.toml").write_bytes(b"\xff")
    with pytest.raises(ParametersError, match="other parameters"):
        run_experiment(experiment(Interrupting()), Parameters(), tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"unit": 3, "rows": 4}', "rows.jsonl:4: expected the rows of a unit"),
        ('{"unit": {"number": 1}, "rows": [{"result": [1]}]}', "rows.jsonl:4: expected the rows of a unit"),
        ("x" * 2**22, "rows.jsonl:4: expected the rows of a unit"),
        ('{"unit": {"number": 9}, "rows": []}', '{"number": 9}, which is no unit of this experiment'),
    ],
)
def test_rows_that_do_not_belong_there_are_explained(tmp_path: Path, line: str, message: str) -> None:
    run_experiment(experiment(Interrupting()), Parameters(), tmp_path)
    with (tmp_path / "rows.jsonl").open("a", encoding="utf-8") as rows:
        rows.write(f"{line}\n")
    with pytest.raises(ParametersError, match=f"{re.escape(message)}.*--fresh begins anew"):
        run_experiment(experiment(Interrupting()), Parameters(), tmp_path)


def test_kept_rows_without_a_column_are_explained(tmp_path: Path) -> None:
    def needing(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
        return present(parameters, rows[["number", "result"]])

    doubling = replace(experiment(Interrupting()), present=needing)
    run_experiment(doubling, Parameters(), tmp_path)
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text(lines.replace("result", "found"), encoding="utf-8")
    with pytest.raises(ParametersError, match=r"do not fit this experiment.*result.*--fresh begins anew"):
        run_experiment(doubling, Parameters(), tmp_path)


def test_a_directory_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for directory in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/none")):
        with pytest.raises(ParametersError, match=r"results cannot be kept here: .*give another directory with --out"):
            run_experiment(experiment(Interrupting()), Parameters(), directory)


def test_the_page_gives_the_command_that_it_is_of(tmp_path: Path) -> None:
    scales = {Scale.SMALL: Parameters((1,)), Scale.DEFAULT: Parameters(), Scale.FULL: Parameters((5, 6))}
    doubling = replace(experiment(Interrupting()), scales=scales)
    for parameters, command in (
        (Parameters(), "parte experiment doubling"),
        (Parameters((1,)), "parte experiment doubling --small"),
        (Parameters((5, 6), seed=7), "parte experiment doubling --full --seed 7"),
        (Parameters((5,)), "parte experiment doubling --parameters parameters.toml"),
    ):
        assert f"```\n{command}\n```" in run_experiment(doubling, parameters).markdown
    run_experiment(doubling, Parameters((5,)), tmp_path)
    assert read_parameters(tmp_path / "parameters.toml", Parameters()) == Parameters((5,))


def test_a_script_without_a_guard_runs_an_experiment(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import parte; print(parte.experiment('sizes', scale='small').name)", encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "sizes\n"), done.stderr


def test_rows_of_other_parameters_are_not_taken_over(tmp_path: Path) -> None:
    run_experiment(experiment(Interrupting()), Parameters(), tmp_path)
    with pytest.raises(ParametersError, match="other parameters; give another --out, or --fresh"):
        run_experiment(experiment(Interrupting()), Parameters(factor=3.0), tmp_path)


def test_a_run_writes_page_tables_and_plots_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        run_experiment(experiment(Interrupting()), Parameters(), tmp_path / name)
    files = {path.name for path in (tmp_path / "one").iterdir()}
    assert files == {"README.md", "line.png", "line.svg", "parameters.toml", "rows.jsonl", "table-1.csv"}
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    page = (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    for part in (
        "# Doubling",
        "What is twice a number?",
        "3 rows.",
        "parte experiment doubling",
        "factor = 2.0",
        "line.svg",
    ):
        assert part in page
    assert (tmp_path / "one" / "table-1.csv").read_text(encoding="utf-8") == "number,result\n1,2.0\n2,4.0\n3,6.0\n"


def test_a_notebook_shows_the_plots() -> None:
    markdown = run_experiment(experiment(Interrupting()), Parameters())._repr_markdown_()
    (plot,) = re.findall(r"!\[A line\.\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)", markdown)
    assert base64.b64decode(plot).startswith(b"\x89PNG")
    assert "line.svg" not in markdown


def test_parameters_survive_their_file(tmp_path: Path) -> None:
    file = tmp_path / "parameters.toml"
    file.write_text(to_toml(Parameters(numbers=(7,), factor=0.5)), encoding="utf-8")
    assert read_parameters(file, Parameters()) == Parameters(numbers=(7,), factor=0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("number = [1]", "no parameter is called 'number'; did you mean 'numbers'?"),
        ("numbers = 1", "numbers: expected a list that is not empty, found 1"),
        ("numbers = []", "numbers: expected a list that is not empty"),
        ("numbers = ['1']", "numbers: expected a value like 1, found '1'"),
        ("seed = true", "seed: expected a value like 1, found True"),
        ("numbers = [1, 2, 1]", "numbers: expected each value once, found 1 twice"),
        ("numbers = [0]", "numbers: expected a number greater than 0, found 0"),
        ("numbers = [10000000000]", "numbers: expected a number of at most 1000000000, found 10000000000"),
        ("factor = nan", "factor: expected a number of at most 1000000000, found nan"),
        ("seed = -1", "seed: expected a number that is not negative, found -1"),
        ("seed", "not TOML"),
        ("seed = " + "9" * 5_000, "an integer lies outside the signed 64-bit range"),
    ],
)
def test_parameters_are_read_with_care(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "parameters.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParametersError) as caught:
        read_parameters(file, Parameters())
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_numbers_are_shown_so_that_they_can_be_read() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1234567], "b": [0.123456], "c": ["x|y"], "d": [None], "e": [True]}, dtype=object)
    assert in_markdown(frame).splitlines()[2].replace(" ", "") == "|1,234,567|0.1235|x\\|y||yes|"
    assert span(16.0001, 16.0002) == "16"
    assert span(1, 123456) == "1 to 123,000"


def test_the_command_runs_an_experiment(command: Command, tmp_path: Path) -> None:
    result = command("experiment", "sizes", "--small", "--out", str(tmp_path))
    assert result.code == 0, result.err
    assert "2 are reproduced in every column" in result.out
    assert (tmp_path / "sizes" / "README.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size"], "did you mean sizes?"),
        (["sizes", "--seed", "3"], "draws nothing"),
        (["sizes", "--small", "--full"], "exclude each other"),
        (["schedules", "--seed", "10000000000"], "expected a number of at most 1000000000"),
        (["all", "--parameters", "P"], "every experiment has parameters of its own"),
        (["sizes", "--parameters", "no-such-file"], "cannot be read"),
    ],
)
def test_the_command_explains_what_it_cannot_do(
    command: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = command("experiment", *arguments, "--out", str(tmp_path))
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_a_seed_for_all_is_for_those_that_draw(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = replace(experiment(Interrupting()), name="drawing")
    monkeypatch.setattr(catalogue, "EXPERIMENTS", (catalogue.BY_NAME["sizes"], drawing))
    result = command("experiment", "all", "--small", "--seed", "7", "--out", str(tmp_path))
    assert result.code == 0, result.err
    assert "\nparte experiment sizes --small\n" in (tmp_path / "sizes" / "README.md").read_text(encoding="utf-8")
    assert "seed = 7" in (tmp_path / "drawing" / "parameters.toml").read_text(encoding="utf-8")


def test_a_process_that_died_is_explained(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        raise BrokenProcessPool("a process was terminated")

    monkeypatch.setattr(running, "run_experiment", dies)
    result = command("experiment", "sizes", "--out", str(tmp_path))
    assert result.code == 2
    assert "a process ended while it measured" in result.err
    assert "fewer --jobs" in result.err


def test_an_experiment_from_python_gives_data_frames() -> None:
    result = parte.experiment("sizes", scale="small", parameters={"transfers": [2]})
    assert set(result.rows["transfers"]) == {2}
    assert list(next(iter(result.tables.values()))["PARTE size"]) == [1953]
    assert result._repr_markdown_().startswith("# How large histories must be")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "size"}, "did you mean sizes?"),
        ({"name": "sizes", "scale": "tiny"}, "tiny"),
        ({"name": "sizes", "parameters": {"transfer": [1]}}, "did you mean 'transfers'?"),
    ],
)
def test_what_python_asks_wrongly_is_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parte.experiment(**arguments)


def test_the_command_lists_the_experiments(command: Command) -> None:
    assert "sizes" in command("experiment").out
