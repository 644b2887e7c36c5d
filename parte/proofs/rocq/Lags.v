(* The bounds of what flows lag by a known time behind the marks (docs/bounds.md, "Lag"; specification:
   propagated-bounds, size-viable). *)
From Parte Require Export Standing.

Section Lags.
Context {E : Events}.

Section Run.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variable late : nat -> Z.
Hypothesis Punctual : forall q, prompt (late q) (- infinity) (queues q).
Variable limit : nat -> limits.
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token) (ml : nat -> marked_log).
Hypothesis X : explained net queues c logs sent arrived.
Hypothesis M : marks_of net queues (length net) logs ml.
Hypothesis Ends : forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity.
Notation logs_of := (logs_of net queues logs ml M).
Notation slot_of := (slot_of net queues logs ml M).
Notation slots_rise := (slots_rise net queues reach Net Own late Punctual c logs sent arrived ml X M).
Notation sources_rise := (sources_rise queues late Punctual).
Notation slots_are_its_queues := (slots_are_its_queues net reach Net).
Notation it_has_the_promises := (it_has_the_promises net queues reach Net Own c logs sent arrived ml X M).
Notation it_answers_each_token_once := (it_answers_each_token_once net queues reach Net Own c logs sent arrived ml X
  M).
Notation pattern := (pattern net).
Notation flows := (flows net queues late limit).

Lemma an_entry_promises_its_mark : forall e n slots qs, nth_error net e = Some (Vertex (Entry n slots) (map External
  qs))
  -> Forall (fun x => bounds (fst x) = [snd x]) (sends net ml e).
Proof.
  intros e n slots qs V. destruct (slots_are_its_queues e n slots qs V) as [Ls _]. unfold sends. rewrite V. simpl.
  unfold slots_of. simpl. rewrite map_length, <- Ls.
  assert (G : forall l b, ml e = l ++ b -> Forall (fun x : marked => bounds (fst x) = [snd x]) (marked_output (Entry n
    slots) slots l)).
  2: { apply (G (ml e) []). rewrite app_nil_r. auto. }
  induction l as [|[s [t g]] l IH] using rev_ind; intros b Eq; [constructor|].
  pose proof (it_has_the_promises e n slots qs V _ _ Eq) as B. rewrite bare_app in B. simpl bare in B.
  rewrite state_snoc in B. rewrite <- app_assoc in Eq.
  eapply (eq_ind_r (Forall _)); [|apply marked_output_snoc]. apply Forall_app. split; [eapply IH; eauto|].
  pose proof (it_answers_each_token_once e n slots qs V (bare l) s t (bare b)) as One.
  rewrite Eq, bare_app in One. specialize (One eq_refl). simpl activate in One, B |- *.
  unfold entry_step in *. destruct (match payload t with Some p => negb (of_template n p) | None => false end);
    [discriminate|].
  simpl in B |- *. rewrite B. constructor; [|constructor]. reflexivity.
Qed.
Lemma a_pattern_promises_its_mark : forall j qs, pattern j qs ->
  Forall (fun x => bounds (fst x) = [snd x]) (sends net ml j).
Proof.
  intros j qs (own_ & e & n & slots & V & Ve). pose proof (an_entry_promises_its_mark e n slots qs Ve) as Fe.
  destruct (slot_of j _ 0 (Internal e) V eq_refl) as [r S]. simpl in S. rewrite <- S in Fe.
  apply Forall_app in Fe as [Fe _]. unfold sends. rewrite V. simpl. unfold slots_of. simpl.
  pose proof (the_slots _ _ _ _ _ _ X j _ V) as Sl. simpl in Sl. rewrite <- (logs_of j _ V) in Sl.
  revert Fe Sl. generalize (ml j). intros l. induction l as [|[s [t g]] l IH] using rev_ind; intros Fe Sl;
    [constructor|].
  rewrite bare_app in Sl. apply Forall_app in Sl as [Sl Sl']. inversion Sl'; subst. simpl in H1.
  replace s with 0%nat in * by lia.
  assert (Q : of_slot 0 (l ++ [(0%nat, (t, g))]) = of_slot 0 l ++ [(t, g)]).
  { pose proof (of_slot_snoc 0 l 0 (t, g)) as Q. exact Q. }
  rewrite Q in Fe. apply Forall_app in Fe as [Fe Ft]. inversion Ft; subst. simpl in H3.
  eapply (eq_ind_r (Forall _)); [|apply marked_output_snoc]. apply Forall_app. split; [apply IH; auto|].
  simpl. constructor; [|constructor]. simpl. rewrite H3. unfold seen_by_all. simpl. unfold seen. f_equal.
  rewrite Q. symmetry. apply (last_mark_snoc (of_slot 0 l) (t, g)).
Qed.


Lemma a_relay : forall i k src f, nth_error net i = Some (Vertex k [src]) -> relays f k (bare (ml i)) ->
  sends net ml i = passed_on f (of_slot 0 (ml i)) /\ exists r, of_slot 0 (ml i) ++ r = comes net queues ml src.
Proof.
  intros i k src f V A. split; [|apply (slot_of i _ 0 src V eq_refl)]. unfold sends. rewrite V. unfold slots_of.
  cbn [kind_of sources length]. apply what_is_relayed. auto.
Qed.
Lemma one_slot_only : forall i k src a s t b, nth_error net i = Some (Vertex k [src]) ->
  bare (ml i) = a ++ (s, t) :: b -> s = 0%nat.
Proof.
  intros i k src a s t b V Eq. pose proof (the_slots _ _ _ _ _ _ X i _ V) as Sl. rewrite <- (logs_of i _ V), Eq in Sl.
  apply Forall_app in Sl as [_ Sl]. inversion Sl; subst. simpl in H1. lia.
Qed.
Lemma an_answering_node_relays : forall i k src f, nth_error net i = Some (Vertex k [src]) -> answered f k ->
  relays f k (bare (ml i)).
Proof.
  intros i k src f V A a s t b Eq. split; [eapply one_slot_only; eauto|]. rewrite A. auto.
Qed.
Definition entered (t : token) : token := Token [only (bounds t)] (payload t).
Lemma an_entry_of_one_relays : forall e n src, nth_error net e = Some (Vertex (Entry n 1) [src]) ->
  relays entered (Entry n 1) (bare (ml e)).
Proof.
  intros e n src V a s t b Eq. pose proof (one_slot_only e _ src a s t b V Eq) as ->. split; auto.
  pose proof (no_stranger_is_taken net queues reach Net Own c logs sent arrived X e _ V) as St. simpl in St.
  pose proof (the_slots _ _ _ _ _ _ X e _ V) as Sl. simpl in Sl.
  rewrite <- (logs_of e _ V), Eq in St, Sl. rewrite map_app, payloads_app in St. apply Forall_app in St as [Sa St].
  apply Forall_app in Sl as [Sl _]. destruct (entry_bounds_are_the_last n 1 a Sl Sa) as [B _].
  simpl activate. unfold entry_step. rewrite B. simpl. unfold payloads in St. simpl in St.
  apply Forall_app in St as [St _]. destruct (payload t) as [p|] eqn:Pt; unfold entered; rewrite Pt; auto.
  inversion St; subst. rewrite H1. auto.
Qed.

Definition lag_by (ls : list Z) (j : nat) : Prop :=
  Forall (fun x => below (behind (snd x) ls) (bounds (fst x))) (sends net ml j).
Lemma a_pattern_lags : forall k qs, pattern k qs -> lag_by [0] k.
Proof.
  intros k qs Pt. eapply Forall_impl; [|apply (a_pattern_promises_its_mark k qs Pt)]. intros x B. rewrite B. simpl.
  constructor; [lia|constructor].
Qed.
Lemma last_bounds_seen : forall i v s j ls l l2, nth_error net i = Some v -> nth_error (sources v) s = Some (Internal
  j) ->
  lag_by ls j -> Forall (fun x => 0 <= x) ls -> ml i = l ++ l2 ->
  below (behind (seen l s) ls) (match last_bounds (taken s (bare l)) with Some b => b | None =>
    repeat (- infinity) (length ls) end).
Proof.
  intros i v s j ls l l2 V S F Nn Eq. rewrite <- of_slot_bare. unfold seen.
  destruct (slot_of i v s (Internal j) V S) as [r Sl]. simpl in Sl. rewrite Eq, of_slot_app, <- app_assoc in Sl.
  unfold lag_by in F. rewrite <- Sl in F. apply Forall_app in F as [F _].
  destruct (of_slot s l) as [|[t g] T _] using rev_ind.
  - simpl. unfold last_mark. simpl. clear - Nn. induction Nn; simpl; constructor; auto. lia.
  - apply Forall_app in F as [_ F]. inversion F; subst. rewrite map_app. simpl. rewrite last_bounds_last.
    rewrite last_mark_snoc. auto.
Qed.

Lemma windows_of : forall i k minima maxima j j', nth_error net i = Some (Vertex k [Internal j; Internal j']) ->
  two_sided k minima maxima ->
  widths net (Vertex k [Internal j; Internal j']) = [length minima; 1%nat] /\ minima <> [] /\
  length maxima = length minima.
Proof.
  intros i k minima maxima j j' V Two. pose proof (its_kind _ _ i _ (Net i _ V)) as W.
  destruct Two as [(negated & own & Eq)|(own & Eq)]; subst k; simpl in W; destruct W as (W & N & Sw & _); auto.
Qed.
Section Two_sided.
Variables (i : nat) (k : kind) (minima maxima : list Z) (j j' : nat) (ls : list Z) (lag : Z).
Hypothesis V : nth_error net i = Some (Vertex k [Internal j; Internal j']).
Hypothesis Two : two_sided k minima maxima.
Hypothesis Wide : length ls = length minima.
Hypothesis Late : Forall (fun x => 0 <= x) ls /\ 0 <= lag.
Hypothesis Left_lags : lag_by ls j.
Hypothesis Right_lags : lag_by [lag] j'.

Lemma its_windows : widths net (Vertex k [Internal j; Internal j']) = [length minima; 1%nat] /\ minima <> [] /\
  length maxima = length minima.
Proof. exact (windows_of i k minima maxima j j' V Two). Qed.
Lemma it_is_ready : ready minima (initial k) (bare (ml i)) /\ stored_widths minima (initial k) /\
  keeps_only_live k minima maxima (initial k).
Proof.
  destruct its_windows as (W & N & Sw). rewrite (logs_of i _ V).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl Hh] _]. simpl in Sl.
  assert (H0 : honest (length minima) (taken 0 (logs i))) by (apply (Hh 0%nat); rewrite W; auto).
  assert (H1 : honest 1 (taken 1 (logs i))) by (apply (Hh 1%nat); rewrite W; auto).
  assert (S : Forall (fun x => fst x < 2)%nat (logs i)) by exact Sl.
  destruct Two as [(negated & own & Eq)|(own & Eq)]; subst k.
  - destruct (initial_ready minima maxima own negated (logs i) H0 H1 S). split; auto. split; auto. split; constructor.
  - destruct (collect_initial_ready minima maxima own (logs i) H0 H1 S). split; auto. split; auto. split; constructor.
Qed.
Lemma the_state_after : forall l l2, ml i = l ++ l2 -> let d := state_after k (bare l) in
  ready minima d (bare l2) /\ keeps_only_live k minima maxima d /\
  standing minima maxima ls lag (seen l 0) (seen l 1) d.
Proof.
  intros l l2 Eq. destruct its_windows as (W & N & Sw). destruct it_is_ready as (Rd & St & Lv).
  rewrite Eq, bare_app in Rd. destruct (ready_after k minima maxima Two Sw _ _ _ Rd St Lv) as (R1 & [R2 R2'] & R3).
  split; auto. split; auto.
  assert (Sl : Forall (fun x => fst x < 2)%nat (bare l)).
  { destruct Rd as (_ & _ & _ & _ & _ & Rd). apply Forall_app in Rd. tauto. }
  destruct (sides_are_the_last k minima maxima Two Sw (bare l) Sl) as [B0 B1].
  destruct Late as [Nl Nr].
  constructor; auto; try exact R2; try exact R2'; [| |eapply a_left_is_live; eauto].
  - rewrite B0, <- Wide. eapply last_bounds_seen; eauto. reflexivity.
  - rewrite B1. pose proof (last_bounds_seen i _ 1 j' [lag] l l2 V eq_refl Right_lags ltac:(repeat constructor; auto)
      Eq) as B. unfold last_promise. destruct (last_bounds (taken 1 (bare l))) as [b|]; simpl in B.
    + inversion B; subst. simpl. auto.
    + inversion B; subst. auto.
Qed.
Lemma nobody_has_seen_more_than_infinity : forall l l2 s, ml i = l ++ l2 -> (s < 2)%nat -> seen l s <= infinity.
Proof.
  intros l l2 s Eq L. destruct (a_slot_is_read net i _ s V L) as [src R].
  pose proof (nobody_has_seen_more net queues reach Net Own c logs sent arrived X ml M sources_rise Ends i s src R) as
    H.
  eapply Z.le_trans; [|exact H]. unfold seen. rewrite Eq, of_slot_app. apply rise_last. rewrite <- of_slot_app, <- Eq.
  apply (slots_rise i _ s V). simpl. lia.
Qed.
Definition its_lags : list Z :=
  match k with
  | TwoInput false _ _ _ => stored_lags ls lag maxima ++ [Z.max lag (lowest (pairwise Z.sub ls minima))]
  | _ => stored_lags ls lag maxima end.
Lemma its_bounds_lag : forall l l2, ml i = l ++ l2 ->
  below (behind (seen_by_all 2 l) its_lags) (out_bounds k (state_after k (bare l))).
Proof.
  intros l l2 Eq. destruct its_windows as (_ & N & Sw). destruct (the_state_after l l2 Eq) as (_ & Lv & S).
  pose proof (lowest_of_all (seen l) 2 0 ltac:(lia)) as M0. pose proof (lowest_of_all (seen l) 2 1 ltac:(lia)) as M1.
  fold (seen_by_all 2 l) in M0, M1.
  pose proof (nobody_has_seen_more_than_infinity l l2 0 Eq ltac:(lia)) as Fin. destruct Late as [Nl Nr].
  assert (A : below (behind (seen_by_all 2 l) (stored_lags ls lag maxima))
    (left_bounds_after (state_after k (bare l)))) by (eapply a_left_side_lags; eauto; lia).
  unfold its_lags, out_bounds. destruct Two as [(negated & own & Eqk)|(own & Eqk)]; rewrite Eqk in Lv, S, A |- *; auto.
  destruct negated; auto. unfold bounds_after, joined_bounds_after, behind. rewrite map_app. apply below_app; auto.
  eapply a_right_side_lags; eauto; try lia. eapply Forall_impl; [|apply Lv]. intros q H. unfold live_right, is_stale
    in H.
  apply negb_true_iff, Z.ltb_ge in H. auto.
Qed.
Lemma what_it_sends_lags : lag_by its_lags i.
Proof.
  destruct its_windows as (_ & N & Sw). unfold lag_by, sends. rewrite V. unfold slots_of. cbn [kind_of sources length].
  assert (G : forall l l2, ml i = l ++ l2 -> Forall (fun x : marked => below (behind (snd x) its_lags) (bounds (fst
    x)))
    (marked_output k 2 l)).
  2: { apply (G (ml i) []). rewrite app_nil_r. auto. }
  induction l as [|[s [t g]] l IH] using rev_ind; intros l2 Eq; [constructor|].
  rewrite marked_output_snoc. pose proof Eq as Eq'. rewrite <- app_assoc in Eq'. apply Forall_app. split; [eauto|].
  pose proof (its_bounds_lag _ _ Eq') as Before. pose proof (its_bounds_lag _ _ Eq) as After.
  rewrite bare_app in After. simpl bare in After. rewrite state_snoc in After.
  destruct (the_state_after _ _ Eq') as (Rd & _ & S). simpl in Rd.
  assert (St : stored_widths minima (state_after k (bare l))) by (split; apply S).
  assert (Hs : (s < 2)%nat) by (destruct (two_slots minima maxima Sw _ _ _ _ Rd); lia).
  assert (Mono : seen_by_all 2 l <= seen_by_all 2 (l ++ [(s, (t, g))])).
  { apply known_grows; [lia|]. intros s' L'. pose proof (slots_rise i _ s' V ltac:(simpl; lia)) as Ri.
    rewrite Eq, of_slot_app in Ri. eapply rise_prefix; eauto. }
  assert (Step : exists results, snd (activate k (state_after k (bare l)) s t) =
      as_tokens results (out_bounds k (fst (activate k (state_after k (bare l)) s t))) /\
    Forall (kept_by (out_bounds k (state_after k (bare l)))) results).
  { revert Rd St. unfold out_bounds.
    destruct Two as [(negated & own & ->)|(own & ->)]; intros Rd St; cbn [activate].
    - pose proof (change_from minima maxima own Sw negated (state_after (TwoInput negated minima maxima own) (bare l))
      s
        t (bare l2) Hs) as C. unfold two_input_step.
      destruct (two_input_change negated minima maxima own _ s t) as [d' results]. destruct C as (_ & _ & Cf).
      exists results. split; auto. eapply Forall_impl; [|exact Cf]. intros r Hr.
      destruct (bounds_after_kept minima maxima Sw negated _ _ r Rd St Hr) as (_ & Kb & _). exact Kb.
    - pose proof (collect_change_from minima maxima own Sw (state_after (Collecting minima maxima own) (bare l)) s
        t (bare l2) Hs) as C. unfold collect_step.
      destruct (collect_change minima maxima own _ s t) as [d' results]. destruct C as (_ & _ & Cf).
      exists results. split; auto. eapply Forall_impl; [|exact Cf]. intros r Hr.
      apply (collect_bounds_kept minima maxima Sw _ _ r Rd St Hr). }
  destruct Step as (results & -> & Kb). apply a_step_lags; auto.
  eapply Forall_impl; [|exact Kb]. intros r Hr. eapply below_trans; [exact Before|exact Hr].
Qed.
End Two_sided.

(* PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*, PARTE/PROD* (specification: propagated-bounds, size-viable). *)
Theorem bounds_lag_by_a_known_time : forall j ls P L, flows j ls P L -> lag_by ls j.
Proof.
  intros j ls P L F.
  induction F as [j qs Pt|i mi ma own j k ls lag P Q L R V FL IL FR IR|i mi ma own j k ls qs most P L V FL IL Pt _ _
    |i mi ma own j k ls qs most P L V FL IL Pt _ _|i w own j ls P L V FL IL|a e i own n g ab al j ls lag P L V Ve Vi FL
    IL Nn At].
  - apply (a_pattern_lags j qs Pt).
  - destruct (lags_and_widths _ _ _ _ reach Net _ _ _ _ FL) as [NL WL], (lags_and_widths _ _ _ _ reach Net _ _ _ _ FR)
      as [NR WR].
    apply (what_it_sends_lags i (TwoInput false mi ma own) mi ma j k ls lag V); auto.
    + left. eauto.
    + pose proof (its_kind _ _ i _ (Net i _ V)) as K. rewrite (width_left net i _ j k _ _ V eq_refl WL WR) in K.
      destruct K as (K & _). injection K as K. auto.
    + inversion NR; auto.
  - destruct (lags_and_widths _ _ _ _ reach Net _ _ _ _ FL) as [NL WL].
    apply (what_it_sends_lags i (TwoInput true mi ma own) mi ma j k ls 0 V); auto.
    + left. eauto.
    + pose proof (its_kind _ _ i _ (Net i _ V)) as K.
      rewrite (width_left net i _ j k _ _ V eq_refl WL (width_of_a_pattern net k qs Pt)) in K.
      destruct K as (K & _). injection K as K. auto.
    + split; auto. lia.
    + apply (a_pattern_lags k qs Pt).
  - destruct (lags_and_widths _ _ _ _ reach Net _ _ _ _ FL) as [NL WL].
    apply (what_it_sends_lags i (Collecting mi ma own) mi ma j k ls 0 V); auto.
    + right. eauto.
    + pose proof (its_kind _ _ i _ (Net i _ V)) as K.
      rewrite (width_left net i _ j k _ _ V eq_refl WL (width_of_a_pattern net k qs Pt)) in K.
      destruct K as (K & _). injection K as K. auto.
    + split; auto. lia.
    + apply (a_pattern_lags k qs Pt).
  - unfold lag_by in *. destruct (a_relay i _ _ (filter_answer own) V) as [-> [r S]].
    { eapply an_answering_node_relays; eauto. intros d s t. auto. }
    simpl in S. rewrite <- S in IL. apply Forall_app in IL as [IL _]. apply Forall_map. exact IL.
  - destruct (a_relay i _ _ (production_answer g ab) Vi) as [Si [ri Ri]].
    { eapply an_answering_node_relays; eauto. intros d s t. auto. }
    destruct (a_relay e _ _ entered Ve) as [Se [re Re]]; [eapply an_entry_of_one_relays; eauto|].
    destruct (a_relay a _ _ (alpha_answer own) V) as [Sa [ra Ra]].
    { eapply an_answering_node_relays; eauto. intros d s t. auto. }
    simpl in Ri, Re, Ra. unfold lag_by in *. rewrite <- Ri in IL. apply Forall_app in IL as [IL _].
    destruct (lags_and_widths _ _ _ _ reach Net _ _ _ _ FL) as [NL (u & U & W & _)].
    assert (Li : Forall (fun x => below (behind (snd x) [lag]) (bounds (fst x))) (sends net ml i)).
    { rewrite Si. apply Forall_map. eapply Forall_impl; [|exact IL]. intros x B. simpl. constructor; [|constructor].
      eapply Z.le_trans; [apply At|]. pose proof (its_kind _ _ i _ (Net i _ Vi)) as K. simpl in K.
      unfold widths in K. simpl in K. rewrite U, W in K. destruct K as (w & K & _ & Mo & _). injection K as K.
      apply Mo; [unfold behind; rewrite map_length|]; auto. }
    rewrite <- Re in Li. apply Forall_app in Li as [Li _].
    assert (Le : Forall (fun x => below (behind (snd x) [lag]) (bounds (fst x))) (sends net ml e)).
    { rewrite Se. apply Forall_map. eapply Forall_impl; [|exact Li]. intros x B. simpl. inversion B; subst.
      constructor; auto. }
    rewrite <- Ra in Le. apply Forall_app in Le as [Le _].
    rewrite Sa. apply Forall_map. eapply Forall_impl; [|exact Le]. intros x B. exact B.
Qed.
End Run.
End Lags.
