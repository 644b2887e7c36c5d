"""The reference on Spark: many traces in parallel, one program over a huge log, and a live stream."""

if __name__ == "spark_adapter":
    raise ImportError(
        "import parte.spark_adapter: the folder spark_adapter at the top of a checkout is a link into the package parte"
    )
