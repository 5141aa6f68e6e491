"""Spark, on this machine."""

from __future__ import annotations

import pytest
from conftest import every_row, same, same_of_paths
from pyspark.sql import SparkSession

from transcript_doctor import spark_map_in_arrow


def session(attempts):
    """A cluster of two cores that tries each task so many times."""
    return (
        SparkSession.builder.master(f"local[2, {attempts}]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
        .getOrCreate()
    )


@pytest.fixture(params=[1, 4])
def spark(request):
    spark = session(request.param)
    spark.attempts = request.param
    yield spark
    spark.stop()


def frame(spark, texts):
    return spark.createDataFrame(list(enumerate(texts)), "id int, text string").repartition(7)


def rows(checked):
    return [row.asDict() for row in checked.collect()]


def test_the_findings_are_those_of_a_local_run(spark, texts, local):
    data = frame(spark, texts)
    same(rows(spark_map_in_arrow(data, "text", keep=["id"])), local["check"])
    repaired = spark_map_in_arrow(data, "text", command="repair", keep=["id"])
    same(rows(repaired), local["repair"])


def test_the_findings_of_paths_are_those_of_local_runs(spark, paths, local_of_paths):
    checked = spark_map_in_arrow(frame(spark, paths), "text", keep=["id"], paths=True)
    same_of_paths(rows(checked), local_of_paths, paths)


def test_paths_are_only_checked(spark, paths):
    with pytest.raises(ValueError, match="command='repair' takes rows with texts"):
        spark_map_in_arrow(frame(spark, paths), "text", command="repair", paths=True)


def test_a_column_must_be_text(spark, texts):
    with pytest.raises(Exception, match="column 'id' is int32, and must be JSON text"):
        spark_map_in_arrow(frame(spark, texts), "id").collect()


def test_what_is_killed_is_not_lost(spark, texts, local, slow, killer):
    data = frame(spark, texts)
    slowly = data.mapInArrow(lambda batches: map(slow, batches), data.schema)
    checked = spark_map_in_arrow(slowly, "text", keep=["id"])
    if spark.attempts > 1:
        # Spark repeats the partition.
        same(rows(checked), local["check"])
    else:
        error = "Python worker exited" if killer.worker else "ProgramError.*killed by signal 9"
        with pytest.raises(Exception, match=f"(?s){error}"):
            checked.collect()


def test_paths_whose_check_is_killed_are_not_lost(spark, large, slow, killer):
    killer.delay = 0.05
    data = frame(spark, large)
    slowly = data.mapInArrow(lambda batches: map(slow, batches), data.schema)
    checked = spark_map_in_arrow(slowly, "text", keep=["id"], paths=True)
    if spark.attempts > 1:
        every_row(rows(checked), large)
    else:
        error = "Python worker exited" if killer.worker else "ProgramError.*killed by signal 9"
        with pytest.raises(Exception, match=f"(?s){error}"):
            checked.collect()
