(* Who led what flows: of all that a node sends up to a mark, and one token more, the partial matches are held by that
   mark, but for few (docs/bounds.md, "Count"; specification: size-viable, entry-merge). *)
From Parte Require Export Parts.

Section Led.
Context {E : Events}.

(* ---- Nodes whose left partial matches wait for their windows
  ------------------------------------------------------- *)

Section Waiting.
Variables (k : kind) (minima maxima : list Z) (makes : partial -> partial -> Prop).
Hypothesis Waits : (exists own, k = TwoInput true minima maxima own /\ makes = eq) \/
  (exists own, k = Collecting minima maxima own /\ makes = with_some_set).

Lemma makes_the_same_times : forall p r, makes p r -> times r = times p.
Proof.
  destruct Waits as [(own & _ & ->)|(own & _ & ->)]; intros p r H; [subst; auto|]. destruct H as [s ->].
  apply with_set_times.
Qed.
Lemma what_a_step_releases : forall d s t, (s < 2)%nat -> Forall (fun r => exists p, makes p r /\
    ((s = 0%nat /\ payload t = Some p /\ live_left minima maxima (right_bound d) p = false) \/
     (s = 1%nat /\ In p (left d) /\ passed maxima (only (bounds t)) p = true)))
  (payloads (snd (activate k d s t))).
Proof.
  intros d s t Hs. assert (s = 0 \/ s = 1)%nat as [-> | ->] by lia; destruct Waits as [(own & -> & ->)|(own & -> &
    ->)];
    cbn [activate].
  - unfold two_input_step. simpl. unfold not_left. destruct (payload t) as [p|]; [|constructor].
    destruct (matching_right minima maxima own (right d) p); [|constructor].
    destruct (live_left minima maxima (right_bound d) p) eqn:Lv; [constructor|]. simpl. constructor; [|constructor].
    exists p. auto 10.
  - unfold collect_step. simpl. rewrite collect_left_is. cbn [snd fst]. rewrite payloads_as_tokens.
    unfold results_on_left. destruct (payload t) as [p|]; [|constructor].
    destruct (live_left minima maxima (right_bound d) p) eqn:Lv; [constructor|]. constructor; [|constructor].
    exists p. split; [eexists; reflexivity|]. auto 10.
  - unfold two_input_step. simpl. rewrite payloads_as_tokens. apply Forall_forall. intros r I.
    apply filter_In in I as [I P]. exists r. split; auto. right. split; auto. split; auto.
    destruct (payload t); auto. apply filter_In in I. tauto.
  - unfold collect_step. simpl. rewrite payloads_as_tokens. apply Forall_map, Forall_forall. intros p I.
    apply filter_In in I as [I P]. exists p. split; [eexists; reflexivity|]. auto 10.
Qed.
Lemma a_history_is_not_overfull : forall l most srcs d s t, left_room l = Some most ->
  waits (Vertex k srcs) l d s t = false -> (length (left d) <= most)%nat -> (s < 2)%nat ->
  (length (left (fst (activate k d s t))) <= most)%nat.
Proof.
  intros l most srcs d s t Rm W L Hs. assert (Fl : forall (f : partial -> bool) a, (length (filter f a) <= length
    a)%nat).
  { intros f a. induction a as [|x a IH]; simpl; auto. destruct (f x); simpl; lia. }
  assert (s = 0 \/ s = 1)%nat as [-> | ->] by lia; destruct Waits as [(own & -> & _)|(own & -> & _)]; cbn [activate].
  - unfold two_input_step, waits in *. simpl in *. unfold not_left. destruct (payload t) as [p|]; [|exact L].
    destruct (matching_right minima maxima own (right d) p) as [|q qs] eqn:Mt; [|exact L].
    destruct (live_left minima maxima (right_bound d) p); [|exact L]. simpl. rewrite app_length. simpl.
    assert (Ex : existsb (fun q => matches minima maxima own p q) (right d) = false).
    { clear - Mt. unfold matching_right in Mt. induction (right d) as [|q qs IH]; simpl in *; auto.
      destruct (matches minima maxima own p q); [discriminate|auto]. }
    rewrite Ex, Rm in W. cbn [negb] in W. rewrite andb_true_r in W. cbn [andb] in W. apply negb_false_iff in W.
    unfold fits_in in W. apply Nat.leb_le in W. lia.
  - unfold collect_step, waits in *. cbn [kind_of] in W. destruct (collect_change minima maxima own d 0 t) as [d' rs]
    eqn:C.
    simpl. simpl in W. destruct (payload t) as [p|] eqn:Pt.
    + rewrite Rm in W. apply negb_false_iff, Nat.leb_le in W. exact W.
    + simpl in C. unfold collect_left in C. rewrite Pt in C. inversion C; subst. exact L.
  - unfold two_input_step. simpl. eapply Nat.le_trans; [apply Fl|]. destruct (payload t); [|exact L].
    eapply Nat.le_trans; [apply Fl|exact L].
  - unfold collect_step. simpl. eapply Nat.le_trans; [apply Fl|exact L].
Qed.
End Waiting.

Section Run.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variable late : nat -> Z.
Hypothesis Punctual : forall q, prompt (late q) (- infinity) (queues q).
Variable limit : nat -> limits.
Hypothesis Turns : forall i, turns (limit i) = true.
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token) (ml : nat -> marked_log).
Hypothesis X : explained net queues c logs sent arrived.
Hypothesis M : marks_of net queues (length net) logs ml.
Hypothesis Never : never_waited net limit logs.
Notation logs_of := (logs_of net queues logs ml M).
Notation slot_of := (slot_of net queues logs ml M).
Notation slots_rise := (slots_rise net queues reach Net Own late Punctual c logs sent arrived ml X M).
Notation sources_rise := (sources_rise queues late Punctual).
Notation pattern := (pattern net).
Notation flows := (flows net queues late limit).
Notation a_pattern_promises_its_mark := (a_pattern_promises_its_mark net queues reach Net Own c logs sent arrived ml X
  M).
Notation a_relay := (a_relay net queues logs ml M).
Notation an_answering_node_relays := (an_answering_node_relays net queues c logs sent arrived ml X M).
Notation an_entry_of_one_relays := (an_entry_of_one_relays net queues reach Net Own c logs sent arrived ml X M).

(* Of all that j sends up to a mark, and one token more. *)
Definition is_led (j : nat) (L : lead -> Prop) : Prop := forall T0 T1 R m, sends net ml j = T0 ++ T1 ++ R ->
  (length T1 <= 1)%nat -> last_mark T0 <= m ->
  exists x, L x /\ led_by x m (length T1) (payloads (map fst (T0 ++ T1))).
Lemma a_pattern_is_led : forall j qs, pattern j qs -> is_led j (eq (of_sources queues late qs)).
Proof.
  intros j qs P T0 T1 R m Eq _ Le.
  destruct (what_a_pattern_sent_up_to_a_mark net queues reach Net Honest Own late Punctual limit Turns c logs sent
    arrived ml X M Never j qs T0 T1 R m P Eq Le) as (ahead & La & H).
  eexists. split; [reflexivity|]. exists (map (fun y => [y]) ahead). split; [rewrite map_length; exact La|].
  apply Forall_forall. intros p I. destruct (H p I) as (y & -> & [Hy|Hy]); simpl; [right|left; eauto].
  exists [y]. split; auto. apply (in_map (fun y => [y])). auto.
Qed.

(* ---- Two-sided nodes ----------------------------------------------------------------------------------------------
  *)

Section Two_sided.
Variables (i : nat) (k : kind) (minima maxima : list Z) (j j' : nat).
Hypothesis V : nth_error net i = Some (Vertex k [Internal j; Internal j']).
Hypothesis Two : two_sided k minima maxima.

Lemma the_widths : widths net (Vertex k [Internal j; Internal j']) = [length minima; 1%nat] /\ minima <> [] /\
  length maxima = length minima.
Proof. exact (windows_of net reach Net i k minima maxima j j' V Two). Qed.
Lemma its_log : Forall (fun x => fst x < 2)%nat (bare (ml i)) /\ honest (length minima) (taken 0 (bare (ml i))) /\
  honest 1 (taken 1 (bare (ml i))).
Proof.
  destruct the_widths as (W & _). rewrite (logs_of i _ V).
  destruct (promises_kept net queues reach Net Honest c logs sent arrived X i _ V) as [[Sl Hh] _]. rewrite W in Sl, Hh.
  split; [exact Sl|]. split; [apply (Hh 0%nat)|apply (Hh 1%nat)]; auto.
Qed.
Lemma a_prefix_of_its_log : forall l l2, ml i = l ++ l2 -> Forall (fun x => fst x < 2)%nat (bare l) /\
  honest (length minima) (taken 0 (bare l)) /\ honest 1 (taken 1 (bare l)).
Proof.
  intros l l2 Eq. destruct its_log as (Sl & H0 & H1). rewrite Eq, bare_app, ?taken_app in *.
  apply Forall_app in Sl as [Sl _]. apply honest_prefix in H0, H1. auto.
Qed.
Lemma what_was_sent_up_to_a_mark : forall T0 T1 R m, sends net ml i = T0 ++ T1 ++ R -> (length T1 <= 1)%nat ->
  last_mark T0 <= m -> exists l1 l2, ml i = (l1 ++ firstn 1 l2) ++ skipn 1 l2 /\ (seen l1 0 <= m \/ seen l1 1 <= m) /\
  incl (payloads (map fst (T0 ++ T1))) (payloads (computed_by k (bare (l1 ++ firstn 1 l2)))).
Proof.
  intros T0 T1 R m Eq L1 Le.
  assert (T : is_terminal k = false) by (destruct Two as [(? & ? & ->)|(? & ->)]; auto).
  assert (Low : - infinity <= m).
  { destruct (what_a_node_sends net queues reach Net Own c logs sent arrived X ml M sources_rise i _ V T) as [Rise _].
    rewrite Eq in Rise. pose proof (Rise [] T0 (T1 ++ R) eq_refl) as B. exact (Z.le_trans _ _ _ B Le). }
  assert (Ans : answers k (bare (ml i))).
  { rewrite (logs_of i _ V). apply (every_node_answers net queues reach Net Own c logs sent arrived X i _ V T). }
  unfold sends in Eq. rewrite V in Eq. unfold slots_of in Eq. cbn [kind_of sources length] in Eq.
  destruct (a_mark_cuts_the_log k 2 (ml i) T0 T1 R m ltac:(lia) Ans Low
    ltac:(intros s L; apply (slots_rise i _ s V); simpl; lia) Eq L1 Le) as (l1 & l2 & El & Kn & R' & O).
  exists l1, l2. split; [rewrite <- app_assoc, firstn_skipn; auto|]. split.
  - destruct (lowest_is_one (seen l1) 2 ltac:(lia)) as (k0 & L0 & Lw). unfold seen_by_all in Kn. rewrite Lw in Kn.
    assert (k0 = 0 \/ k0 = 1)%nat as [-> | ->] by lia; auto.
  - intros p I. rewrite <- (marked_output_bare k 2), O, app_assoc, map_app, payloads_app. apply in_or_app. auto.
Qed.
Lemma a_side_is_led : forall s src L l1 l2 m, nth_error [j; j'] s = Some src -> is_led src L ->
  ml i = (l1 ++ firstn 1 l2) ++ skipn 1 l2 -> seen l1 s <= m ->
  exists x, L x /\ led_by (in_steps x) m 0 (payloads (taken s (bare (l1 ++ firstn 1 l2)))).
Proof.
  intros s src L l1 l2 m S IL Eq Le. destruct (slot_of i _ s (Internal src) V) as [r Sl].
  { destruct s as [|[|s]]; simpl in *; [congruence|congruence|destruct s; discriminate]. }
  simpl in Sl. rewrite Eq, !of_slot_app, <- !app_assoc in Sl.
  assert (Lf : (length (of_slot s (firstn 1 l2)) <= 1)%nat).
  { destruct l2 as [|[s' x] l2]; simpl; [lia|]. unfold of_slot. simpl. destruct (Nat.eqb s' s); simpl; lia. }
  destruct (IL _ _ _ m (eq_sym Sl) Lf Le) as (x & Lx & D). exists x. split; auto.
  rewrite <- of_slot_bare, of_slot_app. eapply led_in_steps; eauto.
Qed.
End Two_sided.

Lemma a_join_is_led : forall i minima maxima own j k L R,
  nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) ->
  is_led j L -> is_led k R -> is_led i
    (fun x => (exists y, L y /\ x = image on_its_left (in_steps y)) \/
              (exists y, R y /\ x = image (on_its_right (length minima)) (in_steps y))).
Proof.
  intros i minima maxima own j k L R V IL IR T0 T1 Rest m Eq L1 Le.
  assert (Two : two_sided (TwoInput false minima maxima own) minima maxima) by (left; eauto).
  destruct (the_widths i _ minima maxima j k V Two) as (_ & _ & Sw).
  destruct (what_was_sent_up_to_a_mark i _ minima maxima j k V Two T0 T1 Rest m Eq L1 Le) as (l1 & l2 & El & Kn & Inc).
  destruct (a_prefix_of_its_log i _ minima maxima j k V Two _ _ El) as (Sl & H0 & H1).
  apply honest_widths in H0, H1. rewrite Forall_forall in H0, H1.
  assert (From : forall r, In r (payloads (map fst (T0 ++ T1))) -> exists p q, r = p ++ q /\ length p = length minima
    /\
    length q = 1%nat /\ In p (payloads (taken 0 (bare (l1 ++ firstn 1 l2)))) /\
    In q (payloads (taken 1 (bare (l1 ++ firstn 1 l2))))).
  { intros r I. apply Inc in I. pose proof (run_from minima maxima own Sw false (bare (l1 ++ firstn 1 l2))
      (initial (TwoInput false minima maxima own)) Sl) as F. rewrite Forall_forall in F. specialize (F r I).
    destruct F as (p & q & Ip & Iq & ->). exists p, q. simpl in Ip, Iq. repeat split; auto. }
  destruct Kn as [Kn|Kn].
  - destruct (a_side_is_led i _ j k V 0 j L l1 l2 m eq_refl IL El Kn) as (x & Lx & D).
    eexists. split; [left; eauto|]. assert (D' : led_by (in_steps x) m (length T1) (payloads (taken 0 (bare (l1 ++
      firstn 1
      l2))))) by exact D. eapply led_image; [exact D'|]. apply Forall_forall. intros r I.
    destruct (From r I) as (p & q & -> & Lp & Lq & Ip & _). exists p. split; auto. exists q. auto.
  - destruct (a_side_is_led i _ j k V 1 k R l1 l2 m eq_refl IR El Kn) as (x & Lx & D).
    eexists. split; [right; eauto|]. assert (D' : led_by (in_steps x) m (length T1) (payloads (taken 1 (bare (l1 ++
      firstn 1
      l2))))) by exact D. eapply led_image; [exact D'|]. apply Forall_forall. intros r I.
    destruct (From r I) as (p & q & -> & Lp & Lq & _ & Iq). exists q. split; auto. exists p. auto.
Qed.

Lemma the_right_bound_is_what_was_seen : forall i k minima maxima j j' qs l l2,
  nth_error net i = Some (Vertex k [Internal j; Internal j']) -> two_sided k minima maxima -> pattern j' qs ->
  ml i = l ++ l2 -> right_bound (state_after k (bare l)) = seen l 1.
Proof.
  intros i k minima maxima j j' qs l l2 V Two P Eq.
  destruct (the_widths i k minima maxima j j' V Two) as (_ & _ & Sw).
  destruct (a_prefix_of_its_log i k minima maxima j j' V Two l l2 Eq) as (Sl & _).
  destruct (sides_are_the_last k minima maxima Two Sw (bare l) Sl) as [_ B].
  rewrite B, <- of_slot_bare. unfold seen. destruct (slot_of i _ 1 (Internal j') V eq_refl) as [r S]. simpl in S.
  rewrite Eq, of_slot_app, <- app_assoc in S.
  pose proof (a_pattern_promises_its_mark j' qs P) as F. rewrite <- S in F. apply Forall_app in F as [F _].
  destruct (of_slot 1 l) as [|[t g] T _] using rev_ind; [reflexivity|].
  apply Forall_app in F as [_ F]. apply Forall_inv in F. simpl in F. rewrite map_app. simpl.
  rewrite last_promise_snoc, last_mark_snoc, F. auto.
Qed.

Section Waiting_for_windows.
Variables (i : nat) (k : kind) (minima maxima : list Z) (makes : partial -> partial -> Prop) (j j' : nat)
  (qs : list nat) (most : nat) (P : list partial -> Prop) (L : lead -> Prop).
Hypothesis Waits : (exists own, k = TwoInput true minima maxima own /\ makes = eq) \/
  (exists own, k = Collecting minima maxima own /\ makes = with_some_set).
Hypothesis V : nth_error net i = Some (Vertex k [Internal j; Internal j']).
Hypothesis Absent : pattern j' qs.
Hypothesis Sized : left_room (limit i) = Some most.
Hypothesis Open : forall ps, P ps -> Forall (fun p => opens minima p <= closes maxima p) ps.
Hypothesis Left_may_be : P (payloads (taken 0 (logs i))).
Hypothesis Left_is_led : is_led j L.

Lemma it_has_two_sides : two_sided k minima maxima.
Proof. destruct Waits as [(own & -> & _)|(own & -> & _)]; [left; eauto|right; eauto]. Qed.
Lemma its_left_is_never_overfull : forall l l2, ml i = l ++ l2 ->
  (length (left (state_after k (bare l))) <= most)%nat.
Proof.
  induction l as [|[s [t g]] l IH] using rev_ind; intros l2 Eq.
  - destruct Waits as [(own & -> & _)|(own & -> & _)]; simpl; lia.
  - destruct (a_prefix_of_its_log i k minima maxima j j' V it_has_two_sides _ _ Eq) as (Sl & _).
    rewrite bare_app in Sl |- *. apply Forall_app in Sl as [_ Sl]. inversion Sl as [|? ? Hs _]; subst. simpl in Hs.
    rewrite <- app_assoc in Eq. simpl bare. rewrite state_snoc.
    eapply (a_history_is_not_overfull k minima maxima makes Waits (limit i) most); eauto.
    apply (Never i _ (bare l) s t (bare l2) V). rewrite <- (logs_of i _ V), Eq, bare_app. auto.
Qed.
Lemma where_it_comes_from : forall l l2, ml i = l ++ l2 ->
  Forall (fun r => exists p, makes p r /\ In p (payloads (taken 0 (bare l)))) (payloads (computed_by k (bare l))).
Proof.
  intros l l2 Eq. pose proof it_has_two_sides as Two.
  destruct (the_widths i k minima maxima j j' V Two) as (_ & N & Sw).
  destruct (a_prefix_of_its_log i k minima maxima j j' V Two _ _ Eq) as (Sl & H0 & H1).
  destruct Waits as [(own & -> & ->)|(own & -> & ->)].
  - eapply Forall_impl; [|apply (run_from minima maxima own Sw true (bare l) (initial (TwoInput true minima maxima
    own))
      Sl)]. intros r I. exists r. auto.
  - destruct (collect_initial_ready minima maxima own (bare l) H0 H1 Sl) as [Rd _].
    pose proof (a_set_node_sends_or_keeps_each_match_with_its_set minima maxima own N Sw (bare l) Rd) as Pm.
    apply Forall_forall. intros r I.
    assert (J : In r (map (collection minima maxima own (rights (bare l))) (lefts (bare l)))).
    { apply (Permutation_in _ Pm), in_or_app. left. exact I. }
    apply in_map_iff in J as (p & <- & J). exists p. split; auto. eexists. reflexivity.
Qed.
Lemma what_came_is_open : forall l l2 p, ml i = l ++ l2 -> In p (payloads (taken 0 (bare l))) ->
  opens minima p <= closes maxima p.
Proof.
  intros l l2 p Eq I. specialize (Open _ Left_may_be). rewrite Forall_forall in Open. apply Open.
  rewrite <- (logs_of i _ V), Eq, bare_app, taken_app, payloads_app. apply in_or_app. auto.
Qed.
Lemma what_a_step_lets_go : forall l s t g l2 r, ml i = l ++ (s, (t, g)) :: l2 ->
  In r (payloads (snd (activate k (state_after k (bare l)) s t))) -> exists p, makes p r /\
  ((s = 0%nat /\ closes maxima p < seen l 1) \/
   (s = 1%nat /\ In p (left (state_after k (bare l))) /\ closes maxima p < seen (l ++ [(s, (t, g))]) 1)).
Proof.
  intros l s t g l2 r Eq I. pose proof it_has_two_sides as Two.
  assert (Eq' : ml i = (l ++ [(s, (t, g))]) ++ l2) by (rewrite <- app_assoc; auto).
  destruct (a_prefix_of_its_log i k minima maxima j j' V Two _ _ Eq') as (Sl & _).
  rewrite bare_app in Sl. apply Forall_app in Sl as [_ Sl]. inversion Sl as [|? ? Hs _]; subst. simpl in Hs.
  pose proof (what_a_step_releases k minima maxima makes Waits (state_after k (bare l)) s t Hs) as F.
  rewrite Forall_forall in F. destruct (F r I) as (p & Mp & [(-> & Pt & Lv)|(-> & Ip & Ps)]); exists p; split; auto.
  - left. split; auto. rewrite <- (the_right_bound_is_what_was_seen i k minima maxima j j' qs l _ V Two Absent Eq).
    assert (Op : opens minima p <= closes maxima p).
    { eapply (what_came_is_open _ _ p Eq'). rewrite bare_app, taken_app, payloads_app. apply in_or_app. right.
      unfold taken, payloads. simpl. rewrite Pt. simpl. auto. }
    unfold live_left, may_be_met, is_stale in Lv. apply andb_false_iff in Lv as [Lv|Lv]; [apply Z.leb_gt in Lv; lia|].
    apply negb_false_iff, Z.ltb_lt in Lv. auto.
  - right. split; auto. split; auto.
    rewrite <- (the_right_bound_is_what_was_seen i k minima maxima j j' qs _ _ V Two Absent Eq').
    rewrite bare_app. simpl bare. rewrite state_snoc.
    destruct (a_step_of_two_sides k minima maxima Two (proj2 (proj2 (the_widths i k minima maxima j j' V Two)))
      (state_after k (bare l)) 1 t
      ltac:(lia)) as (_ & _ & -> & _). apply Z.ltb_lt. exact Ps.
Qed.
Lemma what_was_let_go : forall l l2 r, ml i = l ++ l2 -> In r (payloads (computed_by k (bare l))) ->
  exists p, makes p r /\ closes maxima p < seen l 1.
Proof.
  induction l as [|[s [t g]] l IH] using rev_ind; intros l2 r Eq I.
  - contradiction.
  - assert (Eq' := Eq). rewrite <- app_assoc in Eq'. rewrite bare_app in I. simpl bare in I.
    rewrite computed_snoc, payloads_app in I.
    assert (Mono : seen l 1 <= seen (l ++ [(s, (t, g))]) 1).
    { unfold seen. rewrite of_slot_app. apply rise_last. rewrite <- of_slot_app.
      pose proof (slots_rise i _ 1 V ltac:(simpl; lia)) as Ri. rewrite Eq, of_slot_app in Ri. eapply rise_prefix;
        eauto. }
    apply in_app_iff in I as [I|I].
    + destruct (IH _ r Eq' I) as (p & Mp & C). exists p. split; auto. lia.
    + destruct (what_a_step_lets_go l s t g l2 r Eq' I) as (p & Mp & [(_ & C)|(_ & _ & C)]); exists p; split; auto.
      lia.
Qed.
Lemma it_is_led : is_led i (fun x => exists y, (L y \/ y = released maxima most) /\ x = image makes (in_steps y)).
Proof.
  intros T0 T1 Rest m Eq L1 Le. pose proof it_has_two_sides as Two.
  destruct (what_was_sent_up_to_a_mark i k minima maxima j j' V Two T0 T1 Rest m Eq L1 Le) as (l1 & l2 & El & Kn &
    Inc).
  destruct Kn as [Kn|Kn].
  - destruct (a_side_is_led i k j j' V 0 j L l1 l2 m eq_refl Left_is_led El Kn) as (x & Lx & D).
    eexists. split; [exists x; auto|]. eapply led_image; [exact D|]. apply Forall_forall. intros r I. apply Inc in I.
    pose proof (where_it_comes_from _ _ El) as F. rewrite Forall_forall in F. destruct (F r I) as (p & Mp & Ip). eauto.
  - eexists. split; [eexists; split; [right; reflexivity|reflexivity]|].
    assert (El' : ml i = l1 ++ firstn 1 l2 ++ skipn 1 l2) by (rewrite El, <- app_assoc; auto).
    exists (left (state_after k (bare l1))). split.
    + eapply Nat.le_trans; [apply (its_left_is_never_overfull l1 _ El')|].
      unfold allowed. simpl. unfold allowed. simpl. lia.
    + apply Forall_forall. intros r I. apply Inc in I. destruct l2 as [|[s [t g]] l2].
      * simpl firstn in *. rewrite app_nil_r in I. destruct (what_was_let_go l1 _ r El' I) as (p & Mp & C).
        left. simpl. exists p. split; auto. lia.
      * simpl firstn in *. simpl skipn in *. rewrite bare_app in I. simpl bare in I. rewrite computed_snoc,
        payloads_app in I.
        apply in_app_iff in I as [I|I].
        -- destruct (what_was_let_go l1 _ r El' I) as (p & Mp & C). left. simpl. exists p. split; auto. lia.
        -- destruct (what_a_step_lets_go l1 s t g l2 r El' I) as (p & Mp & [(_ & C)|(_ & Ip & C)]).
           ++ left. simpl. exists p. split; auto. lia.
           ++ right. simpl. exists p. eauto.
Qed.
End Waiting_for_windows.

(* ---- Nodes that send one token for each ---------------------------------------------------------------------------
  *)

Lemma a_relay_is_led : forall i k src f makes L, nth_error net i = Some (Vertex k [Internal src]) ->
  relays f k (bare (ml i)) -> is_led src L ->
  (forall l, incl (payloads l) (payloads (taken 0 (logs i))) ->
    Forall (fun r => exists p, In p (payloads l) /\ makes p r) (payloads (map f l))) ->
  is_led i (fun x => exists y, L y /\ x = image makes y).
Proof.
  intros i k src f makes L V A IL F T0 T1 R m Eq L1 Le.
  destruct (a_relay i k (Internal src) f V A) as [Si [r Sr]]. simpl in Sr. rewrite Si in Eq.
  destruct (parts_passed_on f _ _ _ _ Eq) as (A0 & A1 & A2 & Es & -> & -> & Len & Lm).
  rewrite Es, <- !app_assoc in Sr. rewrite <- Len in L1. rewrite <- Lm in Le.
  destruct (IL A0 A1 _ m (eq_sym Sr) L1 Le) as (x & Lx & D). exists (image makes x). split; [eauto|].
  rewrite <- Len. eapply led_image; [exact D|]. unfold passed_on. rewrite <- map_app, map_map.
  specialize (F (map fst (A0 ++ A1))). rewrite map_map in F. apply F.
  rewrite <- (logs_of i _ V), <- of_slot_bare, Es, app_assoc.
  rewrite (map_app _ (A0 ++ A1)), payloads_app. intros p I. apply in_or_app. auto.
Qed.

(* PARTE/ENTRY, PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*, PARTE/PROD* (specification: entry-merge, size-viable). *)
Theorem what_flows_is_led : forall j ls P L, flows j ls P L -> is_led j L.
Proof.
  intros j ls P L F.
  induction F as [j qs Pt|i mi ma own j k ls lag P Q L R V FL IL FR IR|i mi ma own j k ls qs most P L V FL IL Pt Sz Op
    |i mi ma own j k ls qs most P L V FL IL Pt Sz Op|i w own j ls P L V FL IL|a e i own n g ab al j ls lag P L V Ve Vi
    FL IL Nn At].
  - apply (a_pattern_is_led j qs Pt).
  - eapply a_join_is_led; eauto.
  - assert (H : is_led i (fun x => exists y, (L y \/ y = released ma most) /\ x = image eq (in_steps y))).
    { eapply (it_is_led i (TwoInput true mi ma own) mi ma eq j k qs most P L); eauto.
      apply (a_slot_may_be net queues reach Net late limit c logs sent arrived X i _ 0 j ls P L FL V eq_refl).
      eapply what_flows_may_be; eauto. }
    intros T0 T1 R m Eq L1 Le. destruct (H T0 T1 R m Eq L1 Le) as (x & (y & Ly & ->) & few & Lf & D).
    exists (in_steps y). split; [eauto|]. exists few. split; auto. eapply Forall_impl; [|exact D]. simpl.
    intros p [(q & <- & Hq)|(p0 & I0 & q & <- & Hq)]; eauto.
  - eapply (it_is_led i (Collecting mi ma own) mi ma with_some_set j k qs most P L); eauto.
    apply (a_slot_may_be net queues reach Net late limit c logs sent arrived X i _ 0 j ls P L FL V eq_refl).
    eapply what_flows_may_be; eauto.
  - assert (H : is_led i (fun x => exists y, L y /\ x = image eq y)).
    { eapply a_relay_is_led; [exact V| |exact IL|].
      - eapply (an_answering_node_relays i _ _ (filter_answer own)); eauto. intros d s t. auto.
      - intros l _. rewrite filter_payloads. apply Forall_forall. intros r I. apply filter_In in I as [I _]. eauto. }
    intros T0 T1 R m Eq L1 Le. destruct (H T0 T1 R m Eq L1 Le) as (x & (y & Ly & ->) & few & Lf & D).
    exists y. split; [eauto|]. exists few. split; auto. eapply Forall_impl; [|exact D]. simpl.
    intros p [(q & <- & Hq)|(p0 & I0 & q & <- & Hq)]; eauto.
  - assert (Hi : is_led i (fun x => exists y, L y /\ x = image (makes_an_event P g) y)).
    { eapply a_relay_is_led; [exact Vi| |exact IL|].
      - eapply (an_answering_node_relays i _ _ (production_answer g ab)); eauto. intros d s t. auto.
      - intros l Inc. rewrite production_payloads. apply Forall_forall. intros r I.
        apply in_flat_map in I as (p & Ip & I). exists p. split; auto. split; auto.
        eapply (a_part_may_come net queues late limit); [exact FL| |
          apply (a_slot_may_be net queues reach Net late limit c logs sent arrived X i _ 0 j ls P L FL Vi eq_refl);
          eapply what_flows_may_be; eauto].
        apply Inc, in_split in Ip as (p1 & p2 & ->). exists (p1 ++ p2). exact (Permutation_middle p1 p2 p). }
    assert (Same : forall v k' src f L', nth_error net v = Some (Vertex k' [Internal src]) -> relays f k' (bare (ml
      v)) ->
      (forall l, incl (payloads (map f l)) (payloads l)) -> is_led src L' -> is_led v L').
    { intros v k' src f L' Vv Rl Inc Hs.
      assert (H : is_led v (fun x => exists y, L' y /\ x = image eq y)).
      { eapply a_relay_is_led; eauto. intros l _. apply Forall_forall. intros r I. exists r. split; auto. apply Inc.
        auto. }
      intros T0 T1 R m Eq L1 Le. destruct (H T0 T1 R m Eq L1 Le) as (x & (y & Ly & ->) & few & Lf & D).
      exists y. split; [eauto|]. exists few. split; auto. eapply Forall_impl; [|exact D]. simpl.
      intros p [(q & <- & Hq)|(p0 & I0 & q & <- & Hq)]; eauto. }
    apply (Same a _ e (alpha_answer own) _ V); [|intros l r I; rewrite alpha_payloads in I; apply filter_In in I;
      tauto|].
    + eapply (an_answering_node_relays a _ _ (alpha_answer own)); eauto. intros d s t. auto.
    + apply (Same e _ i entered _ Ve); auto; [apply (an_entry_of_one_relays e n _ Ve)|].
      intros l. unfold payloads. rewrite flat_map_concat_map, map_map, <- flat_map_concat_map. simpl. apply incl_refl.
Qed.

End Run.
End Led.
