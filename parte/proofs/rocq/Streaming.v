(* The evaluator: batches of events come in, with bounds that no later event breaks; each rule reports the matches of an
   anchor as soon as the bounds have passed all that may belong to them, and forgets what no later anchor reaches. *)
From Parte Require Export Anchored.

Section Streaming.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
Notation matches_at := (matches_at precedes).
Notation anchored := (anchored precedes).
Notation match_ := (partial * list (list event))%type.
(* How many entries an index stores before it forgets again, besides as many as it had then. *)
Variable patience : nat.

(* ---- Bounds ------------------------------------------------------------------------------------------------------
   No later event lies before the bound; none comes at all where there is no time. *)
Definition bound := option Z.
Definition keeps (b : bound) (e : event) : Prop := match b with Some x => x <= time e | None => False end.
Definition lesser_bound (a b : bound) : bound :=
  match a, b with Some x, Some y => Some (Z.min x y) | None, y => y | x, None => x end.
Definition greater_bound (a b : bound) : bound :=
  match a, b with Some x, Some y => Some (Z.max x y) | _, _ => None end.
Definition earlier (b : bound) (d : Z) : bound := match b with Some x => Some (x - d) | None => None end.
Definition bound_of (bs : list bound) (t : nat) : bound := nth t bs (Some (- horizon)).
Record batch := Batch { arrived : list event; bounds_after : list bound }.
Definition arriving (bs : list batch) : list event := flat_map arrived bs.
(* Specification: promise-explicit, promise-implicit. *)
Fixpoint promises_hold (bs : list batch) : Prop :=
  match bs with
  | [] => True
  | b :: later => Forall (fun e => keeps (bound_of (bounds_after b) (template e)) e) (arriving later)
      /\ promises_hold later
  end.

Lemma keeps_lesser : forall a b e, keeps a e \/ keeps b e -> keeps (lesser_bound a b) e.
Proof. intros [x|] [y|] e; simpl; intros [H|H]; try contradiction; auto; lia. Qed.
Lemma keeps_greater : forall a b e, keeps a e -> keeps b e -> keeps (greater_bound a b) e.
Proof. intros [x|] [y|] e; simpl; auto. lia. Qed.
Lemma keeps_any_bound : forall e, keeps (Some (- horizon)) e.
Proof. intros e. simpl. pose proof (within_horizon e). lia. Qed.

(* ---- A rule ----------------------------------------------------------------------------------------------------- *)

(* Besides how far events may lie before and after the anchor: how far positive events may lie before it. *)
Record plan := Plan { rule_of : keyed_rule; back : Z; ahead : Z; behind : Z }.
Definition templates_of (f : keyed_further) : list nat :=
  match f with
  | KeyedBound cs => map (fun q => o_template (k_what q)) cs
  | KeyedAbsent q _ => [o_template (k_what q)]
  end.
Definition templates_read (r : keyed_rule) : list nat :=
  map fst (k_first r) ++ flat_map templates_of (k_further r)
  ++ map (fun s => o_template (k_what (fst s))) (k_sets r).
Definition rule_bound (bs : list bound) (r : keyed_rule) : bound :=
  fold_right (fun t b => lesser_bound (bound_of bs t) b) None (templates_read r).

Definition unwatched (q : keyed) : watched := Watched q Leaf 0 0.
Fixpoint places_of (m : matrix) (n : nat) (fs : list keyed_further) : list place :=
  match fs with
  | [] => []
  | KeyedBound cs :: fs => Finding (windows_to m n) (map unwatched cs) :: places_of m (S n) fs
  | KeyedAbsent q ds :: fs => Lacking (unwatched q) ds :: places_of m n fs
  end.
Definition started (p : plan) : rule_state :=
  RuleState (places_of (fst (closure_for (rule_of p))) 1 (k_further (rule_of p)))
    (map (fun s => (unwatched (fst s), snd s)) (k_sets (rule_of p))) Leaf.

Definition changed (f : watched -> watched) (p : place) : place :=
  match p with Finding ws among => Finding ws (map f among) | Lacking w ds => Lacking (f w) ds end.
Definition with_indexes (f : watched -> watched) (waiting : tree event) (s : rule_state) : rule_state :=
  RuleState (map (changed f) (places s)) (map (fun c => (f (fst c), snd c)) (collections s)) waiting.
Definition with_event (w : watched) (e : event) : watched :=
  fold_left (fun w x => Watched (query w) (insert entry_rank x (index w)) (S (newer w)) (older w))
    (entry_of (query w) e) w.
Definition with_events (es : list event) (w : watched) : watched := fold_left with_event es w.

Definition late (x : Z) (y : Z * event) : bool := x <=? time (snd y).
Fixpoint kept_in {A} (f : A -> bool) (t : tree A) (rest : list A) : list A :=
  match t with
  | Leaf => rest
  | Node l x r _ => let rest := kept_in f r rest in kept_in f l (if f x then x :: rest else rest)
  end.
Definition forgetting (limit : bound) (w : watched) : watched :=
  match limit with
  | None => w
  | Some x =>
      if Nat.leb (newer w) (older w + patience) then w
      else let remaining := kept_in (late x) (index w) [] in
        Watched (query w) (built_from entry_rank remaining) 0 (length remaining)
  end.

Definition anchor_rank (e : event) : Z * Z := (time e, 0).
Definition is_past (b : bound) (ahead : Z) (e : event) : bool :=
  match b with Some x => time e + ahead <? x | None => true end.
Definition all_matches (p : plan) (s : rule_state) (es : list event) : list match_ :=
  fold_left (fun found e => rev_append (matches_at (back p) (ahead p) (rule_of p) s e) found) es [].
Definition step_of_rule (p : plan) (b : batch) (s : rule_state) : list match_ * rule_state :=
  let bound := rule_bound (bounds_after b) (rule_of p) in
  let here := with_indexes (with_events (arrived b))
    (inserted_all anchor_rank (filter (is_anchor (rule_of p)) (arrived b)) (waiting s)) s in
  (all_matches p here (early_part (is_past bound (ahead p)) (waiting here) []),
   with_indexes (forgetting (earlier bound (ahead p + back p)))
     (later_part (is_past bound (ahead p)) (waiting here)) here).
Fixpoint run_rule (p : plan) (bs : list batch) (s : rule_state) : list (list match_) :=
  match bs with
  | [] => []
  | b :: more => let (found, s) := step_of_rule p b s in found :: run_rule p more s
  end.

(* ---- What a plan must pass, and what is supposed of functions that are not computed here ------------------------- *)

Definition positives_near (p : plan) : bool :=
  forallb (fun j => - behind p <=? fst (reach_to (fst (closure_for (rule_of p))) j))
    (seq 0 (positive_count 1 (k_further (rule_of p)))).
Definition plan_passes (number : nat) (p : plan) : bool :=
  (rule_passes (back p) (ahead p) (rule_of p) && positives_near p) && forallb (fun t => Nat.ltb t number)
    (templates_read (rule_of p)).
Definition emission_is_stamped (m : @emission_with_sets E) : Prop := forall v sets e, s_generate m v sets = Some e ->
  template e = s_emits m /\ forall x, v <> [] -> Forall (fun t => x <= t) (times v) -> x - s_lag m <= time e.
Definition plan_sound (p : plan) : Prop := sound_rule (rule_of p) /\ Forall emission_is_stamped (k_emissions (rule_of
  p)).

(* ---- Indexes keep what may still be looked up -------------------------------------------------------------------- *)

Lemma kept_in_spec : forall A (f : A -> bool) t rest, kept_in f t rest = filter f (inorder t) ++ rest.
Proof.
  induction t as [|l IHl x r IHr h]; simpl; intros rest; auto. rewrite IHr, IHl, filter_app. simpl.
  destruct (f x); simpl; rewrite <- app_assoc; auto.
Qed.

Definition holding (past : list event) (limit : bound) (w : watched) : Prop :=
  sorted entry_rank (inorder (index w)) /\
  match limit with
  | Some x => Permutation (filter (late x) (inorder (index w))) (filter (late x) (entries (query w) past))
  | None => True
  end.

Lemma with_event_spec : forall w e, query (with_event w e) = query w /\
  (sorted entry_rank (inorder (index w)) -> sorted entry_rank (inorder (index (with_event w e))) /\
   Permutation (inorder (index (with_event w e))) (entry_of (query w) e ++ inorder (index w))).
Proof.
  intros w e. unfold with_event. generalize (entry_of (query w) e). intros l. revert w.
  induction l as [|x l IH]; simpl; intros w; auto.
  destruct (IH (Watched (query w) (insert entry_rank x (index w)) (S (newer w)) (older w))) as [Q H]. simpl in *.
  split; auto. intros S. destruct H as [H1 H2]; [apply insert_sorted; auto|]. split; auto.
  rewrite H2, insert_inorder. symmetry. apply Permutation_middle.
Qed.
Lemma with_events_spec : forall es w, query (with_events es w) = query w /\
  (sorted entry_rank (inorder (index w)) -> sorted entry_rank (inorder (index (with_events es w))) /\
   Permutation (inorder (index (with_events es w))) (entries (query w) es ++ inorder (index w))).
Proof.
  unfold with_events. induction es as [|e es IH]; simpl; intros w; auto.
  destruct (with_event_spec w e) as [Q H]. destruct (IH (with_event w e)) as [Q' H']. rewrite Q in *. split; auto.
  intros S. destruct (H S) as [S1 P1]. destruct (H' S1) as [S2 P2]. split; auto.
  rewrite P2, P1, app_assoc. apply Permutation_app_tail. unfold entries. simpl.
  apply Permutation_app_comm.
Qed.
Lemma forgetting_query : forall b w, query (forgetting b w) = query w.
Proof. intros [x|] w; simpl; auto. destruct (Nat.leb _ _); auto. Qed.

Lemma represents_changed : forall r f s t, (forall w, query (f w) = query w) -> represents r s ->
  represents r (with_indexes f t s).
Proof.
  intros r f s t H [P Q]. split; simpl.
  - revert P. generalize (fst (closure_for r)) 1%nat (k_further r). induction (places s) as [|p ps IH];
      intros m n [|g fs] P; [auto|destruct P|destruct p; destruct P|].
    destruct p, g; simpl in *; try contradiction.
    + destruct P as (P1 & P2 & P3). repeat split; auto. rewrite map_map, <- P2. apply map_ext. auto.
    + destruct P as (P1 & P2 & P3). rewrite H. auto.
  - rewrite map_map, <- Q. apply map_ext. intros c. simpl. rewrite H. auto.
Qed.
Lemma all_watched_changed : forall f t s, all_watched (with_indexes f t s) = map f (all_watched s).
Proof.
  intros. unfold all_watched. simpl. rewrite map_app, !map_map. f_equal.
  induction (places s) as [|p ps IH]; simpl; auto. rewrite map_app, IH. f_equal. destruct p; auto.
Qed.
Lemma started_represents : forall p, represents (rule_of p) (started p).
Proof.
  intros p. unfold started, represents. simpl. split.
  - generalize (fst (closure_for (rule_of p))) 1%nat. induction (k_further (rule_of p)) as [|[cs|q ds] fs IH];
      simpl; intros m n; auto. repeat split; auto. rewrite map_map. apply map_id.
  - rewrite map_map. simpl. induction (k_sets (rule_of p)) as [|[q ds] l IH]; simpl; f_equal; auto.
Qed.
Lemma started_unwatched : forall p, Forall (fun w => index w = Leaf) (all_watched (started p)).
Proof.
  intros p. unfold all_watched, started. simpl. apply Forall_app. split.
  - generalize (fst (closure_for (rule_of p))) 1%nat. induction (k_further (rule_of p)) as [|[cs|q ds] fs IH];
      simpl; intros m n; auto; try (constructor; auto; fail). apply Forall_app. split; auto.
    apply Forall_map, Forall_forall. auto.
  - rewrite map_map. apply Forall_map, Forall_forall. auto.
Qed.

Lemma watched_reads : forall r s w, represents r s -> In w (all_watched s) ->
  In (o_template (k_what (query w))) (templates_read r).
Proof.
  intros r s w [P Q] I. unfold all_watched in I. unfold templates_read. rewrite !in_app_iff. right.
  apply in_app_iff in I as [I|I]; [left|right].
  - revert P I. generalize (fst (closure_for r)) 1%nat (k_further r). induction (places s) as [|p ps IH];
      intros m n [|g fs] P I; [destruct I|destruct I|destruct p; destruct P|]. simpl in I |- *.
    apply in_app_iff. apply in_app_iff in I. destruct p, g; try contradiction; simpl in *.
    + destruct P as (P1 & P2 & P3). destruct I as [I|I]; [left|right; eapply IH; eauto]. subst. rewrite map_map. apply
      in_map_iff. exists w. auto.
    + destruct P as (P1 & P2 & P3). destruct I as [[<-|[]]|I]; [left|right; eapply IH; eauto]. rewrite P1. auto.
  - rewrite <- Q, map_map. apply in_map_iff in I as (c & <- & I). apply in_map_iff. exists c. auto.
Qed.
Lemma anchor_reads : forall r e, is_anchor r e = true -> In (template e) (templates_read r).
Proof.
  intros r e H. apply existsb_exists in H as (a & I & H). apply andb_true_iff in H as [H _]. apply Nat.eqb_eq in H.
  unfold templates_read. apply in_app_iff. left. rewrite H. apply in_map. auto.
Qed.
Lemma keeps_rule_bound : forall bs r e, In (template e) (templates_read r) -> keeps (bound_of bs (template e)) e ->
  keeps (rule_bound bs r) e.
Proof.
  intros bs r e. unfold rule_bound. induction (templates_read r) as [|t l IH]; simpl; intros I K; [contradiction|].
  apply keeps_lesser. destruct I as [->|I]; auto.
Qed.

Lemma passed_downward : forall b d x y, not_after anchor_rank x y -> is_past b d y = true -> is_past b d x = true.
Proof.
  intros [z|] d x y H; simpl; auto. unfold not_after, anchor_rank in H. simpl in H. rewrite !Z.ltb_lt. lia.
Qed.
Lemma passed_greater : forall a b d e, is_past (greater_bound a b) d e = is_past a d e || is_past b d e.
Proof.
  intros [x|] [y|] d e; simpl; rewrite ?orb_true_r; auto.
  destruct (Z.ltb_spec (time e + d) x), (Z.ltb_spec (time e + d) y), (Z.ltb_spec (time e + d) (Z.max x y)); simpl;
    auto; lia.
Qed.
Lemma passed_kept : forall b d e, 0 <= d -> keeps b e -> is_past b d e = false.
Proof. intros [x|] d e D K; simpl in *; [|contradiction]. apply Z.ltb_ge. lia. Qed.

Lemma all_matches_spec : forall p s es,
  Permutation (all_matches p s es) (flat_map (matches_at (back p) (ahead p) (rule_of p) s) es).
Proof.
  intros p s es. unfold all_matches. generalize (matches_at (back p) (ahead p) (rule_of p) s). intros g.
  assert (G : forall found, Permutation (fold_left (fun found e => rev_append (g e) found) es found)
    (flat_map g es ++ found)).
  { induction es as [|e es IH]; simpl; intros found; auto.
    rewrite IH, rev_append_rev, <- Permutation_rev, app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
  rewrite G, app_nil_r. auto.
Qed.

(* ---- A rule reports the matches of all anchors ------------------------------------------------------------------- *)

Section OneRule.
Variable p : plan.
Let r := rule_of p.
Hypothesis Passes : rule_passes (back p) (ahead p) r = true.
Hypothesis Sound : sound_rule r.
Hypothesis Near : positives_near p = true.
Lemma spans_nonnegative : 0 <= back p /\ 0 <= ahead p.
Proof.
  unfold rule_passes in Passes. destruct (closure_for r). rewrite !andb_true_iff, !Z.leb_le in Passes. tauto.
Qed.

Record keeps_up (past : list event) (b : bound) (s : rule_state) : Prop := KeepsUp {
  it_represents : represents r s;
  it_holds : Forall (holding past (earlier b (ahead p + back p))) (all_watched s);
  it_waits_in_order : sorted anchor_rank (inorder (waiting s));
  it_waits : Permutation (inorder (waiting s))
    (filter (fun e => negb (is_past b (ahead p) e)) (filter (is_anchor r) past)) }.
Definition all_keep (b : bound) (es : list event) : Prop :=
  forall e, In e es -> In (template e) (templates_read r) -> keeps b e.

Lemma holding_more : forall past b es w, holding past b w -> holding (past ++ es) b (with_events es w).
Proof.
  intros past b es w [S H]. destruct (with_events_spec es w) as [Q W]. destruct (W S) as [S' P]. split; auto.
  destruct b as [x|]; auto. rewrite Q. etransitivity; [apply filter_permuted; exact P|].
  unfold entries. rewrite filter_app, flat_map_app, filter_app. rewrite Permutation_app_comm.
  apply Permutation_app; auto.
Qed.
Lemma still_sorted : forall f t, sorted entry_rank (inorder t) -> sorted entry_rank (kept_in f t []).
Proof. intros. rewrite kept_in_spec, app_nil_r. apply filter_sorted. auto. Qed.
Lemma holding_forgetting : forall past b b' d w, holding past (earlier b d) w ->
  holding past (earlier (greater_bound b b') d) (forgetting (earlier b' d) w).
Proof.
  intros past b b' d w [S H]. split.
  - destruct b' as [y|]; simpl; auto. destruct (Nat.leb _ _); auto. apply built_from_spec, still_sorted. auto.
  - rewrite forgetting_query. destruct b as [x|], b' as [y|]; simpl; auto. simpl in H.
    assert (H' : Permutation (filter (late (Z.max x y - d)) (inorder (index w)))
        (filter (late (Z.max x y - d)) (entries (query w) past))).
    { assert (N : forall l, filter (late (Z.max x y - d)) (filter (late (x - d)) l)
        = filter (late (Z.max x y - d)) l).
      { intros l. apply filter_narrower. unfold late. intros z. rewrite !Z.leb_le. lia. }
      rewrite <- N, <- (N (entries _ _)). apply filter_permuted. auto. }
    destruct (Nat.leb _ _); auto. simpl. rewrite <- H'.
    etransitivity; [apply filter_permuted, built_from_spec, still_sorted; auto|].
    rewrite kept_in_spec, app_nil_r. rewrite filter_narrower; auto.
    unfold late. intros z. rewrite !Z.leb_le. lia.
Qed.

Lemma faithful_when_passed : forall past b b' later w e, holding past b w ->
  (forall x, b = Some x -> x <= time e - back p) -> b <> None ->
  is_past b' (ahead p) e = true -> all_keep b' later -> In (o_template (k_what (query w))) (templates_read r) ->
  faithful (past ++ later) (time e - back p) (time e + ahead p) w.
Proof.
  intros past b b' later w e [S H] B N P K R. split; auto. destruct b as [x|]; [|congruence]. specialize (B x eq_refl).
  unfold entries. rewrite flat_map_app, filter_app.
  assert (Later : filter (within_times (time e - back p) (time e + ahead p)) (flat_map (entry_of (query w)) later) =
    []).
  { apply filter_nothing. intros y I. apply in_flat_map in I as (e' & I & J). unfold entry_of in J.
    destruct (Nat.eqb_spec (template e') (o_template (k_what (query w)))) as [T|]; simpl in J; [|contradiction].
    destruct (o_own (k_what (query w)) e'); [|contradiction].
    destruct (k_event (query w) e'); [|contradiction]. destruct J as [<-|[]].
    unfold within_times, between_times. simpl. rewrite <- T in R. specialize (K e' I R).
    destruct b' as [bz|]; simpl in K, P; [|contradiction]. apply Z.ltb_lt in P. apply andb_false_iff. right.
    apply Z.leb_gt. lia. }
  rewrite Later, app_nil_r.
  assert (W : forall l, filter (within_times (time e - back p) (time e + ahead p)) (filter (late x) l)
    = filter (within_times (time e - back p) (time e + ahead p)) l).
  { intros l. apply filter_narrower. unfold late, within_times. intros y. rewrite between_spec, Z.leb_le. lia. }
  rewrite <- W, <- (W (flat_map _ _)). apply filter_permuted. exact H.
Qed.

Fixpoint last_bound (b : bound) (bs : list batch) : bound :=
  match bs with [] => b | x :: more => last_bound (greater_bound b (rule_bound (bounds_after x) r)) more end.

Lemma filter_in_two : forall A (f : A -> bool) l, Permutation l (filter f l ++ filter (fun x => negb (f x)) l).
Proof.
  intros A f l. induction l as [|x l IH]; simpl; auto. destruct (f x); simpl; auto.
  rewrite IH at 1. apply Permutation_middle.
Qed.

Lemma a_run_of_a_rule : forall bs past b s, keeps_up past b s -> all_keep b (arriving bs) -> promises_hold bs ->
  last_bound b bs = None ->
  Permutation (concat (run_rule p bs s))
    (flat_map (anchored (past ++ arriving bs) (plain r)) (inorder (waiting s) ++ filter (is_anchor r) (arriving bs))).
Proof.
  destruct spans_nonnegative as [Back Ahead].
  induction bs as [|x bs IH]; intros past b s X K Pr L.
  - simpl in *. subst b. destruct X as [_ _ _ W]. rewrite filter_nothing in W by auto.
    symmetry in W. apply Permutation_nil in W. rewrite W. auto.
  - simpl run_rule. unfold step_of_rule. fold r. set (b' := rule_bound (bounds_after x) r).
    set (here := with_indexes (with_events (arrived x))
      (inserted_all anchor_rank (filter (is_anchor r) (arrived x)) (waiting s)) s).
    destruct Pr as [Pr Prs]. unfold arriving in K. simpl in K. fold (arriving bs) in K. simpl in L. fold b' in L.
    destruct X as [Rep Hold Wo W].
    assert (Wh : waiting here = inserted_all anchor_rank (filter (is_anchor r) (arrived x)) (waiting s)) by auto.
    destruct (inserted_all_spec anchor_rank (filter (is_anchor r) (arrived x)) (waiting s) Wo) as [So Pe].
    rewrite <- Wh in So, Pe.
    rewrite (early_part_spec anchor_rank), app_nil_r by (eauto using passed_downward).
    set (ready := filter (is_past b' (ahead p)) (inorder (waiting here))).
    set (next := with_indexes (forgetting (earlier b' (ahead p + back p)))
      (later_part (is_past b' (ahead p)) (waiting here)) here).
    assert (Kl : all_keep b' (arriving bs)).
    { intros e I R. apply keeps_rule_bound; auto. rewrite Forall_forall in Pr. apply Pr. auto. }
    assert (Kb : all_keep b (arriving bs)) by (intros e I; apply K, in_app_iff; auto).
    assert (Kx : all_keep b (arrived x)) by (intros e I; apply K, in_app_iff; auto).
    assert (Rep' : represents r here).
    { apply represents_changed; auto. intros w. apply with_events_spec. }
    assert (Not_passed : forall e, In e (inorder (waiting here)) -> is_past b (ahead p) e = false).
    { intros e I. apply (Permutation_in _ Pe) in I. apply in_app_iff in I as [I|I].
      - apply filter_In in I as [I A]. apply passed_kept; auto. apply Kx; auto. apply anchor_reads. auto.
      - apply (Permutation_in _ W) in I. apply filter_In in I as [_ I]. apply negb_true_iff in I. auto. }
    assert (Held : Forall (holding (past ++ arrived x) (earlier b (ahead p + back p))) (all_watched here)).
    { unfold here. rewrite all_watched_changed. apply Forall_map. eapply Forall_impl; [|exact Hold].
      intros w Hw. apply holding_more. auto. }
    assert (Wn : inorder (waiting next) = filter (fun e => negb (is_past b' (ahead p) e)) (inorder (waiting here))).
    { apply (later_part_spec anchor_rank); eauto using passed_downward. }
    assert (Next : keeps_up (past ++ arrived x) (greater_bound b b') next).
    { split.
      - apply represents_changed; auto. intros w. apply forgetting_query.
      - unfold next. rewrite all_watched_changed. apply Forall_map. eapply Forall_impl; [|exact Held].
        intros w Hw. apply holding_forgetting. auto.
      - rewrite Wn. apply filter_sorted. auto.
      - rewrite Wn. rewrite (filter_permuted _ _ _ _ Pe), (filter_app _ past), !filter_app, Permutation_app_comm.
        apply Permutation_app.
        + rewrite (filter_permuted _ _ _ _ W), filter_both. erewrite filter_ext; [reflexivity|]. intros e. simpl.
          rewrite passed_greater, negb_orb. auto.
        + rewrite <- (filter_ext_in (fun e => negb (is_past (greater_bound b b') (ahead p) e))
            (fun e => negb (is_past b' (ahead p) e)) (filter (is_anchor r) (arrived x))); auto.
          intros e I. rewrite passed_greater. apply filter_In in I as [I A].
          rewrite (passed_kept b); auto. apply Kx; auto. apply anchor_reads. auto. }
    change (Permutation (all_matches p here ready ++ concat (run_rule p bs next))
      (flat_map (anchored (past ++ arriving (x :: bs)) (plain r))
        (inorder (waiting s) ++ filter (is_anchor r) (arriving (x :: bs))))).
    rewrite (IH (past ++ arrived x) (greater_bound b b') next); auto.
    2: { intros e I R. apply keeps_greater; auto. }
    rewrite all_matches_spec. fold r.
    assert (All : (past ++ arrived x) ++ arriving bs = past ++ arriving (x :: bs)) by (rewrite <- app_assoc; auto).
    rewrite All. set (stream := past ++ arriving (x :: bs)) in *.
    transitivity (flat_map (anchored stream (plain r)) ready
      ++ flat_map (anchored stream (plain r)) (inorder (waiting next) ++ filter (is_anchor r) (arriving bs))).
    { apply Permutation_app_tail, flat_map_values. intros e I. apply filter_In in I as [I P].
      specialize (Not_passed e I).
      apply the_matches_of_an_anchor_are_those_of_the_definition; auto.
      rewrite <- All. apply Forall_forall. intros w Iw. rewrite Forall_forall in Held.
      apply faithful_when_passed with (b := earlier b (ahead p + back p)) (b' := b'); auto.
      - intros y Q. destruct b as [z|]; simpl in *; inversion Q; subst. apply Z.ltb_ge in Not_passed. lia.
      - destruct b; simpl in *; congruence.
      - eapply watched_reads; eauto. }
    rewrite <- flat_map_app. apply Permutation_flat_map. rewrite app_assoc.
    replace (filter (is_anchor r) (arriving (x :: bs)))
      with (filter (is_anchor r) (arrived x) ++ filter (is_anchor r) (arriving bs))
      by (unfold arriving; simpl; rewrite filter_app; auto).
    rewrite app_assoc. apply Permutation_app_tail.
    rewrite Wn. unfold ready. rewrite <- filter_in_two, Pe. apply Permutation_app_comm.
Qed.

(* ---- and none whose events lie before the bound of its emissions --------------------------------------------------
   *)

Lemma range_inside : forall k lo hi t rest (x : Z * event), In x (range entry_rank k lo hi t rest) ->
  In x rest \/ lo <= time (snd x).
Proof.
  intros k lo hi. induction t as [|l IHl y t IHt h]; simpl; intros rest x I; auto.
  destruct (too_low entry_rank k lo y) eqn:Lo; [apply IHt; auto|].
  destruct (too_high entry_rank k hi y) eqn:Hi; [apply IHl; auto|].
  apply IHl in I as [[<-|I]|I]; auto. right. clear - Lo Hi. unfold too_low, too_high, entry_rank in *. simpl in *.
  destruct (Z.ltb_spec (fst y) k), (Z.ltb_spec k (fst y)), (Z.eqb_spec (fst y) k), (Z.ltb_spec (time (snd y)) lo);
    simpl in *; try discriminate; lia.
Qed.
Lemma windows_first : forall m n, (0 < n)%nat -> exists ws, windows_to m n = reach_to m n :: ws.
Proof.
  intros m [|n] L; [lia|]. unfold windows_to, reach_to. simpl. eauto.
Qed.
Lemma searched_inside : forall m lo hi t ps fs v u n, placed m n ps fs ->
  (forall j, (n <= j < positive_count n fs)%nat -> - behind p <= fst (reach_to m j)) ->
  length v = n -> hd_error (times v) = Some t -> Forall (fun x => t - behind p <= x) (times v) ->
  In u (search lo hi ps v) -> u <> [] /\ Forall (fun x => t - behind p <= x) (times u).
Proof.
  intros m lo hi t. induction ps as [|q ps IH]; intros [|f fs] v u n Pl N L H F I;
    try (destruct Pl; fail); try (destruct q; destruct Pl; fail).
  - simpl in I. destruct I as [<-|[]]. split; auto. destruct v; discriminate.
  - destruct q as [ws among|w ds], f as [cs|q ds']; try (destruct Pl; fail); simpl in I, Pl, N.
    + destruct Pl as (-> & _ & Pl). apply in_flat_map in I as (w & _ & I). apply in_flat_map in I as (e & J & I).
      assert (E0 : exists ts, times v = t :: ts) by (destruct (times v); inversion H; eauto).
      destruct E0 as [ts E0]. apply (IH fs (v ++ [e]) u (S n)); auto.
      * intros j Lj. apply N. lia.
      * rewrite app_length. simpl. lia.
      * unfold times in *. rewrite map_app, E0. auto.
      * unfold times. rewrite map_app. apply Forall_app. split; auto. constructor; auto.
        unfold candidates in J. apply filter_In in J as [J _]. unfold lookup in J.
        destruct (k_beside (query w) v); [|contradiction]. apply in_map_iff in J as (y & <- & J).
        apply range_inside in J as [[]|J]. revert J.
        destruct (windows_first m n) as [ws ->]; [destruct v; simpl in *; [discriminate|lia]|].
        rewrite E0. simpl. intros J.
        pose proof (narrowed_inside ts ws (Z.max lo (t + fst (reach_to m n))) (Z.min hi (t + snd (reach_to m n)))).
        pose proof (positive_count_ge fs (S n)). specialize (N n ltac:(lia)). lia.
    + destruct Pl as (_ & _ & Pl). destruct (looked_up_beside lo hi v w ds); [eauto|destruct I].
Qed.
Lemma matches_inside : forall s e m, represents r s -> In m (matches_at (back p) (ahead p) r s e) ->
  fst m <> [] /\ Forall (fun t => time e - behind p <= t) (times (fst m)).
Proof.
  intros s e m [Pl _] I. unfold Anchored.matches_at in I.
  apply in_flat_map in I as (v & I & J). unfold finished in J. destruct (admits r v); [|contradiction].
  match type of J with In _ (if ?c then _ else _) => destruct c; [|contradiction] end.
  destruct J as [<-|[]]. simpl. unfold positives_near in Near. rewrite forallb_forall in Near.
  assert (N : forall j, (j < positive_count 1 (k_further r))%nat
    -> - behind p <= fst (reach_to (fst (closure_for r)) j)).
  { intros j L. apply Z.leb_le, Near, in_seq. fold r. lia. }
  apply (searched_inside (fst (closure_for r)) (time e - back p) (time e + ahead p) (time e) (places s) (k_further r)
    [e]
    v 1 Pl); auto.
  - intros j L. apply N. lia.
  - pose proof (positive_count_ge (k_further r) 1). specialize (N 0%nat ltac:(lia)). unfold reach_to in N. simpl in N.
    constructor; auto. lia.
Qed.

Lemma early_part_in : forall (f : event -> bool) t rest e, In e (early_part f t rest) -> In e rest \/ In e (inorder t).
Proof.
  intros f. induction t as [|l IHl x t IHt h]; simpl; intros rest e I; auto. rewrite in_app_iff. simpl.
  destruct (f x).
  - apply IHl in I as [[<-|I]|I]; auto. apply IHt in I as [I|I]; auto.
  - apply IHl in I as [I|I]; auto.
Qed.
Lemma what_is_reported_later_is_later : forall b bs s m, represents r s -> sorted anchor_rank (inorder (waiting s)) ->
  (forall e, In e (inorder (waiting s)) -> is_past b (ahead p) e = false) -> all_keep b (arriving bs) ->
  In m (concat (run_rule p bs s)) ->
  exists x, b = Some x /\ fst m <> [] /\ Forall (fun t => x - (ahead p + behind p) <= t) (times (fst m)).
Proof.
  destruct spans_nonnegative as [Back Ahead]. intros b. induction bs as [|x bs IH]; intros s m Rep So N K I.
  - destruct I.
  - simpl in I. unfold step_of_rule in I. fold r in I. set (b' := rule_bound (bounds_after x) r) in I.
    set (here := with_indexes (with_events (arrived x))
      (inserted_all anchor_rank (filter (is_anchor r) (arrived x)) (waiting s)) s) in I.
    destruct (inserted_all_spec anchor_rank (filter (is_anchor r) (arrived x)) (waiting s) So) as [Sh Pe].
    assert (Nh : forall e, In e (inorder (waiting here)) -> is_past b (ahead p) e = false).
    { intros e J. apply (Permutation_in _ Pe) in J. apply in_app_iff in J as [J|J]; auto.
      apply filter_In in J as [J A]. apply passed_kept; auto. apply K; [apply in_app_iff; auto|apply anchor_reads;
        auto]. }
    assert (Rep' : represents r here).
    { apply represents_changed; auto. intros w. apply with_events_spec. }
    simpl in I. apply in_app_iff in I as [I|I].
    + apply (Permutation_in _ (all_matches_spec _ _ _)) in I. apply in_flat_map in I as (e & J & I).
      apply early_part_in in J as [[]|J]. apply matches_inside in I as [Ne F]; auto. specialize (Nh e J).
      destruct b as [z|]; simpl in Nh; [|discriminate]. exists z. repeat split; auto. apply Z.ltb_ge in Nh.
      eapply Forall_impl; [|exact F]. simpl. intros. lia.
    + eapply IH; [| | | |exact I]; simpl.
      * apply represents_changed; auto. intros w. apply forgetting_query.
      * rewrite (later_part_spec anchor_rank) by (eauto using passed_downward). apply filter_sorted. exact Sh.
      * intros e J. rewrite (later_part_spec anchor_rank) in J by (eauto using passed_downward). apply filter_In in J
        as [J _]. auto.
      * intros e J. apply K, in_app_iff. auto.
Qed.
End OneRule.

(* ---- How far a rule reaches: found, not proved; `plan_passes` decides whether it suffices -------------------------
   *)

Definition reach_of_distances (m : matrix) (known : Z * Z) (ds : list distance) : Z * Z :=
  let lows := flat_map (fun d => match fst (snd d) with Some l => [fst (reach_to m (fst d)) + l] | None => [] end) ds in
  let highs := map (fun d => snd (reach_to m (fst d)) + snd (snd d)) ds in
  match lows, highs with
  | l :: ls, h :: hs => (Z.max (fst known) (- fold_right Z.max l ls), Z.max (snd known) (fold_right Z.min h hs))
  | [], h :: hs => (Z.max (fst known) (2 * horizon), Z.max (snd known) (fold_right Z.min h hs))
  | _, [] => known
  end.
Definition planned (r : keyed_rule) : plan :=
  let m := fst (closure_for r) in
  let positive := fold_left (fun k j => (Z.max (fst k) (- fst (reach_to m j)), Z.max (snd k) (snd (reach_to m j))))
    (seq 0 (positive_count 1 (k_further r))) (0, 0) in
  let negated := fold_left (fun k f => match f with KeyedBound _ => k | KeyedAbsent _ ds => reach_of_distances m k ds
    end) (k_further r) positive in
  let reach := fold_left (fun k s => reach_of_distances m k (snd s)) (k_sets r) negated in
  Plan r (fst reach) (snd reach) (fst positive).

End Streaming.
