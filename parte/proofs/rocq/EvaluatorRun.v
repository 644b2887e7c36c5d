(* A program of two strata for the evaluator, with a key, an absence without a beginning, a set and an emission with
   `once`, and a trace in three batches: so the theorems of Expressions.v are about something, and the evaluator
   computes. *)
From Parte Require Export Expressions.

(* The only column of an event is its id modulo 2; there are no floats and no texts. *)
Definition parity (e : occurrence) (column : nat) : option (@value unit unit) :=
  match column with 0%nat => Some (Whole unit unit (id e mod 2)) | _ => None end.
Definition no_operations : operations unit unit :=
  Operations unit unit (fun _ _ _ => None) (fun x => x) (fun x => x) (fun _ => tt) (fun _ _ => true) (fun _ _ => false)
    (fun _ => 0) (fun _ _ => false).
Definition of_one_parity : @expression unit unit :=
  Compared unit unit Equal (Attribute unit unit 1 0) (Attribute unit unit 0 0).

(* rule R where a: A, b: B { parity = a.parity }, no c: C when b in a [0 ms, 10 ms] c in b [-ever, 1 ms]
     then emit P at a.timestamp once per (parity) in 5 ms
   rule S where p: P, all b: B when b in p [-5 ms, 5 ms] *)
Definition pairs : @read_rule integers unit unit :=
  ReadRule unit unit [ReadPattern unit unit 0 [] []]
    [ReadBound unit unit [ReadPattern unit unit 1 [] [of_one_parity]];
     ReadAbsent unit unit (ReadPattern unit unit 2 [] []) [(1%nat, (None, 1))]]
    [Constraint 1 0 0 10] [] None [].
Definition one_of_each_parity : @read_suppression integers :=
  ReadSuppression 3 0 5 [(0%nat, ReadEmission 3 (OfVariable 0) (fun v _ => match v with
    e :: _ => Some (Occurrence (100 + id e) 3 (time (e : event)) : event) | [] => None end))].
Definition with_a_set : @read_rule integers unit unit :=
  ReadRule unit unit [ReadPattern unit unit 3 [] []] [] []
    [(ReadPattern unit unit 1 [] [], [(0%nat, (Some (-5), 5))])] None [].
Definition evaluated_example : @read_program integers unit unit := [([pairs], [one_of_each_parity]); ([with_a_set],
  [])].

Definition first_a : event := Occurrence 1 0 0.
Definition second_a : event := Occurrence 2 0 3.
Definition third_a : event := Occurrence 7 0 1.
Definition first_b : event := Occurrence 3 1 4.
Definition second_b : event := Occurrence 4 1 5.
Definition a_c : event := Occurrence 5 2 6.
Definition three_batches : list batch :=
  [Batch [second_a; first_a; third_a] [Some 3; Some 0; Some 0; None];
   Batch [first_b; a_c; second_b] [Some 40; Some 12; Some 13; None];
   Batch [] [None; None; None; None]].

Lemma the_example_is_admitted : is_admitted unit unit no_operations parity (fun _ _ => None) 4 evaluated_example = true.
Proof. reflexivity. Qed.
Lemma the_batches_keep_their_promises : promises_hold three_batches /\ all_have_ended 4 three_batches.
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  split; [repeat split; repeat constructor; apply Le; reflexivity|].
  exists [Batch [second_a; first_a; third_a] [Some 3; Some 0; Some 0; None];
    Batch [first_b; a_c; second_b] [Some 40; Some 12; Some 13; None]], (Batch [] [None; None; None; None]).
  repeat split. repeat constructor.
Qed.
Lemma precedes_by_time : forall x y : @event integers, precedes x y = true -> time x <= time y.
Proof. intros x y H. apply precedes_spec in H. simpl. unfold clamped. lia. Qed.

Definition run_of_the_example := run_strata precedes 0 three_batches
  (at_the_start (plans_of unit unit no_operations parity (fun _ _ => None) evaluated_example)).
Definition meaning_of_the_example :=
  meaning_of_read precedes unit unit no_operations parity (fun _ _ => None) evaluated_example (arriving three_batches).

(* Specification: sound-agrees. *)
Theorem the_theorem_of_the_evaluator_is_about_something :
  Forall2 (@Permutation _) (in_total 2 (map fst run_of_the_example)) (fst meaning_of_the_example) /\
  Forall2 (@Permutation _) (in_total 1 (map snd run_of_the_example)) (snd meaning_of_the_example).
Proof.
  destruct the_batches_keep_their_promises as [Kept Ended].
  exact (what_is_extracted_reports_exactly_the_meaning precedes precedes_orders precedes_by_time 0 unit unit
    no_operations
    parity (fun _ _ => None) 4 evaluated_example three_batches the_example_is_admitted Kept Ended).
Qed.

(* Specification: sound-agrees, suppression. The C defeats the second pair; nothing is reported before the bounds have
   passed; the second P is suppressed, so that S sees the first alone. *)
Theorem the_evaluator_runs :
  let numbers m := (map id (fst m), map (map id) (snd m)) in
  let verdicts := map (map (fun d : event * option event => (id (fst d), option_map id (snd d)))) in
  map (fun x => (map (map numbers) (fst x), verdicts (snd x))) run_of_the_example
  = [([[]; []], [[]]); ([[([1; 3], [])]; []], [[(101, None)]]);
     ([[([7; 3], [])]; [([101], [[3; 4]])]], [[(107, Some 101)]])]
  /\ map (map numbers) (fst meaning_of_the_example) = [[([1; 3], []); ([7; 3], [])]; [([101], [[3; 4]])]]
  /\ verdicts (snd meaning_of_the_example) = [[(107, Some 101); (101, None)]].
Proof. repeat split; vm_compute; reflexivity. Qed.
