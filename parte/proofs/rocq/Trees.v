(* Counting partial matches along a spanning tree (docs/bounds.md, "Count"; semantics/partelang/streams.py,
   `least_product`): each event is one of few, lies in a window, or lies in a window from an event before it in the
   tree. *)
From Parte Require Export Sizes.

Section Trees.
Context {E : Events}.
Variable streams : nat -> list event.

(* How the event at a place of a partial match is limited. *)
Inductive limit_of := OneOf (few : list event) | Within (least greatest : Z) | WithinOf (origin : nat) (least greatest
  : Z).
Notation limited := (nat * limit_of)%type.
Notation choice := (list (nat * event)).
Definition chosen (v : nat) (c : choice) : option event := option_map snd (find (fun x => Nat.eqb (fst x) v) c).
Definition within_window (least greatest : Z) (y : event) : bool := Sizes.between least greatest (time y).
Definition options (s : limited) (c : choice) : list event :=
  match snd s with
  | OneOf few => few
  | Within least greatest => filter (within_window least greatest) (streams (fst s))
  | WithinOf origin least greatest =>
      match chosen origin c with
      | Some x => filter (within_window (time x + least) (time x + greatest)) (streams (fst s))
      | None => [] end
  end.
(* The last of a tree comes first in the list. *)
Fixpoint choices (tree : list limited) : list choice :=
  match tree with
  | [] => [[]]
  | s :: before => flat_map (fun c => map (fun y => (fst s, y) :: c) (options s c)) (choices before)
  end.

Variables (most : limited -> nat) .
Hypothesis So_many : forall s c, (length (options s c) <= most s)%nat.
Definition product (tree : list limited) : nat := fold_right (fun s n => most s * n)%nat 1%nat tree.
Lemma choices_are_few : forall tree, (length (choices tree) <= product tree)%nat.
Proof.
  induction tree as [|s tree IH]; simpl; auto.
  assert (G : forall l, (length (flat_map (fun c => map (fun y => (fst s, y) :: c) (options s c)) l) <= most s * length
    l)%nat).
  { induction l as [|c l IHl]; cbn [flat_map length]; [lia|]. rewrite app_length, map_length, Nat.mul_succ_r.
    specialize (So_many s c). lia. }
  specialize (G (choices tree)). nia.
Qed.

(* What a partial match chooses, and that it keeps to the limits. *)
Definition chosen_by (p : partial) (tree : list limited) : choice :=
  flat_map (fun s => match nth_error p (fst s) with Some y => [(fst s, y)] | None => [] end) tree.
Definition keeps (p : partial) (s : limited) : Prop :=
  exists y, nth_error p (fst s) = Some y /\ In y (streams (fst s)) /\
  match snd s with
  | OneOf few => In y few
  | Within least greatest => within_window least greatest y = true
  | WithinOf origin least greatest => exists x, nth_error p origin = Some x /\
      within_window (time x + least) (time x + greatest) y = true
  end.
Fixpoint rooted (tree : list limited) : Prop :=
  match tree with
  | [] => True
  | s :: before => match snd s with WithinOf origin _ _ => In origin (map fst before) | _ => True end /\ rooted before
  end.

Lemma what_was_chosen : forall p tree v, Forall (fun s => exists y, nth_error p (fst s) = Some y) tree ->
  In v (map fst tree) -> chosen v (chosen_by p tree) = nth_error p v.
Proof.
  intros p tree v F. unfold chosen. induction F as [|s tree (y & Ny) F IH]; intros I; [contradiction|].
  simpl. rewrite Ny. simpl. destruct (Nat.eqb (fst s) v) eqn:Q.
  - apply Nat.eqb_eq in Q. subst v. simpl. auto.
  - apply IH. destruct I as [I|I]; auto. apply Nat.eqb_neq in Q. congruence.
Qed.
Lemma a_partial_match_is_a_choice : forall p tree, rooted tree -> Forall (keeps p) tree ->
  In (chosen_by p tree) (choices tree).
Proof.
  intros p tree. induction tree as [|s tree IH]; intros R F; [simpl; auto|]. destruct R as [Rs R].
  inversion F as [|? ? K Fr]; subst. destruct K as (y & Ny & Iy & K). simpl. rewrite Ny. simpl.
  apply in_flat_map. exists (chosen_by p tree). split; [auto|].
  apply (in_map (fun y => (fst s, y) :: chosen_by p tree)). unfold options.
  destruct (snd s) as [few|least greatest|origin least greatest].
  - exact K.
  - apply filter_In. auto.
  - destruct K as (x & Nx & W). rewrite what_was_chosen, Nx; auto.
    + apply filter_In. auto.
    + eapply Forall_impl; [|exact Fr]. intros s' (y' & N' & _). eauto.
Qed.

(* PARTE/JOIN-* (specification: size-viable). Different partial matches of n events that keep to the limits of a tree
   over all their places are no more than the product of the limits. *)
Theorem partial_matches_are_few_along_a_tree : forall n tree ps, NoDup ps -> rooted tree ->
  (forall v, (v < n)%nat -> In v (map fst tree)) -> Forall (fun p => length p = n /\ Forall (keeps p) tree) ps ->
  (length ps <= product tree)%nat.
Proof.
  intros n tree ps N R Cover F.
  assert (Nm : NoDup (map (fun p => chosen_by p tree) ps)).
  { induction N as [|p ps Np N IH]; simpl; constructor; inversion F as [|? ? [Lp Kp] Fr]; subst; auto. intros I.
    apply in_map_iff in I as (p' & Eq & I). apply Np. replace p with p'; auto.
    rewrite Forall_forall in Fr. destruct (Fr p' I) as [Lp' Kp'].
    assert (Has : forall q, Forall (keeps q) tree -> Forall (fun s => exists y, nth_error q (fst s) = Some y) tree).
    { intros q. apply Forall_impl. intros s (y & Ny & _). eauto. }
    assert (Same : forall v, nth_error p' v = nth_error p v).
    { intros v. destruct (Nat.lt_ge_cases v (length p)) as [L|L].
      - rewrite <- (what_was_chosen p tree v), <- (what_was_chosen p' tree v), Eq; auto.
      - rewrite (proj2 (nth_error_None p v)) by lia. apply nth_error_None. lia. }
    clear - Same. revert p Same. induction p' as [|y p' IH]; intros [|z p] Same; auto.
    - specialize (Same 0%nat). discriminate.
    - specialize (Same 0%nat). discriminate.
    - pose proof (Same 0%nat) as S0. simpl in S0. inversion S0; subst. f_equal. apply IH. intros v. apply (Same (S
      v)). }
  assert (Inc : incl (map (fun p => chosen_by p tree) ps) (choices tree)).
  { intros c I. apply in_map_iff in I as (p & <- & I). rewrite Forall_forall in F. destruct (F p I).
    apply a_partial_match_is_a_choice; auto. }
  pose proof (NoDup_incl_length Nm Inc) as L. rewrite map_length in L.
  eapply Nat.le_trans; [exact L|apply choices_are_few].
Qed.
End Trees.
