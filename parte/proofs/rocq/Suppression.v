(* Suppression, `once per (k, …) in D`: of the events of one emission of one rule, all its cases together, those with
   equal keys are taken in order; an event passes unless one that passed is less than D before it. Here are the
   definition, which looks at all events, and the part of the evaluator that decides on an event as soon as no earlier
   one can come, and forgets events that passed. *)
From Parte Require Export Streaming.

Section Suppression.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
(* Events are ordered by timestamp, and by anything else among those of one timestamp. *)
Hypothesis Timely : forall x y, precedes x y = true -> time x <= time y.
Variable patience : nat.
Notation match_ := (partial * list (list event))%type.

(* The emissions stand with the numbers of their rules in the stratum. *)
Record suppression := Suppression {
  its_template : nat; its_key : event -> Z; apart : Z; suppressible : list (nat * @emission_with_sets E) }.
(* An event, and the one that suppresses it; without that it passes. *)
Notation decision := (event * option event)%type.
Definition passes (d : decision) : bool := match snd d with None => true | Some _ => false end.
Definition passed (ds : list decision) : list event := map fst (filter passes ds).

(* ---- The definition ---------------------------------------------------------------------------------------------- *)

(* The decisions stand with the last first. *)
Definition decided (u : suppression) (ds : list decision) (e : event) : list decision :=
  (e, match find (fun p => its_key u p =? its_key u e) (passed ds) with
      | Some p => if time p + apart u <=? time e then None else Some p | None => None end) :: ds.
(* Specification: suppression. *)
Definition decisions (u : suppression) (es : list event) : list decision :=
  fold_left (decided u) (in_order precedes es) [].
Definition suppressible_of (u : suppression) (found : list (list match_)) : list event :=
  flat_map (fun x => emitted_of [snd x] (nth (fst x) found [])) (suppressible u).

(* ---- Deciding as events come ------------------------------------------------------------------------------------- *)

Definition by_key (u : suppression) : @keyed E :=
  Keyed (Alternative (its_template u) (fun _ => true) (fun _ => true)) (fun e => Some (its_key u e)) (fun _ => None).
(* The events on which it has not decided, and those that may still suppress one. *)
Record suppression_state := SuppressionState { undecided : tree event; recent : @watched E }.
Definition nothing_suppressed (u : suppression) : suppression_state := SuppressionState Leaf (unwatched (by_key u)).
Definition decide (u : suppression) (s : list decision * @watched E) (e : event) : list decision * @watched E :=
  match range entry_rank (its_key u e) (time e - apart u + 1) (time e) (index (snd s)) [] with
  | [] => ((e, None) :: fst s, with_event (snd s) e)
  | y :: _ => ((e, Some (snd y)) :: fst s, snd s)
  end.
Definition step_of_suppression (u : suppression) (b : bound) (es : list event) (s : suppression_state) :
  list decision * suppression_state :=
  let all := inserted_all anchor_rank es (undecided s) in
  let (ds, w) := fold_left (decide u) (in_order precedes (early_part (is_past b 0) all [])) ([], recent s) in
  (ds, SuppressionState (later_part (is_past b 0) all) (forgetting patience (earlier b (apart u)) w)).
Fixpoint run_suppression (u : suppression) (fs : list (list event * bound)) (s : suppression_state) :
  list (list decision) :=
  match fs with
  | [] => []
  | f :: more => let (ds, s) := step_of_suppression u (snd f) (fst f) s in ds :: run_suppression u more s
  end.
(* No later event lies before a bound. *)
Fixpoint feeds_keep (fs : list (list event * bound)) : Prop :=
  match fs with
  | [] => True
  | f :: more => Forall (keeps (snd f)) (flat_map fst more) /\ feeds_keep more
  end.
Fixpoint bound_after (b : bound) (fs : list (list event * bound)) : bound :=
  match fs with [] => b | f :: more => bound_after (greater_bound b (snd f)) more end.

(* ---- They are the decisions of the definition -------------------------------------------------------------------- *)

Lemma ascending_app : forall a b, ascending precedes a -> ascending precedes b ->
  (forall x y, In x a -> In y b -> before precedes x y) -> ascending precedes (a ++ b).
Proof.
  induction a as [|x a IH]; simpl; intros b A B H; auto. destruct A as [F A]. split; [|apply IH; auto].
  apply Forall_app. split; auto. apply Forall_forall. auto.
Qed.
Lemma earlier_is_before : forall x y, time x < time y -> before precedes x y.
Proof.
  intros x y L. destruct (it_is_total _ Order x y) as [H|H].
  - split; auto. destruct (precedes y x) eqn:P; auto. apply Timely in P. lia.
  - apply Timely in H. lia.
Qed.
Lemma in_order_in_parts : forall f a b, (forall x, In x a <-> In x (filter f b)) ->
  (forall x y, f x = true -> f y = false -> In x b -> In y b -> time x < time y) ->
  in_order precedes b = in_order precedes a ++ in_order precedes (filter (fun x => negb (f x)) b).
Proof.
  intros f a b Ia T. apply (ascending_lists_of_the_same precedes).
  - apply in_order_ascending. auto.
  - apply ascending_app; try (apply in_order_ascending; auto). intros x y I J.
    rewrite (in_order_in precedes Order) in I. rewrite (in_order_in precedes Order) in J.
    apply Ia, filter_In in I as [I F]. apply filter_In in J as [J G].
    apply negb_true_iff in G. apply earlier_is_before; auto.
  - intros x. rewrite in_app_iff, !(in_order_in precedes Order), Ia, !filter_In, negb_true_iff.
    destruct (f x); intuition congruence.
Qed.

(* What was decided stands behind what is decided later; times do not fall, events with one key that passed are apart,
   and every event has the template. *)
Definition tidy (u : suppression) (ds : list decision) : Prop :=
  Forall (fun e => template e = its_template u) (passed ds) /\
  forall before_ p after, passed ds = before_ ++ p :: after ->
    Forall (fun q => time q <= time p /\ (its_key u q = its_key u p -> time q + apart u <= time p)) after.

Lemma find_last : forall u ds e, tidy u ds ->
  match find (fun p => its_key u p =? its_key u e) (passed ds) with
  | Some p => In p (passed ds) /\ its_key u p = its_key u e
      /\ forall q, In q (passed ds) -> its_key u q = its_key u e -> q = p \/ time q + apart u <= time p
  | None => forall q, In q (passed ds) -> its_key u q <> its_key u e
  end.
Proof.
  intros u ds e [_ T]. revert T. generalize (passed ds). induction l as [|p l IH]; simpl; intros T.
  - intros q [].
  - destruct (Z.eqb_spec (its_key u p) (its_key u e)) as [K|K].
    + repeat split; auto. specialize (T [] p l eq_refl). rewrite Forall_forall in T.
      intros q [<-|I] Kq; auto. right. apply (T q I). congruence.
    + assert (T' : forall a q b, l = a ++ q :: b -> Forall (fun x => time x <= time q
        /\ (its_key u x = its_key u q -> time x + apart u <= time q)) b).
      { intros a q b ->. apply (T (p :: a) q b). auto. }
      specialize (IH T'). destruct (find _ l) as [q|].
      * destruct IH as (I & Kq & H). repeat split; auto. intros x [<-|J] Kx; [congruence|auto].
      * intros q [<-|I]; auto.
Qed.

Definition holds_recent (u : suppression) (ds : list decision) (b : bound) (w : @watched E) : Prop :=
  query w = by_key u /\ holding (passed ds) (earlier b (apart u)) w.

Lemma decided_alike : forall u ds b s e, tidy u ds -> holds_recent u ds b (snd s) -> keeps b e ->
  template e = its_template u -> (forall q, In q (passed ds) -> time q <= time e) ->
  exists verdict, decided u ds e = (e, verdict) :: ds /\ fst (decide u s e) = (e, verdict) :: fst s
    /\ tidy u (decided u ds e) /\ holds_recent u (decided u ds e) b (snd (decide u s e)).
Proof.
  intros u ds b s e T [Q [So H]] K Te Le. destruct b as [x|]; [|destruct K]. simpl in K, H.
  assert (Found : forall q, In (its_key u q, q) (range entry_rank (its_key u e) (time e - apart u + 1) (time e)
      (index (snd s)) []) <-> In q (passed ds) /\ its_key u q = its_key u e /\ time e - apart u + 1 <= time q).
  { intros q. rewrite a_range_is_a_filter, app_nil_r by auto. rewrite filter_In. unfold in_range, entry_rank. simpl.
    rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le.
    assert (Both : x - apart u <= time q -> (In (its_key u q, q) (inorder (index (snd s))) <-> In q (passed ds))).
    { intros L. transitivity (In (its_key u q, q) (filter (late (x - apart u)) (inorder (index (snd s))))).
      - rewrite filter_In. unfold late. simpl. rewrite Z.leb_le. tauto.
      - split.
        + intros I. apply (Permutation_in _ H) in I. apply filter_In in I as [I _]. unfold entries in I.
          apply in_flat_map in I as (q' & I & J). rewrite Q in J. unfold entry_of in J. simpl in J.
          destruct (Nat.eqb _ _ && true); [|destruct J]. destruct J as [J|[]]. inversion J; subst. auto.
        + intros I. apply (Permutation_in _ (Permutation_sym H)). apply filter_In. split; [|apply Z.leb_le; auto].
          apply in_flat_map. exists q. split; auto. rewrite Q. unfold entry_of. simpl. destruct T as [T _].
          rewrite Forall_forall in T. rewrite (T q I), Nat.eqb_refl. simpl. auto. }
    split.
    - intros (I & Kq & L & _). rewrite Both in I by lia. auto.
    - intros (I & Kq & L). rewrite Both by lia. repeat split; auto. }
  assert (Keyed_ : forall y, In y (range entry_rank (its_key u e) (time e - apart u + 1) (time e) (index (snd s)) [])
      -> exists q, y = (its_key u q, q)).
  { intros [k q] I. exists q. rewrite a_range_is_a_filter, app_nil_r in I by auto. apply filter_In in I as [I R].
    unfold in_range, entry_rank in R. simpl in R. rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le in R.
    assert (J : In (k, q) (filter (late (x - apart u)) (inorder (index (snd s))))).
    { apply filter_In. split; auto. apply Z.leb_le. simpl. lia. }
    apply (Permutation_in _ H) in J. apply filter_In in J as [J _]. apply in_flat_map in J as (q' & _ & J).
    rewrite Q in J. unfold entry_of in J. destruct (_ && _); [|destruct J]. simpl in J. destruct J as [J|[]].
    inversion J; subst. auto. }
  assert (Passing : forall ds', passed ds' = e :: passed ds ->
      (forall q, In q (passed ds) -> its_key u q = its_key u e -> time q + apart u <= time e) ->
      tidy u ds' /\ holds_recent u ds' (Some x) (with_event (snd s) e)).
  { intros ds' P Ap. destruct T as [T1 T2]. split; [split|].
    - rewrite P. constructor; auto.
    - intros a p c Qp. rewrite P in Qp. destruct a as [|y a]; inversion Qp; subst.
      + apply Forall_forall. auto.
      + eapply T2. eauto.
    - destruct (with_event_spec (snd s) e) as [Qw W]. destruct (W So) as [S' Pe]. split; [congruence|]. split; auto.
      simpl. rewrite P, Qw. rewrite (filter_permuted _ _ _ _ Pe). unfold entries. simpl. rewrite !filter_app.
      apply Permutation_app_head. exact H. }
  pose proof (find_last u ds e T) as Last. unfold decide, decided.
  destruct (find _ (passed ds)) as [p|].
  - destruct Last as (Ip & Kp & Most). pose proof (Le p Ip).
    destruct (Z.leb_spec (time p + apart u) (time e)) as [L|L].
    + destruct (range _ _ _ _ _ _) as [|y l] eqn:R.
      * exists None. split; [reflexivity|]. split; [reflexivity|]. apply Passing; [reflexivity|].
        intros q I Kq. destruct (Most q I Kq) as [->|]; lia.
      * exfalso. destruct (Keyed_ y ltac:(simpl; auto)) as [q ->]. destruct (proj1 (Found q) ltac:(simpl; auto))
          as (Iq & Kq & Lq). destruct (Most q Iq Kq) as [->|]; lia.
    + destruct (range _ _ _ _ _ _) as [|y l] eqn:R.
      * exfalso. apply (proj2 (Found p)). repeat split; auto. lia.
      * exists (Some p). destruct (Keyed_ y ltac:(simpl; auto)) as [q ->].
        destruct (proj1 (Found q) ltac:(simpl; auto)) as (Iq & Kq & Lq).
        assert (q = p) as -> by (destruct (Most q Iq Kq); auto; lia).
        split; [reflexivity|]. split; [reflexivity|]. split; [exact T|]. split; [exact Q|split; auto].
  - destruct (range _ _ _ _ _ _) as [|y l] eqn:R.
    + exists None. split; [reflexivity|]. split; [reflexivity|]. apply Passing; [reflexivity|].
      intros q I Kq. destruct (Last q I Kq).
    + exfalso. destruct (Keyed_ y ltac:(simpl; auto)) as [q ->]. destruct (proj1 (Found q) ltac:(simpl; auto))
        as (Iq & Kq & _). apply (Last q Iq Kq).
Qed.

Lemma all_decided_alike : forall u es ds b found w, tidy u ds -> holds_recent u ds b w ->
  Forall (keeps b) es -> Forall (fun e => template e = its_template u) es -> ascending precedes es ->
  (forall q e, In q (passed ds) -> In e es -> time q <= time e) ->
  exists more, fold_left (decided u) es ds = more ++ ds /\
    fst (fold_left (decide u) es (found, w)) = more ++ found /\
    map fst more = rev es /\
    tidy u (more ++ ds) /\ holds_recent u (more ++ ds) b (snd (fold_left (decide u) es (found, w))).
Proof.
  intros u es. induction es as [|e es IH]; intros ds b found w T H K Te A Le.
  - exists []. simpl. auto.
  - inversion K; subst. inversion Te; subst. destruct A as [F A].
    destruct (decided_alike u ds b (found, w) e T H) as (verdict & D1 & D2 & T' & H'); auto.
    { intros q I. apply Le; simpl; auto. }
    simpl fold_left. destruct (decide u (found, w) e) as [found' w'] eqn:Q. simpl in D2, H'. subst found'.
    destruct (IH (decided u ds e) b ((e, verdict) :: found) w') as (more & M1 & M2 & M3 & M4 & M5); auto.
    { rewrite D1. unfold passed. simpl. intros q e' I J. rewrite Forall_forall in F. pose proof (F e' J) as [B _].
      apply Timely in B. destruct verdict; simpl in I; [|destruct I as [<-|I]; auto];
        apply Z.le_trans with (time e); auto; apply Le; simpl; auto. }
    exists (more ++ [(e, verdict)]).
    replace ((more ++ [(e, verdict)]) ++ ds) with (more ++ decided u ds e) by (rewrite D1, <- app_assoc; auto).
    rewrite map_app, M3, <- app_assoc. auto.
Qed.

Definition is_up_to_date (u : suppression) (past : list event) (b : bound) (s : suppression_state) : Prop :=
  sorted anchor_rank (inorder (undecided s)) /\
  Permutation (inorder (undecided s)) (filter (fun e => negb (is_past b 0 e)) past) /\
  tidy u (decisions u (filter (is_past b 0) past)) /\
  holds_recent u (decisions u (filter (is_past b 0) past)) b (recent s).

Lemma not_past_keeps : forall b e, is_past b 0 e = false -> keeps b e.
Proof. intros [x|] e; simpl; [|discriminate]. rewrite Z.ltb_ge. lia. Qed.
Lemma decisions_within : forall u es d, In d (decisions u es) -> In (fst d) es.
Proof.
  intros u es d. unfold decisions. intros I. apply (in_order_in precedes Order).
  assert (G : forall l ds, In d (fold_left (decided u) l ds) -> In d ds \/ In (fst d) l).
  { induction l as [|x l IH]; simpl; intros ds J; auto. apply IH in J as [[<-|J]|J]; simpl; auto. }
  apply G in I as [[]|I]. auto.
Qed.
Lemma passed_within : forall u es e, In e (passed (decisions u es)) -> In e es.
Proof.
  intros u es e I. apply in_map_iff in I as (d & <- & I). apply filter_In in I as [I _].
  apply decisions_within in I. auto.
Qed.

Lemma a_step_decides : forall u past b s b' es, is_up_to_date u past b s ->
  Forall (keeps b) es -> Forall (fun e => template e = its_template u) (past ++ es) ->
  is_up_to_date u (past ++ es) (greater_bound b b') (snd (step_of_suppression u b' es s)) /\
  decisions u (filter (is_past (greater_bound b b') 0) (past ++ es))
    = fst (step_of_suppression u b' es s) ++ decisions u (filter (is_past b 0) past) /\
  Forall (fun d => keeps b (fst d)) (fst (step_of_suppression u b' es s)).
Proof.
  intros u past b s b' es (So & Pe & T & H) K Te.
  unfold step_of_suppression. set (all := inserted_all anchor_rank es (undecided s)).
  destruct (inserted_all_spec anchor_rank es (undecided s) So) as [Sa Pa]. fold all in Sa, Pa.
  rewrite (early_part_spec anchor_rank), app_nil_r by (eauto using passed_downward).
  set (ready := filter (is_past b' 0) (inorder all)).
  assert (New : forall e, In e es -> is_past b 0 e = false).
  { intros e I. rewrite Forall_forall in K. apply passed_kept; auto. lia. }
  assert (Old : filter (is_past b 0) (past ++ es) = filter (is_past b 0) past).
  { rewrite filter_app, (filter_nothing _ _ es) by auto. apply app_nil_r. }
  assert (All : Permutation (inorder all) (filter (fun e => negb (is_past b 0 e)) (past ++ es))).
  { rewrite Pa, Pe, filter_app, (filter_every _ (fun e => negb (is_past b 0 e)) es).
    - apply Permutation_app_comm.
    - intros e I. rewrite New; auto. }
  assert (Ready : forall e, In e ready <-> In e (filter (fun e => negb (is_past b 0 e))
      (filter (is_past (greater_bound b b') 0) (past ++ es)))).
  { intros e. unfold ready. rewrite (filter_permuted _ _ _ _ All), !filter_In, passed_greater, orb_true_iff,
      negb_true_iff. destruct (is_past b 0 e); intuition congruence. }
  assert (Parts : in_order precedes (filter (is_past (greater_bound b b') 0) (past ++ es))
    = in_order precedes (filter (is_past b 0) past) ++ in_order precedes ready).
  { rewrite (in_order_in_parts (is_past b 0) (filter (is_past b 0) past)).
    - f_equal. apply in_order_same; auto. intros e. rewrite Ready. tauto.
    - intros e. rewrite <- Old, !filter_In, passed_greater. destruct (is_past b 0 e); simpl; intuition congruence.
    - intros x y Px Py _ _. destruct b as [z|]; simpl in *; [|discriminate]. apply Z.ltb_lt in Px. apply Z.ltb_ge in Py.
      lia. }
  assert (Kr : Forall (keeps b) (in_order precedes ready)).
  { apply Forall_forall. intros e I. rewrite (in_order_in precedes Order) in I. apply Ready, filter_In in I as [_ I].
    apply not_past_keeps, negb_true_iff. auto. }
  destruct (all_decided_alike u (in_order precedes ready) (decisions u (filter (is_past b 0) past)) b [] (recent s) T H)
    as (more & M1 & M2 & M3 & M4 & M5); auto.
  { apply Forall_forall. intros e I. rewrite (in_order_in precedes Order) in I. apply Ready, filter_In in I as [I _].
    apply filter_In in I as [I _]. rewrite Forall_forall in Te. auto. }
  { apply in_order_ascending. auto. }
  { intros q e I J. apply passed_within, filter_In in I as [_ I]. rewrite Forall_forall in Kr. specialize (Kr e J).
    destruct b as [z|]; simpl in *; [|destruct Kr]. apply Z.ltb_lt in I. lia. }
  assert (D : decisions u (filter (is_past (greater_bound b b') 0) (past ++ es))
    = more ++ decisions u (filter (is_past b 0) past)).
  { unfold decisions at 1. rewrite Parts, fold_left_app. exact M1. }
  destruct (fold_left (decide u) (in_order precedes ready) ([], recent s)) as [ds w] eqn:Q. simpl in M2, M5 |- *.
  rewrite app_nil_r in M2. subst ds. split; [|split; auto].
  - unfold is_up_to_date. simpl. rewrite (later_part_spec anchor_rank) by (eauto using passed_downward). rewrite D.
    split; [apply filter_sorted; auto|]. split; [|split; auto].
    + rewrite (filter_permuted _ _ _ _ All), filter_both. erewrite filter_ext; [reflexivity|]. intros e. simpl.
      rewrite passed_greater, negb_orb. auto.
    + destruct M5 as [Q5 H5]. split; [rewrite forgetting_query; auto|].
      apply (holding_forgetting patience). auto.
  - rewrite Forall_forall in Kr |- *. intros d I. apply Kr. apply in_rev. rewrite <- M3. apply in_map. auto.
Qed.

(* Specification: suppression, suppression-decided. *)
Theorem all_decisions_are_those_of_the_definition : forall u fs past b s, is_up_to_date u past b s ->
  Forall (keeps b) (flat_map fst fs) -> feeds_keep fs -> bound_after b fs = None ->
  Forall (fun e => template e = its_template u) (past ++ flat_map fst fs) ->
  Permutation (concat (run_suppression u fs s) ++ decisions u (filter (is_past b 0) past))
    (decisions u (past ++ flat_map fst fs)).
Proof.
  intros u. induction fs as [|f fs IH]; intros past b s X K Ks En Te; simpl in *.
  - subst b. rewrite app_nil_r, filter_every by auto. auto.
  - apply Forall_app in K as [K K']. destruct Ks as [Kf Ks].
    assert (Te' := Te). rewrite app_assoc in Te'. apply Forall_app in Te' as [Tp _].
    destruct (a_step_decides u past b s (snd f) (fst f) X K Tp) as (X' & D & _).
    destruct (step_of_suppression u (snd f) (fst f) s) as [ds s'] eqn:Q. simpl in X', D. simpl.
    rewrite app_assoc, <- (IH (past ++ fst f) (greater_bound b (snd f)) s'); auto.
    + rewrite D, <- app_assoc. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
    + rewrite Forall_forall in *. intros e I. apply keeps_greater; auto.
    + rewrite <- app_assoc. auto.
Qed.

(* No event is decided later that lies before the bound. *)
Lemma fold_decides : forall u es s d, In d (fst (fold_left (decide u) es s)) -> In d (fst s) \/ In (fst d) es.
Proof.
  intros u. induction es as [|e es IH]; simpl; intros s d I; auto. apply IH in I as [I|I]; auto. unfold decide in I.
  destruct (range _ _ _ _ _ _); simpl in I; destruct I as [<-|I]; auto.
Qed.
Lemma undecided_after_step : forall u b es s, sorted anchor_rank (inorder (undecided s)) ->
  sorted anchor_rank (inorder (undecided (snd (step_of_suppression u b es s)))) /\
  (forall e, In e (inorder (undecided (snd (step_of_suppression u b es s)))) ->
    keeps b e /\ (In e es \/ In e (inorder (undecided s)))) /\
  (forall d, In d (fst (step_of_suppression u b es s)) -> In (fst d) es \/ In (fst d) (inorder (undecided s))).
Proof.
  intros u b es s So. unfold step_of_suppression.
  destruct (inserted_all_spec anchor_rank es (undecided s) So) as [Sa Pa].
  rewrite (early_part_spec anchor_rank), app_nil_r by (eauto using passed_downward).
  set (ready := filter _ _). pose proof (fold_decides u (in_order precedes ready) ([], recent s)) as G.
  destruct (fold_left (decide u) (in_order precedes ready) ([], recent s)) as [ds w]. simpl in G |- *.
  rewrite (later_part_spec anchor_rank) by (eauto using passed_downward). split; [apply filter_sorted; auto|].
  split.
  - intros e I. apply filter_In in I as [I F]. apply (Permutation_in _ Pa), in_app_iff in I.
    split; auto. apply not_past_keeps, negb_true_iff. auto.
  - intros d I. apply G in I as [[]|I]. rewrite (in_order_in precedes Order) in I. apply filter_In in I as [I _].
    apply (Permutation_in _ Pa), in_app_iff in I. auto.
Qed.
Lemma what_is_decided_later_is_later : forall u b fs s d, sorted anchor_rank (inorder (undecided s)) ->
  (forall e, In e (inorder (undecided s)) -> keeps b e) -> Forall (keeps b) (flat_map fst fs) ->
  In d (concat (run_suppression u fs s)) -> keeps b (fst d).
Proof.
  intros u b. induction fs as [|f fs IH]; intros s d So U K I; simpl in *; [destruct I|].
  apply Forall_app in K as [K K']. rewrite Forall_forall in K.
  destruct (undecided_after_step u (snd f) (fst f) s So) as (So' & U' & D).
  destruct (step_of_suppression u (snd f) (fst f) s) as [ds s']. simpl in *. apply in_app_iff in I as [I|I].
  - destruct (D d I); auto.
  - apply (IH s'); auto. intros e J. destruct (U' e J) as [_ [J'|J']]; auto.
Qed.
Lemma nothing_suppressed_yet : forall u b, is_up_to_date u [] b (nothing_suppressed u).
Proof.
  intros u b. split; [exact Logic.I|]. split; [reflexivity|]. split; [|split; [reflexivity|split; [exact Logic.I|]]].
  - split; [constructor|]. intros before_ p after Q. destruct before_; discriminate.
  - destruct b; simpl; auto.
Qed.
Lemma decisions_permuted : forall u es es', Permutation es es' -> decisions u es = decisions u es'.
Proof.
  intros u es es' P. unfold decisions. f_equal. apply in_order_same; auto. intros x. split; apply Permutation_in; auto.
  symmetry. auto.
Qed.

End Suppression.
