(* The evaluator of whole programs, stratum by stratum: the events that rules emit go to the stratum above, with bounds
   of their own; those of emissions with `once` go there when they are decided, if they pass. It reports exactly the
   meaning, and decides as the definition of suppression does. *)
From Parte Require Export Suppression.

Section Strata.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
Hypothesis Timely : forall x y, precedes x y = true -> time x <= time y.
Variable patience : nat.
Notation match_ := (partial * list (list event))%type.
Notation decision := (event * option event)%type.
Notation step_of_rule := (step_of_rule precedes patience).
Notation run_rule := (run_rule precedes patience).
Notation step_of_suppression := (step_of_suppression precedes patience).
Notation run_suppression := (run_suppression precedes patience).
Notation decisions := (decisions precedes).

(* ---- The meaning, with suppression ------------------------------------------------------------------------------- *)

(* Of each rule its matches, and of each suppression its decisions, the lowest stratum first. *)
Fixpoint meaning_with_suppression (p : list (@full_stratum E * list suppression)) (stream : list event) :
  list (list match_) * list (list decision) :=
  match p with
  | [] => ([], [])
  | s :: above =>
      let found := map (matches_of_rule precedes stream) (f_rules (fst s)) in
      let ds := map (fun u => decisions u (suppressible_of u found)) (snd s) in
      let rest := meaning_with_suppression above (stream
        ++ flat_map (fun r => emitted_of (f_emissions r) (matches_of_rule precedes stream r)) (f_rules (fst s))
        ++ flat_map passed ds) in
      (found ++ fst rest, ds ++ snd rest)
  end.
(* Specification: suppression. It is the meaning of Language.v where nothing is suppressed. *)
Theorem without_suppression_it_is_the_meaning : forall p stream,
  meaning_with_suppression (map (fun s => (s, [])) p) stream = (meaning_of_program precedes p stream, []).
Proof. induction p as [|s p IH]; simpl; intros stream; auto. rewrite app_nil_r, IH. auto. Qed.

(* ---- A stratum, and all strata ----------------------------------------------------------------------------------- *)

Notation rules_with_states := (list (@plan E * @rule_state E)).
Notation suppressions_with_states := (list (@suppression E * @suppression_state E)).
Record running := Running { its_rules : rules_with_states; its_suppressions : suppressions_with_states }.
Definition step_of_rules (b : batch) (rs : rules_with_states) : list (list match_ * (plan * rule_state)) :=
  map (fun x => let (found, s) := step_of_rule (fst x) b (snd x) in (found, (fst x, s))) rs.
Definition emission_bound (p : plan) (bs : list bound) (m : @emission_with_sets E) : bound :=
  earlier (rule_bound bs (rule_of p)) (ahead p + behind p + s_lag m).
Definition bound_of_suppression (rs : rules_with_states) (bs : list bound) (u : suppression) : bound :=
  fold_right (fun x b => match nth_error rs (fst x) with
    | Some r => lesser_bound (emission_bound (fst r) bs (snd x)) b | None => b end) None (suppressible u).
Definition step_of_suppressions (bs : list bound) (rs : rules_with_states) (found : list (list match_))
  (us : suppressions_with_states) : list (list decision * (suppression * suppression_state)) :=
  map (fun x => let (ds, s) := step_of_suppression (fst x) (bound_of_suppression rs bs (fst x))
    (suppressible_of (fst x) found) (snd x) in (ds, (fst x, s))) us.
Definition bound_of_rules (rs : rules_with_states) (bs : list bound) (t : nat) : bound :=
  fold_right (fun x b => fold_right (fun m b =>
    if Nat.eqb (s_emits m) t then lesser_bound (emission_bound (fst x) bs m) b else b) b (k_emissions (rule_of (fst
      x))))
    (bound_of bs t) rs.
Definition bound_above (s : running) (bs : list bound) (t : nat) : bound :=
  fold_right (fun x b => if Nat.eqb (its_template (fst x)) t
    then lesser_bound (bound_of_suppression (its_rules s) bs (fst x)) b else b) (bound_of_rules (its_rules s) bs t)
    (its_suppressions s).
Definition batch_above (b : batch) (done : list (list match_ * (plan * rule_state)))
  (ds : list (list decision * (suppression * suppression_state))) : batch :=
  Batch (arrived b ++ flat_map (fun x => emitted_of (k_emissions (rule_of (fst (snd x)))) (fst x)) done
      ++ flat_map (fun x => passed (fst x)) ds)
    (map (bound_above (Running (map snd done) (map snd ds)) (bounds_after b)) (seq 0 (length (bounds_after b)))).
Fixpoint step_of_strata (b : batch) (strata : list running) :
  (list (list match_) * list (list decision)) * list running :=
  match strata with
  | [] => (([], []), [])
  | s :: above =>
      let done := step_of_rules b (its_rules s) in
      let ds := step_of_suppressions (bounds_after b) (its_rules s) (map fst done) (its_suppressions s) in
      let '((found, decided), above) := step_of_strata (batch_above b done ds) above in
      ((map fst done ++ found, map fst ds ++ decided), Running (map snd done) (map snd ds) :: above)
  end.
Fixpoint run_strata (bs : list batch) (strata : list running) : list (list (list match_) * list (list decision)) :=
  match bs with
  | [] => []
  | b :: more => let (found, strata) := step_of_strata b strata in found :: run_strata more strata
  end.
(* All that each of n rules has reported. *)
Definition joined_by_rule {A} (a b : list (list A)) : list (list A) := map (fun x => fst x ++ snd x) (combine a b).
Definition in_total {A} (n : nat) (found : list (list (list A))) : list (list A) :=
  fold_right joined_by_rule (repeat [] n) found.

(* ---- What rules emit --------------------------------------------------------------------------------------------- *)

Lemma emitted_of_app : forall (ms : list (@emission_with_sets E)) a b,
  Permutation (emitted_of ms (a ++ b)) (emitted_of ms a ++ emitted_of ms b).
Proof.
  intros. unfold emitted_of. induction ms as [|m ms IH]; simpl; auto. rewrite flat_map_app, IH, <- !app_assoc.
  apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma emitted_of_permuted : forall (ms : list (@emission_with_sets E)) a b, Permutation a b ->
  Permutation (emitted_of ms a) (emitted_of ms b).
Proof. intros. unfold emitted_of. apply flat_map_values. intros m _. apply Permutation_flat_map. auto. Qed.
Lemma flat_map_parts : forall A B (f g : A -> list B) l,
  Permutation (flat_map (fun x => f x ++ g x) l) (flat_map f l ++ flat_map g l).
Proof.
  intros. induction l as [|x l IH]; simpl; auto. rewrite IH, <- !app_assoc. apply Permutation_app_head.
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma passed_app : forall a b : list decision, passed (a ++ b) = passed a ++ passed b.
Proof. intros. unfold passed. rewrite filter_app, map_app. auto. Qed.

Definition emits_in_all (bs : list batch) (x : plan * rule_state) : list event :=
  emitted_of (k_emissions (rule_of (fst x))) (concat (run_rule (fst x) bs (snd x))).
Definition after_step (b : batch) (x : plan * rule_state) : plan * rule_state :=
  (fst x, snd (step_of_rule (fst x) b (snd x))).
Definition found_in_step (b : batch) (x : plan * rule_state) : list match_ := fst (step_of_rule (fst x) b (snd x)).

Lemma done_is : forall b rs, step_of_rules b rs = map (fun x => (found_in_step b x, after_step b x)) rs.
Proof.
  intros. apply map_ext. intros x. unfold found_in_step, after_step. destruct (step_of_rule (fst x) b (snd x)). auto.
Qed.
Lemma states_after : forall b rs, map snd (step_of_rules b rs) = map (after_step b) rs.
Proof. intros. rewrite done_is, map_map. auto. Qed.
Lemma found_after : forall b rs, map fst (step_of_rules b rs) = map (found_in_step b) rs.
Proof. intros. rewrite done_is, map_map. auto. Qed.
Lemma run_rule_step : forall b bs x, run_rule (fst x) (b :: bs) (snd x)
  = found_in_step b x :: run_rule (fst (after_step b x)) bs (snd (after_step b x)).
Proof.
  intros. unfold found_in_step, after_step. cbn [Streaming.run_rule fst snd].
  destruct (step_of_rule (fst x) b (snd x)). reflexivity.
Qed.

(* What a suppression decides on: the events of its emissions in each batch, with the bound behind it. *)
Fixpoint feeds (rs : rules_with_states) (u : suppression) (bs : list batch) : list (list event * bound) :=
  match bs with
  | [] => []
  | b :: more => (suppressible_of u (map (found_in_step b) rs), bound_of_suppression rs (bounds_after b) u)
      :: feeds (map (after_step b) rs) u more
  end.
Definition decides_in_all (rs : rules_with_states) (bs : list batch) (y : suppression * suppression_state) :
  list decision := concat (run_suppression (fst y) (feeds rs (fst y) bs) (snd y)).
Definition decided_in_step (b : batch) (rs : rules_with_states) (y : suppression * suppression_state) : list decision :=
  fst (step_of_suppression (fst y) (bound_of_suppression rs (bounds_after b) (fst y))
    (suppressible_of (fst y) (map (found_in_step b) rs)) (snd y)).
Definition suppressed_after (b : batch) (rs : rules_with_states) (y : suppression * suppression_state) :
  suppression * suppression_state :=
  (fst y, snd (step_of_suppression (fst y) (bound_of_suppression rs (bounds_after b) (fst y))
    (suppressible_of (fst y) (map (found_in_step b) rs)) (snd y))).
Lemma decided_is : forall b rs us, step_of_suppressions (bounds_after b) rs (map (found_in_step b) rs) us
  = map (fun y => (decided_in_step b rs y, suppressed_after b rs y)) us.
Proof.
  intros. apply map_ext. intros y. unfold decided_in_step, suppressed_after.
  destruct (step_of_suppression (fst y) _ _ (snd y)). auto.
Qed.
Lemma decides_step : forall b bs rs y, decides_in_all rs (b :: bs) y
  = decided_in_step b rs y ++ decides_in_all (map (after_step b) rs) bs (suppressed_after b rs y).
Proof.
  intros. unfold decides_in_all, decided_in_step, suppressed_after. cbn [feeds Suppression.run_suppression fst snd].
  destruct (step_of_suppression (fst y) _ _ (snd y)). reflexivity.
Qed.

Definition next (b : batch) (s : running) : running :=
  Running (map (after_step b) (its_rules s)) (map (suppressed_after b (its_rules s)) (its_suppressions s)).
Definition above_of (b : batch) (s : running) : batch :=
  Batch (arrived b ++ flat_map (fun x => emitted_of (k_emissions (rule_of (fst x))) (found_in_step b x)) (its_rules s)
      ++ flat_map (fun y => passed (decided_in_step b (its_rules s) y)) (its_suppressions s))
    (map (bound_above (next b s) (bounds_after b)) (seq 0 (length (bounds_after b)))).
Fixpoint batches_above (s : running) (bs : list batch) : list batch :=
  match bs with [] => [] | b :: more => above_of b s :: batches_above (next b s) more end.

(* ---- A step of all strata, rule by rule and suppression by suppression ------------------------------------------- *)

Section Outputs.
Context {A : Type}.
Variables (out : batch -> running -> list (list A)) (size : running -> nat).
Hypothesis Sized : forall b s, length (out b s) = size s.
Hypothesis Same_size : forall b s, size (next b s) = size s.
Fixpoint outputs (b : batch) (strata : list running) : list (list A) :=
  match strata with [] => [] | s :: above => out b s ++ outputs (above_of b s) above end.
Fixpoint all_next (b : batch) (strata : list running) : list running :=
  match strata with [] => [] | s :: above => next b s :: all_next (above_of b s) above end.
Fixpoint run_outputs (bs : list batch) (strata : list running) : list (list (list A)) :=
  match bs with [] => [] | b :: more => outputs b strata :: run_outputs more (all_next b strata) end.
Fixpoint outputs_of_stratum (bs : list batch) (s : running) : list (list (list A)) :=
  match bs with [] => [] | b :: more => out b s :: outputs_of_stratum more (next b s) end.
Definition sizes (strata : list running) : nat := list_sum (map size strata).
Lemma sizes_kept : forall strata b, length (outputs b strata) = sizes strata /\ sizes (all_next b strata) = sizes
  strata.
Proof.
  unfold sizes. induction strata as [|s above IH]; simpl; intros b; auto. destruct (IH (above_of b s)) as [H1 H2].
  rewrite app_length, Sized, Same_size, H1, H2. auto.
Qed.
Lemma joined_app : forall (a b c d : list (list A)), length a = length b ->
  joined_by_rule (a ++ c) (b ++ d) = joined_by_rule a b ++ joined_by_rule c d.
Proof.
  induction a as [|x a IH]; intros [|y b] c d L; try discriminate; auto.
  unfold joined_by_rule in *. simpl. f_equal. apply IH. simpl in L. lia.
Qed.
Lemma in_total_cons : forall n (x : list (list A)) l, in_total n (x :: l) = joined_by_rule x (in_total n l).
Proof. auto. Qed.
Lemma in_total_length : forall n (l : list (list (list A))), Forall (fun x => length x = n) l ->
  length (in_total n l) = n.
Proof.
  induction 1 as [|x l Hx F IH]; simpl; [apply repeat_length|]. unfold joined_by_rule.
  rewrite map_length, combine_length, IH. lia.
Qed.
Lemma stratum_lengths : forall bs s, Forall (fun x => length x = size s) (outputs_of_stratum bs s).
Proof.
  induction bs as [|b bs IH]; simpl; intros s; constructor; auto. rewrite <- (Same_size b). apply IH.
Qed.
Lemma totals_of_strata : forall bs s above, in_total (sizes (s :: above)) (run_outputs bs (s :: above)) =
  in_total (size s) (outputs_of_stratum bs s) ++ in_total (sizes above) (run_outputs (batches_above s bs) above).
Proof.
  unfold sizes. induction bs as [|b bs IH]; intros s above; simpl.
  - apply repeat_app.
  - destruct (sizes_kept above (above_of b s)) as [_ H]. specialize (IH (next b s) (all_next (above_of b s) above)).
    simpl in IH. unfold sizes in H. rewrite H, !Same_size in IH. rewrite IH. apply joined_app.
    rewrite Sized, in_total_length; auto. rewrite <- (Same_size b). apply stratum_lengths.
Qed.
Lemma outputs_lengths : forall bs strata, Forall (fun x => length x = sizes strata) (run_outputs bs strata).
Proof.
  induction bs as [|b bs IH]; simpl; intros strata; constructor; destruct (sizes_kept strata b) as [H1 H2]; auto.
  rewrite <- H2. apply IH.
Qed.
Fixpoint all_after (bs : list batch) (strata : list running) : list running :=
  match bs with [] => strata | b :: more => all_after more (all_next b strata) end.
Lemma run_of_both : forall bs more strata,
  run_outputs (bs ++ more) strata = run_outputs bs strata ++ run_outputs more (all_after bs strata).
Proof. induction bs as [|b bs IH]; simpl; intros more strata; auto. rewrite IH. auto. Qed.
Lemma totals_begin : forall n (a b : list (list (list A))), Forall (fun x => length x = n) (a ++ b) ->
  Forall2 (fun x y => exists more, x ++ more = y) (in_total n a) (in_total n (a ++ b)).
Proof.
  intros n a b F. apply Forall_app in F as [Fa Fb]. induction Fa as [|x a Hx Fa IH]; simpl.
  - pose proof (in_total_length n b Fb) as L. revert L. generalize (in_total n b). clear.
    induction n as [|n IH]; intros [|y l] L; try discriminate; simpl; constructor; [exists y; auto|].
    apply IH. simpl in L. lia.
  - revert IH. generalize (in_total n a), (in_total n (a ++ b)). clear - Hx. intros l l' F. unfold joined_by_rule.
    clear Hx n. revert x. induction F as [|u v us vs [m <-] F IH]; intros [|x xs]; simpl; constructor; auto.
    exists m. rewrite app_assoc. auto.
Qed.
(* What it has reported of what it will report in all, which is known. *)
Lemma what_was_reported_is_part : forall bs more strata r,
  Forall2 (@Permutation A) (in_total (sizes strata) (run_outputs (bs ++ more) strata)) r ->
  Forall2 (fun found r => exists rest, Permutation (found ++ rest) r) (in_total (sizes strata) (run_outputs bs
    strata)) r.
Proof.
  intros bs more strata r T. pose proof (outputs_lengths (bs ++ more) strata) as L. rewrite run_of_both in T, L.
  pose proof (totals_begin _ _ _ L) as B. clear L. revert B T.
  generalize (in_total (sizes strata) (run_outputs bs strata)), (in_total (sizes strata) (run_outputs bs strata
    ++ run_outputs more (all_after bs strata))). intros l l' B. revert r.
  induction B as [|x y xs ys [m <-] F IH]; intros r T; inversion T; subst; constructor; auto. eauto.
Qed.
End Outputs.

Definition found_by (b : batch) (s : running) : list (list match_) := map (found_in_step b) (its_rules s).
Definition decided_by (b : batch) (s : running) : list (list decision) :=
  map (decided_in_step b (its_rules s)) (its_suppressions s).
Definition rules_in (s : running) : nat := length (its_rules s).
Definition suppressions_in (s : running) : nat := length (its_suppressions s).

Lemma above_is : forall b s, batch_above b (step_of_rules b (its_rules s))
    (step_of_suppressions (bounds_after b) (its_rules s) (map fst (step_of_rules b (its_rules s))) (its_suppressions s))
  = above_of b s.
Proof.
  intros. rewrite found_after, decided_is, done_is. unfold batch_above, above_of, next. rewrite !map_map. simpl.
  f_equal. f_equal. rewrite !flat_map_concat_map, !map_map. auto.
Qed.
Lemma a_step_of_strata_is : forall strata b, step_of_strata b strata
  = ((outputs found_by b strata, outputs decided_by b strata), all_next b strata).
Proof.
  induction strata as [|s above IH]; intros b; [reflexivity|]. cbn [step_of_strata]. rewrite above_is, IH.
  rewrite !found_after, decided_is, states_after, !map_map. reflexivity.
Qed.
Lemma a_run_of_strata_is : forall bs strata, map fst (run_strata bs strata) = run_outputs found_by bs strata
  /\ map snd (run_strata bs strata) = run_outputs decided_by bs strata.
Proof.
  induction bs as [|b bs IH]; simpl; intros strata; auto. rewrite a_step_of_strata_is. simpl.
  destruct (IH (all_next b strata)) as [H1 H2]. rewrite H1, H2. auto.
Qed.
Lemma what_a_stratum_finds : forall bs s, in_total (rules_in s) (outputs_of_stratum found_by bs s)
  = map (fun x => concat (run_rule (fst x) bs (snd x))) (its_rules s).
Proof.
  unfold rules_in. induction bs as [|b bs IH]; intros s.
  - simpl. induction (its_rules s); simpl; f_equal; auto.
  - cbn [outputs_of_stratum]. rewrite in_total_cons. specialize (IH (next b s)). simpl in IH.
    rewrite map_length in IH. rewrite IH, map_map. unfold found_by. clear IH.
    induction (its_rules s) as [|x rs IHr]; auto. unfold joined_by_rule in *. cbn [map combine fst snd]. rewrite IHr.
    rewrite run_rule_step. auto.
Qed.
Lemma what_a_stratum_decides : forall bs s, in_total (suppressions_in s) (outputs_of_stratum decided_by bs s)
  = map (decides_in_all (its_rules s) bs) (its_suppressions s).
Proof.
  unfold suppressions_in. induction bs as [|b bs IH]; intros s.
  - simpl. induction (its_suppressions s); simpl; f_equal; auto.
  - cbn [outputs_of_stratum]. rewrite in_total_cons. specialize (IH (next b s)). simpl in IH.
    rewrite map_length in IH. rewrite IH, map_map. unfold decided_by. clear IH.
    induction (its_suppressions s) as [|x rs IHr]; auto. unfold joined_by_rule in *. cbn [map combine fst snd].
    rewrite IHr, decides_step. auto.
Qed.

(* ---- What a stratum gives to the one above ----------------------------------------------------------------------- *)

Lemma shuffled : forall A (a b c d e : list A), Permutation (a ++ b ++ c ++ d ++ e) (c ++ a ++ d ++ b ++ e).
Proof.
  intros. transitivity (c ++ a ++ b ++ d ++ e).
  - rewrite !app_assoc. do 2 apply Permutation_app_tail. rewrite <- (app_assoc c a b). apply Permutation_app_comm.
  - do 2 apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma events_above : forall bs s, Permutation (arriving (batches_above s bs))
  (arriving bs ++ flat_map (emits_in_all bs) (its_rules s)
    ++ flat_map (fun y => passed (decides_in_all (its_rules s) bs y)) (its_suppressions s)).
Proof.
  induction bs as [|b bs IH]; intros s.
  - simpl. unfold emits_in_all, decides_in_all. simpl.
    assert (N : forall A (l : list A), flat_map (fun _ => @nil event) l = []) by (induction l; auto).
    rewrite N, (flat_map_ext _ (fun _ => [])), N; auto.
    intros x. unfold emitted_of. simpl. induction (k_emissions _); auto.
  - unfold arriving in *. simpl. rewrite IH. clear IH. simpl.
    rewrite !(flat_map_concat_map _ (map _ _)), !map_map, <- !flat_map_concat_map.
    assert (Q : Permutation (flat_map (emits_in_all (b :: bs)) (its_rules s))
      (flat_map (fun x => emitted_of (k_emissions (rule_of (fst x))) (found_in_step b x)) (its_rules s)
        ++ flat_map (fun x => emits_in_all bs (after_step b x)) (its_rules s))).
    { rewrite <- flat_map_parts. apply flat_map_values. intros x _. unfold emits_in_all. rewrite run_rule_step.
      simpl concat. apply emitted_of_app. }
    assert (Q' : Permutation (flat_map (fun y => passed (decides_in_all (its_rules s) (b :: bs) y))
        (its_suppressions s))
      (flat_map (fun y => passed (decided_in_step b (its_rules s) y)) (its_suppressions s)
        ++ flat_map (fun y => passed (decides_in_all (map (after_step b) (its_rules s)) bs
          (suppressed_after b (its_rules s) y))) (its_suppressions s))).
    { rewrite <- flat_map_parts. apply flat_map_values. intros y _. rewrite decides_step, passed_app. auto. }
    rewrite Q, Q'. rewrite <- !app_assoc. apply Permutation_app_head.
    apply shuffled.
Qed.
Lemma suppressible_parts : forall (u : suppression) B (f g : B -> list match_) rs,
  Permutation (suppressible_of u (map (fun x => f x ++ g x) rs))
    (suppressible_of u (map f rs) ++ suppressible_of u (map g rs)).
Proof.
  intros. unfold suppressible_of. rewrite <- flat_map_parts. apply flat_map_values. intros [i m] _. cbn [fst snd].
  rewrite <- emitted_of_app. replace (nth i (map (fun x => f x ++ g x) rs) [])
    with (nth i (map f rs) [] ++ nth i (map g rs) []); auto.
  revert i. induction rs as [|x rs IH]; intros [|i]; simpl; auto.
Qed.
Lemma fed_in_all : forall bs rs u, Permutation (flat_map fst (feeds rs u bs))
  (suppressible_of u (map (fun x => concat (run_rule (fst x) bs (snd x))) rs)).
Proof.
  induction bs as [|b bs IH]; intros rs u.
  - simpl. unfold suppressible_of. induction (suppressible u) as [|[i m] l IHl]; simpl; auto.
    replace (nth i (map (fun _ => @nil match_) rs) []) with (@nil match_); [exact IHl|].
    clear. revert i. induction rs; intros [|i]; simpl; auto.
  - cbn [feeds flat_map fst]. rewrite IH, map_map. etransitivity; [symmetry; apply suppressible_parts|].
    erewrite map_ext; [reflexivity|]. intros x. cbv beta. rewrite run_rule_step. auto.
Qed.
Lemma suppressible_in : forall (u : suppression) B (f : B -> list match_) rs e,
  In e (suppressible_of u (map f rs)) ->
  exists i m x, In (i, m) (suppressible u) /\ nth_error rs i = Some x /\ In x rs /\ In e (emitted_of [m] (f x)).
Proof.
  intros u B f rs e I. apply in_flat_map in I as ([i m] & I & J). simpl in J. destruct (nth_error rs i) as [x|] eqn:N.
  - exists i, m, x. repeat split; auto; [eapply nth_error_In; eauto|]. rewrite (nth_indep _ _ (f x)) in J
      by (rewrite map_length; apply nth_error_Some; congruence).
    rewrite map_nth, (nth_error_nth _ _ _ N) in J. auto.
  - rewrite nth_overflow in J by (rewrite map_length; apply nth_error_None; auto). destruct J.
Qed.

Lemma bound_of_rules_keeps : forall rs bs t e, keeps (bound_of bs t) e -> keeps (bound_of_rules rs bs t) e.
Proof.
  intros rs bs t e K. unfold bound_of_rules. induction rs as [|x rs IH]; simpl; auto.
  induction (k_emissions (rule_of (fst x))) as [|m ms IHm]; simpl; auto.
  destruct (Nat.eqb (s_emits m) t); auto. apply keeps_lesser. auto.
Qed.
Lemma bound_of_rules_keeps_emitted : forall rs bs t e x m, In x rs -> In m (k_emissions (rule_of (fst x))) ->
  s_emits m = t -> keeps (emission_bound (fst x) bs m) e -> keeps (bound_of_rules rs bs t) e.
Proof.
  intros rs bs t e x m I J T K. unfold bound_of_rules. induction rs as [|y rs IH]; simpl; [destruct I|].
  destruct I as [->|I].
  - clear IH. induction (k_emissions (rule_of (fst x))) as [|m' ms IHm]; simpl; [destruct J|].
    destruct J as [->|J].
    + rewrite T, Nat.eqb_refl. apply keeps_lesser. auto.
    + destruct (Nat.eqb (s_emits m') t); auto. apply keeps_lesser. auto.
  - specialize (IH I). induction (k_emissions (rule_of (fst y))) as [|m' ms IHm]; simpl; auto.
    destruct (Nat.eqb (s_emits m') t); auto. apply keeps_lesser. auto.
Qed.
Lemma bound_above_keeps : forall s bs t e, keeps (bound_of_rules (its_rules s) bs t) e -> keeps (bound_above s bs t) e.
Proof.
  intros s bs t e K. unfold bound_above. induction (its_suppressions s) as [|y us IH]; simpl; auto.
  destruct (Nat.eqb _ t); auto. apply keeps_lesser. auto.
Qed.
Lemma bound_above_keeps_passed : forall s bs e y, In y (its_suppressions s) ->
  keeps (bound_of_suppression (its_rules s) bs (fst y)) e -> keeps (bound_above s bs (its_template (fst y))) e.
Proof.
  intros s bs e y I K. unfold bound_above. induction (its_suppressions s) as [|z us IH]; simpl; [destruct I|].
  destruct I as [->|I].
  - rewrite Nat.eqb_refl. apply keeps_lesser. auto.
  - destruct (Nat.eqb _ _); auto. apply keeps_lesser. auto.
Qed.
Lemma bound_of_suppression_keeps : forall rs bs u i m x e, In (i, m) (suppressible u) -> nth_error rs i = Some x ->
  keeps (emission_bound (fst x) bs m) e -> keeps (bound_of_suppression rs bs u) e.
Proof.
  intros rs bs u i m x e I N K. unfold bound_of_suppression. induction (suppressible u) as [|z l IH]; simpl; [destruct
    I|].
  destruct I as [->|I].
  - simpl. rewrite N. apply keeps_lesser. auto.
  - destruct (nth_error rs (fst z)); auto. apply keeps_lesser. auto.
Qed.
(* A step changes the states of the rules, and no plan. *)
Lemma bound_of_suppression_after : forall b rs bs u,
  bound_of_suppression (map (after_step b) rs) bs u = bound_of_suppression rs bs u.
Proof.
  intros. unfold bound_of_suppression. induction (suppressible u) as [|z l IH]; simpl; auto. rewrite IH.
  replace (nth_error (map (after_step b) rs) (fst z)) with (option_map (after_step b) (nth_error rs (fst z))).
  - destruct (nth_error rs (fst z)); auto.
  - generalize (fst z). clear. induction rs; intros [|n]; simpl; auto.
Qed.

Definition in_order_of_time (x : plan * rule_state) : Prop := sorted anchor_rank (inorder (waiting (snd x))).
Definition undecided_in_order (y : suppression * suppression_state) : Prop :=
  sorted anchor_rank (inorder (undecided (snd y))) /\
  forall e, In e (inorder (undecided (snd y))) -> template e = its_template (fst y).
Definition rule_is_fit (x : plan * rule_state) : Prop :=
  rule_passes (back (fst x)) (ahead (fst x)) (rule_of (fst x)) = true /\ positives_near (fst x) = true
  /\ plan_sound (fst x) /\ represents (rule_of (fst x)) (snd x).
Definition suppression_sound (u : suppression) : Prop :=
  Forall (fun x => s_emits (snd x) = its_template u /\ emission_is_stamped (snd x)) (suppressible u).
Lemma suppressible_has_the_template : forall u found e, suppression_sound u -> In e (suppressible_of u found) ->
  template e = its_template u.
Proof.
  intros u found e Su I. apply in_flat_map in I as (x & I & J). unfold suppression_sound in Su.
  rewrite Forall_forall in Su. destruct (Su _ I) as [<- St]. unfold emitted_of in J. simpl in J.
  rewrite app_nil_r in J. apply in_flat_map in J as (v & _ & J).
  destruct (s_generate (snd x) (fst v) (snd v)) as [e'|] eqn:G; [|destruct J]. destruct J as [<-|[]]. eapply St. eauto.
Qed.
Record is_fit (s : running) : Prop := Fit {
  rules_fit : Forall rule_is_fit (its_rules s);
  rules_in_order : Forall in_order_of_time (its_rules s);
  suppressions_sound : Forall (fun y => suppression_sound (fst y)) (its_suppressions s);
  suppressions_in_order : Forall undecided_in_order (its_suppressions s) }.

Lemma order_after_step : forall b x, in_order_of_time x -> in_order_of_time (after_step b x) /\
  forall e, In e (inorder (waiting (snd (after_step b x)))) ->
    is_past (rule_bound (bounds_after b) (rule_of (fst x))) (ahead (fst x)) e = false.
Proof.
  intros b [p s] So. unfold in_order_of_time, after_step, Streaming.step_of_rule in *. simpl in *.
  destruct (inserted_all_spec anchor_rank (filter (is_anchor (rule_of p)) (arrived b)) (waiting s) So) as [Sh _].
  rewrite (later_part_spec anchor_rank) by (eauto using passed_downward). split; [apply filter_sorted; auto|].
  intros e I. apply filter_In in I as [_ I]. apply negb_true_iff. auto.
Qed.
Lemma represents_after_step : forall b (x : plan * rule_state), represents (rule_of (fst x)) (snd x) ->
  represents (rule_of (fst x)) (snd (after_step b x)).
Proof.
  intros b [p s] Rep. unfold after_step, Streaming.step_of_rule. simpl in *.
  apply represents_changed; [intros w; apply forgetting_query|]. apply represents_changed; auto.
  intros w. apply with_events_spec.
Qed.
Lemma fit_after_step : forall b s, is_fit s -> is_fit (next b s).
Proof.
  intros b s [F O S U]. split; simpl; apply Forall_map; [| |exact S|].
  - eapply Forall_impl; [|exact F]. intros x (Pa & Near & So & Rep). split; [exact Pa|].
    split; [exact Near|]. split; [exact So|]. exact (represents_after_step b x Rep).
  - eapply Forall_impl; [|exact O]. intros x H. apply order_after_step. auto.
  - rewrite Forall_forall in *. intros y I. destruct (U y I) as [So T].
    destruct (undecided_after_step precedes Order patience (fst y) (bound_of_suppression (its_rules s) (bounds_after b)
      (fst y)) (suppressible_of (fst y) (map (found_in_step b) (its_rules s))) (snd y) So) as (So' & T' & _).
    split; [exact So'|]. intros e J. destruct (T' e J) as [_ [K|K]]; [|exact (T e K)].
    exact (suppressible_has_the_template (fst y) _ e (S y I) K).
Qed.
Lemma what_is_emitted_later_is_later : forall b bs x m e, rule_is_fit x -> in_order_of_time x ->
  emission_is_stamped m -> Forall (fun e => keeps (bound_of (bounds_after b) (template e)) e) (arriving bs) ->
  In e (emitted_of [m] (concat (run_rule (fst (after_step b x)) bs (snd (after_step b x))))) ->
  template e = s_emits m /\ keeps (emission_bound (fst x) (bounds_after b) m) e.
Proof.
  intros b bs x m e (Pa & Near & [So Em] & Rep) Ord St Pr J. unfold emitted_of in J. simpl in J. rewrite app_nil_r in J.
  apply in_flat_map in J as (found & If & J).
  destruct (s_generate m (fst found) (snd found)) as [e'|] eqn:G; [|destruct J]. destruct J as [<-|[]].
  destruct (St _ _ _ G) as [T Late]. split; auto. destruct (order_after_step b x Ord) as [Oa Np].
  rewrite Forall_forall in Pr.
  destruct (what_is_reported_later_is_later precedes patience (fst x) Pa Near
    (rule_bound (bounds_after b) (rule_of (fst x))) bs (snd (after_step b x)) found
    (represents_after_step b x Rep) Oa Np) as (z & Q & Ne & F); auto.
  { intros e0 I0 R0. apply keeps_rule_bound; auto. }
  unfold emission_bound. rewrite Q. simpl. specialize (Late _ Ne F). lia.
Qed.
Lemma fed_later_is_later : forall b bs s u e, is_fit s -> suppression_sound u ->
  Forall (fun e => keeps (bound_of (bounds_after b) (template e)) e) (arriving bs) ->
  In e (flat_map fst (feeds (map (after_step b) (its_rules s)) u bs)) ->
  keeps (bound_of_suppression (its_rules s) (bounds_after b) u) e.
Proof.
  intros b bs s u e [F O _ _] Su Pr I. apply (Permutation_in _ (fed_in_all _ _ _)) in I.
  rewrite map_map in I. apply suppressible_in in I as (i & m & x & Im & N & Ix & J).
  unfold suppression_sound in Su. rewrite Forall_forall in F, O, Su. destruct (Su _ Im) as [_ St].
  eapply bound_of_suppression_keeps; eauto. apply (what_is_emitted_later_is_later b bs x m e); auto.
Qed.
Lemma feeds_keep_bounds : forall bs s u, is_fit s -> suppression_sound u -> promises_hold bs ->
  feeds_keep (feeds (its_rules s) u bs).
Proof.
  induction bs as [|b bs IH]; intros s u F Su Pr; simpl; auto. destruct Pr as [Pr Prs]. split.
  - apply Forall_forall. intros e I. eapply fed_later_is_later; eauto.
  - apply (IH (next b s)); auto. apply fit_after_step. auto.
Qed.
Lemma decided_was_fed : forall u fs s d, sorted anchor_rank (inorder (undecided s)) -> In d (concat (run_suppression u
  fs s)) ->
  In (fst d) (flat_map fst fs) \/ In (fst d) (inorder (undecided s)).
Proof.
  intros u. induction fs as [|f fs IH]; intros s d So I; simpl in *; [destruct I|].
  destruct (undecided_after_step precedes Order patience u (snd f) (fst f) s So) as (So' & U & D).
  destruct (step_of_suppression u (snd f) (fst f) s) as [ds s']. simpl in *. rewrite in_app_iff.
  apply in_app_iff in I as [I|I].
  - destruct (D d I); auto.
  - destruct (IH s' d So' I) as [J|J]; auto. destruct (U _ J) as [_ [J'|J']]; auto.
Qed.

(* Specification: production-bound. *)
Lemma promises_above : forall bs s, promises_hold bs -> is_fit s -> promises_hold (batches_above s bs).
Proof.
  induction bs as [|b bs IH]; intros s Pr Fit; [exact I|]. destruct Pr as [Pr Prs].
  cbn [batches_above promises_hold]. split; [|apply IH; auto using fit_after_step].
  apply Forall_forall. intros e I.
  assert (K : keeps (bound_above (next b s) (bounds_after b) (template e)) e).
  { pose proof Fit as [F O S U]. rewrite Forall_forall in F, O, S, U.
    apply (Permutation_in _ (events_above _ _)), in_app_iff in I as [I|I]; [|apply in_app_iff in I as [I|I]].
    - apply bound_above_keeps, bound_of_rules_keeps. rewrite Forall_forall in Pr. auto.
    - apply bound_above_keeps. simpl in I |- *. apply in_flat_map in I as (x' & Ix & J).
      apply in_map_iff in Ix as (x & <- & Ix). unfold emits_in_all, emitted_of in J.
      apply in_flat_map in J as (m & Im & J). destruct (F x Ix) as (Pa & Near & [So Em] & Rep). rewrite Forall_forall
        in Em.
      destruct (what_is_emitted_later_is_later b bs x m e) as [T K]; auto.
      { unfold emitted_of. simpl. rewrite app_nil_r. exact J. }
      rewrite T. apply bound_of_rules_keeps_emitted with (x := after_step b x) (m := m); auto.
      apply in_map. auto.
    - simpl in I. apply in_flat_map in I as (y' & Iy & J). apply in_map_iff in Iy as (y & <- & Iy).
      apply in_map_iff in J as (d & <- & J). apply filter_In in J as [J _]. unfold decides_in_all in J.
      pose proof (undecided_after_step precedes Order patience (fst y) (bound_of_suppression (its_rules s)
        (bounds_after b) (fst y)) (suppressible_of (fst y) (map (found_in_step b) (its_rules s))) (snd y)
        (proj1 (U y Iy))) as (So' & U' & _).
      pose proof (suppressions_in_order _ (fit_after_step b s Fit)) as N. rewrite Forall_forall in N.
      destruct (N (suppressed_after b (its_rules s) y) (in_map _ _ _ Iy)) as [_ T'].
      change (snd (step_of_suppression _ _ _ _)) with (snd (suppressed_after b (its_rules s) y)) in So', U'.
      simpl fst in J. assert (T : template (fst d) = its_template (fst y)).
      { destruct (decided_was_fed _ _ _ d So' J) as [I|I]; [|exact (T' _ I)].
        apply (Permutation_in _ (fed_in_all _ _ _)) in I. eapply suppressible_has_the_template; eauto. }
      rewrite T. apply (bound_above_keeps_passed (next b s) _ _ (suppressed_after b (its_rules s) y)).
      { simpl. apply in_map. auto. }
      simpl. rewrite bound_of_suppression_after.
      apply (what_is_decided_later_is_later precedes Order patience (fst y) _ (feeds (map (after_step b) (its_rules s))
        (fst y) bs) (snd (suppressed_after b (its_rules s) y))); auto.
      + intros e I. apply U'. auto.
      + apply Forall_forall. intros e I. apply fed_later_is_later with (bs := bs); auto. }
  unfold bound_of. simpl. destruct (Nat.lt_ge_cases (template e) (length (bounds_after b))) as [L|L].
  - rewrite (nth_indep _ _ (bound_above (next b s) (bounds_after b) 0)) by (rewrite map_length, seq_length; auto).
    rewrite map_nth, seq_nth by auto. exact K.
  - rewrite nth_overflow by (rewrite map_length, seq_length; auto). apply keeps_any_bound.
Qed.

(* ---- The theorems ------------------------------------------------------------------------------------------------ *)

Lemma suppressible_permuted : forall (u : suppression) a b, Forall2 (@Permutation match_) a b ->
  Permutation (suppressible_of u a) (suppressible_of u b).
Proof.
  intros u a b F. apply flat_map_values. intros [i m] _. apply emitted_of_permuted. simpl. revert i.
  induction F; intros [|i]; simpl; auto.
Qed.
Lemma meaning_permuted : forall p stream stream', Permutation stream stream' ->
  Forall2 (@Permutation match_) (fst (meaning_with_suppression p stream)) (fst (meaning_with_suppression p stream'))
  /\ snd (meaning_with_suppression p stream) = snd (meaning_with_suppression p stream').
Proof.
  induction p as [|s p IH]; simpl; intros stream stream' P; [split; [constructor|auto]|].
  assert (F : Forall2 (@Permutation match_) (map (matches_of_rule precedes stream) (f_rules (fst s)))
    (map (matches_of_rule precedes stream') (f_rules (fst s)))).
  { induction (f_rules (fst s)) as [|r rs IHr]; simpl; constructor; auto. apply matches_permuted; auto. }
  assert (D : map (fun u => decisions u (suppressible_of u (map (matches_of_rule precedes stream) (f_rules (fst s)))))
    (snd s) = map (fun u => decisions u (suppressible_of u (map (matches_of_rule precedes stream') (f_rules (fst s)))))
    (snd s)).
  { apply map_ext. intros u. apply decisions_permuted; auto. apply suppressible_permuted. exact F. }
  rewrite D. match goal with |- context [meaning_with_suppression p (stream ++ ?a ++ ?c)] =>
    match goal with |- context [meaning_with_suppression p (stream' ++ ?b ++ c)] =>
      destruct (IH (stream ++ a ++ c) (stream' ++ b ++ c)) as [H1 H2] end end.
  { apply Permutation_app; auto. apply Permutation_app_tail, flat_map_values. intros r _. apply emitted_of_permuted.
    apply matches_permuted; auto. }
  rewrite H2. split; auto. apply Forall2_app; auto.
Qed.

(* A program as plans and suppressions, from the lowest stratum on, over so many templates. *)
Definition planned_program := list (list (@plan E) * list (@suppression E)).
Definition without_keys (ps : planned_program) : list (@full_stratum E * list suppression) :=
  map (fun s => (FullStratum [] (map (fun p => plain (rule_of p)) (fst s)), snd s)) ps.
Definition at_the_start (ps : planned_program) : list running :=
  map (fun s => Running (map (fun p => (p, started p)) (fst s)) (map (fun u => (u, nothing_suppressed u)) (snd s))) ps.
Definition stratum_passes (number : nat) (s : list (@plan E) * list (@suppression E)) : Prop :=
  Forall (fun p => plan_passes number p = true /\ plan_sound p) (fst s) /\ Forall suppression_sound (snd s).
Definition all_have_ended (number : nat) (bs : list batch) : Prop := exists before_ b, bs = before_ ++ [b] /\
  length (bounds_after b) = number /\ Forall (fun x => x = None) (bounds_after b).

Lemma none_when_ended : forall number bs r, length bs = number -> Forall (fun x => x = None) bs ->
  forallb (fun t => Nat.ltb t number) (templates_read r) = true -> rule_bound bs r = None.
Proof.
  intros number bs r L F R. unfold rule_bound. rewrite Forall_forall in F.
  induction (templates_read r) as [|t l IH]; simpl in *; auto. apply andb_true_iff in R as [R R']. apply Nat.ltb_lt in
    R.
  rewrite IH by auto. unfold bound_of. rewrite (F (nth t bs (Some (- horizon)))) by (apply nth_In; lia). auto.
Qed.
Definition reads_what_there_is (number : nat) (x : plan * rule_state) : Prop :=
  forallb (fun t => Nat.ltb t number) (templates_read (rule_of (fst x))) = true.
Lemma no_bound_of_suppression_when_ended : forall number bs rs u, length bs = number -> Forall (fun x => x = None) bs ->
  Forall (reads_what_there_is number) rs -> bound_of_suppression rs bs u = None.
Proof.
  intros number bs rs u L F R. unfold bound_of_suppression. rewrite Forall_forall in R.
  induction (suppressible u) as [|z l IH]; simpl; auto. rewrite IH. destruct (nth_error rs (fst z)) as [x|] eqn:N; auto.
  unfold emission_bound. rewrite (none_when_ended number); auto. apply R. eapply nth_error_In; eauto.
Qed.
Lemma reads_after_step : forall number b rs, Forall (reads_what_there_is number) rs ->
  Forall (reads_what_there_is number) (map (after_step b) rs).
Proof. intros. apply Forall_map. auto. Qed.
Lemma ended_above : forall number bs s, all_have_ended number bs -> Forall (reads_what_there_is number) (its_rules s) ->
  all_have_ended number (batches_above s bs).
Proof.
  intros number bs s (before_ & b & -> & L & F). revert s. induction before_ as [|c before_ IH]; simpl; intros s R.
  - exists [], (above_of b s). split; auto. simpl. rewrite map_length, seq_length. split; auto.
    apply Forall_map, Forall_forall. intros t I. apply in_seq in I.
    assert (B : bound_of (bounds_after b) t = None).
    { unfold bound_of. rewrite Forall_forall in F. apply F, nth_In. lia. }
    assert (P : bound_of_rules (its_rules (next b s)) (bounds_after b) t = None).
    { unfold bound_of_rules. rewrite B. pose proof (reads_after_step number b _ R) as R'. simpl.
      induction R' as [|x rs Rx R' IHr]; simpl; auto. rewrite IHr.
      induction (k_emissions (rule_of (fst x))) as [|m ms IHm]; simpl; auto. rewrite IHm.
      destruct (Nat.eqb (s_emits m) t); auto. unfold emission_bound.
      rewrite (none_when_ended number); auto. }
    unfold bound_above. rewrite P. generalize (its_suppressions (next b s)). induction l as [|y l IHl]; auto.
    cbn [fold_right]. rewrite IHl. destruct (Nat.eqb _ t); auto. simpl.
    rewrite (no_bound_of_suppression_when_ended number); auto using reads_after_step.
  - destruct (IH (next c s) (reads_after_step number c _ R)) as (before' & b' & Q & H).
    exists (above_of c s :: before'), b'. rewrite Q. auto.
Qed.
Lemma last_bound_ended : forall p number bs b, all_have_ended number bs ->
  forallb (fun t => Nat.ltb t number) (templates_read (rule_of p)) = true -> last_bound p b bs = None.
Proof.
  intros p number bs b (before_ & l & -> & L & F) R. revert b. induction before_ as [|c before_ IH]; simpl; intros b.
  - rewrite (none_when_ended number) by auto. destruct b; auto.
  - apply IH.
Qed.
Lemma feeds_end : forall number bs rs u b, all_have_ended number bs -> Forall (reads_what_there_is number) rs ->
  bound_after b (feeds rs u bs) = None.
Proof.
  intros number bs rs u b (before_ & l & -> & L & F). revert b rs.
  induction before_ as [|c before_ IH]; simpl; intros b rs R.
  - rewrite (no_bound_of_suppression_when_ended number) by auto. destruct b; auto.
  - apply IH. apply reads_after_step. auto.
Qed.

Lemma all_alike : forall A B (f g : A -> list B) l, (forall x, In x l -> Permutation (f x) (g x)) ->
  Forall2 (@Permutation B) (map f l) (map g l).
Proof. induction l as [|x l IH]; simpl; intros H; constructor; auto. Qed.
(* What one stratum reports and decides on. *)
Lemma a_stratum_reports_the_meaning : forall number ps us bs, stratum_passes number (ps, us) -> promises_hold bs ->
  all_have_ended number bs ->
  let s := Running (map (fun p => (p, started p)) ps) (map (fun u => (u, nothing_suppressed u)) us) in
  let meant := map (matches_of_rule precedes (arriving bs)) (map (fun p => plain (rule_of p)) ps) in
  is_fit s /\ Forall (reads_what_there_is number) (its_rules s) /\
  Forall2 (@Permutation match_) (map (fun x => concat (run_rule (fst x) bs (snd x))) (its_rules s)) meant /\
  Forall2 (@Permutation decision) (map (decides_in_all (its_rules s) bs) (its_suppressions s))
    (map (fun u => decisions u (suppressible_of u meant)) us).
Proof.
  intros number ps us bs [Ok Sus] Pr En s meant. simpl in Ok, Sus.
  assert (Reads : Forall (reads_what_there_is number) (its_rules s)).
  { apply Forall_map. eapply Forall_impl; [|exact Ok]. intros p [Pa _]. apply andb_true_iff in Pa. apply Pa. }
  assert (Fit_ : is_fit s).
  { split; apply Forall_map.
    - eapply Forall_impl; [|exact Ok]. intros p [Pa [So Em]]. apply andb_true_iff in Pa as [Pa _]. apply andb_true_iff
      in Pa as [Pa Near].
      split; [exact Pa|]. split; [exact Near|]. split; [split; auto|]. apply started_represents.
    - apply Forall_forall. intros p _. exact I.
    - exact Sus.
    - apply Forall_forall. intros u _. split; [exact I|intros e []]. }
  assert (Found : Forall2 (@Permutation match_) (map (fun x => concat (run_rule (fst x) bs (snd x))) (its_rules s))
    meant).
  { unfold meant. simpl. rewrite !map_map. clear Fit_ Reads. induction Ok as [|p ps' [Pa [So _]] Ok IH]; simpl;
      constructor; auto. apply andb_true_iff in Pa as [Pa Re]. apply andb_true_iff in Pa as [Pa _].
    rewrite (a_run_of_a_rule precedes Order patience p Pa So bs [] (Some (- horizon)) (started p)); auto.
    - simpl. rewrite <- matches_by_anchor. auto.
    - split; [apply started_represents| |exact I|simpl; auto]. eapply Forall_impl; [|apply started_unwatched].
      intros w Hw. split; rewrite Hw; simpl; auto.
    - intros e _ _. apply keeps_any_bound.
    - eapply last_bound_ended; eauto. }
  split; [exact Fit_|]. split; [exact Reads|]. split; [exact Found|].
  change (its_suppressions s) with (map (fun u => (u, nothing_suppressed u)) us). rewrite map_map.
  assert (Each : forall u, In u us -> Permutation (decides_in_all (its_rules s) bs (u, nothing_suppressed u))
    (decisions u (suppressible_of u meant))).
  { intros u I. rewrite Forall_forall in Sus. specialize (Sus u I).
    assert (Q : decisions u (flat_map fst (feeds (its_rules s) u bs)) = decisions u (suppressible_of u meant)).
    { etransitivity; [apply decisions_permuted; [auto|apply fed_in_all]|].
      apply decisions_permuted, suppressible_permuted, Found. auto. }
    rewrite <- Q, <- (app_nil_r (decides_in_all _ _ _)).
    apply (all_decisions_are_those_of_the_definition precedes Order Timely patience u (feeds (its_rules s) u bs) []
      (Some (- horizon)) (nothing_suppressed u)).
    - apply nothing_suppressed_yet.
    - apply Forall_forall. intros e _. apply keeps_any_bound.
    - apply feeds_keep_bounds; auto.
    - eapply feeds_end; eauto.
    - apply Forall_forall. intros e J. apply (Permutation_in _ (fed_in_all _ _ _)) in J.
      eapply suppressible_has_the_template; eauto. }
  apply all_alike. exact Each.
Qed.

Lemma sizes_at_the_start : forall ps, sizes rules_in (at_the_start ps) = length (flat_map fst ps) /\
  sizes suppressions_in (at_the_start ps) = length (flat_map snd ps).
Proof.
  unfold sizes, at_the_start, rules_in, suppressions_in. induction ps as [|s ps [H1 H2]]; simpl; auto.
  rewrite !app_length, !map_length, <- H1, <- H2. auto.
Qed.
Lemma found_sized : forall b s, length (found_by b s) = rules_in s /\ rules_in (next b s) = rules_in s.
Proof. intros. unfold found_by, rules_in. simpl. rewrite !map_length. auto. Qed.
Lemma decided_sized : forall b s, length (decided_by b s) = suppressions_in s /\
  suppressions_in (next b s) = suppressions_in s.
Proof. intros. unfold decided_by, suppressions_in. simpl. rewrite !map_length. auto. Qed.

(* Specification: sound-agrees, strata-in-order, meaning-rule, suppression. For sources that keep their promises and
   end,
   in whatever batches their events come: each rule has reported exactly its matches, each once, with their sets; and of
   the events of each emission with `once` it has let pass exactly those that pass, and suppressed the others. *)
Theorem the_evaluator_reports_exactly_the_meaning : forall number ps bs,
  Forall (stratum_passes number) ps -> promises_hold bs -> all_have_ended number bs ->
  let reported := run_strata bs (at_the_start ps) in
  let meant := meaning_with_suppression (without_keys ps) (arriving bs) in
  Forall2 (@Permutation match_) (in_total (length (flat_map fst ps)) (map fst reported)) (fst meant) /\
  Forall2 (@Permutation decision) (in_total (length (flat_map snd ps)) (map snd reported)) (snd meant).
Proof.
  intros number ps bs Ok Pr En. cbv zeta. destruct (a_run_of_strata_is bs (at_the_start ps)) as [-> ->].
  destruct (sizes_at_the_start ps) as [<- <-]. revert bs Pr En. induction Ok as [|[rs us] ps Okr Ok IH]; intros bs Pr
    En.
  - assert (Z0 : forall A (l : list (list (list A))), in_total 0 l = []).
    { induction l as [|a l IHl]; simpl; auto. rewrite IHl. unfold joined_by_rule. destruct a; auto. }
    unfold sizes. simpl. rewrite !Z0. split; constructor.
  - destruct (a_stratum_reports_the_meaning number rs us bs Okr Pr En) as (Fit_ & Reads & Found & Decided).
    set (s := Running _ _) in *. change (at_the_start ((rs, us) :: ps)) with (s :: at_the_start ps).
    rewrite (totals_of_strata found_by rules_in), (totals_of_strata decided_by suppressions_in)
      by (intros; apply found_sized || apply decided_sized).
    rewrite what_a_stratum_finds, what_a_stratum_decides.
    destruct (IH (batches_above s bs)) as [H1 H2].
    { apply promises_above; auto. }
    { apply ended_above; auto. }
    cbn [without_keys map meaning_with_suppression fst snd f_rules].
    set (meant := map (matches_of_rule precedes (arriving bs)) _) in *.
    assert (Ev : Permutation (arriving (batches_above s bs)) (arriving bs
      ++ flat_map (fun r => emitted_of (f_emissions r) (matches_of_rule precedes (arriving bs) r))
          (map (fun p => plain (rule_of p)) rs)
      ++ flat_map passed (map (fun u => decisions u (suppressible_of u meant)) us))).
    { rewrite events_above. apply Permutation_app_head, Permutation_app.
      - rewrite !(flat_map_concat_map _ (map _ rs)), !map_map, <- !flat_map_concat_map. simpl its_rules.
        rewrite (flat_map_concat_map _ (map _ rs)), map_map, <- flat_map_concat_map.
        apply flat_map_values. intros p I. unfold emits_in_all. apply emitted_of_permuted. simpl.
        clear - I Found. unfold s, meant in Found. simpl in Found. rewrite !map_map in Found.
        induction rs as [|q rs IHr]; [destruct I|]. inversion Found; subst. destruct I as [->|I]; auto.
      - clear - Decided. simpl its_suppressions in Decided |- *. revert Decided. generalize (its_rules s). intros l.
        rewrite map_map, (flat_map_concat_map _ (map _ us)), map_map, <- flat_map_concat_map. intros D.
        rewrite (flat_map_concat_map _ (map _ us)), map_map, <- flat_map_concat_map.
        induction us as [|u us IHu]; simpl; auto. inversion D; subst. apply Permutation_app; auto.
        unfold passed. apply Permutation_map, filter_permuted. auto. }
    destruct (meaning_permuted (without_keys ps) _ _ Ev) as [M1 M2].
    split; apply Forall2_app; auto.
    + clear - H1 M1. revert H1 M1. fold (without_keys ps).
      generalize (fst (meaning_with_suppression (without_keys ps) (arriving (batches_above s bs)))).
      intros l R. match goal with |- Forall2 _ _ ?x -> _ => generalize x end.
      induction R as [|x y xs ys P F IHF]; intros l' M; inversion M; subst; constructor; auto.
      etransitivity; eauto.
    + fold (without_keys ps). rewrite <- M2. exact H2.
Qed.

(* Specification: sound-agrees, terminal-nodes, suppression-decided. Whatever it has reported is in the meaning of every
   continuation, and whatever it has decided is decided so there. *)
Theorem the_evaluator_reports_nothing_early : forall number ps bs more,
  Forall (stratum_passes number) ps -> promises_hold (bs ++ more) -> all_have_ended number (bs ++ more) ->
  let reported := run_strata bs (at_the_start ps) in
  let meant := meaning_with_suppression (without_keys ps) (arriving (bs ++ more)) in
  Forall2 (fun found r => exists rest, Permutation (found ++ rest) r)
    (in_total (length (flat_map fst ps)) (map fst reported)) (fst meant) /\
  Forall2 (fun found r => exists rest, Permutation (found ++ rest) r)
    (in_total (length (flat_map snd ps)) (map snd reported)) (snd meant).
Proof.
  intros number ps bs more Ok Pr En.
  pose proof (the_evaluator_reports_exactly_the_meaning number ps (bs ++ more) Ok Pr En) as [T1 T2].
  cbv zeta. destruct (a_run_of_strata_is bs (at_the_start ps)) as [-> ->].
  destruct (a_run_of_strata_is (bs ++ more) (at_the_start ps)) as [Q1 Q2]. rewrite Q1 in T1. rewrite Q2 in T2.
  destruct (sizes_at_the_start ps) as [S1 S2]. rewrite <- S1, <- S2 in *.
  split; eapply what_was_reported_is_part; eauto; intros; apply found_sized || apply decided_sized.
Qed.

End Strata.
