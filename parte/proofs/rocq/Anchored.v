(* A rule evaluated by indexes, one anchor after the other. The anchor of a match is the event of its first pattern. All
   other events of it lie within a span of time around the anchor, which the closure of `when` gives; they are looked up
   in ordered indexes, under a key where a condition compares an attribute of theirs with one of an earlier event. *)
From Parte Require Export Indexes Checks.

Section Anchored.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.

(* An alternative with its keys: that of an event, and that of the values beside which the event may stand. *)
Record keyed := Keyed {
  k_what : @alternative E; k_event : event -> option Z; k_beside : partial -> option Z }.
(* Its conditions are true only of events with the key. *)
Definition keyed_soundly (n : nat) (q : keyed) : Prop := forall v e, length v = n ->
  o_joint (k_what q) (v ++ [e]) = true -> exists k, k_event q e = Some k /\ k_beside q v = Some k.

Inductive keyed_further :=
| KeyedBound (choices : list keyed)
| KeyedAbsent (what : keyed) (at_distances : list distance).
Record keyed_rule := KeyedRule {
  k_first : list (nat * (event -> bool)); k_further : list keyed_further; k_when : list constraint;
  k_sets : list (keyed * list distance); k_having : option (partial -> list (list event) -> option bool);
  k_emissions : list (@emission_with_sets E) }.

(* The rule without its keys, of which Language.v states the meaning. *)
Definition plain_further (f : keyed_further) : further :=
  match f with KeyedBound cs => Bound (map k_what cs) | KeyedAbsent q ds => Absent (k_what q) ds end.
Definition plain (r : keyed_rule) : full_rule :=
  FullRule (k_first r) (map plain_further (k_further r)) (k_when r)
    (map (fun s => (k_what (fst s), snd s)) (k_sets r)) (k_having r) (k_emissions r).

(* ---- An index of a pattern -------------------------------------------------------------------------------------- *)

Definition entry_of (q : keyed) (e : event) : list (Z * event) :=
  if Nat.eqb (template e) (o_template (k_what q)) && o_own (k_what q) e
  then match k_event q e with Some k => [(k, e)] | None => [] end else [].
Definition entries (q : keyed) (stream : list event) : list (Z * event) := flat_map (entry_of q) stream.
Definition entry_rank (x : Z * event) : Z * Z := (fst x, time (snd x)).
(* How many entries came since it was last rebuilt, and how many there were then. *)
Record watched := Watched { query : keyed; index : tree (Z * event); newer : nat; older : nat }.
Definition lookup (w : watched) (v : partial) (lo hi : Z) : list event :=
  match k_beside (query w) v with Some k => map snd (range entry_rank k lo hi (index w) []) | None => [] end.

Definition within_times (lo hi : Z) (x : Z * event) : bool := between_times lo hi (time (snd x)).
(* Between two times it has all that the stream has. *)
Definition faithful (stream : list event) (lo hi : Z) (w : watched) : Prop :=
  sorted entry_rank (inorder (index w)) /\
  Permutation (filter (within_times lo hi) (inorder (index w)))
    (filter (within_times lo hi) (entries (query w) stream)).

Lemma filter_narrower : forall A (f g : A -> bool) l, (forall x, f x = true -> g x = true) ->
  filter f (filter g l) = filter f l.
Proof.
  intros A f g l H. induction l as [|x l IH]; simpl; auto. specialize (H x).
  destruct (g x) eqn:G; simpl; [rewrite IH; auto|]. destruct (f x); auto. discriminate H; auto.
Qed.
Lemma filter_flat_map : forall A B (f : B -> bool) (g : A -> list B) l,
  filter f (flat_map g l) = flat_map (fun x => filter f (g x)) l.
Proof. intros. induction l; simpl; auto. rewrite filter_app, IHl. auto. Qed.
Lemma flat_map_narrower : forall A B (g : A -> list B) f h l, (forall x, In x l -> f x = true -> h x = false -> g x =
  []) ->
  flat_map g (filter f l) = flat_map g (filter (fun x => f x && h x) l).
Proof.
  intros A B g f h l H. induction l as [|x l IH]; simpl; auto.
  assert (forall x0, In x0 l -> f x0 = true -> h x0 = false -> g x0 = []) by (intros; apply H; simpl; auto).
  destruct (f x) eqn:F; simpl; auto. destruct (h x) eqn:Hx; simpl; rewrite IH; auto.
  rewrite (H x); simpl; auto.
Qed.
Lemma between_spec : forall lo hi x, between_times lo hi x = true <-> lo <= x <= hi.
Proof. intros. unfold between_times. rewrite andb_true_iff, !Z.leb_le. tauto. Qed.

(* Specification: stream, meaning-filter. A lookup under the key between two times finds what a filter over the whole
   stream finds. *)
Theorem a_lookup_is_a_filter_over_the_whole_stream : forall stream lo0 hi0 w v lo hi,
  faithful stream lo0 hi0 w -> keyed_soundly (length v) (query w) -> lo0 <= lo -> hi <= hi0 ->
  Permutation (filter (fun e => o_joint (k_what (query w)) (v ++ [e])) (lookup w v lo hi))
    (filter (fun e => fills v (k_what (query w)) e && between_times lo hi (time e)) stream).
Proof.
  intros stream lo0 hi0 w v lo hi [So P] Ks Lo Hi. unfold lookup. destruct (k_beside (query w) v) as [k|] eqn:K.
  - rewrite a_range_is_a_filter, app_nil_r by auto.
    assert (N : forall l, filter (in_range entry_rank k lo hi) (filter (within_times lo0 hi0) l)
        = filter (in_range entry_rank k lo hi) l).
    { intros l. apply filter_narrower. intros x H. unfold in_range, entry_rank in H. simpl in H.
      apply andb_true_iff in H as [_ H]. apply andb_true_iff in H. rewrite !Z.leb_le in H. apply between_spec. lia. }
    etransitivity.
    { apply filter_permuted, Permutation_map. rewrite <- N. apply filter_permuted. exact P. }
    rewrite N. clear P N.
    induction stream as [|e stream IH]; simpl; auto. rewrite filter_app, map_app, filter_app, IH. clear IH.
    match goal with |- Permutation (?a ++ ?l) _ => assert (Q : a = if fills v (k_what (query w)) e
      && between_times lo hi (time e) then [e] else []) end.
    { unfold entry_of, fills. destruct (Nat.eqb (template e) (o_template (k_what (query w)))); simpl; auto.
      destruct (o_own (k_what (query w)) e); simpl; auto.
      destruct (o_joint (k_what (query w)) (v ++ [e])) eqn:J; simpl.
      - destruct (Ks v e eq_refl J) as (k' & K1 & K2). rewrite K in K2. inversion K2; subst k'. rewrite K1. simpl.
        unfold in_range, entry_rank, between_times. simpl. rewrite Z.eqb_refl. simpl.
        destruct ((lo <=? time e) && (time e <=? hi)); simpl; auto. rewrite J. auto.
      - destruct (k_event (query w) e) as [k'|]; simpl; auto. destruct (in_range entry_rank k lo hi (k', e)); simpl;
          auto. rewrite J. auto. }
    rewrite Q. destruct (fills v (k_what (query w)) e && between_times lo hi (time e)); auto.
  - simpl. rewrite (filter_nothing _ _ stream); [auto|]. intros e _. unfold fills.
    destruct (o_joint (k_what (query w)) (v ++ [e])) eqn:J.
    + destruct (Ks v e eq_refl J) as (k & _ & K2). congruence.
    + rewrite !andb_false_r. auto.
Qed.

(* ---- The times between which an event may lie ------------------------------------------------------------------- *)

Fixpoint narrowed (ts : list Z) (ws : list (Z * Z)) (lo hi : Z) : Z * Z :=
  match ts, ws with
  | t :: ts, w :: ws => narrowed ts ws (Z.max lo (t + fst w)) (Z.min hi (t + snd w))
  | _, _ => (lo, hi)
  end.
Lemma narrowed_spec : forall ts ws lo hi x, length ts = length ws ->
  (fst (narrowed ts ws lo hi) <= x <= snd (narrowed ts ws lo hi) <->
   lo <= x <= hi /\ forall j, (j < length ts)%nat -> nth j ts 0 + fst (nth j ws nowhere) <= x <= nth j ts 0 + snd (nth
     j ws nowhere)).
Proof.
  induction ts as [|t ts IH]; intros [|w ws] lo hi x L; try discriminate; simpl.
  - split; [intros H; split; auto; intros j Lj; lia|tauto].
  - simpl in L. rewrite IH by lia. split.
    + intros [H F]. split; [lia|]. intros [|j] Lj; [lia|apply F; lia].
    + intros [H F]. split; [specialize (F 0%nat); simpl in F; lia|]. intros j Lj. apply (F (S j)). lia.
Qed.
Lemma narrowed_inside : forall ts ws lo hi, lo <= fst (narrowed ts ws lo hi) /\ snd (narrowed ts ws lo hi) <= hi.
Proof.
  induction ts as [|t ts IH]; intros [|w ws] lo hi; simpl; try lia.
  specialize (IH ws (Z.max lo (t + fst w)) (Z.min hi (t + snd w))). lia.
Qed.

Fixpoint confined (v : partial) (ds : list distance) (lo hi : Z) : Z * Z :=
  match ds with
  | [] => (lo, hi)
  | d :: ds => confined v ds (match fst (snd d) with Some l => Z.max lo (at_ v (fst d) + l) | None => lo end)
                 (Z.min hi (at_ v (fst d) + snd (snd d)))
  end.
Lemma confined_inside : forall v ds lo hi, lo <= fst (confined v ds lo hi) /\ snd (confined v ds lo hi) <= hi.
Proof.
  induction ds as [|d ds IH]; intros lo hi; simpl; [lia|].
  specialize (IH (match fst (snd d) with Some l => Z.max lo (at_ v (fst d) + l) | None => lo end)
    (Z.min hi (at_ v (fst d) + snd (snd d)))). destruct (fst (snd d)); lia.
Qed.
Lemma distance_spec : forall v e d, (fst d < length v)%nat -> (in_distance v e d = true <->
  match fst (snd d) with Some l => at_ v (fst d) + l <= time e | None => True end
  /\ time e <= at_ v (fst d) + snd (snd d)).
Proof.
  intros v e d L. unfold in_distance. rewrite at_app_left by auto. rewrite andb_true_iff, Z.leb_le.
  destruct (fst (snd d)); [rewrite Z.leb_le|]; intuition lia.
Qed.
Lemma confined_spec : forall v e ds lo hi, Forall (fun d => fst d < length v)%nat ds ->
  forallb (in_distance v e) ds = true -> lo <= time e <= hi ->
  fst (confined v ds lo hi) <= time e <= snd (confined v ds lo hi).
Proof.
  induction ds as [|d ds IH]; intros lo hi F H B; simpl in *; auto. inversion F; subst.
  apply andb_true_iff in H as [H H']. apply distance_spec in H as [H0 H1]; auto.
  apply IH; auto. destruct (fst (snd d)); lia.
Qed.

(* ---- The search ------------------------------------------------------------------------------------------------- *)

Inductive place :=
| Finding (ws : list (Z * Z)) (among : list watched)
| Lacking (what : watched) (at_distances : list distance).

Section Search.
Variables lo hi : Z.
Definition candidates (v : partial) (w : watched) (b : Z * Z) : list event :=
  filter (fun e => o_joint (k_what (query w)) (v ++ [e])) (lookup w v (fst b) (snd b)).
Definition looked_up_beside (v : partial) (w : watched) (ds : list distance) : list event :=
  filter (fun e => forallb (in_distance v e) ds) (candidates v w (confined v ds lo hi)).
Fixpoint search (ps : list place) (v : partial) : list partial :=
  match ps with
  | [] => [v]
  | Finding ws among :: more =>
      let b := narrowed (times v) ws lo hi in
      flat_map (fun w => flat_map (fun e => search more (v ++ [e])) (candidates v w b)) among
  | Lacking w ds :: more => match looked_up_beside v w ds with [] => search more v | _ => [] end
  end.
End Search.

(* The meaning, value by value. *)
Fixpoint complete (stream : list event) (fs : list further) (v : partial) : list partial :=
  match fs with
  | [] => [v]
  | Bound cs :: more => flat_map (fun e => complete stream more (v ++ [e]))
      (filter (fun e => existsb (fun a => fills v a e) cs) stream)
  | Absent a ds :: more => if Nat.eqb (length (all_beside stream v a ds)) 0 then complete stream more v else []
  end.
Lemma flat_map_of_one : forall A B (g : A -> B) l, flat_map (fun x => [g x]) l = map g l.
Proof. induction l; simpl; f_equal; auto. Qed.
Lemma extended_values : forall stream fs vs, fold_left (extended stream) fs vs = flat_map (complete stream fs) vs.
Proof.
  intros stream. induction fs as [|f fs IH]; simpl; intros vs.
  - induction vs; simpl; f_equal; auto.
  - rewrite IH. destruct f as [cs|a ds]; simpl.
    + rewrite flat_map_joined. apply flat_map_ext. intros v. rewrite <- flat_map_of_one, flat_map_joined. simpl.
      apply flat_map_ext. intros e. rewrite app_nil_r. auto.
    + induction vs as [|v vs IHv]; simpl; auto. destruct (Nat.eqb (length (all_beside stream v a ds)) 0); simpl;
        rewrite IHv; auto.
Qed.
Lemma complete_extends : forall stream fs v u, In u (complete stream fs v) -> exists more, u = v ++ more.
Proof.
  intros stream. induction fs as [|f fs IH]; simpl; intros v u I.
  - destruct I as [<-|[]]. exists []. rewrite app_nil_r. auto.
  - destruct f as [cs|a ds].
    + apply in_flat_map in I as (e & _ & I). apply IH in I as [more ->]. exists (e :: more). rewrite <- app_assoc. auto.
    + destruct (Nat.eqb _ 0); [eauto|destruct I].
Qed.

(* How far an event of a pattern may lie from the anchor. *)
Definition reach_to (m : matrix) (j : nat) : Z * Z := if Nat.eqb j 0 then (0, 0) else or_nowhere (between m j 0).
Definition windows_to (m : matrix) (n : nat) : list (Z * Z) := map (fun j => or_nowhere (between m n j)) (seq 0 n).
Fixpoint placed (m : matrix) (n : nat) (ps : list place) (fs : list keyed_further) : Prop :=
  match ps, fs with
  | [], [] => True
  | Finding ws among :: ps, KeyedBound cs :: fs =>
      ws = windows_to m n /\ map query among = cs /\ placed m (S n) ps fs
  | Lacking w ds :: ps, KeyedAbsent q ds' :: fs => query w = q /\ ds = ds' /\ placed m n ps fs
  | _, _ => False
  end.
Fixpoint keys_sound (n : nat) (fs : list keyed_further) : Prop :=
  match fs with
  | [] => True
  | KeyedBound cs :: fs => Forall (keyed_soundly n) cs /\ keys_sound (S n) fs
  | KeyedAbsent q _ :: fs => keyed_soundly n q /\ keys_sound n fs
  end.
Definition watched_in (p : place) : list watched := match p with Finding _ among => among | Lacking w _ => [w] end.

(* ---- What a rule must pass: each event of a match lies within `back` before and `ahead` after the anchor ---------
   No two timestamps are farther apart than twice the horizon, so a window without a beginning is within that. *)

Definition distances_pass (m : matrix) (back ahead : Z) (n : nat) (ds : list distance) : bool :=
  forallb (fun d => Nat.ltb (fst d) n) ds
  && ((existsb (fun d => match fst (snd d) with Some l => - back <=? fst (reach_to m (fst d)) + l | None => false end)
    ds
       || (2 * horizon <=? back))
      && existsb (fun d => snd (reach_to m (fst d)) + snd (snd d) <=? ahead) ds).
Fixpoint distinct (l : list nat) : bool :=
  match l with [] => true | x :: more => negb (existsb (Nat.eqb x) more) && distinct more end.
Fixpoint further_passes (m : matrix) (back ahead : Z) (n : nat) (fs : list keyed_further) : bool :=
  match fs with
  | [] => true
  | KeyedBound cs :: fs => distinct (map (fun q => o_template (k_what q)) cs)
      && ((- back <=? fst (reach_to m n)) && (snd (reach_to m n) <=? ahead)) && further_passes m back ahead (S n) fs
  | KeyedAbsent q ds :: fs => distances_pass m back ahead n ds && further_passes m back ahead n fs
  end.
Fixpoint positive_count (n : nat) (fs : list keyed_further) : nat :=
  match fs with
  | [] => n | KeyedBound _ :: fs => positive_count (S n) fs | KeyedAbsent _ _ :: fs => positive_count n fs
  end.
Lemma positive_count_ge : forall fs n, (n <= positive_count n fs)%nat.
Proof. induction fs as [|[cs|q ds] fs IH]; simpl; intros n; auto. specialize (IH (S n)). lia. Qed.

Lemma distinct_spec : forall l, distinct l = true -> NoDup l.
Proof.
  induction l as [|x l IH]; simpl; intros H; constructor; apply andb_true_iff in H as [H H']; auto.
  intros I. apply negb_true_iff in H. assert (existsb (Nat.eqb x) l = true); [|congruence].
  apply existsb_exists. exists x. rewrite Nat.eqb_refl. auto.
Qed.

Section OneAnchor.
Variables (stream : list event) (m : matrix) (number : nat) (admits : partial -> bool) (at_anchor back ahead : Z).
Notation lo := (at_anchor - back).
Notation hi := (at_anchor + ahead).
Hypothesis Tight : forall u, admits u = true -> tight m u.
Hypothesis Known : forall i j, (i < number)%nat -> (j < number)%nat -> m i j <> None.

Definition near (v : partial) : Prop := at_ v 0 = at_anchor /\
  forall j, (j < length v)%nat -> at_anchor + fst (reach_to m j) <= at_ v j <= at_anchor + snd (reach_to m j).

Lemma distances_in_reach : forall v e n ds, near v -> length v = n -> distances_pass m back ahead n ds = true ->
  forallb (in_distance v e) ds = true -> Forall (fun d => fst d < length v)%nat ds /\ lo <= time e <= hi.
Proof.
  intros v e n ds [At N] L P D. unfold distances_pass in P. apply andb_true_iff in P as [P1 P].
  apply andb_true_iff in P as [P2 P3]. rewrite forallb_forall in P1, D.
  assert (F : forall d, In d ds -> (fst d < length v)%nat).
  { intros d I. specialize (P1 d I). apply Nat.ltb_lt in P1. lia. }
  split; [apply Forall_forall; auto|].
  apply existsb_exists in P3 as (d' & I' & P3). apply Z.leb_le in P3. pose proof (N _ (F d' I')).
  pose proof (D d' I') as H2. apply distance_spec in H2 as [_ H2]; auto. split; [|lia].
  apply orb_true_iff in P2 as [P2|P2].
  - apply existsb_exists in P2 as (d & I & P2). pose proof (N _ (F d I)).
    pose proof (D d I) as H1. apply distance_spec in H1 as [H1 _]; auto.
    destruct (fst (snd d)); [|discriminate]. apply Z.leb_le in P2. lia.
  - apply Z.leb_le in P2. pose proof (within_horizon e). rewrite <- At. unfold at_.
    pose proof (times_bounded v) as B. rewrite Forall_forall in B.
    destruct v as [|x v]; [exfalso; specialize (F d' I'); simpl in F; lia|]. specialize (B (nth 0 (times (x :: v)) 0)).
    assert (J : In (nth 0 (times (x :: v)) 0) (times (x :: v))) by (apply nth_In; simpl; lia). specialize (B J). lia.
Qed.

Lemma beside_is_looked_up : forall v w n ds, near v -> length v = n -> distances_pass m back ahead n ds = true ->
  faithful stream lo hi w -> keyed_soundly n (query w) ->
  Permutation (looked_up_beside lo hi v w ds) (all_beside stream v (k_what (query w)) ds).
Proof.
  intros v w n ds N L P F K. unfold looked_up_beside, candidates.
  pose proof (confined_inside v ds lo hi) as [B1 B2]. subst n.
  rewrite (filter_permuted _ _ _ _ (a_lookup_is_a_filter_over_the_whole_stream stream _ _ w v _ _ F K B1 B2)).
  unfold all_beside. rewrite filter_both. erewrite filter_ext; [reflexivity|]. intros e. simpl.
  destruct (fills v (k_what (query w)) e); simpl; auto.
  destruct (forallb (in_distance v e) ds) eqn:D; [|rewrite ?andb_false_r; auto].
  rewrite ?andb_true_r, ?andb_true_l. apply between_spec.
  destruct (distances_in_reach v e _ ds N eq_refl P D). apply confined_spec; auto.
Qed.

Lemma window_met : forall u n, tight m u -> (n < number)%nat -> forall j, (j < number)%nat ->
  fst (or_nowhere (between m n j)) <= at_ u n - at_ u j <= snd (or_nowhere (between m n j)).
Proof.
  intros u n T Ln j Lj. unfold between. pose proof (Known n j Ln Lj). pose proof (Known j n Lj Ln).
  destruct (m n j) as [a|] eqn:A; [|congruence]. destruct (m j n) as [b|] eqn:B; [|congruence]. simpl.
  pose proof (T _ _ _ A). pose proof (T _ _ _ B). lia.
Qed.

Lemma at_behind : forall v e more, at_ ((v ++ [e]) ++ more) (length v) = time e.
Proof.
  intros. unfold at_, times. rewrite <- app_assoc, map_app, app_nth2; rewrite map_length; auto.
  rewrite Nat.sub_diag. auto.
Qed.

Lemma search_is_complete : forall ps fs n v, placed m n ps fs -> keys_sound n fs ->
  further_passes m back ahead n fs = true -> length v = n -> (0 < n)%nat -> near v -> (positive_count n fs <=
    number)%nat ->
  Forall (faithful stream lo hi) (flat_map watched_in ps) ->
  Permutation (filter admits (search lo hi ps v)) (filter admits (complete stream (map plain_further fs) v)).
Proof.
  induction ps as [|p ps IH]; intros [|f fs] n v Pl Ks Pa L Pos N Sz F.
  { auto. } { destruct Pl. } { destruct p; destruct Pl. }
  destruct p as [ws among|w ds'].
  - destruct f as [cs|q ds]; [|destruct Pl]. destruct Pl as (-> & Q & Pl). simpl in Ks, Pa, Sz.
    destruct Ks as [Kc Ks]. apply andb_true_iff in Pa as [Pa Pf]. apply andb_true_iff in Pa as [Pd Pb].
    apply andb_true_iff in Pb. rewrite !Z.leb_le in Pb. apply distinct_spec in Pd.
    simpl in F. apply Forall_app in F as [Fa F]. simpl search. simpl complete.
    set (b := narrowed (times v) (windows_to m n) lo hi).
    pose proof (narrowed_inside (times v) (windows_to m n) lo hi) as [B1 B2]. fold b in B1, B2.
    assert (Lw : length (times v) = length (windows_to m n)).
    { unfold windows_to. rewrite times_length, map_length, seq_length. auto. }
    pose proof (positive_count_ge fs (S n)) as Ge.
    assert (Nth : forall j, (j < n)%nat -> nth j (windows_to m n) nowhere = or_nowhere (between m n j)).
    { intros j Lj. unfold windows_to. rewrite (nth_indep _ nowhere (or_nowhere (between m n 0)))
        by (rewrite map_length, seq_length; auto).
      rewrite (map_nth (fun j => or_nowhere (between m n j))), seq_nth; auto. }
    (* What is outside the windows completes to nothing that is admitted. *)
    assert (Out : forall e, between_times (fst b) (snd b) (time e) = false ->
      filter admits (complete stream (map plain_further fs) (v ++ [e])) = []).
    { intros e O. apply filter_nothing. intros u I. destruct (admits u) eqn:A; auto. exfalso.
      apply complete_extends in I as [more ->]. pose proof (Tight _ A) as T.
      assert (Between : between_times (fst b) (snd b) (time e) = true); [|congruence].
      apply between_spec. apply (narrowed_spec (times v) (windows_to m n) lo hi (time e) Lw).
      assert (W : forall j, (j < n)%nat -> at_ v j + fst (or_nowhere (between m n j)) <= time e
        <= at_ v j + snd (or_nowhere (between m n j))).
      { intros j Lj. pose proof (window_met _ n T ltac:(lia) j ltac:(lia)) as H.
        assert (At_n : at_ ((v ++ [e]) ++ more) n = time e) by (rewrite <- L; apply at_behind).
        rewrite At_n, <- app_assoc, at_app_left in H by lia. lia. }
      split.
      - pose proof (W 0%nat Pos) as H. destruct N as [At _]. rewrite At in H.
        unfold reach_to in Pb. destruct (Nat.eqb_spec n 0); lia.
      - rewrite times_length, L. intros j Lj. rewrite Nth by auto. apply W. auto. }
    assert (In_ : forall e, between_times (fst b) (snd b) (time e) = true -> near (v ++ [e])).
    { intros e Be. apply between_spec in Be. apply (narrowed_spec (times v) (windows_to m n) lo hi (time e) Lw) in Be.
      destruct Be as [_ Be]. destruct N as [At N]. split; [rewrite at_app_left by lia; auto|].
      intros j Lj. rewrite app_length in Lj. simpl in Lj. destruct (Nat.eq_dec j n) as [->|Ne].
      - replace (at_ (v ++ [e]) n) with (time e).
        + specialize (Be 0%nat). rewrite times_length, L in Be. specialize (Be Pos). rewrite Nth in Be by auto.
          change (nth 0 (times v) 0) with (at_ v 0) in Be. rewrite At in Be. unfold reach_to.
          destruct (Nat.eqb_spec n 0); [lia|]. auto.
        + pose proof (at_behind v e []) as H. rewrite app_nil_r, L in H. auto.
      - rewrite at_app_left by lia. apply N. lia. }
    rewrite !filter_flat_map.
    rewrite (Permutation_flat_map _ (filter_any _ _ o_template (fun a e => fills v a e) template stream
      (map k_what cs) ltac:(rewrite map_map; exact Pd)
      ltac:(intros a e H; unfold fills in H; apply andb_true_iff in H as [H _]; apply Nat.eqb_eq; exact H))).
    rewrite flat_map_joined. subst cs. rewrite map_map.
    rewrite (flat_map_concat_map _ (map _ among)), map_map, <- flat_map_concat_map.
    apply flat_map_values. intros w Iw. rewrite filter_flat_map.
    rewrite Forall_map, Forall_forall in Kc. rewrite Forall_forall in Fa.
    specialize (Kc w Iw). specialize (Fa w Iw). rewrite <- L in Kc.
    unfold candidates.
    rewrite (Permutation_flat_map _ (a_lookup_is_a_filter_over_the_whole_stream stream _ _ w v _ _ Fa Kc B1 B2)).
    rewrite (flat_map_narrower _ _ (fun e => filter admits (complete stream (map plain_further fs) (v ++ [e])))
      (fun e => fills v (k_what (query w)) e) (fun e => between_times (fst b) (snd b) (time e))) by auto.
    apply flat_map_values. intros e Ie. apply filter_In in Ie as [_ Ie]. apply andb_true_iff in Ie as [_ Ie].
    apply (IH fs (S n)); auto; rewrite ?app_length; simpl; lia.
  - destruct f as [cs|q ds]; [destruct Pl|]. destruct Pl as (Q & -> & Pl). simpl in Ks, Pa, Sz.
    destruct Ks as [K Ks]. apply andb_true_iff in Pa as [Pd Pf]. simpl in F. inversion F as [|? ? Fw F']. subst.
    simpl. pose proof (beside_is_looked_up v w (length v) ds N eq_refl Pd Fw K) as B.
    apply Permutation_length in B.
    destruct (looked_up_beside lo hi v w ds) as [|x l]; rewrite <- B; simpl; auto.
    apply (IH fs (length v)); auto.
Qed.
End OneAnchor.

(* ---- A rule ----------------------------------------------------------------------------------------------------- *)

Definition is_anchor (r : keyed_rule) (e : event) : bool :=
  existsb (fun a => Nat.eqb (template e) (fst a) && snd a e) (k_first r).
Definition admits (r : keyed_rule) (v : partial) : bool := forallb (fun c => holds c v) (k_when r).
Definition closure_for (r : keyed_rule) : matrix * bool := closure (positive_count 1 (k_further r)) (k_when r).
Definition rule_passes (back ahead : Z) (r : keyed_rule) : bool :=
  let '(m, contradiction) := closure_for r in let n := positive_count 1 (k_further r) in
  (0 <=? back) && (0 <=? ahead) && distinct (map fst (k_first r)) && (contradiction ||
  (all_known n m && further_passes m back ahead 1 (k_further r)
   && forallb (fun s => distances_pass m back ahead n (snd s)) (k_sets r))).
Definition sound_rule (r : keyed_rule) : Prop :=
  keys_sound 1 (k_further r) /\ Forall (fun s => keyed_soundly (positive_count 1 (k_further r)) (fst s)) (k_sets r).

Definition anchored (stream : list event) (r : full_rule) (e : event) : list (partial * list (list event)) :=
  map (fun v => (v, sets_of_rule precedes stream r v)) (filter (rule_has precedes stream r)
    (filter (fun v => forallb (fun c => holds c v) (f_when r)) (complete stream (f_further r) [e]))).
Lemma matches_by_anchor : forall stream r, matches_of_rule precedes stream (plain r)
  = flat_map (anchored stream (plain r)) (filter (is_anchor r) stream).
Proof.
  intros. unfold matches_of_rule, values_of_rule, first_events, anchored. rewrite extended_values.
  change (filter (fun e => existsb _ (f_first (plain r))) stream) with (filter (is_anchor r) stream).
  generalize (filter (is_anchor r) stream). generalize (plain r). intros p.
  induction l as [|e l IH]; auto. cbn [map flat_map]. rewrite !filter_app, map_app, IH. auto.
Qed.

Record rule_state := RuleState {
  places : list place; collections : list (watched * list distance); waiting : tree event }.
Definition represents (r : keyed_rule) (s : rule_state) : Prop :=
  placed (fst (closure_for r)) 1 (places s) (k_further r) /\
  map (fun c => (query (fst c), snd c)) (collections s) = k_sets r.
Definition all_watched (s : rule_state) : list watched :=
  flat_map watched_in (places s) ++ map fst (collections s).

Definition finished (r : keyed_rule) (s : rule_state) (lo hi : Z) (v : partial) :
  list (partial * list (list event)) :=
  if admits r v then
    let sets := map (fun c => in_order precedes (looked_up_beside lo hi v (fst c) (snd c))) (collections s) in
    if match k_having r with Some h => is_true (h v sets) | None => true end then [(v, sets)] else []
  else [].
Definition matches_at (back ahead : Z) (r : keyed_rule) (s : rule_state) (e : event) :
  list (partial * list (list event)) :=
  let lo := time e - back in let hi := time e + ahead in
  flat_map (finished r s lo hi) (search lo hi (places s) [e]).

Lemma complete_length : forall stream fs v u, In u (complete stream (map plain_further fs) v) ->
  length u = positive_count (length v) fs.
Proof.
  intros stream. induction fs as [|f fs IH]; simpl; intros v u I.
  - destruct I as [<-|[]]. auto.
  - destruct f as [cs|q ds]; simpl in I.
    + apply in_flat_map in I as (e & _ & I). apply IH in I. rewrite app_length, Nat.add_comm in I. auto.
    + destruct (Nat.eqb _ 0); [auto|destruct I].
Qed.

(* Specification: meaning-rule, several-negations, simultaneity. *)
Theorem the_matches_of_an_anchor_are_those_of_the_definition : forall stream back ahead r s e,
  rule_passes back ahead r = true -> sound_rule r -> represents r s ->
  Forall (faithful stream (time e - back) (time e + ahead)) (all_watched s) ->
  Permutation (matches_at back ahead r s e) (anchored stream (plain r) e).
Proof.
  intros stream back ahead r s e P [K Kc] [Pl Q] F. unfold rule_passes, represents in *.
  pose proof (the_closure_follows_from_the_constraints_and_implies_them (positive_count 1 (k_further r)) (k_when r))
    as C.
  unfold closure_for in *. destruct (closure (positive_count 1 (k_further r)) (k_when r)) as [m c]. destruct C as (C &
    _ & _).
  simpl fst in Pl.
  assert (Admits : forall v, admits r v = true -> tight m v /\ c = false).
  { intros v H. apply C. apply Forall_forall. apply forallb_forall. exact H. }
  apply andb_true_iff in P as [P P']. apply andb_true_iff in P as [P _].
  unfold anchored. unfold all_watched in F. apply Forall_app in F as [F Fc].
  set (lo := time e - back) in *. set (hi := time e + ahead) in *.
  change (fun v => forallb (fun c => holds c v) (f_when (plain r))) with (fun v => admits r v).
  assert (Each : matches_at back ahead r s e =
    flat_map (finished r s lo hi) (filter (admits r) (search lo hi (places s) [e]))).
  { unfold matches_at. fold lo hi. induction (search lo hi (places s) [e]) as [|u l IH]; simpl; auto.
    unfold finished at 1. destruct (admits r u) eqn:A; simpl; rewrite IH; auto. unfold finished at 2. rewrite A. auto. }
  rewrite Each. clear Each.
  destruct c.
  { assert (None_ : forall l, filter (admits r) l = []).
    { intros l. apply filter_nothing. intros v _. destruct (admits r v) eqn:A; auto. destruct (Admits v A).
      discriminate. }
    rewrite !None_. auto. }
  simpl in P'. apply andb_true_iff in P' as [P' Ps]. apply andb_true_iff in P' as [Pk Pf].
  rewrite all_known_spec in Pk.
  assert (N : near m (time e) [e]).
  { split; [reflexivity|]. intros [|j] L; [|simpl in L; lia]. unfold reach_to, at_. simpl. lia. }
  etransitivity.
  { apply Permutation_flat_map. apply (search_is_complete stream m (positive_count 1 (k_further r)) (admits r) (time
    e) back ahead
      (fun u H => proj1 (Admits u H)) Pk (places s) (k_further r) 1 [e] Pl K Pf eq_refl Nat.lt_0_1 N (Nat.le_refl _)
        F). }
  change (f_further (plain r)) with (map plain_further (k_further r)).
  transitivity (flat_map (fun v => if rule_has precedes stream (plain r) v
    then [(v, sets_of_rule precedes stream (plain r) v)] else [])
    (filter (admits r) (complete stream (map plain_further (k_further r)) [e]))).
  2: { simpl f_further. induction (filter (admits r) (complete stream (map plain_further (k_further r)) [e]))
         as [|v l IH]; simpl; auto. destruct (rule_has precedes stream (plain r) v); simpl; rewrite IH; auto. }
  apply flat_map_values.
  - intros v I. apply filter_In in I as [I A]. unfold finished. rewrite A.
    assert (Nv : near m (time e) v).
    { pose proof (complete_extends _ _ _ _ I) as [more ->]. split; [reflexivity|]. intros j L.
      apply complete_length in I. simpl length at 2 in I.
      pose proof (window_met m (positive_count 1 (k_further r)) Pk _ j (proj1 (Admits _ A)) ltac:(lia) 0%nat
        ltac:(pose proof (positive_count_ge (k_further r) 1); lia)) as W.
      unfold reach_to. destruct (Nat.eqb_spec j 0) as [->|]; [simpl; unfold at_; simpl; lia|].
      change (at_ ([e] ++ more) 0) with (time e) in W. lia. }
    assert (Sets : map (fun c => in_order precedes (looked_up_beside lo hi v (fst c) (snd c))) (collections s)
      = sets_of_rule precedes stream (plain r) v).
    { unfold sets_of_rule. simpl f_sets. rewrite map_map, <- Q, map_map. apply map_ext_in. intros [w ds] Iw. simpl.
      apply in_order_same; auto. rewrite Forall_forall in Fc, Kc. rewrite forallb_forall in Ps.
      assert (Iq : In (query w, ds) (k_sets r)).
      { rewrite <- Q. apply in_map_iff. exists (w, ds). auto. }
      apply complete_length in I. simpl in I.
      pose proof (beside_is_looked_up stream m (time e) back ahead v w _ ds Nv I (Ps _ Iq)
        (Fc w (in_map fst _ _ Iw)) (Kc _ Iq)) as B.
      intros x. split; apply Permutation_in; [|symmetry]; exact B. }
    rewrite Sets. reflexivity.
Qed.

End Anchored.
