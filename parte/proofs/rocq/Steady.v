(* Bounds never decrease (specification: bounds-never-decrease): what a node computes, if its inputs do not, and if no
   `at`
   turns -infinity into less. So what Prompt.v asks of productions follows from what it asks of sources. *)
From Parte Require Export Prompt.

Section Steady.
Context {E : Events}.
Hypothesis Positive : 0 <= infinity.

(* No token of a list promises more than its last one, which promises -infinity at least. *)
Definition rising (l : list token) : Prop :=
  match last_bounds l with
  | Some b => Forall (fun t => below (bounds t) b) l /\ Forall (fun y => - infinity <= y) b
  | None => True
  end.

Lemma rising_last : forall l b, last_bounds l = Some b -> rising l ->
  Forall (fun t => below (bounds t) b) l /\ Forall (fun y => - infinity <= y) b.
Proof. unfold rising. intros l b L R. rewrite L in R. auto. Qed.
Lemma rising_thinned : forall all l, thinned all l -> rising all -> rising l.
Proof.
  intros all l T R. unfold rising in *. rewrite (thinned_last _ _ T). destruct (last_bounds all); auto.
  destruct R as [R N]. split; auto. rewrite Forall_forall in *. intros t I. apply R. eapply thinned_in; eauto.
Qed.
Lemma rising_only : forall l, rising l -> - infinity <= last_promise l /\ Forall (fun t => only (bounds t) <=
  last_promise l)
  l.
Proof.
  intros l R. unfold last_promise. destruct (last_bounds l) as [b|] eqn:L.
  - destruct (rising_last l b L R) as [F N]. split.
    + destruct b; simpl; [lia|]. inversion N; auto.
    + eapply Forall_impl; [|exact F]. intros t B. apply only_below. auto.
  - apply last_bounds_none in L. subst. split; [lia|constructor].
Qed.

(* ---- What a node stores, and what it promises -------------------------------------------------------------------- *)

Lemma below_lowered : forall z b ps, below z b -> Forall (kept_by z) ps -> below z (lowered b ps).
Proof.
  intros z b ps B. induction ps as [|p ps IH]; simpl; intros F; auto. inversion F; subst. specialize (IH H2).
  unfold mins, kept_by in *. clear - IH H1. revert H1 IH. generalize (lowered b ps), (times p).
  induction z as [|x z IH]; intros l l' A B; inversion A; inversion B; subst; simpl; constructor; [lia|].
  apply IH; auto.
Qed.
Lemma below_capped : forall z b, Forall (fun y => y <= infinity) z -> below z b -> below z (capped b).
Proof.
  intros z b F B. induction B; simpl; constructor; inversion F; subst; [lia|]. apply IHB; auto.
Qed.
Lemma capped_is_finite : forall b, Forall (fun y => y <= infinity) (capped b).
Proof. intros b. unfold capped. apply Forall_map, Forall_forall. intros. lia. Qed.
Lemma a_side_grows : forall w b1 ps1 b ps later, length b1 = w -> Forall (fun p => length p = w) ps1 -> below b1 b ->
  incl ps (ps1 ++ later) -> Forall (kept_by b1) later -> below (capped (lowered b1 ps1)) (capped (lowered b ps)).
Proof.
  intros w b1 ps1 b ps later L W B I K. destruct (capped_spec [] [] eq_refl w ps1 b1 L W) as (_ & Lo & Ke).
  apply below_capped; [apply capped_is_finite|]. apply below_lowered.
  - eapply below_trans; eauto.
  - apply Forall_forall. intros p J. apply I, in_app_iff in J as [J|J].
    + rewrite Forall_forall in Ke. auto.
    + rewrite Forall_forall in K. eapply below_trans; [exact Lo|]. apply K. auto.
Qed.
Lemma a_side_is_finite : forall w b ps, length b = w -> Forall (fun y => - infinity <= y) b ->
  Forall (fun p => length p = w) ps -> Forall (fun y => - infinity <= y) (capped (lowered b ps)).
Proof.
  intros w b ps L F W.
  assert (B : below (repeat (- infinity) w) b).
  { subst w. clear W. induction F; simpl; constructor; auto. }
  assert (K : Forall (kept_by (repeat (- infinity) w)) ps).
  { eapply Forall_impl; [|exact W]. intros p Lp. rewrite <- Lp. apply initial_bounds_kept. }
  pose proof (a_side_grows w (repeat (- infinity) w) [] b ps ps (repeat_length _ _) (Forall_nil _) B (incl_refl _) K)
    as G.
  simpl in G. assert (Eq : capped (repeat (- infinity) w) = repeat (- infinity) w).
  { unfold capped. clear - Positive. induction w; simpl; auto. rewrite IHw. f_equal. lia. }
  rewrite Eq in G. clear - G. revert G. generalize (capped (lowered b ps)).
  induction w; simpl; intros l B; inversion B; subst; constructor; auto.
Qed.

Lemma computed_app : forall k a b, computed_by k (a ++ b) = computed_by k a ++ snd (run k (state_after k a) b).
Proof.
  intros. unfold computed_by, state_after. rewrite run_app. destruct (run k (initial k) a) as [d o]. simpl.
  destruct (run k d b). auto.
Qed.

(* Nodes with two sides, and what they promise after a step. *)
Definition two_sided (k : kind) (minima maxima : list Z) : Prop :=
  (exists negated c, k = TwoInput negated minima maxima c) \/ (exists c, k = Collecting minima maxima c).
Definition out_bounds (k : kind) (d : data) : list Z :=
  match k with TwoInput negated _ _ _ => bounds_after negated d | _ => left_bounds_after d end.

Section Two_sided.
Variables (k : kind) (minima maxima : list Z).
Hypothesis Two : two_sided k minima maxima.
Hypothesis Wide : length maxima = length minima.
Let w := length minima.

Lemma a_step_of_two_sides : forall d slot t, (slot < 2)%nat ->
  (exists results, snd (activate k d slot t) = as_tokens results (out_bounds k (fst (activate k d slot t)))) /\
  left_bounds (fst (activate k d slot t)) = (if Nat.eqb slot 0 then bounds t else left_bounds d) /\
  right_bound (fst (activate k d slot t)) = (if Nat.eqb slot 1 then only (bounds t) else right_bound d) /\
  incl (left (fst (activate k d slot t))) (left d ++ lefts [(slot, t)]) /\
  incl (right (fst (activate k d slot t))) (right d ++ rights [(slot, t)]).
Proof.
  intros d slot t Hs. destruct Two as [(negated & c & ->)|(c & ->)]; simpl activate; simpl out_bounds.
  - pose proof (change_from minima maxima c Wide negated d slot t [] Hs) as C. unfold two_input_step.
    assert (B : let d' := fst (two_input_change negated minima maxima c d slot t) in
      left_bounds d' = (if Nat.eqb slot 0 then bounds t else left_bounds d) /\
      right_bound d' = (if Nat.eqb slot 1 then only (bounds t) else right_bound d)).
    { assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by lia; destruct negated; simpl;
        unfold join_left, not_left, join_right, not_right; destruct (payload t); simpl; auto.
      destruct (matching_right _ _ _ _ _); simpl; auto. destruct (live_left _ _ _ _); simpl; auto. }
    destruct (two_input_change negated minima maxima c d slot t) as [d' results]. simpl in *.
    destruct C as (C1 & C2 & _). rewrite app_nil_r in C1, C2.
    destruct B. eauto 10.
  - pose proof (collect_change_from minima maxima c Wide d slot t [] Hs) as C. unfold collect_step.
    assert (B : let d' := fst (collect_change minima maxima c d slot t) in
      left_bounds d' = (if Nat.eqb slot 0 then bounds t else left_bounds d) /\
      right_bound d' = (if Nat.eqb slot 1 then only (bounds t) else right_bound d)).
    { assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by lia; simpl; auto. rewrite collect_left_is. auto. }
    destruct (collect_change minima maxima c d slot t) as [d' results]. simpl in *.
    destruct C as (C1 & C2 & _). rewrite app_nil_r in C1, C2.
    destruct B. eauto 10.
Qed.

Lemma sides_are_the_last : forall l, Forall (fun x => fst x < 2)%nat l ->
  left_bounds (state_after k l) = match last_bounds (taken 0 l) with Some b => b | None => repeat (- infinity) w end /\
  right_bound (state_after k l) = last_promise (taken 1 l).
Proof.
  induction l as [|[slot t] l IH] using rev_ind; intros F.
  - destruct Two as [(negated & c & ->)|(c & ->)]; auto.
  - apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'. destruct (IH F) as [I1 I2].
    destruct (a_step_of_two_sides (state_after k l) slot t F') as (_ & S1 & S2 & _).
    rewrite state_snoc, S1, S2, !taken_snoc.
    assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by lia; simpl.
    + rewrite last_bounds_last. auto.
    + rewrite last_promise_snoc. auto.
Qed.
Lemma stored_came : forall l2 l1, Forall (fun x => fst x < 2)%nat (l1 ++ l2) ->
  incl (left (state_after k (l1 ++ l2))) (left (state_after k l1) ++ lefts l2) /\
  incl (right (state_after k (l1 ++ l2))) (right (state_after k l1) ++ rights l2).
Proof.
  induction l2 as [|[slot t] l2 IH] using rev_ind; intros l1 F.
  - rewrite app_nil_r. split; intros p I; apply in_app_iff; auto.
  - rewrite app_assoc in F |- *. apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'.
    destruct (IH l1 F) as [I1 I2]. destruct (a_step_of_two_sides (state_after k (l1 ++ l2)) slot t F') as (_ & _ & _ &
      S1 &
      S2).
    rewrite state_snoc.
    assert (Eq : forall j, payloads (taken j (l2 ++ [(slot, t)])) = payloads (taken j l2) ++ payloads (taken j [(slot,
      t)])).
    { intros j. rewrite taken_app, payloads_app. auto. }
    unfold lefts, rights in *. rewrite !Eq. split; intros p I.
    + apply S1, in_app_iff in I as [I|I]; rewrite !in_app_iff; auto. apply I1, in_app_iff in I as [I|I]; auto.
    + apply S2, in_app_iff in I as [I|I]; rewrite !in_app_iff; auto. apply I2, in_app_iff in I as [I|I]; auto.
Qed.

Variable l : log.
Hypothesis Slots : Forall (fun x => fst x < 2)%nat l.
Hypothesis Left : honest w (taken 0 l).
Hypothesis Right : honest 1 (taken 1 l).
Hypothesis Rise_left : rising (taken 0 l).
Hypothesis Rise_right : rising (taken 1 l).

Lemma stored_widths_after : forall l1 l2, l = l1 ++ l2 ->
  Forall (fun p => length p = w) (left (state_after k l1)) /\ Forall (fun q => length q = 1%nat) (right (state_after k
    l1)).
Proof.
  intros l1 l2 Eq. pose proof Slots as S. rewrite Eq in S. apply Forall_app in S as [S _].
  destruct (stored_came l1 [] S) as [I1 I2]. simpl in I1, I2.
  assert (Z : left (initial k) = [] /\ right (initial k) = []) by (destruct Two as [(negated & c & ->)|(c & ->)]; auto).
  unfold state_after in I1 at 2. unfold state_after in I2 at 2. simpl in I1, I2. destruct Z as [Z1 Z2].
  rewrite Z1 in I1. rewrite Z2 in I2. simpl in I1, I2.
  rewrite Eq, taken_app in Left, Right. apply honest_prefix, honest_widths in Left. apply honest_prefix, honest_widths
    in
    Right.
  rewrite Forall_forall in Left, Right. split; apply Forall_forall; intros p I; [apply Left, I1|apply Right, I2]; auto.
Qed.

Lemma bounds_only_grow : forall l1 l2, l = l1 ++ l2 ->
  below (left_bounds_after (state_after k l1)) (left_bounds_after (state_after k l)) /\
  below (capped (lowered [right_bound (state_after k l1)] (right (state_after k l1))))
    (capped (lowered [right_bound (state_after k l)] (right (state_after k l)))).
Proof.
  intros l1 l2 Eq. pose proof Slots as S. rewrite Eq in S. destruct (stored_came l2 l1 S) as [I1 I2].
  rewrite <- Eq in I1, I2. pose proof S as S1. apply Forall_app in S1 as [S1 _].
  destruct (stored_widths_after l1 l2 Eq) as [W1 W2].
  destruct (sides_are_the_last l1 S1) as [L1 R1]. destruct (sides_are_the_last l Slots) as [L R].
  assert (H0 := Left). assert (H1 := Right). rewrite Eq, taken_app in H0, H1.
  apply honest_app in H0 as (H0 & H0' & K0). apply honest_app in H1 as (H1 & H1' & K1).
  split.
  - unfold left_bounds_after. apply (a_side_grows w _ _ _ _ (lefts l2)); auto.
    + rewrite L1. destruct (last_bounds (taken 0 l1)) as [b|] eqn:B; [exact (last_width w _ b H0 B)|apply
      repeat_length].
    + rewrite L1, L. destruct (last_bounds (taken 0 l)) as [b|] eqn:B.
      * destruct (rising_last _ _ B Rise_left) as [F N]. destruct (last_bounds (taken 0 l1)) as [b1|] eqn:B1.
        -- apply last_bounds_some in B1 as (bs & t & Eq1 & <-). rewrite Forall_forall in F. apply F.
           rewrite Eq, taken_app, Eq1, !in_app_iff. simpl. auto.
        -- pose proof (last_width w _ b Left B) as Lb. rewrite <- Lb. clear - N. induction N; simpl; constructor; auto.
      * apply last_bounds_none in B. rewrite Eq, taken_app in B. apply app_eq_nil in B as [B _]. rewrite B. apply
        below_refl.
    + rewrite L1. destruct (last_bounds (taken 0 l1)) as [b|] eqn:B; [exact (last_is_kept _ b _ B K0)|].
      apply honest_widths in H0'. eapply Forall_impl; [|exact H0']. intros p Lp. rewrite <- Lp. apply
        initial_bounds_kept.
  - apply (a_side_grows 1 _ _ _ _ (rights l2)); auto.
    + constructor; [|constructor]. rewrite R1, R. destruct (rising_only _ Rise_right) as [N F].
      apply last_promise_in; auto.
      rewrite Forall_forall in *. intros t I. apply F. rewrite Eq, taken_app, in_app_iff. auto.
    + rewrite R1. unfold last_promise. destruct (last_bounds (taken 1 l1)) as [b|] eqn:B.
      * rewrite (singleton b (last_width 1 _ b H1 B)). exact (last_is_kept _ b _ B K1).
      * apply honest_widths in H1'. eapply Forall_impl; [|exact H1']. intros p Lp.
        pose proof (initial_bounds_kept p) as K. rewrite Lp in K. exact K.
Qed.

Lemma two_sides_rise : honest (width_of k) (computed_by k l) -> rising (computed_by k l).
Proof.
  intros H. unfold rising. destruct (last_bounds (computed_by k l)) as [b|] eqn:Lb; auto.
  assert (Out : forall l1 l2, l = l1 ++ l2 -> below (out_bounds k (state_after k l1)) (out_bounds k (state_after k l))).
  { intros l1 l2 Eq. destruct (bounds_only_grow l1 l2 Eq) as [A B].
    destruct Two as [([|] & c & Hk)|(c & Hk)]; rewrite Hk at 1 3; simpl; auto. apply below_app; auto. }
  assert (Step : forall l1 l2, l = l1 ++ l2 -> Forall (fun t => below (bounds t) (out_bounds k (state_after k l)))
    (computed_by
    k l1) /\ (l1 <> [] -> last_bounds (computed_by k l1) = Some (out_bounds k (state_after k l1)))).
  { induction l1 as [|[slot t] l1 IH] using rev_ind; intros l2 Eq; [split; [constructor|contradiction]|].
    assert (Eq' : l = l1 ++ (slot, t) :: l2) by (rewrite Eq, <- app_assoc; auto). destruct (IH _ Eq') as [I _].
    assert (Hs : (slot < 2)%nat).
    { pose proof Slots as S. rewrite Eq' in S. apply Forall_app in S as [_ S]. inversion S; auto. }
    destruct (a_step_of_two_sides (state_after k l1) slot t Hs) as ((rs & Rs) & _).
    pose proof (computed_snoc k l1 slot t) as C. rewrite Rs, <- state_snoc in C. rewrite C. split.
    - apply Forall_app. split; auto.
      assert (Hc : honest (width_of k) (as_tokens rs (out_bounds k (state_after k (l1 ++ [(slot, t)]))))).
      { rewrite Eq, computed_app, C in H. apply honest_prefix, honest_app in H. tauto. }
      destruct (true_promises _ _ _ (last_width _ _ _ Hc (last_of_as_tokens rs _)) ltac:(apply honest_widths; exact Hc))
        as [_ T].
      { pose proof (as_tokens_may_be_sent rs (out_bounds k (state_after k (l1 ++ [(slot, t)])))) as [_ M].
        rewrite last_of_as_tokens in M. exact M. }
      eapply Forall_impl; [|exact T]. intros u B. eapply below_trans; [exact B|]. eapply Out; eauto.
    - intros _. rewrite last_bounds_app, last_of_as_tokens. auto. }
  destruct (Step l [] (eq_sym (app_nil_r l))) as [F La].
  assert (NE : l <> []) by (intros Z; rewrite Z in Lb; discriminate).
  rewrite (La NE) in Lb. injection Lb as <-. split; auto.
  destruct (stored_widths_after l [] (eq_sym (app_nil_r l))) as [W1 W2]. destruct (sides_are_the_last l Slots) as [L R].
  assert (LF : Forall (fun y => - infinity <= y) (left_bounds_after (state_after k l))).
  { apply (a_side_is_finite w); auto; rewrite L; destruct (last_bounds (taken 0 l)) as [b|] eqn:B.
    - eapply last_width; eauto.
    - apply repeat_length.
    - destruct (rising_last _ _ B Rise_left). auto.
    - apply Forall_forall. intros y I. apply repeat_spec in I. lia. }
  assert (RF : Forall (fun y => - infinity <= y) (capped (lowered [right_bound (state_after k l)] (right (state_after k
    l))))).
  { apply (a_side_is_finite 1); auto. constructor; [|constructor]. rewrite R. apply rising_only. auto. }
  destruct Two as [([|] & c & Hk)|(c & Hk)]; rewrite Hk at 1; simpl; auto. apply Forall_app. auto.
Qed.
End Two_sided.

(* ---- Every node -------------------------------------------------------------------------------------------------- *)

Definition never_lowers (at_bounds : list Z -> Z) : Prop :=
  forall b, Forall (fun y => - infinity <= y) b -> - infinity <= at_bounds b.

Lemma rising_map : forall (f : token -> token) l,
  (forall t t', In t l -> In t' l -> below (bounds t) (bounds t') -> below (bounds (f t)) (bounds (f t'))) ->
  (forall t, In t l -> Forall (fun y => - infinity <= y) (bounds t) -> Forall (fun y => - infinity <= y) (bounds (f
    t))) ->
  rising l -> rising (map f l).
Proof.
  intros f l Hb Hn R. unfold rising. destruct (last_bounds (map f l)) as [b|] eqn:L; auto.
  destruct l as [|t l] using rev_ind; [discriminate|]. clear IHl. rewrite map_app in L. simpl in L.
  rewrite last_bounds_last in L. injection L as <-. destruct (rising_last _ _ (last_bounds_last l t) R) as [F N].
  assert (I : In t (l ++ [t])) by (apply in_app_iff; simpl; auto). split; [|auto].
  apply Forall_map. rewrite Forall_forall in *. auto.
Qed.

Lemma entry_rises : forall n m l, (0 < m)%nat -> Forall (fun x => fst x < m)%nat l ->
  Forall (fun p => of_template n p = true) (payloads (map snd l)) -> (forall s, (s < m)%nat -> rising (taken s l)) ->
  rising (computed_by (Entry n m) l).
Proof.
  intros n m l Pos Sl T R. unfold rising. destruct (last_bounds (computed_by (Entry n m) l)) as [b|] eqn:L; auto.
  destruct (entry_bounds_are_the_last n m l Sl T) as [B La].
  assert (NE : l <> []) by (intros ->; discriminate).
  assert (Eq : last_bounds (computed_by (Entry n m) l) = Some [lowest (map (fun s => last_promise (taken s l)) (seq 0
    m))]).
  { rewrite La, B. destruct l; [contradiction|auto]. }
  rewrite Eq in L. injection L as <-.
  assert (Ne : forall f : nat -> Z, map f (seq 0 m) <> []) by (destruct m; [lia|discriminate]).
  assert (Low : - infinity <= lowest (map (fun s => last_promise (taken s l)) (seq 0 m))).
  { apply le_lowest; auto. apply Forall_map, Forall_forall. intros s I. apply in_seq in I. apply rising_only, R. lia. }
  split; [|constructor; auto]. clear La B Eq NE.
  assert (Step : forall l1 l2, l = l1 ++ l2 -> Forall (fun t => below (bounds t) [lowest (map (fun s => last_promise
    (taken s
    l)) (seq 0 m))]) (computed_by (Entry n m) l1)); [|apply (Step l []); symmetry; apply app_nil_r].
  induction l1 as [|[slot t] l1 IH] using rev_ind; intros l2 Eq; [constructor|].
  assert (Eq' : l = l1 ++ (slot, t) :: l2) by (rewrite Eq, <- app_assoc; auto).
  rewrite computed_snoc. apply Forall_app. split; [eapply IH; eauto|]. pose proof Sl as S1. pose proof T as T1.
  rewrite Eq in S1, T1. apply Forall_app in S1 as [S1 _]. rewrite map_app, payloads_app in T1. apply Forall_app in T1
    as [T1 _].
  destruct (entry_bounds_are_the_last n m _ S1 T1) as [B1 _]. rewrite state_snoc in B1.
  rewrite map_app, payloads_app in T1. apply Forall_app in T1 as [_ T1].
  simpl in B1 |- *. unfold entry_step in *. simpl in T1. rewrite app_nil_r in T1.
  assert (St : match payload t with Some p => negb (of_template n p) | None => false end = false).
  { destruct (payload t); auto. apply Forall_inv in T1. rewrite T1. auto. }
  rewrite St in *. simpl in B1 |- *. constructor; [|constructor]. constructor; [|constructor]. rewrite B1.
  apply le_lowest; auto. apply Forall_map, Forall_forall. intros s I.
  transitivity (last_promise (taken s (l1 ++ [(slot, t)]))).
  - assert (Le : forall f : nat -> Z, lowest (map f (seq 0 m)) <= f s).
    { intros f. assert (H : lowest (map f (seq 0 m)) <= lowest (map f (seq 0 m))) by lia.
      apply le_lowest in H; auto. rewrite Forall_forall in H. apply H, in_map. auto. }
    apply (Le (fun s => last_promise (taken s (l1 ++ [(slot, t)])))).
  - apply in_seq in I. destruct (rising_only _ (R s ltac:(lia))) as [N F]. apply last_promise_in; auto.
    rewrite Forall_forall in *. intros u J. apply F. rewrite Eq, taken_app, in_app_iff. auto.
Qed.

(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*, PARTE/PROD* (specification:
   bounds-never-decrease). *)
Theorem no_node_promises_less_than_before : forall reach k widths l, well_formed reach k widths -> is_terminal k =
  false ->
  keeps_promises widths l -> no_strangers k l -> (forall slot, (slot < length widths)%nat -> rising (taken slot l)) ->
  match k with Production _ a _ => never_lowers a | _ => True end -> rising (computed_by k l).
Proof.
  intros reach k widths l W T K St R A. pose proof (a_node_keeps_its_promises reach k widths l W T K) as H.
  destruct K as [Hs Hh]. destruct k as [n m|c|negated minima maxima c|minima maxima c|n c|g a lag|]; simpl in W, T, St;
    try discriminate.
  - destruct W as [Pos ->]. rewrite repeat_length in *. apply entry_rises; auto.
  - subst. unfold computed_by. rewrite (run_answered (alpha_answer c)) by (intros ? ? ?; auto). simpl.
    rewrite one_slot by auto. apply rising_map; auto.
  - destruct W as (-> & N & Sw & _).
    apply (two_sides_rise (TwoInput negated minima maxima c) minima maxima); auto.
    1: left; eauto.
    all: first [apply (Hh 0%nat); reflexivity | apply (Hh 1%nat); reflexivity | apply (R 0%nat); simpl; lia | apply (R
      1%nat); simpl; lia].
  - destruct W as (-> & N & Sw & _).
    apply (two_sides_rise (Collecting minima maxima c) minima maxima); auto.
    1: right; eauto.
    all: first [apply (Hh 0%nat); reflexivity | apply (Hh 1%nat); reflexivity | apply (R 0%nat); simpl; lia | apply (R
      1%nat); simpl; lia].
  - subst. unfold computed_by. rewrite (run_answered (filter_answer c)) by (intros ? ? ?; auto). simpl.
    rewrite one_slot by auto. apply rising_map; auto.
  - destruct W as (w & -> & _ & M & _). unfold computed_by. rewrite (run_answered (production_answer g a)) by (intros ?
    ? ?;
      auto). simpl. rewrite one_slot by auto.
    assert (Wd : forall t, In t (taken 0 l) -> length (bounds t) = w).
    { assert (H0 : honest w (taken 0 l)) by (apply (Hh 0%nat); auto). clear - H0. induction (taken 0 l) as [|t r IH];
        simpl in *; [contradiction|]. intros u [<-|I]; [tauto|]. apply IH; tauto. }
    apply rising_map; [| |apply R; auto].
    + intros t t' I I' B. simpl. constructor; [|constructor]. apply M; auto.
    + intros t I F. simpl. constructor; [|constructor]. apply A. auto.
Qed.

(* The productions of a compiled program are those of its emissions. *)
Definition lowers_nothing (v : vertex) : Prop := match kind_of v with Production _ a _ => never_lowers a | _ => True
  end.
Lemma chain_lowers_nothing : forall kind_of_ entries ls g last, (forall l s, lowers_nothing (Vertex (kind_of_ l) s)) ->
  Forall lowers_nothing g -> Forall lowers_nothing (fst (fold_left (add_two_input kind_of_ entries) ls (g, last))).
Proof.
  intros kind_of_ entries. induction ls as [|l ls IH]; intros g last K F; auto. simpl. apply IH; auto.
  apply Forall_app. split; [apply Forall_app; split; auto|]; constructor; auto. exact I.
Qed.
Lemma rule_lowers_nothing : forall b r, Forall (fun m => never_lowers (at_bounds m)) (emissions r) ->
  Forall lowers_nothing (graph b) -> Forall lowers_nothing (graph (add_rule b r)).
Proof.
  intros b r M F. unfold add_rule. cbv zeta.
  match goal with |- context [add_filter ?h ?w (fold_left ?f ?ss (fold_left ?f' ?ls ?g))] =>
    assert (C : Forall lowers_nothing (fst (fold_left f ss (fold_left f' ls g)))) end.
  { match goal with |- context [fold_left _ _ (fold_left ?f' ?ls ?g)] => assert (C : Forall lowers_nothing (fst
    (fold_left f'
      ls g))) end.
    { apply (chain_lowers_nothing kind_of_link); [intros; exact I|]. apply Forall_app. split; auto. constructor; auto.
      exact I. }
    destruct (fold_left (add_link (entry_of b)) _ _) as [g last]. apply (chain_lowers_nothing kind_of_set); auto.
    intros; exact I. }
  destruct (fold_left (add_set (entry_of b)) _ _) as [g last]. simpl in C.
  assert (Fi : Forall lowers_nothing (fst (add_filter (having r) (width (pattern_of r)) (g, last)))).
  { destruct (having r); simpl; auto. apply Forall_app. split; auto. constructor; auto. exact I. }
  destruct (add_filter _ _ _) as [g' last']. simpl in *. apply Forall_app. split.
  - apply Forall_app. split; auto. constructor; auto. exact I.
  - apply Forall_map. exact M.
Qed.
Lemma compiled_never_lowers : forall qs p, Forall (fun r => Forall (fun m => never_lowers (at_bounds m)) (emissions r))
  (rules_of p) -> Forall lowers_nothing (graph (compile qs p)).
Proof.
  intros qs p. unfold compile, rules_of. assert (F0 : Forall lowers_nothing (graph (Built [] [] [] []))) by constructor.
  revert F0. generalize (Built [] [] [] []). induction p as [|s p IH]; simpl; intros b F M; auto.
  apply Forall_app in M as [M1 M2]. apply IH; auto. unfold add_stratum.
  assert (Fe : Forall lowers_nothing (graph (fold_left (add_entry qs) (templates s) b))).
  { clear - F. revert b F. induction (templates s) as [|t ts IH]; simpl; intros b F; auto. apply IH. simpl.
    apply Forall_app. split; auto. constructor; auto. exact I. }
  clear - Fe M1. revert Fe. generalize (fold_left (add_entry qs) (templates s) b).
  induction M1 as [|r rs M M1 IH]; simpl; intros b' F; auto. apply IH, rule_lowers_nothing; auto.
Qed.

(* ---- A network, and a program ---------------------------------------------------------------------------------- *)

Section Program.
Variables (queues_of : nat -> list nat) (reach : Z) (p : program).
Hypothesis Checked : checked queues_of reach [] [] p.
Hypothesis Never : Forall (fun r => Forall (fun m => never_lowers (at_bounds m)) (emissions r)) (rules_of p).
Let built_ := compile queues_of p.
Let net := graph built_.
Variables (queues : nat -> list token) (stream : list event).
Hypothesis Honest : forall q, honest 1 (queues q).
Hypothesis Typed : forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads (queues q)).
Hypothesis Arrived : forall t, Permutation (of t stream) (sent_from_outside queues_of queues t).
Hypothesis Rise : forall q, rising (queues q).
Variables (limit : nat -> limits) (x : loose).
Hypothesis Run : leads_to net limit (loose_start net queues) x.
Hypothesis Rest : is_at_rest net x.

(* PARTE/PROC, PARTE/PROP (specification: prompt-reports, bounds-never-decrease): where no source and no `at` lowers a
   bound, the machine has reported at rest, at any time, exactly the matches that are decided. *)
Theorem where_no_bound_falls_exactly_the_decided_matches_are_reported :
  Forall2 (fun i r => Permutation (reported (state (plain x) i))
    (filter (decided_now queues_of p queues x r) (evaluate (events_there queues_of p stream x) (pattern_of r))))
  (ends built_) (rules_of p).
Proof.
  pose proof (exactly_what_is_decided_is_reported_at_rest queues_of reach p Checked queues stream Honest Typed Arrived
    limit x
    Run Rest) as Exact.
  destruct (all_accounted net queues limit x Run) as (logs & arrived & X).
  assert (Net : sound_network net reach) by (apply a_checked_program_compiles_to_a_sound_network; auto).
  assert (Own : own_templates net queues) by (eapply own_templates_kept; eauto).
  destruct (everything_has_its_place queues_of reach p Checked) as (known & P).
  assert (Prod : forall i v g a lag, nth_error net i = Some v -> kind_of v = Production g a lag -> never_lowers a).
  { intros i v g a lag V K. pose proof (compiled_never_lowers queues_of p Never) as F. rewrite Forall_forall in F.
    specialize (F v (nth_error_In _ _ V)). unfold lowers_nothing in F. rewrite K in F. exact F. }
  assert (Rises : forall i v, nth_error net i = Some v -> decides net i -> is_terminal (kind_of v) = false ->
    rising (sent x i)).
  { intros i. induction i as [i IH] using lt_wf_ind. intros v V D T.
    destruct (loose_promises_kept net queues reach Net Honest x logs arrived X i v V) as [K _].
    destruct Rest as [R _]. pose proof (no_strangers_taken net queues reach Net Honest Own x logs arrived X R i v V) as
      Ns.
    assert (C : rising (computed_by (kind_of v) (logs i))).
    { apply (no_node_promises_less_than_before reach _ (widths net v)); auto.
      - apply (its_kind _ _ i v (Net i v V)).
      - intros slot L. unfold widths in L. rewrite map_length in L.
        destruct (nth_error (sources v) slot) as [s|] eqn:S; [|apply nth_error_None in S; lia].
        eapply rising_thinned; [eapply (taken_here net queues x logs arrived X Rest i v slot s V S)|].
        destruct s as [q|j]; [apply Rise|]. simpl.
        destruct (its_sources _ _ i v (Net i v V) j) as (Lt & u & U & Nt); [eapply nth_error_In; eauto|].
        apply (IH j Lt u U); auto. eapply Decides_further; eauto. eapply nth_error_In; eauto.
      - destruct (kind_of v) eqn:Kv; auto. eapply Prod; eauto. }
    pose proof (computed_here net reach queues x Net Honest logs arrived X i v V T) as Below.
    pose proof (sent_as_known net queues x logs arrived X Rest i v V D) as L.
    unfold rising in *. rewrite L. destruct (last_bounds (computed_by _ _)) as [b|]; auto. destruct C as [C N].
    split; auto. rewrite Forall_forall in *. intros t I. destruct (Below t I) as (t' & I' & B).
    eapply below_trans; [exact B|apply C; auto]. }
  assert (Steady_from : forall e n ss, nth_error net e = Some (Vertex (Entry n (length ss)) ss) -> decides net e ->
    Forall (steady queues x) ss).
  { intros e n ss V D. apply Forall_forall. intros s I. unfold steady, promised. destruct s as [q|j]; simpl.
    - apply rising_only. auto.
    - destruct (its_sources _ _ e _ (Net e _ V) j I) as (_ & u & U & Nt).
      apply rising_only, (Rises j u U); auto. eapply Decides_further; eauto. }
  assert (Chain : forall kind from_ ls last, chain_place kind net (entry_of built_) from_ ls last ->
    forall l, In l ls -> holds_back (kind l) = true -> decides net (found (its_template l) (entry_of built_))).
  { intros kind from_ ls last C. induction C as [|from_ a j l ls last A J C IH]; intros l' I H; [contradiction|].
    destruct I as [<-|I]; [|auto]. eapply Decides_further; [exact (Decides_there net j _ a J H eq_refl)|exact A|simpl;
      auto]. }
  pose proof (p_rules _ _ _ _ P) as Ru. fold built_ in Ru, Exact. fold net in Ru. revert Exact Ru.
  generalize (ends built_), (rules_of p). intros is0 rs0 Exact. induction Exact as [|i r is rs Ex Exact IH]; intros Ru;
    inversion Ru as [|? ? ? ? (Us & f & k & c & last & Pl) Ru']; subst; constructor; auto.
  apply Ex. unfold steady_now. apply Forall_forall. intros l I.
  assert (D : decides net (found (its_template l) (entry_of built_)) /\ In (its_template l) known).
  { apply in_app_iff in I as [I|I].
    - apply filter_In in I as [I Ng]. split.
      + eapply Chain; [exact (link_places _ _ _ _ _ _ _ _ Pl)|exact I|]. unfold kind_of_link. simpl. rewrite Ng. auto.
      + apply Us. simpl. right. apply in_map, in_app_iff. auto.
    - split.
      + eapply Chain; [exact (set_places _ _ _ _ _ _ _ _ Pl)|exact I|auto].
      + apply Us. simpl. right. apply in_map, in_app_iff. auto. }
  destruct D as [D Kn]. eapply Steady_from; [exact (p_entries _ _ _ _ P _ Kn)|exact D].
Qed.
End Program.
End Steady.
