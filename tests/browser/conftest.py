"""A headless Chromium of the tests' own, which keeps account of what a page asks for and complains about."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from builder.package.report import write_report
from tests.package.report_folder import write

if TYPE_CHECKING:
    from .page import Page

FLAGS = (
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(write(tmp_path_factory.mktemp("browser") / "demo"))


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    pytest.importorskip("selenium", reason="selenium is missing; `make test-browser` installs it")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("chromium or chromedriver is missing; `make test-browser` installs them")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's sandbox refuses root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: object, report: Path) -> Iterator[Page]:
    """The page, freshly opened at 1280 x 900; what it asked for and complained of is looked at after each test."""
    from .page import Page

    page = Page(driver, report)
    page.open()
    yield page
    assert page.complaints() == []
    assert page.requests() == {report.as_uri()}
