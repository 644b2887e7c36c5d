(* Programs as the extracted evaluator reads them: conditions are expressions with values, of which some may be missing
   (specification: no-value-strict). The keys of the indexes follow from equalities among the conditions. *)
From Parte Require Export Strata LanguageRun.

Section Expressions.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
Hypothesis Timely : forall x y, precedes x y = true -> time x <= time y.
Variable patience : nat.

(* Floats and texts, with what is not computed here. Texts are equal where their numbers are. *)
Variables (real text : Type).
Inductive arithmetic := Plus | Minus | Times | Divided.
Record operations := Operations {
  calculated_real : arithmetic -> real -> real -> option real; opposite_real : real -> real; absolute_real : real ->
    real;
  real_of_whole : Z -> real; equal_reals : real -> real -> bool; less_real : real -> real -> bool;
  number_of_text : text -> Z; less_text : text -> text -> bool }.
Variable ops : operations.
Inductive value := Whole (z : Z) | Real (x : real) | Text (s : text) | Truth (b : bool).
(* The attributes of an event, by their columns; an event may lack one. *)
Variable attribute : event -> nat -> option value.
(* Functions of the events of a match that are computed elsewhere, by number. *)
Variable elsewhere : nat -> partial -> option value.

Inductive sign := Equal | Unequal | Less | AtMost | Greater | AtLeast.
Inductive expression :=
| Literal (v : value)
| Attribute (variable column : nat)
| TimeOf (variable : nat)
| Computed (number : nat)
| ToReal (x : expression)
| Opposite (x : expression)
| Absolute (x : expression)
| Calculated (a : arithmetic) (x y : expression)
| Compared (s : sign) (x y : expression)
| Both (x y : expression)
| Either (x y : expression)
| Negated (x : expression)
| Present (x : expression) (expected : bool).

(* Specification: no-value-integers. Beyond 64 bits there is no value. *)
Definition least_whole : Z := - 2 ^ 63.
Definition greatest_whole : Z := 2 ^ 63 - 1.
Definition whole_value (z : Z) : option value :=
  if (least_whole <=? z) && (z <=? greatest_whole) then Some (Whole z) else None.
Definition calculated (a : arithmetic) (x y : value) : option value :=
  match x, y with
  | Whole x, Whole y =>
      match a with Plus => whole_value (x + y) | Minus => whole_value (x - y) | Times => whole_value (x * y) | Divided
        => None end
  | Real x, Real y => option_map Real (calculated_real ops a x y)
  | _, _ => None
  end.
Definition equals (x y : value) : option bool :=
  match x, y with
  | Whole x, Whole y => Some (x =? y)
  | Real x, Real y => Some (equal_reals ops x y)
  | Text x, Text y => Some (number_of_text ops x =? number_of_text ops y)
  | Truth x, Truth y => Some (Bool.eqb x y)
  | _, _ => None
  end.
Definition is_less (x y : value) : option bool :=
  match x, y with
  | Whole x, Whole y => Some (x <? y)
  | Real x, Real y => Some (less_real ops x y)
  | Text x, Text y => Some (less_text ops x y)
  | Truth x, Truth y => Some (negb x && y)
  | _, _ => None
  end.
(* Specification: comparison-numbers, comparison-strings. No Float is a NaN. *)
Definition compared (s : sign) (x y : value) : option bool :=
  match s with
  | Equal => equals x y
  | Unequal => option_map negb (equals x y)
  | Less => is_less x y
  | AtLeast => option_map negb (is_less x y)
  | Greater => is_less y x
  | AtMost => option_map negb (is_less y x)
  end.

(* Specification: no-value-strict, connectives. *)
Fixpoint value_in (v : partial) (x : expression) : option value :=
  match x with
  | Literal c => Some c
  | Attribute i c => match nth_error v i with Some e => attribute e c | None => None end
  | TimeOf i => match nth_error v i with Some e => Some (Whole (time e)) | None => None end
  | Computed n => elsewhere n v
  | ToReal x => match value_in v x with Some (Whole z) => Some (Real (real_of_whole ops z)) | _ => None end
  | Opposite x => match value_in v x with
      | Some (Whole z) => whole_value (- z) | Some (Real x) => Some (Real (opposite_real ops x)) | _ => None end
  | Absolute x => match value_in v x with
      | Some (Whole z) => whole_value (Z.abs z) | Some (Real x) => Some (Real (absolute_real ops x)) | _ => None end
  | Calculated a x y => match value_in v x with
      | Some x => match value_in v y with Some y => calculated a x y | None => None end | None => None end
  | Compared s x y => match value_in v x with
      | Some x => match value_in v y with Some y => option_map Truth (compared s x y) | None => None end
      | None => None end
  | Both x y => match value_in v x with
      | Some (Truth false) => Some (Truth false)
      | Some (Truth true) => value_in v y
      | _ => match value_in v y with Some (Truth false) => Some (Truth false) | _ => None end end
  | Either x y => match value_in v x with
      | Some (Truth true) => Some (Truth true)
      | Some (Truth false) => value_in v y
      | _ => match value_in v y with Some (Truth true) => Some (Truth true) | _ => None end end
  | Negated x => match value_in v x with Some (Truth b) => Some (Truth (negb b)) | _ => None end
  | Present x expected => Some (Truth (Bool.eqb (match value_in v x with Some _ => true | None => false end) expected))
  end.
(* A condition without a value does not hold (specification: no-value-conditions). *)
Definition condition_holds (v : partial) (x : expression) : bool :=
  match value_in v x with Some (Truth true) => true | _ => false end.
Definition all_hold (xs : list expression) (v : partial) : bool := forallb (condition_holds v) xs.

(* ---- Keys -------------------------------------------------------------------------------------------------------- *)

Definition key_of (x : value) : Z :=
  match x with Whole z => z | Text s => number_of_text ops s | Truth b => if b then 1 else 0 | Real _ => 0 end.
(* An equality of an attribute of the n-th event with one of an earlier event: the columns, and which event. *)
Definition key_in (n : nat) (x : expression) : option (nat * (nat * nat)) :=
  match x with
  | Compared Equal (Attribute i c) (Attribute j d) =>
      if Nat.eqb i n && Nat.ltb j n then Some (c, (j, d)) else if Nat.eqb j n && Nat.ltb i n then Some (d, (i, c)) else
        None
  | _ => None
  end.
Fixpoint first_key (n : nat) (xs : list expression) : option (nat * (nat * nat)) :=
  match xs with
  | [] => None
  | x :: more => match key_in n x with Some k => Some k | None => first_key n more end
  end.
Definition keyed_by (n of_template : nat) (own joint : list expression) : @keyed E :=
  let what := Alternative of_template (fun e => all_hold own [e]) (all_hold joint) in
  match first_key n joint with
  | Some (c, (j, d)) => Keyed what (fun e => option_map key_of (attribute e c))
      (fun v => match nth_error v j with Some e => option_map key_of (attribute e d) | None => None end)
  | None => Keyed what (fun _ => Some 0) (fun _ => Some 0)
  end.

Lemma equal_values_have_one_key : forall x y, equals x y = Some true -> key_of x = key_of y.
Proof.
  intros [a|a|a|a] [b|b|b|b] H; simpl in *; try discriminate; auto; injection H as H.
  - apply Z.eqb_eq. auto.
  - apply Z.eqb_eq. auto.
  - apply Bool.eqb_prop in H. subst. auto.
Qed.
Lemma first_key_in : forall n xs k, first_key n xs = Some k -> exists x, In x xs /\ key_in n x = Some k.
Proof.
  induction xs as [|x xs IH]; simpl; intros k H; [discriminate|]. destruct (key_in n x) as [k'|] eqn:K.
  - inversion H; subst. exists x. auto.
  - destruct (IH k H) as (y & I & Q). exists y. auto.
Qed.
(* Specification: no-value-strict, no-value-conditions. *)
Theorem conditions_hold_only_under_their_key : forall n t own joint, keyed_soundly n (keyed_by n t own joint).
Proof.
  intros n t own joint v e L. unfold keyed_by.
  destruct (first_key n joint) as [[c [j d]]|] eqn:K; simpl; intros H; [|eauto].
  apply first_key_in in K as (x & I & K). unfold all_hold in H. rewrite forallb_forall in H. specialize (H x I).
  destruct x; try discriminate. destruct s; try discriminate. destruct x1; try discriminate.
  destruct x2; try discriminate. simpl in K.
  assert (Nth : nth_error (v ++ [e]) n = Some e) by (rewrite nth_error_app2, L, Nat.sub_diag by lia; auto).
  assert (Found : forall i a k b, (i < n)%nat ->
    condition_holds (v ++ [e]) (Compared Equal (Attribute n a) (Attribute i b)) = true \/
    condition_holds (v ++ [e]) (Compared Equal (Attribute i b) (Attribute n a)) = true -> k = (a, (i, b)) ->
    exists z, option_map key_of (attribute e a) = Some z /\
      match nth_error v i with Some e => option_map key_of (attribute e b) | None => None end = Some z).
  { intros i a k b Li Q _. unfold condition_holds in Q. simpl in Q.
    rewrite Nth, nth_error_app1 in Q by lia. destruct (nth_error v i) as [u|].
    - destruct (attribute e a) as [p|], (attribute u b) as [q|]; simpl in *;
        try (destruct Q as [Q|Q]; discriminate Q).
      exists (key_of p). split; auto. f_equal. destruct Q as [Q|Q].
      + destruct (equals p q) as [[]|] eqn:G; try discriminate. symmetry. apply equal_values_have_one_key. auto.
      + destruct (equals q p) as [[]|] eqn:G; try discriminate. apply equal_values_have_one_key. auto.
    - destruct (attribute e a); simpl in Q; destruct Q as [Q|Q]; discriminate Q. }
  destruct (Nat.eqb variable n && Nat.ltb variable0 n) eqn:A.
  - inversion K; subst. apply andb_true_iff in A as [A B]. apply Nat.eqb_eq in A. apply Nat.ltb_lt in B. subst.
    eapply Found; eauto.
  - destruct (Nat.eqb variable0 n && Nat.ltb variable n) eqn:B; [|discriminate]. inversion K; subst.
    apply andb_true_iff in B as [B C]. apply Nat.eqb_eq in B. apply Nat.ltb_lt in C. subst. eapply Found; eauto.
Qed.

(* ---- Emissions ---------------------------------------------------------------------------------------------------
   Whatever makes the events, they have the template and a timestamp that is not before that of `at`; others are none.
     *)
Fixpoint is_scoped (width : nat) (s : timestamp) : bool :=
  match s with
  | OfVariable i => Nat.ltb i width
  | Shifted s _ => is_scoped width s
  | Earliest ss | Latest ss | Average ss =>
      match ss with [] => false | _ => true end && forallb (is_scoped width) ss
  end.
Lemma is_scoped_spec : forall width s, is_scoped width s = true -> scoped width s.
Proof.
  intros width s. induction s using timestamp_induction; simpl; intros H'; auto; try (apply Nat.ltb_lt; auto).
  all: apply andb_true_iff in H' as [N F]; split; [destruct ss; [discriminate|discriminate]|].
  all: clear N; induction ss as [|s ss IH]; simpl in *; auto; apply andb_true_iff in F as [F F']; inversion H; subst;
    split; auto.
Qed.
Definition stamped_by (width of_template : nat) (at_ : timestamp)
  (generate : partial -> list (list event) -> option event) : @emission_with_sets E :=
  EmissionWithSets of_template (fun v sets =>
    if is_scoped width at_ && Nat.eqb (length v) width then
      match generate v sets with
      | Some e => if Nat.eqb (template e) of_template && (instant at_ (times v) <=? time e) then Some e else None
      | None => None
      end
    else None) (instant at_) (lagging at_).
Lemma such_emissions_are_stamped : forall width n s g, emission_is_stamped (stamped_by width n s g).
Proof.
  intros width n s g v sets e H. simpl in H. destruct (is_scoped width s && Nat.eqb (length v) width) eqn:A;
    [|discriminate]. apply andb_true_iff in A as [A L]. apply Nat.eqb_eq in L.
  destruct (g v sets) as [e'|]; [|discriminate].
  destruct (Nat.eqb (template e') n && (instant s (times v) <=? time e')) eqn:B; [|discriminate].
  inversion H; subst e'. apply andb_true_iff in B as [T B]. apply Nat.eqb_eq in T. apply Z.leb_le in B.
  split; auto. intros x _ F. simpl.
  pose proof (a_timestamp_lags_by_a_known_time width s (is_scoped_spec _ _ A) x (times v)
    ltac:(rewrite times_length; auto) F). lia.
Qed.

(* ---- Programs ---------------------------------------------------------------------------------------------------- *)

Record read_pattern := ReadPattern { r_template : nat; r_own : list expression; r_joint : list expression }.
Inductive read_further :=
| ReadBound (choices : list read_pattern)
| ReadAbsent (what : read_pattern) (at_distances : list distance).
Record read_emission := ReadEmission {
  r_emits : nat; r_at : timestamp; r_generate : partial -> list (list event) -> option event }.
Record read_rule := ReadRule {
  r_first : list read_pattern; r_further : list read_further; r_when : list constraint;
  r_sets : list (read_pattern * list distance); r_having : option (partial -> list (list event) -> option bool);
  r_emissions : list read_emission }.
(* The emissions with the numbers of their rules in the stratum, and the column of the key. *)
Record read_suppression := ReadSuppression {
  r_suppressed : nat; r_key : nat; r_apart : Z; r_suppressible : list (nat * read_emission) }.
Definition read_program := list (list read_rule * list read_suppression).

Definition keyed_pattern (n : nat) (p : read_pattern) : @keyed E := keyed_by n (r_template p) (r_own p) (r_joint p).
Fixpoint keyed_patterns (n : nat) (fs : list read_further) : list (@keyed_further E) :=
  match fs with
  | [] => []
  | ReadBound cs :: fs => KeyedBound (map (keyed_pattern n) cs) :: keyed_patterns (S n) fs
  | ReadAbsent p ds :: fs => KeyedAbsent (keyed_pattern n p) ds :: keyed_patterns n fs
  end.
Definition with_keys (r : read_rule) : keyed_rule :=
  let further := keyed_patterns 1 (r_further r) in
  let width := positive_count 1 further in
  KeyedRule (map (fun p => (r_template p, fun e => all_hold (r_own p) [e])) (r_first r)) further (r_when r)
    (map (fun s => (keyed_pattern width (fst s), snd s)) (r_sets r)) (r_having r)
    (map (fun m => stamped_by width (r_emits m) (r_at m) (r_generate m)) (r_emissions r)).
Definition width_of (rs : list read_rule) (i : nat) : nat :=
  match nth_error rs i with Some r => positive_count 1 (keyed_patterns 1 (r_further r)) | None => 0 end.
(* Specification: suppression. A key is a text here: the values of the attributes in one. *)
Definition with_suppression (rs : list read_rule) (u : read_suppression) : @suppression E :=
  Suppression (r_suppressed u) (fun e => match attribute e (r_key u) with Some v => key_of v | None => 0 end) (r_apart
    u)
    (map (fun x => (fst x, stamped_by (width_of rs (fst x)) (r_suppressed u) (r_at (snd x)) (r_generate (snd x))))
      (r_suppressible u)).
Definition plans_of (p : read_program) : @planned_program E :=
  map (fun s => (map (fun r => planned (with_keys r)) (fst s), map (with_suppression (fst s)) (snd s))) p.
(* What the program that is extracted checks before it runs; it refuses others. *)
Definition is_admitted (templates : nat) (p : read_program) : bool :=
  forallb (fun s => forallb (plan_passes templates) (fst s)) (plans_of p).

Lemma rules_with_keys_are_sound : forall r, plan_sound (planned (with_keys r)).
Proof.
  intros r. split; [split|]; simpl.
  - generalize 1%nat. induction (r_further r) as [|[cs|p ds] fs IH]; simpl; intros n; auto.
    + split; auto. apply Forall_map, Forall_forall. intros p _. apply conditions_hold_only_under_their_key.
    + split; auto. apply conditions_hold_only_under_their_key.
  - apply Forall_map, Forall_forall. intros s _. apply conditions_hold_only_under_their_key.
  - apply Forall_map, Forall_forall. intros m _. apply such_emissions_are_stamped.
Qed.
Lemma admitted_plans : forall templates p, is_admitted templates p = true ->
  Forall (stratum_passes templates) (plans_of p).
Proof.
  intros templates p A. unfold is_admitted, plans_of in *. rewrite forallb_forall in A. apply Forall_forall.
  intros s I. specialize (A s I). rewrite forallb_forall in A. split; apply Forall_forall.
  - intros q J. split; auto.
    apply in_map_iff in I as (l & <- & _). apply in_map_iff in J as (r & <- & _). apply rules_with_keys_are_sound.
  - intros u J. apply in_map_iff in I as (l & <- & _). apply in_map_iff in J as (v & <- & _).
    apply Forall_map, Forall_forall. intros x _. split; [reflexivity|]. apply such_emissions_are_stamped.
Qed.

(* The meaning of Language.v, which has no keys, with suppression. *)
Definition meaning_of_read (p : read_program) (stream : list event) :
  list (list (partial * list (list event))) * list (list (event * option event)) :=
  meaning_with_suppression precedes (without_keys (plans_of p)) stream.
Lemma read_lengths : forall p, length (flat_map fst (plans_of p)) = length (flat_map fst p) /\
  length (flat_map snd (plans_of p)) = length (flat_map snd p).
Proof.
  unfold plans_of. induction p as [|s p [H1 H2]]; simpl; auto. rewrite !app_length, !map_length, H1, H2. auto.
Qed.

(* Specification: sound-agrees, strata-in-order, meaning-rule, suppression. What is extracted reports exactly the
   meaning
   of each program that it admits, for sources that keep their promises and end. *)
Theorem what_is_extracted_reports_exactly_the_meaning : forall templates p bs, is_admitted templates p = true ->
  promises_hold bs -> all_have_ended templates bs ->
  let reported := run_strata precedes patience bs (at_the_start (plans_of p)) in
  let meant := meaning_of_read p (arriving bs) in
  Forall2 (@Permutation _) (in_total (length (flat_map fst p)) (map fst reported)) (fst meant) /\
  Forall2 (@Permutation _) (in_total (length (flat_map snd p)) (map snd reported)) (snd meant).
Proof.
  intros templates p bs A Pr En. destruct (read_lengths p) as [<- <-].
  apply the_evaluator_reports_exactly_the_meaning with (number := templates); auto. apply admitted_plans. auto.
Qed.
(* Specification: sound-agrees, terminal-nodes, suppression-decided. At every moment it has reported a part of that. *)
Theorem what_is_extracted_reports_nothing_early : forall templates p bs more, is_admitted templates p = true ->
  promises_hold (bs ++ more) -> all_have_ended templates (bs ++ more) ->
  let reported := run_strata precedes patience bs (at_the_start (plans_of p)) in
  let meant := meaning_of_read p (arriving (bs ++ more)) in
  Forall2 (fun found r => exists rest, Permutation (found ++ rest) r)
    (in_total (length (flat_map fst p)) (map fst reported)) (fst meant) /\
  Forall2 (fun found r => exists rest, Permutation (found ++ rest) r)
    (in_total (length (flat_map snd p)) (map snd reported)) (snd meant).
Proof.
  intros templates p bs more A Pr En. destruct (read_lengths p) as [<- <-].
  apply the_evaluator_reports_nothing_early with (number := templates); auto. apply admitted_plans. auto.
Qed.

End Expressions.
