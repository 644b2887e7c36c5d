(* Every run ends: each step takes a token from an earlier place and puts tokens at later ones only, so that no run of a
   network, under whatever schedule and capacities, has more steps than a number that network and sources determine. *)
From Parte Require Export Network.

Section Termination.
Context {E : Events}.

Lemma as_tokens_length : forall results b, (length (as_tokens results b) <= Nat.max 1 (length results))%nat.
Proof.
  assert (L : forall results b, length (in_sequence results b) = length results).
  { induction results; simpl; intros; auto. }
  destruct results as [|r rest]; intros; simpl; auto. rewrite L. lia.
Qed.

Definition stored (d : data) : nat := (length (left d) + length (right d))%nat.
Lemma filter_length : forall A (f : A -> bool) l, (length (filter f l) <= length l)%nat.
Proof. induction l; simpl; auto. destruct (f a); simpl; lia. Qed.

Lemma a_step_is_bounded : forall k d slot t, let '(d', o) := activate k d slot t in
  (length o <= S (stored d) /\ stored d' <= S (stored d))%nat.
Proof.
  intros k d slot t. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n c|g a lag|]; simpl; unfold
    stored.
  - unfold entry_step. destruct (match payload t with Some p => negb (of_template n p) | None => false end); simpl; lia.
  - lia.
  - assert (F : forall f (l : list partial), (length (filter f l) <= length l)%nat) by (intros; apply filter_length).
    assert (Go : let '(d', r) := two_input_change negated minima maxima c d slot t in
      (length r <= length (left d) + length (right d) /\
       length (left d') + length (right d') <= S (length (left d) + length (right d)) \/
       length r <= 1 /\ length (left d') + length (right d') <= S (length (left d) + length (right d)))%nat).
    { unfold two_input_change, join_left, join_right, not_left, not_right, expire_left, expire_right, matching_left,
      matching_right.
      cbv zeta.
      destruct slot; destruct negated; destruct (payload t) as [p|];
        repeat match goal with
        | |- context [match filter ?f ?l with [] => _ | _ :: _ => _ end] => destruct (filter f l)
        | |- context [if ?b then _ else _] => destruct b
        end; cbn [left right left_bounds right_bound reported length fst snd];
        rewrite ?map_length, ?app_length; cbn [length]; unfold partial in *;
        repeat match goal with
        | |- context [length (filter ?f ?l)] =>
            match goal with H : (length (filter f l) <= length l)%nat |- _ => fail 1 | _ => pose proof (F f l) end
        | K : context [length (filter ?f ?l)] |- _ =>
            match goal with H : (length (filter f l) <= length l)%nat |- _ => fail 1 | _ => pose proof (F f l) end
        end; lia. }
    unfold two_input_step. destruct (two_input_change negated minima maxima c d slot t) as [d' r].
    cbv beta iota in Go |- *. pose proof (as_tokens_length r (bounds_after negated d')). lia.
  - assert (F : forall f (l : list partial), (length (filter f l) <= length l)%nat) by (intros; apply filter_length).
    assert (Go : let '(d', r) := collect_change minima maxima c d slot t in
      (length r <= S (length (left d)) /\
       length (left d') + length (right d') <= S (length (left d) + length (right d)))%nat).
    { destruct slot; simpl.
      - rewrite collect_left_is. cbn [left right]. unfold waiting_after, results_on_left.
        pose proof (F (collectable minima maxima c (waiting_after minima maxima d t) (bounds t)) (right d)) as R.
        unfold waiting_after in R. destruct (payload t) as [p|]; [destruct (live_left _ _ _ _)|];
          rewrite ?app_length; cbn [length]; lia.
      - unfold collect_right. cbv zeta. cbn [left right]. unfold expire_left.
        rewrite map_length. split; [pose proof (F (passed maxima (only (bounds t))) (left d)); lia|].
        pose proof (F (fun p => negb (passed maxima (only (bounds t)) p)) (left d)) as L.
        match goal with |- (_ + length (filter ?f ?l) <= _)%nat => pose proof (F f l) as R end.
        destruct (payload t); rewrite ?app_length in R; cbn [length] in R; lia. }
    unfold collect_step. destruct (collect_change minima maxima c d slot t) as [d' r].
    cbv beta iota in Go |- *. pose proof (as_tokens_length r (left_bounds_after d')). lia.
  - lia.
  - lia.
  - unfold terminal_step. cbn [left right length]. lia.
Qed.

Lemma a_log_is_bounded : forall k l d, (length (snd (run k d l)) <= length l * (1 + stored d + length l))%nat.
Proof.
  induction l as [|[slot t] l IH]; intros d; simpl; auto.
  pose proof (a_step_is_bounded k d slot t) as S1. destruct (activate k d slot t) as [d' o].
  specialize (IH d'). destruct (run k d' l) as [d'' o']. simpl snd in *. rewrite app_length.
  assert (M : (length l * (1 + stored d' + length l) <= length l * (2 + stored d + length l))%nat) by (apply
    Nat.mul_le_mono_l; lia).
  change (length ((slot, t) :: l)) with (S (length l)). simpl (S (length l) * _)%nat.
  replace (S (stored d + S (length l)))%nat with (2 + stored d + length l)%nat by lia. lia.
Qed.

Section Runs.
Variables (net : network) (queues : nat -> list token) (reach : Z) (some : nat).
Hypothesis Net : sound_network net reach.
Hypothesis Finite : forall q, (some <= q)%nat -> queues q = [].

Inductive reaches_in (limit : nat -> limits) : nat -> config -> Prop :=
| AtOnce : reaches_in limit 0 (start net queues)
| OneMore : forall n c a c', reaches_in limit n c -> takes net limit c a = Some c' -> reaches_in limit (S n) c'.

Definition summed (f : nat -> nat) (n : nat) : nat := fold_right Nat.add 0%nat (map f (seq 0 n)).
Lemma summed_le : forall f g n, (forall i, (i < n)%nat -> (f i <= g i)%nat) -> (summed f n <= summed g n)%nat.
Proof.
  unfold summed. intros f g n H. assert (H' : forall i, In i (seq 0 n) -> (f i <= g i)%nat) by (intros i I; apply H;
    apply in_seq in I; lia).
  revert H'. generalize (seq 0 n). induction l; simpl; intros H'; auto. specialize (H' a (or_introl eq_refl)) as Ha.
  assert (fold_right Nat.add 0 (map f l) <= fold_right Nat.add 0 (map g l))%nat by (apply IHl; intros; apply H';
    auto). lia.
Qed.
Lemma summed_grown : forall (f g : nat -> nat) n i, (i < n)%nat -> g i = S (f i) -> (forall j, j <> i -> g j = f j) ->
  summed g n = S (summed f n).
Proof.
  unfold summed. intros f g n i L Hi Ho. assert (I : In i (seq 0 n)) by (apply in_seq; lia). pose proof (seq_NoDup n
    0) as N.
  revert I N. generalize (seq 0 n). induction l as [|a l IH]; simpl; intros I N; [contradiction|]. inversion N; subst.
  destruct I as [->|I].
  - rewrite Hi. assert (Eq : map g l = map f l) by (apply map_ext_in; intros b Hb; apply Ho; congruence). rewrite Eq.
    auto.
  - rewrite IH by auto. rewrite (Ho a) by congruence. lia.
Qed.

Definition size (logs : nat -> log) (sent arrived : nat -> list token) : nat :=
  (summed (fun q => length (arrived q)) some + summed (fun i => length (logs i)) (length net) + summed (fun i =>
    length (sent i)) (length net))%nat.

Lemma counted : forall limit n c, reaches_in limit n c -> exists logs sent arrived, explained net queues c logs sent
  arrived /\
  (forall i, (length net <= i)%nat -> outbox c i = []) /\ n = size logs sent arrived.
Proof.
  intros limit n c R. induction R as [|n c a c' R (logs & sent & arrived & X & Out & Sz) T].
  - exists (fun _ => []), (fun _ => []), (fun _ => []). split; [apply start_explained|split; auto].
    unfold size, summed. simpl. assert (Z : forall l, fold_right Nat.add 0%nat (map (fun _ : nat => 0%nat) l) = 0%nat)
      by (induction l; simpl; auto).
    rewrite !Z. auto.
  - destruct (step_explained net queues limit c a c' logs sent arrived X T) as (logs' & sent' & arrived' & X' & G).
    exists logs', sent', arrived'. split; auto. split.
    + intros i L. destruct a as [q|j k|j]; simpl in T.
      * destruct (queue c q); [discriminate|]. destruct (room_at_all net limit c (External q)); inversion T; subst.
        simpl. auto.
      * destruct (nth_error net j) as [v|] eqn:V; [|discriminate]. assert (j < length net)%nat by (apply
        nth_error_Some; congruence).
        destruct (inbox c j k); [discriminate|]. destruct (waits v (limit j) (state c j) k t); [discriminate|].
        destruct (activate (kind_of v) (state c j) k t) as [d o]. destruct (fits_in _ _); inversion T; subst. simpl.
        rewrite updated_other by lia. auto.
      * destruct (outbox c j) eqn:O; [discriminate|]. destruct (room_at_all net limit c (Internal j)); inversion T;
        subst. simpl.
        unfold updated. destruct (Nat.eqb i j) eqn:Q; auto. apply Nat.eqb_eq in Q. subst. rewrite Out in O by auto.
          discriminate.
    + subst n. unfold size. destruct G as [(q & t & -> & -> & -> & Q)|[(i & x & -> & -> & -> & L)|(i & t & -> & -> &
      -> & O)]].
      * assert (q < some)%nat.
        { destruct (Nat.lt_ge_cases q some) as [L|L]; auto. pose proof (the_queues _ _ _ _ _ _ X q) as A. rewrite
          (Finite q L) in A.
          apply app_eq_nil in A. destruct A as [_ A]. congruence. }
        erewrite (summed_grown (fun q0 => length (arrived q0)) (fun q0 => length (updated arrived q (arrived q ++ [t])
          q0)) some q); auto.
        -- rewrite updated_same, app_length. simpl. lia.
        -- intros j N. rewrite updated_other; auto.
      * erewrite (summed_grown (fun i0 => length (logs i0)) (fun i0 => length (updated logs i (logs i ++ [x]) i0))
        (length net) i); auto.
        -- lia.
        -- rewrite updated_same, app_length. simpl. lia.
        -- intros j N. rewrite updated_other; auto.
      * assert (i < length net)%nat.
        { destruct (Nat.lt_ge_cases i (length net)) as [L|L]; auto. rewrite (Out i L) in O. congruence. }
        erewrite (summed_grown (fun i0 => length (sent i0)) (fun i0 => length (updated sent i (sent i ++ [t]) i0))
          (length net) i); auto.
        -- rewrite updated_same, app_length. simpl. lia.
        -- intros j N. rewrite updated_other; auto.
Qed.

Lemma log_by_slots : forall n (l : log), Forall (fun x => fst x < n)%nat l -> length l = summed (fun k => length
  (taken k l)) n.
Proof.
  intros n l F. rewrite <- (map_length snd l), (Permutation_length (by_slots n l F)). unfold summed.
  generalize (seq 0 n). induction l0; simpl; auto. rewrite app_length, IHl0. auto.
Qed.

Lemma logs_bounded : forall m, exists b, forall c logs sent arrived, explained net queues c logs sent arrived ->
  forall i, (i < m)%nat -> (i < length net)%nat -> (length (logs i) <= b /\ length (sent i) <= b)%nat.
Proof.
  induction m as [|m [b IH]].
  - exists 0%nat. intros. lia.
  - destruct (nth_error net m) as [v|] eqn:V.
    + set (most := fun k => match nth_error (sources v) k with Some (External q) => length (queues q) | Some (Internal
      _) => b | None => 0%nat end).
      set (taken_most := summed most (length (sources v))).
      exists (b + taken_most + taken_most * (1 + taken_most))%nat. intros c logs sent arrived X i L Li.
      destruct (Nat.eq_dec i m) as [->|N]; [|destruct (IH c logs sent arrived X i); [lia|auto|lia]].
      assert (Ll : (length (logs m) <= taken_most)%nat).
      { rewrite (log_by_slots _ _ (the_slots _ _ _ _ _ _ X m v V)). apply summed_le. intros k Lk. unfold most.
        destruct (nth_error (sources v) k) as [s|] eqn:S; [|apply nth_error_None in S; lia].
        assert (R : reads net m k s = true) by (apply reads_spec; eauto).
        pose proof (the_inboxes _ _ _ _ _ _ X m k s R) as J. apply (f_equal (@length token)) in J. rewrite app_length
          in J.
        destruct s as [q|j]; simpl in J.
        - pose proof (the_queues _ _ _ _ _ _ X q) as A. apply (f_equal (@length token)) in A. rewrite app_length in A.
          lia.
        - destruct (its_sources _ _ _ _ (Net m v V) j) as (Lt & _); [eapply nth_error_In; eauto|].
          destruct (IH c logs sent arrived X j Lt); lia. }
      pose proof (the_data _ _ _ _ _ _ X m v V) as D. pose proof (a_log_is_bounded (kind_of v) (logs m) (initial
        (kind_of v))) as O.
      rewrite D in O. simpl in O. rewrite app_length in O.
      assert (Z : stored (initial (kind_of v)) = 0%nat) by (destruct (kind_of v); auto). rewrite Z in O.
      assert (M : (length (logs m) * (1 + 0 + length (logs m)) <= taken_most * (1 + taken_most))%nat) by (apply
        Nat.mul_le_mono; lia). lia.
    + exists b. intros c logs sent arrived X i L Li. apply (IH c logs sent arrived X i); auto.
      apply nth_error_None in V. lia.
Qed.

(* PARTE/PROC, PARTE/PROP: under every schedule and all capacities (specification: schedules). *)
Theorem every_run_ends : exists most, forall limit n c, reaches_in limit n c -> (n <= most)%nat.
Proof.
  destruct (logs_bounded (length net)) as (b & B).
  exists (summed (fun q => length (queues q)) some + summed (fun _ => b) (length net) + summed (fun _ => b) (length
    net))%nat.
  intros limit n c R. destruct (counted limit n c R) as (logs & sent & arrived & X & _ & ->). unfold size.
  assert (summed (fun q => length (arrived q)) some <= summed (fun q => length (queues q)) some)%nat.
  { apply summed_le. intros q _. pose proof (the_queues _ _ _ _ _ _ X q) as A. apply (f_equal (@length token)) in A.
    rewrite app_length in A. lia. }
  assert (summed (fun i => length (logs i)) (length net) <= summed (fun _ => b) (length net))%nat.
  { apply summed_le. intros i L. apply (B c logs sent arrived X i L L). }
  assert (summed (fun i => length (sent i)) (length net) <= summed (fun _ => b) (length net))%nat.
  { apply summed_le. intros i L. apply (B c logs sent arrived X i L L). }
  lia.
Qed.

End Runs.
End Termination.
