(* How late the events of a crowd are, by who leads it, and where its events come from: what the trees of Crowds.v
  need,
   for joins, negations, sets and emissions (docs/bounds.md, "Count"; specification: size-viable). *)
From Parte Require Export Crowds.

Section Reaches.
Context {E : Events}.

Section Leads.
Variables (all all' : partial -> Prop).
Lemma in_steps_reaches : forall x far roots, reaches_to all x far roots -> reaches_to all (in_steps x) far roots.
Proof. auto. Qed.
Lemma in_steps_fixes : forall x roots, fixes all x roots -> fixes all (in_steps x) roots.
Proof. auto. Qed.
(* PARTE/JOIN-* *)
Lemma a_left_part_reaches : forall x far roots w, reaches_to all' x far roots ->
  (forall p r, all r -> on_its_left p r -> all' p /\ length p = w) ->
  reaches_to all (image on_its_left x) far (fun v => (v < w)%nat /\ roots v).
Proof.
  intros x far roots w Rc Part m r v y Ar (p & Mk & H) [Lv Rv] Ny. destruct (Part p r Ar Mk) as [Ap Lp].
  destruct Mk as (q & _ & ->). rewrite nth_error_app1 in Ny by lia. eapply Rc; eauto.
Qed.
Lemma a_left_part_fixes : forall x roots w, fixes all' x roots ->
  (forall p r, all r -> on_its_left p r -> all' p /\ length p = w) ->
  fixes all (image on_its_left x) (fun v => (v < w)%nat /\ roots v).
Proof.
  intros x roots w Fx Part p0 r r' v y y' Ar Ar' (p & Mk & H) (p' & Mk' & H') [Lv Rv] Ny Ny'.
  destruct (Part p r Ar Mk) as [Ap Lp], (Part p' r' Ar' Mk') as [Ap' Lp'].
  destruct Mk as (q & _ & ->), Mk' as (q' & _ & ->). rewrite nth_error_app1 in Ny, Ny' by lia. apply (Fx p0 p p' v);
    auto.
Qed.
Lemma a_right_part_reaches : forall x far w, reaches_to all' x far (eq 0%nat) ->
  (forall q r, all r -> on_its_right w q r -> all' q) ->
  reaches_to all (image (on_its_right w) x) (fun _ => far 0%nat) (eq w).
Proof.
  intros x far w Rc Part m r v y Ar (q & Mk & H) <- Ny. pose proof (Part q r Ar Mk) as Aq.
  destruct Mk as (p & Lp & Lq & ->). rewrite nth_error_app2, Lp, Nat.sub_diag in Ny by lia. eapply (Rc m q 0%nat);
    eauto.
Qed.
Lemma a_right_part_fixes : forall x w, fixes all' x (eq 0%nat) ->
  (forall q r, all r -> on_its_right w q r -> all' q) -> fixes all (image (on_its_right w) x) (eq w).
Proof.
  intros x w Fx Part p0 r r' v y y' Ar Ar' (q & Mk & H) (q' & Mk' & H') <- Ny Ny'.
  pose proof (Part q r Ar Mk) as Aq. pose proof (Part q' r' Ar' Mk') as Aq'.
  destruct Mk as (p & Lp & Lq & ->), Mk' as (p' & Lp' & Lq' & ->).
  rewrite nth_error_app2, Lp, Nat.sub_diag in Ny by lia. rewrite nth_error_app2, Lp', Nat.sub_diag in Ny' by lia.
  apply (Fx p0 q q' 0%nat); auto.
Qed.
(* PARTE/NOT-*, PARTE/SET-*: a window that is over ends before m, so one of its events was that much before. *)
Lemma what_was_released_reaches : forall maxima most far, (forall p, all p -> length p = length maxima) ->
  (forall i v, (i < length maxima)%nat -> (v < length maxima)%nat -> exists least greatest, apart all i v least
    greatest /\
    greatest - nth i maxima 0 - 1 <= far v) ->
  reaches_to all (released maxima most) far (fun v => (v < length maxima)%nat).
Proof.
  intros maxima most far Wide Far m p v y Ap H Lv Ny. simpl in H. pose proof (Wide p Ap) as Lp.
  destruct (Z.le_gt_cases (time y) (m + far v)) as [Le|Gt]; auto. exfalso.
  assert (m <= closes maxima p); [|lia]. apply le_lowest.
  - apply adds_nonempty; [rewrite times_length; lia|]. destruct p; [destruct v; discriminate|discriminate].
  - assert (G : forall i t a, nth_error (times p) i = Some t -> nth_error maxima i = Some a -> m <= t + a).
    { intros i t a Nt Na. unfold times in Nt. rewrite nth_error_map in Nt.
      destruct (nth_error p i) as [x|] eqn:Nx; [|discriminate]. injection Nt as <-.
      assert (Li : (i < length maxima)%nat) by (apply nth_error_Some; congruence).
      destruct (Far i v Li Lv) as (least & greatest & Ap' & Le). specialize (Ap' p x y Ap Nx Ny).
      rewrite (nth_error_nth _ _ 0 Na) in Le. lia. }
    assert (Lt : length (times p) = length maxima) by (rewrite times_length; auto). clear - G Lt. revert maxima Lt G.
    unfold adds. induction (times p) as [|t ts IH]; intros [|a maxima] Lt G; simpl in *; try discriminate; constructor.
    + apply (G 0%nat t a); auto.
    + apply IH; auto. intros i. apply (G (S i)).
Qed.
Lemma what_was_released_is_fixed : forall maxima most roots, fixes all (released maxima most) roots.
Proof. intros maxima most roots p0 p p' v y y' _ _ H H' _ Ny Ny'. simpl in H, H'. congruence. Qed.
Lemma a_distance_reaches_further : forall x far roots u v least greatest, reaches_to all x far roots -> roots u ->
  apart all u v least greatest -> (forall p, all p -> (u < length p)%nat) -> far u + greatest <= far v ->
  reaches_to all x far (fun w => roots w \/ w = v).
Proof.
  intros x far roots u v least greatest Rc Ru Ap Wide Le m p w y A H [Rw| ->] Ny; [eapply Rc; eauto|].
  destruct (nth_error p u) as [z|] eqn:Nz; [|apply nth_error_None in Nz; specialize (Wide p A); lia].
  specialize (Rc m p u z A H Ru Nz). specialize (Ap p z y A Nz Ny). lia.
Qed.
End Leads.

(* PARTE/JOIN-* (specification: variables-related, two-input-nodes). The windows of a join stand between the events of
   what it sends. *)
Theorem windows_are_distances : forall minima maxima own a b u least greatest, length maxima = length minima ->
  Forall (fun p => length p = length minima) a -> nth_error minima u = Some least -> nth_error maxima u = Some
    greatest ->
  apart (fun r => In r (joined minima maxima own a b)) u (length minima) least greatest.
Proof.
  intros minima maxima own a b u least greatest Sw Wide Nl Ng r x y I Nx Ny.
  unfold joined in I. apply in_map_iff in I as ([p q] & <- & I). apply filter_In in I as [I Mt].
  apply in_prod_iff in I as [Ip _]. rewrite Forall_forall in Wide. pose proof (Wide p Ip) as Lp. simpl in Nx, Ny, Mt.
  rewrite nth_error_app2, Lp, Nat.sub_diag in Ny by lia. destruct q as [|z q]; [discriminate|]. inversion Ny; subst z.
  assert (Lu : (u < length p)%nat) by (rewrite Lp; apply nth_error_Some; congruence).
  rewrite nth_error_app1 in Nx by auto. unfold Nodes.matches in Mt. apply andb_true_iff in Mt as [Mt _].
  unfold in_window in Mt. apply andb_true_iff in Mt as [Op Cl]. apply Z.leb_le in Op, Cl. unfold moment in Op, Cl.
  simpl in Op, Cl. unfold opens, lifetime_opens in Op. unfold closes, lifetime_closes in Cl.
  assert (Ne : times p <> []) by (destruct p; [simpl in Lu; lia|discriminate]).
  apply highest_le in Op; [|apply adds_nonempty; [rewrite times_length; lia|auto]].
  apply le_lowest in Cl; [|apply adds_nonempty; [rewrite times_length; lia|auto]].
  assert (G : forall (Q : Z -> Prop) ts ms w t b, Forall Q (adds ts ms) -> nth_error ts w = Some t ->
    nth_error ms w = Some b -> Q (t + b)).
  { intros Q. unfold adds. induction ts as [|t0 ts IH]; intros [|b0 ms] [|o] t b' F Nt Nb; try discriminate;
      simpl in *; inversion F; subst.
    - inversion Nt; inversion Nb; subst. auto.
    - eauto. }
  assert (Nt : nth_error (times p) u = Some (time x)) by (unfold times; rewrite nth_error_map, Nx; auto).
  pose proof (G _ _ _ u _ _ Op Nt Nl) as A. pose proof (G _ _ _ u _ _ Cl Nt Ng) as B. simpl in A, B. lia.
Qed.
Lemma pairs_once : forall (a b : list partial), NoDup a -> NoDup b -> NoDup (list_prod a b).
Proof.
  intros a b Na Nb. induction Na as [|p a Ip Na IH]; simpl; [constructor|].
  assert (G : forall l, NoDup l -> NoDup (map (fun q : partial => (p, q)) l ++ list_prod a b)).
  { induction 1 as [|q l Iq Nl IHl]; simpl; auto. constructor; auto. intros I. apply in_app_iff in I as [I|I].
    - apply in_map_iff in I as (q' & Eq & I). inversion Eq; subst. auto.
    - apply in_prod_iff in I as [I _]. auto. }
  apply G. auto.
Qed.
Lemma same_halves : forall (a b c d : partial), a ++ c = b ++ d -> length a = length b -> a = b /\ c = d.
Proof.
  induction a as [|x a IH]; intros [|y b] c d Eq L; simpl in *; try discriminate; auto. injection Eq as -> Eq.
  destruct (IH b c d Eq) as [-> ->]; auto.
Qed.
(* PARTE/JOIN-* (specification: meaning-conjunction). Where no event comes twice, no match occurs twice. *)
Theorem no_match_occurs_twice : forall minima maxima own w a b, NoDup a -> NoDup b ->
  Forall (fun p => length p = w) a -> NoDup (joined minima maxima own a b).
Proof.
  intros minima maxima own w a b Na Nb Wide. unfold joined.
  assert (G : forall pairs : list (partial * partial), NoDup pairs -> Forall (fun pq => length (fst pq) = w) pairs ->
    NoDup (map (fun pq => fst pq ++ snd pq) pairs)).
  { intros pairs N F. induction N as [|[p q] more I N IH]; simpl; constructor; inversion F as [|? ? Lp Lm]; subst;
    auto.
    intros J. apply in_map_iff in J as ([p' q'] & Eq & J). apply I. rewrite Forall_forall in Lm. specialize (Lm _ J).
    simpl in *. apply same_halves in Eq as [-> ->]; auto; lia. }
  apply G; [apply NoDup_filter, pairs_once; auto|].
  apply Forall_forall. intros [p q] I. apply filter_In in I as [I _]. apply in_prod_iff in I as [I _].
  rewrite Forall_forall in Wide. apply (Wide p I).
Qed.

(* PARTE/SET-*: sets change no crowd: as many partial matches stand behind it, without their sets. *)
Theorem a_crowd_with_sets_is_a_crowd_without : forall (P : list partial -> Prop) L mi ma own minima maxima lag m ps,
  (forall a b, part_of a b -> P b -> P a) ->
  crowd_on_the_left (fun ps => exists a s, P a /\ part_of ps (map (collection mi ma own s) a))
    (fun x => exists y, L y /\ x = image with_some_set y) minima maxima lag m ps ->
  exists a, length a = length ps /\ crowd_on_the_left P L minima maxima lag m a.
Proof.
  intros P L mi ma own minima maxima lag m ps Cl ((a & s & Pa & rest & Pm) & Live & x & (y & Ly & ->) & few & Lf &
    Led).
  apply Permutation_map_inv in Pm as (b & Eq & Pb). symmetry in Eq.
  apply map_eq_app in Eq as (b1 & b2 & -> & <- & <-). exists b1. split; [rewrite map_length; auto|]. split; [|split].
  - apply (Cl b1 a); auto. exists b2. symmetry. auto.
  - apply Forall_map in Live. eapply Forall_impl; [|exact Live]. intros p H. unfold opens, closes in *.
    rewrite (collection_times mi ma own s p) in H. auto.
  - exists y. split; auto. exists few. split; auto. apply Forall_map in Led. eapply Forall_impl; [|exact Led].
    intros p [(p' & [s' Eq] & H)|(p0 & I0 & p' & [s' Eq] & H)]; apply with_set_same_event in Eq; subst p'; eauto.
Qed.

(* PARTE/PROD (specification: emitted-and-external, production-bound). Events that a rule emits are as many as the
  matches
   that emit them, led by who leads these; each place of a match lies before the emitted event by no more than `after`.
   No two matches emit the same event. *)
Theorem a_crowd_of_emitted_events_is_a_crowd_of_matches : forall (P : list partial -> Prop) L generate after back m
    (live : partial -> Prop) ps,
  (forall a b, part_of a b -> P b -> P a) ->
  (forall p p' r, P [p] -> P [p'] -> In r (emitted generate p) -> In r (emitted generate p') -> p = p') ->
  (forall p e v z, P [p] -> generate p = Some e -> nth_error p v = Some z -> time e - time z <= nth v after 0) ->
  (forall p, P [p] -> length p = length after /\ p <> []) ->
  (forall r, length r = 1%nat -> live r -> m - back <= moment r) ->
  crowd (fun ps => exists b, P b /\ part_of ps (flat_map (emitted generate) b))
    (fun x => exists y, L y /\ x = image (makes_an_event P generate) y) m live ps ->
  exists a y, length a = length ps /\ P a /\ L y /\ led_by y m 0 a /\
    Forall (fun p => m <= closes (map (Z.add back) after) p) a.
Proof.
  intros P L generate after back m live ps Cl Inj Spread Wide Live
    ((b & Pb & Pt) & Lv & x & (y & Ly & ->) & few & Lf & Led).
  assert (Split : exists a, part_of a b /\ Permutation ps (flat_map (emitted generate) a) /\
    Forall (fun p => emitted generate p <> []) a).
  { clear - Pt. revert ps Pt. induction b as [|p b IH]; intros ps Pt.
    - destruct Pt as [r Pt]. simpl in Pt. apply Permutation_sym, Permutation_nil in Pt. destruct ps; [|discriminate].
      exists []. split; [apply part_of_refl|]. auto.
    - simpl in Pt. destruct (part_of_both _ _ _ _ Pt) as (pa & pb & Q & A & B). destruct (IH pb B) as (a & [z Pa] & Pm
      & F).
      assert (Ea : pa = [] \/ pa = emitted generate p /\ emitted generate p <> []).
      { destruct A as [z' A]. unfold emitted in *. destruct (generate p) as [e|].
        - destruct pa as [|r [|r' pa]]; auto; apply Permutation_sym, Permutation_length_1_inv in A; inversion A; subst.
          right. split; auto. discriminate.
        - apply Permutation_sym, Permutation_nil in A. destruct pa; auto. discriminate. }
      destruct Ea as [-> |[-> N]].
      + exists a. split; [exists (p :: z); rewrite <- Pa; symmetry; apply Permutation_middle|]. rewrite Q. auto.
      + exists (p :: a). split; [exists z; simpl; auto|]. split; [|auto]. rewrite Q. simpl. apply
        Permutation_app_head. auto. }
  destruct Split as (a & Pa & Pm & Some_).
  assert (Mem : Forall (fun p => P [p] /\ exists e, generate p = Some e /\ In [e] ps) a).
  { rewrite Forall_forall in *. intros p I. split.
    - apply (Cl [p] b); auto. apply in_split in I as (a1 & a2 & ->). destruct Pa as [z Pa]. exists (a1 ++ a2 ++ z).
      rewrite <- Pa, <- app_assoc. simpl. apply Permutation_middle.
    - specialize (Some_ p I). unfold emitted in Some_. destruct (generate p) as [e|] eqn:G; [|easy]. exists e. split;
      auto.
      apply (Permutation_in _ (Permutation_sym Pm)), in_flat_map. exists p. split; auto. unfold emitted. rewrite G.
      simpl. auto. }
  exists a, y. split; [|split; [|split; [|split]]]; auto.
  - apply Permutation_length in Pm. rewrite Pm. clear - Mem. induction Mem as [|p a (_ & e & G & _) Mem IH]; simpl;
    auto.
    unfold emitted at 1. rewrite G. simpl. auto.
  - eapply Cl; eauto.
  - exists few. split; auto. rewrite Forall_forall in *. intros p I. destruct (Mem p I) as (Pp & e & G & Ie).
    assert (Ee : In [e] (emitted generate p)) by (unfold emitted; rewrite G; simpl; auto).
    destruct (Led [e] Ie) as [(p' & [Pp' E'] & H)|(p0 & I0 & p' & [Pp' E'] & H)];
      rewrite (Inj p p' [e]) by auto; eauto.
  - rewrite Forall_forall in *. intros p I. destruct (Mem p I) as (Pp & e & G & Ie). destruct (Wide p Pp) as [Lp Np].
    specialize (Live [e] eq_refl (Lv [e] Ie)). unfold moment in Live. simpl in Live.
    assert (Each : forall v z, nth_error p v = Some z -> m <= time z + (back + nth v after 0)).
    { intros v z Nz. specialize (Spread p e v z Pp G Nz). lia. }
    apply le_lowest; [apply adds_nonempty; [rewrite times_length, map_length; auto|]; destruct p; easy|].
    clear - Each Lp. revert after Lp Each. unfold adds.
    induction p as [|z p IH]; intros [|x after] Lp Each; simpl in *; try discriminate; constructor.
    + apply (Each 0%nat z eq_refl).
    + apply IH; [lia|]. intros v. apply (Each (S v)).
Qed.

(* ---- Sources and emissions as streams -----------------------------------------------------------------------------
  *)

Definition first_events (ps : list partial) : list event := flat_map (fun p => match p with y :: _ => [y] | [] => []
  end)
  ps.
Variables (queues : nat -> list token) (late : nat -> Z) (events : nat -> nat) (period : nat -> Z).
Hypothesis Honest : honest_sources queues.
Hypothesis Rated : forall q, 0 < period q /\ rated (events q) (period q) (map moment (payloads (queues q))).
Definition fit_into_all (qs : list nat) (width : Z) : nat :=
  fold_right (fun q n => fit_from events period q width + n)%nat 0%nat qs.
Lemma so_many_come_within_a_window : forall qs a b,
  (length (filter (within_window a b) (first_events (from_all queues qs))) <= fit_into_all qs (b - a))%nat.
Proof.
  intros qs a b. unfold first_events, from_all.
  induction qs as [|q qs IH]; simpl; auto. rewrite flat_map_app, filter_app, app_length.
  apply Nat.add_le_mono; [|exact IH]. destruct (Rated q) as [Pq Rq]. unfold fit_from.
  assert (L : (length (filter (within_window a b) (flat_map (fun p : partial => match p with y :: _ => [y] | [] => []
    end)
    (payloads (queues q)))) <= length (filter (Sizes.between a b) (map moment (payloads (queues q)))))%nat).
  { pose proof (honest_widths _ _ (Honest q)) as W. clear - W. induction W as [|p l Hp W IH]; simpl; auto.
    destruct p as [|y [|? ?]]; try discriminate. simpl. unfold within_window at 1, moment at 1. simpl.
    destruct (Sizes.between a b (time y)); simpl; lia. }
  destruct (b - a <? 0) eqn:Q.
  - apply Z.ltb_lt in Q. eapply Nat.le_trans; [exact L|]. rewrite filter_none; [simpl; lia|].
    apply Forall_forall. intros t _. unfold Sizes.between. apply andb_false_iff. rewrite !Z.leb_gt. lia.
  - apply Z.ltb_ge in Q. eapply Nat.le_trans; [exact L|].
    apply so_many_events_fit_into_a_window; auto. lia.
Qed.
Lemma a_source_reaches : forall all qs lateness, (forall q, In q qs -> late q <= lateness) ->
  reaches_to all (of_sources queues late qs) (fun _ => lateness) (eq 0%nat).
Proof.
  intros all qs lateness Le m p v y _ (z & -> & q & I & _ & T) <- Ny. simpl in Ny. injection Ny as <-.
  specialize (Le q I). lia.
Qed.
Lemma a_source_fixes : forall all qs roots, fixes all (of_sources queues late qs) roots.
Proof. intros all qs roots p0 p p' v y y' _ _ H H' _ Ny Ny'. simpl in H, H'. congruence. Qed.
End Reaches.
