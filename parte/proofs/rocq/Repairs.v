(* The machine with each repair as a flag (semantics/partelang/repairs.py, rules/*.py, inboxes.py, machine.py): all of
   them off is D's machine as printed (`published`), all of them on the proved one, which is shown here. What a repair
   does is said by its anchor (specification: repair-expire-by-lifetime, repair-join-before-expiry,
   repair-window-per-event, repair-exhaustive-expiry, repair-negate-in-window, repair-store-only-live,
   repair-bound-per-token, repair-report-silence, repair-slot-per-side, repair-bound-on-last-token,
   repair-merge-by-promise, repair-retention-sizes). The last changes no rule, but the sizes that are prescribed. *)
From Parte Require Export Network.

Record repairs := Repairs {
  expire_by_lifetime : bool; join_before_expiry : bool; window_per_event : bool; exhaustive_expiry : bool;
  negate_in_window : bool; store_only_live : bool; bound_per_token : bool; report_silence : bool;
  slot_per_side : bool; bound_on_last_token : bool; merge_by_promise : bool; retention_sizes : bool }.
Definition repaired_but (off : list nat) : repairs :=
  let on n := negb (existsb (Nat.eqb n) off) in
  (Repairs (on 1) (on 2) (on 3) (on 4) (on 5) (on 6) (on 7) (on 8) (on 9) (on 10) (on 11) (on 12))%nat.
Definition sound : repairs := repaired_but [].
Definition published : repairs := repaired_but (seq 1 12).

Section Repairs.
Context {E : Events}.
Variable r : repairs.

Section TwoInput.
Variables (negated : bool) (minima maxima : list Z) (condition : partial -> bool).

(* D fig. 5.4, lifetime right: one interval for all events of a left partial match. *)
Definition printed_matches (p q : partial) : bool :=
  forallb (fun t => in_window t (moment q - highest maxima) (moment q - lowest minima)) (times p) && condition (p ++ q).
Definition matches_right_event (p q : partial) : bool :=
  if window_per_event r then matches minima maxima condition p q else printed_matches p q.
Definition defeats (p q : partial) : bool :=
  if negate_in_window r then matches_right_event p q else condition (p ++ q).

(* D fig. 5.5, expire left and expire-negated: what is younger than the bound, and what is older. *)
Definition printed_young (bound : Z) (p : partial) : bool := forallb (fun t => bound <=? t) (times p).
Definition printed_old (bound : Z) (p : partial) : bool := forallb (fun t => t <? bound) (times p).
Definition stays_left (bound : Z) (p : partial) : bool :=
  if expire_by_lifetime r then negb (passed maxima bound p) else printed_young bound p.
Definition leaves_left (bound : Z) (p : partial) : bool :=
  if expire_by_lifetime r then passed maxima bound p
  else if exhaustive_expiry r then negb (printed_young bound p) else printed_old bound p.

Definition kept_left (d : data) (p : partial) : bool :=
  if store_only_live r then live_left minima maxima (right_bound d) p else true.
Definition kept_right (d : data) (q : partial) : bool :=
  if store_only_live r then live_right minima (left_bounds d) q else true.
Definition right_compared (d : data) (t : token) : list partial :=
  if join_before_expiry r then right d else expire_right minima (bounds t) (right d).

Definition tokens_with (results : list partial) (b : list Z) : list token :=
  match results with
  | [] => if report_silence r then [Token b None] else []
  | _ => if bound_per_token r then in_sequence results b else map (fun p => Token b (Some p)) results
  end.
Definition released_with (results : list partial) (b : list Z) : list token :=
  match results with
  | [] => [Token b None]
  | _ => if bound_on_last_token r then tokens_with results b else tokens_with results b ++ [Token b None]
  end.

(* PARTE/JOIN-LEFT, PARTE/JOIN-LEFT-BOTTOM. *)
Definition join_left_with (d : data) (t : token) : effect :=
  let expired := expire_right minima (bounds t) (right d) in
  match payload t with
  | None => let after := Data (bounds t) (right_bound d) (left d) expired (reported d) in
            (after, [Token (joined_bounds_after after) None])
  | Some p =>
      let after := Data (bounds t) (right_bound d) (if kept_left d p then left d ++ [p] else left d) expired
        (reported d) in
      (after, tokens_with (map (fun q => p ++ q) (matching_right minima maxima condition (right_compared d t) p))
        (joined_bounds_after after))
  end.

(* PARTE/JOIN-RIGHT, PARTE/JOIN-RIGHT-BOTTOM. *)
Definition join_right_with (d : data) (t : token) : effect :=
  let bound := only (bounds t) in
  let staying := filter (stays_left bound) (left d) in
  match payload t with
  | None => let after := Data (left_bounds d) bound staying (right d) (reported d) in
            (after, [Token (joined_bounds_after after) None])
  | Some q =>
      let after := Data (left_bounds d) bound staying (if kept_right d q then right d ++ [q] else right d) (reported d)
      in
      (after, tokens_with (map (fun p => p ++ q)
        (filter (fun p => matches_right_event p q) (if join_before_expiry r then left d else staying)))
        (joined_bounds_after after))
  end.

(* PARTE/NOT-LEFT-MATCH, PARTE/NOT-LEFT-NOMATCH, PARTE/NOT-LEFT-BOTTOM. *)
Definition not_left_with (d : data) (t : token) : effect :=
  let expired := expire_right minima (bounds t) (right d) in
  let unchanged := Data (bounds t) (right_bound d) (left d) expired (reported d) in
  match payload t with
  | None => (unchanged, [Token (left_bounds_after unchanged) None])
  | Some p =>
      match matching_right minima maxima condition (right_compared d t) p with
      | _ :: _ => (unchanged, tokens_with [] (left_bounds_after unchanged))
      | [] => if kept_left d p
              then let after := Data (bounds t) (right_bound d) (left d ++ [p]) expired (reported d) in
                   (after, tokens_with [] (left_bounds_after after))
              else (unchanged, tokens_with [p] (left_bounds_after unchanged))
      end
  end.

(* PARTE/NOT-RIGHT, PARTE/NOT-RIGHT-BOTTOM. *)
Definition not_right_with (d : data) (t : token) : effect :=
  let bound := only (bounds t) in
  let undefeated := match payload t with Some q => filter (fun p => negb (defeats p q)) (left d) | None => left d end in
  let stored := match payload t with
                | Some q => if kept_right d q then right d ++ [q] else right d
                | None => right d end in
  let after := Data (left_bounds d) bound (filter (stays_left bound) undefeated) stored (reported d) in
  (after, released_with (filter (leaves_left bound) undefeated) (left_bounds_after after)).

Definition two_input_step_with (d : data) (slot : nat) (t : token) : effect :=
  match slot, negated with
  | O, false => join_left_with d t
  | O, true => not_left_with d t
  | _, false => join_right_with d t
  | _, true => not_right_with d t
  end.
End TwoInput.

(* PARTE/ALPHA-MATCH, PARTE/ALPHA-NOMATCHCONSTRAINT, PARTE/ALPHA-BOTTOM. *)
Definition alpha_step_with (condition : event -> bool) (d : data) (t : token) : effect :=
  match payload t with
  | Some p => if negb (meets condition p) && negb (report_silence r) then (d, []) else alpha_step condition d t
  | None => alpha_step condition d t
  end.

Definition activate_with (k : kind) (d : data) (slot : nat) (t : token) : effect :=
  match k with
  | Alpha condition => alpha_step_with condition d t
  | TwoInput negated minima maxima condition => two_input_step_with negated minima maxima condition d slot t
  | _ => activate k d slot t
  end.

(* What room is for, and turns. *)
Definition waits_with (v : vertex) (l : limits) (d : data) (slot : nat) (t : token) : bool :=
  match kind_of v, payload t with
  | TwoInput negated minima maxima condition, Some p =>
      match slot with
      | O => kept_left minima maxima d p && negb (fits_in (left_room l) (S (length (left d))))
             && negb (negated && if store_only_live r
                                 then existsb (fun q => matches minima maxima condition p q) (right_compared minima d t)
                                 else false)
      | S _ => kept_right minima d p && negb (fits_in (right_room l) (S (length (right d))))
      end
  | Entry _ _, _ => merge_by_promise r && waits v l d slot t
  | _, _ => waits v l d slot t
  end.

(* ---- Inboxes and queues -------------------------------------------------------------------------------------------
   With slots, any head may be taken. Without, a node has one queue in order of arrival, in which a side has one token
   at most, and an entry node one queue outside for all its sources. `line`: the slots of what waits in the inbox of a
   node, in that order; `outside`: the queues of what waits there. *)
Record execution := Execution { now : config; line : nat -> list nat; outside : list nat }.

Definition from_start (net : network) (queues : nat -> list token) (arriving : list nat) : execution :=
  Execution (start net queues) (fun _ => []) arriving.

Section Steps.
Variables (net : network) (limit : nat -> limits).

Definition slotted (i : nat) : bool :=
  match nth_error net i with
  | Some v => match kind_of v with Entry _ _ => merge_by_promise r | _ => slot_per_side r end
  | None => true
  end.
Definition side_is_free (x : execution) (i k : nat) : bool :=
  match nth_error net i with
  | Some v => match kind_of v with
              | TwoInput _ _ _ _ | Collecting _ _ _ => negb (existsb (Nat.eqb k) (line x i))
              | _ => match line x i with [] => true | _ => false end
              end
  | None => true
  end.
Definition has_room (x : execution) (ik : nat * nat) : bool :=
  let '(i, k) := ik in
  if slotted i then fits_in (inbox_room (limit i)) (S (length (inbox (now x) i k)))
  else side_is_free x i k && fits_in (inbox_room (limit i)) (S (length (line x i))).
Definition room_with (x : execution) (s : source) : bool := forallb (has_room x) (readers net s).
Definition is_head (x : execution) (i k : nat) : bool :=
  slotted i || match line x i with k' :: _ => Nat.eqb k k' | [] => false end.
Definition enter (q q' : nat) : bool :=
  existsb (fun ik => existsb (fun ik' => Nat.eqb (fst ik) (fst ik')) (readers net (External q'))) (readers net
    (External q)).
Definition is_first_outside (x : execution) (q : nat) : bool :=
  merge_by_promise r || match find (enter q) (outside x) with Some q' => Nat.eqb q q' | None => false end.

Fixpoint without_one (q : nat) (l : list nat) : list nat :=
  match l with [] => [] | x :: more => if Nat.eqb x q then more else x :: without_one q more end.
Definition lengthened (x : execution) (s : source) : nat -> list nat :=
  fun i => line x i ++ map snd (filter (fun ik => Nat.eqb (fst ik) i) (readers net s)).

(* PARTE/PROC, PARTE/PROP, and arrivals. *)
Definition takes_with (x : execution) (a : action) : option execution :=
  let c := now x in
  match a with
  | Arrive q =>
      match queue c q with
      | [] => None
      | t :: rest =>
          if is_first_outside x q && room_with x (External q)
          then Some (Execution (Config (updated (queue c) q rest) (delivered net c (External q) t) (outbox c) (state c))
                       (lengthened x (External q)) (without_one q (outside x)))
          else None
      end
  | Process i slot =>
      match nth_error net i, inbox c i slot with
      | Some v, t :: rest =>
          if negb (is_head x i slot) || waits_with v (limit i) (state c i) slot t then None else
          let '(d, o) := activate_with (kind_of v) (state c i) slot t in
          if fits_in (outbox_room (limit i)) (length (outbox c i ++ o))
          then Some (Execution
                 (Config (queue c) (without_first c i slot rest) (updated (outbox c) i (outbox c i ++ o))
                    (updated (state c) i d))
                 (updated (line x) i (without_one slot (line x i))) (outside x))
          else None
      | _, _ => None
      end
  | Propagate i =>
      match outbox c i with
      | [] => None
      | t :: rest =>
          if room_with x (Internal i)
          then Some (Execution (Config (queue c) (delivered net c (Internal i) t) (updated (outbox c) i rest) (state c))
                       (lengthened x (Internal i)) (outside x))
          else None
      end
  end.

Inductive reaches_with (x : execution) : execution -> Prop :=
| Here_with : reaches_with x x
| There_with : forall y a z, reaches_with x y -> takes_with y a = Some z -> reaches_with x z.
End Steps.
End Repairs.

Section Sound.
Context {E : Events}.

(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/PROD* and PARTE/TERM: with all repairs each rule is the
   proved one. *)
Theorem a_node_with_all_repairs_is_the_proved_one : forall k d slot t, activate_with sound k d slot t = activate k d
  slot t.
Proof.
  assert (T : forall results b, tokens_with sound results b = as_tokens results b) by (intros [|]; auto).
  assert (R : forall results b, released_with sound results b = as_tokens results b) by (intros [|]; auto).
  intros [n s|f|negated minima maxima f|minima maxima f|w f|g b lag|] d slot t; try reflexivity.
  - simpl. unfold alpha_step_with, alpha_step. simpl. destruct (payload t); auto. rewrite andb_false_r. auto.
  - simpl. unfold two_input_step_with, two_input_step, two_input_change, bounds_after. destruct slot, negated.
    + unfold not_left_with, not_left, right_compared, kept_left. simpl. destruct (payload t) as [p|]; [|reflexivity].
      destruct (matching_right minima maxima f (right d) p); [|reflexivity].
      destruct (live_left minima maxima (right_bound d) p); reflexivity.
    + unfold join_left_with, join_left, right_compared, kept_left. destruct (payload t); [|reflexivity]. rewrite T.
      reflexivity.
    + unfold not_right_with, not_right. cbv zeta. rewrite R. reflexivity.
    + unfold join_right_with, join_right. destruct (payload t); [|reflexivity]. rewrite T. reflexivity.
Qed.

Lemma waits_with_all : forall v l d slot t, waits_with sound v l d slot t = waits v l d slot t.
Proof.
  intros [k s] l d slot t. unfold waits_with, waits. simpl.
  destruct k; try reflexivity. destruct (payload t); reflexivity.
Qed.

(* PARTE/PROC and PARTE/PROP take the same steps to the same configurations: the machine with all repairs is the sound
   one. *)
Theorem the_machine_with_all_repairs_is_the_proved_one : forall net limit x a,
  takes net limit (now x) a = option_map now (takes_with sound net limit x a).
Proof.
  intros net limit x a.
  assert (S : forall i, slotted sound net i = true).
  { intros i. unfold slotted. destruct (nth_error net i) as [[k s]|]; auto. simpl. destruct k; auto. }
  assert (R : forall s, room_with sound net limit x s = room_at_all net limit (now x) s).
  { intros s. unfold room_with, room_at_all. induction (readers net s) as [|[i k] l IH]; simpl; auto.
    rewrite IH, S. auto. }
  destruct a as [q|i slot|i]; simpl.
  - destruct (queue (now x) q); [reflexivity|]. rewrite R.
    destruct (room_at_all net limit (now x) (External q)); reflexivity.
  - destruct (nth_error net i) as [v|]; auto. destruct (inbox (now x) i slot); auto.
    unfold is_head. rewrite S, waits_with_all, a_node_with_all_repairs_is_the_proved_one. simpl.
    destruct (waits v (limit i) (state (now x) i) slot t); auto.
    destruct (activate (kind_of v) (state (now x) i) slot t).
    destruct (fits_in (outbox_room (limit i)) (length (outbox (now x) i ++ l0))); auto.
  - destruct (outbox (now x) i); [reflexivity|]. rewrite R.
    destruct (room_at_all net limit (now x) (Internal i)); reflexivity.
Qed.

End Sound.
