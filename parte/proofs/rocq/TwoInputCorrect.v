(* Join-nodes and not-nodes: over any log that keeps its promises on both sides, in whatever order the sides take turns,
   they send exactly what the algebra says, each once, and keep promises in turn (specification: two-input-nodes,
     retention-left, retention-right, propagated-bounds). *)
From Parte Require Export Nodes.

Section Sorted.
Context {A : Type}.

Lemma filter_all : forall (f : A -> bool) l, Forall (fun x => f x = true) l -> filter f l = l.
Proof. induction 1; simpl; auto. rewrite H, IHForall. auto. Qed.
Lemma filter_none : forall (f : A -> bool) l, Forall (fun x => f x = false) l -> filter f l = [].
Proof. induction 1; simpl; auto. rewrite H. auto. Qed.
Lemma filter_permutation : forall (f : A -> bool) l l', Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - eapply perm_trans; eauto.
Qed.
Lemma filter_split : forall (f : A -> bool) l, Permutation l (filter f l ++ filter (fun x => negb (f x)) l).
Proof.
  induction l; simpl; auto. destruct (f a); simpl; auto.
  eapply perm_trans; [apply perm_skip, IHl|]. apply Permutation_middle.
Qed.
Lemma filter_both : forall (f g : A -> bool) l, filter f (filter g l) = filter (fun x => g x && f x) l.
Proof. induction l; simpl; auto. destruct (g a); simpl; rewrite IHl; auto. Qed.
Lemma Forall_filter : forall (P : A -> Prop) f l, Forall P l -> Forall P (filter f l).
Proof. intros P f l H. rewrite Forall_forall in *. intros x Hx. apply filter_In in Hx. apply H. tauto. Qed.
Lemma Forall_filtered : forall (f : A -> bool) l, Forall (fun x => f x = true) (filter f l).
Proof. intros. apply Forall_forall. intros x Hx. apply filter_In in Hx. tauto. Qed.
End Sorted.

Section Correct.
Context {E : Events}.
Variables (minima maxima : list Z) (condition : partial -> bool).
Let w := length minima.
Hypothesis some_left : minima <> [].
Hypothesis same_width : length maxima = length minima.

Notation matches := (matches minima maxima condition).
Notation opens := (opens minima).
Notation closes := (closes maxima).
Notation live_left := (live_left minima maxima).
Notation live_right := (live_right minima).
Notation passed := (passed maxima).
Notation change := (two_input_change _ minima maxima condition).
Definition node negated := TwoInput negated minima maxima condition.

Definition lefts (l : log) := payloads (taken 0 l).
Definition rights (l : log) := payloads (taken 1 l).

(* What is still to be taken keeps the bounds that the node has seen. *)
Definition ready (d : data) (l : log) : Prop :=
  length (left_bounds d) = w /\ Forall (kept_by (left_bounds d)) (lefts l) /\ Forall (kept_by [right_bound d]) (rights
    l)
  /\ honest w (taken 0 l) /\ honest 1 (taken 1 l) /\ Forall (fun x => fst x < 2)%nat l.

Lemma lefts_left : forall t l, lefts ((0%nat, t) :: l) = match payload t with Some p => p :: lefts l | None => lefts l
  end.
Proof. intros. unfold lefts, taken, payloads. simpl. destruct (payload t); auto. Qed.
Lemma lefts_right : forall t l, lefts ((1%nat, t) :: l) = lefts l.
Proof. auto. Qed.
Lemma rights_right : forall t l, rights ((1%nat, t) :: l) = match payload t with Some p => p :: rights l | None =>
  rights l end.
Proof. intros. unfold rights, taken, payloads. simpl. destruct (payload t); auto. Qed.
Lemma rights_left : forall t l, rights ((0%nat, t) :: l) = rights l.
Proof. auto. Qed.

Lemma singleton : forall b : list Z, length b = 1%nat -> [only b] = b.
Proof. destruct b as [|x [|y b]]; simpl; intros; try discriminate; auto. Qed.

Lemma ready_left : forall d t l, ready d ((0%nat, t) :: l) ->
  length (bounds t) = w /\ Forall (kept_by (bounds t)) (lefts l) /\ Forall (kept_by [right_bound d]) (rights l)
  /\ honest w (taken 0 l) /\ honest 1 (taken 1 l) /\ Forall (fun x => fst x < 2)%nat l.
Proof.
  intros d t l (H1 & H2 & H3 & H4 & H5 & H6). change (taken 0 ((0%nat, t) :: l)) with (t :: taken 0 l) in H4.
  simpl in H4. inversion H6; subst. intuition.
Qed.

Lemma ready_right : forall d t l, ready d ((1%nat, t) :: l) ->
  length (left_bounds d) = w /\ Forall (kept_by (left_bounds d)) (lefts l) /\ Forall (kept_by [only (bounds t)])
    (rights l)
  /\ honest w (taken 0 l) /\ honest 1 (taken 1 l) /\ Forall (fun x => fst x < 2)%nat l.
Proof.
  intros d t l (H1 & H2 & H3 & H4 & H5 & H6). change (taken 1 ((1%nat, t) :: l)) with (t :: taken 1 l) in H5.
  simpl in H5. inversion H6; subst. destruct H5 as (H5 & _ & K & K2). rewrite singleton by auto. intuition.
Qed.

Lemma two_slots : forall d slot t l, ready d ((slot, t) :: l) -> slot = 0%nat \/ slot = 1%nat.
Proof. intros d slot t l (_ & _ & _ & _ & _ & H). inversion H; subst. simpl in *. lia. Qed.

Lemma ready_next : forall negated d slot t l, ready d ((slot, t) :: l) ->
  ready (fst (two_input_change negated minima maxima condition d slot t)) l.
Proof.
  intros negated d slot t l H. destruct (two_slots _ _ _ _ H); subst.
  - apply ready_left in H. unfold ready.
    destruct negated; simpl; unfold join_left, not_left; destruct (payload t); simpl; auto.
    destruct (matching_right _ _ _ _ _); simpl; auto. destruct (live_left _ _); simpl; auto.
  - apply ready_right in H. unfold ready.
    destruct negated; simpl; unfold join_right, not_right; destruct (payload t); simpl; auto.
Qed.

Lemma kept_singleton : forall b q, kept_by [b] q -> b <= moment q.
Proof. unfold kept_by, below, moment. intros b q H. inversion H; subst. simpl. auto. Qed.

Lemma stale_left_meets_nothing : forall b p q, live_left b p = false -> kept_by [b] q -> matches p q = false.
Proof.
  unfold Nodes.live_left, may_be_met, is_stale, Nodes.matches, in_window. intros b p q H K. apply kept_singleton in K.
  apply andb_false_iff. left. apply andb_false_iff. rewrite !Z.leb_gt.
  apply andb_false_iff in H. rewrite Z.leb_gt, negb_false_iff, Z.ltb_lt in H. lia.
Qed.

Lemma passed_not_live : forall b p, passed b p = true -> live_left b p = false.
Proof. unfold Nodes.passed, Nodes.live_left, may_be_met. intros b p H. rewrite H. apply andb_false_r. Qed.

Lemma stale_right_meets_nothing : forall b p q, length b = w -> live_right b q = false -> kept_by b p -> matches p q =
  false.
Proof.
  unfold Nodes.live_right, is_stale, Nodes.matches, in_window. intros b p q L H K.
  pose proof (expiration_before_lifetime b (times p) minima some_left L K).
  rewrite negb_false_iff, Z.ltb_lt in H. unfold Nodes.opens. apply andb_false_iff. left. apply andb_false_iff.
  rewrite !Z.leb_gt. lia.
Qed.

(* What will be taken meets nothing of what is dead. *)
Definition dead_left (l : log) (p : partial) := Forall (fun q => matches p q = false) (rights l).
Definition dead_right (l : log) (q : partial) := Forall (fun p => matches p q = false) (lefts l).

Lemma dead_left_next : forall slot t l p, dead_left ((slot, t) :: l) p -> dead_left l p.
Proof.
  unfold dead_left, rights, taken. intros slot t l p H. simpl in H. destruct (Nat.eqb slot 1); auto.
  simpl in H. apply Forall_app in H. tauto.
Qed.
Lemma dead_right_next : forall slot t l p, dead_right ((slot, t) :: l) p -> dead_right l p.
Proof.
  unfold dead_right, lefts, taken. intros slot t l p H. simpl in H. destruct (Nat.eqb slot 0); auto.
  simpl in H. apply Forall_app in H. tauto.
Qed.

Lemma expired_right_are_dead : forall b l h, length b = w -> Forall (kept_by b) (lefts l) ->
  Forall (dead_right l) (filter (fun q => negb (live_right b q)) h).
Proof.
  intros b l h L K. eapply Forall_impl; [|apply Forall_filtered]. intros q H. apply negb_true_iff in H.
  eapply Forall_impl; [|exact K]. intros p Hp. simpl. apply stale_right_meets_nothing with b; auto.
Qed.

Lemma stale_left_are_dead : forall b l p, live_left b p = false -> Forall (kept_by [b]) (rights l) -> dead_left l p.
Proof. intros b l p H K. eapply Forall_impl; [|exact K]. intros q Hq. simpl. apply stale_left_meets_nothing with b;
  auto. Qed.

Lemma passed_left_are_dead : forall b l h, Forall (kept_by [b]) (rights l) -> Forall (dead_left l) (filter (passed b)
  h).
Proof.
  intros b l h K. eapply Forall_impl; [|apply Forall_filtered]. intros p H. apply stale_left_are_dead with b; auto.
  apply passed_not_live; auto.
Qed.

(* ---- Joins ---------------------------------------------------------------------------------------------------- *)

Definition joined (ps qs : list partial) : list partial :=
  map (fun pq => fst pq ++ snd pq) (filter (fun pq => matches (fst pq) (snd pq)) (list_prod ps qs)).

Lemma joined_more_left : forall p ps qs,
  Permutation (joined (ps ++ [p]) qs) (joined ps qs ++ map (fun q => p ++ q) (filter (fun q => matches p q) qs)).
Proof.
  intros. unfold joined. replace (list_prod (ps ++ [p]) qs) with (list_prod ps qs ++ map (fun q => (p, q)) qs).
  - rewrite filter_app, map_app. apply Permutation_app_head.
    induction qs as [|q qs IH]; simpl; auto. destruct (matches p q); simpl; auto.
  - induction ps; simpl; [rewrite app_nil_r; auto|]. rewrite <- app_assoc, IHps. auto.
Qed.

Lemma joined_more_right : forall q ps qs,
  Permutation (joined ps (qs ++ [q])) (joined ps qs ++ map (fun p => p ++ q) (filter (fun p => matches p q) ps)).
Proof.
  intros. unfold joined. induction ps as [|p ps IH]; simpl; auto.
  rewrite map_app, !filter_app, !map_app. simpl. rewrite IH. destruct (matches p q); simpl; rewrite <- ?app_assoc;
    simpl.
  - apply Permutation_app_head. apply Permutation_cons_app. auto.
  - apply Permutation_app_head. auto.
Qed.

Lemma join_from : forall l d ps qs gone_ps gone_qs, ready d l ->
  Permutation ps (left d ++ gone_ps) -> Permutation qs (right d ++ gone_qs) ->
  Forall (dead_left l) gone_ps -> Forall (dead_right l) gone_qs ->
  Permutation (joined ps qs ++ payloads (snd (run (node false) d l))) (joined (ps ++ lefts l) (qs ++ rights l)).
Proof.
  induction l as [|[slot t] l IH]; intros d ps qs gone_ps gone_qs Rd Hp Hq Dp Dq.
  - simpl. unfold lefts, rights, taken. simpl. rewrite !app_nil_r. auto.
  - pose proof (ready_next false _ _ _ _ Rd) as Next.
    change (run (node false) d ((slot, t) :: l)) with
      (let '(d', o) := two_input_step false minima maxima condition d slot t in
       let '(d'', o') := run (node false) d' l in (d'', o ++ o')).
    unfold two_input_step. destruct (two_input_change false minima maxima condition d slot t) as [d' results] eqn:C.
    simpl fst in Next. specialize (IH d').
    destruct (run (node false) d' l) as [d'' o'] eqn:R. simpl snd in *. rewrite payloads_app, payloads_as_tokens.
    assert (Dp' : Forall (dead_left l) gone_ps) by (eapply Forall_impl; [|exact Dp]; intros; eapply dead_left_next;
      eauto).
    assert (Dq' : Forall (dead_right l) gone_qs) by (eapply Forall_impl; [|exact Dq]; intros; eapply dead_right_next;
      eauto).
    destruct (two_slots _ _ _ _ Rd); subst slot; simpl in C.
    + unfold join_left in C. rewrite lefts_left, rights_left. pose proof (ready_left _ _ _ Rd) as (Lb & Kl & Kr & _).
      assert (Hq' : Permutation qs (expire_right minima (bounds t) (right d) ++
                     (filter (fun q => negb (live_right (bounds t) q)) (right d) ++ gone_qs))).
      { rewrite Hq, app_assoc. apply Permutation_app_tail. apply filter_split. }
      assert (Dq2 : Forall (dead_right l) (filter (fun q => negb (live_right (bounds t) q)) (right d) ++ gone_qs)).
      { apply Forall_app; split; auto. apply expired_right_are_dead; auto. }
      destruct (payload t) as [p|] eqn:Pt; inversion C; subst d' results; clear C.
      * assert (M : filter (fun q => matches p q) gone_qs = []).
        { apply filter_none. eapply Forall_impl; [|exact Dq]. intros q Hq0. unfold dead_right in Hq0.
          rewrite lefts_left, Pt in Hq0. inversion Hq0; auto. }
        assert (S : Permutation (joined (ps ++ [p]) qs) (joined ps qs ++ map (fun q => p ++ q) (matching_right minima
          maxima condition (right d) p))).
        { rewrite joined_more_left. apply Permutation_app_head, Permutation_map.
          rewrite (filter_permutation _ _ _ Hq), filter_app, M, app_nil_r. reflexivity. }
        rewrite app_assoc, <- S.
        replace (ps ++ p :: lefts l) with ((ps ++ [p]) ++ lefts l) by (rewrite <- app_assoc; auto).
        destruct (live_left (right_bound d) p) eqn:Li.
        -- eapply (IH (ps ++ [p]) qs gone_ps _ Next); simpl; try eassumption.
           rewrite Hp, <- !app_assoc. apply Permutation_app_head. apply Permutation_app_comm.
        -- eapply (IH (ps ++ [p]) qs (gone_ps ++ [p]) _ Next); simpl; try eassumption.
           ++ rewrite Hp, <- app_assoc. auto.
           ++ apply Forall_app; split; auto. constructor; auto. apply stale_left_are_dead with (right_bound d); auto.
      * eapply (IH ps qs gone_ps _ Next); simpl; try eassumption.
    + unfold join_right in C. rewrite lefts_right, rights_right. pose proof (ready_right _ _ _ Rd) as (Lb & Kl & Kr &
      _).
      assert (Hp' : Permutation ps (expire_left maxima (only (bounds t)) (left d) ++ (filter (passed (only (bounds
        t))) (left d) ++ gone_ps))).
      { rewrite Hp, app_assoc. apply Permutation_app_tail. unfold expire_left.
        rewrite Permutation_app_comm. apply filter_split. }
      assert (Dp2 : Forall (dead_left l) (filter (passed (only (bounds t))) (left d) ++ gone_ps)).
      { apply Forall_app; split; auto. apply passed_left_are_dead; auto. }
      destruct (payload t) as [q|] eqn:Pt; inversion C; subst d' results; clear C.
      * assert (M : filter (fun p => matches p q) gone_ps = []).
        { apply filter_none. eapply Forall_impl; [|exact Dp]. intros p Hp0. unfold dead_left in Hp0.
          rewrite rights_right, Pt in Hp0. inversion Hp0; auto. }
        assert (S : Permutation (joined ps (qs ++ [q])) (joined ps qs ++ map (fun p => p ++ q) (matching_left minima
          maxima condition (left d) q))).
        { rewrite joined_more_right. apply Permutation_app_head, Permutation_map.
          rewrite (filter_permutation _ _ _ Hp), filter_app, M, app_nil_r. reflexivity. }
        rewrite app_assoc, <- S.
        replace (qs ++ q :: rights l) with ((qs ++ [q]) ++ rights l) by (rewrite <- app_assoc; auto).
        destruct (live_right (left_bounds d) q) eqn:Li.
        -- eapply (IH ps (qs ++ [q]) _ gone_qs Next); simpl; try eassumption.
           rewrite Hq, <- !app_assoc. apply Permutation_app_head. apply Permutation_app_comm.
        -- eapply (IH ps (qs ++ [q]) _ (gone_qs ++ [q]) Next); simpl; try eassumption.
           ++ rewrite Hq, <- app_assoc. auto.
           ++ apply Forall_app; split; auto. constructor; auto.
              eapply Forall_impl; [|exact Kl]. intros p Hp0. simpl. apply stale_right_meets_nothing with (left_bounds
                d); auto.
      * eapply (IH ps qs _ gone_qs Next); simpl; try eassumption.
Qed.

(* PARTE/JOIN-*: whatever the order, exactly the pairs that match, each once
   (specification: meaning-conjunction). *)
Theorem a_join_sends_exactly_the_pairs_that_match : forall l, ready (initial (node false)) l ->
  Permutation (payloads (snd (run (node false) (initial (node false)) l))) (joined (lefts l) (rights l)).
Proof. intros l Rd. apply (join_from l (initial (node false)) [] [] [] []); auto. Qed.

(* ---- Negation -------------------------------------------------------------------------------------------------- *)

Definition undefeated (qs : list partial) (p : partial) : bool := forallb (fun q => negb (matches p q)) qs.

Lemma undefeated_app : forall qs qs' p, undefeated (qs ++ qs') p = undefeated qs p && undefeated qs' p.
Proof. intros. apply forallb_app. Qed.

Lemma undefeated_permutation : forall qs qs' p, Permutation qs qs' -> undefeated qs p = undefeated qs' p.
Proof.
  induction 1; simpl; auto.
  - rewrite IHPermutation. auto.
  - rewrite !andb_assoc, (andb_comm (negb (matches p y))). auto.
  - congruence.
Qed.

Lemma matching_none : forall qs p, matching_right minima maxima condition qs p = [] <-> undefeated qs p = true.
Proof.
  unfold matching_right, undefeated. induction qs as [|q qs IH]; simpl; intros; [tauto|].
  destruct (matches p q); simpl; [split; discriminate|apply IH].
Qed.

Lemma dead_undefeated : forall qs p, Forall (fun q => matches p q = false) qs -> undefeated qs p = true.
Proof. induction 1; simpl; auto. rewrite H. auto. Qed.

Lemma not_from : forall l d ps qs released gone_qs, ready d l ->
  Permutation (released ++ left d) (filter (undefeated qs) ps) -> Permutation qs (right d ++ gone_qs) ->
  Forall (dead_left l) released -> Forall (dead_right l) gone_qs ->
  Permutation (released ++ payloads (snd (run (node true) d l)) ++ left (fst (run (node true) d l)))
              (filter (undefeated (qs ++ rights l)) (ps ++ lefts l)).
Proof.
  induction l as [|[slot t] l IH]; intros d ps qs released gone_qs Rd Hp Hq Dp Dq.
  - simpl. unfold lefts, rights, taken. simpl. rewrite !app_nil_r. auto.
  - pose proof (ready_next true _ _ _ _ Rd) as Next.
    change (run (node true) d ((slot, t) :: l)) with
      (let '(d', o) := two_input_step true minima maxima condition d slot t in
       let '(d'', o') := run (node true) d' l in (d'', o ++ o')).
    unfold two_input_step. destruct (two_input_change true minima maxima condition d slot t) as [d' results] eqn:C.
    simpl fst in Next. specialize (IH d').
    destruct (run (node true) d' l) as [d'' o'] eqn:R. simpl snd in *. simpl fst in *. rewrite payloads_app,
      payloads_as_tokens.
    assert (Dp' : Forall (dead_left l) released) by (eapply Forall_impl; [|exact Dp]; intros; eapply dead_left_next;
      eauto).
    assert (Dq' : Forall (dead_right l) gone_qs) by (eapply Forall_impl; [|exact Dq]; intros; eapply dead_right_next;
      eauto).
    destruct (two_slots _ _ _ _ Rd); subst slot; simpl in C.
    + unfold not_left in C. rewrite lefts_left, rights_left. pose proof (ready_left _ _ _ Rd) as (Lb & Kl & Kr & _).
      assert (Hq' : Permutation qs (expire_right minima (bounds t) (right d) ++
                     (filter (fun q => negb (live_right (bounds t) q)) (right d) ++ gone_qs))).
      { rewrite Hq, app_assoc. apply Permutation_app_tail. apply filter_split. }
      assert (Dq2 : Forall (dead_right l) (filter (fun q => negb (live_right (bounds t) q)) (right d) ++ gone_qs)).
      { apply Forall_app; split; auto. apply expired_right_are_dead; auto. }
      destruct (payload t) as [p|] eqn:Pt.
      * replace (ps ++ p :: lefts l) with ((ps ++ [p]) ++ lefts l) by (rewrite <- app_assoc; auto).
        assert (U : undefeated qs p = undefeated (right d) p).
        { rewrite (undefeated_permutation _ _ p Hq), undefeated_app, (dead_undefeated gone_qs), andb_true_r; auto.
          eapply Forall_impl; [|exact Dq]. intros q Hq0. unfold dead_right in Hq0. rewrite lefts_left, Pt in Hq0.
            inversion Hq0; auto. }
        destruct (matching_right minima maxima condition (right d) p) as [|q0 more] eqn:M.
        -- assert (U1 : undefeated qs p = true) by (rewrite U; apply matching_none; auto).
           assert (F : filter (undefeated qs) (ps ++ [p]) = filter (undefeated qs) ps ++ [p]).
           { rewrite filter_app. simpl. rewrite U1. auto. }
           destruct (live_left (right_bound d) p) eqn:Li; inversion C; subst d' results; clear C; simpl app.
           ++ refine (IH (ps ++ [p]) qs released _ Next _ Hq' Dp' Dq2). simpl. rewrite F, app_assoc.
              apply Permutation_app_tail. auto.
           ++ assert (G : Permutation (released ++ p :: payloads o' ++ left d'') ((released ++ [p]) ++ payloads o' ++
             left d'')).
              { rewrite <- app_assoc. auto. }
              rewrite G. refine (IH (ps ++ [p]) qs (released ++ [p]) _ Next _ Hq' _ Dq2).
              ** simpl. rewrite F, <- Hp, <- !app_assoc. apply Permutation_app_head. apply Permutation_app_comm.
              ** apply Forall_app; split; auto. constructor; auto. apply stale_left_are_dead with (right_bound d); auto.
        -- assert (U1 : undefeated qs p = false).
           { rewrite U. destruct (undefeated (right d) p) eqn:Ud; auto. apply matching_none in Ud. congruence. }
           inversion C; subst d' results; clear C. simpl app.
           refine (IH (ps ++ [p]) qs released _ Next _ Hq' Dp' Dq2).
           rewrite filter_app. simpl. rewrite U1, app_nil_r. auto.
      * inversion C; subst d' results; clear C. simpl app. refine (IH ps qs released _ Next Hp Hq' Dp' Dq2).
    + unfold not_right in C. rewrite lefts_right, rights_right. pose proof (ready_right _ _ _ Rd) as (Lb & Kl & Kr & _).
      set (rest := match payload t with Some q => filter (fun p => negb (matches p q)) (left d) | None => left d end)
        in *.
      set (qs' := qs ++ match payload t with Some q => [q] | None => [] end).
      assert (Hp' : Permutation (released ++ rest) (filter (undefeated qs') ps)).
      { unfold rest, qs'. destruct (payload t) as [q|] eqn:Pt; [|rewrite app_nil_r; auto].
        replace (filter (undefeated (qs ++ [q])) ps) with (filter (fun p => negb (matches p q)) (filter (undefeated
          qs) ps)).
        - rewrite <- (filter_permutation _ _ _ Hp), filter_app. apply Permutation_app_tail.
          rewrite filter_all; auto. eapply Forall_impl; [|exact Dp]. intros p Hp0. unfold dead_left in Hp0.
          rewrite rights_right, Pt in Hp0. inversion Hp0; subst. rewrite H1. auto.
        - rewrite filter_both. apply filter_ext. intros p. rewrite undefeated_app. simpl. rewrite andb_true_r. auto. }
      assert (Eq : (qs ++ match payload t with Some q => q :: rights l | None => rights l end) = qs' ++ rights l).
      { unfold qs'. rewrite <- app_assoc. destruct (payload t); auto. }
      rewrite Eq. inversion C; subst d' results; clear C.
      rewrite <- app_assoc, app_assoc.
      assert (Hl : Permutation ((released ++ filter (passed (only (bounds t))) rest) ++ expire_left maxima (only
        (bounds t)) rest) (filter (undefeated qs') ps)).
      { rewrite <- app_assoc. rewrite <- Hp'. apply Permutation_app_head. symmetry. apply filter_split. }
      assert (Dl : Forall (dead_left l) (released ++ filter (passed (only (bounds t))) rest)).
      { apply Forall_app; split; auto. apply passed_left_are_dead; auto. }
      destruct (payload t) as [q|] eqn:Pt.
      * destruct (live_right (left_bounds d) q) eqn:Li.
        -- refine (IH ps qs' _ gone_qs Next Hl _ Dl Dq'). simpl. unfold qs'. rewrite Hq, <- !app_assoc.
           apply Permutation_app_head. apply Permutation_app_comm.
        -- refine (IH ps qs' _ (gone_qs ++ [q]) Next Hl _ Dl _).
           ++ simpl. unfold qs'. rewrite Hq, <- app_assoc. auto.
           ++ apply Forall_app; split; auto. constructor; auto.
              eapply Forall_impl; [|exact Kl]. intros p Hp0. simpl. apply stale_right_meets_nothing with (left_bounds
                d); auto.
      * refine (IH ps qs' _ gone_qs Next Hl _ Dl Dq'). simpl. unfold qs'. rewrite app_nil_r. auto.
Qed.

(* PARTE/NOT-*: what has been released and what
   still waits are together exactly the partial matches that no right event
   taken so far defeats, each once (specification: meaning-negation). *)
Theorem a_negation_releases_or_keeps_exactly_what_is_undefeated : forall l, ready (initial (node true)) l ->
  Permutation (payloads (snd (run (node true) (initial (node true)) l)) ++ left (fst (run (node true) (initial (node
    true)) l)))
              (filter (undefeated (rights l)) (lefts l)).
Proof. intros l Rd. apply (not_from l (initial (node true)) [] [] [] []); auto. Qed.

(* ---- Promises -------------------------------------------------------------------------------------------------- *)

(* Where results come from. *)
Definition from (negated : bool) (d : data) (l : log) (r : partial) : Prop :=
  if negated then In r (left d ++ lefts l)
  else exists p q, In p (left d ++ lefts l) /\ In q (right d ++ rights l) /\ r = p ++ q.

Lemma change_from : forall negated d slot t l, (slot < 2)%nat ->
  let '(d', results) := two_input_change negated minima maxima condition d slot t in
  incl (left d' ++ lefts l) (left d ++ lefts ((slot, t) :: l)) /\
  incl (right d' ++ rights l) (right d ++ rights ((slot, t) :: l)) /\
  Forall (from negated d ((slot, t) :: l)) results.
Proof.
  intros negated d slot t l Hs. assert (slot = 0 \/ slot = 1)%nat as [S|S] by lia; subst; simpl.
  - rewrite lefts_left, rights_left. destruct negated; unfold join_left, not_left, from, expire_right;
      rewrite ?lefts_left, ?rights_left; destruct (payload t) as [p|] eqn:Pt; simpl.
    2, 4: (split; [apply incl_refl|split; [|constructor]]; intros q Hq; apply in_app_iff in Hq; apply in_app_iff;
           destruct Hq as [Hq|Hq]; auto; apply filter_In in Hq; tauto).
    + assert (R : incl (filter (live_right (bounds t)) (right d) ++ rights l) (right d ++ rights l)).
      { intros q Hq; apply in_app_iff in Hq; apply in_app_iff. destruct Hq as [Hq|Hq]; auto; apply filter_In in Hq;
        tauto. }
      destruct (matching_right _ _ _ _ _); simpl; [destruct (live_left _ _); simpl|]; (split; [|split]); auto.
      * intros x Hx. rewrite !in_app_iff in *. simpl in *. intuition.
      * intros x Hx. rewrite !in_app_iff in *. simpl in *. intuition.
      * constructor; auto. rewrite in_app_iff. simpl. auto.
      * intros x Hx. rewrite !in_app_iff in *. simpl in *. intuition.
    + split; [|split].
      * destruct (live_left _ _); intros x Hx; rewrite !in_app_iff in *; simpl in *; intuition.
      * intros q Hq; apply in_app_iff in Hq; apply in_app_iff. destruct Hq as [Hq|Hq]; auto; apply filter_In in Hq;
        tauto.
      * apply Forall_map, Forall_forall. intros q Hq. apply filter_In in Hq. exists p, q. rewrite !in_app_iff. simpl.
        intuition.
  - rewrite lefts_right, rights_right. destruct negated; unfold join_right, not_right, from, expire_left;
      rewrite ?lefts_right, ?rights_right; simpl.
    + assert (I : incl (match payload t with Some q => filter (fun p => negb (matches p q)) (left d) | None => left d
      end) (left d)).
      { destruct (payload t); [|apply incl_refl]. intros x Hx. apply filter_In in Hx. tauto. }
      split; [|split].
      * intros x Hx. rewrite !in_app_iff in *. destruct Hx as [Hx|Hx]; auto. apply filter_In in Hx. left. apply I.
        tauto.
      * destruct (payload t) as [q|]; [destruct (live_right _ _)|]; intros x Hx; rewrite !in_app_iff in *; simpl in *;
        intuition.
      * apply Forall_forall. intros x Hx. apply filter_In in Hx. apply in_app_iff. left. apply I. tauto.
    + destruct (payload t) as [q|] eqn:Pt; simpl; (split; [|split]); auto.
      * intros x Hx. rewrite !in_app_iff in *. destruct Hx as [Hx|Hx]; auto. apply filter_In in Hx. tauto.
      * destruct (live_right _ _); intros x Hx; rewrite !in_app_iff in *; simpl in *; intuition.
      * apply Forall_map, Forall_forall. intros p Hp. apply filter_In in Hp. exists p, q. rewrite !in_app_iff. simpl.
        intuition.
      * intros x Hx. rewrite !in_app_iff in *. destruct Hx as [Hx|Hx]; auto. apply filter_In in Hx. tauto.
      * apply incl_refl.
Qed.

Lemma from_incl : forall negated d d' l l' r, incl (left d' ++ lefts l') (left d ++ lefts l) ->
  incl (right d' ++ rights l') (right d ++ rights l) -> from negated d' l' r -> from negated d l r.
Proof.
  unfold from. intros negated d d' l l' r Hl Hr. destruct negated; [apply Hl|].
  intros (p & q & Hp & Hq & Eq). exists p, q. auto.
Qed.

Lemma run_from : forall negated l d, Forall (fun x => fst x < 2)%nat l ->
  Forall (from negated d l) (payloads (snd (run (node negated) d l))).
Proof.
  induction l as [|[slot t] l IH]; intros d Hs; simpl; [constructor|]. inversion Hs; subst. simpl in H1.
  pose proof (change_from negated d slot t l H1) as C. unfold two_input_step.
  destruct (two_input_change negated minima maxima condition d slot t) as [d' results]. destruct C as (Cl & Cr & Cf).
  specialize (IH d' H2). destruct (run (node negated) d' l) as [d'' o']. simpl in *.
  rewrite payloads_app, payloads_as_tokens. apply Forall_app; split; auto.
  eapply Forall_impl; [|exact IH]. intros r. apply from_incl; auto.
Qed.

Definition stored_widths (d : data) := Forall (fun p => length p = w) (left d) /\ Forall (fun q => length q = 1%nat)
  (right d).
Definition out_width (negated : bool) := if negated then w else S w.

Lemma widths_next : forall negated d slot t l, ready d ((slot, t) :: l) -> stored_widths d ->
  stored_widths (fst (two_input_change negated minima maxima condition d slot t)).
Proof.
  intros negated d slot t l Rd [Wl Wr].
  assert (Hs : (slot < 2)%nat) by (destruct (two_slots _ _ _ _ Rd); lia).
  pose proof (change_from negated d slot t l Hs) as C.
  destruct (two_input_change negated minima maxima condition d slot t) as [d' results]. destruct C as (Cl & Cr & _).
  destruct Rd as (_ & _ & _ & H4 & H5 & _). apply honest_widths in H4, H5. simpl.
  rewrite Forall_forall in *. split; rewrite Forall_forall; intros x Hx.
  - assert (In x (left d ++ lefts ((slot, t) :: l))) by (apply Cl, in_app_iff; auto).
    apply in_app_iff in H. destruct H; auto.
  - assert (In x (right d ++ rights ((slot, t) :: l))) by (apply Cr, in_app_iff; auto).
    apply in_app_iff in H. destruct H; auto.
Qed.

Lemma capped_spec : forall width ps b, length b = width -> Forall (fun p => length p = width) ps ->
  length (capped (lowered b ps)) = width /\ below (capped (lowered b ps)) b /\
  Forall (kept_by (capped (lowered b ps))) ps.
Proof.
  intros width ps b L F. destruct (lowered_spec width ps b L F) as (A & B & C).
  assert (Cb : forall x, below (capped x) x) by (induction x; constructor; auto; lia).
  split; [unfold capped; rewrite map_length; auto|split; [eapply below_trans; eauto|]].
  eapply Forall_impl; [|exact C]. intros p K. eapply below_trans; [apply Cb|exact K].
Qed.
Lemma capped_ge : forall x b, x <= infinity -> Forall (fun y => x <= y) b -> Forall (fun y => x <= y) (capped b).
Proof. intros x b L F. unfold capped. apply Forall_map. eapply Forall_impl; [|exact F]. simpl. intros. lia. Qed.

Lemma bounds_after_kept : forall negated d l r, ready d l -> stored_widths d -> from negated d l r ->
  length (bounds_after negated d) = out_width negated /\ kept_by (bounds_after negated d) r /\ length r = out_width
    negated.
Proof.
  intros negated d l r (H1 & H2 & H3 & H4 & H5 & _) [Wl Wr] F.
  destruct (capped_spec w (left d) (left_bounds d) H1 Wl) as (L1 & L2 & L3).
  destruct (capped_spec 1 (right d) [right_bound d] eq_refl Wr) as (R1 & R2 & R3).
  assert (KL : forall p, In p (left d ++ lefts l) -> kept_by (left_bounds_after d) p /\ length p = w).
  { intros p Hp. apply in_app_iff in Hp. apply honest_widths in H4. rewrite Forall_forall in *.
    destruct Hp; split; auto. eapply below_trans; [exact L2|]. apply H2; auto. }
  assert (KR : forall q, In q (right d ++ rights l) -> kept_by (capped (lowered [right_bound d] (right d))) q /\
    length q =
    1%nat).
  { intros q Hq. apply in_app_iff in Hq. apply honest_widths in H5. rewrite Forall_forall in *.
    destruct Hq; split; auto. eapply below_trans; [exact R2|]. apply H3; auto. }
  unfold from in F. unfold bounds_after, out_width. destruct negated.
  - destruct (KL _ F). auto.
  - destruct F as (p & q & Hp & Hq & Eq). subst r. destruct (KL _ Hp), (KR _ Hq). unfold joined_bounds_after.
    rewrite !app_length. unfold left_bounds_after at 1. rewrite L1, R1. repeat split; try lia.
    unfold kept_by, times. rewrite map_app. apply below_app; auto.
Qed.

Lemma bounds_after_width : forall negated d, length (left_bounds d) = w -> stored_widths d ->
  length (bounds_after negated d) = out_width negated.
Proof.
  intros negated d H [Wl Wr]. destruct (capped_spec w (left d) (left_bounds d) H Wl) as (L1 & _).
  destruct (capped_spec 1 (right d) [right_bound d] eq_refl Wr) as (R1 & _).
  unfold bounds_after, out_width, joined_bounds_after. destruct negated; auto. rewrite app_length.
  unfold left_bounds_after. lia.
Qed.

Lemma two_input_honest_from : forall negated l d, ready d l -> stored_widths d ->
  honest (out_width negated) (snd (run (node negated) d l)).
Proof.
  induction l as [|[slot t] l IH]; intros d Rd Sw; simpl; auto.
  pose proof (ready_next negated _ _ _ _ Rd) as Next. pose proof (widths_next negated _ _ _ _ Rd Sw) as Sw'.
  assert (Hs : (slot < 2)%nat) by (destruct (two_slots _ _ _ _ Rd); lia).
  pose proof (change_from negated d slot t l Hs) as C. unfold two_input_step.
  destruct (two_input_change negated minima maxima condition d slot t) as [d' results]. destruct C as (Cl & Cr & Cf).
  simpl in Next, Sw'. specialize (IH d' Next Sw').
  pose proof (run_from negated l d') as Fr. destruct (run (node negated) d' l) as [d'' o']. simpl in *.
  apply a_step_keeps_its_own_promises; auto.
  - apply bounds_after_width; auto. destruct Next; auto.
  - eapply Forall_impl; [|exact Cf]. intros r Hr. destruct (bounds_after_kept negated _ _ r Rd Sw Hr) as (_ & _ & ?).
    auto.
  - destruct Next as (N1 & N2 & N3 & N4 & N5 & N6). eapply Forall_impl; [|apply Fr; auto].
    intros r Hr. destruct (bounds_after_kept negated d' l r) as (_ & ? & _); auto. unfold ready. auto 10.
Qed.

Lemma initial_ready : forall negated l, honest w (taken 0 l) -> honest 1 (taken 1 l) -> Forall (fun x => fst x <
  2)%nat l ->
  ready (initial (node negated)) l /\ stored_widths (initial (node negated)).
Proof.
  intros negated l H0 H1 Hs. split; [|split; constructor]. unfold ready. simpl. rewrite repeat_length.
  pose proof (honest_widths _ _ H0) as W0. pose proof (honest_widths _ _ H1) as W1.
  repeat split; auto; (eapply Forall_impl; [|eassumption]); intros p Hp; simpl in Hp.
  - fold w. rewrite <- Hp. apply initial_bounds_kept.
  - pose proof (initial_bounds_kept p) as K. rewrite Hp in K. exact K.
Qed.

(* PARTE/JOIN-*, PARTE/NOT-* (specification: bounds-on-later-payloads). *)
Theorem a_two_input_node_keeps_its_promises : forall negated l,
  honest w (taken 0 l) -> honest 1 (taken 1 l) -> Forall (fun x => fst x < 2)%nat l ->
  honest (out_width negated) (snd (run (node negated) (initial (node negated)) l)).
Proof. intros negated l H0 H1 Hs. destruct (initial_ready negated l H0 H1 Hs). apply two_input_honest_from; auto. Qed.

(* ---- The end --------------------------------------------------------------------------------------------------- *)

(* What is stored may still be met (specification: retention-left, retention-right). *)
Definition only_live (d : data) : Prop :=
  Forall (fun p => live_left (right_bound d) p = true) (left d) /\ Forall (fun q => live_right (left_bounds d) q =
    true) (right d).

Lemma live_not_passed : forall b b' p, live_left b p = true -> passed b' p = false -> live_left b' p = true.
Proof.
  unfold Nodes.live_left, may_be_met, Nodes.passed. intros b b' p H H'. rewrite H'. apply andb_true_iff in H as [H _].
  rewrite H. auto.
Qed.

Lemma only_live_next : forall negated d slot t, (slot < 2)%nat -> only_live d ->
  only_live (fst (two_input_change negated minima maxima condition d slot t)).
Proof.
  intros negated d slot t Hs [Ll Lr].
  assert (XL : forall b h, Forall (fun p => live_left (right_bound d) p = true) h -> Forall (fun p => live_left b p =
    true) (expire_left maxima b h)).
  { intros b h F. apply Forall_forall. intros p Hp. apply filter_In in Hp as [Hp N]. apply negb_true_iff in N.
    rewrite Forall_forall in F. eapply live_not_passed; eauto. }
  assert (XR : forall b h, Forall (fun q => live_right b q = true) (expire_right minima b h)) by (intros; apply
    Forall_filtered).
  assert (slot = 0 \/ slot = 1)%nat as [S|S] by lia; subst; unfold only_live; destruct negated; simpl.
  - unfold not_left. destruct (payload t) as [p|]; simpl; auto.
    destruct (matching_right _ _ _ _ _); simpl; auto. destruct (live_left (right_bound d) p) eqn:Li; simpl; auto.
    split; auto. apply Forall_app; auto.
  - unfold join_left. destruct (payload t) as [p|]; simpl; auto. split; auto.
    destruct (live_left (right_bound d) p) eqn:Li; auto. apply Forall_app; auto.
  - unfold not_right. simpl. split.
    + apply XL. destruct (payload t); auto. apply Forall_filter; auto.
    + destruct (payload t) as [q|]; auto. destruct (live_right (left_bounds d) q) eqn:Li; auto. apply Forall_app; auto.
  - unfold join_right. destruct (payload t) as [q|]; simpl; split; auto.
    destruct (live_right (left_bounds d) q) eqn:Li; auto. apply Forall_app; auto.
Qed.

(* After a log: the bounds are those of the last token of each side, what is stored is live, the last token sent carries
   the bounds after it. *)
Lemma two_input_after : forall negated l d, ready d l -> stored_widths d -> only_live d ->
  let '(d', o) := run (node negated) d l in
  only_live d' /\ stored_widths d' /\ length (left_bounds d') = w /\
  (forall x, ended x (taken 0 l) -> Forall (fun b => x <= b) (left_bounds d')) /\
  (forall x, ended x (taken 1 l) -> x <= right_bound d') /\
  (taken 0 l = [] -> left_bounds d' = left_bounds d) /\ (taken 1 l = [] -> right_bound d' = right_bound d) /\
  (l <> [] -> exists before t, o = before ++ [t] /\ bounds t = bounds_after negated d').
Proof.
  assert (NE : forall x, ~ ended x []).
  { intros x (b & t & Eq & _). destruct b; discriminate. }
  induction l as [|[slot t] l IH]; intros d Rd Sw Lv.
  - simpl. repeat split; auto; try apply Lv; try apply Sw.
    + destruct Rd; auto.
    + intros x H. contradiction (NE x H).
    + intros x H. contradiction (NE x H).
    + intros H. contradiction.
  - pose proof (ready_next negated _ _ _ _ Rd) as Next. pose proof (widths_next negated _ _ _ _ Rd Sw) as Sw'.
    assert (Hs : (slot < 2)%nat) by (destruct (two_slots _ _ _ _ Rd); lia).
    pose proof (only_live_next negated d slot t Hs Lv) as Lv'.
    assert (B0 : slot = 0%nat -> left_bounds (fst (two_input_change negated minima maxima condition d slot t)) =
      bounds t
       /\ right_bound (fst (two_input_change negated minima maxima condition d slot t)) = right_bound d).
    { intros; subst. destruct negated; simpl; unfold join_left, not_left; destruct (payload t); simpl; auto.
      destruct (matching_right _ _ _ _ _); simpl; auto. destruct (live_left _ _); simpl; auto. }
    assert (B1 : slot = 1%nat -> right_bound (fst (two_input_change negated minima maxima condition d slot t)) = only
      (bounds t)
       /\ left_bounds (fst (two_input_change negated minima maxima condition d slot t)) = left_bounds d).
    { intros; subst. destruct negated; simpl; unfold join_right, not_right; destruct (payload t); simpl; auto. }
    change (run (node negated) d ((slot, t) :: l)) with
      (let '(d', o) := two_input_step negated minima maxima condition d slot t in
       let '(d'', o') := run (node negated) d' l in (d'', o ++ o')).
    unfold two_input_step.
    destruct (two_input_change negated minima maxima condition d slot t) as [d' results]. simpl in *.
    specialize (IH d' Next Sw' Lv'). destruct (run (node negated) d' l) as [d'' o'] eqn:R.
    destruct IH as (I1 & I2 & I3 & I4 & I5 & I6 & I7 & I8).
    split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]; auto.
    + intros x Hx. destruct (two_slots _ _ _ _ Rd); subst slot.
      * destruct (B0 eq_refl) as [B _]. change (taken 0 ((0%nat, t) :: l)) with (t :: taken 0 l) in Hx.
        destruct (taken 0 l) as [|t1 r1] eqn:T.
        -- rewrite I6, B by auto. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst; auto. destruct b; discriminate.
        -- apply I4. destruct Hx as (b & t' & Eq & F). destruct b as [|b0 b]; inversion Eq; subst. exists b, t'. auto.
      * apply I4. auto.
    + intros x Hx. destruct (two_slots _ _ _ _ Rd); subst slot.
      * apply I5. auto.
      * destruct (B1 eq_refl) as [B _]. change (taken 1 ((1%nat, t) :: l)) with (t :: taken 1 l) in Hx.
        destruct (taken 1 l) as [|t1 r1] eqn:T.
        -- rewrite I7, B by auto. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst; [|destruct b; discriminate].
           destruct Rd as (_ & _ & _ & _ & H5 & _). change (taken 1 ((1%nat, t') :: l)) with (t' :: taken 1 l) in H5.
           simpl in H5. destruct H5 as (H5 & _). rewrite <- (singleton _ H5) in F. inversion F; auto.
        -- apply I5. destruct Hx as (b & t' & Eq & F). destruct b as [|b0 b]; inversion Eq; subst. exists b, t'. auto.
    + intros T. destruct (two_slots _ _ _ _ Rd); subst slot; [discriminate T|]. rewrite I6; auto. apply B1; auto.
    + intros T. destruct (two_slots _ _ _ _ Rd); subst slot; [|discriminate T]. rewrite I7; auto. apply B0; auto.
    + intros _. destruct l as [|x l].
      * simpl in R. inversion R; subst. rewrite app_nil_r. apply as_tokens_last.
      * destruct I8 as (before & t' & Eq & Hb); [discriminate|]. exists (as_tokens results (bounds_after negated d')
        ++ before), t'.
        rewrite Eq, app_assoc. auto.
Qed.

Variable reach : Z.
Hypothesis minima_in_reach : Forall (fun m => - reach <= m) minima.
Hypothesis maxima_in_reach : Forall (fun m => m <= reach) maxima.

(* PARTE/JOIN-*, PARTE/NOT-*: once both sides have promised more than horizon and windows, nothing is stored, and as
   much is promised on. *)
Theorem an_ended_two_input_node_is_empty_and_ends : forall negated x l,
  honest w (taken 0 l) -> honest 1 (taken 1 l) -> Forall (fun y => fst y < 2)%nat l -> horizon + reach < x ->
  x <= infinity -> ended x (taken 0 l) -> ended x (taken 1 l) ->
  let '(d, o) := run (node negated) (initial (node negated)) l in left d = [] /\ right d = [] /\ ended x o.
Proof.
  intros negated x l H0 H1 Hs Far Fin E0 E1. destruct (initial_ready negated l H0 H1 Hs) as [Rd Sw].
  assert (Lv : only_live (initial (node negated))) by (split; constructor).
  pose proof (two_input_after negated l _ Rd Sw Lv) as A.
  destruct (run (node negated) (initial (node negated)) l) as [d o].
  destruct A as ((Ll & Lr) & (Wl & Wr) & W & Fb & Rb & _ & _ & Last). specialize (Fb x E0). specialize (Rb x E1).
  assert (EL : left d = []).
  { destruct (left d) as [|p h] eqn:L; auto. inversion Ll as [|? ? V _]; inversion Wl; subst.
    unfold Nodes.live_left, may_be_met, is_stale in V. apply andb_true_iff in V as [_ V]. apply negb_true_iff,
      Z.ltb_ge in V.
    pose proof (closes_le (times p) maxima horizon reach) as C.
    assert (closes p <= horizon + reach); [|lia]. apply C; auto.
    - intro M. pose proof same_width as Sm. rewrite M in Sm. apply some_left, length_zero_iff_nil. auto.
    - rewrite times_length, same_width. auto.
    - apply times_bounded. }
  assert (ER : right d = []).
  { destruct (right d) as [|q h] eqn:L; auto. inversion Lr as [|? ? V _]; inversion Wr; subst.
    unfold Nodes.live_right, is_stale in V. apply negb_true_iff, Z.ltb_ge in V.
    pose proof (expiration_ge (left_bounds d) minima x reach some_left W Fb minima_in_reach).
    assert (moment q <= horizon); [|lia]. destruct q as [|e [|? ?]]; simpl in *; try discriminate.
    unfold moment. simpl. apply within_horizon. }
  split; [auto|split; [auto|]]. destruct Last as (before & t & Eq & Hb).
  { intro N. subst l. destruct E0 as (b & t & Eq & _). destruct b; discriminate. }
  exists before, t. split; auto. rewrite Hb. unfold bounds_after, joined_bounds_after, left_bounds_after.
  rewrite EL, ER. destruct negated; [|apply Forall_app; split]; apply capped_ge; simpl; auto.
Qed.

End Correct.
