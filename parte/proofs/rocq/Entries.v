(* What entry nodes and patterns have sent up to a mark: events of the sources that have promised no more, and few that
   are ahead (docs/bounds.md, "Count"; specification: entry-merge). *)
From Parte Require Export Sizes Space Steady Trees Progress.

Section Entries.
Context {E : Events}.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variable late : nat -> Z.
Hypothesis Punctual : forall q, prompt (late q) (- infinity) (queues q).
Variable limit : nat -> limits.
Hypothesis Turns : forall i, turns (limit i) = true.

Lemma a_prompt_source_rises : forall lateness l bound s, prompt lateness bound l -> marks_rise s -> last_mark s <=
  bound ->
  marks_rise (s ++ with_own_marks l).
Proof.
  intros lateness. induction l as [|t l IH]; intros bound s P R L; [simpl; rewrite app_nil_r; auto|].
  destruct P as (B & _ & P).
  replace (s ++ with_own_marks (t :: l)) with ((s ++ [(t, only (bounds t)) : marked]) ++ with_own_marks l)
    by (rewrite <- app_assoc; auto).
  apply (IH (only (bounds t))); auto.
  - apply rise_snoc; auto. simpl. lia.
  - rewrite last_mark_snoc. simpl. lia.
Qed.
Lemma sources_rise : forall q, marks_rise (with_own_marks (queues q)).
Proof. intros q. apply (a_prompt_source_rises _ _ _ [] (Punctual q)); [apply rise_nil|]. unfold last_mark. simpl. lia.
  Qed.
Lemma no_event_is_later : forall lateness l bound t p, prompt lateness bound l -> In t l -> payload t = Some p ->
  moment p <= only (bounds t) + lateness.
Proof.
  intros lateness. induction l as [|u l IH]; intros bound t p P I Pt; [contradiction|]. destruct P as (_ & Pu & P).
  destruct I as [->|I]; [rewrite Pt in Pu; auto|]. eapply IH; eauto.
Qed.

(* ---- Logs
  ---------------------------------------------------------------------------------------------------------- *)

Lemma a_slot_is_split : forall k l A x B, of_slot k l = A ++ x :: B ->
  exists a b, l = a ++ (k, x) :: b /\ of_slot k a = A /\ of_slot k b = B.
Proof.
  intros k. induction l as [|[s y] l IH]; intros A x B Eq; [destruct A; discriminate|].
  unfold of_slot in Eq. simpl in Eq. destruct (Nat.eqb s k) eqn:Q; simpl in Eq.
  - apply Nat.eqb_eq in Q. subst s. destruct A as [|z A]; inversion Eq; subst.
    + exists [], l. auto.
    + destruct (IH A x B) as (a & b & -> & Ea & Eb); auto. exists ((k, z) :: a), b. repeat split; auto.
      unfold of_slot. simpl. rewrite Nat.eqb_refl. simpl. f_equal. exact Ea.
  - destruct (IH A x B Eq) as (a & b & -> & Ea & Eb). exists ((s, y) :: a), b. repeat split; auto.
    unfold of_slot. simpl. rewrite Q. exact Ea.
Qed.
Lemma known_grows : forall n a b, (0 < n)%nat -> (forall s, (s < n)%nat -> marks_rise (of_slot s (a ++ b))) ->
  seen_by_all n a <= seen_by_all n (a ++ b).
Proof.
  intros n a b N R. destruct (lowest_is_one (seen (a ++ b)) n N) as (j & Lj & Eq). unfold seen_by_all. rewrite Eq.
  eapply Z.le_trans; [apply (lowest_of_all (seen a) n j Lj)|]. unfold seen. rewrite of_slot_app. apply rise_last.
  rewrite <- of_slot_app. auto.
Qed.

(* What a node has sent up to a mark, and the token after that, came from what it had seen up to that mark, and one
  token
   more. *)
Lemma a_mark_cuts_the_log : forall k n l T0 T1 R m, (0 < n)%nat -> answers k (bare l) -> - infinity <= m ->
  (forall s, (s < n)%nat -> marks_rise (of_slot s l)) -> marked_output k n l = T0 ++ T1 ++ R -> (length T1 <= 1)%nat ->
  last_mark T0 <= m -> exists l1 l2, l = l1 ++ l2 /\ seen_by_all n l1 <= m /\
  exists R', marked_output k n (l1 ++ firstn 1 l2) = T0 ++ T1 ++ R'.
Proof.
  intros k n l. induction l as [|[s [t g]] l IH] using rev_ind; intros T0 T1 R m N A Low Rise Eq L1 Lm.
  - exists [], []. split; auto. split; [|exists R; exact Eq]. unfold seen_by_all.
    destruct (lowest_is_one (seen []) n N) as (j & _ & ->). exact Low.
  - assert (A' : answers k (bare l)).
    { intros a slot t' b Q. apply (A a slot t' (b ++ [(s, t)])). rewrite bare_app, Q, <- app_assoc. auto. }
    assert (Rise' : forall s', (s' < n)%nat -> marks_rise (of_slot s' l)).
    { intros s' L. specialize (Rise s' L). rewrite of_slot_app in Rise. eapply rise_prefix; eauto. }
    destruct (Z.le_gt_cases (seen_by_all n l) m) as [Le|Gt].
    + exists l, [(s, (t, g))]. split; auto. split; auto. exists R. exact Eq.
    + destruct (a_node_passes_its_mark_on k n l N A' Rise') as [Ro Lo].
      pose proof (marked_output_snoc k n l s t g) as Sn. set (O := marks _ _ _) in Sn.
      apply (eq_trans (eq_sym Sn)) in Eq.
      assert (Len : (length T0 < length (marked_output k n l))%nat).
      { destruct (Nat.lt_ge_cases (length T0) (length (marked_output k n l))) as [H|H]; auto. exfalso.
        destruct (of_two_prefixes _ T0 (T1 ++ R) (marked_output k n l) O (eq_sym Eq) H) as [z P].
        pose proof (a_node_passes_its_mark_on k n (l ++ [(s, (t, g))]) N A Rise) as [Rw _].
        assert (W := Rw (marked_output k n l) z (T1 ++ R)). rewrite <- P in W. specialize (W
          ltac:(rewrite app_assoc, <- P; exact (eq_trans Sn Eq))). rewrite Lo in W. lia. }
      destruct (of_two_prefixes _ (marked_output k n l) O (T0 ++ T1) R) as [R' P].
      { rewrite <- app_assoc. exact Eq. }
      { rewrite app_length. lia. }
      rewrite <- app_assoc in P.
      destruct (IH T0 T1 R' m N A' Low Rise' P L1 Lm) as (l1 & l2 & Q & Kn & R2 & O2).
      exists l1, (l2 ++ [(s, (t, g))]). split; [rewrite Q, app_assoc; auto|]. split; auto.
      destruct l2 as [|y l2]; [|exists R2; exact O2]. rewrite app_nil_r in Q. subst l1. lia.
Qed.

(* A node that answers each token with one. *)
Definition answers_one (k : kind) (l : log) : Prop :=
  forall a slot t b, l = a ++ (slot, t) :: b -> length (snd (activate k (state_after k a) slot t)) = 1%nat.
Lemma marks_length : forall a b o, length (marks a b o) = length o.
Proof. intros. rewrite <- (marks_bare a b o) at 2. symmetry. apply map_length. Qed.
Lemma as_many_as_it_takes : forall k n l, answers_one k (bare l) -> length (marked_output k n l) = length l.
Proof.
  intros k n l. induction l as [|[s [t g]] l IH] using rev_ind; intros A; auto.
  eapply eq_trans; [exact (f_equal (@length marked) (marked_output_snoc k n l s t g))|].
  rewrite !app_length, IH.
  - rewrite marks_length. rewrite (A (bare l) s t []) by (rewrite bare_app; auto). reflexivity.
  - intros a slot t' b Q. apply (A a slot t' (b ++ [(s, t)])). rewrite bare_app, Q, <- app_assoc. auto.
Qed.
Lemma one_by_one : forall k n l T0 R, answers_one k (bare l) -> marked_output k n l = T0 ++ R ->
  exists l1 l2, l = l1 ++ l2 /\ marked_output k n l1 = T0 /\ length l1 = length T0.
Proof.
  intros k n l T0 R A Eq. exists (firstn (length T0) l), (skipn (length T0) l).
  assert (S := firstn_skipn (length T0) l). split; auto.
  assert (Len : length (firstn (length T0) l) = length T0).
  { rewrite firstn_length. pose proof (as_many_as_it_takes k n l A) as L. rewrite Eq, app_length in L. lia. }
  split; auto. rewrite <- S in Eq, A. unfold marked_output in Eq. rewrite marked_run_app in Eq.
  fold (marked_output k n (firstn (length T0) l)) in Eq.
  assert (A' : answers_one k (bare (firstn (length T0) l))).
  { intros a slot t b Q. apply (A a slot t (b ++ bare (skipn (length T0) l))). rewrite bare_app, Q, <- app_assoc.
    auto. }
  pose proof (as_many_as_it_takes k n _ A') as L. rewrite Len in L.
  destruct (of_two_prefixes _ _ _ _ _ Eq) as [e Q]; [lia|]. rewrite Q, app_length in L. destruct e; [|simpl in L; lia].
  rewrite app_nil_r in Q. exact Q.
Qed.

(* ---- One run
  -------------------------------------------------------------------------------------------------------- *)

Section Run.
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token) (ml : nat -> marked_log).
Hypothesis X : explained net queues c logs sent arrived.
Hypothesis M : marks_of net queues (length net) logs ml.
Hypothesis Never : never_waited net limit logs.

Lemma logs_of : forall i v, nth_error net i = Some v -> bare (ml i) = logs i.
Proof. intros i v V. apply (of_logs _ _ _ _ _ M). apply nth_error_Some. congruence. Qed.
Lemma slot_of : forall i v k s, nth_error net i = Some v -> nth_error (sources v) k = Some s ->
  exists rest, of_slot k (ml i) ++ rest = comes net queues ml s.
Proof.
  intros i v k s V S. apply (of_sources _ _ _ _ _ M); [apply nth_error_Some; congruence|]. apply reads_spec. eauto.
Qed.
Lemma slots_rise : forall i v k, nth_error net i = Some v -> (k < length (sources v))%nat -> marks_rise (of_slot k (ml
  i)).
Proof.
  intros i v k V L. destruct (nth_error (sources v) k) as [s|] eqn:S; [|apply nth_error_None in S; lia].
  destruct (slot_of i v k s V S) as [r Eq]. apply rise_prefix with r. rewrite Eq.
  apply (what_comes_rises net queues reach Net Own c logs sent arrived X ml M sources_rise s i k).
  apply reads_spec. eauto.
Qed.

Definition owed (m : Z) (qs : list nat) (x : event) : Prop :=
  exists q, In q qs /\ In [x] (payloads (queues q)) /\ time x <= m + late q.

Section Entry_node.
Variables (e n slots : nat) (qs : list nat).
Hypothesis V : nth_error net e = Some (Vertex (Entry n slots) (map External qs)).

Lemma slots_are_its_queues : slots = length qs /\ (0 < slots)%nat.
Proof.
  pose proof (its_kind _ _ e _ (Net e _ V)) as W. simpl in W. destruct W as [P W]. split; auto.
  apply (f_equal (@length _)) in W. unfold widths in W. simpl in W. rewrite !map_length, repeat_length in W. auto.
Qed.
Lemma a_slot_of_its_own : forall k, (k < slots)%nat -> exists q rest, In q qs /\ of_slot k (ml e) ++ rest =
  with_own_marks (queues q).
Proof.
  intros k L. destruct slots_are_its_queues as [Ls _]. destruct (nth_error qs k) as [q|] eqn:Q;
    [|apply nth_error_None in Q; lia].
  destruct (slot_of e _ k (External q) V) as [r Eq]; [simpl; rewrite nth_error_map, Q; auto|].
  exists q, r. split; auto. eapply nth_error_In; eauto.
Qed.
Definition own (x : marked) : Prop := snd x = only (bounds (fst x)).
Lemma marks_are_their_own : forall k a b, (k < slots)%nat -> ml e = a ++ b -> Forall own (of_slot k a) /\
  exists q, In q qs /\ incl (map fst (of_slot k a)) (queues q).
Proof.
  intros k a b L Eq. destruct (a_slot_of_its_own k L) as (q & r & I & S). rewrite Eq, of_slot_app, <- app_assoc in S.
  assert (F : Forall own (with_own_marks (queues q))).
  { unfold with_own_marks. apply Forall_map, Forall_forall. intros t _. reflexivity. }
  rewrite <- S in F. apply Forall_app in F as [F _]. split; auto. exists q. split; auto. intros t T.
  apply in_map_iff in T as (x & <- & T).
  assert (J : In x (with_own_marks (queues q))) by (rewrite <- S; apply in_or_app; auto).
  unfold with_own_marks in J. apply in_map_iff in J as (t & <- & J). auto.
Qed.
Lemma own_marks_are_promises : forall l, Forall own l -> last_mark l = last_promise (map fst l).
Proof.
  intros l F. destruct l as [|x l _] using rev_ind; auto. apply Forall_app in F as [_ F]. inversion F; subst.
  rewrite last_mark_snoc, map_app. simpl. rewrite last_promise_snoc. auto.
Qed.
Lemma it_has_the_promises : forall a b, ml e = a ++ b ->
  left_bounds (state_after (Entry n slots) (bare a)) = map (seen a) (seq 0 slots).
Proof.
  intros a b Eq. pose proof (the_slots _ _ _ _ _ _ X e _ V) as Sl.
  pose proof (no_stranger_is_taken net queues reach Net Own c logs sent arrived X e _ V) as St.
  rewrite <- (logs_of e _ V), Eq, bare_app in Sl, St. apply Forall_app in Sl as [Sl _]. simpl in St.
  rewrite map_app, payloads_app in St. apply Forall_app in St as [St _].
  destruct slots_are_its_queues as [Ls _]. simpl in Sl. rewrite map_length, <- Ls in Sl.
  destruct (entry_bounds_are_the_last n slots (bare a) Sl St) as [B _]. rewrite B. apply map_ext_in.
  intros k I. apply in_seq in I. destruct (marks_are_their_own k a b ltac:(lia) Eq) as [F _].
  rewrite <- of_slot_bare, <- own_marks_are_promises by auto. auto.
Qed.
Lemma whose_turn_it_is : forall a k x b, ml e = a ++ (k, x) :: b -> seen a k <= seen_by_all slots a.
Proof.
  intros a k [t g] b Eq. destruct slots_are_its_queues as [Ls Ps].
  assert (Lk : (k < slots)%nat).
  { pose proof (the_slots _ _ _ _ _ _ X e _ V) as Sl. rewrite <- (logs_of e _ V), Eq, bare_app in Sl.
    apply Forall_app in Sl as [_ Sl]. inversion Sl; subst. simpl in H1. rewrite map_length in H1. lia. }
  assert (W := Never e _ (bare a) k t (bare b) V). rewrite <- (logs_of e _ V), Eq, bare_app in W.
  specialize (W eq_refl). unfold waits in W. simpl kind_of in W.
  assert (Ex : external_slots (Vertex (Entry n slots) (map External qs)) = seq 0 slots).
  { unfold external_slots. simpl. rewrite map_length, <- Ls. apply filter_all, Forall_forall. intros s I.
    apply in_seq in I. rewrite nth_error_map. destruct (nth_error qs s) eqn:Q; auto. apply nth_error_None in Q. lia. }
  rewrite Ex, (it_has_the_promises a _ Eq), Turns in W.
  assert (Nth : forall s, (s < slots)%nat -> nth s (map (seen a) (seq 0 slots)) 0 = seen a s).
  { intros s L. rewrite nth_indep with (d' := seen a 0) by (rewrite map_length, seq_length; auto).
    rewrite map_nth, seq_nth by auto. auto. }
  rewrite (map_ext_in (fun s => nth s (map (seen a) (seq 0 slots)) 0) (seen a) (seq 0 slots)) in W
    by (intros s I; apply in_seq in I; apply Nth; lia).
  rewrite (Nth k Lk) in W. fold (seen_by_all slots a) in W.
  assert (B : existsb (Nat.eqb k) (seq 0 slots) = true).
  { apply existsb_exists. exists k. split; [apply in_seq; lia|apply Nat.eqb_refl]. }
  rewrite B in W. apply Z.leb_le. simpl in W. destruct (seen a k <=? seen_by_all slots a); auto.
Qed.

Definition last_event (l : list marked) : list event :=
  match rev l with
  | x :: _ => match payload (fst x) with Some (y :: _) => [y] | _ => [] end
  | [] => [] end.
Lemma what_it_took_up_to_a_mark : forall l1 l2 m, ml e = l1 ++ l2 -> seen_by_all slots l1 <= m ->
  exists ahead, (length ahead <= slots - 1)%nat /\ forall k t g p, In (k, (t, g)) l1 -> payload t = Some p ->
  exists y, p = [y] /\ (In y ahead \/ owed m qs y).
Proof.
  intros l1 l2 m Eq Le. destruct slots_are_its_queues as [Ls Ps].
  destruct (lowest_is_one (seen l1) slots Ps) as (k0 & L0 & Low).
  exists (flat_map (fun k => last_event (of_slot k l1)) (filter (fun k => negb (Nat.eqb k k0)) (seq 0 slots))). split.
  - assert (One : forall l, (length (last_event l) <= 1)%nat).
    { intros l. unfold last_event. destruct (rev l) as [|x r]; simpl; [lia|]. destruct (payload (fst x)) as [[|y p]|];
        simpl; lia. }
    assert (All : forall ks, (length (flat_map (fun k => last_event (of_slot k l1)) ks) <= length ks)%nat).
    { induction ks as [|k ks IH]; simpl; auto. rewrite app_length. specialize (One (of_slot k l1)). lia. }
    eapply Nat.le_trans; [apply All|].
    pose proof (Permutation_length (filter_split (fun k => Nat.eqb k k0) (seq 0 slots))) as P.
    rewrite app_length, seq_length in P.
    assert (In k0 (filter (fun k => Nat.eqb k k0) (seq 0 slots))).
    { apply filter_In. split; [apply in_seq; lia|apply Nat.eqb_refl]. }
    destruct (filter (fun k => Nat.eqb k k0) (seq 0 slots)); [contradiction|]. simpl in P. lia.
  - intros k t g p I P.
    assert (Lk : (k < slots)%nat).
    { pose proof (the_slots _ _ _ _ _ _ X e _ V) as Sl. rewrite <- (logs_of e _ V), Eq, bare_app in Sl.
      apply Forall_app in Sl as [Sl _]. rewrite Forall_forall in Sl. simpl in Sl. rewrite map_length, <- Ls in Sl.
      apply (Sl (k, t)). unfold bare. apply in_map_iff. exists (k, (t, g)). auto. }
    destruct (marks_are_their_own k l1 l2 Lk Eq) as [F (q & Iq & Inc)].
    assert (J : In (t, g) (of_slot k l1)).
    { unfold of_slot. apply in_map_iff. exists (k, (t, g)). split; auto. apply filter_In. split; auto.
      apply Nat.eqb_refl. }
    assert (G : g = only (bounds t)) by (rewrite Forall_forall in F; apply (F _ J)).
    assert (It : In t (queues q)) by (apply Inc, in_map_iff; exists (t, g); auto).
    assert (Wd : length p = 1%nat).
    { pose proof (honest_widths _ _ (Honest q)) as Hw. rewrite Forall_forall in Hw. apply Hw. unfold payloads.
      apply in_flat_map. exists t. rewrite P. simpl. auto. }
    destruct p as [|y [|? ?]]; try discriminate. exists y. split; auto.
    pose proof (no_event_is_later _ _ _ t [y] (Punctual q) It P) as Lt.
    assert (Iy : In [y] (payloads (queues q))).
    { unfold payloads. apply in_flat_map. exists t. rewrite P. simpl. auto. }
    assert (Done : g <= m -> owed m qs y).
    { intros Gm. exists q. repeat split; auto. unfold moment in Lt. simpl in Lt. lia. }
    apply in_split in J as (A & B & Sp). destruct B as [|[t' g'] B].
    + destruct (Nat.eq_dec k k0) as [->|N].
      * right. apply Done. eapply Z.le_trans; [|exact Le]. unfold seen_by_all. rewrite Low. unfold seen. rewrite Sp.
        apply Z.eq_le_incl. symmetry. apply (last_mark_snoc A (t, g)).
      * left. apply in_flat_map. exists k. split.
        -- apply filter_In. split; [apply in_seq; lia|]. apply negb_true_iff, Nat.eqb_neq. auto.
        -- unfold last_event. rewrite Sp, rev_app_distr. simpl. rewrite P. simpl. auto.
    + right. apply Done. replace (A ++ (t, g) :: (t', g') :: B) with ((A ++ [(t, g)]) ++ (t', g') :: B) in Sp
        by (rewrite <- app_assoc; auto).
      destruct (a_slot_is_split k l1 _ _ _ Sp) as (a & b & El & Ea & _).
      assert (T : seen a k <= seen_by_all slots a).
      { apply (whose_turn_it_is a k (t', g') (b ++ l2)). rewrite Eq, El, <- app_assoc. auto. }
      assert (S : seen a k = g) by (unfold seen; rewrite Ea; apply (last_mark_snoc A (t, g))).
      assert (Gr : seen_by_all slots a <= seen_by_all slots l1).
      { rewrite El. apply known_grows; auto. intros s L. rewrite <- El.
        pose proof (slots_rise e _ s V ltac:(simpl; rewrite map_length; lia)) as R. rewrite Eq, of_slot_app in R.
        eapply rise_prefix; eauto. }
      lia.
Qed.

Lemma it_answers_each_token_once : answers_one (Entry n slots) (bare (ml e)).
Proof.
  intros a slot t b Eq. pose proof (no_stranger_is_taken net queues reach Net Own c logs sent arrived X e _ V) as St.
  simpl in St. rewrite <- (logs_of e _ V), Eq, map_app, payloads_app in St. apply Forall_app in St as [_ St].
  unfold payloads in St. simpl in St. apply Forall_app in St as [St _]. simpl. unfold entry_step.
  destruct (payload t) as [p|]; auto. inversion St; subst. rewrite H1. auto.
Qed.
Definition event_of (x : nat * marked) : list event :=
  match payload (fst (snd x)) with Some (y :: _) => [y] | _ => [] end.
Lemma what_it_sent_up_to_a_mark : forall T0 T1 R m, sends net ml e = T0 ++ T1 ++ R -> last_mark T0 <= m ->
  exists ahead, (length ahead <= slots - 1 + length T1)%nat /\ forall p, In p (payloads (map fst (T0 ++ T1))) ->
  exists y, p = [y] /\ (In y ahead \/ owed m qs y).
Proof.
  intros T0 T1 R m Eq Le. destruct slots_are_its_queues as [Ls Ps]. unfold sends in Eq. rewrite V in Eq. simpl in Eq.
  unfold slots_of in Eq. simpl in Eq. rewrite map_length, <- Ls in Eq.
  pose proof it_answers_each_token_once as One.
  destruct (one_by_one _ _ _ T0 (T1 ++ R) One Eq) as (l1 & l2 & El & O1 & Len1). rewrite app_assoc in Eq.
  destruct (one_by_one _ _ _ (T0 ++ T1) R One Eq) as (l3 & l4 & El' & O3 & Len3). rewrite app_length in Len3.
  destruct (of_two_prefixes _ l3 l4 l1 l2) as [l5 E5]; [congruence|lia|]. subst l3. rewrite app_length in Len3.
  assert (Known : seen_by_all slots l1 = last_mark T0).
  { rewrite <- O1. symmetry. apply a_node_passes_its_mark_on; auto.
    - intros a s t b Q. rewrite El, bare_app in One. specialize (One a s t (b ++ bare l2)).
      rewrite Q, <- app_assoc in One. specialize (One eq_refl). intros Z. rewrite Z in One. discriminate.
    - intros s L. pose proof (slots_rise e _ s V ltac:(simpl; rewrite map_length; lia)) as Ri.
      rewrite El, of_slot_app in Ri. eapply rise_prefix; eauto. }
  destruct (what_it_took_up_to_a_mark l1 l2 m El ltac:(lia)) as (ahead & La & H).
  exists (ahead ++ flat_map event_of l5). split.
  - rewrite app_length. assert (length (flat_map event_of l5) <= length l5)%nat; [|lia].
    clear. induction l5 as [|x l IH]; simpl; auto. rewrite app_length.
    assert (length (event_of x) <= 1)%nat; [|lia]. unfold event_of.
    destruct (payload (fst (snd x))) as [[|y p]|]; simpl; lia.
  - intros p I. rewrite <- O3, marked_output_bare in I. unfold computed_by in I. rewrite entry_payloads in I.
    apply filter_In in I as [I _]. unfold bare in I. rewrite map_map in I. unfold payloads in I.
    apply in_flat_map in I as (t & It & P). apply in_map_iff in It as ([k [t' g]] & Et & It). simpl in Et. subst t'.
    destruct (payload t) as [p'|] eqn:Pt; [|contradiction]. destruct P as [->|[]].
    apply in_app_iff in It as [It|It].
    + destruct (H k t g p It Pt) as (y & -> & [Hy|Hy]); exists y; split; auto. left. apply in_or_app. auto.
    + assert (Wd : length p = 1%nat).
      { destruct (promises_kept net queues reach Net Honest c logs sent arrived X e _ V) as [[Sl Hh] _].
        assert (Il : In (k, t) (logs e)).
        { rewrite <- (logs_of e _ V), El', bare_app, bare_app. apply in_or_app. left. apply in_or_app. right.
          unfold bare. apply in_map_iff. exists (k, (t, g)). auto. }
        rewrite Forall_forall in Sl. specialize (Sl _ Il). simpl in Sl. unfold widths in Sl, Hh. simpl in Sl, Hh.
        rewrite map_map in Sl, Hh. rewrite map_length in Sl.
        assert (W : nth_error (map (fun q : nat => width_of_source net (External q)) qs) k = Some 1%nat).
        { rewrite nth_error_map. destruct (nth_error qs k) eqn:Q; auto. apply nth_error_None in Q. lia. }
        pose proof (honest_widths _ _ (Hh k _ W)) as Hw. rewrite Forall_forall in Hw. apply Hw. unfold payloads.
        apply in_flat_map. exists t. rewrite Pt. simpl. split; auto. unfold taken. apply in_map_iff. exists (k, t).
        split; auto. apply filter_In. split; auto. apply Nat.eqb_refl. }
      destruct p as [|y [|? ?]]; try discriminate. exists y. split; auto. left. apply in_or_app. right.
      apply in_flat_map. exists (k, (t, g)). split; auto. unfold event_of. simpl. rewrite Pt. simpl. auto.
Qed.
End Entry_node.

Lemma a_single_slot : forall l : marked_log, Forall (fun x => fst x < 1)%nat (bare l) -> of_slot 0 l = map snd l.
Proof.
  intros l F. unfold of_slot. f_equal. apply filter_all. unfold bare in F. apply Forall_map in F.
  eapply Forall_impl; [|exact F]. intros x L. apply Nat.eqb_eq, Nat.lt_1_r. exact L.
Qed.
Definition pattern (j : nat) (qs : list nat) : Prop := exists own e n slots,
  nth_error net j = Some (Vertex (Alpha own) [Internal e]) /\
  nth_error net e = Some (Vertex (Entry n slots) (map External qs)).
Lemma what_a_pattern_sent_up_to_a_mark : forall j qs T0 T1 R m, pattern j qs -> sends net ml j = T0 ++ T1 ++ R ->
  last_mark T0 <= m ->
  exists ahead, (length ahead <= length qs - 1 + length T1)%nat /\ forall p, In p (payloads (map fst (T0 ++ T1))) ->
  exists y, p = [y] /\ (In y ahead \/ owed m qs y).
Proof.
  intros j qs T0 T1 R m (own & e & n & slots & Vj & Ve) Eq Le. unfold sends in Eq. rewrite Vj in Eq. simpl in Eq.
  unfold slots_of in Eq. simpl in Eq.
  assert (One : answers_one (Alpha own) (bare (ml j))) by (intros a s t b _; auto).
  destruct (one_by_one _ _ _ T0 (T1 ++ R) One Eq) as (l1 & l2 & El & O1 & Len1). rewrite app_assoc in Eq.
  destruct (one_by_one _ _ _ (T0 ++ T1) R One Eq) as (l3 & l4 & El' & O3 & Len3). rewrite app_length in Len3.
  destruct (of_two_prefixes _ l3 l4 l1 l2) as [l5 E5]; [congruence|lia|]. subst l3. rewrite app_length in Len3.
  destruct (slot_of j _ 0 (Internal e) Vj eq_refl) as [r S]. simpl in S.
  assert (Known : seen l1 0 = last_mark T0).
  { rewrite <- O1. symmetry. pose proof (a_node_passes_its_mark_on (Alpha own) 1 l1 ltac:(lia)) as P.
    destruct P as [_ P]; [| |exact P].
    - intros a s t b _. discriminate.
    - intros s L. replace s with 0%nat by lia. pose proof (slots_rise j _ 0 Vj ltac:(simpl; lia)) as Ri.
      rewrite El, of_slot_app in Ri. eapply rise_prefix; eauto. }
  pose proof (the_slots _ _ _ _ _ _ X j _ Vj) as Sl. simpl in Sl. rewrite <- (logs_of j _ Vj), El', !bare_app in Sl.
  apply Forall_app in Sl as [Sl _]. rewrite El', !of_slot_app, <- !app_assoc in S.
  destruct (what_it_sent_up_to_a_mark e n slots qs Ve _ _ _ m (eq_sym S)) as (ahead & La & H).
  { unfold seen in Known. rewrite Known. exact Le. }
  destruct (slots_are_its_queues e n slots qs Ve) as [Ls _].
  assert (L5 : of_slot 0 l5 = map snd l5) by (apply a_single_slot; apply Forall_app in Sl; tauto).
  exists ahead. split; [rewrite L5, map_length in La; lia|]. intros p I. apply H.
  rewrite <- O3, marked_output_bare in I. unfold computed_by in I.
  rewrite (run_answered (alpha_answer own)) in I by (intros ? ? ?; auto). simpl in I. rewrite alpha_payloads in I.
  apply filter_In in I as [I _]. rewrite <- of_slot_app, a_single_slot by (rewrite bare_app; exact Sl).
  rewrite map_map. unfold bare in I. rewrite map_map in I. exact I.
Qed.

End Run.

End Entries.
