(* What is extracted to OCaml: compilation, the steps, the meaning, and what a rule must pass, of programs of level 2
   (Language.v) over the events of Integers.v. *)
From Parte Require Import Checks LanguageRun.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.

Definition program := @full_program integers.
Definition on_the_machine (p : program) : list (@written_stratum with_sets) :=
  lifted_program precedes precedes_orders (cases_of_program p).
Definition compiled_network (queues_of : nat -> list nat) (p : program) : @built with_sets :=
  compile queues_of (closed_program (on_the_machine p)).
(* `checked` as far as it is about templates and strata. *)
Definition strata_pass (queues_of : nat -> list nat) (p : program) : bool :=
  strata_stand_right queues_of [] [] (closed_program (on_the_machine p)).
Definition by_rule {A} (p : program) (of_cases : list A) : list (list A) := together (counts p) of_cases.
Definition meaning := meaning_of_program (E := integers) precedes.
Definition stamped (n : nat) (at_ : timestamp) (generate : partial -> list (list event) -> option event) :
  @emission_with_sets integers := EmissionWithSets n generate (instant at_) (lagging at_).
Extraction "parte_rocq.ml" integers with_sets on_the_machine compiled_network by_rule takes start unlimited meaning
  stamped passes closure_of strata_pass.
