"""The steps of a run that many workers share: splitting archives, and learning sites."""

from __future__ import annotations

from pathlib import Path

from unweave.files import read_json, write_json
from unweave.pipeline.learn import learn
from unweave.pipeline.naming import RESERVED
from unweave.pipeline.scan import sampled, twice
from unweave.pipeline.templates import Site
from unweave.pipeline.work import Work, digest
from unweave.runners.runner import Result, Task
from unweave.sources.selection import make_archive_shards
from unweave.sources.shards import encode_shard


def split_archive(task: Task) -> Result:
    """Cut an archive into parts."""
    archive = Path(task["archive"])
    done = Work(task["folder"]).folder / "archives" / digest(str(archive.resolve()))
    listed = done.with_suffix(".json")
    if not listed.exists():
        write_json(
            listed,
            [encode_shard(part) for part in make_archive_shards(archive, done)],
            make_parents=True,
        )
    return {"archive": task["archive"], "parts": read_json(listed)}


def learn_sites(task: Task) -> Result:
    """Learn the templates of a few sites."""
    work, round_ = Work(task["folder"]), task["round"]
    scans = [work.scan(round_, part) for part in range(task["parts"])]
    for site, prefix in task["sites"].items():
        path = work.site(round_, site)
        if path.exists():
            continue
        before = [work.site(earlier, site) for earlier in range(1, round_)]
        known = [
            template
            for path in before
            if path.exists()
            for template in read_json(path)["templates"]
        ]
        taken = [
            name.removeprefix(prefix)
            for own in known
            for name in (own["name"], *own["nested"].values())
        ]
        templates = learn(sampled(scans, site, task["sample"]), [*RESERVED, *taken], prefix)
        found = Site(
            site,
            tuple(templates),
            {part: frozenset(own) for part, own in twice(scans, site).items()},
        )
        write_json(path, found.to_json(), make_parents=True)
    return {"sites": len(task["sites"])}
