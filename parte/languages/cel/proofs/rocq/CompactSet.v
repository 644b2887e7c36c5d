(* The timed enumerable compact set of CORE (T §5.1; semantics/tecs.py): nodes, the open complex events that they stand
   for, T's conditions on nodes, and the operations that create nodes.

   A node of Python is an object in an acyclic graph. Here it is the tree that unfolds from it: objects do not change,
   so an operation and an enumeration see no more of a node than this tree. *)
From Coq Require Export List ZArith Lia Bool Permutation Sorted.
From Coq Require Import PeanoNat.
Export ListNotations.
Open Scope Z_scope.

Section CompactSet.
Context {Label : Type}.

(* `Bottom`, `Output` and `Union`. `start` and `greatest` are the attribute `greatest`, in the unit of the window; only
   a union stores its depth, for Python has 0 for the others. *)
Inductive node : Type :=
| Bottom (position start : Z)
| Output (position : Z) (label : Label) (next : node) (greatest : Z)
| Union (left right : node) (greatest : Z) (depth : nat).

Definition greatest n := match n with Bottom _ g | Output _ _ _ g | Union _ _ g _ => g end.
Definition depth n := match n with Union _ _ _ d => d | _ => 0%nat end.
Definition is_union n := match n with Union _ _ _ _ => true | _ => false end.

(* An open complex event: `Found` of enumeration.py. The marks are in the order of the path from its bottom. *)
Record found := Found { begins : Z; marks : list (Z * Label) }.
Definition positions f := map fst (marks f).
Definition marked p l f := Found (begins f) (marks f ++ [(p, l)]).

(* T's ⟦n⟧: the event of each full path, with the start of its bottom in the unit of the window. *)
Fixpoint denoted n : list (Z * found) :=
  match n with
  | Bottom p s => [(s, Found p [])]
  | Output p l m _ => map (fun e => (fst e, marked p l (snd e))) (denoted m)
  | Union l r _ _ => denoted l ++ denoted r
  end.
(* ⟦n⟧ within a window: the events that start at `least` or later. *)
Definition reached (least : Z) (e : Z * found) := least <=? fst e.
Definition within least n := map snd (filter (reached least) (denoted n)).

(* --- T's conditions ----------------------------------------------------------------------------------------------- *)

(* Every node stores its greatest start, and that of a left node is not less than that of the right one. *)
Fixpoint time_ordered n : Prop :=
  match n with
  | Bottom _ _ => True
  | Output _ _ m g => g = greatest m /\ time_ordered m
  | Union l r g _ => g = greatest l /\ greatest r <= greatest l /\ time_ordered l /\ time_ordered r
  end.

(* Every union stores its depth, which is at most k. *)
Fixpoint bounded k n : Prop :=
  match n with
  | Bottom _ _ => True
  | Output _ _ m _ => bounded k m
  | Union l r _ d => d = S (depth l) /\ (d <= k)%nat /\ bounded k l /\ bounded k r
  end.

(* `safe`. *)
Definition safe n := match n with Union _ r _ d => (d =? 1)%nat && (depth r <=? 2)%nat | _ => true end.

(* Two events are one to T if their starts are equal and their sets of positions. Of a node that is duplicate-free no
   two full paths stand for one event. *)
Definition distinct f g := ~ (begins f = begins g /\ forall p, In p (positions f) <-> In p (positions g)).
Definition duplicate_free n := ForallOrdPairs distinct (map snd (denoted n)).

(* T does not state this: the positions on a path rise, from its start on. *)
Definition rising (e : Z * found) :=
  StronglySorted Z.lt (positions (snd e)) /\ Forall (Z.le (begins (snd e))) (positions (snd e)).
Definition precedes p (e : Z * found) := begins (snd e) <= p /\ Forall (fun q => q < p) (positions (snd e)).

Definition sound n := time_ordered n /\ bounded 3 n /\ Forall rising (denoted n).

(* --- The operations ----------------------------------------------------------------------------------------------- *)

(* CORE/TECS-BOTTOM: `new_bottom`. *)
Definition new_bottom position start := Bottom position start.
(* CORE/TECS-EXTEND: `extend`. *)
Definition extend n position label := Output position label n (greatest n).
(* `joined`. *)
Definition joined l r := Union l r (greatest l) (S (depth l)).
(* `in_order`. *)
Definition in_order l r := if greatest r <=? greatest l then (l, r) else (r, l).
(* CORE/TECS-UNION: `union`. *)
Definition union l r :=
  match l, r with
  | Union a b _ _, Union c d _ _ => let (first, second) := in_order b d in joined a (joined c (joined first second))
  | Union _ _ _ _, _ => joined r l
  | _, _ => joined l r
  end.

(* CORE/TECS-BOTTOM, CORE/TECS-EXTEND, CORE/TECS-UNION: the stored number is T's max(n), the greatest of the starts. *)
Theorem the_greatest_start_is_that_of_a_path : forall n, time_ordered n ->
  In (greatest n) (map fst (denoted n)) /\ Forall (fun e => fst e <= greatest n) (denoted n).
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; simpl.
  - auto with zarith.
  - intros [-> T]. destruct (IH T) as [I F]. rewrite map_map. simpl. split; auto.
    apply Forall_map. exact F.
  - intros (-> & Le & Tl & Tr). destruct (IHl Tl) as [I F], (IHr Tr) as [_ F']. split.
    + rewrite map_app. apply in_or_app. auto.
    + apply Forall_app. split; auto. eapply Forall_impl; [|exact F']. simpl. lia.
Qed.

Lemma rising_app : forall l r, Forall rising (denoted l) -> Forall rising (denoted r) ->
  Forall rising (denoted l ++ denoted r).
Proof. intros. apply Forall_app. auto. Qed.

(* CORE/TECS-UNION: what `joined` adds in front of a node, as T's figures 5.1 and 5.2 draw it. *)
Lemma joined_is_sound : forall l r, sound l -> sound r -> greatest r <= greatest l -> (depth l <= 2)%nat ->
  sound (joined l r).
Proof.
  intros l r (Tl & Bl & Rl) (Tr & Br & Rr) Le D. unfold joined. repeat split; simpl; auto; [lia|].
  apply rising_app; auto.
Qed.

Lemma parts_of_a_sound_union : forall l r g d, sound (Union l r g d) ->
  sound l /\ sound r /\ g = greatest l /\ greatest r <= greatest l /\ d = S (depth l) /\ (d <= 3)%nat.
Proof.
  intros l r g d (T & B & R). simpl in *. destruct T as (-> & Le & Tl & Tr), B as (-> & Lt & Bl & Br).
  apply Forall_app in R as [Rl Rr]. unfold sound. tauto.
Qed.

(* CORE/TECS-BOTTOM. *)
Theorem a_bottom_is_one_event_without_marks : forall position start,
  sound (new_bottom position start) /\ safe (new_bottom position start) = true
  /\ denoted (new_bottom position start) = [(start, Found position [])].
Proof. intros. unfold sound, rising. simpl. repeat split; auto; repeat constructor. Qed.

Lemma rising_marks : forall p l e, rising e -> precedes p e -> rising (fst e, marked p l (snd e)).
Proof.
  intros p l e [S F] [B L]. unfold rising, precedes, positions in *. simpl. rewrite map_app. simpl. split.
  - induction (map fst (marks (snd e))) as [|q qs IH]; simpl; [repeat constructor|].
    inversion_clear S. inversion_clear F. inversion_clear L. constructor; [auto|].
    apply Forall_app. split; auto.
  - apply Forall_app. auto.
Qed.

(* CORE/TECS-EXTEND: by an event that is later than the marks of a node, and not before its starts. *)
Theorem an_extended_node_has_one_mark_more : forall n position label, sound n ->
  Forall (precedes position) (denoted n) ->
  sound (extend n position label) /\ safe (extend n position label) = true
  /\ denoted (extend n position label) = map (fun e => (fst e, marked position label (snd e))) (denoted n).
Proof.
  intros n p l (T & B & R) F. unfold sound. simpl. repeat split; auto. apply Forall_map.
  rewrite Forall_forall in *. intros e I. apply rising_marks; auto.
Qed.

(* CORE/TECS-UNION: of two safe nodes with one greatest start. *)
Theorem the_union_of_safe_nodes_is_safe_and_has_the_events_of_both : forall l r, sound l -> safe l = true ->
  sound r -> safe r = true -> greatest l = greatest r ->
  sound (union l r) /\ safe (union l r) = true /\ greatest (union l r) = greatest l
  /\ Permutation (denoted (union l r)) (denoted l ++ denoted r).
Proof.
  assert (Leaf : forall l r, is_union l = false -> sound l -> sound r -> safe r = true -> greatest l = greatest r ->
    sound (joined l r) /\ safe (joined l r) = true /\ greatest (joined l r) = greatest l
    /\ denoted (joined l r) = denoted l ++ denoted r). {
    intros l r U Sl Sr F E. assert (D : depth l = 0%nat) by (destruct l; auto; discriminate).
    split; [apply joined_is_sound; auto; lia|]. split; [|auto].
    unfold joined, safe. rewrite D. simpl. apply Nat.leb_le. destruct r; simpl in *; try lia.
    apply andb_true_iff in F as [F _]. apply Nat.eqb_eq in F. lia. }
  intros l r Sl Fl Sr Fr E.
  destruct (is_union l) eqn:Ul; [destruct (is_union r) eqn:Ur|].
  - destruct l as [| |a b g d]; try discriminate. destruct r as [| |a' b' g' d']; try discriminate.
    apply parts_of_a_sound_union in Sl as (Sa & Sb & -> & Lb & -> & Bd).
    apply parts_of_a_sound_union in Sr as (Sa' & Sb' & -> & Lb' & -> & Bd').
    apply andb_true_iff in Fl as [Fa Fb]. apply andb_true_iff in Fr as [Fa' Fb'].
    apply Nat.eqb_eq in Fa, Fa'. apply Nat.leb_le in Fb, Fb'. simpl in E.
    assert (I : exists first second, in_order b b' = (first, second)
      /\ (first = b /\ second = b' \/ first = b' /\ second = b) /\ greatest second <= greatest first). {
      unfold in_order. destruct (greatest b' <=? greatest b) eqn:C; [apply Z.leb_le in C|apply Z.leb_gt in C];
        do 2 eexists; (split; [reflexivity|]); split; auto; lia. }
    destruct I as (first & second & Eq & Which & Le). unfold union. rewrite Eq.
    assert (S1 : sound first /\ sound second /\ (depth first <= 2)%nat /\ greatest first <= greatest a')
      by (destruct Which as [[-> ->]|[-> ->]]; repeat split; try apply Sb; try apply Sb'; lia).
    destruct S1 as (S1 & S2 & D1 & G1).
    assert (S3 : sound (joined first second)) by (apply joined_is_sound; auto).
    assert (S4 : sound (joined a' (joined first second))) by (apply joined_is_sound; auto; simpl; lia).
    split; [apply joined_is_sound; auto; simpl; lia|]. split; [|split; [reflexivity|]].
    + simpl. replace (depth a) with 0%nat by lia. replace (depth a') with 0%nat by lia. reflexivity.
    + simpl. rewrite <- app_assoc. apply Permutation_app_head.
      transitivity (denoted a' ++ denoted b ++ denoted b').
      * apply Permutation_app_head. destruct Which as [[-> ->]|[-> ->]]; auto using Permutation_app_comm.
      * rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - assert (U : union l r = joined r l) by (destruct l; try discriminate; destruct r; try discriminate; reflexivity).
    rewrite U. destruct (Leaf r l) as (A & B & C & D); auto. rewrite C, D. auto using Permutation_app_comm.
  - assert (U : union l r = joined l r) by (destruct l; try discriminate; reflexivity).
    rewrite U. destruct (Leaf l r) as (A & B & C & D); auto.
Qed.

(* --- Duplicate-freeness ------------------------------------------------------------------------------------------- *)

Lemma pairs_in_any_order : forall l l', Permutation l l' -> ForallOrdPairs distinct l -> ForallOrdPairs distinct l'.
Proof.
  assert (Sym : forall f g, distinct f g -> distinct g f)
    by (unfold distinct; intros f g D [E I]; apply D; split; auto; intros p; symmetry; auto).
  induction 1 as [|f l l' P IH|f g l|l l' l'' P IH P' IH']; auto; intros F.
  - inversion_clear F. constructor; auto. eapply Permutation_Forall; eauto.
  - inversion_clear F as [|? ? H F']. inversion_clear H. inversion_clear F'. repeat constructor; auto.
Qed.

(* CORE/TECS-EXTEND: by an event that is later than the marks of a node. *)
Theorem an_extended_node_stays_duplicate_free : forall n position label, Forall (precedes position) (denoted n) ->
  duplicate_free n -> duplicate_free (extend n position label).
Proof.
  intros n p l. unfold duplicate_free. simpl. rewrite map_map. simpl.
  induction (denoted n) as [|e es IH]; intros F D; simpl; [constructor|].
  inversion_clear F as [|? ? [_ Le] F']. inversion_clear D as [|? ? H D']. constructor; auto.
  rewrite Forall_map in *. rewrite Forall_forall in *. intros e' I [E Same]. apply (H e' I). split; auto.
  destruct (F' e' I) as [_ Le']. rewrite Forall_forall in Le'. intros q. specialize (Same q).
  unfold positions in *. simpl in Same. rewrite !map_app, !in_app_iff in Same. simpl in Same.
  split; intros J; pose proof J as J'; [apply Le in J'|apply Le' in J']; destruct Same as [S S'];
    [destruct S as [|[<-|[]]]|destruct S' as [|[<-|[]]]]; auto; lia.
Qed.

(* CORE/TECS-UNION, CORE/ULIST-INSERT, CORE/ULIST-MERGE: of two parts that have no event in common. *)
Theorem parts_without_a_common_event_make_a_duplicate_free_node : forall l r n, duplicate_free l -> duplicate_free r ->
  (forall e f, In e (denoted l) -> In f (denoted r) -> distinct (snd e) (snd f)) ->
  Permutation (denoted n) (denoted l ++ denoted r) -> duplicate_free n.
Proof.
  intros l r n Dl Dr Apart P. unfold duplicate_free in *.
  eapply pairs_in_any_order; [apply Permutation_map; symmetry; exact P|]. clear P.
  induction (denoted l) as [|e es IH]; auto. simpl in *. inversion_clear Dl. constructor; auto.
  rewrite map_app. apply Forall_app. split; auto. apply Forall_map, Forall_forall. auto.
Qed.

End CompactSet.
Arguments node : clear implicits.
Arguments found : clear implicits.
