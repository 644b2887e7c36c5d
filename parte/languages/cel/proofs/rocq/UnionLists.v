(* Union-lists (T §5.2; semantics/union_lists.py): insertion keeps the order of a list of any length, and merging gives
   one safe node with the events of all. So every node that CORE creates is time-ordered, at most three unions deep and
   safe (T: "any tECS created using only these three methods is time-ordered and 3-bounded"). *)
From Cel Require Export CompactSet.

Section UnionLists.
Context {Label : Type}.
Notation node := (node Label).

(* `UnionList`: its first node, and the others. *)
Definition ulist : Type := node * list node.
Definition nodes (ul : ulist) := fst ul :: snd ul.
Definition denoted_by (ul : ulist) := flat_map denoted (nodes ul).

(* The first is no union and no other has a greater start; those behind it descend strictly. *)
Definition union_list (ul : ulist) :=
  is_union (fst ul) = false /\ Forall (fun n => sound n /\ safe n = true) (nodes ul)
  /\ Forall (fun n => greatest n <= greatest (fst ul)) (snd ul)
  /\ StronglySorted (fun m n => greatest n < greatest m) (snd ul).

(* CORE/ULIST-NEW: `new_ulist`. *)
Definition new_ulist (n : node) : ulist := (n, []).
(* The place that Python's `bisect_left` computes in descending starts: the first whose start is not greater. *)
Fixpoint put (others : list node) (n : node) : list node :=
  match others with
  | [] => [n]
  | m :: after =>
      if greatest n <? greatest m then m :: put after n
      else if greatest m =? greatest n then union m n :: after else n :: m :: after
  end.
(* CORE/ULIST-INSERT: `insert`. *)
Definition insert (ul : ulist) n : ulist := (fst ul, put (snd ul) n).
Fixpoint merged (n : node) (others : list node) : node :=
  match others with [] => n | m :: after => joined n (merged m after) end.
(* CORE/ULIST-MERGE: `merge`. *)
Definition merge (ul : ulist) := merged (fst ul) (snd ul).
(* CORE/FORGET: the nodes of a list that a window reaches, if it reaches the first (`forgotten` of evaluation.py). *)
Definition forgotten least (ul : ulist) : ulist := (fst ul, filter (fun n => least <=? greatest n) (snd ul)).
(* CORE/ROOT: one node for the lists of all final states (`root` of evaluation.py). *)
Definition root (first : ulist) (others : list ulist) :=
  merge (fold_left (fun ul other => insert ul (merge other)) others first).

Lemma put_keeps : forall others n, Forall (fun n => sound n /\ safe n = true) others ->
  StronglySorted (fun m n => greatest n < greatest m) others -> sound n -> safe n = true ->
  Forall (fun n => sound n /\ safe n = true) (put others n)
  /\ StronglySorted (fun m n => greatest n < greatest m) (put others n)
  /\ (forall P : Z -> Prop, P (greatest n) -> Forall (fun m => P (greatest m)) others ->
      Forall (fun m => P (greatest m)) (put others n))
  /\ Permutation (flat_map denoted (put others n)) (flat_map denoted others ++ denoted n).
Proof.
  induction others as [|m after IH]; intros n F S Sn Fn; simpl.
  - rewrite app_nil_r. repeat split; auto; repeat constructor; auto.
  - inversion_clear F as [|? ? [Sm Fm] F']. inversion_clear S as [|? ? S' L].
    destruct (greatest n <? greatest m) eqn:C; [apply Z.ltb_lt in C|apply Z.ltb_ge in C].
    + destruct (IH n F' S' Sn Fn) as (A & B & D & E). repeat split; auto.
      * constructor; auto. apply (D (fun g => g < greatest m)); auto.
      * intros P Pn Po. inversion_clear Po. constructor; auto.
      * simpl. rewrite <- app_assoc. apply Permutation_app_head. auto.
    + destruct (greatest m =? greatest n) eqn:Q; [apply Z.eqb_eq in Q|apply Z.eqb_neq in Q].
      * destruct (the_union_of_safe_nodes_is_safe_and_has_the_events_of_both m n) as (A & B & D & E); auto.
        repeat split; auto.
        -- constructor; auto. eapply Forall_impl; [|exact L]. intros y Lt. rewrite D. exact Lt.
        -- intros P Pn Po. inversion_clear Po. constructor; auto. rewrite D. auto.
        -- simpl. rewrite E, <- !app_assoc. apply Permutation_app_head, Permutation_app_comm.
      * repeat split; auto.
        -- constructor; [constructor; auto|]. constructor; [lia|]. eapply Forall_impl; [|exact L]. simpl. lia.
        -- simpl. apply Permutation_app_comm.
Qed.

(* CORE/ULIST-INSERT: of a safe node without a greater start than the first, into a list of any length. *)
Theorem insertion_keeps_a_union_list_and_adds_the_events_of_the_node : forall ul n, union_list ul ->
  sound n -> safe n = true -> greatest n <= greatest (fst ul) ->
  union_list (insert ul n) /\ Permutation (denoted_by (insert ul n)) (denoted_by ul ++ denoted n).
Proof.
  intros [first others] n (U & F & L & S) Sn Fn Le. unfold union_list, denoted_by, nodes in *. simpl in *.
  inversion_clear F. destruct (put_keeps others n) as (A & B & D & E); auto.
  repeat split; auto.
  - apply (D (fun g => g <= greatest first)); auto.
  - rewrite <- app_assoc. apply Permutation_app_head. auto.
Qed.

Lemma merged_is_sound : forall others n, (depth n <= 1)%nat -> sound n ->
  Forall (fun n => sound n /\ safe n = true) others -> Forall (fun m => greatest m <= greatest n) others ->
  StronglySorted (fun m n => greatest n < greatest m) others ->
  sound (merged n others) /\ greatest (merged n others) = greatest n /\ (depth (merged n others) <= S (depth n))%nat
  /\ denoted (merged n others) = flat_map denoted (n :: others).
Proof.
  induction others as [|m after IH]; intros n D Sn F L S; simpl.
  - rewrite app_nil_r. auto.
  - inversion_clear F as [|? ? [Sm Fm] F']. inversion_clear S as [|? ? S' L']. inversion_clear L as [|? ? Le _].
    assert (Dm : (depth m <= 1)%nat). {
      destruct m; simpl in *; try lia. apply andb_true_iff in Fm as [Fm _]. apply Nat.eqb_eq in Fm. lia. }
    destruct (IH m) as (A & B & C & E); auto.
    { eapply Forall_impl; [|exact L']. simpl. lia. }
    split; [apply joined_is_sound; auto; lia|]. split; [reflexivity|]. split; [simpl; lia|].
    simpl in *. rewrite E. reflexivity.
Qed.

(* CORE/ULIST-MERGE: of a list of any length. *)
Theorem a_merged_union_list_is_one_safe_node_with_the_events_of_all : forall ul, union_list ul ->
  sound (merge ul) /\ safe (merge ul) = true /\ greatest (merge ul) = greatest (fst ul)
  /\ denoted (merge ul) = denoted_by ul.
Proof.
  intros [first others] (U & F & L & S). unfold merge, denoted_by, nodes in *. simpl in *.
  inversion_clear F as [|? ? [Sf Ff] F'].
  assert (D : depth first = 0%nat) by (destruct first; auto; discriminate).
  destruct (merged_is_sound others first) as (A & B & C & E); auto; [lia|]. split; auto. split; auto.
  destruct others as [|m after]; simpl in *; auto. rewrite D. simpl. apply Nat.leb_le.
  inversion_clear F' as [|? ? [Sm Fm] F'']. inversion_clear S as [|? ? S' L'].
  assert (Dm : (depth m <= 1)%nat). {
    destruct m; simpl in *; try lia. apply andb_true_iff in Fm as [Fm _]. apply Nat.eqb_eq in Fm. lia. }
  destruct (merged_is_sound after m) as (_ & _ & C' & _); auto; [|lia].
  eapply Forall_impl; [|exact L']. simpl. lia.
Qed.

(* CORE/ROOT: of any number of lists, of which the first has the greatest start. *)
Theorem the_root_is_one_safe_node_with_the_events_of_all_lists : forall others first, union_list first ->
  Forall (fun ul => union_list ul /\ greatest (fst ul) <= greatest (fst first)) others ->
  sound (root first others) /\ safe (root first others) = true
  /\ Permutation (denoted (root first others)) (flat_map denoted_by (first :: others)).
Proof.
  unfold root. induction others as [|ul others IH]; intros first U F; simpl.
  - rewrite app_nil_r.
    destruct (a_merged_union_list_is_one_safe_node_with_the_events_of_all first U) as (A & B & _ & E). rewrite E. auto.
  - inversion_clear F as [|? ? [Ul Le] F'].
    destruct (a_merged_union_list_is_one_safe_node_with_the_events_of_all ul Ul) as (A & B & G & E).
    destruct (insertion_keeps_a_union_list_and_adds_the_events_of_the_node first (merge ul)) as [U' P]; auto; [lia|].
    destruct (IH (insert first (merge ul))) as (A' & B' & P'); auto. repeat split; try apply A'; auto.
    rewrite P'. simpl. rewrite P, E, <- app_assoc. reflexivity.
Qed.

(* The nodes and lists that the operations create, in any number and in any order: what CORE/EVAL-START, CORE/EVAL-MARK,
   CORE/EVAL-SKIP, CORE/EVAL-ADD and CORE/ROOT call. What T requires of an argument is a premise here; no theorem says
   that an evaluation fulfils it. *)
Inductive created : node -> Prop :=
| Created_bottom position start : created (new_bottom position start)
| Created_output n position label : created n -> Forall (precedes position) (denoted n) ->
    created (extend n position label)
| Created_union l r : created l -> created r -> greatest l = greatest r -> created (union l r)
| Created_merge ul : created_list ul -> created (merge ul)
with created_list : ulist -> Prop :=
| Created_list n : created n -> is_union n = false -> created_list (new_ulist n)
| Created_insert ul n : created_list ul -> created n -> greatest n <= greatest (fst ul) -> created_list (insert ul n)
| Created_forgotten ul least : created_list ul -> created_list (forgotten least ul).
Scheme created_min := Minimality for created Sort Prop
  with created_list_min := Minimality for created_list Sort Prop.
Combined Scheme created_both from created_min, created_list_min.

Lemma forgotten_keeps : forall ul least, union_list ul -> union_list (forgotten least ul).
Proof.
  intros [first others] least (U & F & L & S). unfold union_list, nodes in *. simpl in *. inversion_clear F.
  repeat split; auto.
  - constructor; auto. apply Forall_forall. intros n I. apply filter_In in I as [I _].
    revert n I. apply Forall_forall. auto.
  - apply Forall_forall. intros n I. apply filter_In in I as [I _]. revert n I. apply Forall_forall. auto.
  - clear - S. induction S as [|m after S IH L]; simpl; [constructor|].
    destruct (least <=? greatest m); auto. constructor; auto.
    apply Forall_forall. intros n I. apply filter_In in I as [I _]. revert n I. apply Forall_forall. auto.
Qed.

(* CORE/TECS-BOTTOM, CORE/TECS-EXTEND, CORE/TECS-UNION, CORE/ULIST-NEW, CORE/ULIST-INSERT, CORE/ULIST-MERGE,
   CORE/FORGET. *)
Theorem whatever_is_created_is_sound_and_safe :
  (forall n, created n -> sound n /\ safe n = true) /\ (forall ul, created_list ul -> union_list ul).
Proof.
  apply created_both.
  - intros. split; apply a_bottom_is_one_event_without_marks.
  - intros n p l _ [S F] P. split; apply an_extended_node_has_one_mark_more; auto.
  - intros l r _ [Sl Fl] _ [Sr Fr] E. split; apply the_union_of_safe_nodes_is_safe_and_has_the_events_of_both; auto.
  - intros ul _ U. split; apply a_merged_union_list_is_one_safe_node_with_the_events_of_all; auto.
  - intros n _ [S F] U. unfold union_list, nodes. simpl. repeat split; auto; repeat constructor; auto; apply S.
  - intros ul n _ U _ [S F] Le. apply insertion_keeps_a_union_list_and_adds_the_events_of_the_node; auto.
  - intros. apply forgotten_keeps. auto.
Qed.

End UnionLists.
