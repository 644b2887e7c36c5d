(* When a match is reported (specification: prompt-reports): at rest at any time, before the sources have ended too, a
   machine without limits holds back only what a negated pattern or a set may still change. *)
From Parte Require Export Emitted.

Section Prompt.
Context {E : Events}.

(* ---- One node ---------------------------------------------------------------------------------------------------- *)

Definition last_promise (l : list token) : Z := match last_bounds l with Some b => only b | None => - infinity end.
Definition waits_beside (k : kind) (bound : Z) (v : partial) : Prop :=
  match k with
  | TwoInput true minima maxima _ | Collecting minima maxima _ => live_left minima maxima bound v = true
  | _ => False
  end.

Lemma taken_snoc : forall k l slot t, taken k (l ++ [(slot, t)]) = if Nat.eqb slot k then taken k l ++ [t] else taken k
  l.
Proof.
  intros. rewrite taken_app. unfold taken at 2. simpl. destruct (Nat.eqb slot k); simpl; auto. apply app_nil_r.
Qed.
Lemma last_promise_snoc : forall l t, last_promise (l ++ [t]) = only (bounds t).
Proof. intros. unfold last_promise. rewrite last_bounds_last. auto. Qed.

Lemma right_bound_is_the_last : forall k l, holds_back k = true -> Forall (fun x => fst x < 2)%nat l ->
  right_bound (state_after k l) = last_promise (taken 1 l).
Proof.
  intros k l H. induction l as [|[slot t] l IH] using rev_ind; intros F.
  - destruct k as [| |[|]| | | |]; try discriminate; auto.
  - apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'. specialize (IH F). rewrite state_snoc,
    taken_snoc.
    assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by lia; simpl Nat.eqb; cbv iota.
    + rewrite <- IH. destruct k as [| |[|] minima maxima c|minima maxima c| | |]; try discriminate; simpl.
      * unfold two_input_step. simpl. unfold not_left. destruct (payload t); auto.
        destruct (matching_right _ _ _ _ _); auto. destruct (live_left _ _ _ _); auto.
      * unfold collect_step. simpl. unfold collect_left. destruct (payload t); auto. destruct (live_left _ _ _ _); auto.
    + rewrite last_promise_snoc. destruct k as [| |[|] minima maxima c|minima maxima c| | |]; try discriminate; auto.
Qed.

Lemma a_node_holds_back_what_it_must : forall reach k widths l, well_formed reach k widths -> keeps_promises widths l ->
  exists waiting, Permutation ((if is_terminal k then reported (state_after k l) else payloads (computed_by k l)) ++
    waiting) (value_of k (inputs l)) /\
  Forall (waits_beside k (last_promise (taken 1 l))) waiting.
Proof.
  intros reach k widths l W K. destruct (holds_back k) eqn:Hb.
  - destruct K as [Hs Hh]. assert (Last := right_bound_is_the_last k l Hb).
    destruct k as [| |[|] minima maxima c|minima maxima c| | |]; try discriminate; simpl in W;
      destruct W as (-> & N & Sw & _ & _);
      (assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto));
      (assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto)); rewrite <- (Last Hs).
    + destruct (initial_ready minima maxima c true l H0 H1 Hs) as [Rd Wd].
      pose proof (two_input_after minima maxima c Sw true l _ Rd Wd ltac:(split; constructor)) as A.
      pose proof (a_negation_releases_or_keeps_exactly_what_is_undefeated minima maxima c N Sw l Rd) as P.
      unfold node in *. unfold state_after, computed_by. destruct (run _ _ l) as [d o]. destruct A as ([A _] & _).
      exists (left d). split; auto.
    + destruct (collect_initial_ready minima maxima c l H0 H1 Hs) as [Rd Wd].
      pose proof (collect_after minima maxima c Sw l _ Rd Wd ltac:(split; constructor)) as A.
      pose proof (a_set_node_sends_or_keeps_each_match_with_its_set minima maxima c N Sw l Rd) as P.
      unfold set_node in *. unfold state_after, computed_by. destruct (run _ _ l) as [d o]. destruct A as ([A _] & _).
      eexists. split; [exact P|]. apply Forall_map. eapply Forall_impl; [|exact A]. intros v Lv.
      unfold waits_beside, live_left, opens, closes in *. rewrite collection_times. exact Lv.
  - exists []. rewrite app_nil_r. split; [|constructor].
    apply (a_node_whose_right_has_ended_sent_exactly_its_value reach k widths l (horizon + reach + 1)); auto; [lia|].
    congruence.
Qed.

(* What it sends nothing can still meet, if no promise on its right was greater than the last. *)
Lemma lesser_bounds_keep_alive : forall minima maxima b b' v, b <= b' -> live_left minima maxima b v = false ->
  live_left minima maxima b' v = false.
Proof.
  unfold live_left, may_be_met, is_stale. intros minima maxima b b' v L H. destruct (_ <=? _); simpl in *; auto.
  apply negb_false_iff, Z.ltb_lt in H. apply negb_false_iff, Z.ltb_lt. lia.
Qed.
Lemma what_has_passed_is_over : forall minima maxima b b' v, b <= b' -> passed maxima b v = true ->
  live_left minima maxima b' v = false.
Proof.
  intros minima maxima b b' v L H. apply lesser_bounds_keep_alive with b; auto.
  unfold passed, live_left, may_be_met in *. rewrite H. apply andb_false_r.
Qed.
Lemma last_promise_in : forall l most, - infinity <= most -> Forall (fun t => only (bounds t) <= most) l ->
  last_promise l <= most.
Proof.
  intros l most L F. unfold last_promise. destruct (last_bounds l) as [b|] eqn:Lb; auto.
  apply last_bounds_some in Lb as (before & t & -> & <-). apply Forall_app in F as [_ F]. apply Forall_inv in F. auto.
Qed.
Lemma a_node_sends_what_is_over : forall k most l, Forall (fun x => fst x < 2)%nat l -> - infinity <= most ->
  Forall (fun t => only (bounds t) <= most) (taken 1 l) -> holds_back k = true ->
  Forall (fun v => ~ waits_beside k most v) (payloads (computed_by k l)).
Proof.
  intros k most l F L T H. induction l as [|[slot t] l IH] using rev_ind; [constructor|].
  apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'. rewrite taken_snoc in T.
  assert (T1 : Forall (fun t => only (bounds t) <= most) (taken 1 l)).
  { destruct (Nat.eqb slot 1); auto. apply Forall_app in T. tauto. }
  pose proof (last_promise_in _ _ L T1) as R. rewrite <- (right_bound_is_the_last k l H F) in R.
  rewrite computed_snoc, payloads_app. apply Forall_app. split; [auto|]. clear IH T1.
  assert (No : forall b : bool, b = false -> b <> true) by (intros; congruence).
  assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by lia;
    destruct k as [| |[|] minima maxima c|minima maxima c| | |]; try discriminate; simpl in T |- *;
    unfold two_input_step, collect_step; simpl.
  - unfold not_left. destruct (payload t) as [v|]; simpl; auto. destruct (matching_right _ _ _ _ _); simpl; auto.
    destruct (live_left _ _ _ v) eqn:Li; simpl; auto. constructor; auto. apply No.
    eapply lesser_bounds_keep_alive; eauto.
  - unfold collect_left. destruct (payload t) as [v|]; simpl; auto. destruct (live_left _ _ _ v) eqn:Li; simpl; auto.
    constructor; auto. apply No. apply (lesser_bounds_keep_alive _ _ _ _ v R) in Li.
    unfold live_left, opens, closes in *. rewrite collection_times. exact Li.
  - apply Forall_app in T as [_ T]. apply Forall_inv in T. unfold not_right. rewrite payloads_as_tokens.
    apply Forall_forall. intros v I. apply filter_In in I as [_ I]. apply No. exact (what_has_passed_is_over _ _ _ _ _
      T I).
  - apply Forall_app in T as [_ T]. apply Forall_inv in T. rewrite payloads_as_tokens.
    apply Forall_map, Forall_forall. intros v I. apply filter_In in I as [_ I]. apply No.
    apply (what_has_passed_is_over minima maxima _ _ v T) in I. unfold live_left, opens, closes in *.
    rewrite collection_times. exact I.
Qed.

(* A node promises nothing that is more than something that it has computed. *)
Lemma promises_were_computed : forall k l o, says k l o -> forall w, honest w (computed_by k l) ->
  Forall (fun t => exists t', In t' (computed_by k l) /\ below (bounds t) (bounds t')) o.
Proof.
  intros k l o S. induction S as [|l o slot t o' S IH [P M]|l o b b' S IH L B]; intros w H; auto.
  - rewrite computed_snoc in *. apply honest_app in H as (H1 & H2 & _). apply Forall_app. split.
    + eapply Forall_impl; [|exact (IH w H1)]. intros u (u' & I & Bu). exists u'. rewrite in_app_iff. auto.
    + destruct (last_bounds _) as [b|] eqn:L; [|subst o'; constructor].
      assert (W : Forall (fun p => length p = w) (payloads o')) by (rewrite <- P; apply honest_widths; auto).
      destruct (true_promises w b o' (last_width w _ b H2 L) W M) as [_ T].
      apply last_bounds_some in L as (before & u & Eq & <-). rewrite Eq.
      eapply Forall_impl; [|exact T]. intros v Bv. exists u. rewrite !in_app_iff. simpl. auto.
  - apply Forall_app. split; [eauto|]. constructor; [|constructor].
    apply last_bounds_some in L as (before & u & Eq & <-). exists u. rewrite Eq, in_app_iff. simpl. auto.
Qed.
Lemma thinned_in : forall all l, thinned all l -> incl l all.
Proof.
  intros all l T. induction T as [|a t u b T IH P]; [apply incl_refl|]. intros y I. apply IH.
  rewrite in_app_iff in *. simpl in *. tauto.
Qed.

(* An entry node has of each of its sources the last promise. *)
Lemma entry_bounds_are_the_last : forall n m l, Forall (fun x => fst x < m)%nat l ->
  Forall (fun p => of_template n p = true) (payloads (map snd l)) ->
  left_bounds (state_after (Entry n m) l) = map (fun s => last_promise (taken s l)) (seq 0 m) /\
  last_bounds (computed_by (Entry n m) l) = match l with [] => None | _ => Some [lowest (left_bounds (state_after
    (Entry n
    m) l))] end.
Proof.
  intros n m l. induction l as [|[slot t] l IH] using rev_ind; intros F T.
  - split; [|reflexivity]. simpl. apply nth_ext with (d := - infinity) (d' := - infinity).
    + rewrite repeat_length, map_length, seq_length. auto.
    + intros k Hk. rewrite nth_repeat. rewrite repeat_length in Hk.
      rewrite nth_indep with (d' := last_promise (taken 0 [])) by (rewrite map_length, seq_length; auto).
      rewrite (map_nth (fun s => last_promise (taken s []))). auto.
  - apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'.
    rewrite map_app, payloads_app in T. apply Forall_app in T as [T T']. destruct (IH F T) as [I1 _]. clear IH.
    rewrite state_snoc, computed_snoc. simpl activate. unfold entry_step.
    assert (St : match payload t with Some p => negb (of_template n p) | None => false end = false).
    { unfold payloads in T'. simpl in T'. rewrite app_nil_r in T'. destruct (payload t); auto. apply Forall_inv in T'.
      rewrite T'. auto. }
    rewrite St. simpl. split.
    + rewrite I1. apply nth_ext with (d := 0) (d' := 0).
      * rewrite replaced_length, !map_length. auto.
      * intros k Hk. rewrite replaced_length, map_length, seq_length in Hk.
        assert (Nth : forall g : nat -> Z, nth k (map g (seq 0 m)) 0 = g k).
        { intros g. rewrite nth_indep with (d' := g 0%nat) by (rewrite map_length, seq_length; auto).
          rewrite map_nth, seq_nth by auto. auto. }
        rewrite (Nth (fun s => last_promise (taken s (l ++ [(slot, t)])))), taken_snoc.
        destruct (Nat.eqb slot k) eqn:Q.
        -- apply Nat.eqb_eq in Q. subst k. rewrite replaced_same by (rewrite map_length, seq_length; auto).
           rewrite last_promise_snoc. auto.
        -- apply Nat.eqb_neq in Q. rewrite replaced_other by auto. apply Nth.
    + rewrite last_bounds_app. unfold last_bounds. simpl. destruct (l ++ [(slot, t)]) eqn:Z; auto.
      destruct l; discriminate.
Qed.

(* ---- A network at rest ------------------------------------------------------------------------------------------- *)

Lemma joined_more : forall minima maxima c a b q, joined minima maxima c (a ++ b) q = joined minima maxima c a q ++
  joined minima maxima c b q.
Proof.
  intros. unfold joined. rewrite <- map_app, <- filter_app. f_equal. f_equal.
  induction a as [|x a IH]; simpl; auto. rewrite IH, app_assoc. auto.
Qed.

Section At_rest.
Variables (net : network) (reach : Z) (queues : nat -> list token) (x : loose).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variables (logs : nat -> log) (arrived : nat -> list token).
Hypothesis X : accounts_for net queues x logs arrived.
Hypothesis Rest : is_at_rest net x.

(* What comes from a source, and what it has promised last. *)
Definition said (s : source) : list token := match s with External q => queues q | Internal j => sent x j end.
Definition promised (s : source) : Z := last_promise (said s).
Definition seen (i : nat) : list partial :=
  match nth_error net i with
  | Some v => if is_terminal (kind_of v) then reported (state (plain x) i) else payloads (sent x i)
  | None => []
  end.
Definition coming (v : vertex) (k : nat) : list partial :=
  match nth_error (sources v) k with
  | Some (External q) => payloads (queues q) | Some (Internal j) => seen j | None => [] end.

Lemma taken_here : forall i v k s, nth_error net i = Some v -> nth_error (sources v) k = Some s ->
  thinned (said s) (taken k (logs i)).
Proof.
  intros i v k s V Sk. destruct Rest as [R _]. pose proof (taken_at_rest net queues x logs arrived X R i v k V) as T.
  rewrite Sk in T. destruct s; auto.
Qed.
Lemma inputs_are : forall i v k, nth_error net i = Some v -> inputs (logs i) k = coming v k.
Proof.
  intros i v k V. unfold inputs, coming. destruct Rest as [R _].
  pose proof (taken_at_rest net queues x logs arrived X R i v k V) as T.
  destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|rewrite T; auto].
  rewrite (thinned_payloads _ _ T). destruct s as [q|j]; auto. unfold seen.
  destruct (its_sources _ _ i v (Net i v V) j) as (_ & u & U & Nt); [eapply nth_error_In; eauto|]. rewrite U, Nt. auto.
Qed.
Lemma last_taken : forall i v k s, nth_error net i = Some v -> nth_error (sources v) k = Some s ->
  last_promise (taken k (logs i)) = promised s.
Proof.
  intros i v k s V Sk. unfold promised, last_promise. rewrite (thinned_last _ _ (taken_here i v k s V Sk)). auto.
Qed.

Lemma a_vertex_holds_back_what_it_must : forall i v, nth_error net i = Some v -> exists waiting,
  Permutation (seen i ++ waiting) (value_of (kind_of v) (coming v)) /\
  Forall (waits_beside (kind_of v) (match nth_error (sources v) 1 with Some s => promised s | None => - infinity end))
    waiting.
Proof.
  intros i v V. destruct (loose_promises_kept net queues reach Net Honest x logs arrived X i v V) as [K _].
  destruct (a_node_holds_back_what_it_must reach _ _ _ (its_kind _ _ i v (Net i v V)) K) as (w & P & F).
  exists w. split.
  - rewrite (value_of_ext _ _ _ (fun k => eq_sym (inputs_are i v k V))), <- P. apply Permutation_app_tail.
    pose proof (said_payloads net queues reach Net Honest x logs arrived X i v V) as Sd.
    destruct Rest as [(_ & O & _) _]. rewrite O, app_nil_r in Sd. unfold seen. rewrite V. exact Sd.
  - destruct (nth_error (sources v) 1) as [s|] eqn:S1; [rewrite <- (last_taken i v 1%nat s V S1); auto|].
    destruct Rest as [R _]. pose proof (taken_at_rest net queues x logs arrived X R i v 1%nat V) as T. rewrite S1 in T.
    rewrite T in F. exact F.
Qed.
Lemma a_vertex_that_holds_nothing_back : forall i v, nth_error net i = Some v -> holds_back (kind_of v) = false ->
  Permutation (seen i) (value_of (kind_of v) (coming v)).
Proof.
  intros i v V H. destruct (a_vertex_holds_back_what_it_must i v V) as (w & P & F).
  destruct w as [|p w]; [rewrite app_nil_r in P; auto|]. apply Forall_inv in F.
  destruct (kind_of v) as [| |[|]| | | |]; try discriminate; contradiction.
Qed.

(* On the way to the right of a node that holds something back each bound has been sent as it was known. *)
Lemma sent_as_known : forall i v, nth_error net i = Some v -> decides net i ->
  last_bounds (sent x i) = last_bounds (computed_by (kind_of v) (logs i)).
Proof.
  intros i v V D. destruct Rest as [(_ & O & _) R]. pose proof (R i D) as L. unfold last_said in L.
  rewrite O, app_nil_r in L. rewrite L. apply (a_known _ _ _ _ _ X i v V).
Qed.
Lemma alpha_promise : forall a c s, nth_error net a = Some (Vertex (Alpha c) [s]) -> decides net a ->
  promised (Internal a) = promised s.
Proof.
  intros a c s V D. rewrite <- (last_taken a _ 0%nat s V eq_refl). unfold promised, last_promise. simpl said.
  rewrite (sent_as_known a _ V D). simpl kind_of. unfold computed_by.
  rewrite (run_answered (alpha_answer c)) by (intros ? ? ?; auto). simpl.
  pose proof (a_slots _ _ _ _ _ X a _ V) as Sl. simpl in Sl. rewrite (one_slot _ Sl).
  generalize (taken 0 (logs a)). intros l. induction l as [|t l IH] using rev_ind; auto.
  rewrite map_app. simpl. rewrite !last_bounds_last. auto.
Qed.
Definition bound_from (ss : list source) : Z := lowest (map promised ss).
Lemma entry_promise : forall e n ss, nth_error net e = Some (Vertex (Entry n (length ss)) ss) -> decides net e ->
  promised (Internal e) = bound_from ss.
Proof.
  intros e n ss V D. destruct Rest as [R _]. pose proof (a_slots _ _ _ _ _ X e _ V) as Sl. simpl in Sl.
  pose proof (no_strangers_taken net queues reach Net Honest Own x logs arrived X R e _ V) as T. simpl in T.
  destruct (entry_bounds_are_the_last n (length ss) (logs e) Sl T) as [B L].
  assert (Eq : left_bounds (state_after (Entry n (length ss)) (logs e)) = map promised ss).
  { rewrite B. clear B L. assert (G : forall k s, nth_error ss k = Some s -> last_promise (taken k (logs e)) = promised
    s).
    { intros k s Sk. apply (last_taken e _ k s V). auto. }
    revert G. generalize (logs e). intros l G.
    apply nth_ext with (d := last_promise (taken 0 l)) (d' := promised (External 0)).
    - rewrite !map_length, seq_length. auto.
    - intros k Hk. rewrite map_length, seq_length in Hk.
      rewrite (map_nth (fun s => last_promise (taken s l))), (map_nth promised), seq_nth by auto. simpl.
      apply G. apply nth_error_nth'. auto. }
  unfold promised at 1, last_promise. simpl said. rewrite (sent_as_known e _ V D). simpl kind_of. rewrite L, Eq.
  unfold bound_from. destruct (logs e) as [|y l] eqn:Z; auto. simpl in Eq. rewrite <- Eq.
  pose proof (its_kind _ _ e _ (Net e _ V)) as [Pos _]. simpl in Pos.
  assert (Low : forall n, (0 < n)%nat -> lowest (repeat (- infinity) n) = - infinity).
  { intros [|k] L0; [lia|]. simpl. clear. induction k; simpl; auto. rewrite Z.min_id. auto. }
  rewrite Low; auto.
Qed.

(* Sources that have never promised more than they do now. *)
Definition steady (s : source) : Prop :=
  - infinity <= promised s /\ Forall (fun t => only (bounds t) <= promised s) (said s).

Lemma steady_taken : forall i v k s, nth_error net i = Some v -> nth_error (sources v) k = Some s -> steady s ->
  Forall (fun t => only (bounds t) <= promised s) (taken k (logs i)).
Proof.
  intros i v k s V Sk [_ S]. apply Forall_forall. intros t I. rewrite Forall_forall in S. apply S.
  eapply thinned_in; [eapply taken_here; eauto|auto].
Qed.
Lemma computed_here : forall i v, nth_error net i = Some v -> is_terminal (kind_of v) = false ->
  Forall (fun t => exists t', In t' (computed_by (kind_of v) (logs i)) /\ below (bounds t) (bounds t')) (sent x i).
Proof.
  intros i v V T. destruct (loose_promises_kept net queues reach Net Honest x logs arrived X i v V) as [_ H].
  destruct (H T) as [H1 _]. pose proof (promises_were_computed _ _ _ (a_said _ _ _ _ _ X i v V) _ H1) as F.
  apply Forall_app in F. tauto.
Qed.
Lemma only_below : forall a b, below a b -> only a <= only b.
Proof. intros a b B. destruct B; simpl; auto; lia. Qed.

Lemma alpha_steady : forall a c s, nth_error net a = Some (Vertex (Alpha c) [s]) -> decides net a -> steady s ->
  steady (Internal a).
Proof.
  intros a c s V D S. pose proof (alpha_promise a c s V D) as Eq. unfold steady. rewrite Eq. split; [apply S|].
  simpl said. eapply Forall_impl; [|exact (computed_here a _ V eq_refl)]. intros t (t' & I & B).
  pose proof (only_below _ _ B). simpl kind_of in I. unfold computed_by in I.
  rewrite (run_answered (alpha_answer c)) in I by (intros ? ? ?; auto). simpl in I.
  pose proof (a_slots _ _ _ _ _ X a _ V) as Sl. simpl in Sl. rewrite (one_slot _ Sl) in I.
  apply in_map_iff in I as (u & <- & I). simpl in *.
  pose proof (steady_taken a _ 0%nat s V eq_refl S) as F. rewrite Forall_forall in F. specialize (F u I). lia.
Qed.

Lemma entry_steady : forall e n ss, nth_error net e = Some (Vertex (Entry n (length ss)) ss) -> decides net e ->
  Forall steady ss -> steady (Internal e).
Proof.
  intros e n ss V D S. pose proof (entry_promise e n ss V D) as Eq. unfold steady. rewrite Eq.
  pose proof (its_kind _ _ e _ (Net e _ V)) as [Pos _]. simpl in Pos.
  assert (NE : map promised ss <> []) by (destruct ss; simpl in *; [lia|discriminate]).
  split.
  { unfold bound_from. apply le_lowest; auto. apply Forall_map. eapply Forall_impl; [|exact S]. intros s [A _]. auto. }
  simpl said. eapply Forall_impl; [|exact (computed_here e _ V eq_refl)]. intros t (t' & I & B).
  pose proof (only_below _ _ B) as Bo. simpl kind_of in I.
  assert (All : Forall (fun t => only (bounds t) <= bound_from ss) (computed_by (Entry n (length ss)) (logs e)));
    [|rewrite Forall_forall in All; specialize (All t' I); lia].
  clear t t' I B Bo. destruct Rest as [R _].
  pose proof (a_slots _ _ _ _ _ X e _ V) as Sl. simpl in Sl.
  pose proof (no_strangers_taken net queues reach Net Honest Own x logs arrived X R e _ V) as T. simpl in T.
  assert (G : forall k s, nth_error ss k = Some s -> - infinity <= promised s /\
    Forall (fun t => only (bounds t) <= promised s) (taken k (logs e))).
  { intros k s Sk. assert (St : steady s) by (rewrite Forall_forall in S; apply S; eapply nth_error_In; eauto).
    split; [apply St|]. exact (steady_taken e _ k s V Sk St). }
  revert Sl T G. generalize (logs e). intros l. induction l as [|[slot t] l IH] using rev_ind; intros Sl T G;
    [constructor|].
  pose proof (entry_bounds_are_the_last n (length ss) _ Sl T) as [Bs La].
  apply Forall_app in Sl as [Sl Sl']. rewrite map_app, payloads_app in T. apply Forall_app in T as [T T'].
  assert (Last : last_bounds (computed_by (Entry n (length ss)) (l ++ [(slot, t)])) =
    Some [lowest (map (fun s => last_promise (taken s (l ++ [(slot, t)]))) (seq 0 (length ss)))]).
  { rewrite La, Bs. destruct (l ++ [(slot, t)]) eqn:Z; auto. destruct l; discriminate. }
  rewrite computed_snoc in *. apply Forall_app. split.
  - apply IH; auto. intros k s Sk. destruct (G k s Sk) as [A F]. split; auto. rewrite taken_snoc in F.
    destruct (Nat.eqb slot k); auto. apply Forall_app in F. tauto.
  - simpl in Last |- *. unfold entry_step in *. simpl in T'. rewrite app_nil_r in T'.
    assert (St : match payload t with Some p => negb (of_template n p) | None => false end = false).
    { destruct (payload t); auto. apply Forall_inv in T'. rewrite T'. auto. }
    rewrite St in *. simpl snd in Last |- *. rewrite last_bounds_last in Last. constructor; [|constructor].
    injection Last as Low. simpl in *. rewrite Low. apply le_lowest; auto. apply Forall_map, Forall_forall. intros s I.
    apply In_nth_error in I as [k Sk]. destruct (G k s Sk) as [A F].
    transitivity (last_promise (taken k (l ++ [(slot, t)]))); [|apply last_promise_in; auto].
    assert (Lk : (k < length ss)%nat) by (apply nth_error_Some; congruence).
    assert (Le : forall (f : nat -> Z) m k, (k < m)%nat -> lowest (map f (seq 0 m)) <= f k).
    { intros f m k' L. assert (lowest (map f (seq 0 m)) <= lowest (map f (seq 0 m))) by lia.
      apply le_lowest in H; [|destruct m; simpl; [lia|discriminate]]. rewrite Forall_forall in H. apply H.
      apply in_map, in_seq. lia. }
    exact (Le (fun s => last_promise (taken s (l ++ [(slot, t)]))) _ _ Lk).
Qed.

(* ---- The chain of a rule ----------------------------------------------------------------------------------------- *)

Variables (entries : list (nat * nat)) (from : nat -> list source) (known : list nat) (there : list event).
Hypothesis Entries : forall t, In t known ->
  nth_error net (found t entries) = Some (Vertex (Entry t (length (from t))) (from t)) /\
  Permutation (seen (found t entries)) (of t there).
(* Specification: prompt-reports. The least that its sources have promised; a production is one of them. *)
Definition bound_of (t : nat) : Z := bound_from (from t).
Definition open_beside (v : partial) (l : link) : bool :=
  live_left (map fst (windows l)) (map snd (windows l)) (bound_of (its_template l)) (firstn (length (windows l)) v).
Definition open_for (ls : list link) (v : partial) : Prop := existsb (open_beside v) ls = true.

Lemma right_of_link : forall a j kind from_ l, In (its_template l) known ->
  nth_error net a = Some (Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]) ->
  nth_error net j = Some (Vertex kind [Internal from_; Internal a]) ->
  Permutation (seen a) (filter (meets (own l)) (of (its_template l) there)) /\
  (holds_back kind = true -> promised (Internal a) = bound_of (its_template l)).
Proof.
  intros a j kind from_ l I A J. destruct (Entries _ I) as [En P]. split.
  - rewrite (a_vertex_that_holds_nothing_back a _ A eq_refl). simpl. apply filter_permutation. exact P.
  - intros H. assert (D : decides net a) by exact (Decides_there net j _ a J H eq_refl).
    rewrite (alpha_promise a _ _ A D). eapply entry_promise; [exact En|].
    eapply Decides_further; [exact D|exact A|simpl; auto].
Qed.

Lemma open_times : forall v v' l, times v = times v' -> open_beside v l = open_beside v' l.
Proof.
  intros v v' l T. unfold open_beside, live_left, opens, closes, times in *. rewrite <- !firstn_map, T. auto.
Qed.
Lemma open_more : forall v q ls n, length v = n -> Forall (fun l => length (windows l) <= n)%nat ls -> open_for ls v ->
  open_for ls (v ++ q).
Proof.
  unfold open_for. intros v q ls n L F H. apply existsb_exists in H as (l & I & O). apply existsb_exists. exists l.
  split; auto. unfold open_beside in *. rewrite Forall_forall in F. specialize (F l I).
  rewrite firstn_app. replace (length (windows l) - length v)%nat with 0%nat by lia. simpl. rewrite app_nil_r. auto.
Qed.
Lemma open_or : forall ls ls' v, open_for ls v \/ open_for ls' v -> open_for (ls ++ ls') v.
Proof. unfold open_for. intros. rewrite existsb_app, orb_true_iff. auto. Qed.

Lemma widths_of_part : forall p (s w : list partial), Permutation (s ++ w) (evaluate there p) ->
  Forall (fun v => length v = width p) s /\ Forall (fun v => length v = width p) w.
Proof.
  intros p s w P. apply Forall_app. rewrite P. apply Forall_forall. intros v. apply evaluate_width.
Qed.

Lemma links_at_rest : forall ls from_ last, chain_place kind_of_link net entries from_ ls last -> forall p before
  waiting,
  links_checked reach (width p) ls -> (0 < width p)%nat -> Forall (fun l => In (its_template l) known) ls ->
  Forall (fun l => length (windows l) <= width p)%nat before ->
  Permutation (seen from_ ++ waiting) (evaluate there p) -> Forall (open_for before) waiting ->
  exists waiting', Permutation (seen last ++ waiting') (evaluate there (fold_left linked ls p)) /\
    Forall (open_for (before ++ filter negated ls)) waiting' /\
    Forall (fun l => length (windows l) <= width (fold_left linked ls p))%nat (before ++ filter negated ls).
Proof.
  intros ls from_ last C. induction C as [last|from_ a j l ls last A J C IH]; intros p before waiting Ck Pos In_ Sm P O.
  - exists waiting. simpl. rewrite app_nil_r. auto.
  - destruct Ck as [Cl Ck]. inversion In_ as [|? ? Il Ils]; subst.
    destruct (kinds_of_link reach (width p) l Cl Pos) as (Wn & Lw & _ & _).
    destruct (right_of_link a j _ from_ l Il A J) as [Q B].
    destruct (widths_of_part p _ _ P) as [Ws Ww].
    pose proof (link_value there p l (Logic.eq_sym (Logic.eq_sym Lw)) Wn) as V.
    set (mi := map fst (windows l)) in *. set (ma := map snd (windows l)) in *.
    destruct (a_vertex_holds_back_what_it_must j _ J) as (w1 & P1 & F1). simpl in P1, F1. unfold coming in P1. simpl in
      P1.
    assert (Step : exists waiting', Permutation (seen j ++ waiting') (evaluate there (linked p l)) /\
      Forall (open_for (before ++ filter negated [l])) waiting').
    { unfold kind_of_link in *. simpl in V, B, F1, P1. fold mi ma in V, P1, F1. simpl filter. destruct (negated l)
      eqn:Ng.
      - exists (w1 ++ filter (undefeated mi ma (joint l) (seen a)) waiting). split.
        + rewrite app_assoc, P1, <- filter_app, (filter_permutation _ _ _ P), <- V. simpl.
          erewrite filter_ext; [reflexivity|]. intros v. apply undefeated_permutation. exact Q.
        + apply Forall_app. split.
          * assert (W1 : Forall (fun v => length v = width p) w1).
            { assert (G : Forall (fun v => length v = width p) (seen j ++ w1)) by (rewrite P1; apply Forall_filter;
              auto).
              apply Forall_app in G. tauto. }
            rewrite Forall_forall in *. intros v I. apply open_or. right. unfold open_for. simpl.
            unfold open_beside. rewrite <- (B eq_refl). specialize (F1 v I). simpl in F1.
            rewrite firstn_all2 by (rewrite <- Lw, (W1 v I); auto). fold mi ma. rewrite F1. auto.
          * apply Forall_filter. eapply Forall_impl; [|exact O]. intros v Ov. apply open_or. auto.
      - exists (joined mi ma (joint l) waiting (seen a)). split.
        + assert (w1 = []) as -> by (destruct w1; auto; apply Forall_inv in F1; contradiction).
          rewrite app_nil_r in P1. rewrite P1, <- joined_more, <- V. simpl. unfold joined.
          apply Permutation_map, filter_permutation, list_prod_permutation; auto.
        + rewrite app_nil_r. apply Forall_forall. intros v I. unfold joined in I.
          apply in_map_iff in I as ([u q] & <- & I). apply filter_In in I as [I _]. apply in_prod_iff in I as [I _].
          rewrite Forall_forall in O, Ww. apply (open_more u q before (width p)); auto. }
    destruct Step as (w' & P' & O').
    assert (Le : (width p <= width (linked p l))%nat) by (rewrite linked_width; destruct (negated l); lia).
    assert (Sm' : Forall (fun l' => length (windows l') <= width (linked p l))%nat (before ++ filter negated [l])).
    { apply Forall_app. split; [eapply Forall_impl; [|exact Sm]; cbv beta; intros; lia|].
      cbn [filter]. destruct (negated l); constructor; [lia|constructor]. }
    destruct (IH (linked p l) (before ++ filter negated [l]) w') as (w'' & P2 & O2 & S2); auto.
    + rewrite linked_width. destruct (negated l); [exact Ck|rewrite Nat.add_1_r; exact Ck].
    + lia.
    + exists w''. rewrite <- app_assoc in O2, S2.
      replace (filter negated (l :: ls)) with (filter negated [l] ++ filter negated ls); auto.
      simpl. destruct (negated l); auto.
Qed.

Lemma sets_at_rest : forall ls from_ last, chain_place kind_of_set net entries from_ ls last -> forall p before waiting,
  Forall (link_checked reach (width p)) ls -> (0 < width p)%nat -> Forall (fun l => In (its_template l) known) ls ->
  Permutation (seen from_ ++ waiting) (evaluate there p) -> Forall (open_for before) waiting ->
  exists waiting', Permutation (seen last ++ waiting') (evaluate there (fold_left collected ls p)) /\
    Forall (open_for (before ++ ls)) waiting'.
Proof.
  intros ls from_ last C. induction C as [last|from_ a j l ls last A J C IH]; intros p before waiting Ck Pos In_ P O.
  - exists waiting. simpl. rewrite app_nil_r. auto.
  - inversion Ck as [|? ? Cl Ck']; subst. inversion In_ as [|? ? Il Ils]; subst.
    destruct (kinds_of_link reach (width p) l Cl Pos) as (Wn & Lw & _ & _).
    destruct (right_of_link a j _ from_ l Il A J) as [Q B].
    destruct (widths_of_part p _ _ P) as [Ws Ww].
    pose proof (set_value there p l Lw Wn) as V. unfold kind_of_set in *. simpl in V, B.
    set (mi := map fst (windows l)) in *. set (ma := map snd (windows l)) in *.
    destruct (a_vertex_holds_back_what_it_must j _ J) as (w1 & P1 & F1). simpl in P1, F1. unfold coming in P1. simpl in
      P1.
    fold mi ma in P1, F1.
    assert (Same : forall v, collection mi ma (joint l) (seen a) v = collection mi ma (joint l)
      (filter (meets (own l)) (of (its_template l) there)) v).
    { intros v. apply collection_same. intros q _. split; apply Permutation_in; [|symmetry]; exact Q. }
    destruct (IH (collected p l) (before ++ [l]) (w1 ++ map (collection mi ma (joint l) (seen a)) waiting)) as (w & P2 &
      O2); auto.
    + rewrite app_assoc, P1, <- map_app, (Permutation_map _ P). rewrite (map_ext _ _ Same). rewrite V. auto.
    + apply Forall_app. split.
      * assert (W1 : Forall (fun v => length v = width p) w1).
        { assert (G : Forall (fun v => length v = width p) (seen j ++ w1)).
          { rewrite P1. apply Forall_map. eapply Forall_impl; [|exact Ws]. intros v L. unfold collection.
            rewrite with_set_length. auto. }
          apply Forall_app in G. tauto. }
        rewrite Forall_forall in *. intros v I. apply open_or. right. unfold open_for. simpl.
        unfold open_beside. rewrite <- (B eq_refl). specialize (F1 v I). simpl in F1.
        rewrite firstn_all2 by (rewrite <- Lw, (W1 v I); auto). fold mi ma. rewrite F1. auto.
      * apply Forall_map. eapply Forall_impl; [|exact O]. intros v Ov. apply open_or. left. unfold open_for in *.
        apply existsb_exists in Ov as (l' & I & Op). apply existsb_exists. exists l'. split; auto.
        rewrite <- Op. apply open_times, collection_times.
    + exists w. split; auto. rewrite <- app_assoc in O2. exact O2.
Qed.

(* Specification: prompt-reports. The windows of which negated patterns and sets are still open. *)
Definition undecided (r : rule) (v : partial) : Prop := open_for (filter negated (links r) ++ sets r) v.

(* What has been reported is decided, if no source of the templates of those patterns has ever promised more than now.
   *)
Definition decided_for (ls : list link) (v : partial) : Prop := existsb (open_beside v) ls = false.
Definition steady_for (ls : list link) : Prop := Forall (fun l => Forall steady (from (its_template l))) ls.

Lemma decided_more : forall v q ls n, length v = n -> Forall (fun l => length (windows l) <= n)%nat ls -> decided_for
  ls v ->
  decided_for ls (v ++ q).
Proof.
  unfold decided_for. intros v q ls n L F H. induction F as [|l ls Hl F IH]; auto. simpl in *.
  apply orb_false_iff in H as [H1 H2]. rewrite IH, orb_false_r by auto. unfold open_beside in *.
  rewrite firstn_app. replace (length (windows l) - length v)%nat with 0%nat by lia. simpl. rewrite app_nil_r. auto.
Qed.
Lemma decided_both : forall ls ls' v, decided_for ls v -> decided_for ls' v -> decided_for (ls ++ ls') v.
Proof. unfold decided_for. intros ls ls' v A B. rewrite existsb_app, A. auto. Qed.

Lemma vertex_sends_what_is_over : forall j kind from_ a l, In (its_template l) known ->
  nth_error net a = Some (Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]) ->
  nth_error net j = Some (Vertex kind [Internal from_; Internal a]) -> holds_back kind = true ->
  Forall steady (from (its_template l)) ->
  Forall (fun v => ~ waits_beside kind (bound_of (its_template l)) v) (seen j).
Proof.
  intros j kind from_ a l I A J H S. destruct (Entries _ I) as [En _].
  assert (Da : decides net a) by exact (Decides_there net j _ a J H eq_refl).
  assert (De : decides net (found (its_template l) entries)).
  { eapply Decides_further; [exact Da|exact A|simpl; auto]. }
  pose proof (alpha_steady a _ _ A Da (entry_steady _ _ _ En De S)) as St.
  destruct (right_of_link a j kind from_ l I A J) as [_ B]. rewrite <- (B H).
  assert (Nt : is_terminal kind = false) by (destruct kind; auto; discriminate).
  pose proof (said_payloads net queues reach Net Honest x logs arrived X j _ J) as P. simpl kind_of in P. rewrite Nt in
    P.
  destruct Rest as [(_ & O & _) _]. rewrite O, app_nil_r in P. unfold seen. rewrite J. simpl kind_of. rewrite Nt, P.
  pose proof (a_slots _ _ _ _ _ X j _ J) as Sl. simpl in Sl.
  apply a_node_sends_what_is_over; auto; [apply St|]. exact (steady_taken j _ 1%nat _ J eq_refl St).
Qed.

Lemma decided_beside : forall kind mi ma v l, kind = TwoInput true mi ma (joint l) \/ kind = Collecting mi ma (joint l)
  ->
  mi = map fst (windows l) -> ma = map snd (windows l) -> length v = length (windows l) ->
  ~ waits_beside kind (bound_of (its_template l)) v -> decided_for [l] v.
Proof.
  intros kind mi ma v l K -> -> L N. unfold decided_for. simpl. rewrite orb_false_r. unfold open_beside.
  rewrite firstn_all2 by lia. destruct (live_left _ _ _ v) eqn:Li; auto. exfalso. apply N.
  destruct K as [-> | ->]; exact Li.
Qed.

Lemma links_decided : forall ls from_ last, chain_place kind_of_link net entries from_ ls last -> forall w before,
  links_checked reach w ls -> (0 < w)%nat -> Forall (fun l => In (its_template l) known) ls ->
  Forall (fun l => length (windows l) <= w)%nat before -> steady_for (filter negated ls) ->
  Forall (fun v => length v = w) (seen from_) -> Forall (decided_for before) (seen from_) ->
  Forall (decided_for (before ++ filter negated ls)) (seen last).
Proof.
  intros ls from_ last C. induction C as [last|from_ a j l ls last A J C IH]; intros w before Ck Pos In_ Sm St W D.
  - simpl. rewrite app_nil_r. auto.
  - destruct Ck as [Cl Ck]. inversion In_ as [|? ? Il Ils]; subst.
    destruct (kinds_of_link reach w l Cl Pos) as (Wn & Lw & _ & _).
    destruct (right_of_link a j _ from_ l Il A J) as [Q _].
    destruct (a_vertex_holds_back_what_it_must j _ J) as (w1 & P1 & F1). simpl in P1, F1. unfold coming in P1. simpl in
      P1.
    replace (filter negated (l :: ls)) with (filter negated [l] ++ filter negated ls) in *
      by (simpl; destruct (negated l); auto).
    apply Forall_app in St as [St1 St2]. rewrite app_assoc. apply (IH (if negated l then w else S w)); auto.
    + destruct (negated l); lia.
    + apply Forall_app. split.
      * eapply Forall_impl; [|exact Sm]. cbv beta. intros. destruct (negated l); lia.
      * cbn [filter]. destruct (negated l); constructor; [lia|constructor].
    + unfold kind_of_link in *. simpl in F1. destruct (negated l) eqn:Ng.
      * assert (G : Forall (fun v => length v = w) (seen j ++ w1)) by (rewrite P1; apply Forall_filter; auto).
        apply Forall_app in G. tauto.
      * assert (w1 = []) as -> by (destruct w1; auto; apply Forall_inv in F1; contradiction).
        rewrite app_nil_r in P1. rewrite P1. unfold joined. apply Forall_map, Forall_filter, Forall_forall.
        intros [u q] I. apply in_prod_iff in I as [Iu Iq]. rewrite Forall_forall in W. simpl.
        apply (Permutation_in _ Q), filter_In in Iq as [Iq _]. unfold of in Iq. apply in_map_iff in Iq as (e & <- & _).
        rewrite app_length, (W u Iu). simpl. lia.
    + cbn [filter]. unfold kind_of_link in *. simpl in F1. destruct (negated l) eqn:Ng.
      * assert (G : Forall (fun v => length v = w /\ decided_for before v) (seen j ++ w1)).
        { rewrite P1. apply Forall_filter, Forall_and; auto. }
        apply Forall_app in G as [G _]. cbn [filter] in St1. rewrite Ng in St1. apply Forall_inv in St1.
        pose proof (vertex_sends_what_is_over j _ from_ a l Il A J eq_refl St1) as O.
        rewrite Forall_forall in *. intros v I. destruct (G v I) as [L Dv]. apply decided_both; auto.
        eapply decided_beside; eauto. lia.
      * assert (w1 = []) as -> by (destruct w1; auto; apply Forall_inv in F1; contradiction).
        rewrite app_nil_r in *. rewrite P1. unfold joined. apply Forall_map, Forall_filter, Forall_forall.
        intros [u q] I. apply in_prod_iff in I as [Iu _]. rewrite Forall_forall in W, D. simpl.
        apply (decided_more u q before w); auto.
Qed.

Lemma sets_decided : forall ls from_ last, chain_place kind_of_set net entries from_ ls last -> forall w before,
  Forall (link_checked reach w) ls -> (0 < w)%nat -> Forall (fun l => In (its_template l) known) ls -> steady_for ls ->
  Forall (fun v => length v = w) (seen from_) -> Forall (decided_for before) (seen from_) ->
  Forall (decided_for (before ++ ls)) (seen last).
Proof.
  intros ls from_ last C. induction C as [last|from_ a j l ls last A J C IH]; intros w before Ck Pos In_ St W D.
  - rewrite app_nil_r. auto.
  - inversion Ck as [|? ? Cl Ck']; subst. inversion In_ as [|? ? Il Ils]; subst. inversion St as [|? ? St1 St2]; subst.
    destruct (kinds_of_link reach w l Cl Pos) as (Wn & Lw & _ & _).
    destruct (a_vertex_holds_back_what_it_must j _ J) as (w1 & P1 & _). simpl in P1. unfold coming in P1. simpl in P1.
    pose proof (vertex_sends_what_is_over j _ from_ a l Il A J eq_refl St1) as O.
    assert (G : Forall (fun v => length v = w /\ decided_for before v) (seen j ++ w1)).
    { rewrite P1. apply Forall_map. apply Forall_and.
      - eapply Forall_impl; [|exact W]. intros v L. unfold collection. rewrite with_set_length. auto.
      - eapply Forall_impl; [|exact D]. intros v Dv. unfold decided_for in *. rewrite <- Dv. clear.
        induction before as [|l' ls IH]; simpl; auto. rewrite IH. f_equal. apply open_times, collection_times. }
    apply Forall_app in G as [G _]. replace (before ++ l :: ls) with ((before ++ [l]) ++ ls) by (rewrite <- app_assoc;
      auto).
    apply (IH w); auto.
    + eapply Forall_impl; [|exact G]. simpl. tauto.
    + rewrite Forall_forall in *. intros v I. destruct (G v I) as [L Dv]. apply decided_both; auto.
      eapply decided_beside; eauto. lia.
Qed.

Lemma rule_decided : forall i r first linked_ collected_ last, rule_place net entries i r first linked_ collected_ last
  ->
  links_checked reach 1 (links r) -> Forall (link_checked reach (width (pattern_of r))) (sets r) ->
  incl (used r) known -> steady_for (filter negated (links r) ++ sets r) ->
  Forall (decided_for (filter negated (links r) ++ sets r)) (reported (state (plain x) i)).
Proof.
  intros i r f k c last [P1 P2 P3 P4 P5 _] Lc Sc Us St. apply Forall_app in St as [St1 St2].
  assert (In_ : forall l, In l (links r ++ sets r) -> In (its_template l) known).
  { intros l I. apply Us. simpl. right. apply in_map. auto. }
  assert (First : Permutation (seen f ++ []) (evaluate there (single (first_template r) (first_own r)))).
  { rewrite app_nil_r, (a_vertex_that_holds_nothing_back f _ P1 eq_refl). simpl. apply filter_permutation.
    destruct (Entries (first_template r)) as [_ P]; [apply Us; simpl; auto|exact P]. }
  assert (Il : Forall (fun l => In (its_template l) known) (links r)).
  { apply Forall_forall. intros l I. apply In_, in_app_iff. auto. }
  destruct (links_at_rest _ _ _ P2 (single (first_template r) (first_own r)) [] [] Lc) as (w1 & Q1 & _); auto.
  destruct (widths_of_part _ _ _ First) as [Wf _]. destruct (widths_of_part _ _ _ Q1) as [Wk _].
  assert (Wd : width (pattern_of r) = width (fold_left linked (links r) (single (first_template r) (first_own r)))).
  { unfold pattern_of. rewrite filtered_width, collected_width. auto. }
  rewrite <- Wd in Wk.
  assert (Pos : (0 < width (pattern_of r))%nat).
  { rewrite Wd. clear. assert (G : forall ls p, (0 < width p)%nat -> (0 < width (fold_left linked ls p))%nat).
    { induction ls as [|l ls IH]; simpl; intros p L; auto. apply IH. rewrite linked_width. destruct (negated l); lia. }
    apply G. simpl. lia. }
  assert (Dk : Forall (decided_for (filter negated (links r))) (seen k)).
  { apply (links_decided _ _ _ P2 1%nat [] Lc); auto. apply Forall_forall. intros v _. reflexivity. }
  assert (Dc : Forall (decided_for (filter negated (links r) ++ sets r)) (seen c)).
  { apply (sets_decided _ _ _ P3 (width (pattern_of r))); auto. apply Forall_forall. intros l I. apply In_, in_app_iff.
    auto. }
  pose proof (a_vertex_that_holds_nothing_back i _ P5 eq_refl) as T. simpl in T. unfold coming in T. simpl in T.
  unfold seen at 1 in T. rewrite P5 in T. simpl in T. rewrite T. unfold filter_place in P4. destruct (having r) as [h|].
  - pose proof (a_vertex_that_holds_nothing_back last _ P4 eq_refl) as H. simpl in H. unfold coming in H. simpl in H.
    rewrite H. apply Forall_filter. auto.
  - subst last. auto.
Qed.

Lemma rule_at_rest : forall i r first linked_ collected_ last, rule_place net entries i r first linked_ collected_ last
  ->
  links_checked reach 1 (links r) -> Forall (link_checked reach (width (pattern_of r))) (sets r) ->
  incl (used r) known ->
  exists waiting, Permutation (reported (state (plain x) i) ++ waiting) (evaluate there (pattern_of r)) /\
    Forall (undecided r) waiting.
Proof.
  intros i r f k c last [P1 P2 P3 P4 P5 _] Lc Sc Us.
  assert (First : Permutation (seen f ++ []) (evaluate there (single (first_template r) (first_own r)))).
  { rewrite app_nil_r, (a_vertex_that_holds_nothing_back f _ P1 eq_refl). simpl. apply filter_permutation.
    destruct (Entries (first_template r)) as [_ P]; [apply Us; simpl; auto|exact P]. }
  assert (In_ : forall l, In l (links r ++ sets r) -> In (its_template l) known).
  { intros l I. apply Us. simpl. right. apply in_map. auto. }
  destruct (links_at_rest _ _ _ P2 (single (first_template r) (first_own r)) [] [] Lc) as (w1 & Q1 & O1 & S1); auto.
  { apply Forall_forall. intros l I. apply In_, in_app_iff. auto. }
  set (chain := fold_left linked (links r) (single (first_template r) (first_own r))) in *.
  assert (Wd : width (pattern_of r) = width chain).
  { unfold pattern_of. rewrite filtered_width, collected_width. auto. }
  assert (Pos : (0 < width chain)%nat).
  { unfold chain. clear. assert (G : forall ls p, (0 < width p)%nat -> (0 < width (fold_left linked ls p))%nat).
    { induction ls as [|l ls IH]; simpl; intros p L; auto. apply IH. rewrite linked_width. destruct (negated l); lia. }
    apply G. simpl. lia. }
  destruct (sets_at_rest _ _ _ P3 chain (filter negated (links r)) w1) as (w2 & Q2 & O2); auto.
  { rewrite <- Wd. auto. }
  { apply Forall_forall. intros l I. apply In_, in_app_iff. auto. }
  assert (End_ : seen i = reported (state (plain x) i)) by (unfold seen; rewrite P5; auto).
  pose proof (a_vertex_that_holds_nothing_back i _ P5 eq_refl) as T. rewrite End_ in T. simpl in T. unfold coming in T.
  simpl in T. unfold pattern_of. fold chain. unfold filter_place in P4. destruct (having r) as [h|].
  - pose proof (a_vertex_that_holds_nothing_back last _ P4 eq_refl) as H. simpl in H. unfold coming in H. simpl in H.
    exists (filter h w2). split; [|apply Forall_filter; exact O2]. rewrite T, H, <- filter_app. simpl.
    apply filter_permutation. exact Q2.
  - subst last. exists w2. split; [|exact O2]. rewrite T. exact Q2.
Qed.
End At_rest.

(* ---- A program at rest ------------------------------------------------------------------------------------------- *)

Section Program.
Variables (queues_of : nat -> list nat) (reach : Z) (p : program).
Hypothesis Checked : checked queues_of reach [] [] p.
Let built_ := compile queues_of p.
Let net := graph built_.
Variables (queues : nat -> list token) (stream : list event).
Hypothesis Honest : forall q, honest 1 (queues q).
Hypothesis Typed : forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads (queues q)).
Hypothesis Arrived : forall t, Permutation (of t stream) (sent_from_outside queues_of queues t).
Variables (limit : nat -> limits) (x : loose).
Hypothesis Run : leads_to net limit (loose_start net queues) x.
Hypothesis Rest : is_at_rest net x.

(* Specification: prompt-reports. External events are there when they have arrived, emitted ones when the match that
   emits them has been reported. *)
Definition emitted_so_far : list event :=
  flat_map (fun ir => flat_map (emitted_by (reported (state (plain x) (fst ir)))) (emissions (snd ir)))
    (combine (ends built_) (rules_of p)).
Definition events_there : list event := stream ++ emitted_so_far.
Definition open_now (r : rule) (v : partial) : bool :=
  existsb (open_beside queues x (sources_of queues_of built_) v) (filter negated (links r) ++ sets r).
Definition undecided_now (r : rule) (v : partial) : Prop := open_now r v = true.
Definition decided_now (r : rule) (v : partial) : bool := negb (open_now r v).
(* No source of its negated templates and its sets has ever promised more than it does now. *)
Definition steady_now (r : rule) : Prop :=
  Forall (fun l => Forall (steady queues x) (sources_of queues_of built_ (its_template l)))
    (filter negated (links r) ++ sets r).

Lemma rules_are_checked : forall q known emitted, checked queues_of reach known emitted q ->
  Forall (fun r => exists known, rule_checked reach known r) (rules_of q).
Proof.
  unfold rules_of. induction q as [|s q IH]; simpl; intros known emitted C; auto. destruct C as (_ & _ & R & C).
  apply Forall_app. split; [|eapply IH; eauto]. eapply Forall_impl; [|exact R]. eauto.
Qed.

Lemma emitted_of_template : forall t (m : emission) V, (forall v e, generate m v = Some e -> template e = emits m) ->
  of t (emitted_by V m) = if Nat.eqb (emits m) t then flat_map (emitted (generate m)) V else [].
Proof.
  intros t m V T. unfold emitted_by, emitted, of. induction V as [|v V IH]; simpl; [destruct (Nat.eqb _ _); auto|].
  rewrite filter_app, map_app, IH. destruct (generate m v) as [e|] eqn:G; simpl; auto.
  rewrite (T _ _ G). destruct (Nat.eqb (emits m) t); auto.
Qed.

Lemma productions_seen : forall (S_ : nat -> list partial) V t (ms : list emission) n,
  (forall k m, nth_error ms k = Some m -> Permutation (S_ (n + k)%nat) (flat_map (emitted (generate m)) V)) ->
  Forall (fun m => forall v e, generate m v = Some e -> template e = emits m) ms ->
  Permutation (flat_map S_ (those t (combine (map emits ms) (seq n (length ms))))) (of t (flat_map (emitted_by V) ms)).
Proof.
  intros S_ V t. induction ms as [|m ms IH]; intros n H T; simpl; auto. inversion T; subst.
  rewrite of_app, (emitted_of_template t m V H2).
  assert (Tail : Permutation (flat_map S_ (those t (combine (map emits ms) (seq (S n) (length ms)))))
    (of t (flat_map (emitted_by V) ms))).
  { apply IH; auto. intros k m' K. specialize (H (S k) m' K). rewrite Nat.add_succ_r in H. exact H. }
  unfold those in *. simpl. destruct (Nat.eqb (emits m) t); simpl; [|exact Tail].
  apply Permutation_app; [|exact Tail]. specialize (H 0%nat m eq_refl). rewrite Nat.add_0_r in H. exact H.
Qed.

Lemma program_at_rest :
  Forall2 (fun i r => (exists waiting,
    Permutation (reported (state (plain x) i) ++ waiting) (evaluate events_there (pattern_of r)) /\
    Forall (undecided_now r) waiting) /\
    (steady_now r -> Forall (fun v => decided_now r v = true) (reported (state (plain x) i))))
  (ends built_) (rules_of p).
Proof.
  destruct (all_accounted net queues limit x Run) as (logs & arrived & X).
  assert (Net : sound_network net reach) by (apply a_checked_program_compiles_to_a_sound_network; auto).
  assert (Own : own_templates net queues) by (eapply own_templates_kept; eauto).
  destruct (everything_has_its_place queues_of reach p Checked) as (known & P).
  pose proof (rules_are_checked p [] [] Checked) as Ck.
  pose proof (a_vertex_that_holds_nothing_back net reach queues x Net Honest logs arrived X Rest) as Exact.
  assert (Entries : forall t, In t known -> nth_error net (found t (entry_of built_)) =
      Some (Vertex (Entry t (length (sources_of queues_of built_ t))) (sources_of queues_of built_ t)) /\
    Permutation (seen net x (found t (entry_of built_))) (of t events_there)).
  { intros t I. assert (En : nth_error net (found t (entry_of built_)) =
      Some (Vertex (Entry t (length (sources_of queues_of built_ t))) (sources_of queues_of built_ t))).
    { exact (p_entries _ _ _ _ P t I). }
    split; [exact En|].
    rewrite (Exact _ _ En eq_refl). simpl. unfold coming. simpl.
    rewrite (flat_map_positions _ _ (fun s => match s with
      | Some (External q) => payloads (queues q) | Some (Internal j) => seen net x j | None => [] end)).
    unfold sources_of at 1. rewrite flat_map_app, !flat_map_of_map.
    assert (All : Permutation (flat_map (fun q => payloads (queues q)) (queues_of t) ++
        flat_map (seen net x) (those t (emitters built_))) (of t events_there)).
    { unfold events_there. rewrite of_app. apply Permutation_app; [symmetry; apply Arrived|].
      unfold built_ at 1. rewrite (p_emitters _ _ _ _ P). unfold emitted_so_far.
      pose proof (p_rules _ _ _ _ P) as Ru. fold built_ in Ru |- *. fold net in Ru. revert Ru Ck.
      generalize (ends built_), (rules_of p). intros is rs Ru.
      induction Ru as [|i r is rs (_ & f & k & c & last & Pl) Ru IH]; intros Ck; [auto|].
      inversion Ck as [|? ? (kn & _ & _ & Em) Ck']; subst. simpl. rewrite those_app, flat_map_app, of_app.
      apply Permutation_app; [|auto]. unfold productions_of. simpl. apply productions_seen.
      - intros n m M. rewrite (Exact _ _ (emission_places _ _ _ _ _ _ _ _ Pl n m M) eq_refl). simpl. unfold coming.
        simpl.
        pose proof (Exact _ _ (end_place _ _ _ _ _ _ _ _ Pl) eq_refl) as T. simpl in T. unfold coming in T. simpl in T.
        unfold seen at 1 in T. rewrite (end_place _ _ _ _ _ _ _ _ Pl) in T. simpl in T.
        apply Permutation_flat_map. symmetry. exact T.
      - eapply Forall_impl; [|exact Em]. intros m ((_ & _ & _ & _ & M) & _). exact M. }
    rewrite (filter_permutation _ _ _ All). rewrite filter_all; auto. apply of_typed. }
  pose proof (p_rules _ _ _ _ P) as Ru. fold built_ in Ru. fold net in Ru. revert Ru Ck.
  generalize (ends built_), (rules_of p). intros is rs Ru.
  induction Ru as [|i r is rs (Us & f & k & c & last & Pl) Ru IH]; intros Ck; constructor.
  - inversion Ck as [|? ? (kn & (Lc & Sc) & _) Ck']; subst.
    split.
    + exact (rule_at_rest net reach queues x Net Honest Own logs arrived X Rest (entry_of built_)
        (sources_of queues_of built_) known events_there Entries i r f k c last Pl Lc Sc Us).
    + intros St. pose proof (rule_decided net reach queues x Net Honest Own logs arrived X Rest (entry_of built_)
        (sources_of queues_of built_) known events_there Entries i r f k c last Pl Lc Sc Us St) as D.
      eapply Forall_impl; [|exact D]. intros v Dv. unfold decided_now, open_now. unfold decided_for in Dv. rewrite Dv.
        auto.
  - apply IH. inversion Ck; auto.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: prompt-reports): at rest at any time, each match of the events that are there
   has been reported, each once, or a window of one of its negated patterns or sets has not passed the bound. *)
Theorem what_is_not_reported_at_rest_is_undecided :
  Forall2 (fun i r => exists waiting,
    Permutation (reported (state (plain x) i) ++ waiting) (evaluate events_there (pattern_of r)) /\
    Forall (undecided_now r) waiting) (ends built_) (rules_of p).
Proof. eapply Forall2_weaker; [|exact program_at_rest]. simpl. tauto. Qed.

(* PARTE/PROC, PARTE/PROP (specification: prompt-reports, bounds-never-decrease): and exactly the decided ones have been
   reported, where the bounds that decide have not decreased. *)
Theorem exactly_what_is_decided_is_reported_at_rest :
  Forall2 (fun i r => steady_now r -> Permutation (reported (state (plain x) i))
    (filter (decided_now r) (evaluate events_there (pattern_of r)))) (ends built_) (rules_of p).
Proof.
  eapply Forall2_weaker; [|exact program_at_rest]. cbv beta. intros i r ((w & P & U) & D) St.
  rewrite <- (filter_permutation _ _ _ P), filter_app, (filter_all _ _ (D St)), filter_none, app_nil_r; auto.
  eapply Forall_impl; [|exact U]. intros v Uv. unfold decided_now. rewrite Uv. auto.
Qed.
End Program.
End Prompt.
