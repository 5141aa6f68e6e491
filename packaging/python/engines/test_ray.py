"""Ray Data, on this machine."""

from __future__ import annotations

import pytest
import ray
from conftest import every_row, same, same_of_paths

from transcript_doctor import ray_map_batches


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def dataset(texts):
    rows = [{"id": number, "text": text} for number, text in enumerate(texts)]
    return ray.data.from_items(rows, override_num_blocks=7)


def pool(size=2):
    return ray.data.ActorPoolStrategy(size=size)


def test_the_findings_are_those_of_a_local_run(texts, local):
    for batch_size in (None, 10):
        checked = ray_map_batches(
            dataset(texts), "text", keep=["id"], compute=pool(), batch_size=batch_size
        )
        same(checked.take_all(), local["check"])


def test_the_repairs_are_those_of_a_local_run(texts, local):
    repaired = ray_map_batches(
        dataset(texts), "text", command="repair", keep=["id"], compute=pool()
    )
    same(repaired.take_all(), local["repair"])


def test_the_findings_of_paths_are_those_of_local_runs(paths, local_of_paths):
    for batch_size in (None, 10):
        checked = ray_map_batches(
            dataset(paths), "text", keep=["id"], paths=True, compute=pool(), batch_size=batch_size
        )
        same_of_paths(checked.take_all(), local_of_paths, paths)


def test_a_column_must_be_text(texts):
    with pytest.raises(Exception, match="column 'id' is int64, and must be JSON text"):
        ray_map_batches(dataset(texts), "id", compute=pool()).materialize()


def test_what_is_killed_is_not_lost(texts, local, slow, killer):
    checked = ray_map_batches(
        dataset(texts).map_batches(slow, batch_size=10),
        "text",
        keep=["id"],
        compute=pool(1),
        batch_size=10,
    )
    if killer.worker:
        # Ray starts the actor again, and repeats what it had not finished.
        same(checked.take_all(), local["check"])
    else:
        with pytest.raises(Exception, match="ProgramError.*killed by signal 9"):
            checked.materialize()


def test_paths_whose_check_is_killed_are_not_lost(large, slow, killer):
    killer.delay = 0.05
    checked = ray_map_batches(
        dataset(large).map_batches(slow, batch_size=1),
        "text",
        keep=["id"],
        paths=True,
        compute=pool(1),
        batch_size=1,
    )
    if killer.worker:
        every_row(checked.take_all(), large)
    else:
        with pytest.raises(Exception, match="ProgramError.*killed by signal 9"):
            checked.materialize()
