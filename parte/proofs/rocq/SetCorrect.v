(* Set-nodes: over any log that keeps its promises on both sides, in whatever order the sides take turns, they send each
   left partial match once, with exactly the right events in its window, and keep promises in turn. *)
From Parte Require Export TwoInputCorrect.

Section Correct.
Context {E : Events}.
Variables (minima maxima : list Z) (condition : partial -> bool).
Let w := length minima.
Hypothesis some_left : minima <> [].
Hypothesis same_width : length maxima = length minima.

Notation matches := (matches minima maxima condition).
Notation collection := (collection minima maxima condition).
Notation collectable := (collectable minima maxima condition).
Notation change := (collect_change minima maxima condition).
Notation live_left := (live_left minima maxima).
Notation passed := (passed maxima).
Definition set_node := Collecting minima maxima condition.

Lemma collection_same : forall a b p, (forall q, matches p q = true -> (In q a <-> In q b)) ->
  collection a p = collection b p.
Proof.
  intros a b p H. apply with_set_same. intros x. rewrite !in_concat.
  split; intros (q & I & X); exists q; (split; [|auto]); apply filter_In in I as [I M]; apply filter_In;
    (split; [|auto]); apply (H q M); auto.
Qed.
Lemma collection_times : forall a p, times (collection a p) = times p.
Proof. intros. apply with_set_times. Qed.

Definition waiting_after (d : data) (t : token) : list partial :=
  match payload t with Some p => if live_left (right_bound d) p then left d ++ [p] else left d | None => left d end.
Definition results_on_left (d : data) (t : token) : list partial :=
  match payload t with
  | Some p => if live_left (right_bound d) p then [] else [collection (right d) p] | None => [] end.
Lemma collect_left_is : forall d t, collect_left minima maxima condition d t =
  (Data (bounds t) (right_bound d) (waiting_after d t)
     (filter (collectable (waiting_after d t) (bounds t)) (right d)) (reported d), results_on_left d t).
Proof.
  intros. unfold collect_left, waiting_after, results_on_left. destruct (payload t) as [p|]; auto.
  destruct (live_left (right_bound d) p); auto.
Qed.
Definition right_and (d : data) (t : token) : list partial :=
  match payload t with Some q => right d ++ [q] | None => right d end.

Lemma collect_ready_next : forall d slot t l, ready minima d ((slot, t) :: l) -> ready minima (fst (change d slot t)) l.
Proof.
  intros d slot t l H. destruct (two_slots minima maxima same_width _ _ _ _ H); subst; simpl.
  - rewrite collect_left_is. apply ready_left in H. unfold ready. simpl. auto.
  - apply ready_right in H. unfold ready. simpl. auto.
Qed.

Lemma uncollectable : forall stored b l q p, length b = w -> Forall (kept_by b) (lefts l) ->
  collectable stored b q = false -> In p (stored ++ lefts l) -> matches p q = false.
Proof.
  intros stored b l q p Lb K C I. apply orb_false_iff in C as [C1 C2]. apply in_app_iff in I as [I|I].
  - destruct (matches p q) eqn:M; auto. rewrite <- C2. symmetry. apply existsb_exists. eauto.
  - apply stale_right_meets_nothing with b; auto. rewrite Forall_forall in K. auto.
Qed.

Lemma kept_or_gone : forall (f : partial -> bool) l x, In x l <-> In x (filter f l ++ filter (fun q => negb (f q)) l).
Proof.
  intros. rewrite in_app_iff, !filter_In. destruct (f x); simpl; intuition.
Qed.

(* `all` are the right events of the whole log; `gone` are those that are stored no longer. *)
Lemma collect_from : forall l d all gone, ready minima d l ->
  (forall q, In q all <-> In q (right d ++ gone ++ rights l)) ->
  (forall q p, In q gone -> In p (left d ++ lefts l) -> matches p q = false) ->
  Permutation (payloads (snd (run set_node d l)) ++ map (collection all) (left (fst (run set_node d l))))
              (map (collection all) (left d ++ lefts l)).
Proof.
  induction l as [|[slot t] l IH]; intros d all gone Rd Hr Hg.
  - simpl. unfold lefts, taken. simpl. rewrite app_nil_r. auto.
  - pose proof (collect_ready_next _ _ _ _ Rd) as Next.
    change (run set_node d ((slot, t) :: l)) with
      (let '(d', o) := collect_step minima maxima condition d slot t in
       let '(d'', o') := run set_node d' l in (d'', o ++ o')).
    unfold collect_step. destruct (change d slot t) as [d' results] eqn:C. simpl fst in Next. specialize (IH d' all).
    destruct (run set_node d' l) as [d'' o'] eqn:R. simpl snd in *. simpl fst in *.
    rewrite payloads_app, payloads_as_tokens, <- app_assoc.
    destruct (two_slots minima maxima same_width _ _ _ _ Rd); subst slot; simpl in C.
    + rewrite collect_left_is in C. inversion C; subst d' results; clear C. simpl in IH.
      pose proof (ready_left minima _ _ _ Rd) as (Lb & Kl & Kr & _).
      rewrite rights_left in Hr.
      specialize (IH (gone ++ filter (fun q => negb (collectable (waiting_after d t) (bounds t) q)) (right d)) Next).
      assert (Sub : forall p, In p (waiting_after d t ++ lefts l) -> In p (left d ++ lefts ((0%nat, t) :: l))).
      { intros p. rewrite lefts_left. unfold waiting_after. destruct (payload t) as [p'|]; auto.
        destruct (live_left (right_bound d) p'); rewrite !in_app_iff; simpl; intuition. }
      assert (H : Permutation (payloads o' ++ map (collection all) (left d''))
                    (map (collection all) (waiting_after d t ++ lefts l))).
      { apply IH.
        - intros q. rewrite Hr. rewrite !in_app_iff. rewrite (kept_or_gone (collectable (waiting_after d t) (bounds t))
            (right d) q), in_app_iff. tauto.
        - intros q p I J. apply in_app_iff in I as [I|I].
          + apply Hg; auto.
          + apply filter_In in I as [_ I]. apply negb_true_iff in I. eapply uncollectable; eauto. }
      rewrite H, lefts_left. unfold results_on_left, waiting_after. destruct (payload t) as [p|] eqn:Pt; auto.
      destruct (live_left (right_bound d) p) eqn:Li; simpl; rewrite <- ?app_assoc; auto.
      assert (Eq : collection (right d) p = collection all p).
      { apply collection_same. intros q M. rewrite Hr, !in_app_iff. split; auto. intros [I|[I|I]]; auto.
        - rewrite (Hg q p) in M; [discriminate|auto|]. rewrite lefts_left, Pt, in_app_iff. simpl. auto.
        - rewrite (stale_left_meets_nothing minima maxima condition same_width (right_bound d) p q) in M; auto.
          + discriminate.
          + rewrite Forall_forall in Kr. auto. }
      rewrite Eq, !map_app. simpl. apply Permutation_middle.
    + unfold collect_right in C. cbv zeta in C. fold (right_and d t) in C. inversion C; subst d' results; clear C.
      simpl in IH. pose proof (ready_right minima _ _ _ Rd) as (Lb & Kl & Kr & _).
      assert (Hr' : forall q, In q all <-> In q (right_and d t ++ gone ++ rights l)).
      { intros q. rewrite Hr, rights_right. unfold right_and. destruct (payload t); rewrite !in_app_iff; simpl; tauto. }
      set (b := only (bounds t)) in *.
      specialize (IH (gone ++ filter (fun q => negb (collectable (expire_left maxima b (left d)) (left_bounds d) q))
        (right_and d t)) Next).
      rewrite lefts_right in *.
      assert (Sub : forall p, In p (expire_left maxima b (left d) ++ lefts l) -> In p (left d ++ lefts l)).
      { intros p. unfold expire_left. rewrite !in_app_iff, filter_In. tauto. }
      assert (H : Permutation (payloads o' ++ map (collection all) (left d''))
                    (map (collection all) (expire_left maxima b (left d) ++ lefts l))).
      { apply IH.
        - intros q. rewrite Hr', !in_app_iff.
          rewrite (kept_or_gone (collectable (expire_left maxima b (left d)) (left_bounds d)) (right_and d t) q),
            in_app_iff. tauto.
        - intros q p I J. apply in_app_iff in I as [I|I].
          + apply Hg; auto.
          + apply filter_In in I as [_ I]. apply negb_true_iff in I. eapply uncollectable; eauto. }
      rewrite H.
      assert (Eq : map (collection (right_and d t)) (filter (passed b) (left d)) =
        map (collection all) (filter (passed b) (left d))).
      { apply map_ext_in. intros p I. apply filter_In in I as [I P]. apply collection_same. intros q M.
        rewrite Hr', !in_app_iff. split; auto. intros [J|[J|J]]; auto.
        - rewrite (Hg q p) in M; [discriminate|auto|]. apply in_app_iff. auto.
        - rewrite (stale_left_meets_nothing minima maxima condition same_width b p q) in M; auto.
          + discriminate.
          + apply passed_not_live. auto.
          + rewrite Forall_forall in Kr. auto. }
      rewrite Eq, <- map_app, app_assoc. apply Permutation_map, Permutation_app_tail.
      symmetry. unfold expire_left. apply filter_split.
Qed.

(* PARTE/SET-*: what has been sent and what still waits are together all left partial matches, each once, with the right
   events taken so far that are in its window (specification: sets). *)
Theorem a_set_node_sends_or_keeps_each_match_with_its_set : forall l, ready minima (initial set_node) l ->
  Permutation (payloads (snd (run set_node (initial set_node) l)) ++
               map (collection (rights l)) (left (fst (run set_node (initial set_node) l))))
              (map (collection (rights l)) (lefts l)).
Proof. intros l Rd. apply (collect_from l (initial set_node) (rights l) []); simpl; tauto. Qed.

(* ---- Promises -------------------------------------------------------------------------------------------------- *)

(* What is sent has the times of a left partial match. *)
Definition from_left (d : data) (l : log) (r : partial) : Prop :=
  exists p, In p (left d ++ lefts l) /\ times r = times p.

Lemma collect_change_from : forall d slot t l, (slot < 2)%nat ->
  let '(d', results) := change d slot t in
  incl (left d' ++ lefts l) (left d ++ lefts ((slot, t) :: l)) /\
  incl (right d' ++ rights l) (right d ++ rights ((slot, t) :: l)) /\
  Forall (from_left d ((slot, t) :: l)) results.
Proof.
  intros d slot t l Hs. assert (slot = 0 \/ slot = 1)%nat as [S|S] by lia; subst; simpl.
  - rewrite collect_left_is. simpl. rewrite rights_left. split; [|split].
    + intros x. rewrite lefts_left. unfold waiting_after. destruct (payload t) as [p|]; auto.
      destruct (live_left (right_bound d) p); rewrite !in_app_iff; simpl; intuition.
    + intros q Hq. rewrite in_app_iff in *. destruct Hq as [Hq|Hq]; auto. apply filter_In in Hq. tauto.
    + unfold results_on_left. destruct (payload t) as [p|] eqn:Pt; auto. destruct (live_left (right_bound d) p); auto.
      constructor; auto. exists p. rewrite lefts_left, Pt, in_app_iff, collection_times. simpl. auto.
  - rewrite lefts_right, rights_right. split; [|split].
    + intros x. unfold expire_left. rewrite !in_app_iff, filter_In. tauto.
    + intros q Hq. rewrite in_app_iff in *. destruct Hq as [Hq|Hq].
      * apply filter_In in Hq as [Hq _]. destruct (payload t); auto. apply in_app_iff in Hq. simpl in *. intuition.
      * destruct (payload t); simpl; auto.
    + apply Forall_map, Forall_forall. intros p I. apply filter_In in I as [I _]. exists p.
      rewrite in_app_iff, collection_times. auto.
Qed.

Lemma collect_run_from : forall l d, Forall (fun x => fst x < 2)%nat l ->
  Forall (from_left d l) (payloads (snd (run set_node d l))).
Proof.
  induction l as [|[slot t] l IH]; intros d Hs; simpl; [constructor|]. inversion Hs; subst. simpl in H1.
  pose proof (collect_change_from d slot t l H1) as C. unfold collect_step. destruct (change d slot t) as [d' results].
  destruct C as (Cl & _ & Cf). specialize (IH d' H2). destruct (run set_node d' l) as [d'' o']. simpl in *.
  rewrite payloads_app, payloads_as_tokens. apply Forall_app; split; auto.
  eapply Forall_impl; [|exact IH]. intros r (p & I & Eq). exists p. auto.
Qed.

Lemma collect_widths_next : forall d slot t l, ready minima d ((slot, t) :: l) -> stored_widths minima d ->
  stored_widths minima (fst (change d slot t)).
Proof.
  intros d slot t l Rd [Wl Wr].
  assert (Hs : (slot < 2)%nat) by (destruct (two_slots minima maxima same_width _ _ _ _ Rd); lia).
  pose proof (collect_change_from d slot t l Hs) as C. destruct (change d slot t) as [d' results].
  destruct C as (Cl & Cr & _). destruct Rd as (_ & _ & _ & H4 & H5 & _). apply honest_widths in H4, H5. simpl.
  rewrite Forall_forall in H4, H5, Wl, Wr. unfold stored_widths. split; apply Forall_forall; intros x Hx.
  - assert (In x (left d ++ lefts ((slot, t) :: l))) by (apply Cl, in_app_iff; auto).
    apply in_app_iff in H. destruct H; auto.
  - assert (In x (right d ++ rights ((slot, t) :: l))) by (apply Cr, in_app_iff; auto).
    apply in_app_iff in H. destruct H; auto.
Qed.

Lemma collect_bounds_kept : forall d l r, ready minima d l -> stored_widths minima d -> from_left d l r ->
  kept_by (left_bounds_after d) r /\ length r = w.
Proof.
  intros d l r (H1 & H2 & _ & H4 & _) [Wl _] (p & I & Eq).
  destruct (capped_spec minima maxima same_width w (left d) (left_bounds d) H1 Wl) as (L1 & L2 & L3).
  apply honest_widths in H4. unfold kept_by. rewrite Eq.
  assert (length r = length p) by (rewrite <- (times_length r), Eq, times_length; auto). rewrite H.
  rewrite Forall_forall in Wl, L3, H2, H4.
  apply in_app_iff in I as [I|I]; (split; [|solve [auto]]).
  - apply L3. auto.
  - eapply below_trans; [exact L2|]. apply H2. auto.
Qed.

Lemma left_bounds_after_width : forall d, length (left_bounds d) = w -> stored_widths minima d ->
  length (left_bounds_after d) = w.
Proof.
  intros d H [Wl _]. destruct (capped_spec minima maxima same_width w (left d) (left_bounds d) H Wl) as (L1 & _). auto.
Qed.

Lemma collect_honest_from : forall l d, ready minima d l -> stored_widths minima d ->
  honest w (snd (run set_node d l)).
Proof.
  induction l as [|[slot t] l IH]; intros d Rd Sw; simpl; auto.
  pose proof (collect_ready_next _ _ _ _ Rd) as Next. pose proof (collect_widths_next _ _ _ _ Rd Sw) as Sw'.
  assert (Hs : (slot < 2)%nat) by (destruct (two_slots minima maxima same_width _ _ _ _ Rd); lia).
  pose proof (collect_change_from d slot t l Hs) as C. unfold collect_step. destruct (change d slot t) as [d' results].
  destruct C as (Cl & Cr & Cf). simpl in Next, Sw'. specialize (IH d' Next Sw').
  pose proof (collect_run_from l d') as Fr. destruct (run set_node d' l) as [d'' o']. simpl in *.
  apply a_step_keeps_its_own_promises; auto.
  - apply left_bounds_after_width; auto. destruct Next; auto.
  - eapply Forall_impl; [|exact Cf]. intros r Hr. destruct (collect_bounds_kept _ _ r Rd Sw Hr). auto.
  - destruct Next as (N1 & N2 & N3 & N4 & N5 & N6). eapply Forall_impl; [|apply Fr; auto].
    intros r Hr. destruct (collect_bounds_kept d' l r) as (? & _); auto. unfold ready. auto 10.
Qed.

Lemma collect_initial_ready : forall l, honest w (taken 0 l) -> honest 1 (taken 1 l) ->
  Forall (fun x => fst x < 2)%nat l -> ready minima (initial set_node) l /\ stored_widths minima (initial set_node).
Proof. exact (initial_ready minima maxima condition true). Qed.

(* PARTE/SET-* (specification: bounds-on-later-payloads). *)
Theorem a_set_node_keeps_its_promises : forall l,
  honest w (taken 0 l) -> honest 1 (taken 1 l) -> Forall (fun x => fst x < 2)%nat l ->
  honest w (snd (run set_node (initial set_node) l)).
Proof. intros l H0 H1 Hs. destruct (collect_initial_ready l H0 H1 Hs). apply collect_honest_from; auto. Qed.

(* ---- The end --------------------------------------------------------------------------------------------------- *)

Definition only_needed (d : data) : Prop :=
  Forall (fun p => live_left (right_bound d) p = true) (left d) /\
  Forall (fun q => collectable (left d) (left_bounds d) q = true) (right d).

Lemma only_needed_next : forall d slot t, (slot < 2)%nat -> only_needed d -> only_needed (fst (change d slot t)).
Proof.
  intros d slot t Hs [Ll Lr]. assert (slot = 0 \/ slot = 1)%nat as [S|S] by lia; subst; unfold only_needed; simpl.
  - rewrite collect_left_is. simpl. split; [|apply Forall_filtered].
    unfold waiting_after. destruct (payload t) as [p|]; auto. destruct (live_left (right_bound d) p) eqn:Li; auto.
    apply Forall_app. auto.
  - split; [|apply Forall_filtered]. apply Forall_forall. intros p Hp. apply filter_In in Hp as [Hp N].
    apply negb_true_iff in N. rewrite Forall_forall in Ll. eapply live_not_passed; eauto.
Qed.

Lemma collect_after : forall l d, ready minima d l -> stored_widths minima d -> only_needed d ->
  let '(d', o) := run set_node d l in
  only_needed d' /\ stored_widths minima d' /\ length (left_bounds d') = w /\
  (forall x, ended x (taken 0 l) -> Forall (fun b => x <= b) (left_bounds d')) /\
  (forall x, ended x (taken 1 l) -> x <= right_bound d') /\
  (taken 0 l = [] -> left_bounds d' = left_bounds d) /\ (taken 1 l = [] -> right_bound d' = right_bound d) /\
  (l <> [] -> exists before t, o = before ++ [t] /\ bounds t = left_bounds_after d').
Proof.
  assert (NE : forall x, ~ ended x []).
  { intros x (b & t & Eq & _). destruct b; discriminate. }
  induction l as [|[slot t] l IH]; intros d Rd Sw Lv.
  - simpl. repeat split; auto; try apply Lv; try apply Sw.
    + destruct Rd; auto.
    + intros x H. contradiction (NE x H).
    + intros x H. contradiction (NE x H).
    + intros H. contradiction.
  - pose proof (collect_ready_next _ _ _ _ Rd) as Next. pose proof (collect_widths_next _ _ _ _ Rd Sw) as Sw'.
    pose proof (two_slots minima maxima same_width _ _ _ _ Rd) as Slots.
    assert (Hs : (slot < 2)%nat) by lia.
    pose proof (only_needed_next d slot t Hs Lv) as Lv'.
    assert (B0 : slot = 0%nat -> left_bounds (fst (change d slot t)) = bounds t
       /\ right_bound (fst (change d slot t)) = right_bound d).
    { intros; subst. simpl. rewrite collect_left_is. auto. }
    assert (B1 : slot = 1%nat -> right_bound (fst (change d slot t)) = only (bounds t)
       /\ left_bounds (fst (change d slot t)) = left_bounds d).
    { intros; subst. auto. }
    change (run set_node d ((slot, t) :: l)) with
      (let '(d', o) := collect_step minima maxima condition d slot t in
       let '(d'', o') := run set_node d' l in (d'', o ++ o')).
    unfold collect_step. destruct (change d slot t) as [d' results]. simpl in *.
    specialize (IH d' Next Sw' Lv'). destruct (run set_node d' l) as [d'' o'] eqn:R.
    destruct IH as (I1 & I2 & I3 & I4 & I5 & I6 & I7 & I8).
    split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]; auto.
    + intros x Hx. destruct Slots; subst slot.
      * destruct (B0 eq_refl) as [B _]. change (taken 0 ((0%nat, t) :: l)) with (t :: taken 0 l) in Hx.
        destruct (taken 0 l) as [|t1 r1] eqn:T.
        -- rewrite I6, B by auto. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst; auto. destruct b; discriminate.
        -- apply I4. destruct Hx as (b & t' & Eq & F). destruct b as [|b0 b]; inversion Eq; subst. exists b, t'. auto.
      * apply I4. auto.
    + intros x Hx. destruct Slots; subst slot.
      * apply I5. auto.
      * destruct (B1 eq_refl) as [B _]. change (taken 1 ((1%nat, t) :: l)) with (t :: taken 1 l) in Hx.
        destruct (taken 1 l) as [|t1 r1] eqn:T.
        -- rewrite I7, B by auto. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst; [|destruct b; discriminate].
           destruct Rd as (_ & _ & _ & _ & H5 & _). change (taken 1 ((1%nat, t') :: l)) with (t' :: taken 1 l) in H5.
           simpl in H5. destruct H5 as (H5 & _). rewrite <- (singleton _ H5) in F. inversion F; auto.
        -- apply I5. destruct Hx as (b & t' & Eq & F). destruct b as [|b0 b]; inversion Eq; subst. exists b, t'. auto.
    + intros T. destruct Slots; subst slot; [discriminate T|]. rewrite I6; auto. apply B1; auto.
    + intros T. destruct Slots; subst slot; [|discriminate T]. rewrite I7; auto. apply B0; auto.
    + intros _. destruct l as [|x l].
      * simpl in R. inversion R; subst. rewrite app_nil_r. apply as_tokens_last.
      * destruct I8 as (before & t' & Eq & Hb); [discriminate|].
        exists (as_tokens results (left_bounds_after d') ++ before), t'. rewrite Eq, app_assoc. auto.
Qed.

Variable reach : Z.
Hypothesis minima_in_reach : Forall (fun m => - reach <= m) minima.
Hypothesis maxima_in_reach : Forall (fun m => m <= reach) maxima.

(* PARTE/SET-*: once both sides have promised more than horizon and windows, nothing is stored, and as much is promised
   on (specification: propagated-bounds). *)
Theorem an_ended_set_node_is_empty_and_ends : forall x l,
  honest w (taken 0 l) -> honest 1 (taken 1 l) -> Forall (fun y => fst y < 2)%nat l -> horizon + reach < x ->
  x <= infinity -> ended x (taken 0 l) -> ended x (taken 1 l) ->
  let '(d, o) := run set_node (initial set_node) l in left d = [] /\ right d = [] /\ ended x o.
Proof.
  intros x l H0 H1 Hs Far Fin E0 E1. destruct (collect_initial_ready l H0 H1 Hs) as [Rd Sw].
  assert (Lv : only_needed (initial set_node)) by (split; constructor).
  pose proof (collect_after l _ Rd Sw Lv) as A.
  destruct (run set_node (initial set_node) l) as [d o].
  destruct A as ((Ll & Lr) & (Wl & Wr) & W & Fb & Rb & _ & _ & Last). specialize (Fb x E0). specialize (Rb x E1).
  assert (EL : left d = []).
  { destruct (left d) as [|p h] eqn:L; auto. inversion Ll as [|? ? V _]; inversion Wl; subst.
    unfold Nodes.live_left, may_be_met, is_stale in V. apply andb_true_iff in V as [_ V]. apply negb_true_iff,
      Z.ltb_ge in V.
    pose proof (closes_le (times p) maxima horizon reach) as C.
    assert (closes maxima p <= horizon + reach); [|lia]. apply C; auto.
    - intro M. pose proof same_width as Sm. rewrite M in Sm. apply some_left, length_zero_iff_nil. auto.
    - rewrite times_length, same_width. auto.
    - apply times_bounded. }
  assert (ER : right d = []).
  { destruct (right d) as [|q h] eqn:L; auto. inversion Lr as [|? ? V _]; inversion Wr; subst.
    rewrite EL in V. unfold Nodes.collectable in V. simpl in V. rewrite orb_false_r in V.
    unfold Nodes.live_right, is_stale in V. apply negb_true_iff, Z.ltb_ge in V.
    pose proof (expiration_ge (left_bounds d) minima x reach some_left W Fb minima_in_reach).
    assert (moment q <= horizon); [|lia]. destruct q as [|e [|? ?]]; simpl in *; try discriminate.
    unfold moment. simpl. apply within_horizon. }
  split; [auto|split; [auto|]]. destruct Last as (before & t & Eq & Hb).
  { intro N. subst l. destruct E0 as (b & t & Eq & _). destruct b; discriminate. }
  exists before, t. split; auto. rewrite Hb. unfold left_bounds_after. rewrite EL. apply (capped_ge minima maxima
    same_width); simpl; auto.
Qed.

End Correct.
