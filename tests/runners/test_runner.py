"""All runners: results as they come, errors of functions, and retries after a death."""

import pytest

import unweave
from tests.runners import tasks
from unweave.errors import MissingExtra, SourceError, UnweaveError, UsageError
from unweave.runners import ray_runner
from unweave.runners.runner import make_runner


def make_tasks(count, **parameters):
    return [{"number": number, **parameters} for number in range(count)]


def test_every_task_has_a_result(any_runner):
    results = sorted(
        any_runner.map(tasks.square, make_tasks(5)), key=lambda result: result["number"]
    )
    assert results == [{"number": n, "square": n * n, "text": "é\n"} for n in range(5)]


def test_no_tasks_have_no_results(any_runner):
    assert list(any_runner.map(tasks.raise_key_error, [])) == []


def test_results_come_as_soon_as_they_are_ready(any_runner, tmp_path):
    for result in any_runner.map(tasks.wait_for_previous, make_tasks(4, folder=str(tmp_path))):
        (tmp_path / f"seen-{result['number']}").touch()
    assert len(list(tmp_path.iterdir())) == 4


def test_an_error_of_the_function_is_raised_and_the_runner_can_be_used_again(any_runner):
    with pytest.raises(SourceError, match=r"^0: no such page$"):
        list(any_runner.map(tasks.raise_source_error, make_tasks(1)))
    with pytest.raises(MissingExtra) as caught:
        list(any_runner.map(tasks.raise_missing_extra, make_tasks(1)))
    assert (caught.value.package, caught.value.extra) == ("fastwarc", "warc")
    assert len(list(any_runner.map(tasks.square, make_tasks(3)))) == 3


def test_a_defect_on_a_cluster_is_an_error_of_one_line(on_ray):
    with pytest.raises(UnweaveError) as caught:
        list(on_ray.map(tasks.raise_key_error, make_tasks(2)))
    assert str(caught.value) == "a worker failed: KeyError: 'no such key'"
    assert "in raise_key_error" in caught.value.__notes__[0]


def test_the_task_of_a_killed_worker_is_tried_again(parallel, tmp_path):
    results = list(parallel.map(tasks.die_once, make_tasks(4, last=3, folder=str(tmp_path))))
    assert (tmp_path / "tried").exists()
    assert sorted(result["square"] for result in results) == [0, 1, 4, 9]


@pytest.mark.slow
def test_a_task_that_always_kills_its_worker_is_given_up(parallel, tmp_path):
    with pytest.raises(
        UnweaveError, match=r"^a worker died 3 times: there may be too little memory.*$"
    ):
        list(parallel.map(tasks.die_always, make_tasks(1, folder=str(tmp_path))))
    assert len(list(tmp_path.iterdir())) == 3


def test_a_worker_that_dies_between_two_steps_is_replaced(processes, tmp_path):
    assert len(list(processes.map(tasks.square, make_tasks(2)))) == 2
    for worker in [*processes._pool._processes.values()]:
        worker.kill()
        worker.join()
    assert len(list(processes.map(tasks.square, make_tasks(2)))) == 2


def test_every_runner_checks_paths(any_runner, tmp_path):
    any_runner.check_paths([tmp_path, tmp_path.parent])
    any_runner.check_paths([])


def test_a_file_that_a_node_does_not_see_is_an_error(on_ray, tmp_path, monkeypatch):
    plan = tmp_path / "plan.json"
    plan.write_text("another one")
    there = ray_runner.get_path_state(plan)
    monkeypatch.setattr(
        ray_runner,
        "get_path_state",
        lambda path: ("file", 11, "another sum") if path == plan else there,
    )
    with pytest.raises(
        UsageError,
        match=r"^node [\w.:() ]+ does not see .*plan\.json as it is here: .* all nodes share$",
    ):
        on_ray.check_paths([plan])


def test_another_version_on_a_node_is_an_error(on_ray, monkeypatch):
    theirs = unweave.__version__
    monkeypatch.setattr(unweave, "__version__", "99.9")
    with pytest.raises(
        UsageError, match=rf"^node .* has unweave {theirs}, and here is 99\.9: install the same$"
    ):
        on_ray.check_paths([])


@pytest.mark.ray
@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "no-such-host.invalid:6379", "ray://127.0.0.1:10001", "nowhere"]
)
def test_a_missing_cluster_is_an_error_at_once(address, monkeypatch):
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(
        UsageError, match=rf"^there is no Ray cluster at {address} that can be used: .+$"
    ):
        make_runner("ray", address=address)


def test_an_existing_connection_is_used_and_kept(on_ray):
    import ray

    second = make_runner("ray")
    assert [result["square"] for result in second.map(tasks.square, make_tasks(1))] == [0]
    second.close()
    assert ray.is_initialized()
    assert ray.data.DataContext.get_current().enable_progress_bars, (
        "settings of Ray Data are not changed"
    )


def test_unknown_runners_and_addresses_without_a_cluster_are_refused():
    with pytest.raises(
        UsageError, match="unknown runner 'threads'; choose from processes, serial, ray"
    ):
        make_runner("threads")
    with pytest.raises(UsageError, match="an address goes with the runner ray"):
        make_runner("serial", address="127.0.0.1:6379")


def test_a_node_without_unweave_is_an_error(monkeypatch):
    monkeypatch.setattr(
        ray_runner, "_iter_nodes", lambda paths: [("10.0.0.7 (c0ffee00)", (None, []))]
    )
    with pytest.raises(
        UsageError, match=r"^node 10\.0\.0\.7 \(c0ffee00\) has no unweave: install it there$"
    ):
        ray_runner.check_nodes([])
