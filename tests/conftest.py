"""Order of the test files, a Ray cluster, and a browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with the longest time limits first, so that no process is left alone with a long one at the end.

    Files with the same limit keep their order, which is random.
    """
    longest: dict[Path, float] = {}
    for item in items:
        limit = item.get_closest_marker("timeout")
        longest[item.path] = max(longest.get(item.path, 0.0), limit.args[0] if limit else 0.0)
    items.sort(key=lambda item: longest[item.path], reverse=True)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Ray cluster of three nodes with 1, 1 and 2 CPUs, all on this machine; the test is connected to it."""
    import ray  # which takes a second
    from ray.cluster_utils import Cluster

    small = {"object_store_memory": 80_000_000, "include_dashboard": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Their processes would wait for everything else that runs on this machine.
        patch.setenv("RAY_worker_niceness", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **small})
        made.add_node(num_cpus=1, wait=False, **small)
        made.add_node(num_cpus=2, wait=False, **small)
        made.wait_for_nodes()
        patch.setenv("RAY_ADDRESS", made.address)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made
        ray.shutdown()
        made.shutdown()


class Browser:
    """Chromium without a window, driven through the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, address: str, options: Mapping[str, Any]) -> None:
        import httpx  # which the environments of `tests/frameworks` may lack

        self._client = httpx.Client(base_url=address, timeout=60, trust_env=False)
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{session['sessionId']}"

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        answer = self._client.request(method, path, json=body).json()["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", self._session)
        self._client.close()

    def open(self, page: Path | str) -> None:
        """Load a file, or an address."""
        address = page if isinstance(page, str) else page.resolve().as_uri()
        self._ask("POST", f"{self._session}/url", {"url": address})

    def wait(self, script: str, *arguments: Any, seconds: float = 60) -> Any:
        """Return the result of a script as soon as it is true."""
        end = time.monotonic() + seconds
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, f"not true after {seconds} seconds: {script}; {self.console()}"
            time.sleep(0.05)
        return found

    def shows(self, script: str, expected: Any, seconds: float = 60) -> None:
        """Check that the result of a script becomes the expected one, as events of the page may come late."""
        end = time.monotonic() + seconds
        while (found := self.run(script)) != expected and time.monotonic() < end:
            time.sleep(0.05)
        assert found == expected

    def run(self, script: str, *arguments: Any) -> Any:
        """Return the result of the body of a JavaScript function; a promise is waited for."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", f"{self._session}/execute/sync", body)

    def click(self, selector: str) -> None:
        """Click on the first element, as a user does: it must be visible and not covered."""
        self._ask("POST", f"{self._element(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        place = self._element(selector)
        self._ask("POST", f"{place}/clear", {})
        self._ask("POST", f"{place}/value", {"text": text})

    def press(self, selector: str, keys: str) -> None:
        """Type into a field without clearing it; keys without a letter have codes from U+E000 on."""
        self._ask("POST", f"{self._element(selector)}/value", {"text": keys})

    def press_at_focus(self, keys: str) -> None:
        """Press keys where the focus is; the selector `:focus` finds nothing while another window is in front."""
        found = self._ask("GET", f"{self._session}/element/active")
        self._ask("POST", f"{self._session}/element/{next(iter(found.values()))}/value", {"text": keys})

    def _element(self, selector: str) -> str:
        found = self._ask("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return f"{self._session}/element/{next(iter(found.values()))}"

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Return the answer to a command of the DevTools protocol."""
        body = {"cmd": command, "params": parameters}
        return self._ask("POST", f"{self._session}/goog/cdp/execute", body)

    def screen(self, width: int, dark: bool) -> None:
        """Set the width of the screen in pixels and the preferred colours."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def console(self) -> list[str]:
        """Return the messages of the console since the last call."""
        return [
            entry["message"] for entry in self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        ]


@contextmanager
def started_driver(driver: str) -> Iterator[str]:
    """Start the driver on a free port and yield its address."""
    with subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            ports = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
            port = next(found[1] for found in ports if found)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser; the test fails where there is none."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.fail(
            "needs Chromium and its driver; on Debian: apt-get install chromium chromium-driver", False
        )
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"]
    arguments.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")  # no other host is found
    arguments.append(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # it does not start as root otherwise
    with started_driver(driver) as address:
        made = Browser(address, {"binary": program, "args": arguments})
        yield made
        made.close()
