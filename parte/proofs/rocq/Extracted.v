(* What is extracted to OCaml: compilation, the steps, the meaning, and what a rule must pass, over the events of
   Integers.v, which carry their sets (SetsRun.v). *)
From Parte Require Import Checks SetsRun.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.

Definition compiled_network (queues_of : nat -> list nat) (p : list (@written_stratum with_sets)) : @built with_sets :=
  compile queues_of (closed_program p).
Extraction "parte_rocq.ml" with_sets compiled_network takes start unlimited meaning emission_at passes closure_of.
