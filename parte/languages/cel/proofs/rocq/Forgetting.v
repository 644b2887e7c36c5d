(* What no window reaches any more may be forgotten (`Tecs.forget` of semantics/tecs.py; T has no such step): the same
   is printed, in the same number of steps. *)
From Cel Require Export Results.

Section Forgetting.
Context {Label : Type}.
Notation node := (node Label).

(* `Tecs.forget`: a node whose greatest start is less than `from` leads nowhere any more. Of such a node an enumeration
   may read its greatest start alone; a bottom with this start takes its place here. *)
Fixpoint forget (from : Z) (n : node) : node :=
  match n with
  | Bottom p s => Bottom p s
  | Output p l m g => if g <? from then Bottom p g else Output p l (forget from m) g
  | Union l r g d => if g <? from then Bottom 0 g else Union (forget from l) (forget from r) g d
  end.

Variables (from least : Z).
Hypothesis Earlier : from <= least.

Lemma forget_greatest : forall n, greatest (forget from n) = greatest n.
Proof. destruct n; simpl; auto; destruct (_ <? from); auto. Qed.

Lemma forget_ordered : forall n, time_ordered n -> time_ordered (forget from n).
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; simpl; auto; destruct (g <? from); simpl; auto;
    rewrite ?forget_greatest; tauto.
Qed.

Lemma forget_counted : forall n, counted least (forget from n) = counted least n.
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; simpl; auto; destruct (g <? from) eqn:C; simpl;
    try apply Z.ltb_lt in C; destruct (g <? least) eqn:D; auto; apply Z.ltb_ge in D; lia.
Qed.

Lemma forget_prints : forall n visits marks want, time_ordered n -> admitted least want n ->
  prints least visits marks want (forget from n) = prints least visits marks want n.
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; intros visits marks want T A; auto; pose proof (proj1 A) as G;
    simpl in G; simpl forget; destruct (g <? from) eqn:C; try (apply Z.ltb_lt in C; lia).
  - destruct T as [-> T]. simpl. apply IH; auto. destruct A as [_ W]. split; auto.
    destruct want as [[s c]|]; auto. simpl in W. destruct (_ <? least); auto. lia.
  - pose proof (sides_of_a_union least l r g d marks want T A) as Si. destruct T as (-> & _ & Tl & Tr).
    cbn [prints]. unfold enum_union, reaches in *. rewrite forget_greatest, !forget_counted.
    destruct want as [[s c]|].
    + destruct (divided s c _ _) as [here there]. unfold if_some in *.
      destruct (0 <? snd here)%nat, (0 <? snd there)%nat; inversion Si; subst; cbn [wanted];
        rewrite ?IHl, ?IHr; auto.
    + destruct (least <=? greatest r); inversion Si; subst; cbn [wanted]; rewrite ?IHl, ?IHr; auto; split; auto.
Qed.

(* CORE/FORGET, CORE/ENUM-BOTTOM, CORE/ENUM-OUTPUT, CORE/ENUM-UNION: for all events and for a share, in each window that
   does not begin before the one by which nodes were forgotten. *)
Theorem what_no_window_reaches_may_be_forgotten : forall n (want : option (nat * nat)), time_ordered n ->
  match want with None => True | Some (s, c) => (s < counted least n)%nat /\ (1 <= c)%nat end ->
  enumerate_paths least (forget from n) want = enumerate_paths least n want.
Proof.
  intros n want T W. destruct (Z.le_gt_cases least (greatest n)) as [Le|Gt].
  - rewrite !a_place_is_admitted_or_nothing_is_printed; rewrite ?forget_greatest, ?forget_counted;
      auto using forget_ordered. rewrite forget_prints; auto. split; auto.
  - unfold enumerate_paths. rewrite forget_greatest. apply Z.ltb_lt in Gt. rewrite Gt. reflexivity.
Qed.

End Forgetting.
