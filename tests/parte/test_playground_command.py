"""`parte playground`: what is served, to whom, and what is not."""

from __future__ import annotations

import json
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.licences_page import ALLOWED
from parte.languages.registry import languages
from parte.playground.serving import HERE, POLICY, server
from playground.examples import examples
from tests.parte.examples import Command

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A folder like that of a page, beside a file that is none of its."""
    folder = tmp_path / "page"
    folder.mkdir()
    for name in ("index.html", "a.mjs", "a.wasm", "a.whl"):
        (folder / name).write_text(name, encoding="utf-8")
    (folder / POLICY).write_text("default-src 'none'\n", encoding="utf-8")
    (folder / "wheels").mkdir()
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    return folder


@pytest.fixture
def address(page: Path) -> Iterator[str]:
    """What `parte playground` says it serves."""
    command = [sys.executable, "-m", "parte", "playground", "--port", "0", "--page", str(page)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as serving:
        assert serving.stderr is not None
        ready, _, _ = select.select([serving.stderr], [], [], 60)
        assert ready
        match = re.match(r"(http://127\.0\.0\.1:\d+/) is the playground", serving.stderr.readline())
        assert match is not None
        yield match[1]
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=30) == 128 + signal.SIGINT


def test_it_serves_the_page_and_nothing_else(address: str) -> None:
    types = {"": "text/html; charset=utf-8", "a.mjs": "text/javascript; charset=utf-8", "a.wasm": "application/wasm"}
    for name, kind in {**types, "a.whl": "application/octet-stream"}.items():
        with urllib.request.urlopen(address + name) as answer:
            assert answer.headers["Content-Type"] == kind
            assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'self'"
            assert answer.read().decode() == (name or "index.html")
    for name in ("wheels/", "absent", "..%2fsecret", "../secret", "%2e%2e/secret", "%00", "%ed%a0%80"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address + name)
        with refused.value as error:
            assert error.code == 404


def test_one_command_serves_the_documentation_too(page: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "playground").mkdir(parents=True)
    for name in ("index.html", "a.svg", "playground/index.html"):
        (site / name).write_text(f"site {name}", encoding="utf-8")
    command = [sys.executable, "-m", "parte", "playground", "--port", "0", "--page", str(page), "--site", str(site)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as serving:
        assert serving.stderr is not None
        root = serving.stderr.readline().split()[0]
        line = serving.stderr.readline()
        assert line == f"{root}docs/ is the documentation\n"

        def got(path: str) -> tuple[str, str, str]:
            with urllib.request.urlopen(root + path) as answer:
                policy = answer.headers["Content-Security-Policy"].partition(";")[0]
                return answer.read().decode(), policy, answer.headers["Content-Type"]

        html, page_policy, site_policy = "text/html; charset=utf-8", "default-src 'none'", "default-src 'self'"
        assert got("") == ("index.html", page_policy, html)
        assert got("docs") == got("docs/") == got("docs/?q=a") == ("site index.html", site_policy, html)
        assert got("docs/a.svg") == ("site a.svg", site_policy, "image/svg+xml")
        assert got("docs/playground/") == ("site playground/index.html", page_policy, html)
        for name in ("docsindex.html", "docs/absent", "docs/../secret", "docs/..%2f..%2fsecret", "docs/a.wasm"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(root + name)
            refused.value.close()
            assert refused.value.code == 404
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=30) == 128 + signal.SIGINT


def test_a_site_that_is_not_there(command: Command, page: Path, tmp_path: Path) -> None:
    result = command("playground", "--page", page, "--site", tmp_path / "none")
    assert (result.code, result.out) == (2, "")
    assert "make docs" in result.err


def test_a_browser_that_goes_away_is_no_news(page: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (page / "a.wasm").write_bytes(bytes(20_000_000))
    with server(page, 0) as serving:
        serving.daemon_threads = False  # so that the end waits for them
        listening = threading.Thread(target=serving.serve_forever)
        listening.start()
        with socket.create_connection((HERE, serving.server_port)) as browser:
            browser.sendall(b"GET /a.wasm HTTP/1.0\r\n\r\n")
            assert browser.recv(8) == b"HTTP/1.0"
        serving.shutdown()
        listening.join()
    assert capfd.readouterr() == ("", "")


def test_without_a_page_it_says_how_to_build_one(command: Command, tmp_path: Path) -> None:
    result = command("playground", "--page", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert "make playground" in result.err


def test_a_port_that_is_taken(command: Command, page: Path) -> None:
    with server(page, 0) as serving:
        assert serving.server_address[0] == HERE
        result = command("playground", "--page", page, "--port", serving.server_port)
    assert (result.code, result.out) == (2, "")
    assert f"port {serving.server_port} cannot be had" in result.err
    assert "--port" in result.err


def test_what_the_page_is_built_of_is_pinned_and_no_host_is_named() -> None:
    for name in ("package.json", "package-lock.json", "wheels.lock", ".npmrc"):
        assert "://" not in (ROOT / "playground" / name).read_text(encoding="utf-8")
    lines = (ROOT / "playground" / "wheels.lock").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)


def test_what_npm_brings_has_hashes_and_licences_that_are_allowed() -> None:
    lock = json.loads((ROOT / "playground" / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert len(packages) > 10
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert {package["license"] for package in packages.values()} <= ALLOWED


def test_every_example_has_a_name_of_its_own() -> None:
    all_examples = examples()
    assert (
        len({example.id for example in all_examples})
        == len({(example.language, example.title) for example in all_examples})
        == len(all_examples)
    )
    assert {example.language for example in all_examples} == {language.name for language in languages()}
