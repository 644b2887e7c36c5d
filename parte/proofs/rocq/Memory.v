(* What the evaluator stores, after any batches: an index has at most twice as many entries as the windows kept at one
   earlier moment, and a constant number more; no event waits that the bounds have passed. *)
From Parte Require Export Strata.

Section Memory.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
Variable patience : nat.
Notation forgetting := (forgetting patience).

(* ---- One index ---------------------------------------------------------------------------------------------------
   Events come into an index, and then it may forget those before a limit; so it goes from moment to moment. *)

Notation moment := (list event * bound)%type.
Definition moved (w : @watched E) (m : moment) : @watched E := forgetting (snd m) (with_events (fst m) w).
Definition index_after (q : keyed) (ms : list moment) : @watched E := fold_left moved ms (unwatched q).
(* How many entries of the events until the last of the moments lie at its limit or later. *)
Definition live (q : keyed) (ms : list moment) : nat :=
  match rev ms with
  | (_, Some x) :: _ => length (filter (late x) (entries q (flat_map fst ms)))
  | _ => length (entries q (flat_map fst ms))
  end.
Record is_thrifty (q : keyed) (ms : list moment) (w : @watched E) : Prop := Thrifty {
  it_is_of : query w = q;
  it_is_sorted : sorted entry_rank (inorder (index w));
  it_is_part : exists rest, Permutation (inorder (index w) ++ rest) (entries q (flat_map fst ms));
  it_counts : length (inorder (index w)) = (newer w + older w)%nat;
  it_is_recent : (newer w <= older w + patience)%nat;
  it_was_live : exists before_ after, ms = before_ ++ after /\ (older w <= live q before_)%nat }.

Lemma with_event_counts : forall w e, newer (with_event w e) = (length (entry_of (query w) e) + newer w)%nat
  /\ older (with_event w e) = older w.
Proof.
  intros w e. unfold with_event. generalize (entry_of (query w) e). intros l. revert w.
  induction l as [|x l IH]; simpl; intros w; auto. destruct (IH (Watched (query w) (insert entry_rank x (index w))
    (S (newer w)) (older w))) as [-> ->]. simpl. split; auto.
Qed.
Lemma with_events_counts : forall es w, newer (with_events es w) = (length (entries (query w) es) + newer w)%nat
  /\ older (with_events es w) = older w.
Proof.
  unfold with_events. induction es as [|e es IH]; simpl; intros w; auto. destruct (IH (with_event w e)) as [-> ->].
  destruct (with_event_counts w e) as [-> ->]. destruct (with_event_spec w e) as [-> _].
  unfold entries. simpl. rewrite app_length. split; auto. lia.
Qed.

Lemma still_thrifty : forall q ms w es x, is_thrifty q ms w ->
  is_thrifty q (ms ++ [(es, Some x)]) (moved w (es, Some x)).
Proof.
  intros q ms w es x [Q So [rest P] C R (before_ & after & B & L)]. unfold moved. simpl fst. simpl snd.
  destruct (with_events_spec es w) as [Q' W]. destruct (W So) as [So' P'].
  destruct (with_events_counts es w) as [Nw Ow].
  assert (Part : Permutation (inorder (index (with_events es w)) ++ rest) (entries q (flat_map fst (ms ++ [(es, Some
    x)])))).
  { rewrite flat_map_app. simpl. rewrite app_nil_r. unfold entries at 1. rewrite flat_map_app. fold (entries q es).
    fold (entries q (flat_map fst ms)). rewrite P', <- P, Q, <- app_assoc. apply Permutation_app_comm. }
  assert (Count : length (inorder (index (with_events es w))) = (newer (with_events es w) + older (with_events es
    w))%nat).
  { rewrite (Permutation_length P'), app_length, C, Nw, Ow. lia. }
  unfold Streaming.forgetting. destruct (Nat.leb (newer (with_events es w)) (older (with_events es w) + patience))
    eqn:Lq.
  - apply Nat.leb_le in Lq. split; auto; [congruence|eauto|]. exists before_, (after ++ [(es, Some x)]).
    rewrite Ow, B, app_assoc. auto.
  - set (remaining := kept_in (late x) (index (with_events es w)) []).
    assert (Re : remaining = filter (late x) (inorder (index (with_events es w)))).
    { unfold remaining. rewrite kept_in_spec, app_nil_r. auto. }
    assert (Sr : sorted entry_rank remaining) by (rewrite Re; apply filter_sorted; auto).
    destruct (built_from_spec entry_rank remaining Sr) as [Sb Pb]. split; simpl.
    + congruence.
    + exact Sb.
    + exists (filter (fun y => negb (late x y)) (inorder (index (with_events es w))) ++ rest).
      rewrite <- Part, app_assoc. apply Permutation_app_tail. rewrite Pb, Re. symmetry. apply filter_in_two.
    + rewrite (Permutation_length Pb). auto.
    + lia.
    + exists (ms ++ [(es, Some x)]), []. rewrite app_nil_r. split; auto.
      unfold live. rewrite rev_app_distr. simpl. rewrite Re.
      rewrite <- (Permutation_length (filter_permuted _ (late x) _ _ Part)), filter_app, app_length. lia.
Qed.
Lemma thrifty_at_the_start : forall q, is_thrifty q [] (unwatched q).
Proof. intros q. split; simpl; auto; [exists []; auto|lia|exists [], []; auto]. Qed.
Lemma always_thrifty : forall ms q, Forall (fun m : moment => snd m <> None) ms -> is_thrifty q ms (index_after q ms).
Proof.
  intros ms q F. unfold index_after. induction ms as [|[es b] ms IH] using rev_ind; [apply thrifty_at_the_start|].
  apply Forall_app in F as [F G]. inversion G as [|? ? N _]; subst. rewrite fold_left_app. simpl.
  simpl in N. destruct b as [x|]; [|congruence]. apply still_thrifty. auto.
Qed.
(* Specification: retention-left, retention-right. *)
Theorem an_index_has_at_most_twice_what_was_live : forall ms q, Forall (fun m : moment => snd m <> None) ms ->
  exists before_ after, ms = before_ ++ after /\
    (length (inorder (index (index_after q ms))) <= 2 * live q before_ + patience)%nat.
Proof.
  intros ms q F. destruct (always_thrifty ms q F) as [_ _ _ C R (before_ & after & B & L)].
  exists before_, after. split; auto. lia.
Qed.

(* ---- A rule, and a suppression ----------------------------------------------------------------------------------- *)

Definition rule_after (p : @plan E) (bs : list (@batch E)) : @rule_state E :=
  fold_left (fun s b => snd (step_of_rule precedes patience p b s)) bs (started p).
Definition moments_of_rule (p : @plan E) (bs : list (@batch E)) : list moment :=
  map (fun b => (arrived b, earlier (rule_bound (bounds_after b) (rule_of p)) (ahead p + back p))) bs.
Definition suppression_after (u : @suppression E) (fs : list (list event * bound)) : @suppression_state E :=
  fold_left (fun s f => snd (step_of_suppression precedes patience u (snd f) (fst f) s)) fs (nothing_suppressed u).
(* Events come into the index of a suppression when they pass. *)
Fixpoint moments_of_suppression (u : @suppression E) (fs : list (list event * bound)) (s : @suppression_state E) :
  list moment :=
  match fs with
  | [] => []
  | f :: more => let (ds, s) := step_of_suppression precedes patience u (snd f) (fst f) s in
      (rev (passed ds), earlier (snd f) (apart u)) :: moments_of_suppression u more s
  end.

Lemma started_with_nothing : forall p w, In w (all_watched (started p)) -> w = unwatched (query w).
Proof.
  intros p w I. unfold all_watched, started in I. simpl in I. apply in_app_iff in I as [I|I].
  - revert I. generalize (fst (closure_for (rule_of p))) 1%nat. induction (k_further (rule_of p)) as [|[cs|q ds] fs IH];
      simpl; intros m n I; [destruct I| |].
    + apply in_app_iff in I as [I|I]; [|eapply IH; eauto]. apply in_map_iff in I as (q & <- & _). auto.
    + destruct I as [<-|I]; auto. eapply IH; eauto.
  - rewrite map_map in I. apply in_map_iff in I as (c & <- & _). auto.
Qed.
Lemma indexes_after_step : forall p b s, all_watched (snd (step_of_rule precedes patience p b s))
  = map (fun w => moved w (arrived b, earlier (rule_bound (bounds_after b) (rule_of p)) (ahead p + back p)))
      (all_watched s).
Proof. intros. simpl. rewrite !all_watched_changed, map_map. auto. Qed.
Lemma indexes_after : forall p bs, all_watched (rule_after p bs)
  = map (fun w => index_after (query w) (moments_of_rule p bs)) (all_watched (started p)).
Proof.
  intros p bs. induction bs as [|b bs IH] using rev_ind.
  - unfold rule_after, index_after. simpl. rewrite <- (map_id (all_watched (started p))) at 1. apply map_ext_in.
    intros w I. apply started_with_nothing in I. auto.
  - unfold rule_after, moments_of_rule in *. rewrite fold_left_app, map_app. cbn [fold_left].
    rewrite indexes_after_step, IH, map_map. apply map_ext. intros w. unfold index_after. rewrite fold_left_app. auto.
Qed.
Lemma waiting_after : forall p bs, sorted anchor_rank (inorder (waiting (rule_after p bs))).
Proof.
  intros p bs. induction bs as [|b bs IH] using rev_ind; [exact I|]. unfold rule_after in *. rewrite fold_left_app.
  simpl. apply (order_after_step precedes patience b (p, _) IH).
Qed.
Lemma last_anchors : forall p bs b e, In e (inorder (waiting (rule_after p (bs ++ [b])))) ->
  is_past (rule_bound (bounds_after b) (rule_of p)) (ahead p) e = false.
Proof.
  intros p bs b e I. unfold rule_after in I. rewrite fold_left_app in I. simpl in I.
  apply (order_after_step precedes patience b (p, _) (waiting_after p bs)). exact I.
Qed.

Lemma decide_passes : forall u es s, exists ds, fst (fold_left (decide u) es s) = ds ++ fst s
  /\ snd (fold_left (decide u) es s) = with_events (rev (passed ds)) (snd s).
Proof.
  intros u. induction es as [|e es IH] using rev_ind; intros s; [exists []; auto|]. rewrite fold_left_app. simpl.
  destruct (IH s) as (ds & D1 & D2). unfold decide at 1 3. destruct (range _ _ _ _ _ _) as [|y l]; simpl.
  - exists ((e, None) :: ds). rewrite D1, D2. split; auto. unfold passed. simpl. fold (passed ds).
    unfold with_events. rewrite fold_left_app. auto.
  - exists ((e, Some (snd y)) :: ds). rewrite D1, D2. auto.
Qed.
Lemma recent_after : forall u fs s, recent (fold_left (fun s f => snd (step_of_suppression precedes patience u (snd f)
    (fst f) s)) fs s) = fold_left moved (moments_of_suppression u fs s) (recent s).
Proof.
  intros u. induction fs as [|f fs IH]; simpl; intros s; auto. rewrite IH.
  unfold step_of_suppression at 1 2. set (ready := in_order _ _).
  destruct (decide_passes u ready ([], recent s)) as (ds & D1 & D2).
  destruct (step_of_suppression precedes patience u (snd f) (fst f) s) as [ds' s'] eqn:Q.
  unfold step_of_suppression in Q. fold ready in Q.
  destruct (fold_left (decide u) ready ([], recent s)) as [ds'' w]. simpl in D1, D2. rewrite app_nil_r in D1. subst.
  inversion Q; subst. simpl. auto.
Qed.
Lemma undecided_in_time : forall u fs, sorted anchor_rank (inorder (undecided (suppression_after u fs))).
Proof.
  intros u fs. induction fs as [|f fs IH] using rev_ind; [exact I|]. unfold suppression_after in *.
  rewrite fold_left_app. simpl. apply undecided_after_step; auto.
Qed.
Lemma last_undecided : forall u fs f e, In e (inorder (undecided (suppression_after u (fs ++ [f])))) ->
  keeps (snd f) e.
Proof.
  intros u fs f e I. unfold suppression_after in I. rewrite fold_left_app in I. simpl in I.
  destruct (undecided_after_step precedes Order patience u (snd f) (fst f) _ (undecided_in_time u fs)) as (_ & U & _).
  apply (U e I).
Qed.

(* ---- All that is stored ------------------------------------------------------------------------------------------ *)

(* After the batches that it has seen a rule stores anchors whose span the bound has not passed, and indexes. *)
Definition rule_stores_little (seen : list (@batch E)) (x : @plan E * @rule_state E) : Prop :=
  (forall earlier_ b, seen = earlier_ ++ [b] -> Forall (fun e => is_past (rule_bound (bounds_after b) (rule_of (fst x)))
    (ahead (fst x)) e = false) (inorder (waiting (snd x)))) /\
  (Forall (fun b => rule_bound (bounds_after b) (rule_of (fst x)) <> None) seen ->
   forall w, In w (all_watched (snd x)) -> exists before_ after, seen = before_ ++ after /\
     (length (inorder (index w)) <= 2 * live (query w) (moments_of_rule (fst x) before_) + patience)%nat).
Definition suppression_stores_little (fed : list (list event * bound)) (y : @suppression E * @suppression_state E) :
  Prop :=
  (forall earlier_ f, fed = earlier_ ++ [f] -> Forall (keeps (snd f)) (inorder (undecided (snd y)))) /\
  (Forall (fun f => snd f <> None) fed -> exists before_ after,
     moments_of_suppression (fst y) fed (nothing_suppressed (fst y)) = before_ ++ after /\
     (length (inorder (index (recent (snd y)))) <= 2 * live (by_key (fst y)) before_ + patience)%nat).

Lemma a_rule_stores_little : forall p seen, rule_stores_little seen (p, rule_after p seen).
Proof.
  intros p seen. split; simpl.
  - intros e_ b ->. apply Forall_forall. intros e. apply last_anchors.
  - intros F w I. rewrite indexes_after in I. apply in_map_iff in I as (w0 & <- & _).
    destruct (an_index_has_at_most_twice_what_was_live (moments_of_rule p seen) (query w0)) as (a & b & Q & L).
    { apply Forall_map. eapply Forall_impl; [|exact F]. simpl. intros c N. destruct (rule_bound _ _); simpl;
      congruence. }
    unfold moments_of_rule in Q. apply map_eq_app in Q as (s1 & s2 & -> & <- & <-). exists s1, s2. split; auto.
    replace (query (index_after (query w0) (moments_of_rule p (s1 ++ s2)))) with (query w0); auto.
    symmetry. generalize (moments_of_rule p (s1 ++ s2)). intros ms. unfold index_after.
    induction ms as [|m ms IH] using rev_ind; auto. rewrite fold_left_app. simpl. unfold moved at 1.
    rewrite forgetting_query. destruct (with_events_spec (fst m) (fold_left moved ms (unwatched (query w0)))) as [-> _].
    auto.
Qed.
Lemma a_suppression_stores_little : forall u fed, suppression_stores_little fed (u, suppression_after u fed).
Proof.
  intros u fed. split; simpl.
  - intros e_ f ->. apply Forall_forall. intros e. apply last_undecided.
  - intros F. unfold suppression_after. rewrite recent_after.
    apply (an_index_has_at_most_twice_what_was_live _ (by_key u)).
    generalize (nothing_suppressed u). induction F as [|f fed N F IH]; simpl; intros s; auto.
    destruct (step_of_suppression _ _ _ _ _ _). constructor; [|apply IH]. intros Q. apply N. revert Q. clear.
    destruct f as [es [x|]]; simpl; intros; [discriminate|auto].
Qed.

Lemma strata_have_seen : forall bs strata, Forall2 (fun s0 s => exists seen, length seen = length bs /\
  s = fold_left (fun s b => next precedes patience b s) seen s0) strata (all_after precedes patience bs strata).
Proof.
  induction bs as [|b bs IH]; simpl; intros strata.
  - induction strata; constructor; auto. exists []. auto.
  - assert (G : Forall2 (fun s0 s => exists c, s = next precedes patience c s0) strata
      (all_next precedes patience b strata)).
    { clear IH. revert b. induction strata as [|s0 strata IHs]; simpl; intros b; constructor; eauto. }
    specialize (IH (all_next precedes patience b strata)). revert G IH.
    generalize (all_next precedes patience b strata), (all_after precedes patience bs (all_next precedes patience b
      strata)). intros l l' G. revert l'. induction G as [|s0 s ss0 ss [c ->] G IHG]; intros l' F; inversion F; subst;
      constructor; auto.
    destruct H1 as (seen & L & ->). exists (c :: seen). simpl. auto.
Qed.
Lemma stratum_after : forall seen (rs : list (@plan E)) us,
  let s0 := Running (map (fun p => (p, started p)) rs) (map (fun u => (u, nothing_suppressed u)) us) in
  fold_left (fun s b => next precedes patience b s) seen s0
  = Running (map (fun p => (p, rule_after p seen)) rs)
      (map (fun u => (u, suppression_after u (feeds precedes patience (its_rules s0) u seen))) us).
Proof.
  intros seen rs us. cbv zeta. induction seen as [|b seen IH] using rev_ind; [reflexivity|].
  rewrite fold_left_app. simpl fold_left at 1. rewrite IH. unfold next. simpl. f_equal.
  - rewrite map_map. apply map_ext. intros p. unfold after_step, rule_after. rewrite fold_left_app. auto.
  - rewrite map_map. apply map_ext. intros u. unfold suppressed_after, suppression_after. simpl.
    assert (F : forall l, feeds precedes patience l u (seen ++ [b]) = feeds precedes patience l u seen ++
      [(suppressible_of u (map (found_in_step precedes patience b) (fold_left (fun l b => map (after_step precedes
        patience
        b) l) seen l)), bound_of_suppression (fold_left (fun l b => map (after_step precedes patience b) l) seen l)
        (bounds_after b) u)]).
    { clear. induction seen as [|c seen IH]; simpl; intros l; auto. rewrite IH. auto. }
    assert (R : fold_left (fun l b => map (after_step precedes patience b) l) seen (map (fun p => (p, started p)) rs)
      = map (fun p => (p, rule_after p seen)) rs).
    { clear. induction seen as [|b seen IH] using rev_ind; [reflexivity|]. rewrite fold_left_app. simpl. rewrite IH.
      rewrite map_map. apply map_ext. intros p. unfold after_step, rule_after. rewrite fold_left_app. auto. }
    rewrite F, R, fold_left_app. auto.
Qed.

(* Specification: retention-left, retention-right, suppression-decided. After any batches, whatever they promise.
   `seen` are the batches of the stratum: those of the
   trace, and what the strata below have emitted. *)
Theorem the_evaluator_stores_little_more_than_windows_keep : forall (ps : @planned_program E) bs,
  Forall2 (fun planned s => exists seen, length seen = length bs /\
    Forall (rule_stores_little seen) (its_rules s) /\
    Forall (fun y => suppression_stores_little (feeds precedes patience (map (fun p => (p, started p)) (fst planned))
      (fst y) seen) y) (its_suppressions s)) ps (all_after precedes patience bs (at_the_start ps)).
Proof.
  intros ps bs. pose proof (strata_have_seen bs (at_the_start ps)) as F. revert F.
  generalize (all_after precedes patience bs (at_the_start ps)). unfold at_the_start.
  induction ps as [|[rs us] ps IH]; intros l F; inversion F as [|? s ? l' H F']; subst; constructor; auto.
  destruct H as (seen & L & ->). simpl fst. simpl snd. exists seen. split; auto. rewrite stratum_after. simpl.
  split; apply Forall_map, Forall_forall; intros x _; simpl; [apply a_rule_stores_little|
    apply a_suppression_stores_little].
Qed.

End Memory.
