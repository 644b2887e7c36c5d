"""EQL on Spark: the results of one sequence in one log, key by key (specification: eql-spark).

    from parte.languages.eql.spark_adapter.matching import match

    with match(spark, query, log) as matches:
        matches.ordered.show()

A log is a DataFrame with the columns `id`, `template`, `timestamp`, `attributes`, optionally `source`, and `position`,
the place of the event in the stream (`parte.spark_adapter.positions` creates one).
"""
