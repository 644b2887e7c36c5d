(* What is extracted to OCaml: compilation, the steps, the meaning, and what a rule must pass, over the events of
   Integers.v. *)
From Parte Require Import Checks Integers.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.

Definition compiled_network (queues_of : nat -> list nat) (p : list written_stratum) : built :=
  compile queues_of (closed_program p).
Extraction "parte_rocq.ml" integers compiled_network takes start unlimited meaning emission_at passes closure_of.
