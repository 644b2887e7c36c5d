(* The nodes of the machine, model `sound`: the inference rules (specification: inference-rules) as functions, with all
   repairs (semantics/partelang/rules). What room and turns ask is a premise of the step, in Network.v. *)
From Parte Require Export Tokens.

Section Nodes.
Context {E : Events}.

(* Specification: network-shape. Keys (specification: two-input-nodes) are part of the condition, which reads the
   partial
   match with the right event behind it. `minima` and `maxima`: the windows of the right event, from each left event. A
   set-node collects those right events, and `having` filters what comes from the last one. *)
Inductive kind :=
| Entry (of : nat) (slots : nat)
| Alpha (condition : event -> bool)
| TwoInput (negated : bool) (minima maxima : list Z) (condition : partial -> bool)
| Collecting (minima maxima : list Z) (condition : partial -> bool)
| Filtering (width : nat) (condition : partial -> bool)
| Production (generate : partial -> option event) (at_bounds : list Z -> Z) (lag : Z)
| Terminal.

(* What of a node changes. An entry node keeps the bounds of its sources where a two-input node keeps those of the
   left; a terminal node keeps what has been reported. *)
Record data := Data {
  left_bounds : list Z; right_bound : Z; left : list partial; right : list partial; reported : list partial }.

Definition initial (k : kind) : data :=
  match k with
  | Entry _ n => Data (repeat (- infinity) n) (- infinity) [] [] []
  | TwoInput _ minima _ _ | Collecting minima _ _ => Data (repeat (- infinity) (length minima)) (- infinity) [] [] []
  | _ => Data [] (- infinity) [] [] []
  end.

Definition effect := (data * list token)%type.
Fixpoint replaced (l : list Z) (i : nat) (b : Z) : list Z :=
  match l, i with [], _ => [] | _ :: r, O => b :: r | x :: r, S j => x :: replaced r j b end.
Definition only (b : list Z) : Z := hd 0 b.
Definition moment (q : partial) : Z := hd 0 (times q).
Definition of_template (n : nat) (p : partial) : bool :=
  match p with e :: _ => Nat.eqb (template e) n | [] => false end.

(* PARTE/ENTRY, PARTE/ENTRY-BOTTOM, PARTE/ENTRY-NOMATCHTEMPLATE (specification: entry-merge). *)
Definition entry_step (n : nat) (d : data) (slot : nat) (t : token) : effect :=
  let stranger := match payload t with Some p => negb (of_template n p) | None => false end in
  if stranger then (d, []) else
  let promised := replaced (left_bounds d) slot (only (bounds t)) in
  (Data promised (right_bound d) (left d) (right d) (reported d), [Token [lowest promised] (payload t)]).

Definition meets (condition : event -> bool) (p : partial) : bool :=
  match p with e :: _ => condition e | [] => false end.
(* PARTE/ALPHA-MATCH, PARTE/ALPHA-NOMATCHCONSTRAINT, PARTE/ALPHA-BOTTOM (specification: alpha-nodes). *)
Definition alpha_step (condition : event -> bool) (d : data) (t : token) : effect :=
  (d, [Token (bounds t) (match payload t with Some p => if meets condition p then Some p else None | None => None
    end)]).

(* `having`: what does not meet it goes no further, its bounds do. *)
Definition filter_step (condition : partial -> bool) (d : data) (t : token) : effect :=
  (d, [Token (bounds t) (match payload t with Some p => if condition p then Some p else None | None => None end)]).

(* PARTE/PROD, PARTE/PROD-BOTTOM (specification: production-bound). *)
Definition production_step (generate : partial -> option event) (at_bounds : list Z -> Z) (d : data) (t : token) :
  effect :=
  (d, [Token [at_bounds (bounds t)]
         (match payload t with
          | Some p => match generate p with Some e => Some [e] | None => None end
          | None => None end)]).

(* PARTE/TERM (specification: terminal-nodes). *)
Definition terminal_step (d : data) (t : token) : effect :=
  (Data (left_bounds d) (right_bound d) (left d) (right d)
     (match payload t with Some p => reported d ++ [p] | None => reported d end), []).

Section TwoInput.
Variables (negated : bool) (minima maxima : list Z) (condition : partial -> bool).

Definition opens (p : partial) : Z := lifetime_opens (times p) minima.
Definition closes (p : partial) : Z := lifetime_closes (times p) maxima.
Definition matches (p q : partial) : bool := in_window (moment q) (opens p) (closes p) && condition (p ++ q).
Definition live_left (bound : Z) (p : partial) : bool := may_be_met (opens p) (closes p) bound.
Definition live_right (bounds : list Z) (q : partial) : bool := negb (is_stale (moment q) (expiration_time bounds
  minima)).
Definition passed (bound : Z) (p : partial) : bool := is_stale (closes p) bound.
Definition expire_left (bound : Z) (l : list partial) := filter (fun p => negb (passed bound p)) l.
Definition expire_right (bounds : list Z) (l : list partial) := filter (live_right bounds) l.
Definition matching_right (l : list partial) (p : partial) := filter (fun q => matches p q) l.
Definition matching_left (l : list partial) (q : partial) := filter (fun p => matches p q) l.

(* PARTE/JOIN-LEFT, PARTE/JOIN-LEFT-BOTTOM: the data after, and the results. *)
Definition join_left (d : data) (t : token) : data * list partial :=
  let expired := expire_right (bounds t) (right d) in
  match payload t with
  | None => (Data (bounds t) (right_bound d) (left d) expired (reported d), [])
  | Some p =>
      (Data (bounds t) (right_bound d) (if live_left (right_bound d) p then left d ++ [p] else left d) expired
        (reported d),
       map (fun q => p ++ q) (matching_right (right d) p))
  end.

(* PARTE/JOIN-RIGHT, PARTE/JOIN-RIGHT-BOTTOM. *)
Definition join_right (d : data) (t : token) : data * list partial :=
  let bound := only (bounds t) in
  let staying := expire_left bound (left d) in
  match payload t with
  | None => (Data (left_bounds d) bound staying (right d) (reported d), [])
  | Some q =>
      (Data (left_bounds d) bound staying (if live_right (left_bounds d) q then right d ++ [q] else right d) (reported
        d),
       map (fun p => p ++ q) (matching_left (left d) q))
  end.

(* PARTE/NOT-LEFT-MATCH, PARTE/NOT-LEFT-NOMATCH, PARTE/NOT-LEFT-BOTTOM. *)
Definition not_left (d : data) (t : token) : data * list partial :=
  let expired := expire_right (bounds t) (right d) in
  match payload t with
  | None => (Data (bounds t) (right_bound d) (left d) expired (reported d), [])
  | Some p =>
      match matching_right (right d) p with
      | _ :: _ => (Data (bounds t) (right_bound d) (left d) expired (reported d), [])
      | [] => if live_left (right_bound d) p
              then (Data (bounds t) (right_bound d) (left d ++ [p]) expired (reported d), [])
              else (Data (bounds t) (right_bound d) (left d) expired (reported d), [p])
      end
  end.

(* PARTE/NOT-RIGHT, PARTE/NOT-RIGHT-BOTTOM. *)
Definition not_right (d : data) (t : token) : data * list partial :=
  let bound := only (bounds t) in
  let undefeated := match payload t with Some q => filter (fun p => negb (matches p q)) (left d) | None => left d end in
  let stored := match payload t with
                | Some q => if live_right (left_bounds d) q then right d ++ [q] else right d
                | None => right d end in
  (Data (left_bounds d) bound (expire_left bound undefeated) stored (reported d), filter (passed bound) undefeated).

(* Specification: propagated-bounds. For each event the lesser of what may still come and the earliest that is stored,
   which is infinity where nothing is. *)
Definition capped (b : list Z) : list Z := map (Z.min infinity) b.
Definition left_bounds_after (d : data) : list Z := capped (lowered (left_bounds d) (left d)).
Definition joined_bounds_after (d : data) : list Z := left_bounds_after d ++ capped (lowered [right_bound d] (right d)).
Definition bounds_after (d : data) : list Z := if negated then left_bounds_after d else joined_bounds_after d.

(* The left side is slot 0, the right side slot 1 (specification: repair-slot-per-side). *)
Definition two_input_change (d : data) (slot : nat) (t : token) : data * list partial :=
  match slot, negated with
  | O, false => join_left d t
  | O, true => not_left d t
  | _, false => join_right d t
  | _, true => not_right d t
  end.
Definition two_input_step (d : data) (slot : nat) (t : token) : effect :=
  let '(after, results) := two_input_change d slot t in (after, as_tokens results (bounds_after after)).

(* The set-node: a left partial match waits until its window has passed, as at a not-node, and goes on with the right
   events in it, of however many. A right event is stored as long as a left partial match that waits or may still come
   has it in its window; so what is stored is never a product of the sides. *)
Definition collection (l : list partial) (p : partial) : partial := with_set_of p (concat (matching_right l p)).
Definition collectable (stored : list partial) (bounds : list Z) (q : partial) : bool :=
  live_right bounds q || existsb (fun p => matches p q) stored.
(* PARTE/SET-LEFT-DECIDED, PARTE/SET-LEFT-OPEN, PARTE/SET-LEFT-BOTTOM (specification: sets, moments), but that no set is
   upward: each waits for its window. *)
Definition collect_left (d : data) (t : token) : data * list partial :=
  let '(waiting, results) := match payload t with
                             | Some p => if live_left (right_bound d) p then (left d ++ [p], [])
                                         else (left d, [collection (right d) p])
                             | None => (left d, []) end in
  (Data (bounds t) (right_bound d) waiting (filter (collectable waiting (bounds t)) (right d)) (reported d), results).
(* PARTE/SET-RIGHT, PARTE/SET-RIGHT-BOTTOM (specification: sets, moments), with the same restriction. *)
Definition collect_right (d : data) (t : token) : data * list partial :=
  let bound := only (bounds t) in
  let all := match payload t with Some q => right d ++ [q] | None => right d end in
  let waiting := expire_left bound (left d) in
  (Data (left_bounds d) bound waiting (filter (collectable waiting (left_bounds d)) all) (reported d),
   map (collection all) (filter (passed bound) (left d))).
Definition collect_change (d : data) (slot : nat) (t : token) : data * list partial :=
  match slot with O => collect_left d t | _ => collect_right d t end.
Definition collect_step (d : data) (slot : nat) (t : token) : effect :=
  let '(after, results) := collect_change d slot t in (after, as_tokens results (left_bounds_after after)).
End TwoInput.

Definition activate (k : kind) (d : data) (slot : nat) (t : token) : effect :=
  match k with
  | Entry n _ => entry_step n d slot t
  | Alpha condition => alpha_step condition d t
  | TwoInput negated minima maxima condition => two_input_step negated minima maxima condition d slot t
  | Collecting minima maxima condition => collect_step minima maxima condition d slot t
  | Filtering _ condition => filter_step condition d t
  | Production generate at_bounds _ => production_step generate at_bounds d t
  | Terminal => terminal_step d t
  end.

(* A node over a log of what it took, token by token with their slots. *)
Definition log := list (nat * token).
Fixpoint run (k : kind) (d : data) (l : log) : effect :=
  match l with
  | [] => (d, [])
  | (slot, t) :: l' =>
      let '(d', o) := activate k d slot t in let '(d'', o') := run k d' l' in (d'', o ++ o')
  end.
Definition taken (slot : nat) (l : log) : list token := map snd (filter (fun x => Nat.eqb (fst x) slot) l).

Lemma run_app : forall k l l' d, run k d (l ++ l') =
  let '(d', o) := run k d l in let '(d'', o') := run k d' l' in (d'', o ++ o').
Proof.
  induction l as [|[slot t] l IH]; simpl; intros.
  - destruct (run k d l'). auto.
  - destruct (activate k d slot t). rewrite IH. destruct (run k d0 l). destruct (run k d1 l'). rewrite app_assoc. auto.
Qed.

Lemma taken_app : forall slot l l', taken slot (l ++ l') = taken slot l ++ taken slot l'.
Proof. intros. unfold taken. rewrite filter_app, map_app. auto. Qed.

End Nodes.
