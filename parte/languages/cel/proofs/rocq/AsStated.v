(* Where T is false as it is written: the smallest counterexamples, computed (docs/cel-defects.md numbers the defects).
*)
From Cel Require Export Results.

Notation unlabelled := (node unit).
Definition mark (n : unlabelled) position := extend n position tt.

Definition no_marks : unlabelled := new_bottom 0 0.

(* CORE/ENUM-BOTTOM (specification: cel-enumeration): T's lemma 5.4 enters at most k·|C| nodes for a complex event C,
   with k = 3. An event without marks takes one node (defect 27). *)
Theorem three_nodes_for_each_mark_are_too_few : created no_marks
  /\ exists visits f, fst (enumerate_paths 0 no_marks None) = [(visits, f)] /\ (3 * size_of f < visits)%nat.
Proof. split; [constructor|]. do 2 eexists. split; [vm_compute; reflexivity|]. vm_compute. auto. Qed.

(* An event that is marked many times. *)
Fixpoint again (times : nat) : unlabelled := match times with O => new_bottom 1 1 | S less => mark (again less) 1 end.

Definition one_set times : found unit := Found 1 (repeat (1, tt) times).

Lemma again_prints : forall times visits marks', prints 1 visits marks' None (again times)
  = [((times + S visits)%nat, continued marks' (one_set times))].
Proof.
  induction times as [|times IH]; intros; auto. cbn [again mark extend prints]. rewrite IH. do 2 f_equal; [lia|].
  unfold continued, one_set. simpl. f_equal. clear. induction times; simpl; congruence.
Qed.

Lemma again_is_one_set : forall times, (size_of (one_set times) <= 1)%nat.
Proof.
  intros times. unfold size_of, positions. simpl.
  enough (nodup Z.eq_dec (map fst (repeat (1, tt) times)) = match times with O => [] | _ => [1] end) as ->
    by (destruct times; simpl; lia).
  induction times as [|[|times] IH]; auto.
Qed.

(* CORE/TECS-EXTEND, CORE/ENUM-OUTPUT: T's lemma 5.4 asks for a time-ordered and k-bounded set. That the positions on a
   path rise is not among its premises, and without it no constant bounds the nodes by the size of the next result: D is
   a set, and a path may mark one position any number of times. *)
Theorem without_rising_positions_no_constant_bounds_the_delay : forall c, exists (n : unlabelled) visits f,
  time_ordered n /\ bounded 0 n /\ duplicate_free n
  /\ fst (enumerate_paths 1 n None) = [(visits, f)] /\ (c * (size_of f + 1) < visits)%nat.
Proof.
  intros c. assert (I : forall times, time_ordered (again times) /\ bounded 0 (again times)
    /\ greatest (again times) = 1 /\ length (denoted (again times)) = 1%nat). {
    induction times as [|times (T & B & G & L)]; [simpl; auto|]. simpl. rewrite map_length. auto. }
  destruct (I (2 * c)%nat) as (T & B & G & L). exists (again (2 * c)), (2 * c + 1)%nat, (one_set (2 * c)).
  repeat split; auto.
  - unfold duplicate_free. destruct (denoted _) as [|e []]; try discriminate. repeat constructor.
  - rewrite a_place_is_admitted_or_nothing_is_printed; auto; [|lia]. simpl fst. rewrite again_prints. unfold continued.
    simpl marks. rewrite app_nil_r. reflexivity.
  - pose proof (again_is_one_set (2 * c)). nia.
Qed.

Definition twice : unlabelled := union (new_bottom 0 0) (new_bottom 0 0).

(* CORE/TECS-UNION, CORE/ENUM-UNION: T's theorem 5.3 (A.1) says of every node that exactly one path stands for an
   event. That is T's definition of a duplicate-free node, and another node prints an event twice. *)
Theorem a_node_that_is_not_duplicate_free_prints_an_event_twice : created twice
  /\ map snd (fst (enumerate_paths 0 twice None)) = [Found 0 []; Found 0 []].
Proof. split; [repeat constructor|]. vm_compute. reflexivity. Qed.

(* --- Algorithm 2 as it is printed --------------------------------------------------------------------------------- *)

(* T's paths(n). *)
Fixpoint paths (n : unlabelled) : nat :=
  match n with Bottom _ _ => 1 | Output _ _ m _ => paths m | Union l r _ _ => paths l + paths r end.
Record printed_place := At { there : unlabelled; passed : list Z; sigma : nat; delta : nat }.
(* Lines 8 to 28: each round is one of the inner loop, or a pop. The result has what was output, and whether the stack
   was emptied in so many rounds. *)
Fixpoint as_printed (tau : Z) rounds (now : option printed_place) stack : list (Z * list Z) * bool :=
  match rounds with
  | O => ([], false)
  | S rounds =>
      match now with
      | None => match stack with [] => ([], true) | p :: stack => as_printed tau rounds (Some p) stack end
      | Some (At n p s d) =>
          match n with
          | Bottom i _ => let (out, ended) := as_printed tau rounds None stack in ((i, p) :: out, ended)
          | Output i _ m _ => as_printed tau rounds (Some (At m (i :: p) s d)) stack
          | Union l r _ _ =>
              if tau <=? greatest r then
                let d' := if (s <? paths l)%nat then (d - (paths l - s))%nat else d in
                let s' := (s - paths l)%nat in
                let stack := if (s' <? paths r)%nat && (0 <? d')%nat then At r p s' d' :: stack else stack in
                as_printed tau rounds (if (s <? paths l)%nat then Some (At l p s d) else None) stack
              else as_printed tau rounds now stack
          end
      end
  end.

Definition half_outside : unlabelled := merge (insert (new_ulist (new_bottom 1 1)) (new_bottom 0 0)).

(* CORE/ENUM-UNION: T's theorem 5.1 is false of Algorithm 2 as printed. Lines 25 to 28 stand inside the condition of
   line 17, so a union whose right side is outside of the window is never left (defect 25).
   In a window that reaches both sides it ends. *)
Theorem algorithm_2_as_printed_never_ends : created half_outside /\ within 1 half_outside = [Found 1 []]
  /\ (forall rounds, as_printed 1 rounds (Some (At half_outside [] 0 2)) [] = ([], false))
  /\ as_printed 0 6 (Some (At half_outside [] 0 2)) [] = ([(1, []); (0, [])], true).
Proof.
  split; [|split; [vm_compute; reflexivity|split; [|vm_compute; reflexivity]]].
  - apply Created_merge, Created_insert; [apply Created_list; [constructor|auto]|constructor|vm_compute; discriminate].
  - induction rounds as [|rounds IH]; [reflexivity|]. exact IH.
Qed.
