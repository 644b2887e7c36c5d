(* Space: what a two-input node keeps at any moment may still be met by something to come; nothing is kept longer
   (specification: retention-left, retention-right, repair-store-only-live). *)
From Parte Require Export Network.

Section Space.
Context {E : Events}.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.

(* PARTE/JOIN-*, PARTE/NOT-*, under every schedule and all capacities (specification: retention-left,
   retention-right). A left partial match is kept only while its lifetime is not empty and does
   not end before the bound on right events; a right event only until the latest of the bounds on left events, each plus
   its least distance, has passed it. *)
Theorem nothing_is_kept_longer_than_its_retention : forall limit c, reaches net limit (start net queues) c ->
  forall i v negated minima maxima condition, nth_error net i = Some v -> kind_of v = TwoInput negated minima maxima
    condition ->
  Forall (fun p => opens minima p <= closes maxima p /\ right_bound (state c i) <= closes maxima p) (left (state c i))
    /\
  Forall (fun q => expiration_time (left_bounds (state c i)) minima <= moment q) (right (state c i)).
Proof.
  intros limit c R i v negated minima maxima condition V K.
  destruct (every_configuration_is_explained net queues limit c R) as (logs & sent & arrived & X).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i v V) as [[Hs Hh] _].
  pose proof (its_kind _ _ _ _ (Net i v V)) as W. rewrite K in W. simpl in W. destruct W as (Wd & N & Sw & _).
  rewrite Wd in *.
  assert (H0 : honest (length minima) (taken 0 (logs i))) by (apply (Hh 0%nat); auto).
  assert (H1 : honest 1 (taken 1 (logs i))) by (apply (Hh 1%nat); auto).
  destruct (initial_ready minima maxima condition negated (logs i) H0 H1 Hs) as [Rd St].
  assert (Lv : only_live minima maxima (initial (node minima maxima condition negated))) by (split; constructor).
  pose proof (two_input_after minima maxima condition Sw negated (logs i) _ Rd St Lv) as A.
  pose proof (the_data _ _ _ _ _ _ X i v V) as D. rewrite K in D. unfold node in A. rewrite D in A.
  destruct A as ((Ll & Lr) & _). split.
  - eapply Forall_impl; [|exact Ll]. intros p H. unfold live_left, may_be_met, is_stale in H.
    apply andb_true_iff in H as [H H']. apply Z.leb_le in H. apply negb_true_iff, Z.ltb_ge in H'. auto.
  - eapply Forall_impl; [|exact Lr]. intros q H. unfold live_right, is_stale in H. apply negb_true_iff, Z.ltb_ge in H.
    auto.
Qed.

(* PARTE/SET-*: the same of a set-node,
   where a right event is kept too while a left partial match that waits has it in its window
   (specification: retention-left, retention-right). *)
Theorem a_set_node_keeps_nothing_longer_than_its_retention : forall limit c, reaches net limit (start net queues) c ->
  forall i v minima maxima condition, nth_error net i = Some v -> kind_of v = Collecting minima maxima condition ->
  Forall (fun p => opens minima p <= closes maxima p /\ right_bound (state c i) <= closes maxima p) (left (state c i))
    /\
  Forall (fun q => expiration_time (left_bounds (state c i)) minima <= moment q \/
    exists p, In p (left (state c i)) /\ matches minima maxima condition p q = true) (right (state c i)).
Proof.
  intros limit c R i v minima maxima condition V K.
  destruct (every_configuration_is_explained net queues limit c R) as (logs & sent & arrived & X).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i v V) as [[Hs Hh] _].
  pose proof (its_kind _ _ _ _ (Net i v V)) as W. rewrite K in W. simpl in W. destruct W as (Wd & N & Sw & _).
  rewrite Wd in *.
  assert (H0 : honest (length minima) (taken 0 (logs i))) by (apply (Hh 0%nat); auto).
  assert (H1 : honest 1 (taken 1 (logs i))) by (apply (Hh 1%nat); auto).
  destruct (collect_initial_ready minima maxima condition (logs i) H0 H1 Hs) as [Rd St].
  assert (Lv : only_needed minima maxima condition (initial (set_node minima maxima condition))) by (split;
    constructor).
  pose proof (collect_after minima maxima condition Sw (logs i) _ Rd St Lv) as A.
  pose proof (the_data _ _ _ _ _ _ X i v V) as D. rewrite K in D. unfold set_node in A. rewrite D in A.
  destruct A as ((Ll & Lr) & _). split.
  - eapply Forall_impl; [|exact Ll]. intros p H. unfold live_left, may_be_met, is_stale in H.
    apply andb_true_iff in H as [H H']. apply Z.leb_le in H. apply negb_true_iff, Z.ltb_ge in H'. auto.
  - eapply Forall_impl; [|exact Lr]. intros q H. unfold collectable in H. apply orb_true_iff in H as [H|H].
    + left. unfold live_right, is_stale in H. apply negb_true_iff, Z.ltb_ge in H. auto.
    + right. apply existsb_exists in H. auto.
Qed.

End Space.
