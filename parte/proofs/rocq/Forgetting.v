(* A window without a beginning has all of the past in it. Of the events that a not-node stores for such a window, one
   may stand for all later ones with its keys: what the node sends stays the same
   (semantics/partelang/pasts.py; specification: windows-endless). *)
From Parte Require Export NodesCorrect.

Section Forgetting.
Context {E : Events}.
Variables (minima maxima : list Z) (condition : partial -> bool).
Notation not_node := (TwoInput true minima maxima condition).
Notation step := (two_input_step true minima maxima condition).
Notation meets_one d p := (existsb (fun q => matches minima maxima condition p q) (right d)).

(* An event that is no later, and meets the condition where the other does, as one with the same keys. *)
Definition stands_for (r q : partial) : Prop :=
  moment r <= moment q /\ forall p, condition (p ++ q) = true -> condition (p ++ r) = true.
Definition forgets (stored fewer : list partial) : Prop :=
  incl fewer stored /\ forall q, In q stored -> exists r, In r fewer /\ stands_for r q.
Definition with_right (d : data) (stored : list partial) : data :=
  Data (left_bounds d) (right_bound d) (left d) stored (reported d).
(* After each step it may forget any events for which others stand. *)
Inductive runs_and_forgets : data -> log -> data -> list token -> Prop :=
| Nothing_left d : runs_and_forgets d [] d []
| Next d slot t l fewer after sent :
    forgets (right (fst (step d slot t))) fewer ->
    runs_and_forgets (with_right (fst (step d slot t)) fewer) l after sent ->
    runs_and_forgets d ((slot, t) :: l) after (snd (step d slot t) ++ sent).

(* All but the right events, which are as good for those that still come from the left. *)
Definition as_good (d d' : data) (l : log) : Prop :=
  left_bounds d = left_bounds d' /\ right_bound d = right_bound d' /\ left d = left d'
  /\ forall p, In p (inputs l 0) -> meets_one d p = meets_one d' p.

Lemma forgetting_is_as_good : forall d fewer p, forgets (right d) fewer ->
  (forall q, opens minima p <= moment q) -> meets_one (with_right d fewer) p = meets_one d p.
Proof.
  intros d fewer p [I S] Endless. apply eq_true_iff_eq. rewrite !existsb_exists. simpl.
  split; intros (q & J & M); eauto.
  destruct (S q J) as (r & K & Le & C). exists r. split; auto. unfold matches, in_window in *.
  apply andb_true_iff in M as [M M']. apply andb_true_iff in M as [_ M]. apply Z.leb_le in M.
  rewrite (C _ M'), andb_true_r. apply andb_true_iff. split; apply Z.leb_le; [apply Endless|lia].
Qed.

Hypothesis some_left : minima <> [].
Lemma what_has_expired_is_met_by_none : forall b l p, length b = length minima -> kept_by b p ->
  existsb (fun q => matches minima maxima condition p q) (expire_right minima b l)
  = existsb (fun q => matches minima maxima condition p q) l.
Proof.
  intros b l p L K. unfold expire_right. induction l as [|q l IH]; simpl; auto.
  destruct (live_right minima b q) eqn:V; simpl; rewrite IH; auto.
  replace (matches minima maxima condition p q) with false; auto. symmetry. unfold matches.
  apply andb_false_iff. left. unfold in_window. apply andb_false_iff. left. apply Z.leb_gt.
  unfold live_right, is_stale in V. apply negb_false_iff, Z.ltb_lt in V.
  pose proof (expiration_before_lifetime b (times p) minima some_left L K). unfold opens. lia.
Qed.

Lemma a_step_is_as_good : forall d d' slot t l, (slot < 2)%nat -> as_good d d' ((slot, t) :: l) ->
  honest (length minima) (taken 0 ((slot, t) :: l)) ->
  snd (step d slot t) = snd (step d' slot t) /\ as_good (fst (step d slot t)) (fst (step d' slot t)) l.
Proof.
  intros d d' slot t l Hs (B & R & L & M) H. destruct slot as [|[|?]]; [| |lia].
  - unfold two_input_step. simpl two_input_change. unfold inputs in M.
    change (taken 0 ((0%nat, t) :: l)) with (t :: taken 0 l) in *. unfold payloads in M. simpl in M.
    destruct H as (W & _ & K & _). rewrite Forall_forall in K.
    assert (Later : forall p, In p (inputs l 0) ->
      existsb (fun q => matches minima maxima condition p q) (expire_right minima (bounds t) (right d))
      = existsb (fun q => matches minima maxima condition p q) (expire_right minima (bounds t) (right d'))).
    { intros p I. rewrite !what_has_expired_is_met_by_none by auto. apply M, in_app_iff. auto. }
    unfold not_left. destruct (payload t) as [p|] eqn:P.
    + assert (Mp : meets_one d p = meets_one d' p) by (apply M; simpl; auto).
      assert (Some_of : forall l, match matching_right minima maxima condition l p with [] => false | _ => true end
        = existsb (fun q => matches minima maxima condition p q) l).
      { unfold matching_right. induction l0 as [|q l0 IH]; simpl; auto.
        destruct (matches minima maxima condition p q); auto. }
      rewrite <- !Some_of in Mp. rewrite <- R, <- L.
      destruct (matching_right minima maxima condition (right d) p),
        (matching_right minima maxima condition (right d') p); try discriminate Mp;
        [destruct (live_left minima maxima (right_bound d) p)|]; (split; [reflexivity|]); repeat split; simpl; auto.
    + rewrite <- R, <- L. split; [reflexivity|]. repeat split; simpl; auto.
  - unfold two_input_step. simpl two_input_change.
    change (taken 0 ((1%nat, t) :: l)) with (taken 0 l) in *.
    change (inputs ((1%nat, t) :: l) 0) with (inputs l 0) in M.
    unfold not_right. cbv zeta. rewrite <- B, <- L. split; [reflexivity|]. repeat split; simpl; auto.
    intros p I. destruct (payload t) as [q|]; auto. destruct (live_right minima (left_bounds d) q); auto.
    rewrite !existsb_app. f_equal. auto.
Qed.

(* PARTE/NOT-LEFT-MATCH, PARTE/NOT-LEFT-NOMATCH, PARTE/NOT-RIGHT (specification: windows-endless): whatever a not-node
   with such a window forgets, it sends the same tokens, and has the same bounds and the same left partial matches. *)
Theorem a_not_node_may_forget_all_but_the_earliest : forall l d sent, Forall (fun x => fst x < 2)%nat l ->
  honest (length minima) (taken 0 l) -> (forall p q, In p (inputs l 0) -> opens minima p <= moment q) ->
  runs_and_forgets (initial not_node) l d sent ->
  let '(d', sent') := run not_node (initial not_node) l in
  sent = sent' /\ left_bounds d = left_bounds d' /\ right_bound d = right_bound d' /\ left d = left d'.
Proof.
  assert (Go : forall l d d0 after sent, Forall (fun x => fst x < 2)%nat l -> honest (length minima) (taken 0 l) ->
    (forall p q, In p (inputs l 0) -> opens minima p <= moment q) ->
    as_good d d0 l -> runs_and_forgets d l after sent ->
    let '(d', sent') := run not_node d0 l in
    sent = sent' /\ left_bounds after = left_bounds d' /\ right_bound after = right_bound d' /\ left after = left d').
  { intros l d d0 after sent Hs H Endless G R. revert d0 Hs H Endless G.
    induction R as [d|d slot t l fewer after sent F R IH]; intros d0 Hs H Endless G.
    - destruct G as (B & Rb & L & _). simpl. auto.
    - inversion Hs as [|? ? Hslot Hl]; subst. simpl in Hslot.
      destruct (a_step_is_as_good d d0 slot t l Hslot G H) as [O G'].
      assert (Endless' : forall p q, In p (inputs l 0) -> opens minima p <= moment q).
      { intros p q I. apply Endless. unfold inputs, taken. simpl. destruct (Nat.eqb slot 0); auto.
        unfold payloads. simpl. apply in_app_iff. auto. }
      assert (H' : honest (length minima) (taken 0 l)).
      { unfold taken in H. simpl in H. destruct (Nat.eqb slot 0); auto. simpl in H. tauto. }
      assert (G2 : as_good (with_right (fst (step d slot t)) fewer) (fst (step d0 slot t)) l).
      { destruct G' as (B & Rb & L & M). split; [auto|split; [auto|split; [auto|]]]. intros p I.
        etransitivity; [|apply M; auto].
        apply forgetting_is_as_good; auto. }
      specialize (IH (fst (step d0 slot t)) Hl H' Endless' G2). simpl. destruct (step d0 slot t) as [d1 o1] eqn:S.
      simpl in *. destruct (run not_node d1 l) as [d2 o2]. destruct IH as (Eq & IH).
      split; [congruence|auto]. }
  intros l d sent Hs H Endless R. apply (Go l (initial not_node) (initial not_node) d sent); auto. repeat split; auto.
Qed.

(* Specification: windows-ever. Such a window it is whose beginning is as far away as two timestamps can be. *)
Lemma a_window_without_a_beginning_is_endless : forall p q, length p = length minima -> length q = 1%nat ->
  Forall (fun m => m <= - (2 * horizon)) minima -> opens minima p <= moment q.
Proof.
  intros p q Lp Lq F. unfold opens, lifetime_opens. apply highest_le.
  - apply adds_nonempty; [rewrite times_length; auto|]. destruct p, minima; simpl in *; try discriminate; congruence.
  - assert (Q : - horizon <= moment q).
    { destruct q as [|e [|? ?]]; try discriminate. unfold moment. simpl. pose proof (within_horizon e). lia. }
    pose proof (adds_le (times p) minima horizon (- (2 * horizon))) as A. rewrite times_length in A.
    specialize (A Lp (times_bounded p) F). eapply Forall_impl; [|exact A]. cbv beta. intros. lia.
Qed.

End Forgetting.
