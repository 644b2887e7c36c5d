(* The printed rules fail: the counterexamples of the twelve defects (proofs/partelang/defects.py, docs/defects.md),
   computed here. Of each: what D's machine as printed makes of it, what the sound one makes of it without the repair,
   and with it, and what the algebra says. *)
From Parte Require Export Repairs Integers.

(* ---- One run ------------------------------------------------------------------------------------------------------
   Events come one at a time in the order of the trace; after each, steps are taken until none is possible
   (specification: schedule-round-robin). It is one schedule among many. *)
Section Run.
Variables (r : repairs) (net : network) (limit : nat -> limits) (queues : nat -> list token) (order : list nat).

Fixpoint first_possible_with (x : execution) (actions : list action) : option execution :=
  match actions with
  | [] => None
  | a :: more => match takes_with r net limit x a with Some y => Some y | None => first_possible_with x more end
  end.
Definition inside : list action :=
  flat_map (fun i => [Propagate i; Process i 0; Process i 1]) (seq 0 (length net)).
Definition come (q : nat) (n : nat) : nat := count_occ Nat.eq_dec (firstn n order) q.
Definition may_come (n : nat) (x : execution) : list nat :=
  filter (fun q => Nat.ltb (length (queues q) - length (queue (now x) q)) (come q n)) (nodup Nat.eq_dec order).
Fixpoint settled (n fuel : nat) (x : execution) : execution :=
  match fuel with
  | O => x
  | S less => match first_possible_with x (inside ++ map Arrive (may_come n x)) with
              | Some y => settled n less y
              | None => x end
  end.
Definition enough : nat := 300.
Definition at_last : execution :=
  fold_left (fun x n => settled n enough x) (seq 1 (length order)) (from_start net queues order).

Inductive outcome := Ended (found : list (list (list Z))) | Blocked (found : list (list (list Z))) | Unfinished.
Definition nothing_waits (x : execution) : bool :=
  forallb (fun q => Nat.eqb (length (queue (now x) q)) 0) order
  && forallb (fun i => Nat.eqb (length (outbox (now x) i)) 0
       && forallb (fun k => Nat.eqb (length (inbox (now x) i k)) 0) [0; 1]%nat) (seq 0 (length net)).
Definition outcome_at (x : execution) (at_ends : list nat) : outcome :=
  let found := map (fun i => map (map id) (reported (state (now x) i))) at_ends in
  match first_possible_with x (inside ++ map Arrive (nodup Nat.eq_dec order)) with
  | Some _ => Unfinished
  | None => if nothing_waits x then Ended found else Blocked found
  end.

Lemma first_possible_is_a_step : forall x y actions, first_possible_with x actions = Some y ->
  exists a, takes_with r net limit x a = Some y.
Proof.
  intros x y actions. induction actions as [|a more IH]; simpl; [discriminate|].
  destruct (takes_with r net limit x a) eqn:T; eauto. intros Eq. inversion Eq; subst. eauto.
Qed.
(* PARTE/PROC, PARTE/PROP: what is computed below is what some run gives. *)
Theorem what_is_computed_is_a_run : reaches_with r net limit (from_start net queues order) at_last.
Proof.
  assert (S : forall n fuel x y, reaches_with r net limit x y -> reaches_with r net limit x (settled n fuel y)).
  { intros n fuel. induction fuel as [|fuel IH]; simpl; intros x y H; auto.
    destruct (first_possible_with y (inside ++ map Arrive (may_come n y))) as [z|] eqn:F; auto.
    apply first_possible_is_a_step in F as [a T]. apply IH. eapply There_with; eauto. }
  unfold at_last. generalize enough. intros fuel.
  assert (R := Here_with r net limit (from_start net queues order)). revert R.
  generalize (from_start net queues order) at 2 4.
  induction (seq 1 (length order)) as [|n l IH]; simpl; intros y R; [exact R|]. apply IH, S, R.
Qed.
End Run.

(* ---- A counterexample ---------------------------------------------------------------------------------------------
   Of the templates 0, 1 and 2, A, B and C of the page; the queue of a source called slow is 3 more than the template.
   What arrives: queue and timestamp; events are numbered in that order, from 1. *)
Record counterexample := Counterexample {
  its_rule : written; arriving : list (nat * Z); rooms : repairs -> kind -> limits }.

Definition numbered (l : list (nat * Z)) : list (nat * event) :=
  map (fun nx => let '(n, (q, t)) := nx in (q, Occurrence (Z.of_nat n) (Nat.modulo q 3) t : event))
    (combine (seq 1 (length l)) l).
Section Counterexample.
Variable c : counterexample.
Definition events_of (q : nat) : list event :=
  map snd (filter (fun qe => Nat.eqb (fst qe) q) (numbered (arriving c))).
Definition queues_with (t : nat) : list nat := if events_of (t + 3) then [t] else [t; t + 3]%nat.
Definition its_queues (q : nat) : list token := map (fun e => Token [stamp e] (Some [e])) (events_of q) ++ [the_end].
Definition its_order : list nat :=
  let all := flat_map queues_with [0; 1; 2]%nat in
  let speaks q := negb (Nat.eqb (length (events_of q)) 0) in
  filter (fun q => negb (speaks q)) all ++ map fst (arriving c) ++ filter speaks all.
Definition its_program : list written_stratum := [WrittenStratum [0; 1; 2]%nat [its_rule c]].
Definition its_network : built := compile queues_with (closed_program its_program).
Definition limits_of (r : repairs) (i : nat) : limits :=
  match nth_error (graph its_network) i with Some v => rooms c r (kind_of v) | None => unlimited end.
Definition made_of_it (r : repairs) : outcome :=
  let net := graph its_network in
  outcome_at r net (limits_of r) its_order
    (at_last r net (limits_of r) its_queues its_order) (ends its_network).
Definition defined : list (list (list Z)) := map (map (map id)) (meaning its_program (map snd (numbered (arriving c)))).
End Counterexample.

Definition any {A} (_ : A) : bool := true.
Definition a_further (t : nat) := WrittenLink false t any any [].
Definition none_of (t : nat) (own : event -> bool) (least greatest : Z) :=
  WrittenLink true t own any [(0%nat, (least, greatest))].
Definition as_much_as_it_needs (_ : repairs) (_ : kind) : limits := unlimited.
Definition with_room_for (left right inbox outbox : nat) (_ : repairs) (_ : kind) : limits :=
  Limits (Some left) (Some right) (Some inbox) (Some outbox) true.
Notation A := 0%nat (only parsing).
Notation B := 1%nat (only parsing).
Notation C := 2%nat (only parsing).
Notation slow_A := 3%nat (only parsing).

(* a: A, b: B when b in a [2 ms, 5 ms] *)
Definition case_1 := Counterexample
  (without_sets A any [a_further B] [Constraint 1 0 2 5] [])
  [(A, 0); (B, 1); (B, 2)] as_much_as_it_needs.
(* Defect 1: PARTE/JOIN-RIGHT (specification: repair-expire-by-lifetime). *)
Theorem a_bound_expires_what_is_still_open :
  made_of_it case_1 published = Ended [[]]
  /\ made_of_it case_1 (repaired_but [1]%nat) = Ended [[]]
  /\ made_of_it case_1 sound = Ended [[[1; 3]]]
  /\ defined case_1 = [[[1; 3]]].
Proof. vm_compute. auto. Qed.

(* a: A, no b: A, c: A when no b in a [1 ms, 1 ms] c in a [0 ms, 0 ms] *)
Definition case_2 := Counterexample
  (without_sets A any [none_of A any 1 1; a_further A] [Constraint 1 0 0 0] [])
  [(A, 0)] as_much_as_it_needs.
(* Defect 2: PARTE/JOIN-LEFT, PARTE/NOT-LEFT-MATCH, PARTE/NOT-LEFT-NOMATCH (specification:
   repair-join-before-expiry). *)
Theorem a_bound_expires_what_its_own_event_would_join :
  made_of_it case_2 published = Ended [[]]
  /\ made_of_it case_2 (repaired_but [2]%nat) = Ended [[]]
  /\ made_of_it case_2 sound = Ended [[[1; 1]]]
  /\ defined case_2 = [[[1; 1]]].
Proof. vm_compute. auto. Qed.

(* a: A, b: B, c: C when b in a [-1 ms, 0 ms] c in b [1 ms, 1 ms] *)
Definition case_3 := Counterexample
  (without_sets A any [a_further B; a_further C] [Constraint 1 0 (-1) 0; Constraint 2 1 1 1] [])
  [(A, 0); (B, 0); (C, 0)] as_much_as_it_needs.
(* Defect 3: PARTE/JOIN-RIGHT (specification: repair-window-per-event). *)
Theorem one_interval_for_all_events_lets_in_what_is_outside :
  made_of_it case_3 published = Ended [[[1; 2; 3]]]
  /\ made_of_it case_3 (repaired_but [3]%nat) = Ended [[[1; 2; 3]]]
  /\ made_of_it case_3 sound = Ended [[]]
  /\ defined case_3 = [[]].
Proof. vm_compute. auto. Qed.

(* a: A, b: B, no c: C when b in a [1 ms, 1 ms] no c in a [0 ms, 0 ms] *)
Definition case_4 := Counterexample
  (without_sets A any [a_further B; none_of C any 0 0] [Constraint 1 0 1 1] [])
  [(A, 0); (B, 1); (C, 1)] as_much_as_it_needs.
(* Defect 4: PARTE/NOT-RIGHT, PARTE/NOT-RIGHT-BOTTOM (specification: repair-exhaustive-expiry). Repair 1
   would hide it. *)
Theorem what_is_old_and_young_is_neither_kept_nor_released :
  made_of_it case_4 published = Ended [[]]
  /\ made_of_it case_4 (repaired_but [1; 4]%nat) = Ended [[]]
  /\ made_of_it case_4 sound = Ended [[[1; 2]]]
  /\ defined case_4 = [[[1; 2]]].
Proof. vm_compute. auto. Qed.

(* a: A, no b: B when no b in a [1 ms, 1 ms] *)
Definition case_5 := Counterexample
  (without_sets A any [none_of B any 1 1] [] [])
  [(A, 0); (B, 0)] as_much_as_it_needs.
(* Defect 5: PARTE/NOT-RIGHT (specification: repair-negate-in-window). *)
Theorem an_event_defeats_from_outside_the_window :
  made_of_it case_5 published = Ended [[]]
  /\ made_of_it case_5 (repaired_but [5]%nat) = Ended [[]]
  /\ made_of_it case_5 sound = Ended [[[1]]]
  /\ defined case_5 = [[[1]]].
Proof. vm_compute. auto. Qed.

(* a: A, b: B when b in a [0 ms, 0 ms] *)
Definition case_6 := Counterexample
  (without_sets A any [a_further B] [Constraint 1 0 0 0] [])
  [(B, 1); (A, 0); (A, 1); (B, 2)] (with_room_for 1 1 1 1).
(* Defect 6: PARTE/JOIN-LEFT, PARTE/JOIN-RIGHT, PARTE/NOT-LEFT-NOMATCH, PARTE/NOT-RIGHT (specification:
   repair-store-only-live). *)
Theorem what_is_over_takes_the_room_of_what_is_not :
  made_of_it case_6 published = Blocked [[]]
  /\ made_of_it case_6 (repaired_but [6]%nat) = Blocked [[]]
  /\ made_of_it case_6 sound = Ended [[[3; 1]]]
  /\ defined case_6 = [[[3; 1]]].
Proof. vm_compute. auto. Qed.

(* a: A, no b: A, c: A when no b in a [1 ms, 1 ms] c in a [0 ms, 0 ms] *)
Definition case_7 := Counterexample
  (without_sets A any [none_of A any 1 1; a_further A] [Constraint 1 0 0 0] [])
  [(A, 0); (A, 0)] as_much_as_it_needs.
(* Defect 7: PARTE/NOT-RIGHT, PARTE/NOT-RIGHT-BOTTOM, PARTE/JOIN-LEFT (specification: repair-bound-per-token). *)
Theorem the_first_of_two_tokens_carries_a_bound_that_the_second_breaks :
  made_of_it case_7 published = Ended [[]]
  /\ made_of_it case_7 (repaired_but [7]%nat) = Ended [[[1; 1]; [1; 2]]]
  /\ made_of_it case_7 sound = Ended [[[1; 1]; [1; 2]; [2; 1]; [2; 2]]]
  /\ defined case_7 = [[[1; 1]; [1; 2]; [2; 1]; [2; 2]]].
Proof. vm_compute. auto. Qed.

(* a: A, no b: A { k = 1 } when no b in a [0 ms, 0 ms] *)
Definition case_8 := Counterexample
  (without_sets A any [none_of A (fun _ => false) 0 0] [] [])
  [(A, 0); (A, 1); (A, 2); (A, 3)] (with_room_for 1 1 1 1).
(* Defect 8: PARTE/ALPHA-NOMATCHCONSTRAINT (specification: repair-report-silence). No event of the trace has k = 1. *)
Theorem rejected_events_leave_the_bounds_where_they_are :
  made_of_it case_8 published = Blocked [[]]
  /\ made_of_it case_8 (repaired_but [8]%nat) = Blocked [[]]
  /\ made_of_it case_8 sound = Ended [[[1]; [2]; [3]; [4]]]
  /\ defined case_8 = [[[1]; [2]; [3]; [4]]].
Proof. vm_compute. auto. Qed.

(* a: A, b: B when b in a [0 ms, 0 ms] *)
Definition case_9 := Counterexample
  (without_sets A any [a_further B] [Constraint 1 0 0 0] [])
  [(A, 0); (A, 1); (B, 1)] (with_room_for 1 1 3 1).
(* Defect 9: PARTE/PROC (specification: repair-slot-per-side). *)
Theorem what_waits_for_room_keeps_out_what_would_make_it :
  made_of_it case_9 published = Blocked [[]]
  /\ made_of_it case_9 (repaired_but [9]%nat) = Blocked [[]]
  /\ made_of_it case_9 sound = Ended [[[2; 3]]]
  /\ defined case_9 = [[[2; 3]]].
Proof. vm_compute. auto. Qed.

(* a: A, no b: B when no b in a [0 ms, 0 ms] *)
Definition case_10 := Counterexample
  (without_sets A any [none_of B any 0 0] [] [])
  [(A, 0); (B, 1)] (with_room_for 1 1 1 1).
(* Defect 10: PARTE/NOT-RIGHT, PARTE/NOT-RIGHT-BOTTOM, PARTE/PROC (specification: repair-bound-on-last-token). *)
Theorem one_token_more_than_the_outbox_holds :
  made_of_it case_10 published = Ended [[]]
  /\ made_of_it case_10 (repaired_but [10]%nat) = Blocked [[]]
  /\ made_of_it case_10 sound = Ended [[[1]]]
  /\ defined case_10 = [[[1]]].
Proof. vm_compute. auto. Qed.

(* a: A, b: A when b in a [0 ms, 0 ms] *)
Definition case_11 := Counterexample
  (without_sets A any [a_further A] [Constraint 1 0 0 0] [])
  [(A, 0); (A, 1); (A, 2); (slow_A, 0)] (with_room_for 3 3 1 3).
(* Defect 11: PARTE/ENTRY, PARTE/ENTRY-BOTTOM (specification: repair-merge-by-promise). *)
Theorem a_source_that_runs_ahead_fills_the_histories :
  made_of_it case_11 published = Blocked [[[1; 1]; [2; 2]; [3; 3]]]
  /\ made_of_it case_11 (repaired_but [11]%nat) = Blocked [[[1; 1]; [2; 2]; [3; 3]]]
  /\ made_of_it case_11 sound = Ended [[[1; 1]; [4; 1]; [1; 4]; [4; 4]; [2; 2]; [3; 3]]]
  /\ defined case_11 = [[[1; 1]; [1; 4]; [2; 2]; [3; 3]; [4; 1]; [4; 4]]].
Proof. vm_compute. auto. Qed.

(* For one event a millisecond: D's formula gives rate times window and one more (specification:
   capacities-prescribed), how long events are kept gives 7 and 1. *)
Definition of_the_size_that_is_prescribed (r : repairs) (k : kind) : limits :=
  let slots := if slot_per_side r then 1%nat else 3%nat in
  match k with
  | TwoInput _ _ _ _ =>
      if retention_sizes r then Limits (Some 7) (Some 1) (Some slots) (Some 3) true
      else Limits (Some 3) (Some 3) (Some slots) (Some 3) true
  | _ => Limits None None (Some slots) (Some 1) true
  end%nat.
(* a: A, b: A when b in a [4 ms, 6 ms] *)
Definition case_12 := Counterexample
  (without_sets A any [a_further A] [Constraint 1 0 4 6] [])
  [(A, 0); (A, 1); (A, 2); (A, 3); (A, 4); (A, 5)] of_the_size_that_is_prescribed.
(* Defect 12: PARTE/JOIN-LEFT, PARTE/JOIN-RIGHT (specification: repair-retention-sizes). *)
Theorem rate_times_window_is_too_short :
  made_of_it case_12 published = Ended [[]]
  /\ made_of_it case_12 (repaired_but [12]%nat) = Blocked [[[1; 5]; [1; 6]; [2; 6]]]
  /\ made_of_it case_12 sound = Ended [[[1; 5]; [1; 6]; [2; 6]]]
  /\ defined case_12 = [[[1; 5]; [1; 6]; [2; 6]]].
Proof. vm_compute. auto. Qed.
