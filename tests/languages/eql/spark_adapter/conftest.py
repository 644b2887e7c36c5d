"""The Spark of the tests of PARTE, for those of EQL too."""

from tests.spark_adapter.conftest import spark as spark
