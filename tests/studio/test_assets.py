"""Style sheets and images of a page: local files, and limits."""

from pathlib import Path

import pytest

from unweave.studio import assets
from unweave.studio.assets import Asset, read_local_asset


def test_assets_are_limited_in_bytes_and_the_first_ones_are_kept(monkeypatch):
    monkeypatch.setattr(assets, "MAX_TOTAL_BYTES", 10)
    candidates = {"a.css": Asset(b"x" * 6), "b.png": Asset(b"x" * 6), "c.png": Asset(b"x" * 4)}
    assert list(assets.limit_total_bytes(candidates)) == ["a.css", "c.png"]


class TestLocalAssets:
    """Style sheets and images that are files beside a saved page."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "secret.css").write_text("outside")
        (tmp_path / "site" / "page_files").mkdir(parents=True)
        (tmp_path / "site" / "page_files" / "a b.css").write_text("p{}")
        (tmp_path / "site" / ".hidden.css").write_text("hidden")
        (tmp_path / "site" / "link.css").symlink_to(tmp_path / "secret.css")
        return tmp_path / "site"

    def test_files_beside_the_page_are_read(self, folder: Path) -> None:
        assert read_local_asset(folder, "page_files/a%20b.css?v=3#x") == Asset(b"p{}")

    @pytest.mark.parametrize(
        "url",
        [
            "../secret.css",
            "page_files/../../secret.css",
            "%2e%2e/secret.css",
            "/etc/hostname",
            "file:///etc/hostname",
            "https://x.example/page_files/a%20b.css",
            "//x.example/a.css",
            ".hidden.css",
            "link.css",
            "page_files",
            "nothing.css",
            "",
            "a\x00b",
            "http://[",
        ],
    )
    def test_other_files_are_refused(self, folder: Path, url: str) -> None:
        assert read_local_asset(folder, url) is None

    def test_files_anywhere_below_the_root_of_a_site_are_read(self, folder: Path) -> None:
        deep = folder / "shop" / "lamps"
        deep.mkdir(parents=True)
        for url in ("/page_files/a%20b.css", "../../page_files/a%20b.css"):
            assert read_local_asset(deep, url, folder) == Asset(b"p{}")
            assert read_local_asset(deep, url) is None
        for url in (
            "/../" * 20 + "etc/passwd",
            "/..%2f..%2f..%2fetc/passwd",
            "//page_files/a%20b.css",
            "/.hidden.css",
        ):
            assert read_local_asset(deep, url, folder) is None
