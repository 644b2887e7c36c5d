(* What the checks ask of the constraints of a rule (`related` of Closure.v) is decidable: whoever runs the machine can
   know whether the theorem speaks of a rule (specification: variables-related, negation-bounded;
   semantics/partelang/syntax/windows.py). So is what `checked` asks of templates and strata (specification:
   stratification; semantics/partelang/syntax/stratification.py). *)
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

(* ---- Templates and strata ------------------------------------------------------------------------------------- *)

Variables (queues_of : nat -> list nat) (reach : Z).

Definition is_among (n : nat) (l : list nat) : bool := existsb (Nat.eqb n) l.
Fixpoint all_different (l : list nat) : bool :=
  match l with [] => true | n :: more => negb (is_among n more) && all_different more end.
Definition rule_stands_right (known : list nat) (r : rule) : bool :=
  forallb (fun t => is_among t known) (used r) && forallb (fun m => negb (is_among (emits m) known)) (emissions r).
Fixpoint strata_stand_right (known emitted : list nat) (p : program) : bool :=
  match p with
  | [] => true
  | s :: above =>
      all_different (templates s)
      && (forallb (fun t => negb (is_among t known)
            && (negb (match queues_of t with [] => true | _ => false end) || is_among t emitted)) (templates s)
      && (forallb (rule_stands_right (known ++ templates s)) (rules s)
      && strata_stand_right (known ++ templates s)
        (emitted ++ flat_map (fun r => map emits (emissions r)) (rules s)) above))
  end.
(* What else is asked of a rule: of its links and sets, and of the times of its emissions. *)
Definition rule_measured (r : rule) : Prop :=
  (links_checked reach 1 (links r) /\ Forall (link_checked reach (width (pattern_of r))) (sets r))
  /\ Forall (emission_checked (width (pattern_of r))) (emissions r).

Lemma is_among_spec : forall n l, is_among n l = true <-> In n l.
Proof.
  intros. unfold is_among. rewrite existsb_exists. split; [intros (x & I & Eq)|intros I; exists n].
  - apply Nat.eqb_eq in Eq. subst. auto.
  - rewrite Nat.eqb_refl. auto.
Qed.
Lemma is_not_among_spec : forall n l, negb (is_among n l) = true <-> ~ In n l.
Proof. intros. rewrite negb_true_iff, <- is_among_spec. destruct (is_among n l); intuition congruence. Qed.
Lemma all_different_spec : forall l, all_different l = true <-> NoDup l.
Proof.
  induction l as [|n l IH]; simpl; [split; auto; constructor|].
  rewrite andb_true_iff, is_not_among_spec, IH. split; [intros []; constructor; auto|intros D; inversion D; auto].
Qed.
Lemma rule_checked_in_parts : forall known r,
  rule_checked reach known r <-> rule_stands_right known r = true /\ rule_measured r.
Proof.
  intros known r. unfold rule_checked, rule_stands_right, rule_measured. rewrite andb_true_iff, !forallb_forall. split.
  - intros (L & U & M). rewrite Forall_forall in M. split; [split|split; auto].
    + intros t I. apply is_among_spec. auto.
    + intros m I. apply is_not_among_spec. apply M. auto.
    + apply Forall_forall. intros m I. apply M. auto.
  - intros ((U & N) & L & M). split; auto. rewrite Forall_forall in M. split.
    + intros t I. apply is_among_spec. auto.
    + apply Forall_forall. intros m I. split; auto. apply is_not_among_spec. auto.
Qed.
(* Specification: stratification, silent-templates. *)
Theorem whether_strata_are_placed_is_decided : forall p known emitted,
  checked queues_of reach known emitted p <->
  strata_stand_right known emitted p = true /\ Forall (fun s => Forall rule_measured (rules s)) p.
Proof.
  induction p as [|s p IH]; intros known emitted; simpl; [intuition|].
  rewrite IH, !andb_true_iff, all_different_spec, !forallb_forall, !Forall_forall.
  assert (T : forall t, (~ In t known /\ (queues_of t <> [] \/ In t emitted)) <-> negb (is_among t known)
    && (negb (match queues_of t with [] => true | _ => false end) || is_among t emitted) = true).
  { intros t. rewrite andb_true_iff, orb_true_iff, is_not_among_spec, is_among_spec.
    destruct (queues_of t) as [|q qs]; simpl; intuition congruence. }
  split.
  - intros (D & Ts & Rs & P & M). split; [split; [auto|split; [|split]]|]; auto.
    + intros t I. apply T. auto.
    + intros r I. apply rule_checked_in_parts. auto.
    + intros s' [<-|I]; auto. apply Forall_forall. intros r I. apply (rule_checked_in_parts (known ++ templates s)).
      auto.
  - intros ((D & Ts & Rs & P) & M). split; auto. split; [|split; [|split]]; auto.
    + intros t I. apply T. auto.
    + intros r I. apply rule_checked_in_parts. split; auto.
      specialize (M s (or_introl eq_refl)). rewrite Forall_forall in M. auto.
    + intros s' I. apply M. simpl. auto.
Qed.

End Checks.
