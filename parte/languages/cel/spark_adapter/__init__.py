"""CEL on Spark: the results of one query in one log, by shares and by substreams (specification: cel-enumeration).

    from parte.languages.cel.spark_adapter.matching import match

    with match(spark, query, log, processes=4) as matches:
        matches.results.show()

A log is a DataFrame with the columns `id`, `template`, `timestamp`, `attributes`, optionally `source`, and `position`,
the place of the event in the stream (`parte.spark_adapter.positions` creates one).
"""
