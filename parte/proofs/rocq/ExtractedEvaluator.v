(* The evaluator as it is extracted to OCaml: numbers are those of Zarith, of any size, and `nat` is `int`. *)
From Parte Require Import Expressions.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.

Extract Inlined Constant Nat.leb => "(<=)".
Extract Inlined Constant Nat.ltb => "(<)".
Extract Constant Nat.max => "fun (n : int) m -> if n < m then m else n".
Extract Constant Z.leb => "Big_int_Z.le_big_int".
Extract Constant Z.ltb => "Big_int_Z.lt_big_int".
Extraction "parte_evaluator.ml" plans_of plan_passes is_admitted at_the_start step_of_strata bound_above
  bound_of_suppression rule_bound earlier is_scoped instant.
