(* What is extracted as JSON: the nodes (Nodes.v) and the steps of a network (Network.v), for the lemmas that compare
   them with the rules in Python. Functions of Coq's library on numbers and truth values keep their names, which have a
   dot; `parte/proofs/transcription.py` has their meaning on integers and terms. *)
From Parte Require Import Network.
From Coq Require Import Extraction.

Extraction Language JSON.
Extract Inlined Constant Z.add => "Z.add".
Extract Inlined Constant Z.opp => "Z.opp".
Extract Inlined Constant Z.min => "Z.min".
Extract Inlined Constant Z.max => "Z.max".
Extract Inlined Constant Z.leb => "Z.leb".
Extract Inlined Constant Z.ltb => "Z.ltb".
Extract Inlined Constant Nat.eqb => "Nat.eqb".
Extract Inlined Constant Nat.leb => "Nat.leb".
Extract Inlined Constant andb => "Bool.andb".
Extract Inlined Constant orb => "Bool.orb".
Extract Inlined Constant negb => "Bool.negb".
Extraction "extracted_nodes.json" initial activate takes.
