(* Ordered indexes: balanced trees of elements by two numbers, a key and a time. Each operation is proved by what it
   does
   to the list of the elements in order; how well a tree is balanced matters to its speed alone. *)
From Parte Require Export Language.

Section Indexes.
Context {A : Type}.
Variable rank : A -> Z * Z.

Definition at_least (x y : A) : bool :=
  let (k, t) := rank x in let (k', t') := rank y in (k <? k') || ((k =? k') && (t <=? t')).
Definition not_after (x y : A) : Prop :=
  fst (rank x) < fst (rank y) \/ (fst (rank x) = fst (rank y) /\ snd (rank x) <= snd (rank y)).
Lemma at_least_spec : forall x y, at_least x y = true <-> not_after x y.
Proof.
  intros. unfold at_least, not_after. destruct (rank x), (rank y). simpl.
  rewrite orb_true_iff, andb_true_iff, Z.ltb_lt, Z.eqb_eq, Z.leb_le. tauto.
Qed.

(* A tree with its height. *)
Inductive tree := Leaf | Node (l : tree) (x : A) (r : tree) (height : nat).
Fixpoint inorder (t : tree) : list A := match t with Leaf => [] | Node l x r _ => inorder l ++ x :: inorder r end.
Fixpoint sorted (l : list A) : Prop :=
  match l with [] => True | x :: more => Forall (not_after x) more /\ sorted more end.

Definition height_of (t : tree) : nat := match t with Leaf => 0 | Node _ _ _ h => h end.
Definition branch (l : tree) (x : A) (r : tree) : tree := Node l x r (S (Nat.max (height_of l) (height_of r))).
Definition balanced (l : tree) (x : A) (r : tree) : tree :=
  if Nat.ltb (S (height_of r)) (height_of l) then
    match l with
    | Leaf => branch l x r
    | Node ll lx lr _ =>
        if Nat.leb (height_of lr) (height_of ll) then branch ll lx (branch lr x r)
        else match lr with
             | Leaf => branch l x r
             | Node lrl lrx lrr _ => branch (branch ll lx lrl) lrx (branch lrr x r)
             end
    end
  else if Nat.ltb (S (height_of l)) (height_of r) then
    match r with
    | Leaf => branch l x r
    | Node rl rx rr _ =>
        if Nat.leb (height_of rl) (height_of rr) then branch (branch l x rl) rx rr
        else match rl with
             | Leaf => branch l x r
             | Node rll rlx rlr _ => branch (branch l x rll) rlx (branch rlr rx rr)
             end
    end
  else branch l x r.
Fixpoint insert (x : A) (t : tree) : tree :=
  match t with
  | Leaf => Node Leaf x Leaf 1
  | Node l y r _ => if at_least y x then balanced l y (insert x r) else balanced (insert x l) y r
  end.

Lemma balanced_inorder : forall l x r, inorder (balanced l x r) = inorder l ++ x :: inorder r.
Proof.
  intros. unfold balanced, branch.
  repeat match goal with
  | |- context [if ?b then _ else _] => destruct b
  | |- context [match ?t with Leaf => _ | Node _ _ _ _ => _ end] => is_var t; destruct t
  end; simpl; auto; repeat (rewrite <- ?app_assoc; simpl); auto.
Qed.

Lemma insert_inorder : forall x t, Permutation (inorder (insert x t)) (x :: inorder t).
Proof.
  intros x. induction t as [|l IHl y r IHr h]; simpl; auto.
  destruct (at_least y x); rewrite balanced_inorder.
  - rewrite IHr. rewrite perm_swap. symmetry. apply Permutation_middle.
  - rewrite IHl. auto.
Qed.

Lemma sorted_app : forall a b, sorted (a ++ b) <-> sorted a /\ sorted b /\ forall x y, In x a -> In y b -> not_after x
  y.
Proof.
  induction a as [|x a IH]; simpl; intros b; [intuition|].
  rewrite IH, Forall_app, !Forall_forall. split.
  - intros [[F G] (H & H' & H'')]. repeat split; auto. intros u y [<-|I] J; auto.
  - intros [[F G] [H H']]. repeat split; auto.
Qed.
Lemma sorted_node : forall l x r, sorted (l ++ x :: r) <-> sorted l /\ sorted r /\
  (forall y, In y l -> not_after y x) /\ (forall y, In y r -> not_after x y) /\
  (forall y z, In y l -> In z r -> not_after y z).
Proof.
  intros. rewrite sorted_app. simpl. rewrite Forall_forall. split.
  - intros (H & [H1 H2] & H3). repeat split; auto.
  - intros (H & H1 & H2 & H3 & H4). repeat split; auto. intros y z I [<-|J]; auto.
Qed.
Lemma not_after_trans : forall x y z, not_after x y -> not_after y z -> not_after x z.
Proof. unfold not_after. intros. lia. Qed.

Lemma insert_sorted : forall x t, sorted (inorder t) -> sorted (inorder (insert x t)).
Proof.
  intros x. induction t as [|l IHl y r IHr h]; simpl; intros S; auto.
  apply sorted_node in S as (Sl & Sr & Bl & Br & B).
  assert (In_insert : forall t z, In z (inorder (insert x t)) <-> z = x \/ In z (inorder t)).
  { intros t z. split; intros I.
    - apply (Permutation_in _ (insert_inorder x t)) in I as [->|I]; auto.
    - apply (Permutation_in _ (Permutation_sym (insert_inorder x t))). simpl. intuition. }
  destruct (at_least y x) eqn:L; rewrite balanced_inorder; apply sorted_node.
  - apply at_least_spec in L. repeat split; auto.
    + intros z I. apply In_insert in I as [->|I]; auto.
    + intros z u I J. apply In_insert in J as [->|J]; auto. eapply not_after_trans; [apply Bl; auto|auto].
  - assert (L' : not_after x y).
    { unfold not_after. destruct (at_least_spec y x) as [_ H]. unfold not_after in H. rewrite L in H.
      assert (~ (fst (rank y) < fst (rank x) \/ fst (rank y) = fst (rank x) /\ snd (rank y) <= snd (rank x)))
        by (intro Q; apply H in Q; discriminate). lia. }
    repeat split; auto.
    + intros z I. apply In_insert in I as [->|I]; auto.
    + intros z u I J. apply In_insert in I as [->|I]; auto. eapply not_after_trans; [exact L'|auto].
Qed.

Definition inserted_all (l : list A) (t : tree) : tree := fold_left (fun t x => insert x t) l t.
Lemma inserted_all_spec : forall l t, sorted (inorder t) ->
  sorted (inorder (inserted_all l t)) /\ Permutation (inorder (inserted_all l t)) (l ++ inorder t).
Proof.
  induction l as [|x l IH]; simpl; intros t S; [auto|]. destruct (IH (insert x t)) as [S' P].
  { apply insert_sorted. auto. }
  split; auto. rewrite P, insert_inorder. symmetry. apply Permutation_middle.
Qed.

(* A balanced tree of the first n elements of a list, and those that are left. *)
Fixpoint built (depth n : nat) (l : list A) : tree * list A :=
  match depth, n with
  | S d, S m =>
      let (left, rest) := built d (Nat.div2 n) l in
      match rest with
      | [] => (left, [])
      | x :: rest => let (right, rest) := built d (m - Nat.div2 n) rest in (branch left x right, rest)
      end
  | _, _ => (Leaf, l)
  end.
Definition built_from (l : list A) : tree :=
  let (t, rest) := built (S (Nat.log2 (length l))) (length l) l in inserted_all rest t.
Lemma built_spec : forall depth n l, inorder (fst (built depth n l)) ++ snd (built depth n l) = l.
Proof.
  induction depth as [|d IH]; intros [|m] l; auto. cbn [built].
  pose proof (IH (Nat.div2 (S m)) l) as Q. destruct (built d (Nat.div2 (S m)) l) as [left rest]. simpl in Q.
  destruct rest as [|x rest]; [auto|]. pose proof (IH (m - Nat.div2 (S m))%nat rest) as Q'.
  destruct (built d (m - Nat.div2 (S m)) rest) as [right rest']. simpl in *. rewrite <- app_assoc. simpl.
  rewrite Q'. auto.
Qed.
Lemma built_from_spec : forall l, sorted l -> sorted (inorder (built_from l)) /\ Permutation (inorder (built_from l)) l.
Proof.
  intros l Sl. unfold built_from. pose proof (built_spec (S (Nat.log2 (length l))) (length l) l) as Q.
  destruct (built (S (Nat.log2 (length l))) (length l) l) as [t rest]. simpl in Q.
  assert (St : sorted (inorder t)) by (rewrite <- Q in Sl; apply sorted_app in Sl; tauto).
  destruct (inserted_all_spec rest t St) as [S' P]. split; auto. rewrite P, <- Q. apply Permutation_app_comm.
Qed.

(* ---- What lies between two times under a key -------------------------------------------------------------------- *)

Definition too_low (k lo : Z) (x : A) : bool :=
  (fst (rank x) <? k) || ((fst (rank x) =? k) && (snd (rank x) <? lo)).
Definition too_high (k hi : Z) (x : A) : bool :=
  (k <? fst (rank x)) || ((fst (rank x) =? k) && (hi <? snd (rank x))).
Fixpoint range (k lo hi : Z) (t : tree) (rest : list A) : list A :=
  match t with
  | Leaf => rest
  | Node l x r _ =>
      if too_low k lo x then range k lo hi r rest
      else if too_high k hi x then range k lo hi l rest
      else range k lo hi l (x :: range k lo hi r rest)
  end.
Definition in_range (k lo hi : Z) (x : A) : bool :=
  (fst (rank x) =? k) && ((lo <=? snd (rank x)) && (snd (rank x) <=? hi)).

Lemma filter_nothing : forall B (f : B -> bool) l, (forall x, In x l -> f x = false) -> filter f l = [].
Proof. induction l as [|x l IH]; simpl; intros H; auto. rewrite H, IH; auto. Qed.

Ltac by_order := unfold too_low, too_high, in_range, not_after in *;
  repeat match goal with
  | H : context [Z.ltb ?a ?b] |- _ => destruct (Z.ltb_spec a b)
  | H : context [Z.eqb ?a ?b] |- _ => destruct (Z.eqb_spec a b)
  | H : context [Z.leb ?a ?b] |- _ => destruct (Z.leb_spec a b)
  | |- context [Z.ltb ?a ?b] => destruct (Z.ltb_spec a b)
  | |- context [Z.eqb ?a ?b] => destruct (Z.eqb_spec a b)
  | |- context [Z.leb ?a ?b] => destruct (Z.leb_spec a b)
  end; simpl in *; try reflexivity; try discriminate; try lia.

(* Specification: meaning-filter. *)
Theorem a_range_is_a_filter : forall k lo hi t rest, sorted (inorder t) ->
  range k lo hi t rest = filter (in_range k lo hi) (inorder t) ++ rest.
Proof.
  intros k lo hi. induction t as [|l IHl x r IHr h]; simpl; intros rest S; auto.
  apply sorted_node in S as (Sl & Sr & Bl & Br & B). rewrite filter_app. simpl.
  destruct (too_low k lo x) eqn:Lo; [|destruct (too_high k hi x) eqn:Hi].
  - rewrite IHr by auto. rewrite (filter_nothing _ _ (inorder l)).
    + assert (in_range k lo hi x = false) as -> by by_order. auto.
    + intros y I. specialize (Bl y I). by_order.
  - rewrite IHl by auto. rewrite (filter_nothing _ _ (inorder r)).
    + assert (in_range k lo hi x = false) as -> by by_order. rewrite app_nil_r. auto.
    + intros y I. specialize (Br y I). by_order.
  - assert (in_range k lo hi x = true) as -> by by_order. rewrite IHr, IHl by auto. rewrite <- app_assoc. auto.
Qed.

(* ---- What lies before a time: early_part out, where elements are ranked by time alone
   --------------------------------- *)

Section Taking.
Variable early : A -> bool.
Hypothesis Downward : forall x y, not_after x y -> early y = true -> early x = true.
Fixpoint early_part (t : tree) (rest : list A) : list A :=
  match t with
  | Leaf => rest
  | Node l x r _ => if early x then early_part l (x :: early_part r rest) else early_part l rest
  end.
Fixpoint later_part (t : tree) : tree :=
  match t with
  | Leaf => Leaf
  | Node l x r _ => if early x then later_part r else balanced (later_part l) x r
  end.
Lemma early_part_spec : forall t rest, sorted (inorder t) -> early_part t rest = filter early (inorder t) ++ rest.
Proof.
  induction t as [|l IHl x r IHr h]; simpl; intros rest S; auto.
  apply sorted_node in S as (Sl & Sr & Bl & Br & B). rewrite filter_app. simpl. destruct (early x) eqn:E.
  - rewrite IHr, IHl by auto. rewrite <- app_assoc. auto.
  - rewrite IHl by auto. rewrite (filter_nothing _ _ (inorder r)); [rewrite app_nil_r; auto|].
    intros y I. destruct (early y) eqn:Ey; auto. rewrite (Downward x y) in E; auto.
Qed.
Lemma filter_every : forall B (f : B -> bool) l, (forall x, In x l -> f x = true) -> filter f l = l.
Proof. induction l as [|x l IH]; simpl; intros H; auto. rewrite H, IH; auto. Qed.
Lemma later_part_spec : forall t, sorted (inorder t) ->
  inorder (later_part t) = filter (fun x => negb (early x)) (inorder t).
Proof.
  induction t as [|l IHl x r IHr h]; simpl; intros S; auto.
  apply sorted_node in S as (Sl & Sr & Bl & Br & B). rewrite filter_app. simpl. destruct (early x) eqn:E; simpl.
  - rewrite IHr by auto. rewrite (filter_nothing _ _ (inorder l)); auto.
    intros y I. rewrite (Downward y x); auto.
  - rewrite balanced_inorder, IHl by auto. rewrite (filter_every _ _ (inorder r)); auto.
    intros y I. destruct (early y) eqn:Ey; auto. rewrite (Downward x y) in E; auto.
Qed.
End Taking.

Lemma filter_sorted : forall f l, sorted l -> sorted (filter f l).
Proof.
  induction l as [|x l IH]; simpl; intros S; auto. destruct S as [F S]. destruct (f x); simpl; auto. split; auto.
  rewrite Forall_forall in *. intros y I. apply filter_In in I as [I _]. auto.
Qed.

End Indexes.
Arguments tree : clear implicits.
