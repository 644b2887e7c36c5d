(* What the checks ask of the constraints of a rule (`related` of Closure.v) is decidable: whoever runs the machine can
   know whether the theorem speaks of a rule (specification: variables-related, negation-bounded;
   semantics/partelang/syntax/windows.py). *)
From Parte Require Export Closure.

Section Checks.
Context {E : Events}.

Definition constraint_passes (n : nat) (c : constraint) : bool :=
  Nat.ltb (subject c) n && (Nat.ltb (reference c) n && negb (Nat.eqb (subject c) (reference c))).
Fixpoint negations_pass (n : nat) (ls : list written_link) : bool :=
  match ls with
  | [] => true
  | l :: more =>
      (negb (w_negated l) || (negb (match w_against l with [] => true | _ => false end)
                              && forallb (fun a => Nat.ltb (fst a) n) (w_against l)))
      && negations_pass (if w_negated l then n else S n) more
  end.
Definition sets_pass (n : nat) (ls : list written_link) : bool :=
  forallb (fun l => negb (match w_against l with [] => true | _ => false end)
                    && forallb (fun a => Nat.ltb (fst a) n) (w_against l)) ls.
Definition all_known (n : nat) (m : matrix) : bool :=
  forallb (fun i => forallb (fun j => match m i j with Some _ => true | None => false end) (seq 0 n)) (seq 0 n).
Definition passes (r : written) : bool :=
  forallb (constraint_passes (positives 1 (w_links r))) (w_when r) && ((negations_pass 1 (w_links r)
  && sets_pass (positives 1 (w_links r)) (w_sets r)) && (snd (closure_of r) || all_known (positives 1 (w_links r))
    (fst (closure_of r)))).

Lemma constraint_passes_spec : forall n c, constraint_passes n c = true <->
  (subject c < n /\ reference c < n /\ subject c <> reference c)%nat.
Proof.
  intros. unfold constraint_passes. rewrite !andb_true_iff, !Nat.ltb_lt, negb_true_iff, Nat.eqb_neq. tauto.
Qed.

Lemma negations_pass_spec : forall ls n, negations_pass n ls = true <-> against_checked n ls.
Proof.
  induction ls as [|l ls IH]; intros n; simpl; [tauto|].
  rewrite andb_true_iff, IH. apply and_iff_compat_r.
  destruct (w_negated l); simpl; [|split; auto; intros; discriminate].
  rewrite andb_true_iff, forallb_forall, Forall_forall. destruct (w_against l) as [|a more].
  - simpl. split; [intros [H _]; discriminate|]. intros H. destruct (H eq_refl) as [N _]. easy.
  - split.
    + intros [_ H] _. split; [discriminate|]. intros x I. apply Nat.ltb_lt. auto.
    + intros H. destruct (H eq_refl) as [_ F]. split; auto. intros x I. apply Nat.ltb_lt. auto.
Qed.

Lemma sets_pass_spec : forall n ls, sets_pass n ls = true <-> sets_checked n ls.
Proof.
  intros. unfold sets_pass, sets_checked. rewrite forallb_forall, Forall_forall.
  assert (One : forall l, negb (match w_against l with [] => true | _ => false end)
      && forallb (fun a => Nat.ltb (fst a) n) (w_against l) = true
    <-> w_against l <> [] /\ Forall (fun a => fst a < n)%nat (w_against l)).
  { intros l. rewrite andb_true_iff, forallb_forall, Forall_forall. destruct (w_against l) as [|a more]; simpl.
    - split; [intros [H _]; discriminate|intros [H _]; easy].
    - split; intros [_ H]; (split; [discriminate || auto|]); intros x I; apply Nat.ltb_lt; auto. }
  split; intros H l I; apply One; auto.
Qed.

Lemma all_known_spec : forall n m, all_known n m = true <-> forall i j, (i < n)%nat -> (j < n)%nat -> m i j <> None.
Proof.
  intros. unfold all_known. rewrite forallb_forall. split.
  - intros H i j I J. specialize (H i). rewrite forallb_forall in H. specialize (H (proj2 (in_seq n 0 i) ltac:(lia)) j
      (proj2 (in_seq n 0 j) ltac:(lia))). destruct (m i j); easy.
  - intros H i I. rewrite forallb_forall. intros j J. apply in_seq in I, J. specialize (H i j).
    destruct (m i j); auto. exfalso. apply H; auto; lia.
Qed.

(* Specification: variables-related, negation-bounded, negation-constraints. *)
Theorem whether_a_rule_passes_is_decided : forall r, passes r = true <-> related r.
Proof.
  intros r. unfold passes, related. rewrite !andb_true_iff, orb_true_iff, forallb_forall, Forall_forall,
    negations_pass_spec, sets_pass_spec, all_known_spec.
  assert (C : (forall c, In c (w_when r) -> constraint_passes (positives 1 (w_links r)) c = true) <->
    (forall c, In c (w_when r) -> (subject c < positives 1 (w_links r) /\ reference c < positives 1 (w_links r) /\
      subject c <> reference c)%nat)).
  { split; intros H c I; apply constraint_passes_spec; auto. }
  rewrite C. tauto.
Qed.

End Checks.
