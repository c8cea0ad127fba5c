"""What a reader does with the report page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select


class Page:
    """The report in a browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        self._uri = path.as_uri()

    def open(self, *, width: int = 1280, height: int = 900, scheme: str = "light", at: str = "") -> None:
        """Load the page anew."""
        self.driver.get("about:blank")
        self.driver.get_log("browser"), self.driver.get_log("performance")
        # Without motion, or a click may meet a page that is still scrolling.
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in wishes.items()]}
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get(self._uri + at)

    def complaints(self) -> list[str]:
        """What the browser's console said."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> set[str]:
        """Every address the page made the browser ask for, its own among them; not what lies in the page itself."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return {one["request"]["url"] for one in sent if not one["request"]["url"].startswith("data:")}

    def run(self, script: str, *arguments: object) -> Any:
        """Return the value of a script."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """The texts of elements, hidden ones among them."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def choose(self, field: str, value: str) -> None:
        Select(self.find(f"#{field}")).select_by_value(value)

    def press(self, *keys: str) -> None:
        """Press keys, by Selenium's name or as themselves, where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(getattr(Keys, key, key))

    @property
    def focus(self) -> str:
        """Id of what has the focus, or its text."""
        return self.run("return document.activeElement.id || document.activeElement.innerText")

    @property
    def names(self) -> list[str]:
        """Names of the rows in the list."""
        return self.texts("#list .name")

    @property
    def row(self) -> str | None:
        """Name of the row that is open."""
        return self.find("#row-title").text if self.run("return document.getElementById('row').open") else None
