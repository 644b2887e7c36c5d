"""The Spark of the tests of PARTE, for those of CEL too."""

from tests.spark_adapter.conftest import spark as spark
