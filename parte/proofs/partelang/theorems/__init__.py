"""The theorems of D chapter 8, one module for each; every lemma is one obligation."""
