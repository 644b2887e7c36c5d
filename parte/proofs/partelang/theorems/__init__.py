"""The theorems of D chapter 8, one module each; every lemma is one obligation."""
