(* What flows is part of what may match, and what is stored is part of what came (specification: size-viable). *)
From Parte Require Export Lags.

Section Parts.
Context {E : Events}.

Lemma part_of_filters : forall A (f : A -> bool) a b, part_of a b -> part_of (filter f a) b.
Proof. intros. eapply part_of_trans; [apply part_of_filter|auto]. Qed.
Lemma part_of_permutation : forall A (a b l : list A), Permutation a b -> part_of b l -> part_of a l.
Proof. intros A a b l P [r Q]. exists r. rewrite P. auto. Qed.
Lemma part_of_prod : forall (a a' b b' : list partial), part_of a a' -> part_of b b' ->
  part_of (list_prod a b) (list_prod a' b').
Proof.
  intros a a' b b' [r P] [s Q].
  assert (L : forall (x y z : list partial), list_prod (x ++ y) z = list_prod x z ++ list_prod y z).
  { induction x as [|e x IH]; intros y z; simpl; auto. rewrite IH, app_assoc. auto. }
  apply part_of_trans with (list_prod a b').
  - assert (G : forall x : list partial, part_of (list_prod x b) (list_prod x b')).
    { induction x as [|e x IH]; simpl; [apply part_of_refl|]. apply part_of_app; auto. apply part_of_map. exists s.
      auto. }
    apply G.
  - exists (list_prod r b'). rewrite <- L. apply list_prod_permutation; auto.
Qed.
Lemma part_of_joined : forall minima maxima own a a' b b', part_of a a' -> part_of b b' ->
  part_of (joined minima maxima own a b) (joined minima maxima own a' b').
Proof. intros. unfold joined. apply part_of_map, part_of_filtered, part_of_prod; auto. Qed.


Section Run.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variables (late : nat -> Z) (limit : nat -> limits).
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token).
Hypothesis X : explained net queues c logs sent arrived.
Notation slots_are_its_queues := (slots_are_its_queues net reach Net).
Notation pattern := (pattern net).
Notation value := (value net queues).
Notation flows := (flows net queues late limit).

Definition may_be (j : nat) (P : list partial -> Prop) : Prop := forall v, nth_error net j = Some v ->
  P (payloads (computed_by (kind_of v) (logs j))).
(* PARTE/PROP: what a slot has taken is part of what its source has sent. *)
Lemma a_slot_is_part_of_its_source : forall i v k j u, nth_error net i = Some v ->
  nth_error (sources v) k = Some (Internal j) -> nth_error net j = Some u ->
  part_of (payloads (taken k (logs i))) (payloads (computed_by (kind_of u) (logs j))).
Proof.
  intros i v k j u V S U. assert (R : reads net i k (Internal j) = true) by (apply reads_spec; eauto).
  unfold computed_by. rewrite (the_data _ _ _ _ _ _ X j u U). simpl.
  pose proof (the_inboxes _ _ _ _ _ _ X i k _ R) as I. simpl in I. rewrite <- I, !payloads_app, <- app_assoc.
  apply part_of_app_left.
Qed.
Lemma its_source_is_there : forall i v k j, nth_error net i = Some v -> nth_error (sources v) k = Some (Internal j) ->
  exists u, nth_error net j = Some u.
Proof.
  intros i v k j V S. destruct (its_sources _ _ i v (Net i v V) j) as (_ & u & U & _); [eapply nth_error_In; eauto|].
  eauto.
Qed.
Lemma a_slot_is_part : forall i v k j, nth_error net i = Some v -> nth_error (sources v) k = Some (Internal j) ->
  may_be j (fun ps => part_of ps (value j)) -> part_of (payloads (taken k (logs i))) (value j).
Proof.
  intros i v k j V S H. destruct (its_source_is_there i v k j V S) as [u U].
  eapply part_of_trans; [eapply a_slot_is_part_of_its_source; eauto|apply (H u U)].
Qed.
Lemma what_an_entry_sends_is_part : forall e n slots qs, nth_error net e = Some (Vertex (Entry n slots) (map External
  qs))
  -> part_of (payloads (computed_by (Entry n slots) (logs e))) (value e).
Proof.
  intros e n slots qs V. destruct (slots_are_its_queues e n slots qs V) as [Ls _].
  unfold Flows.value. rewrite (value_at net queues reach Net e _ V). unfold valued. simpl.
  unfold computed_by. rewrite entry_payloads. apply part_of_filtered.
  pose proof (the_slots _ _ _ _ _ _ X e _ V) as Sl. simpl in Sl. rewrite map_length, <- Ls in Sl.
  eapply part_of_permutation; [apply payloads_permutation, (by_slots _ _ Sl)|]. rewrite payloads_flat_map.
  assert (G : forall ks, (forall k, In k ks -> (k < slots)%nat) -> part_of (flat_map (fun k => payloads (taken k (logs
    e))) ks) (flat_map (fun k => looked_up queues (values queues net) (nth_error (map External qs) k)) ks)).
  { induction ks as [|k ks IH]; intros H; simpl; [apply part_of_refl|]. apply part_of_app.
    2: { apply IH. intros k' I. apply H. simpl. auto. }
    specialize (H k ltac:(simpl; auto)). destruct (nth_error qs k) as [q|] eqn:Q; [|apply nth_error_None in Q; lia].
    rewrite nth_error_map, Q. simpl.
    assert (R : reads net e k (External q) = true).
    { apply reads_spec. eexists. split; [exact V|]. simpl. rewrite nth_error_map, Q. auto. }
    pose proof (the_inboxes _ _ _ _ _ _ X e k _ R) as I. simpl in I. pose proof (the_queues _ _ _ _ _ _ X q) as A.
    rewrite <- A, <- I, !payloads_app, <- app_assoc. apply part_of_app_left. }
  apply G. intros k I. apply in_seq in I. lia.
Qed.
Lemma what_a_pattern_sends_is_part : forall j qs, pattern j qs -> may_be j (fun ps => part_of ps (value j)).
Proof.
  intros j qs (own & e & n & slots & V & Ve) u U. assert (u = Vertex (Alpha own) [Internal e]) by congruence. subst u.
  unfold Flows.value. rewrite (value_at net queues reach Net j _ V). unfold valued. simpl.
  unfold computed_by. rewrite (run_answered (alpha_answer own)) by (intros ? ? ?; auto). simpl. rewrite alpha_payloads.
  pose proof (the_slots _ _ _ _ _ _ X j _ V) as Sl. simpl in Sl. rewrite (one_slot _ Sl). apply part_of_filtered.
  apply (a_slot_is_part j _ 0 e V eq_refl). intros u U'. assert (u = Vertex (Entry n slots) (map External qs)) by
    congruence. subst u. eapply what_an_entry_sends_is_part; eauto.
Qed.
Lemma a_slot_may_be : forall i v k j ls P L, flows j ls P L -> nth_error net i = Some v ->
  nth_error (sources v) k = Some (Internal j) -> may_be j P -> P (payloads (taken k (logs i))).
Proof.
  intros i v k j ls P L F V S H. destruct (its_source_is_there i v k j V S) as [u U].
  eapply (a_part_may_come net queues late limit); [exact F|eapply a_slot_is_part_of_its_source; eauto|apply (H u U)].
Qed.
Lemma its_honest_log : forall i k minima maxima j j', nth_error net i = Some (Vertex k [Internal j; Internal j']) ->
  two_sided k minima maxima -> Forall (fun x => fst x < 2)%nat (logs i) /\ honest (length minima) (taken 0 (logs i)) /\
  honest 1 (taken 1 (logs i)).
Proof.
  intros i k minima maxima j j' V Two. destruct (windows_of net reach Net i k minima maxima j j' V Two) as (W & _).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl Hh] _]. rewrite W in Sl, Hh.
  split; [exact Sl|]. split; [apply (Hh 0%nat)|apply (Hh 1%nat)]; auto.
Qed.
Lemma one_slot_taken : forall i k j, nth_error net i = Some (Vertex k [Internal j]) -> map snd (logs i) =
  taken 0 (logs i).
Proof. intros i k j V. pose proof (the_slots _ _ _ _ _ _ X i _ V) as Sl. apply one_slot. exact Sl. Qed.
(* PARTE/ENTRY, PARTE/ALPHA-MATCH, PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*, PARTE/PROD (specification: size-viable). *)
Theorem what_flows_may_be : forall j ls P L, flows j ls P L -> may_be j P.
Proof.
  intros j ls P L F.
  induction F as [j qs Pt|i mi ma own j k ls lag P Q L R V FL IL FR IR|i mi ma own j k ls qs most P L V FL IL Pt _ _
    |i mi ma own j k ls qs most P L V FL IL Pt _ _|i w own j ls P L V FL IL|a e i own n g ab al j ls lag P L V Ve Vi FL
    IL Nn At].
  - apply (what_a_pattern_sends_is_part j qs Pt).
  - intros u U. rewrite V in U. injection U as <-. cbn [kind_of].
    assert (Two : two_sided (TwoInput false mi ma own) mi ma) by (left; eauto).
    destruct (windows_of net reach Net i _ mi ma j k V Two) as (_ & N & Sw).
    destruct (its_honest_log i _ mi ma j k V Two) as (Sl & H0 & H1).
    destruct (initial_ready mi ma own false (logs i) H0 H1 Sl) as [Rd _].
    exists (lefts (logs i)), (rights (logs i)). split; [|split].
    + apply (a_slot_may_be i _ 0 j ls P L FL V eq_refl IL).
    + apply (a_slot_may_be i _ 1 k [lag] Q R FR V eq_refl IR).
    + exists []. rewrite app_nil_r. apply (a_join_sends_exactly_the_pairs_that_match mi ma own N Sw _ Rd).
  - intros u U. rewrite V in U. injection U as <-. cbn [kind_of].
    assert (Two : two_sided (TwoInput true mi ma own) mi ma) by (left; eauto).
    destruct (windows_of net reach Net i _ mi ma j k V Two) as (_ & N & Sw).
    destruct (its_honest_log i _ mi ma j k V Two) as (Sl & H0 & H1).
    destruct (initial_ready mi ma own true (logs i) H0 H1 Sl) as [Rd _].
    eapply (a_part_may_come net queues late limit); [exact FL| |apply (a_slot_may_be i _ 0 j ls P L FL V eq_refl IL)].
    eapply part_of_trans; [|apply (part_of_filter _ (undefeated mi ma own (rights (logs i))))].
    eexists. apply (a_negation_releases_or_keeps_exactly_what_is_undefeated mi ma own N Sw _ Rd).
  - intros u U. rewrite V in U. injection U as <-. cbn [kind_of].
    assert (Two : two_sided (Collecting mi ma own) mi ma) by (right; eauto).
    destruct (windows_of net reach Net i _ mi ma j k V Two) as (_ & N & Sw).
    destruct (its_honest_log i _ mi ma j k V Two) as (Sl & H0 & H1).
    destruct (collect_initial_ready mi ma own (logs i) H0 H1 Sl) as [Rd _].
    exists (lefts (logs i)), (rights (logs i)). split; [apply (a_slot_may_be i _ 0 j ls P L FL V eq_refl IL)|].
    eexists. apply (a_set_node_sends_or_keeps_each_match_with_its_set mi ma own N Sw _ Rd).
  - intros u U. rewrite V in U. injection U as <-. cbn [kind_of].
    unfold computed_by. rewrite (run_answered (filter_answer own)) by (intros ? ? ?; auto). simpl.
    rewrite filter_payloads, (one_slot_taken i _ j V).
    eapply (a_part_may_come net queues late limit); [exact FL|apply part_of_filter|].
    apply (a_slot_may_be i _ 0 j ls P L FL V eq_refl IL).
  - intros u U. rewrite V in U. injection U as <-. cbn [kind_of].
    exists (payloads (taken 0 (logs i))). split; [apply (a_slot_may_be i _ 0 j ls P L FL Vi eq_refl IL)|].
    unfold computed_by. rewrite (run_answered (alpha_answer own)) by (intros ? ? ?; auto). simpl.
    rewrite alpha_payloads, (one_slot_taken a _ e V). apply part_of_filters.
    eapply part_of_trans; [apply (a_slot_is_part_of_its_source a _ 0 e _ V eq_refl Ve)|]. cbn [kind_of].
    unfold computed_by. rewrite entry_payloads. apply part_of_filters. rewrite (one_slot_taken e _ i Ve).
    eapply part_of_trans; [apply (a_slot_is_part_of_its_source e _ 0 i _ Ve eq_refl Vi)|]. cbn [kind_of].
    unfold computed_by. rewrite (run_answered (production_answer g ab)) by (intros ? ? ?; auto). simpl.
    rewrite production_payloads, (one_slot_taken i _ j Vi). apply part_of_refl.
Qed.
End Run.

(* PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*: what is stored came. *)
Lemma what_is_stored_is_part : forall k minima maxima l d, two_sided k minima maxima ->
  Forall (fun x => fst x < 2)%nat l -> let d' := fst (run k d l) in
  part_of (left d') (left d ++ lefts l) /\ part_of (right d') (right d ++ rights l).
Proof.
  intros k minima maxima l d Two F. revert d. induction F as [|[slot t] l Hs F IH]; intros d; cbn [run].
  - unfold lefts, rights. simpl. rewrite !app_nil_r. split; apply part_of_refl.
  - assert (Step : let d1 := fst (activate k d slot t) in part_of (left d1) (left d ++ lefts [(slot, t)]) /\
      part_of (right d1) (right d ++ rights [(slot, t)])).
    { assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by (simpl in Hs; lia);
        destruct Two as [([|] & own & ->)|(own & ->)]; cbn [activate].
      all: unfold two_input_step, collect_step; simpl; rewrite ?collect_left_is;
        rewrite ?lefts_left, ?rights_left, ?lefts_right, ?rights_right.
      all: unfold not_left, join_left, not_right, join_right, waiting_after, collect_right, expire_left, expire_right.
      all: unfold lefts, rights, taken, payloads; simpl.
      all: destruct (payload t) as [p|]; simpl; rewrite ?app_nil_r.
      all: try destruct (matching_right _ _ _ _ _); simpl.
      all: try destruct (live_left _ _ _ _); try destruct (live_right _ _ _); simpl.
      all: split; eauto using part_of_refl, part_of_filter, part_of_filters, part_of_app_left, part_of_trans. }
    destruct (activate k d slot t) as [d1 o]. specialize (IH d1). simpl in Step.
    destruct (run k d1 l) as [d2 o']. simpl in IH |- *. destruct IH as [IL IR], Step as [SL SR].
    assert (Eq : forall s, payloads (taken s ((slot, t) :: l)) =
      payloads (taken s [(slot, t)]) ++ payloads (taken s l)).
    { intros s. change ((slot, t) :: l) with ([(slot, t)] ++ l). rewrite taken_app, payloads_app. auto. }
    unfold lefts, rights in *. rewrite !Eq, !app_assoc. split.
    + eapply part_of_trans; [exact IL|]. apply part_of_app; [exact SL|apply part_of_refl].
    + eapply part_of_trans; [exact IR|]. apply part_of_app; [exact SR|apply part_of_refl].
Qed.
End Parts.
