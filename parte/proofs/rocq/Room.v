(* Room: what a history stores where the least has been promised, in rules of any number of joined patterns, each fed by
   any number of sources (docs/bounds.md, "Count"). So sizes above all such crowds never block (specification:
   size-viable). *)
From Parte Require Export Sizes Space Steady Trees Progress.

Section Room.
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

(* The events of what a node sends are from the entry nodes of these queues, in this order. *)
Inductive joins : nat -> list (list nat) -> Prop :=
| Joins_pattern : forall j qs, pattern j qs -> joins j [qs]
| Joins_more : forall i minima maxima own j k qss qs,
    nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) ->
    joins j qss -> pattern k qs -> joins i (qss ++ [qs]).

Lemma width_of_joins : forall j qss, joins j qss -> exists v, nth_error net j = Some v /\
  width_of (kind_of v) = length qss /\ is_terminal (kind_of v) = false.
Proof.
  intros j qss J. induction J as [j qs (own & e & n & slots & V & _)|i minima maxima own j k qss qs V J IH P].
  - eexists. split; [exact V|]. auto.
  - eexists. split; [exact V|]. simpl. split; auto. destruct IH as (u & U & W & _).
    pose proof (its_kind _ _ i _ (Net i _ V)) as K. simpl in K. destruct K as [K _]. unfold widths in K. simpl in K.
    rewrite U, W in K. injection K as K _. rewrite app_length, <- K. simpl. lia.
Qed.

(* PARTE/ENTRY, PARTE/JOIN-* (specification: entry-merge, size-viable). Of all that a node sends up to a mark, and one
   token more, the events at one place of the partial matches are from sources that have promised no more than that
     mark,
   but for at most one event ahead of each source. *)
Theorem who_led_has_seen_least : forall j qss, joins j qss -> forall T0 T1 R m, sends net ml j = T0 ++ T1 ++ R ->
  (length T1 <= 1)%nat -> last_mark T0 <= m -> exists r qs ahead, nth_error qss r = Some qs /\
  (length ahead <= length qs)%nat /\ forall p, In p (payloads (map fst (T0 ++ T1))) ->
  exists y, nth_error p r = Some y /\ (In y ahead \/ owed m qs y).
Proof.
  intros j qss J. induction J as [j qs P|i minima maxima own j k qss qs V J IH P]; intros T0 T1 R m Eq L1 Le.
  - destruct (what_a_pattern_sent_up_to_a_mark j qs T0 T1 R m P Eq Le) as (ahead & La & H).
    exists 0%nat, qs, ahead. split; auto. split.
    + destruct P as (own & e & n & slots & _ & Ve). destruct (slots_are_its_queues e n slots qs Ve). lia.
    + intros p I. destruct (H p I) as (y & -> & Hy). exists y. auto.
  - assert (Rise : marks_rise (sends net ml i)).
    { apply (what_a_node_sends net queues reach Net Own c logs sent arrived X ml M sources_rise i _ V eq_refl). }
    assert (Low : - infinity <= m).
    { rewrite Eq in Rise. pose proof (Rise [] T0 (T1 ++ R) eq_refl) as B. exact (Z.le_trans _ _ _ B Le). }
    unfold sends in Eq. rewrite V in Eq. simpl in Eq. unfold slots_of in Eq. simpl in Eq.
    assert (Ans : answers (TwoInput false minima maxima own) (bare (ml i))).
    { rewrite (logs_of i _ V).
      apply (every_node_answers net queues reach Net Own c logs sent arrived X i _ V eq_refl). }
    destruct (a_mark_cuts_the_log (TwoInput false minima maxima own) 2 (ml i) T0 T1 R m ltac:(lia) Ans Low
      ltac:(intros s L; apply (slots_rise i _ s V); simpl; lia) Eq L1 Le) as (l1 & l2 & El & Kn & R' & O).
    set (l := l1 ++ firstn 1 l2) in *.
    assert (El2 : ml i = l ++ skipn 1 l2) by (unfold l; rewrite <- app_assoc, firstn_skipn; auto).
    pose proof (the_slots _ _ _ _ _ _ X i _ V) as Sl. simpl in Sl. rewrite <- (logs_of i _ V), El2, bare_app in Sl.
    apply Forall_app in Sl as [Sl _].
    assert (From : forall p, In p (payloads (map fst (T0 ++ T1))) -> exists p' q, p = p' ++ q /\
      In p' (payloads (map fst (of_slot 0 l))) /\ In q (payloads (map fst (of_slot 1 l)))).
    { pose proof (its_kind _ _ i _ (Net i _ V)) as (_ & _ & Sw & _). simpl in Sw.
      intros p I. pose proof (run_from minima maxima own Sw false (bare l) (initial (TwoInput false minima maxima
        own)) Sl)
        as F. unfold node in F. fold (computed_by (TwoInput false minima maxima own) (bare l)) in F.
      rewrite <- (marked_output_bare _ 2 l), O in F. rewrite app_assoc, map_app, payloads_app in F.
      apply Forall_app in F as [F _]. rewrite Forall_forall in F. destruct (F p I) as (p' & q & Ip & Iq & ->).
      simpl in Ip, Iq. unfold lefts, rights in Ip, Iq. rewrite <- !of_slot_bare in Ip, Iq. eauto 10. }
    destruct (lowest_is_one (seen l1) 2 ltac:(lia)) as (k0 & L0 & Lw). unfold seen_by_all in Kn. rewrite Lw in Kn.
    assert (Lf : forall s, (length (of_slot s (firstn 1 l2)) <= 1)%nat).
    { intros s. destruct l2 as [|[s' x] l2]; simpl; [lia|]. unfold of_slot. simpl. destruct (Nat.eqb s' s); simpl;
      lia. }
    assert (k0 = 0 \/ k0 = 1)%nat as [-> | ->] by lia.
    + destruct (slot_of i _ 0 (Internal j) V eq_refl) as [r S]. simpl in S. rewrite El2 in S. unfold l in S.
      rewrite !of_slot_app, <- !app_assoc in S.
      destruct (IH _ _ _ m (eq_sym S) (Lf 0%nat) Kn) as (r0 & qs0 & ahead & Nr & La & H).
      exists r0, qs0, ahead. split; [|split; auto].
      * rewrite nth_error_app1; auto. apply nth_error_Some. congruence.
      * intros p I. destruct (From p I) as (p' & q & -> & Ip & _).
        unfold l in Ip. rewrite of_slot_app in Ip. destruct (H p' Ip) as (y & Ny & Hy). exists y. split; auto.
        rewrite nth_error_app1; auto. apply nth_error_Some. congruence.
    + destruct (slot_of i _ 1 (Internal k) V eq_refl) as [r S]. simpl in S. rewrite El2 in S. unfold l in S.
      rewrite !of_slot_app, <- !app_assoc in S.
      destruct (what_a_pattern_sent_up_to_a_mark k qs _ _ _ m P (eq_sym S) Kn) as (ahead & La & H).
      destruct (width_of_joins j qss J) as (u & U & W & _).
      assert (Wl : forall p, In p (payloads (map fst (of_slot 0 l))) -> length p = length qss).
      { intros p I. destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[_ Hh] _].
        assert (Hw : honest (length qss) (taken 0 (logs i))).
        { apply (Hh 0%nat). unfold widths. simpl. rewrite U, W. auto. }
        apply honest_widths in Hw. rewrite Forall_forall in Hw. apply Hw. rewrite <- (logs_of i _ V), El2, bare_app,
          taken_app, payloads_app, <- of_slot_bare. apply in_or_app. auto. }
      exists (length qss), qs, ahead. split; [|split].
      * rewrite nth_error_app2, Nat.sub_diag by lia. auto.
      * destruct P as (own' & e & n & slots & _ & Ve). destruct (slots_are_its_queues e n slots qs Ve).
        specialize (Lf 1%nat). lia.
      * intros p I. destruct (From p I) as (p' & q & -> & Ip & Iq). unfold l in Iq. rewrite of_slot_app in Iq.
        destruct (H q Iq) as (y & -> & Hy). exists y. split; auto.
        rewrite <- (Wl p' Ip), nth_error_app2, Nat.sub_diag by lia. auto.
Qed.

(* ---- Bounds lag by a known time
  ------------------------------------------------------------------------------------ *)

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

Lemma ready_after : forall minima maxima own a b d, length maxima = length minima ->
  ready minima d (a ++ b) -> stored_widths minima d -> only_live minima maxima d ->
  let d' := fst (run (TwoInput false minima maxima own) d a) in
  ready minima d' b /\ stored_widths minima d' /\ only_live minima maxima d'.
Proof.
  intros minima maxima own. induction a as [|[s t] a IH]; intros b d Sw R W L; [simpl; auto|].
  assert (Hs : (s < 2)%nat) by (destruct (two_slots minima maxima Sw _ _ _ _ R); lia).
  simpl in R. pose proof (ready_next minima maxima own Sw false d s t (a ++ b) R) as R'.
  pose proof (widths_next minima maxima own Sw false d s t (a ++ b) R W) as W'.
  pose proof (only_live_next minima maxima own Sw false d s t Hs L) as L'. cbn [run activate]. unfold two_input_step.
  destruct (two_input_change false minima maxima own d s t) as [d1 results].
  specialize (IH b d1 Sw R' W' L'). destruct (run (TwoInput false minima maxima own) d1 a) as [d2 o]. exact IH.
Qed.

Definition behind (m : Z) (lags : list Z) : list Z := map (fun lag => m - lag) lags.
Lemma behind_joined : forall m m' ls maxima lb, m <= m' -> length ls = length maxima -> below (behind m' ls) lb ->
  below (behind m (pairwise Z.max ls maxima)) lb.
Proof.
  intros m m'. induction ls as [|x ls IH]; intros [|y maxima] lb Le L B; simpl in *; try discriminate; auto.
  inversion B; subst. constructor; [lia|]. apply IH; auto.
Qed.
Lemma behind_live : forall m ls maxima ts, length ls = length maxima -> length ts = length maxima ->
  Forall (fun y => m <= y) (adds ts maxima) -> below (behind m (pairwise Z.max ls maxima)) ts.
Proof.
  intros m. unfold adds. induction ls as [|x ls IH]; intros [|y maxima] [|t ts] L L' F; simpl in *; try discriminate;
    [constructor|]. inversion F; subst. constructor; [lia|]. apply IH; auto.
Qed.
Lemma behind_expired : forall m ls minima lb, length ls = length minima -> minima <> [] -> below (behind m ls) lb ->
  m - lowest (pairwise Z.sub ls minima) <= expiration_time lb minima.
Proof.
  intros m ls minima lb L N B. unfold expiration_time.
  assert (Lb : length lb = length minima) by (rewrite <- (below_length _ _ B); unfold behind; rewrite map_length; auto).
  assert (Nb : adds lb minima <> []) by (apply adds_nonempty; auto; destruct lb, minima; easy).
  pose proof (proj1 (highest_le _ _ Nb) (Z.le_refl _)) as F. set (h := highest (adds lb minima)) in *.
  assert (G : Forall (fun y => m - h <= y) (pairwise Z.sub ls minima)).
  { clear N Nb. unfold adds in F. clearbody h. revert minima lb L Lb B F.
    induction ls as [|x ls IH]; intros [|y minima] [|b lb] L Lb B F; simpl in *; try discriminate; [constructor|].
    inversion B; inversion F; subst. constructor; [lia|]. apply (IH minima lb); auto. }
  apply le_lowest in G; [lia|]. destruct ls, minima; simpl in *; easy.
Qed.

(* How far the bounds that a node sends are behind its mark, event by event. *)
Inductive lagging : nat -> list Z -> Prop :=
| Lag_of_a_pattern : forall j qs, pattern j qs -> lagging j [0]
| Lag_of_a_join : forall i minima maxima own j k ls qs,
    nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) ->
    lagging j ls -> pattern k qs ->
    lagging i (pairwise Z.max ls maxima ++ [Z.max 0 (lowest (pairwise Z.sub ls minima))]).
Hypothesis Ends : forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity.

Lemma lags_and_widths : forall j ls, lagging j ls -> Forall (fun x => 0 <= x) ls /\ exists v, nth_error net j = Some v
  /\ width_of (kind_of v) = length ls /\ is_terminal (kind_of v) = false.
Proof.
  intros j ls J. induction J as [j qs (own_ & e & n & slots & V & _)|i minima maxima own j k ls qs V J IH P].
  - split; [repeat constructor; lia|]. eexists. split; [exact V|]. auto.
  - destruct IH as (Nn & u & U & W & _).
    pose proof (its_kind _ _ i _ (Net i _ V)) as K. simpl in K. destruct K as (K & _ & Sw & _). unfold widths in K.
    simpl in K. rewrite U, W in K. injection K as K _. split.
    + apply Forall_app. split; [|repeat constructor; lia]. clear - Nn. revert maxima.
      induction Nn as [|x ls Hx F IH]; intros [|y maxima]; simpl; constructor; auto. lia.
    + eexists. split; [exact V|]. simpl. split; auto. rewrite app_length, pairwise_length by lia. simpl. lia.
Qed.

Section A_join.
Variables (i : nat) (minima maxima : list Z) (own : partial -> bool) (j k : nat) (qs : list nat) (ls : list Z).
Hypothesis V : nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]).
Hypothesis Right : pattern k qs.
Hypothesis Left : lagging j ls.
Hypothesis Left_lags : Forall (fun x => below (behind (snd x) ls) (bounds (fst x))) (sends net ml j).
Let K := TwoInput false minima maxima own.

Lemma its_windows : minima <> [] /\ length maxima = length minima /\ length ls = length minima.
Proof.
  pose proof (its_kind _ _ i _ (Net i _ V)) as W. simpl in W. destruct W as (W & N & Sw & _). repeat split; auto.
  destruct (lags_and_widths j ls Left) as (_ & u & U & Wu & _). unfold widths in W. simpl in W. rewrite U, Wu in W.
  injection W as W _. auto.
Qed.
Lemma the_state_of_a_join : forall l l2, ml i = l ++ l2 ->
  ready minima (state_after K (bare l)) (bare l2) /\ stored_widths minima (state_after K (bare l)) /\
  only_live minima maxima (state_after K (bare l)) /\
  below (behind (seen l 0) ls) (left_bounds (state_after K (bare l))) /\
  right_bound (state_after K (bare l)) = seen l 1.
Proof.
  intros l l2 Eq. destruct its_windows as (N & Sw & Ll).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl Hh] _]. simpl in Sl.
  pose proof (its_kind _ _ i _ (Net i _ V)) as W. simpl in W. destruct W as (W & _).
  assert (H0 : honest (length minima) (taken 0 (logs i))) by (apply (Hh 0%nat); rewrite W; auto).
  assert (H1 : honest 1 (taken 1 (logs i))) by (apply (Hh 1%nat); rewrite W; auto).
  destruct (initial_ready minima maxima own false (logs i) H0 H1 Sl) as [Rd St]. unfold node in Rd, St.
  rewrite <- (logs_of i _ V), Eq, bare_app in Rd, Sl.
  destruct (ready_after minima maxima own _ _ _ Sw Rd St ltac:(split; constructor)) as (R1 & R2 & R3).
  unfold state_after. repeat split; auto; try apply R1; try apply R2; try apply R3.
  - apply Forall_app in Sl as [Sl _].
    destruct (sides_are_the_last K minima maxima ltac:(left; exists false, own; reflexivity) Sw (bare l) Sl) as [B _].
    unfold state_after in B. rewrite B, <- of_slot_bare. unfold seen.
    destruct (slot_of i _ 0 (Internal j) V eq_refl) as [r S]. simpl in S. rewrite Eq, of_slot_app, <- app_assoc in S.
    pose proof Left_lags as F. rewrite <- S in F. apply Forall_app in F as [F _].
    destruct (of_slot 0 l) as [|[t g] T _] using rev_ind.
    + simpl. unfold last_mark. simpl. rewrite <- Ll. destruct (lags_and_widths j ls Left) as (Nn & _). clear - Nn.
      induction Nn; simpl; constructor; auto. lia.
    + apply Forall_app in F as [_ F]. inversion F; subst. rewrite map_app. simpl. rewrite last_bounds_last.
      rewrite last_mark_snoc. auto.
  - apply Forall_app in Sl as [Sl _].
    destruct (sides_are_the_last K minima maxima ltac:(left; exists false, own; reflexivity) Sw (bare l) Sl) as [_ B].
    unfold state_after in B. rewrite B, <- of_slot_bare. unfold seen.
    destruct (slot_of i _ 1 (Internal k) V eq_refl) as [r S]. simpl in S. rewrite Eq, of_slot_app, <- app_assoc in S.
    pose proof (a_pattern_promises_its_mark k qs Right) as F. rewrite <- S in F. apply Forall_app in F as [F _].
    destruct (of_slot 1 l) as [|[t g] T _] using rev_ind; [reflexivity|].
    apply Forall_app in F as [_ F]. apply Forall_inv in F. simpl in F. rewrite map_app. simpl.
    rewrite last_promise_snoc, last_mark_snoc, F. auto.
Qed.
Lemma nobody_has_seen_more_than_infinity : forall l l2 s, ml i = l ++ l2 -> (s < 2)%nat -> seen l s <= infinity.
Proof.
  intros l l2 s Eq L. destruct (a_slot_is_read net i _ s V L) as [src R].
  pose proof (nobody_has_seen_more net queues reach Net Own c logs sent arrived X ml M sources_rise Ends i s src R) as
    H.
  eapply Z.le_trans; [|exact H]. unfold seen. rewrite Eq, of_slot_app. apply rise_last. rewrite <- of_slot_app, <- Eq.
  apply (slots_rise i _ s V). simpl. lia.
Qed.

Lemma its_own_lags : forall l l2, ml i = l ++ l2 ->
  below (behind (seen_by_all 2 l) (pairwise Z.max ls maxima ++ [Z.max 0 (lowest (pairwise Z.sub ls minima))]))
    (joined_bounds_after (state_after K (bare l))).
Proof.
  intros l l2 Eq. destruct its_windows as (N & Sw & Ll). destruct (lags_and_widths j ls Left) as (Nn & _).
  destruct (the_state_of_a_join l l2 Eq) as (_ & [Wl Wr] & [Lv Lr] & B & Rb).
  pose proof (lowest_of_all (seen l) 2 0 ltac:(lia)) as M0. pose proof (lowest_of_all (seen l) 2 1 ltac:(lia)) as M1.
  fold (seen_by_all 2 l) in M0, M1. set (m := seen_by_all 2 l) in *.
  pose proof (nobody_has_seen_more_than_infinity l l2 0 Eq ltac:(lia)) as Fin.
  set (d := state_after K (bare l)) in *. unfold behind. rewrite map_app. apply below_app.
  - unfold left_bounds_after. apply below_capped.
    + fold (behind m (pairwise Z.max ls maxima)). assert (Fm : m <= infinity) by lia. clear - Nn Fm. revert maxima.
      induction Nn as [|x ls Hx F IH]; intros [|y maxima]; simpl; try (constructor; fail).
      constructor; [lia|apply IH].
    + apply below_lowered; [eapply behind_joined; [exact M0|lia|exact B]|].
      rewrite Forall_forall in *. intros p I. specialize (Wl p I). specialize (Lv p I).
      unfold live_left, may_be_met, is_stale in Lv. apply andb_true_iff in Lv as [_ Lv].
      apply negb_true_iff, Z.ltb_ge in Lv. apply behind_live; [lia|rewrite times_length; lia|].
      apply le_lowest; [|unfold closes, lifetime_closes in Lv; lia].
      apply adds_nonempty; [rewrite times_length; lia|]. destruct p, minima; easy.
  - apply below_capped; [repeat constructor; lia|]. apply below_lowered; [repeat constructor; simpl; lia|].
    rewrite Forall_forall in *. intros q I. specialize (Wr q I). specialize (Lr q I).
    unfold live_right, is_stale in Lr. apply negb_true_iff, Z.ltb_ge in Lr.
    pose proof (behind_expired _ _ _ _ Ll N B) as Ex. destruct q as [|e [|? ?]]; try discriminate.
    unfold moment in Lr. simpl in Lr. unfold kept_by. simpl. repeat constructor. lia.
Qed.
Lemma what_it_sends_lags : Forall (fun x => below (behind (snd x) (pairwise Z.max ls maxima ++
  [Z.max 0 (lowest (pairwise Z.sub ls minima))])) (bounds (fst x))) (sends net ml i).
Proof.
  destruct its_windows as (N & Sw & Ll). set (ls' := pairwise Z.max ls maxima ++ _). unfold sends. rewrite V. simpl.
  unfold slots_of. simpl. fold K.
  assert (G : forall l l2, ml i = l ++ l2 -> Forall (fun x : marked => below (behind (snd x) ls') (bounds (fst x)))
    (marked_output K 2 l)).
  2: { apply (G (ml i) []). rewrite app_nil_r. auto. }
  induction l as [|[s [t g]] l IH] using rev_ind; intros l2 Eq; [constructor|].
  rewrite marked_output_snoc. pose proof Eq as Eq'. rewrite <- app_assoc in Eq'. apply Forall_app. split; [eauto|].
  pose proof (its_own_lags _ _ Eq') as Before. pose proof (its_own_lags _ _ Eq) as After. fold ls' in Before, After.
  rewrite bare_app in After. simpl bare in After. rewrite state_snoc in After.
  destruct (the_state_of_a_join _ _ Eq') as (Rd & St & _).
  assert (Hs : (s < 2)%nat) by (simpl in Rd; destruct (two_slots minima maxima Sw _ _ _ _ Rd); lia).
  pose proof (change_from minima maxima own Sw false (state_after K (bare l)) s t (bare l2) Hs) as C.
  simpl activate in After |- *. unfold two_input_step in After |- *.
  destruct (two_input_change false minima maxima own (state_after K (bare l)) s t) as [d' results].
  destruct C as (_ & _ & Cf). simpl in After |- *.
  assert (Kept : Forall (kept_by (behind (seen_by_all 2 l) ls')) results).
  { eapply Forall_impl; [|exact Cf]. intros r Hr. simpl in Hr.
    destruct (bounds_after_kept minima maxima Sw false _ _ r Rd St Hr) as (_ & Kb & _).
    eapply below_trans; [exact Before|exact Kb]. }
  assert (Mono : seen_by_all 2 l <= seen_by_all 2 (l ++ [(s, (t, g))])).
  { apply known_grows; [lia|]. intros s' L'. pose proof (slots_rise i _ s' V ltac:(simpl; lia)) as Ri.
    rewrite Eq, of_slot_app in Ri. eapply rise_prefix; eauto. }
  set (b0 := seen_by_all 2 l) in *. set (b1 := seen_by_all 2 (l ++ [(s, (t, g))])) in *.
  assert (Less : below (behind b0 ls') (joined_bounds_after d')).
  { eapply below_trans; [|exact After]. clear - Mono. unfold behind. induction ls'; simpl; constructor; auto. lia. }
  unfold bounds_after. clearbody b0 b1. clear - Kept Less After.
  destruct results as [|r results]; [simpl; constructor; [exact After|constructor]|].
  unfold as_tokens. revert r Kept. induction results as [|r' results IH]; intros r Kept.
  - simpl. constructor; [exact After|constructor].
  - change (in_sequence (r :: r' :: results) (joined_bounds_after d')) with
      (Token (lowered (joined_bounds_after d') (r' :: results)) (Some r) :: in_sequence (r' :: results)
        (joined_bounds_after d')).
    inversion Kept as [|? ? K1 K2]; subst. constructor.
    + cbn [fst snd bounds]. apply below_lowered; auto.
    + apply IH. auto.
Qed.
End A_join.

(* PARTE/JOIN-* (specification: propagated-bounds, size-viable). *)
Theorem bounds_lag_by_a_known_time : forall j ls, lagging j ls ->
  Forall (fun x => below (behind (snd x) ls) (bounds (fst x))) (sends net ml j).
Proof.
  intros j ls J. induction J as [j qs P|i minima maxima own j k ls qs V J IH P].
  - eapply Forall_impl; [|apply (a_pattern_promises_its_mark j qs P)]. intros x B. rewrite B. simpl.
    constructor; [lia|constructor].
  - eapply what_it_sends_lags; eauto.
Qed.

(* ---- What is stored is part of what matches -----------------------------------------------------------------------
  *)

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

Definition value (j : nat) : list partial := nth j (values queues net) [].
Lemma a_slot_is_part : forall i v k j, nth_error net i = Some v -> nth_error (sources v) k = Some (Internal j) ->
  (forall u, nth_error net j = Some u -> part_of (payloads (computed_by (kind_of u) (logs j))) (value j)) ->
  part_of (payloads (taken k (logs i))) (value j).
Proof.
  intros i v k j V S H. assert (R : reads net i k (Internal j) = true) by (apply reads_spec; eauto).
  destruct (its_sources _ _ i v (Net i v V) j) as (_ & u & U & _); [eapply nth_error_In; eauto|].
  eapply part_of_trans; [|apply (H u U)]. unfold computed_by. rewrite (the_data _ _ _ _ _ _ X j u U). simpl.
  pose proof (the_inboxes _ _ _ _ _ _ X i k _ R) as I. simpl in I. rewrite <- I, !payloads_app, <- app_assoc.
  apply part_of_app_left.
Qed.
Lemma what_an_entry_sends_is_part : forall e n slots qs, nth_error net e = Some (Vertex (Entry n slots) (map External
  qs))
  -> part_of (payloads (computed_by (Entry n slots) (logs e))) (value e).
Proof.
  intros e n slots qs V. destruct (slots_are_its_queues e n slots qs V) as [Ls _].
  unfold value. rewrite (value_at net queues reach Net e _ V). unfold valued. simpl.
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
Lemma what_a_pattern_sends_is_part : forall j qs, pattern j qs -> forall u, nth_error net j = Some u ->
  part_of (payloads (computed_by (kind_of u) (logs j))) (value j).
Proof.
  intros j qs (own & e & n & slots & V & Ve) u U. assert (u = Vertex (Alpha own) [Internal e]) by congruence. subst u.
  unfold value. rewrite (value_at net queues reach Net j _ V). unfold valued. simpl.
  unfold computed_by. rewrite (run_answered (alpha_answer own)) by (intros ? ? ?; auto). simpl. rewrite alpha_payloads.
  pose proof (the_slots _ _ _ _ _ _ X j _ V) as Sl. simpl in Sl. rewrite (one_slot _ Sl). apply part_of_filtered.
  apply (a_slot_is_part j _ 0 e V eq_refl). intros u U'. assert (u = Vertex (Entry n slots) (map External qs)) by
    congruence. subst u. eapply what_an_entry_sends_is_part; eauto.
Qed.
Lemma what_is_sent_is_part : forall j qss, joins j qss -> forall u, nth_error net j = Some u ->
  part_of (payloads (computed_by (kind_of u) (logs j))) (value j).
Proof.
  intros j qss J. induction J as [j qs P|i minima maxima own j k qss qs V J IH P]; intros u U.
  - eapply what_a_pattern_sends_is_part; eauto.
  - assert (u = Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) by congruence. subst u.
    destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl Hh] _]. simpl in Sl.
    pose proof (its_kind _ _ i _ (Net i _ V)) as W. simpl in W. destruct W as (W & N & Sw & _).
    assert (H0 : honest (length minima) (taken 0 (logs i))) by (apply (Hh 0%nat); rewrite W; auto).
    assert (H1 : honest 1 (taken 1 (logs i))) by (apply (Hh 1%nat); rewrite W; auto).
    destruct (initial_ready minima maxima own false (logs i) H0 H1 Sl) as [Rd _].
    eapply part_of_permutation; [apply (a_join_sends_exactly_the_pairs_that_match minima maxima own N Sw _ Rd)|].
    unfold value. rewrite (value_at net queues reach Net i _ V). unfold valued. simpl. apply part_of_joined.
    + apply (a_slot_is_part i _ 0 j V eq_refl IH).
    + apply (a_slot_is_part i _ 1 k V eq_refl). eapply what_a_pattern_sends_is_part; eauto.
Qed.

Lemma what_a_join_stores_is_part : forall minima maxima own l d, Forall (fun x => fst x < 2)%nat l ->
  let d' := fst (run (TwoInput false minima maxima own) d l) in
  part_of (left d') (left d ++ lefts l) /\ part_of (right d') (right d ++ rights l).
Proof.
  intros minima maxima own. induction l as [|[slot t] l IH]; intros d F; cbn [run].
  - unfold lefts, rights. simpl. rewrite !app_nil_r. split; apply part_of_refl.
  - inversion F; subst. cbn [activate]. unfold two_input_step.
    destruct (two_input_change false minima maxima own d slot t) as [d1 results] eqn:C.
    specialize (IH d1 H2). destruct (run (TwoInput false minima maxima own) d1 l) as [d2 o]. simpl in IH |- *.
    destruct IH as [IL IR].
    assert (G : forall (x : option partial) (a b r : list partial),
      part_of b (a ++ match x with Some p => [p] | None => [] end) -> part_of (b ++ r) (a ++ match x with Some p => p ::
      r | None => r end)).
    { intros x a b r Pt. eapply part_of_trans; [apply part_of_app; [exact Pt|apply part_of_refl]|].
      rewrite <- app_assoc. destruct x; apply part_of_refl. }
    assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by (simpl in H1; lia).
    + rewrite lefts_left, rights_left. simpl in C. unfold join_left in C. split.
      * eapply part_of_trans; [exact IL|]. apply G. destruct (payload t) as [p|]; inversion C; subst; simpl.
        -- destruct (live_left minima maxima (right_bound d) p); [apply part_of_refl|apply part_of_app_left].
        -- rewrite app_nil_r. apply part_of_refl.
      * eapply part_of_trans; [exact IR|]. apply part_of_app; [|apply part_of_refl].
        destruct (payload t); inversion C; subst; simpl; apply part_of_filter.
    + rewrite lefts_right, rights_right. simpl in C. unfold join_right in C. split.
      * eapply part_of_trans; [exact IL|]. apply part_of_app; [|apply part_of_refl].
        destruct (payload t); inversion C; subst; simpl; apply part_of_filter.
      * eapply part_of_trans; [exact IR|]. apply G. destruct (payload t) as [p|]; inversion C; subst; simpl.
        -- destruct (live_right minima (left_bounds d) p); [apply part_of_refl|apply part_of_app_left].
        -- rewrite app_nil_r. apply part_of_refl.
Qed.
End Run.

(* ---- Crowds --------------------------------------------------------------------------------------------------------
   What a history may store where its side has seen the promise m of some of its sources and no other side less: live
   partial matches, with an event that one of these sources has sent, no later than m and its lateness allow, but for
     few
   events ahead: one of each other source that had its turn, and one that is being joined above. *)
Definition crowd_on_the_left (j : nat) (qss : list (list nat)) (minima maxima : list Z) (m : Z) (ps : list partial) :
  Prop :=
  part_of ps (value j) /\ Forall (fun p => opens minima p <= closes maxima p /\ m <= closes maxima p) ps /\
  exists r qs ahead, nth_error qss r = Some qs /\ (length ahead + (2 - length qss) <= length qs)%nat /\
  Forall (fun p => exists y, nth_error p r = Some y /\ (In y ahead \/ owed m qs y)) ps.
Definition crowd_on_the_right (k : nat) (qs : list nat) (lags minima : list Z) (m : Z) (ps : list partial) : Prop :=
  part_of ps (value k) /\ Forall (fun q => m - lowest (pairwise Z.sub lags minima) <= moment q) ps /\
  exists ahead, (length ahead + 1 <= length qs)%nat /\
  Forall (fun q => exists y, q = [y] /\ (In y ahead \/ owed m qs y)) ps.

Definition has_room (i : nat) (v : vertex) : Prop :=
  match kind_of v with
  | TwoInput negated minima maxima _ => negated = false /\ exists j k qss qs lags,
      sources v = [Internal j; Internal k] /\ joins j qss /\ pattern k qs /\ lagging j lags /\
      (forall m ps, crowd_on_the_left j qss minima maxima m ps ->
        fits_in (left_room (limit i)) (S (length ps)) = true) /\
      (forall m ps, crowd_on_the_right k qs lags minima m ps -> fits_in (right_room (limit i)) (S (length ps)) = true)
  | Collecting _ _ _ => False
  | _ => True
  end.

(* PARTE/PROC, PARTE/PROP, under every schedule (specification: size-viable, blocked): any rules of joined patterns,
   of any number, each fed by any number of sources. If each history has room for one more than any crowd, and each
   outbox for the results of a step, nothing is left where no step is possible. *)
Theorem rules_of_joined_patterns_with_room_for_every_crowd_never_block : forall c,
  (forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity) ->
  (forall i, fits_in (inbox_room (limit i)) 1 = true) ->
  (forall i v k t rest, nth_error net i = Some v -> inbox c i k = t :: rest ->
    fits_in (outbox_room (limit i)) (length (snd (activate (kind_of v) (state c i) k t))) = true) ->
  (forall i v, nth_error net i = Some v -> has_room i v) ->
  reaches net limit (start net queues) c -> final net limit c -> rested c.
Proof.
  intros c Ends Inboxes Outboxes Room R F.
  destruct (every_run_never_waited net queues limit c R) as (logs & sent & arrived & X & Never).
  destruct (every_run_can_be_marked net queues reach Net c logs sent arrived X) as [ml M].
  eapply (nothing_is_left net queues reach Net Own c logs sent arrived X limit ml M sources_rise Ends F Inboxes
    Outboxes).
  intros i v k t rest V NotEntry I Least. pose proof (Room i v V) as Rm. unfold has_room in Rm. unfold waits.
  destruct (kind_of v) as [n slots|own|negated minima maxima own|minima maxima own|w own|g at_bounds lag|] eqn:Kv;
    try (destruct (payload t); reflexivity); [exfalso; eapply NotEntry; reflexivity| |contradiction].
  destruct Rm as (-> & j & kk & qss & qs & lags & Sv & J & P & Lg & Left & Right).
  destruct v as [kd src]. simpl in Kv, Sv. subst kd src.
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl _] _]. simpl in Sl.
  pose proof (logs_of logs ml M i _ V) as Lo.
  destruct (the_state_of_a_join c logs sent arrived ml X M i minima maxima own j kk qs lags V P Lg
    (bounds_lag_by_a_known_time c logs sent arrived ml X M Ends j lags Lg) (ml i) [] ltac:(rewrite app_nil_r; auto))
    as (_ & _ & [Lv Lr] & B & Rb).
  assert (St : state_after (TwoInput false minima maxima own) (bare (ml i)) = state c i).
  { rewrite Lo. unfold state_after. pose proof (the_data _ _ _ _ _ _ X i _ V) as D. cbn [kind_of] in D. rewrite D.
    auto. }
  rewrite St in Lv, Lr, B, Rb.
  destruct (what_a_join_stores_is_part minima maxima own (logs i) (initial (TwoInput false minima maxima own)) Sl)
    as [Pl Pr]. fold (state_after (TwoInput false minima maxima own) (logs i)) in Pl, Pr. rewrite <- Lo, St in Pl, Pr.
  simpl in Pl, Pr. rewrite Lo in Pl, Pr.
  assert (R0 : reads net i 0 (Internal j) = true) by (apply reads_spec; eexists; split; [exact V|reflexivity]).
  assert (R1 : reads net i 1 (Internal kk) = true) by (apply reads_spec; eexists; split; [exact V|reflexivity]).
  assert (Hk : k = 0%nat \/ k = 1%nat).
  { destruct (reads_or_not net i k) as [[s Rs]|N].
    - apply reads_spec in Rs as (v' & V' & S'). rewrite V in V'. injection V' as <-. simpl in S'. destruct k as
      [|[|k]]; auto. destruct k; discriminate.
    - pose proof (no_inbox _ _ _ _ _ _ X i k N) as Z. congruence. }
  destruct (payload t) as [p|] eqn:Pt; [|reflexivity].
  destruct Hk as [-> | ->].
  - assert (C : crowd_on_the_left j qss minima maxima (seen (ml i) 0) (left (state c i))).
    { split; [|split].
      - eapply part_of_trans; [exact Pl|]. apply (a_slot_is_part c logs sent arrived X i _ 0 j V eq_refl).
        apply (what_is_sent_is_part c logs sent arrived X j qss J).
      - rewrite Forall_forall in *. intros x Ix. specialize (Lv x Ix). unfold live_left, may_be_met, is_stale in Lv.
        apply andb_true_iff in Lv as [Lo1 Lo2]. apply Z.leb_le in Lo1. apply negb_true_iff, Z.ltb_ge in Lo2.
        specialize (Least _ _ _ R1). lia.
      - destruct (slot_of logs ml M i _ 0 (Internal j) V eq_refl) as [r S]. simpl in S.
        assert (Inl : forall x, In x (left (state c i)) -> In x (payloads (map fst (of_slot 0 (ml i) ++ [])))).
        { intros x Ix. rewrite app_nil_r, of_slot_bare, Lo. destruct Pl as [z Pl]. unfold lefts in Pl.
          apply (Permutation_in _ Pl), in_or_app. auto. }
        destruct J as [j qs0 P0|j mi ma own' j' k' qss' qs0 V0 J0 P0].
        + destruct (what_a_pattern_sent_up_to_a_mark c logs sent arrived ml X M Never j qs0 _ [] r (seen (ml i) 0) P0
            (eq_sym S) (Z.le_refl _)) as (ahead & La & H).
          exists 0%nat, qs0, ahead. split; auto. split.
          * simpl in La |- *. destruct P0 as (? & e & n & slots & _ & Ve).
            destruct (slots_are_its_queues e n slots qs0 Ve). lia.
          * apply Forall_forall. intros x Ix. destruct (H x (Inl x Ix)) as (y & -> & Hy). exists y. auto.
        + destruct (who_led_has_seen_least c logs sent arrived ml X M Never j _ (Joins_more _ _ _ _ _ _ _ _ V0 J0 P0)
            (of_slot 0 (ml i)) [] r (seen (ml i) 0) (eq_sym S) ltac:(simpl; lia) (Z.le_refl _))
            as (r0 & qs1 & ahead & Nr & La & H).
          exists r0, qs1, ahead. split; auto. split.
          * assert (Lq : (1 <= length qss')%nat) by (destruct J0; [simpl; lia|rewrite app_length; simpl; lia]).
            rewrite app_length. simpl length at 3. lia.
          * apply Forall_forall. intros x Ix. apply (H x (Inl x Ix)). }
    specialize (Left _ _ C). simpl. rewrite Left. rewrite andb_false_r. reflexivity.
  - assert (C : crowd_on_the_right kk qs lags minima (seen (ml i) 1) (right (state c i))).
    { split; [|split].
      - eapply part_of_trans; [exact Pr|]. apply (a_slot_is_part c logs sent arrived X i _ 1 kk V eq_refl).
        eapply what_a_pattern_sends_is_part; eauto.
      - rewrite Forall_forall in *. intros x Ix. specialize (Lr x Ix). unfold live_right, is_stale in Lr.
        apply negb_true_iff, Z.ltb_ge in Lr.
        destruct (its_windows i minima maxima own j kk lags V Lg) as (N & Sw & Ll).
        pose proof (behind_expired _ _ _ _ Ll N B) as Ex. specialize (Least _ _ _ R0). lia.
      - destruct (slot_of logs ml M i _ 1 (Internal kk) V eq_refl) as [r S]. simpl in S.
        destruct (what_a_pattern_sent_up_to_a_mark c logs sent arrived ml X M Never kk qs _ [] r (seen (ml i) 1) P
          (eq_sym S) (Z.le_refl _)) as (ahead & La & H).
        exists ahead. split.
        + simpl in La. destruct P as (? & e & n & slots & _ & Ve). destruct (slots_are_its_queues e n slots qs Ve). lia.
        + apply Forall_forall. intros x Ix. apply H. rewrite app_nil_r, of_slot_bare, Lo.
          destruct Pr as [z Pr]. unfold rights in Pr. apply (Permutation_in _ Pr), in_or_app. auto. }
    specialize (Right _ _ C). simpl. rewrite Right. rewrite andb_false_r. reflexivity.
Qed.

End Room.
