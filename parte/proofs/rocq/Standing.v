(* What of a node of two inputs is always known: its bounds lag by a known time, and its left entries are live
   (docs/bounds.md, "Lag"; specification: propagated-bounds, retention-left). *)
From Parte Require Export Flows.

Section Standing.
Context {E : Events}.

Lemma behind_joined : forall m m' lag ls maxima lb, m <= m' -> length ls = length maxima -> below (behind m' ls) lb ->
  below (behind m (stored_lags ls lag maxima)) lb.
Proof.
  intros m m' lag. unfold stored_lags. induction ls as [|x ls IH]; intros [|y maxima] lb Le L B; simpl in *;
    try discriminate; auto. inversion B; subst. constructor; [lia|]. apply IH; auto.
Qed.
Lemma behind_live : forall m lag ls maxima ts, length ls = length maxima -> length ts = length maxima ->
  Forall (fun y => m - lag <= y) (adds ts maxima) -> below (behind m (stored_lags ls lag maxima)) ts.
Proof.
  intros m lag. unfold adds, stored_lags. induction ls as [|x ls IH]; intros [|y maxima] [|t ts] L L' F; simpl in *;
    try discriminate; [constructor|]. inversion F; subst. constructor; [lia|]. apply IH; auto.
Qed.
Lemma behind_less : forall m m' ls, m <= m' -> below (behind m ls) (behind m' ls).
Proof. intros m m' ls L. unfold behind. induction ls; simpl; constructor; auto. lia. Qed.
Lemma behind_infinity : forall m ls, m <= infinity -> Forall (fun x => 0 <= x) ls ->
  Forall (fun y => y <= infinity) (behind m ls).
Proof. intros m ls L F. unfold behind. apply Forall_map. eapply Forall_impl; [|exact F]. simpl. intros. lia. Qed.
Lemma behind_expired : forall m ls minima lb, length ls = length minima -> minima <> [] -> below (behind m ls) lb ->
  m - lowest (pairwise Z.sub ls minima) <= expiration_time lb minima.
Proof.
  intros m ls minima lb L N B. unfold expiration_time.
  assert (Lb : length lb = length minima) by (rewrite <- (below_length _ _ B); unfold behind; rewrite map_length;
    auto).
  assert (Nb : adds lb minima <> []) by (apply adds_nonempty; auto; destruct lb, minima; easy).
  pose proof (proj1 (highest_le _ _ Nb) (Z.le_refl _)) as F. set (h := highest (adds lb minima)) in *.
  assert (G : Forall (fun y => m - h <= y) (pairwise Z.sub ls minima)).
  { clear N Nb. unfold adds in F. clearbody h. revert minima lb L Lb B F.
    induction ls as [|x ls IH]; intros [|y minima] [|b lb] L Lb B F; simpl in *; try discriminate; [constructor|].
    inversion B; inversion F; subst. constructor; [lia|]. apply (IH minima lb); auto. }
  apply le_lowest in G; [lia|]. destruct ls, minima; simpl in *; easy.
Qed.


(* What of a two-sided node is known, whatever it does with its partial matches: how late its bounds and its entries
   are. *)
Record standing (minima maxima ls : list Z) (lag m0 m1 : Z) (d : data) : Prop := Standing {
  left_lags : below (behind m0 ls) (left_bounds d);
  right_lag : m1 - lag <= right_bound d;
  left_width : Forall (fun p => length p = length minima) (left d);
  right_width : Forall (fun q => length q = 1%nat) (right d);
  left_live : Forall (fun p => opens minima p <= closes maxima p /\ right_bound d <= closes maxima p) (left d) }.

Lemma a_left_side_lags : forall minima maxima ls lag m0 m1 m d, standing minima maxima ls lag m0 m1 d ->
  minima <> [] -> length maxima = length minima -> length ls = length minima -> Forall (fun x => 0 <= x) ls ->
  m <= m0 -> m <= m1 -> m <= infinity -> below (behind m (stored_lags ls lag maxima)) (left_bounds_after d).
Proof.
  intros minima maxima ls lag m0 m1 m d S N Sw Ll Nn L0 L1 Fin. unfold left_bounds_after. apply below_capped.
  - apply behind_infinity; auto. apply stored_lags_nonnegative. auto.
  - apply below_lowered; [eapply behind_joined; [exact L0|lia|apply S]|].
    pose proof (left_width _ _ _ _ _ _ _ S) as W. pose proof (left_live _ _ _ _ _ _ _ S) as Lv.
    pose proof (right_lag _ _ _ _ _ _ _ S) as Rl.
    rewrite Forall_forall in *. intros p I. specialize (W p I). destruct (Lv p I) as [_ Cl].
    apply behind_live; [lia|rewrite times_length; lia|].
    apply le_lowest; [|unfold closes, lifetime_closes in Cl; lia].
    apply adds_nonempty; [rewrite times_length; lia|]. destruct p, minima; easy.
Qed.
Lemma a_right_side_lags : forall minima maxima ls lag m0 m1 m d, standing minima maxima ls lag m0 m1 d ->
  minima <> [] -> length ls = length minima -> 0 <= lag -> m <= m0 -> m <= m1 -> m <= infinity ->
  Forall (fun q => expiration_time (left_bounds d) minima <= moment q) (right d) ->
  below (behind m [Z.max lag (lowest (pairwise Z.sub ls minima))]) (capped (lowered [right_bound d] (right d))).
Proof.
  intros minima maxima ls lag m0 m1 m d S N Ll Nn L0 L1 Fin Lr. pose proof (right_lag _ _ _ _ _ _ _ S) as Rl.
  apply below_capped; [repeat constructor; lia|]. apply below_lowered; [repeat constructor; simpl; lia|].
  pose proof (right_width _ _ _ _ _ _ _ S) as W. rewrite Forall_forall in *. intros q I. specialize (W q I).
  specialize (Lr q I). pose proof (behind_expired _ _ _ _ Ll N (left_lags _ _ _ _ _ _ _ S)) as Ex.
  destruct q as [|e [|? ?]]; try discriminate. unfold moment in Lr. simpl in Lr. unfold kept_by. simpl.
  repeat constructor. lia.
Qed.
Lemma a_step_lags : forall results b m0 m1 ls, m0 <= m1 -> below (behind m1 ls) b ->
  Forall (kept_by (behind m0 ls)) results ->
  Forall (fun x : marked => below (behind (snd x) ls) (bounds (fst x))) (marks m0 m1 (as_tokens results b)).
Proof.
  intros results b m0 m1 ls Mono After Kept.
  pose proof (below_trans _ _ _ (behind_less m0 m1 ls Mono) After) as Less.
  destruct results as [|r results]; [simpl; constructor; [exact After|constructor]|].
  unfold as_tokens. revert r Kept. induction results as [|r' results IH]; intros r Kept.
  - simpl. constructor; [exact After|constructor].
  - change (in_sequence (r :: r' :: results) b) with
      (Token (lowered b (r' :: results)) (Some r) :: in_sequence (r' :: results) b).
    inversion Kept as [|? ? K1 K2]; subst. constructor.
    + cbn [fst snd bounds]. apply below_lowered; auto.
    + apply IH. auto.
Qed.

(* ---- Nodes that send one token for each ---------------------------------------------------------------------------
  *)

Definition relays (f : token -> token) (k : kind) (l : log) : Prop := forall a s t b, l = a ++ (s, t) :: b ->
  s = 0%nat /\ snd (activate k (state_after k a) s t) = [f t].
Definition passed_on (f : token -> token) (l : list marked) : list marked := map (fun x => (f (fst x), snd x)) l.
Lemma what_is_relayed : forall f k l, relays f k (bare l) -> marked_output k 1 l = passed_on f (of_slot 0 l).
Proof.
  intros f k l. induction l as [|[s [t g]] l IH] using rev_ind; intros A; auto.
  destruct (A (bare l) s t []) as [-> Ac]; [rewrite bare_app; auto|].
  eapply eq_trans; [apply marked_output_snoc|]. rewrite Ac, IH.
  - rewrite of_slot_snoc. simpl Nat.eqb. cbv iota. unfold passed_on. rewrite map_app. simpl. repeat f_equal.
    unfold seen_by_all. simpl. unfold seen. rewrite of_slot_snoc. apply (last_mark_snoc (of_slot 0 l) (t, g)).
  - intros a s t' b Q. apply (A a s t' (b ++ [(0%nat, t)])). rewrite bare_app, Q, <- app_assoc. auto.
Qed.
Lemma last_passed_on : forall f l, last_mark (passed_on f l) = last_mark l.
Proof. intros. unfold last_mark, passed_on. rewrite map_map. auto. Qed.
Lemma parts_passed_on : forall f l T0 T1 R, passed_on f l = T0 ++ T1 ++ R -> exists A0 A1 A2, l = A0 ++ A1 ++ A2 /\
  T0 = passed_on f A0 /\ T1 = passed_on f A1 /\ length A1 = length T1 /\ last_mark A0 = last_mark T0.
Proof.
  intros f l T0 T1 R Eq. unfold passed_on in Eq. apply map_eq_app in Eq as (A0 & B & -> & E0 & Eq).
  apply map_eq_app in Eq as (A1 & A2 & -> & E1 & _). exists A0, A1, A2. rewrite <- E0, <- E1. repeat split; auto.
  - rewrite map_length. auto.
  - symmetry. apply last_passed_on.
Qed.

(* ---- Two-sided nodes ----------------------------------------------------------------------------------------------
  *)

Definition keeps_only_live (k : kind) (minima maxima : list Z) (d : data) : Prop :=
  match k with
  | Collecting _ _ own => only_needed minima maxima own d
  | _ => only_live minima maxima d
  end.
Lemma ready_after : forall k minima maxima, two_sided k minima maxima -> length maxima = length minima ->
  forall a b d, ready minima d (a ++ b) -> stored_widths minima d -> keeps_only_live k minima maxima d ->
  let d' := fst (run k d a) in ready minima d' b /\ stored_widths minima d' /\ keeps_only_live k minima maxima d'.
Proof.
  intros k minima maxima Two Sw. induction a as [|[s t] a IH]; intros b d R W L; [simpl; auto|].
  assert (Hs : (s < 2)%nat) by (destruct (two_slots minima maxima Sw _ _ _ _ R); lia).
  simpl in R. assert (N : let d1 := fst (activate k d s t) in ready minima d1 (a ++ b) /\ stored_widths minima d1 /\
    keeps_only_live k minima maxima d1).
  { destruct Two as [(negated & own & ->)|(own & ->)]; simpl activate.
    - pose proof (ready_next minima maxima own Sw negated d s t (a ++ b) R) as R'.
      pose proof (widths_next minima maxima own Sw negated d s t (a ++ b) R W) as W'.
      pose proof (only_live_next minima maxima own Sw negated d s t Hs L) as L'. unfold two_input_step.
      destruct (two_input_change negated minima maxima own d s t). auto.
    - pose proof (collect_ready_next minima maxima own Sw d s t (a ++ b) R) as R'.
      pose proof (collect_widths_next minima maxima own Sw d s t (a ++ b) R W) as W'.
      pose proof (only_needed_next minima maxima own Sw d s t Hs L) as L'. unfold collect_step.
      destruct (collect_change minima maxima own d s t). auto. }
  destruct N as (R1 & W1 & L1). specialize (IH b _ R1 W1 L1). cbn [run].
  destruct (activate k d s t) as [d1 o]. simpl in IH. destruct (run k d1 a) as [d2 o']. exact IH.
Qed.
Lemma a_left_is_live : forall k minima maxima d, two_sided k minima maxima -> keeps_only_live k minima maxima d ->
  Forall (fun p => opens minima p <= closes maxima p /\ right_bound d <= closes maxima p) (left d).
Proof.
  intros k minima maxima d Two L.
  assert (F : Forall (fun p => live_left minima maxima (right_bound d) p = true) (left d)).
  { destruct Two as [(negated & own & ->)|(own & ->)]; apply L. }
  eapply Forall_impl; [|exact F]. intros p H. unfold live_left, may_be_met, is_stale in H.
  apply andb_true_iff in H as [H H']. apply Z.leb_le in H. apply negb_true_iff, Z.ltb_ge in H'. auto.
Qed.
End Standing.
